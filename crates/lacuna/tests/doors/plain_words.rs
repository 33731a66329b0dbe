//! The command line as somebody new meets it: short ids, tables that fit, prompts, words instead of codes.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Done, Home};

/// Columns of a small terminal.
const COLUMNS: usize = 80;
/// Codes that no page for people shows; JSON has them.
const CODES: [&str; 9] = [
    "explicit_save",
    "user_message",
    "tool_output",
    "ai_inference",
    "guest-pii",
    "non-pii",
    "memory_write",
    "memory_reembed",
    "learned_context",
];

/// Runs a command on a terminal of 80 columns, where somebody types.
fn on_terminal(home: &Home, args: &[&str], typed: &str) -> Done {
    let quoted: Vec<String> = args.iter().map(|arg| format!("'{}'", arg.replace('\'', "'\\''"))).collect();
    let line = format!("stty cols {COLUMNS} -echo; exec {} {}", home.binary(), quoted.join(" "));
    let template = home.command(&[]);
    let mut command = std::process::Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm");
    for (name, value) in template.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(typed.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(input);
    Done {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).replace('\r', ""),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn ids(listed: &Value) -> Vec<String> {
    let memories = listed["memories"].as_array().unwrap();
    memories.iter().map(|memory| memory["memory_id"].as_str().unwrap().to_owned()).collect()
}

fn gone(home: &Home, id: &str) -> bool {
    home.run(&["memory", "inspect", id]).code == 3
}

#[test]
fn part_of_an_id_is_enough_where_only_one_has_it() {
    let home = Home::new();
    let id = home.remember("The spare key hangs in the boat house.");
    let other = home.remember("The ferry leaves at noon.");
    let digits = id.strip_prefix("mem_").unwrap();
    let end = &digits[digits.len() - 12..];
    for short in
        [id.as_str(), digits, end, &format!("mem:{end}"), &end[6..], &end.to_uppercase(), &digits[..30]]
    {
        let shown = home.run(&["show", short]).ok().stdout;
        assert!(shown.contains("boat house"), "{short}: {shown}");
    }
    // Both were made within a few hours of each other, which is what the first digits tell.
    let several = home.run(&["show", &digits[..6]]);
    assert_eq!(several.code, 2);
    assert!(several.stderr.contains(&id) && several.stderr.contains(&other), "{}", several.stderr);
    for (bad, code) in [("000000000000", 3), ("mem_7", 2), ("boat house", 2), ("", 2), ("mem_", 2)] {
        let answer = home.run(&["show", bad]);
        assert_eq!(answer.code, code, "{bad}: {}", answer.stderr);
    }

    assert!(home.run(&["memory", "pin", end]).ok().stdout.contains("1 memory is pinned"));
    assert_eq!(home.json(&["memory", "pin", end])["memory_ids"], json!([id]), "programs get the whole id");
    assert!(
        home.run(&["memory", "state", end, "--to", "deleted"]).ok().stdout.contains("1 memory is now hidden")
    );
    home.run(&["memory", "state", end, "--to", "active"]).ok();
    let made =
        home.json(&["remember", "Somebody has a boat.", "--derived-from", &format!("{end}=inference")]);
    assert_eq!(made["outcome"].as_str().unwrap_or("stored"), "stored", "{made}");
    let corrected = home.run(&["correct", "--id", end, "The spare key hangs in the shed."]).ok();
    assert!(corrected.stderr.contains("now  The spare key hangs in the boat house."), "{}", corrected.stderr);
    assert!(gone(&home, &id));

    let hidden = home.json(&["forget", "--id", &other[other.len() - 12..], "--mode", "soft", "--yes"]);
    assert_eq!(hidden["memory_ids"], json!([other]));
}

#[test]
fn nothing_is_erased_unasked_by_a_few_digits() {
    let home = Home::new();
    let id = home.remember("The spare key hangs in the boat house.");
    let digits = id.strip_prefix("mem_").unwrap();
    let end = &digits[digits.len() - 12..];
    for few in [&digits[..12], &digits[..31], &end[4..]] {
        for args in [vec!["delete", few, "--yes"], vec!["forget", "--id", few, "--yes"]] {
            let refused = home.run(&args);
            assert_eq!(refused.code, 2, "{args:?}: {}", refused.stderr);
            assert!(refused.stderr.contains(end), "{}", refused.stderr);
        }
    }
    assert!(!gone(&home, &id));
    home.run(&["delete", end, "--yes"]).ok();
    assert!(gone(&home, &id));
    assert_eq!(home.run(&["delete", end, "--yes"]).code, 3, "what is gone is not another one");
}

#[test]
fn tokens_and_sessions_go_by_part_of_their_names_and_http_by_whole_ids() {
    let home = Home::new();
    let token = home.token("anna", "user", &[]);
    let id = token["token_id"].as_str().unwrap();
    let listed = home.run(&["admin", "token", "list"]).ok().stdout;
    let short = listed.lines().nth(1).unwrap().split_whitespace().next().unwrap();
    assert!(id.ends_with(short) && short.len() == 12, "{listed}");
    assert_eq!(home.run(&["token", "revoke", "ffffffffffff"]).code, 3);
    assert_eq!(home.json(&["token", "revoke", short])["token_id"], id);

    home.run(&["session", "append", "kitchen-monday", "The barometer falls."]).ok();
    home.run(&["session", "append", "kitchen-tuesday", "The kettle sings."]).ok();
    home.run(&["session", "append", "kitchen", "It rains."]).ok();
    assert!(home.run(&["session", "show", "kitchen-m"]).ok().stdout.contains("barometer"));
    assert!(
        home.run(&["session", "show", "kitchen"]).ok().stdout.contains("rains"),
        "a whole name is itself"
    );
    let several = home.run(&["session", "show", "kitchen-"]);
    assert!(several.code == 2 && several.stderr.contains("kitchen-monday"), "{}", several.stderr);
    assert_eq!(home.run(&["session", "show", "hall"]).code, 3);
    assert!(home.run(&["list", "--session", "kitchen-t"]).ok().stdout.contains("kettle"));
    // Forgetting takes the whole name: a session that is gone is not another one.
    let planned = home.json(&["forget", "--session", "kitchen-m"]);
    assert!(!planned.to_string().contains("barometer"), "{planned}");

    let plain = Home::new();
    let memory = plain.remember("The ferry leaves at noon.");
    let server = plain.serve(&[]);
    assert_eq!(server.get(&format!("/v1/memories/{memory}")).status, 200);
    let part = server.get(&format!("/v1/memories/{}", &memory[memory.len() - 12..])).status;
    assert!(matches!(part, 404 | 422), "{part}");
}

/// A home with something in every table.
fn furnished() -> Home {
    let home = Home::new();
    for text in [
        "My sister Maria teaches physics at a school in Lisbon, and comes to Vienna every other year in the summer.",
        "The spare key hangs in the boat house behind the second oar, next to the lantern that nobody ever lights.",
        "I take my coffee black, without sugar.",
    ] {
        home.run(&["remember", text, "--tag", "family", "--tag", "house and garden"]).ok();
    }
    home.run(&["remember", "Anna seems to prefer mornings.", "--source", "ai_inference"]).ok();
    home.run(&[
        "session",
        "append",
        "a-rather-long-name-of-a-session",
        "The barometer falls, and it will rain before the ferry.",
    ])
    .ok();
    home.run(&["forget", "everything about my coffee", "--yes"]).ok();
    home.token(
        "a.rather.long.user.name@example.org",
        "user",
        &["--label", "the laptop on the kitchen table", "--expires", "90d"],
    );
    home.run(&["consent", "give", "health", "--for", "my assistants and whoever looks after me"]).ok();
    home
}

const TABLES: [&[&str]; 13] = [
    &["list"],
    &["search", "where is the key?"],
    &["audit", "list"],
    &["review", "list"],
    &["review", "memories"],
    &["receipt", "list"],
    &["session", "list"],
    &["session", "show", "a-rather"],
    &["token", "list"],
    &["consent", "list"],
    &["jobs"],
    &["retention", "show"],
    &["receipt", "show", "1"],
];

#[test]
fn tables_fit_a_small_terminal_and_a_pipe_and_speak_in_words() {
    let home = furnished();
    for args in TABLES {
        let piped = home.run(args).ok().stdout;
        let shown = on_terminal(&home, args, "l\n");
        assert_eq!(shown.code, 0, "{args:?}: {}", shown.stdout);
        for line in piped.lines().chain(shown.stdout.lines()) {
            // A key has as many signs as it has, and a sentence for people is wrapped by the terminal.
            let is_row = !line.contains("ed25519:") && !line.contains(". ") && !line.contains(": ");
            let width = line.replace("\u{1b}[2m", "").replace("\u{1b}[0m", "").chars().count();
            assert!(!is_row || width <= COLUMNS, "{args:?} has {width} columns: {line}");
        }
        for code in CODES {
            assert!(!piped.contains(code), "{args:?} says {code}: {piped}");
        }
        assert!(!piped.contains('\u{1b}'), "{args:?} has colours in a pipe");
    }
    let id = home.remember("The ferry leaves at noon.");
    let shown = home.run(&["show", &id]).ok().stdout;
    for code in CODES {
        assert!(!shown.contains(code), "{code}: {shown}");
    }
    assert!(shown.contains("saved by you"), "{shown}");
    let json = home.json(&["show", &id]).to_string();
    assert!(json.contains("explicit_save"), "programs get the codes: {json}");
    assert!(home.json(&["audit", "list"]).to_string().contains("memory_write"));
}

#[test]
fn a_no_is_an_answer_and_changes_nothing() {
    let home = Home::new();
    let id = home.remember("The spare key hangs in the boat house.");
    let before = ids(&home.json(&["list"]));
    let cases: [(&[&str], &str); 5] = [
        (&["forget", "the spare key"], "nothing was forgotten"),
        (&["delete", &id], "nothing was erased"),
        (&["correct", "the spare key", "The spare key hangs in the shed."], "nothing was corrected"),
        (&["destroy"], "nothing was destroyed"),
        (&["remember", "My doctor says that I have diabetes."], "it was not remembered"),
    ];
    for (args, told) in cases {
        let answer = on_terminal(&home, args, "n\n");
        assert_eq!(answer.code, 0, "{args:?}: {}", answer.stdout);
        assert!(
            answer.stdout.contains(told) && !answer.stdout.contains("error"),
            "{args:?}: {}",
            answer.stdout
        );
    }
    assert_eq!(ids(&home.json(&["list"])), before);
    assert!(home.run(&["show", &id]).ok().stdout.contains("boat house"));
    let asked = on_terminal(&home, &["delete", &id], "n\n");
    assert!(asked.stdout.contains("boat house"), "the text is shown before it goes: {}", asked.stdout);

    let corrected =
        on_terminal(&home, &["correct", "the spare key", "The spare key hangs in the shed."], "y\n");
    for part in [
        "now  The spare key hangs in the boat house.",
        "new  The spare key hangs in the shed.",
        "takes the place",
    ] {
        assert!(corrected.stdout.contains(part), "{part}: {}", corrected.stdout);
    }
    assert!(gone(&home, &id));
}

#[test]
fn a_receipt_is_a_page_to_read_and_a_file_to_keep() {
    let home = Home::new();
    home.remember("I take my coffee black, without sugar.");
    home.run(&["forget", "everything about my coffee", "--yes"]).ok();
    let page = home.run(&["receipt", "show", "1"]).ok().stdout;
    for part in ["you asked for it", "1 said it", "1 destroyed", "nothing was found", "--json >"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let file = home.path("receipt.json");
    std::fs::write(&file, home.run(&["receipt", "show", "1", "--json"]).ok().stdout).unwrap();
    home.run(&["receipt", "verify", file.to_str().unwrap()]).ok();
    let kept = home.path("page.txt");
    std::fs::write(&kept, page).unwrap();
    let wrong = home.run(&["receipt", "verify", kept.to_str().unwrap()]);
    assert!(wrong.code == 2 && wrong.stderr.contains("--json"), "{}", wrong.stderr);
}

#[test]
fn files_for_assistants_say_what_they_leave_out() {
    let home = Home::new();
    home.run(&["consent", "give", "health"]).ok();
    home.remember("My doctor says that I have diabetes.");
    home.remember("The ferry leaves at noon.");
    let folder = home.path("view");
    let folder = folder.to_str().unwrap();
    let told = home.run(&["view", folder]).ok().stdout;
    assert!(told.contains("1 memory about health") && told.contains("hidden, set aside or waits"), "{told}");
    assert!(!std::fs::read_to_string(Path::new(folder).join("CLAUDE.md")).unwrap().contains("diabetes"));
    let all = home.run(&["view", folder, "--include-health"]).ok().stdout;
    assert!(!all.contains("about health"), "{all}");
}

#[test]
fn operators_commands_stand_under_admin_and_keep_their_old_names() {
    let home = Home::new();
    let listed = home.json(&["admin"]);
    let names: Vec<&str> = listed.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(
        names.contains(&"keys") && names.contains(&"backup") && !names.contains(&"remember"),
        "{names:?}"
    );
    let shown = home.run(&["admin"]).ok().stdout;
    for name in &names {
        assert!(shown.contains(name));
        for args in [vec!["admin", name, "--help"], vec![name, "--help"]] {
            assert!(home.run(&args).ok().stdout.contains("Usage:"), "{args:?}");
        }
    }
    let unknown = home.run(&["admin", "remember", "x"]);
    assert_eq!(unknown.code, 2, "{}", unknown.stdout);
    let help = home.run(&["--help"]).ok().stdout;
    let at = |word: &str| help.find(word).unwrap_or_else(|| panic!("{word} in {help}"));
    assert!(at("Everyday:") < at("Conversations:") && at("Privacy:") < at("Operators"));
    for line in help.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   ")) {
        assert!(line.chars().count() <= COLUMNS || line.contains("--"), "{line}");
    }
}
