//! The buttons of the review, of the monthly review and of sharing, in a real browser.

use serde_json::json;

use crate::browser::{Browser, rules};
use crate::visit::{House, press, shows};

const NOTES: [&str; 4] = [
    "Anna seems to prefer mornings for calls.",
    "Anna probably owns a boat.",
    "Anna may be looking for a new flat.",
    "Anna seems to dislike loud offices.",
];

/// Ticks the box beside a text.
fn tick(browser: &Browser, text: &str) {
    let script = format!(
        "const row = [...document.querySelectorAll('label.tick')].find((one) => one.textContent.includes({text:?}));
         row.querySelector('input').setAttribute('data-ticked', {text:?}); return true;"
    );
    assert_eq!(browser.run(&script), true);
    browser.click(&format!("[data-ticked={text:?}]"));
}

#[test]
fn what_waits_is_confirmed_kept_and_rejected_in_bulk() {
    if rules().is_none() {
        return;
    }
    let house = House::with_life();
    let lines = NOTES.map(|text| json!({"content": text, "source": {"type": "ai_inference"}}).to_string());
    house.remember(&lines);
    let browser = Browser::start("en");
    house.enter(&browser);
    press(&browser, "Review");
    NOTES.iter().for_each(|note| shows(&browser, note));

    tick(&browser, NOTES[0]);
    press(&browser, "Confirm");
    shows(&browser, "1 memory");
    assert!(!browser.text().contains(NOTES[0]), "{}", browser.text());
    tick(&browser, NOTES[1]);
    press(&browser, "Confirm, and keep");
    assert!(!browser.text().contains(NOTES[1]));
    // By keyboard: j moves, space ticks, a ticks all.
    browser.run("document.querySelector('label.tick input').focus()");
    browser
        .run("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'a', bubbles: true}))");
    assert_eq!(browser.run("return document.querySelectorAll('label.tick input:checked').length"), 2);
    press(&browser, "Reject");
    shows(&browser, "2 memories");
    shows(&browser, "Nothing waits");

    let kept = house.home.json(&["recall", "does Anna own a boat?"]).to_string();
    assert!(kept.contains(NOTES[1]), "{kept}");
    let gone = house.home.json(&["recall", "a new flat, loud offices"]).to_string();
    assert!(!gone.contains(NOTES[2]) && !gone.contains(NOTES[3]), "{gone}");
    // Nothing ticked is nothing decided.
    let visit = house.visit();
    assert_eq!(visit.post("/console/review", "do=reject").status, 303);
    assert_eq!(visit.post("/console/review", "do=explode&ids=x").status, 422);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn the_monthly_review_keeps_and_erases_what_is_ticked() {
    if rules().is_none() {
        return;
    }
    let house = House::empty();
    house.home.run(&["remember", "The voucher of the ferry is in the drawer.", "--expires", "3d"]).ok();
    house.home.run(&["remember", "The library card ends with the year.", "--expires", "2d"]).ok();
    let browser = Browser::start("en");
    house.enter(&browser);
    browser.go(&format!("{}/console/review/month", house.server.url));
    shows(&browser, "voucher");
    tick(&browser, "voucher");
    press(&browser, "Erase");
    shows(&browser, "Receipt DEL-");
    shows(&browser, "library card");
    tick(&browser, "library card");
    press(&browser, "Keep");
    shows(&browser, "Kept: 1. Erased: 0.");
    let left = house.home.json(&["list"]).to_string();
    assert!(left.contains("library card") && !left.contains("voucher"), "{left}");
}

#[test]
fn a_memory_is_shared_with_a_team_and_a_sensitive_one_is_not() {
    if rules().is_none() {
        return;
    }
    let house = House::empty();
    house.home.run(&["team", "add", "desk", "anna"]).ok();
    house.home.run(&["team", "add", "desk", "ben"]).ok();
    house.home.remember("The lift is out of order on Mondays.");
    house.home.run(&["consent", "give", "health"]).ok();
    house.home.remember("My doctor says that I have diabetes.");
    let browser = Browser::start("en");
    house.enter(&browser);
    press(&browser, "The lift is out of order");
    press(&browser, "Share");
    browser.click("button[value=share]");
    shows(&browser, "shared");
    assert!(!browser.text().contains("The lift is out of order"), "it has moved");
    let shared = house.home.json(&["recall", "which lift works?", "--scope", "team:desk", "--as", "ben"]);
    assert!(shared.to_string().contains("out of order"), "{shared}");

    press(&browser, "My doctor says");
    press(&browser, "Share");
    browser.click("button[value=share]");
    let team = house.home.json(&["list", "--scope", "team:desk", "--as", "ben"]).to_string();
    assert!(!team.contains("diabetes"), "{team}");
    browser.go(&format!("{}/", house.server.url));
    shows(&browser, "diabetes");
    let visit = house.visit();
    let mine = house.home.json(&["list"]);
    let id = mine["memories"][0]["memory_id"].as_str().unwrap();
    for team in ["team:other", "user:ben", "org", ""] {
        let refused = visit.post(&format!("/console/memories/{id}/act"), &format!("do=share&team={team}"));
        assert!(matches!(refused.status, 403 | 404 | 422), "{team}: {}", refused.status);
    }
}
