//! A passphrase of the person over their vault, on its page: set, unlocked, locked, changed, recovered, taken away.

use crate::browser::{Browser, rules};
use crate::pages::keep;
use crate::support::Answer;
use crate::visit::{House, Visit, press, shows};

const PAGE: &str = "/console/protection";
const PASSPHRASE: &str = "orchid ferry lantern walnut";
const OTHER: &str = "granite sparrow velvet canoe";

fn house() -> House {
    let house = House::empty();
    house.home.remember("The spare key is under the third stone.");
    house
}

fn coded(text: &str) -> String {
    text.replace(' ', "+")
}

/// Sends a form of the page; no page repeats a secret.
fn sent(visit: &Visit<'_>, fields: &str) -> Answer {
    let answer = visit.post(PAGE, fields);
    for secret in [PASSPHRASE, OTHER] {
        assert!(!answer.text().contains(secret), "{fields}");
    }
    answer
}

/// The recovery code that a page shows.
fn code_on(page: &str) -> String {
    let after = page.split("<pre class=\"code\"><code>").nth(1).unwrap_or_else(|| panic!("{page}"));
    after.split('<').next().unwrap().to_owned()
}

fn new(passphrase: &str) -> String {
    format!("new={0}&again={0}", coded(passphrase))
}

#[test]
fn a_vault_is_protected_unlocked_changed_recovered_and_freed_on_its_page() {
    let house = house();
    let visit = house.visit();
    assert!(visit.get(PAGE).text().contains("has lost the vault"), "said beforehand");
    let mistakes = [
        (format!("do=protect&{}", new(PASSPHRASE)), "Please tick"),
        ("do=protect&understood=yes&new=orchid+ferry+lantern+walnut&again=orchid".to_owned(), "differ"),
        (format!("do=protect&understood=yes&{}", new("password123")), "easy to guess"),
    ];
    for (fields, told) in mistakes {
        let refused = sent(&visit, &fields);
        assert!(refused.status == 422 && refused.text().contains(told), "{fields}: {}", refused.text());
    }
    assert!(visit.get("/").text().contains("third stone"), "nothing was changed");

    let done = sent(&visit, &format!("do=protect&understood=yes&{}", new(PASSPHRASE)));
    assert_eq!(done.status, 200, "{}", done.text());
    let code = code_on(&done.text());
    assert_eq!(code.len(), 29, "{code}");
    // Every page of the vault is the one that unlocks it; whatever needs no vault goes on.
    for page in ["/", "/console/overview", "/console/review", "/console/consents", "/console/retention"] {
        let locked = visit.get(page);
        assert_eq!(locked.status, 423, "{page}");
        assert!(locked.text().contains("value=\"unlock\"") && !locked.text().contains("stone"), "{page}");
    }
    assert_eq!(visit.post("/console/search", "query=key").status, 423);
    assert_eq!(visit.get("/console/goodbye").status, 200);

    let wrong = sent(&visit, &format!("do=unlock&minutes=15&passphrase={}", coded(OTHER)));
    assert!(wrong.status == 403 && wrong.text().contains("does not open"), "{}", wrong.text());
    let odd = visit.post(PAGE, &format!("do=unlock&minutes=721&passphrase={}", coded(PASSPHRASE)));
    assert_eq!(odd.status, 422);
    let unlock = |passphrase: &str| {
        sent(&visit, &format!("do=unlock&minutes=15&passphrase={}", coded(passphrase))).status
    };
    assert_eq!(unlock(PASSPHRASE), 303);
    assert!(visit.get("/").text().contains("third stone"));
    assert!(visit.get(PAGE).text().contains("unlocked on this server until"));
    assert_eq!(sent(&visit, "do=lock").status, 200);
    assert_eq!(visit.get("/").status, 423);

    // The code sets another passphrase and is used up; so does the present passphrase.
    let recover = format!("do=change&recovery_code={code}&{}", new(OTHER));
    let second = sent(&visit, &recover);
    assert_ne!(code_on(&second.text()), code);
    assert_eq!(sent(&visit, &recover).status, 403);
    assert_eq!((unlock(PASSPHRASE), unlock(OTHER)), (403, 303));
    let changed = sent(&visit, &format!("do=change&passphrase={}&{}", coded(OTHER), new(PASSPHRASE)));
    assert_eq!(changed.status, 200);
    assert_eq!((visit.get("/").status, unlock(PASSPHRASE)), (423, 303));
    assert_eq!(sent(&visit, &format!("do=remove&passphrase={}", coded(OTHER))).status, 403);
    let freed = sent(&visit, &format!("do=remove&passphrase={}", coded(PASSPHRASE)));
    assert!(freed.status == 200 && freed.text().contains("no passphrase any more"));
    assert!(visit.get("/").text().contains("third stone"));
    assert_eq!(visit.post(PAGE, "do=explode").status, 422);
}

#[test]
fn after_too_many_wrong_tries_the_page_asks_to_wait() {
    let house = house();
    let visit = house.visit();
    assert_eq!(sent(&visit, &format!("do=protect&understood=yes&{}", new(PASSPHRASE))).status, 200);
    for _ in 0..5 {
        assert_eq!(visit.post(PAGE, "do=unlock&minutes=15&passphrase=wrong").status, 403);
    }
    let waits = sent(&visit, &format!("do=unlock&minutes=15&passphrase={}", coded(PASSPHRASE)));
    assert!(waits.status == 429 && waits.text().contains("Wait a while"), "{}", waits.text());
}

#[test]
fn somebody_locks_their_vault_in_a_browser_and_opens_it_again() {
    let Some(folder) = rules() else { return };
    let rules = std::fs::read_to_string(folder.join("axe.min.js")).unwrap();
    let house = house();
    let browser = Browser::start("en");
    let fits = |name: &str| {
        let barriers = browser.barriers(&rules);
        assert!(barriers.is_empty(), "{name}: {barriers:#?}");
        keep(&browser, &format!("console-{name}"));
    };
    house.enter(&browser);
    press(&browser, "Passphrase");
    shows(&browser, "could open it too");
    fits("protection");
    browser.fill("#new", PASSPHRASE);
    browser.fill("#again", PASSPHRASE);
    browser.click("input[name=understood]");
    press(&browser, "Put my vault under it");
    shows(&browser, "Write this code down now");
    fits("recovery-code");
    press(&browser, "My memory");
    shows(&browser, "Your vault is locked");
    fits("locked");
    browser.fill("#passphrase", PASSPHRASE);
    press(&browser, "Unlock");
    shows(&browser, "third stone");
    press(&browser, "Passphrase");
    shows(&browser, "It is unlocked on this server until");
    fits("unlocked");
    press(&browser, "Lock it now");
    shows(&browser, "Your vault is locked.");
    assert!(!browser.url().contains("orchid"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
