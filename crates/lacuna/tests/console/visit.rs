//! A home with memories, its server, and a person who is signed in.

use std::fs;
use std::time::Duration;

use serde_json::json;

use crate::browser::Browser;
use crate::support::{Answer, Home, Server};

/// Times that a page is looked at for words, and the pause between.
const LOOKS_MAX: u32 = 100;
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Clicks a link or a button by its words, once the page has it.
pub(crate) fn press(browser: &Browser, words: &str) {
    let script = format!(
        "const all = [...document.querySelectorAll('main a, main button, main summary, header button, .side a')];
         const found = all.find((one) => one.textContent.trim().startsWith({words:?}));
         if (!found) return false;
         document.querySelectorAll('[data-pressed]').forEach((one) => one.removeAttribute('data-pressed'));
         found.setAttribute('data-pressed', '');
         return true;"
    );
    let found = (0..LOOKS_MAX).any(|look| {
        std::thread::sleep(LOOK_EVERY * look.min(1));
        browser.run(&script) == true
    });
    assert!(found, "no {words:?} on {}\n{}", browser.url(), browser.text());
    browser.click("[data-pressed]");
}

/// Waits until the page shows these words.
#[track_caller]
pub(crate) fn shows(browser: &Browser, words: &str) {
    let shown = (0..LOOKS_MAX).any(|look| {
        // A form without a script may still be on its way.
        std::thread::sleep(LOOK_EVERY * look.min(1));
        browser.text().contains(words)
    });
    assert!(shown, "{} does not show {words:?}:\n{}", browser.url(), browser.text());
}

/// Texts of an ordinary life, in the form of a batch.
const LIFE: [(&str, &[&str]); 14] = [
    ("My sister Maria teaches physics at a school in Lisbon.", &["family"]),
    ("Maria and I plan to hike the Rota Vicentina in May.", &["family", "travel"]),
    ("The flight to Lisbon leaves Vienna on 3 May at 7:40.", &["travel"]),
    ("I take my coffee black, without sugar.", &["food"]),
    ("Tom from Norrland Timber owes me the signed offer for the barn roof.", &["work"]),
    ("Norrland Timber delivers on Thursdays only.", &["work"]),
    ("The orchid in the kitchen wants water on Tuesdays.", &["home"]),
    ("Our landlord is Mr. Okafor; he prefers letters to calls.", &["home"]),
    ("My dentist is Dr. Weiss in the Lindengasse.", &["appointments"]),
    ("Dr. Weiss moved the practice up to the first floor.", &["appointments"]),
    ("I prefer the window seat on trains.", &["travel"]),
    ("Tom and Maria met at my birthday in Graz.", &["family"]),
    ("For slides I use the template with the grey bar.", &["work"]),
    ("The spare key is with Mrs. Lindqvist on the second floor.", &["home"]),
];

/// A server on a home, with the memories of somebody in it.
pub(crate) struct House {
    pub(crate) home: Home,
    pub(crate) server: Server,
}

impl House {
    pub(crate) fn with_life() -> Self {
        let house = Self::empty();
        let lines: Vec<String> =
            LIFE.iter().map(|(text, tags)| json!({"content": text, "tags": tags}).to_string()).collect();
        house.remember(&lines);
        house
    }

    pub(crate) fn empty() -> Self {
        Self::at(Home::new())
    }

    /// A server on a home with settings of its own.
    pub(crate) fn at(home: Home) -> Self {
        let server = home.serve(&[]);
        Self { home, server }
    }

    /// Stores the lines of a batch.
    pub(crate) fn remember(&self, lines: &[String]) {
        let file = self.home.path("batch.jsonl");
        fs::write(&file, lines.join("\n")).unwrap();
        self.home.run(&["remember", "--batch", file.to_str().unwrap(), "--json"]).ok();
    }

    /// A link that signs the local user in.
    pub(crate) fn link(&self) -> String {
        let home = &self.home;
        let args = ["open", "--no-browser", "--json"];
        let mut command = home.command(&args);
        command.env("LACUNA_LISTEN", self.server.authority());
        let output = command.output().unwrap();
        let told: serde_json::Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        told["link"].as_str().unwrap().to_owned()
    }

    /// The path of a link.
    pub(crate) fn link_path(&self) -> String {
        self.link().strip_prefix(&self.server.url).unwrap().to_owned()
    }

    pub(crate) fn enter(&self, browser: &Browser) {
        browser.resize(1_280, 900);
        browser.go(&self.link());
        browser.go(&format!("{}/", self.server.url));
    }

    /// A visit over plain HTTP, as the local user.
    pub(crate) fn visit(&self) -> Visit<'_> {
        let answer = self.server.get(&self.link_path());
        assert_eq!(answer.status, 200, "{}", answer.text());
        Visit { server: &self.server, cookie: cookie_of(&answer) }
    }

    /// A visit over plain HTTP, by a token.
    pub(crate) fn visit_by(&self, token: &str) -> Visit<'_> {
        let body = format!("token={token}");
        let answer = self.server.send("POST", "/console/sign-in", &self.form_headers(""), body.as_bytes());
        assert_eq!(answer.status, 303, "{}", answer.text());
        Visit { server: &self.server, cookie: cookie_of(&answer) }
    }

    pub(crate) fn form_headers<'a>(&'a self, cookie: &'a str) -> [(&'a str, &'a str); 4] {
        [
            ("content-type", "application/x-www-form-urlencoded"),
            ("origin", &self.server.url),
            ("sec-fetch-site", "same-origin"),
            ("cookie", cookie),
        ]
    }
}

/// Name and value of the cookie that an answer sets.
pub(crate) fn cookie_of(answer: &Answer) -> String {
    let cookie = answer.header("set-cookie").expect("a cookie");
    cookie.split(';').next().unwrap().to_owned()
}

/// Somebody who is signed in.
pub(crate) struct Visit<'a> {
    server: &'a Server,
    pub(crate) cookie: String,
}

impl Visit<'_> {
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.server.send("GET", path, &[("cookie", &self.cookie)], b"")
    }

    /// The key that forms of this visit carry.
    pub(crate) fn form_key(&self) -> String {
        let page = self.get("/console/forget").text();
        let after = page.split("name=\"form_key\" value=\"").nth(1).unwrap_or_else(|| panic!("{page}"));
        after.split('"').next().unwrap().to_owned()
    }

    /// Sends a form as a page of this visit does.
    pub(crate) fn post(&self, path: &str, fields: &str) -> Answer {
        let body = format!("form_key={}&{fields}", self.form_key());
        let headers = [
            ("content-type", "application/x-www-form-urlencoded"),
            ("origin", self.server.url.as_str()),
            ("cookie", &self.cookie),
        ];
        self.server.send("POST", path, &headers, body.as_bytes())
    }
}
