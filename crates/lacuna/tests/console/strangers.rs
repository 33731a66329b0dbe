//! Strangers in a real browser: thieves of links, second browsers, rebound names, other users, administrators, and
//! whoever comes to a screen that its owner has left.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use crate::browser::{Browser, rules};
use crate::support::Home;
use crate::visit::{House, press, shows};

const SECRET: &str = "The orchid in the kitchen wants water on Tuesdays.";

fn house(home: Home) -> House {
    let house = House::at(home);
    house.home.remember(SECRET);
    house
}

#[track_caller]
fn shows_only_the_entrance(browser: &Browser) {
    shows(browser, "Sign in");
    assert!(!browser.text().contains("orchid"), "{}", browser.text());
}

#[test]
fn a_stolen_link_and_a_second_browser_see_the_entrance() {
    if rules().is_none() {
        return;
    }
    let house = house(Home::new());
    let (owner, thief) = (Browser::start("en"), Browser::start("en"));
    let link = house.link();
    owner.go(&link);
    shows(&owner, "orchid");
    thief.go(&link);
    shows(&thief, "This link was used already");
    shows_only_the_entrance(&thief);
    for path in ["/", "/console/overview", "/console/access", "/console/receipts"] {
        thief.go(&format!("{}{path}", house.server.url));
        shows_only_the_entrance(&thief);
    }
    // The thief's copy of a page's form carries a key of another visit.
    assert_eq!(owner.run("return document.cookie"), "", "no script reads the cookie");
    // Signing out leaves nothing behind, not even with the back button.
    press(&owner, "Sign out");
    shows_only_the_entrance(&owner);
    owner.run("history.back()");
    std::thread::sleep(Duration::from_millis(500));
    shows_only_the_entrance(&owner);
}

#[test]
fn a_name_that_was_rebound_to_this_machine_shows_nothing() {
    if rules().is_none() {
        return;
    }
    let house = house(Home::new());
    let browser = Browser::start_with("en", &["--host-resolver-rules=MAP evil.example 127.0.0.1"]);
    house.enter(&browser);
    shows(&browser, "orchid");
    for path in ["/", "/console/sign-in", "/console/overview", "/docs", "/v1/memories"] {
        browser.go(&format!("http://evil.example:{}{path}", house.server.port()));
        let text = browser.text();
        assert!(!text.contains("orchid") && !text.contains("Token"), "{path}: {text}");
        assert_eq!(browser.run("return document.forms.length"), 0, "{path}");
    }
    let link = house.link().replace("127.0.0.1", "evil.example");
    browser.go(&link);
    assert!(!browser.text().contains("Welcome") && !browser.text().contains("orchid"));
    // The link was not used up by it.
    browser.go(&link.replace("evil.example", "127.0.0.1"));
    shows(&browser, "orchid");
}

#[test]
fn another_user_and_an_administrator_see_their_own_pages() {
    if rules().is_none() {
        return;
    }
    let house = house(Home::new());
    let id = house.home.remember("My dentist is Dr. Weiss in the Lindengasse.");
    for (user, role) in [("ben", "user"), ("boss", "admin")] {
        let token = house.home.token(user, role, &[]);
        let browser = Browser::start("en");
        let at = |path: &str| browser.go(&format!("{}{path}", house.server.url));
        at("/");
        browser.fill("#token", token["secret"].as_str().unwrap());
        press(&browser, "Sign in");
        shows(&browser, "Sign out");
        for path in ["/", "/console/overview", "/console/access", "/console/operate"] {
            at(path);
            let text = browser.text();
            assert!(
                !text.contains("orchid") && !text.contains("Weiss") && !text.contains("anna"),
                "{user} {path}: {text}"
            );
        }
        at(&format!("/console/memories/{id}"));
        assert!(!browser.text().contains("Weiss"), "{user}");
        at("/");
        assert!(!browser.url().contains(token["secret"].as_str().unwrap()));
    }
}

#[test]
fn a_screen_that_its_owner_left_gives_way_to_the_entrance() {
    if rules().is_none() {
        return;
    }
    let house = house(Home::new().with("LACUNA_CONSOLE_IDLE_SECONDS", "3"));
    let browser = Browser::start("en");
    house.enter(&browser);
    shows(&browser, "orchid");
    for _ in 0..3 {
        std::thread::sleep(Duration::from_secs(2));
        browser.go(&format!("{}/", house.server.url));
        shows(&browser, "orchid");
    }
    // Nobody clicks: the page goes by itself, and its cookie opens nothing any more.
    shows(&browser, "Run this command in a terminal");
    assert!(browser.url().ends_with("/console/sign-in"), "{}", browser.url());
    browser.go(&format!("{}/", house.server.url));
    shows_only_the_entrance(&browser);
    let refused = Home::new().with("LACUNA_CONSOLE_IDLE_SECONDS", "0").run(&["config", "check"]);
    assert_eq!(refused.code, 7, "{}", refused.stderr);
}

/// Lets a client that calls itself `name` ask its question over MCP, on standard input and output.
fn asked_over_mcp(home: &Home, name: &str, question: &str) {
    let mut child = home.command(&["mcp"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": name, "version": "1"}}});
    let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let asked = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "recall", "arguments": {"query": question}}});
    writeln!(input, "{hello}").unwrap();
    output.next().unwrap().unwrap();
    writeln!(input, "{begun}\n{asked}").unwrap();
    assert!(output.next().unwrap().unwrap().contains("flight"), "the question was answered");
    drop(input);
    child.wait().unwrap();
}

#[test]
fn the_log_names_an_assistant_and_the_topics_that_it_read() {
    let house = House::empty();
    for text in ["The flight to Lisbon leaves at 7:40.", "The flight home is on Sunday."] {
        house.home.run(&["remember", text, "--tag", "travel"]).ok();
    }
    asked_over_mcp(&house.home, "claude-code", "when is the flight?");
    asked_over_mcp(&house.home, "<b>evil</b>", "when is the flight?");
    let visit = house.visit();
    let page = visit.get("/console/access").text();
    assert!(page.contains("<strong>Claude Code</strong> read 2 memories about travel"), "{page}");
    assert!(page.contains("<strong>bevilb</strong> read") && !page.contains("<b>"), "{page}");
    // What was forgotten since tells no topic any more.
    house.home.run(&["forget", "--tag", "travel", "--yes"]).ok();
    let later = visit.get("/console/access").text();
    assert!(later.contains("Claude Code") && !later.contains("travel"), "{later}");
}
