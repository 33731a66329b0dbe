//! The vault as files: what is written, who may read it, and how an edited line comes back.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;
use std::{fs, thread};

use serde_json::{Value, json};

use crate::support::Home;

const HEALTH: &str = "My doctor prescribed insulin for my diabetes.";

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// A home with a few memories, and the folder of a view on it.
fn home() -> (Home, String) {
    let home = Home::new();
    home.remember("The spare key hangs in the boat house.");
    home.remember("Our landlord is Marten Holloway.");
    home.json(&["remember", "I prefer short answers.", "--category", "preference"]);
    home.json(&["remember", HEALTH, "--consent", "explicit-consent"]);
    home.run(&["session", "append", "desk", "The printer is out of paper."]).ok();
    let folder = home.path("view").display().to_string();
    (home, folder)
}

fn page(folder: &str) -> String {
    fs::read_to_string(Path::new(folder).join("CLAUDE.md")).unwrap()
}

fn edit(folder: &str, from: &str, to: &str) {
    let page = page(folder);
    assert!(page.contains(from), "{page}");
    fs::write(Path::new(folder).join("CLAUDE.md"), page.replace(from, to)).unwrap();
}

/// The line of the page that says this, with its mark.
fn line_with(folder: &str, words: &str) -> String {
    page(folder).lines().find(|line| line.contains(words)).unwrap().to_owned() + "\n"
}

