//! Isolation: other people, administrators, thieves of links, other browsers, other names and other pages see nothing.

use crate::support::Home;
use crate::visit::{House, cookie_of};

const SECRET: &str = "The orchid in the kitchen wants water on Tuesdays.";
const PAGES: [&str; 15] = [
    "/",
    "/console/overview",
    "/console/forget",
    "/console/ask",
    "/console/receipts",
    "/console/receipts/1",
    "/console/receipts/1/file",
    "/console/review",
    "/console/review/month",
    "/console/consents",
    "/console/retention",
    "/console/access",
    "/console/protection",
    "/console/goodbye",
    "/console/operate",
];
const FORMS: [&str; 14] = [
    "/console/memories",
    "/console/search",
    "/console/forget",
    "/console/forget/confirm",
    "/console/ask",
    "/console/review",
    "/console/consents",
    "/console/retention",
    "/console/goodbye/export",
    "/console/goodbye/plan",
    "/console/goodbye/destroy",
    "/console/language",
    "/console/protection",
    "/console/operate",
];

fn house() -> House {
    let house = House::empty();
    house.home.remember(SECRET);
    house
}

#[test]
fn without_a_visit_every_page_is_the_entrance_and_every_form_is_refused() {
    let house = house();
    for page in PAGES {
        for cookie in ["", "lacuna_0=x", &format!("lacuna_{}={}", house.server.port(), "0".repeat(64))] {
            let answer = house.server.send("GET", page, &[("cookie", cookie)], b"");
            assert_eq!(answer.status, 401, "{page}");
            assert!(answer.text().contains("lacuna open") && !answer.text().contains("orchid"), "{page}");
            assert_eq!(answer.header("cache-control"), Some("no-store"));
        }
    }
    for form in FORMS {
        let answer = house.server.send("POST", form, &house.form_headers(""), b"query=orchid");
        assert_eq!(answer.status, 401, "{form}");
        assert!(!answer.text().contains("Tuesdays"), "{form}");
    }
}

#[test]
fn a_link_works_once_and_a_second_browser_gets_nothing_from_it() {
    let house = house();
    let path = house.link_path();
    let first = house.server.get(&path);
    assert_eq!(first.status, 200);
    let cookie = first.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && !cookie.contains("Max-Age"));
    assert!(!cookie.contains("Secure"), "loopback has no TLS");
    for _ in 0..2 {
        let stolen = house.server.get(&path);
        assert_eq!(stolen.status, 403);
        assert!(stolen.header("set-cookie").is_none() && !stolen.text().contains("orchid"));
    }
    let signed_in = house.server.send("GET", "/", &[("cookie", &cookie_of(&first))], b"");
    assert!(signed_in.text().contains("orchid"));

    let forged = format!("{}0", &path[..path.len() - 1]);
    let cases = [forged, path.to_uppercase(), "/console/enter/in_".to_owned(), "/console/enter/x".to_owned()];
    for path in cases {
        let answer = house.server.get(&path);
        assert!(matches!(answer.status, 403 | 404), "{path}: {}", answer.status);
        assert!(answer.header("set-cookie").is_none());
    }
    let elsewhere = Home::new();
    let other = elsewhere.serve(&[]);
    assert_eq!(other.get(&house.link_path()).status, 403, "a link of another installation");
}

#[test]
fn a_link_that_was_made_before_the_server_is_refused() {
    let house = house();
    let path = house.link_path();
    let House { home, server } = house;
    assert_eq!(server.stop(), 0);
    let again = home.serve(&[]);
    assert_eq!(again.get(&path).status, 403, "the server before may have taken it");
}

