//! The documents as pages: found, searched, read without scripts, and safe to look at.

use crate::browser::{Browser, rules};
use crate::support::Home;
use crate::visit::{House, press, shows};

#[test]
fn the_documents_are_read_searched_and_followed_in_a_browser() {
    let Some(folder) = rules() else { return };
    let rules = std::fs::read_to_string(folder.join("axe.min.js")).unwrap();
    let house = House::empty();
    let browser = Browser::start("en");
    let at = |path: &str| browser.go(&format!("{}{path}", house.server.url));
    let fits = |page: &str| {
        // The reference has every operation on one page: its list and its first operation stand for the others.
        let parts: &[&str] = if page == "/docs/api" { &["nav", "section.operation"] } else { &["html"] };
        for part in parts {
            assert_eq!(browser.barriers_in(&rules, part), Vec::<String>::new(), "{page}");
        }
        let wide = browser.run("const d = document.documentElement; return d.scrollWidth - d.clientWidth");
        assert!(wide.as_i64().unwrap() <= 0, "{page} is {wide} pixels too wide");
    };
    for (scheme, width) in [("light", 1_280), ("dark", 360)] {
        browser.scheme(scheme);
        browser.resize(width, 900);
        for page in
            ["/docs", "/docs/get-started", "/docs/console", "/docs/forgetting", "/docs/errors", "/docs/api"]
        {
            at(page);
            fits(page);
            crate::pages::keep(
                &browser,
                &format!("docs{}-{scheme}", page.trim_start_matches("/docs").replace('/', "-")),
            );
        }
    }
    browser.resize(1_280, 900);
    at("/docs");
    let first: Vec<String> = browser
        .run("return [...document.querySelectorAll('main h2')].slice(0, 3).map((one) => one.textContent)")
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.as_str().unwrap().to_owned())
        .collect();
    assert_eq!(first, ["Remember", "Recall", "Forget"]);

    // Everything of it needs no script, and the question is in no address.
    browser.scripts(false);
    browser.fill(".side input[type=search]", "verify a receipt");
    browser.click(".side .doc-search input");
    browser.scripts(true);
    browser.run("document.querySelector('.side .doc-search').requestSubmit()");
    shows(&browser, "Forgetting");
    assert!(browser.url().ends_with("/docs/search"), "{}", browser.url());
    fits("search");
    crate::pages::keep(&browser, "docs-search");
    browser.click(".found-sections a");
    assert!(browser.url().contains("/docs/"), "{}", browser.url());
    at("/docs/console");
    let shown = "return [...document.querySelectorAll('main img')].every((one) => one.complete && one.naturalWidth > 0)";
    assert_eq!(browser.run(shown), true, "pictures load");
    assert_eq!(browser.complaints(), Vec::<String>::new());

    // From the console to the documents and back.
    house.enter(&browser);
    browser.click("header a[href='/docs']");
    shows(&browser, "Three words are enough");
    press(&browser, "Get started");
    shows(&browser, "The first memory");
}

#[test]
fn documents_are_public_and_hold_nothing_of_anybody() {
    let house = House::empty();
    house.home.remember("The orchid in the kitchen wants water on Tuesdays.");
    for path in ["/docs", "/docs/http", "/docs/images/console-plan.png", "/docs/api"] {
        let answer = house.server.get(path);
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.header("set-cookie").is_none() && answer.header("refresh").is_none(), "{path}");
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
    }
    let own = house.form_headers("");
    let found = house.server.send("POST", "/docs/search", &own, b"question=orchid+%3Cscript%3E");
    assert_eq!(found.status, 200);
    assert!(!found.text().contains("Tuesdays") && found.text().contains("orchid &lt;script&gt;"));
    assert_eq!(house.server.send("POST", "/docs/search", &[], b"question=x").status, 403, "no origin");
    for path in ["/docs/none", "/docs/..%2f..%2fetc%2fpasswd", "/docs/images/none.png", "/docs/images/..%2fx"]
    {
        assert_eq!(house.server.get(path).status, 404, "{path}");
    }
    let rebound = house.server.send("GET", "/docs", &[("host", "evil.example")], b"");
    assert_eq!(rebound.status, 421);
    // They are read where no token is at hand as well.
    let guarded = Home::new();
    guarded.token("anna", "user", &[]);
    assert_eq!(guarded.serve(&[]).get("/docs/get-started").status, 200);
}