#[test]
fn a_view_is_readable_by_its_owner_alone_and_leaves_health_out() {
    let (home, folder) = home();
    let told = home.json(&["view", &folder]);
    assert_eq!((&told["memories"], &told["sessions"]), (&json!(3), &json!(1)));
    let path = Path::new(&folder);
    assert_eq!(mode(path), 0o700);
    for file in ["CLAUDE.md", "preferences.json", "sessions/desk.jsonl", ".lacuna-view.json"] {
        assert_eq!(mode(&path.join(file)), 0o600, "{file}");
    }
    assert!(page(&folder).contains("boat house") && !page(&folder).contains("insulin"));
    let preferences: Value =
        serde_json::from_str(&fs::read_to_string(path.join("preferences.json")).unwrap()).unwrap();
    assert_eq!(preferences["preferences"][0]["text"], json!("I prefer short answers."));
    assert!(preferences["values"].is_object(), "{preferences}");
    let turns = fs::read_to_string(path.join("sessions/desk.jsonl")).unwrap();
    assert!(turns.contains("out of paper") && turns.ends_with('\n'));
    let manifest = fs::read_to_string(path.join(".lacuna-view.json")).unwrap();
    assert!(!manifest.contains("boat") && !manifest.contains("Holloway"));
    let before = page(&folder);
    home.json(&["view", &folder]);
    assert_eq!(page(&folder), before, "the same vault makes the same page");
    home.json(&["view", &folder, "--include-health"]);
    assert!(page(&folder).contains("insulin"));

    home.json(&["view", &folder, "--remove"]);
    assert!(!path.exists());
    let other = home.path("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("CLAUDE.md"), "Somebody else's.").unwrap();
    let refused = home.run(&["view", other.to_str().unwrap(), "--json"]);
    assert_eq!(refused.problem()["code"], json!("invalid"));
}

/// The layout of seed 000's phase 0: /{org_id}/{user_id}/ with CLAUDE.md, preferences.json, sessions/ and exports/.
#[test]
fn several_vaults_share_a_folder_by_organisation_and_user_with_their_exports() {
    let (home, folder) = home();
    let told = home.json(&["view", &folder, "--by-user", "--export"]);
    let own = Path::new(&folder).join("local/anna");
    let export = own.join(told["exports"][0].as_str().unwrap());
    assert!(export.parent().unwrap().ends_with("exports"), "{told}");
    for file in ["CLAUDE.md", "preferences.json", "sessions/desk.jsonl"] {
        assert_eq!(mode(&own.join(file)), 0o600, "{file}");
    }
    assert_eq!(mode(&export), 0o600);
    let exported: Value = serde_json::from_str(&fs::read_to_string(&export).unwrap()).unwrap();
    assert!(exported.to_string().contains("boat house") && !exported.to_string().contains("insulin"));

    home.run(&["remember", "Ben keeps bees.", "--as", "ben"]).ok();
    home.json(&["view", &folder, "--by-user", "--as", "ben"]);
    let other = fs::read_to_string(Path::new(&folder).join("local/ben/CLAUDE.md")).unwrap();
    assert!(other.contains("bees") && !other.contains("boat house"), "{other}");

    // Forgetting leaves no copy behind, and an export is not kept for long.
    home.run(&["forget", "the boat house", "--yes"]).ok();
    assert!(!export.exists() && !page(own.to_str().unwrap()).contains("boat house"));
    let next = home.json(&["view", &folder, "--by-user", "--export"]);
    home.json(&["view", &folder, "--by-user"]);
    assert!(!own.join(next["exports"][0].as_str().unwrap()).exists());
    home.json(&["view", &folder, "--by-user", "--remove"]);
    assert!(!own.exists() && Path::new(&folder).join("local/ben").exists());
}

#[test]
fn a_deleted_line_is_forgotten_a_changed_one_corrected_and_only_after_a_yes() {
    let (home, folder) = home();
    home.json(&["view", &folder]);
    edit(&folder, &line_with(&folder, "Holloway"), "- The kettle is descaled in May.\n");
    edit(&folder, "hangs in the boat house", "hangs in the pantry");
    let wanted = home.json(&["view", &folder])["wanted"].clone();
    assert_eq!((wanted["forget"].as_array().unwrap().len(), &wanted["remember"]), (1, &json!(1)));
    assert_eq!(wanted["correct"].as_array().unwrap().len(), 1);
    let still = home.json(&["recall", "who is our landlord?"]);
    assert!(still.to_string().contains("Holloway"), "nothing happens without a yes");

    let told = home.json(&["view", &folder, "--apply"]);
    let applied = &told["applied"];
    assert_eq!((&applied["forgotten"], &applied["corrected"]), (&json!(1), &json!(1)), "{told}");
    assert_eq!(applied["remembered"], json!(1));
    assert_eq!(applied["receipts"].as_array().unwrap().len(), 2);
    assert!(!home.json(&["recall", "who is our landlord?"]).to_string().contains("Holloway"));
    let page = page(&folder);
    assert!(page.contains("pantry") && !page.contains("boat house") && page.contains("kettle"), "{page}");
}

#[test]
fn what_is_forgotten_elsewhere_leaves_the_files_and_an_edit_that_waits_stays() {
    let (home, folder) = home();
    home.json(&["view", &folder]);
    edit(&folder, "hangs in the boat house", "hangs in the pantry");
    home.run(&["forget", "everything about Marten Holloway", "--yes"]).ok();
    let edited = page(&folder);
    assert!(!edited.contains("Holloway") && edited.contains("pantry"), "{edited}");
    assert_eq!(home.json(&["view", &folder])["wanted"]["correct"].as_array().unwrap().len(), 1);
    home.json(&["view", &folder, "--apply"]);

    home.run(&["forget", "--session", "desk", "--yes"]).ok();
    assert!(!Path::new(&folder).join("sessions/desk.jsonl").exists());
    // A page that is gone asks for nothing: it is written again.
    fs::remove_file(Path::new(&folder).join("CLAUDE.md")).unwrap();
    home.json(&["view", &folder]);
    assert!(page(&folder).contains("pantry"));
}

/// How often and how many times a file is looked at before it is taken for unchanged.
const LOOK_EVERY: Duration = Duration::from_millis(250);
const LOOKS_MAX: usize = 480;

/// A command that is stopped when the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[track_caller]
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let came = (0..LOOKS_MAX).any(|_| {
        let came = holds();
        if !came {
            thread::sleep(LOOK_EVERY);
        }
        came
    });
    assert!(came, "{what}");
}