#[test]
fn other_users_and_administrators_see_nothing_of_somebodys_memory() {
    let house = house();
    let id = house.home.remember("My dentist is Dr. Weiss in the Lindengasse.");
    let ben = house.home.token("ben", "user", &[]);
    let boss = house.home.token("boss", "admin", &[]);
    let visits = [&ben, &boss].map(|token| house.visit_by(token["secret"].as_str().unwrap()));
    for visit in &visits {
        for page in PAGES.iter().map(ToString::to_string).chain([format!("/console/memories/{id}")]) {
            let answer = visit.get(&page);
            assert!(!answer.text().contains("orchid") && !answer.text().contains("Weiss"), "{page}");
        }
        let search = visit.post("/console/search", "query=dentist");
        assert!(!search.text().contains("Weiss"));
        for what in ["hide", "pin", "archive", "restore"] {
            let acted = visit.post(&format!("/console/memories/{id}/act"), &format!("do={what}"));
            assert!(matches!(acted.status, 403 | 404), "{what}: {}", acted.status);
        }
        let planned = visit.post("/console/forget", &format!("ids={id}"));
        assert!(!planned.text().contains("Weiss"), "{}", planned.status);
    }
    let [ben, boss] = &visits;
    assert_eq!(ben.get("/console/operate").status, 403);
    let operate = boss.get("/console/operate");
    assert_eq!(operate.status, 200);
    assert!(!operate.text().contains("anna"), "an administrator sees counts");
    assert_eq!(house.visit().get(&format!("/console/memories/{id}")).status, 200, "it is still there");
}

#[test]
fn a_revoked_token_ends_its_visit_at_once() {
    let house = house();
    let token = house.home.token("ben", "user", &[]);
    let visit = house.visit_by(token["secret"].as_str().unwrap());
    assert_eq!(visit.get("/").status, 200);
    house.home.run(&["token", "revoke", token["token_id"].as_str().unwrap()]).ok();
    assert_eq!(visit.get("/").status, 401);
}

#[test]
fn forms_of_other_pages_other_visits_and_other_names_are_refused() {
    let house = house();
    let (visit, other) = (house.visit(), house.visit());
    let body = format!("form_key={}&query=orchid", visit.form_key());
    let cookie = visit.cookie.as_str();
    let kind = ("content-type", "application/x-www-form-urlencoded");
    let send = |headers: &[(&str, &str)], body: &str| {
        let answer = house.server.send("POST", "/console/search", headers, body.as_bytes());
        assert!(answer.status == 200 || !answer.text().contains("Tuesdays"));
        answer.status
    };
    let own = house.server.url.as_str();
    assert_eq!(send(&[kind, ("cookie", cookie), ("origin", own)], &body), 200);
    let port: u16 = house.server.port().parse().unwrap();
    let neighbour = format!("http://127.0.0.1:{}", port ^ 1);
    for origin in ["https://evil.example", "null", neighbour.as_str(), ""] {
        assert_eq!(send(&[kind, ("cookie", cookie), ("origin", origin)], &body), 403, "{origin}");
    }
    assert_eq!(send(&[kind, ("cookie", cookie)], &body), 403, "no origin");
    let fetched = [kind, ("cookie", cookie), ("origin", own), ("sec-fetch-site", "same-site")];
    assert_eq!(send(&fetched, &body), 403, "a page of another port");
    assert_eq!(send(&[kind, ("cookie", cookie), ("origin", own)], "query=orchid"), 403, "no key");
    let stolen = format!("form_key={}&query=orchid", other.form_key());
    assert_eq!(send(&[kind, ("cookie", cookie), ("origin", own)], &stolen), 403, "the key of another visit");

    let rebound = house.server.send("GET", "/", &[("cookie", cookie), ("host", "evil.example")], b"");
    assert_eq!(rebound.status, 421);
    assert!(!rebound.text().contains("orchid"));
    let rebound = house.server.send("GET", "/console/sign-in", &[("host", "evil.example")], b"");
    assert_eq!(rebound.status, 421);
}

#[test]
fn pages_carry_the_headers_that_keep_them_private() {
    let house = house();
    let visit = house.visit();
    for page in PAGES {
        let answer = visit.get(page);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{page}: {policy}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{page}");
        assert_eq!(answer.header("referrer-policy"), Some("same-origin"), "{page}");
        assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{page}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{page}");
        let text = answer.text();
        assert!(
            !text.contains(" style=") && !text.contains(" onclick=") && !text.contains("http://www"),
            "{page}"
        );
    }
    let out = visit.post("/console/sign-out", "");
    assert_eq!(out.status, 303);
    assert_eq!(visit.get("/").status, 401);
}
