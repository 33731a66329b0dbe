//! The page of those who run it: every part is there, by number, and nothing that anybody remembers.

use crate::browser::{Browser, rules};
use crate::pages::keep;
use crate::visit::{House, press, shows};

const PARTS: [&str; 9] = [
    "This node",
    "Vaults",
    "Keys and epochs",
    "Receipts",
    "Ends of audit chains",
    "Jobs",
    "Open requests of people",
    "Full backups that have not expired",
    "Requests since the start",
];

/// Two people, one of them with a receipt, a request that is open, and an administrator.
fn house() -> (House, String) {
    let house = House::with_life();
    house.home.run(&["remember", "Ben keeps bees.", "--as", "ben"]).ok();
    house.home.run(&["forget", "everything about the orchid", "--yes"]).ok();
    house.home.run(&["jobs", "run", "sweep"]).ok();
    let boss = house.home.token("boss", "admin", &[])["secret"].as_str().unwrap().to_owned();
    (house, boss)
}

#[test]
fn the_operators_page_has_every_part_by_number_and_no_content() {
    let (house, boss) = house();
    let visit = house.visit_by(&boss);
    let page = visit.get("/console/operate").text();
    for part in PARTS {
        assert!(page.contains(&format!(">{part}</h2>")), "{part}: {page}");
    }
    assert!(
        page.contains("DEL-") && page.contains("Epoch keys") && page.contains("Versions of the master key")
    );
    assert_eq!(
        page.matches("<svg class=\"bars\"").count(),
        4,
        "vaults, and requests by route, answer and time"
    );
    let counted = visit.post("/console/operate", "").text();
    assert!(
        counted.contains("Memories by kind of vault") && counted.contains("Memories by state"),
        "{counted}"
    );
    for page in [page, counted] {
        for content in ["bees", "orchid", "Maria", "anna", "ben<"] {
            assert!(!page.contains(content), "{content}");
        }
    }
}

#[test]
fn an_administrator_reads_the_page_in_a_browser() {
    let Some(folder) = rules() else { return };
    let rules = std::fs::read_to_string(folder.join("axe.min.js")).unwrap();
    let (house, boss) = house();
    let browser = Browser::start("en");
    browser.resize(1_280, 900);
    browser.go(&format!("{}/", house.server.url));
    browser.fill("#token", &boss);
    press(&browser, "Sign in");
    browser.go(&format!("{}/console/operate", house.server.url));
    PARTS.iter().for_each(|part| shows(&browser, part));
    press(&browser, "Count the memories");
    shows(&browser, "Memories by kind of vault");
    let barriers = browser.barriers(&rules);
    assert!(barriers.is_empty(), "{barriers:#?}");
    keep(&browser, "console-operate-counted");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