#[test]
fn a_watched_folder_follows_the_vault_and_the_vault_follows_its_lines() {
    let (home, folder) = home();
    let mut watch = home.command(&["view", &folder, "--watch", "--yes", "--json"]);
    let _running = Running(watch.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let says = |words: &str| {
        fs::read_to_string(Path::new(&folder).join("CLAUDE.md")).is_ok_and(|page| page.contains(words))
    };
    wait_until("the page is written", || says("boat house"));
    home.remember("The ferry leaves at six.");
    wait_until("what is new is on the page", || says("ferry leaves"));
    edit(&folder, &line_with(&folder, "Holloway"), "");
    let listed = || home.run(&["memory", "list"]).ok().stdout;
    wait_until("a deleted line is forgotten", || !listed().contains("Holloway"));
    edit(&folder, "leaves at six", "leaves at seven");
    wait_until("a changed line is a correction", || listed().contains("leaves at seven"));
    assert!(!listed().contains("leaves at six") && listed().contains("boat house"));
}

/// A fact that was taken from a turn: when its line goes, the turn goes with it, unless something that stays came of it.
#[test]
fn a_deleted_line_takes_its_turn_along_and_leaves_what_others_need() {
    let home = Home::new();
    let turn = |text: &str| {
        let told = home.json(&["session", "append", "desk", text]);
        told["turns"][0]["memory_id"].as_str().unwrap().to_owned()
    };
    let (alone, shared) =
        (turn("The vet is called Quillfeather."), turn("The bakery opens at six and sells rye."));
    let made = |text: &str, from: &str| {
        home.json(&["remember", text, "--derived-from", &format!("{from}=primary")]);
    };
    made("Quillfeather is the vet.", &alone);
    made("The bakery opens at six.", &shared);
    made("The bakery sells rye bread.", &shared);
    let folder = home.path("view").display().to_string();
    home.json(&["view", &folder]);
    let turns = || fs::read_to_string(Path::new(&folder).join("sessions/desk.jsonl")).unwrap_or_default();
    assert!(turns().contains("Quillfeather") && turns().contains("rye"), "{}", turns());
    edit(&folder, &line_with(&folder, "Quillfeather"), "");
    edit(&folder, &line_with(&folder, "rye bread"), "");
    let wanted = home.json(&["view", &folder])["wanted"]["forget"].clone();
    assert!(wanted.as_array().unwrap().contains(&json!(alone)), "it says so before: {wanted}");
    home.json(&["view", &folder, "--apply"]);
    assert!(home.json(&["view", &folder])["wanted"].is_null(), "what was done is not asked for again");
    assert!(!turns().contains("Quillfeather"), "{}", turns());
    assert!(turns().contains("rye"), "the turn of a fact that stays stays");
    assert!(page(&folder).contains("opens at six"), "{}", page(&folder));
}

#[test]
fn preferences_are_keys_and_values() {
    let home = Home::new();
    for text in
        ["My favourite colour is dark green.", "I like olives.", "I like chess.", "Never before ten, please."]
    {
        home.json(&["remember", text, "--category", "preference"]);
    }
    let folder = home.path("view");
    home.json(&["view", folder.to_str().unwrap()]);
    let written: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("preferences.json")).unwrap()).unwrap();
    let values = written["values"].as_object().unwrap();
    let said = |text: &str| {
        let all = written["preferences"].as_array().unwrap();
        all.iter().find(|one| one["text"] == text).unwrap()["memory_id"].as_str().unwrap().to_owned()
    };
    assert_eq!(values["favourite colour"], json!("dark green"), "{written}");
    let mut likes: Vec<_> = values["likes"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    likes.sort_unstable();
    assert_eq!(likes, ["chess", "olives"], "{written}");
    // What states no attribute keeps its words, under its id.
    assert_eq!(values[&said("Never before ten, please.")], json!("Never before ten, please."), "{written}");
}
