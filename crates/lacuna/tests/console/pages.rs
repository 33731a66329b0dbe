//! Every page as people meet it: with a screen reader, in the dark, on a small screen; and with hostile texts in it.

use std::path::PathBuf;

use serde_json::json;

use crate::browser::{Browser, rules};
use crate::visit::House;

const PAGES: [(&str, &str); 13] = [
    ("memory", "/"),
    ("overview", "/console/overview"),
    ("review", "/console/review"),
    ("month", "/console/review/month"),
    ("forget", "/console/forget"),
    ("ask", "/console/ask"),
    ("receipts", "/console/receipts"),
    ("consents", "/console/consents"),
    ("retention", "/console/retention"),
    ("access", "/console/access"),
    ("protection", "/console/protection"),
    ("goodbye", "/console/goodbye"),
    ("operate", "/console/operate"),
];
/// Pixels of a screenshot from top to bottom, at most.
const HEIGHT_MAX: u64 = 1_000;

/// Keeps a picture of the page, if somebody wants pictures.
pub(crate) fn keep(browser: &Browser, name: &str) {
    if let Some(folder) = std::env::var_os("LACUNA_TEST_SCREENSHOTS").map(PathBuf::from) {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{name}.png")), browser.screenshot(HEIGHT_MAX)).unwrap();
    }
}

#[track_caller]
fn fits(browser: &Browser, rules: &str, page: &str) {
    let barriers = browser.barriers(rules);
    assert!(barriers.is_empty(), "{page}: {barriers:#?}");
    let wide = browser.run("const d = document.documentElement; return d.scrollWidth - d.clientWidth");
    assert!(wide.as_i64().unwrap() <= 0, "{page} is {wide} pixels too wide");
}

/// The first memory's page, and the pages that only a form leads to.
fn deep_pages(house: &House, browser: &Browser, check: &dyn Fn(&str)) {
    let at = |path: &str| browser.go(&format!("{}{path}", house.server.url));
    at("/");
    browser.fill("#query", "where does my sister live?");
    browser.click("form.search button");
    check("search");
    browser.click("main a.entry-link");
    check("one-memory");
    at("/console/forget");
    browser.fill("#words", "everything about Maria");
    browser.click("main form button");
    check("plan");
    browser.click("main form button.danger");
    check("forgotten");
    browser.click("main ul a.button");
    check("receipt");
}

/// Long words fit as well; the language is chosen as people choose it.
fn german_on_a_small_screen(house: &House, browser: &Browser) {
    browser.scheme("light");
    browser.resize(360, 900);
    browser.click("button[value=de]");
    for (name, path) in PAGES {
        browser.go(&format!("{}{path}", house.server.url));
        let wide = browser.run("const d = document.documentElement; return d.scrollWidth - d.clientWidth");
        assert!(wide.as_i64().unwrap() <= 0, "{name} is {wide} pixels too wide in German");
        keep(browser, &format!("console-{name}-german"));
    }
    browser.click("button[value=en]");
}

