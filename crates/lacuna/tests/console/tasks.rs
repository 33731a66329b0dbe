//! Ten tasks of a new user, by the pages and by the command line. The numbers of clicks and commands are those that
//! `docs/console.md` tells.

use std::cell::Cell;
use std::path::Path;

use crate::browser::{Browser, rules};
use crate::support::Home;
use crate::visit::{House, press, shows};

/// The table of the page: a task, its clicks, its commands.
fn told() -> Vec<(String, usize, usize)> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/console.md");
    let text = std::fs::read_to_string(page).unwrap();
    let table = text.split("## Ten tasks").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| task"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        (cells[1].to_owned(), cells[2].parse().unwrap(), cells[3].parse().unwrap())
    })
    .collect()
}

/// A browser whose clicks are counted.
struct Counted<'a> {
    browser: &'a Browser,
    clicks: Cell<usize>,
}

impl Counted<'_> {
    fn press(&self, words: &str) {
        press(self.browser, words);
        self.clicks.set(self.clicks.get() + 1);
    }

    fn click(&self, selector: &str) {
        self.browser.click(selector);
        self.clicks.set(self.clicks.get() + 1);
    }

    /// The clicks since the last count.
    fn count(&self) -> usize {
        self.clicks.replace(0)
    }
}

#[test]
fn ten_tasks_take_as_many_clicks_as_the_page_says() {
    if rules().is_none() {
        return;
    }
    let house = House::with_life();
    let browser = Browser::start("en");
    house.enter(&browser);
    let counted = Counted { browser: &browser, clicks: Cell::new(0) };
    let start = || browser.go(&format!("{}/", house.server.url));
    let mut done = Vec::new();

    browser.fill("#query", "when do I water the orchid?");
    counted.click("form.search button");
    shows(&browser, "orchid");
    done.push(("find", counted.count()));

    start();
    counted.press("The orchid in the kitchen");
    counted.press("Correct");
    browser.fill("#text", "The orchid in the kitchen wants water on Fridays.");
    counted.press("Put it right");
    shows(&browser, "It is corrected");
    done.push(("correct", counted.count()));

    start();
    counted.press("Forget");
    browser.fill("#words", "everything about my dentist");
    counted.press("Show the plan");
    counted.press("Forget what is ticked");
    shows(&browser, "Keys destroyed: ");
    done.push(("forget a topic", counted.count()));

    start();
    counted.press("Receipts");
    counted.click("main table a");
    counted.press("Verify in this browser");
    shows(&browser, "The receipt holds");
    done.push(("verify a receipt", counted.count()));

    start();
    counted.press("Who read what");
    shows(&browser, "read");
    done.push(("see who read", counted.count()));

    start();
    counted.press("Consents");
    counted.click("main form button");
    shows(&browser, "Noted");
    done.push(("consent", counted.count()));

    start();
    counted.press("Export and goodbye");
    counted.click("form[action='/console/goodbye/export'] button");
    let file: serde_json::Value = serde_json::from_slice(&browser.downloaded("json")).unwrap();
    assert!(file.to_string().contains("coffee black"), "{file}");
    done.push(("export", counted.count()));

    start();
    press(&browser, "I prefer the window seat");
    press(&browser, "Hide");
    shows(&browser, "It is hidden");
    counted.press("Filters");
    counted.click("#state option[value=deleted]");
    counted.press("Show");
    counted.press("Restore");
    shows(&browser, "Where it comes from");
    done.push(("restore a hidden one", counted.count()));

    start();
    counted.press("I take my coffee black");
    counted.press("Pin");
    shows(&browser, "pinned");
    done.push(("pin", counted.count()));

    start();
    counted.press("Export and goodbye");
    counted.click("form.danger-zone button");
    browser.fill("#name", "anna");
    counted.click("form.danger-zone button");
    shows(&browser, "Everything is destroyed");
    done.push(("destroy everything", counted.count()));

    let told: Vec<(String, usize)> = told().into_iter().map(|(task, clicks, _)| (task, clicks)).collect();
    let done: Vec<(String, usize)> =
        done.into_iter().map(|(task, clicks)| (task.to_owned(), clicks)).collect();
    assert_eq!(done, told);
}

#[test]
fn ten_tasks_take_as_many_commands_as_the_page_says() {
    let house = House::with_life();
    let home = &house.home;
    let commands = Cell::new(0);
    let run = |args: &[&str]| {
        commands.set(commands.get() + 1);
        home.run(args).ok().stdout
    };
    let mut done: Vec<(String, usize)> = Vec::new();
    let mut end = |task: &str| done.push((task.to_owned(), commands.replace(0)));

    assert!(run(&["search", "when do I water the orchid?"]).contains("Tuesdays"));
    end("find");
    run(&["correct", "watering the orchid", "The orchid in the kitchen wants water on Fridays."]);
    end("correct");
    assert!(run(&["forget", "everything about my dentist", "--yes"]).contains("receipt DEL-"));
    end("forget a topic");
    let file = home.path("receipt.json");
    std::fs::write(&file, run(&["receipt", "show", "2", "--json"])).unwrap();
    assert!(run(&["receipt", "verify", file.to_str().unwrap()]).contains("holds"));
    end("verify a receipt");
    assert!(run(&["audit", "list"]).contains("read"));
    end("see who read");
    run(&["consent", "give", "health"]);
    end("consent");
    run(&["export", home.path("mine.json").to_str().unwrap()]);
    end("export");
    hide_one(home);
    let listed = run(&["list", "--state", "deleted"]);
    let id = listed.lines().nth(1).unwrap().split_whitespace().last().unwrap().to_owned();
    assert!(run(&["memory", "state", &id, "--to", "active"]).contains("1 memory is now active"));
    end("restore a hidden one");
    let found = run(&["search", "how do I take my coffee?"]);
    let id = found.lines().find(|line| line.contains("coffee")).unwrap().split_whitespace().last().unwrap();
    assert!(run(&["memory", "pin", id]).contains("1 memory is pinned"));
    end("pin");
    assert!(run(&["destroy", "--yes"]).contains("destroyed"));
    end("destroy everything");

    let told: Vec<(String, usize)> = told().into_iter().map(|(task, _, commands)| (task, commands)).collect();
    assert_eq!(done, told);
}

fn hide_one(home: &Home) {
    let listed = home.json(&["list", "--tag", "food"]);
    let id = listed["memories"][0]["memory_id"].as_str().unwrap().to_owned();
    home.run(&["memory", "state", &id, "--to", "deleted"]).ok();
}