#[test]
fn every_page_suits_everybody_in_both_schemes_and_on_small_screens() {
    let Some(folder) = rules() else { return };
    let rules = std::fs::read_to_string(folder.join("axe.min.js")).unwrap();
    let house = House::with_life();
    house.home.run(&["remember", "My doctor says that I have diabetes.", "--json"]);
    let note =
        json!({"content": "Anna seems to prefer mornings for calls.", "source": {"type": "ai_inference"}});
    house.remember(&[note.to_string()]);
    let browser = Browser::start("en");
    house.enter(&browser);
    for (scheme, width) in [("light", 1_280), ("dark", 360)] {
        browser.scheme(scheme);
        browser.resize(width, 900);
        for (name, path) in PAGES {
            browser.go(&format!("{}{path}", house.server.url));
            fits(&browser, &rules, name);
            assert_eq!(
                browser.run(
                    "return document.querySelectorAll('main svg :is(line, circle, polyline, rect) *').length"
                ),
                0
            );
            keep(&browser, &format!("console-{name}-{scheme}"));
        }
    }
    german_on_a_small_screen(&house, &browser);
    browser.scheme("light");
    browser.resize(1_280, 900);
    deep_pages(&house, &browser, &|name| {
        fits(&browser, &rules, name);
        keep(&browser, &format!("console-{name}"));
    });
    browser.scheme("dark");
    browser.go(&format!("{}/console/overview", house.server.url));
    keep(&browser, "console-overview-dark-wide");
    browser.command("Network.clearBrowserCookies", &json!({}));
    browser.go(&format!("{}/", house.server.url));
    fits(&browser, &rules, "entrance");
    keep(&browser, "console-entrance");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

const EVIL: &str = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> \
     \"><svg onload=document.title='owned'> {{7*7}} \u{202e}desrever\u{202c} \u{7} of Mallory";

/// A house in which hostile texts are memories, tags, names, turns, candidates and about to end.
fn house_of_evil() -> House {
    let house = House::empty();
    let tag = "<b>bold</b>";
    let named =
        json!({"content": EVIL, "tags": [tag], "entities": [{"type": "person", "name": "<i>Mallory</i>"}]});
    let other = json!({"content": EVIL.replace("Mallory", "Eve"), "tags": [tag]});
    house.remember(&[named, other].map(|line| line.to_string()));
    house.home.run(&["remember", &EVIL.replace("Mallory", "Trudy"), "--expires", "3d"]);
    // The gate holds such texts back; their owner lets them in.
    let held = house.home.json(&["review", "list"]);
    let ids: Vec<&str> =
        held["memories"].as_array().unwrap().iter().map(|one| one["memory_id"].as_str().unwrap()).collect();
    house.home.run(&[&["review", "accept", "--keep-both"], &ids[..]].concat()).ok();
    let note = json!({"content": EVIL.replace("Mallory", "Walter"), "source": {"type": "ai_inference"}});
    house.remember(&[note.to_string()]);
    house.home.run(&["session", "append", "desk", &EVIL.replace("Mallory", "Oscar")]);
    house
}

/// No tag of a text became a part of the page, and no sign of it turns the words around.
#[track_caller]
fn safe(browser: &Browser, page: &str) {
    assert_eq!(browser.run("return document.title.includes('owned')"), false, "{page}");
    let foreign = "return document.querySelectorAll('main script, main img, main b, main i, main [onload], main [onerror]').length";
    assert_eq!(browser.run(foreign), 0, "{page}");
    let reorders = "return /[\\u202a-\\u202e\\u2066-\\u2069\\u0000-\\u0008]/.test(document.body.innerText)";
    assert_eq!(browser.run(reorders), false, "{page}");
}

#[test]
fn hostile_texts_are_shown_as_text_on_every_page() {
    if rules().is_none() {
        return;
    }
    let house = house_of_evil();
    let browser = Browser::start("en");
    house.enter(&browser);
    let at = |path: &str| browser.go(&format!("{}{path}", house.server.url));
    for (name, path) in PAGES {
        at(path);
        safe(&browser, name);
    }
    for (path, who) in [("/", "Mallory"), ("/console/review", "Walter"), ("/console/review/month", "Trudy")] {
        at(path);
        let text = browser.text();
        assert!(text.contains("<img src=x onerror=") && text.contains(who), "{path}: {text}");
    }
    at("/");
    browser.fill("#query", "<script>document.title='owned'</script> Mallory");
    browser.click("form.search button");
    safe(&browser, "search");
    browser.click("main a.entry-link");
    safe(&browser, "one memory");
    assert!(browser.text().contains("<img src=x"));
    at("/console/ask");
    browser.fill("#about", "<b>Mallory</b>");
    browser.click("main form button");
    safe(&browser, "ask");
    at("/console/forget");
    browser.fill("#words", "everything about <b>Mallory</b>");
    browser.click("main form button");
    safe(&browser, "plan");
    at("/console/consents");
    browser.fill("#purpose", "<b>because</b> \u{202e}esrever");
    browser.click("main form button");
    safe(&browser, "consents");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
