//! Hooks, called as a host calls them: JSON on standard input, a transcript in a file, and never a failure.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::support::{Done, Home, contents, own_kib};

/// RAM of its own that a hook may take beside the turns it seals, whatever the size of the transcript. With the pages of the program it is to stay
/// below 150 MiB, which `cargo xtask bench --only assistant` measures on a release build: the code of a debug build is
/// larger than what a user has.
const HOOK_KIB_MAX: u64 = 82 << 10;
/// RAM that each sealed turn adds to that: it is in the opened vault. A faster machine seals more of them in the same time.
const TURN_KIB_MAX: u64 = 4;
const TRANSCRIPT_BYTES: usize = 50 << 20;
const LOOK_EVERY: Duration = Duration::from_millis(20);

fn call(home: &Home, hook: &str, input: &Value, more: &[&str]) -> Done {
    let args: Vec<&str> = ["hook", hook].iter().chain(more).copied().collect();
    home.run_with_input(&args, input.to_string().as_bytes())
}

/// What the host sends along with a transcript.
fn with_transcript(session: &str, file: &Path) -> Value {
    json!({"session_id": session, "transcript_path": file, "cwd": "/work/harbour", "permission_mode": "default"})
}

fn user(text: &str) -> String {
    json!({"type": "user", "uuid": "u", "timestamp": "2026-04-12T09:15:00Z",
        "message": {"role": "user", "content": text}})
    .to_string()
}

/// Said after whatever the test does.
fn later(text: &str) -> String {
    user(text).replace("2026-04-12", "2999-04-12")
}

fn assistant(blocks: &Value) -> String {
    json!({"type": "assistant", "timestamp": "2026-04-12T09:15:01Z",
        "message": {"role": "assistant", "content": blocks}})
    .to_string()
}

fn write(file: &Path, lines: &[String]) {
    fs::write(file, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
}

fn told(home: &Home, session: &str) -> Vec<(String, String)> {
    let shown = home.json(&["session", "show", session]);
    let turn =
        |turn: &Value| (turn["role"].as_str().unwrap().to_owned(), turn["text"].as_str().unwrap().to_owned());
    shown["turns"].as_array().unwrap().iter().map(turn).collect()
}

fn a_conversation() -> Vec<String> {
    vec![
        json!({"type": "summary", "summary": "x"}).to_string(),
        user("I prefer rye bread over wheat. <system-reminder>I live in Rome.</system-reminder>"),
        assistant(&json!([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Let me see the shelf."},
            {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "shelf.txt"}},
            {"type": "tool_use", "id": "t2", "name": "mcp__lacuna__recall", "input": {}}])),
        json!({"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "I live in Paris. Two loaves on shelf four."},
            {"type": "tool_result", "tool_use_id": "t2", "content": "[mem:1] The boat is called Petrel."}]}})
        .to_string(),
        user("My sister Ida lives in Turku."),
    ]
}

#[test]
fn a_transcript_is_sealed_turn_by_turn_and_what_the_user_said_is_extracted() {
    let home = Home::new();
    let file = home.path("transcript.jsonl");
    write(&file, &a_conversation());
    let done = call(&home, "pre-compact", &with_transcript("s1", &file), &["--json"]).ok();
    assert_eq!(done.stdout, "", "the host takes nothing from this hook");
    let numbers: Value = serde_json::from_str(done.stderr.trim()).unwrap();
    assert_eq!((&numbers["turns"], &numbers["unfinished"]), (&json!(4), &json!(false)), "{numbers}");
    let said = told(&home, "s1");
    let expected = [
        ("user", "I prefer rye bread over wheat."),
        ("assistant", "Let me see the shelf."),
        ("tool", "I live in Paris. Two loaves on shelf four."),
        ("user", "My sister Ida lives in Turku."),
    ];
    assert_eq!(said, expected.map(|(role, text)| (role.to_owned(), text.to_owned())));

    let listed = home.json(&["memory", "list"]);
    let active: Vec<&str> = listed["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|memory| memory["gist"].as_str().unwrap())
        .collect();
    let is_fact = |text: &str| active.iter().any(|gist| gist.contains(text));
    assert!(is_fact("My sister Ida lives in Turku.") && is_fact("rye bread"), "{active:?}");
    let facts =
        listed["memories"].as_array().unwrap().iter().filter(|memory| memory["content_type"] != "summary");
    let from_tools = facts.filter(|memory| memory["gist"].as_str().unwrap().contains("Paris")).count();
    assert_eq!(from_tools, 0, "what a tool says is no fact: {active:?}");

    let end = call(&home, "session-end", &with_transcript("s1", &file), &[]).ok();
    assert!(end.stderr.starts_with("lacuna: 0 turns sealed"), "{}", end.stderr);
    assert_eq!(home.json(&["session", "show", "s1"])["state"], "ended");
    for (path, bytes) in contents(&home.data()) {
        let text = String::from_utf8_lossy(&bytes);
        for word in ["Turku", "shelf four", "transcript.jsonl", "rye bread"] {
            assert!(!text.contains(word), "{word} in {}", path.display());
        }
    }
}

#[test]
fn the_next_hook_goes_on_and_what_was_forgotten_does_not_come_back() {
    let home = Home::new();
    let file = home.path("transcript.jsonl");
    let mut lines = a_conversation();
    write(&file, &lines);
    let input = with_transcript("s1", &file);
    call(&home, "pre-compact", &input, &[]).ok();
    home.run(&["forget", "--entity", "Ida", "--yes"]).ok();
    lines.push(later("I moved the ladder to the pantry."));
    write(&file, &lines);
    let gone_on = call(&home, "pre-compact", &input, &[]).ok();
    assert!(gone_on.stderr.starts_with("lacuna: 1 turn sealed"), "{}", gone_on.stderr);
    let texts = |home: &Home| told(home, "s1").into_iter().map(|(_, text)| text).collect::<Vec<_>>();
    assert!(!texts(&home).iter().any(|text| text.contains("Ida")), "{:?}", texts(&home));
    assert_eq!(texts(&home).last().unwrap(), "I moved the ladder to the pantry.");

    // Without its mark a hook counts what the session has, and does not begin anew.
    fs::remove_dir_all(home.data().join("hooks")).unwrap();
    let counted = call(&home, "session-end", &input, &[]).ok();
    assert!(counted.stderr.starts_with("lacuna: 0 turns sealed"), "{}", counted.stderr);
    assert!(!texts(&home).iter().any(|text| text.contains("Ida")), "{:?}", texts(&home));

    // A line that is still being written is left to the next hook.
    let whole = later("The kettle is new.");
    let mut out = fs::OpenOptions::new().append(true).open(&file).unwrap();
    out.write_all(&whole.as_bytes()[..40]).unwrap();
    assert!(call(&home, "pre-compact", &input, &[]).ok().stderr.starts_with("lacuna: 0 turns"));
    out.write_all(&whole.as_bytes()[40..]).unwrap();
    assert!(call(&home, "pre-compact", &input, &[]).ok().stderr.starts_with("lacuna: 1 turn "));
}

/// The host has not handed over what was said, and the user forgets it meanwhile.
#[test]
fn what_was_forgotten_before_it_was_sealed_is_not_sealed() {
    forgotten_meanwhile("hard");
}

#[test]
fn what_was_hidden_before_it_was_sealed_is_not_sealed() {
    forgotten_meanwhile("soft");
}

fn forgotten_meanwhile(mode: &str) {
    let home = Home::new();
    home.remember("My dentist is Doctor Lindqvist.");
    home.run(&["forget", "everything about my dentist", "--mode", mode, "--yes"]).ok();
    let file = home.path("transcript.jsonl");
    let untimed = json!({"type": "user", "message": {"content": "The kettle is new."}}).to_string();
    write(&file, &[user("My dentist is Doctor Lindqvist."), later("The wind turns."), untimed]);
    let done = call(&home, "session-end", &with_transcript("s1", &file), &["--json"]).ok();
    let numbers: Value = serde_json::from_str(done.stderr.trim()).unwrap();
    assert_eq!((&numbers["turns"], &numbers["left_out"]), (&json!(2), &json!(1)), "{numbers}");
    assert!(!told(&home, "s1").iter().any(|(_, text)| text.contains("Lindqvist")));
    let still = home.json(&["memory", "verify-forgotten", "my dentist"]);
    assert_eq!(still["forgotten"], true, "{still}");
    fs::remove_dir_all(home.data().join("hooks")).unwrap();
    let again = call(&home, "session-end", &with_transcript("s1", &file), &["--json"]).ok();
    assert!(!told(&home, "s1").iter().any(|(_, text)| text.contains("Lindqvist")), "{}", again.stderr);
}

#[test]
fn a_conversation_whose_end_was_missed_is_taken_up_by_the_next_one() {
    let home = Home::new();
    let (missed, next) = (home.path("missed.jsonl"), home.path("next.jsonl"));
    let began =
        |file: &Path| json!({"session_id": file.file_stem().unwrap().to_str(), "transcript_path": file});
    call(&home, "session-start", &began(&missed), &[]).ok();
    write(&missed, &[user("The barometer falls.")]);
    write(&home.path("foreign.jsonl"), &[user("Of a conversation that no hook was told of.")]);
    write(&next, &[user("The wind turns.")]);
    call(&home, "session-end", &began(&next), &[]).ok();
    assert_eq!(home.run(&["session", "show", "missed"]).code, 3, "it may still go on");
    let written = fs::metadata(&missed).unwrap().modified().unwrap();
    File::options()
        .append(true)
        .open(&next)
        .unwrap()
        .set_modified(written + Duration::from_secs(3_600))
        .unwrap();
    call(&home, "session-end", &began(&next), &[]).ok();
    assert_eq!(told(&home, "missed"), [("user".to_owned(), "The barometer falls.".to_owned())]);
    assert_eq!(home.json(&["session", "show", "missed"])["state"], "ended");
    assert_eq!(home.run(&["session", "show", "foreign"]).code, 3);
}

#[test]
fn a_batch_that_was_stored_and_not_marked_is_not_doubled() {
    let home = Home::new();
    let file = home.path("transcript.jsonl");
    write(&file, &a_conversation());
    let input = with_transcript("s1", &file);
    call(&home, "pre-compact", &input, &[]).ok();
    let before = told(&home, "s1");
    // As a process leaves it that dies between the two.
    let mark = contents(&home.data().join("hooks")).remove(0).0;
    fs::write(&mark, "1 00000000000000000000 000000000001\n").unwrap();
    call(&home, "pre-compact", &input, &[]).ok();
    assert_eq!(told(&home, "s1"), before);
    assert_eq!(fs::metadata(&mark).unwrap().len(), 36);
}

#[test]
fn a_conversation_is_given_what_it_brings_to_mind() {
    let home = Home::new();
    let start = json!({"session_id": "s1", "transcript_path": "/nowhere", "cwd": "/work/harbour",
        "hook_event_name": "SessionStart", "source": "startup"});
    assert_eq!(call(&home, "session-start", &start, &[]).ok().stdout, "", "an empty vault says nothing");
    home.run(&["remember", "The harbour office closes at noon.", "--salience", "0.9"]).ok();
    let added = call(&home, "session-start", &start, &[]).ok().json();
    let output = &added["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], "SessionStart");
    assert!(output["additionalContext"].as_str().unwrap().contains("closes at noon"));
    let again = json!({"session_id": "s1", "prompt": "When does the harbour office close?"});
    let added = call(&home, "user-prompt-submit", &again, &[]).ok();
    assert_eq!(added.stdout, "", "a conversation is told nothing twice");
    let prompt = json!({"session_id": "s2", "hook_event_name": "UserPromptSubmit",
        "prompt": "When does the harbour office close?"});
    let added = call(&home, "user-prompt-submit", &prompt, &[]).ok().json();
    let output = &added["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], "UserPromptSubmit");
    let text = output["additionalContext"].as_str().unwrap();
    assert!(text.starts_with("## What you remember [") && text.contains("closes at noon"), "{text}");
    let long = "x".repeat(2 << 20);
    let pasted = json!({"session_id": "s3", "prompt": format!("{long} When does the harbour office close?")});
    let added = call(&home, "user-prompt-submit", &pasted, &[]).ok();
    assert!(added.stdout.contains("closes at noon"), "{} {}", added.stdout, added.stderr);
}

/// A line as Claude Code writes it, with a time down to microseconds.
fn recorded(home: &Home, session: &str, kind: &str, content: &Value) -> String {
    json!({"parentUuid": "4f0c1c9e-0d51-4f0e-9a39-5d0f0f1f2a10", "isSidechain": false, "userType": "external",
        "cwd": "/home/anna/boat", "sessionId": session, "version": "2.1.14", "gitBranch": "main", "type": kind,
        "message": {"role": kind, "content": content}, "uuid": "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d",
        "timestamp": format!("{:.6}", now(home))})
    .to_string()
}

/// The time by the clock of the file system.
fn now(home: &Home) -> Timestamp {
    let file = home.path("clock");
    fs::write(&file, "").unwrap();
    Timestamp::try_from(fs::metadata(&file).unwrap().modified().unwrap()).unwrap()
}

/// Sends a prompt as the host does: the transcript holds everything before it.
fn prompted(home: &Home, session: &str, file: &Path, prompt: &str) -> String {
    let mut input = with_transcript(session, file);
    input["hook_event_name"] = json!("UserPromptSubmit");
    input["prompt"] = json!(prompt);
    call(home, "user-prompt-submit", &input, &[]).ok().stdout
}

#[test]
fn what_was_said_in_one_conversation_is_recalled_in_the_next() {
    let home = Home::new();
    let first = home.path("0b5c.jsonl");
    let said = |text: &str| recorded(&home, "0b5c", "user", &json!(text));
    let replied = |text: &str| recorded(&home, "0b5c", "assistant", &json!([{"type": "text", "text": text}]));
    let mut lines = vec![
        json!({"type": "file-history-snapshot", "messageId": "1", "snapshot": {}}).to_string(),
        said("The hull gets its second coat from Marten on Tuesday."),
        replied("Noted. Which colour did Marten choose?"),
    ];
    write(&first, &lines);
    assert_eq!(prompted(&home, "0b5c", &first, "My landlord is Gunnar Holm."), "", "not its own words");
    assert_eq!(told(&home, "0b5c").len(), 2, "every prompt seals what was said before it");

    lines.extend([said("My landlord is Gunnar Holm."), replied("Good to know.")]);
    write(&first, &lines);
    prompted(&home, "0b5c", &first, "The mast is stored at the yard in Drammen.");
    home.run(&["forget", "--entity", "Gunnar Holm", "--yes"]).ok();

    lines.push(said("The mast is stored at the yard in Drammen."));
    write(&first, &lines);
    call(&home, "session-end", &with_transcript("0b5c", &first), &[]).ok();
    let texts: Vec<String> = told(&home, "0b5c").into_iter().map(|(_, text)| text).collect();
    assert_eq!(
        texts,
        [
            "The hull gets its second coat from Marten on Tuesday.",
            "Noted. Which colour did Marten choose?",
            "Good to know.",
            "The mast is stored at the yard in Drammen."
        ],
        "forgetting takes what it names and nothing else"
    );

    let next = home.path("77aa.jsonl");
    let coat = prompted(&home, "77aa", &next, "When does the hull get its second coat?");
    assert!(coat.contains("from Marten on Tuesday"), "{coat}");
    let mast = prompted(&home, "77aa", &next, "Where is the mast stored?");
    assert!(coat.contains("yard in Drammen") != mast.contains("yard in Drammen"), "once: {coat} {mast}");
    assert!(!prompted(&home, "77aa", &next, "Where is the mast stored?").contains("Drammen"));
    assert!(!prompted(&home, "77aa", &next, "Who is my landlord?").contains("Gunnar"));
    let third = prompted(&home, "88bb", &home.path("88bb.jsonl"), "Where is the mast stored?");
    assert!(third.contains("yard in Drammen"), "another conversation is told it: {third}");
    for (path, bytes) in contents(&home.data()) {
        let text = String::from_utf8_lossy(&bytes);
        for word in ["Drammen", "Gunnar", "Marten", "77aa"] {
            assert!(!text.contains(word), "{word} in {}", path.display());
        }
    }
}

/// A host takes any other code than 0 for a failure, and 2 for a veto.
#[test]
fn whatever_goes_wrong_the_host_goes_on() {
    let home = Home::new();
    let nowhere = with_transcript("s1", Path::new("/nowhere/transcript.jsonl"));
    let device = with_transcript("s1", Path::new("/dev/zero"));
    let cases: Vec<(Vec<&str>, Vec<u8>)> = vec![
        (vec!["pre-compact"], nowhere.to_string().into_bytes()),
        (vec!["session-end"], device.to_string().into_bytes()),
        (vec!["pre-compact"], b"{\"session_id\":\"s1\"}".to_vec()),
        (vec!["session-start"], b"not JSON".to_vec()),
        (vec!["session-start"], b"\xff\xfe".to_vec()),
        (vec!["session-start"], b"{}".to_vec()),
        (vec!["user-prompt-submit"], json!({"session_id": "", "prompt": "x"}).to_string().into_bytes()),
        (
            vec!["user-prompt-submit"],
            json!({"session_id": "s", "hook_event_name": "Stop"}).to_string().into_bytes(),
        ),
        (vec!["pre-compact", "--limit-seconds", "0"], b"{}".to_vec()),
        (vec!["no-such-hook"], b"{}".to_vec()),
        (vec![], b"{}".to_vec()),
        (vec!["session-start", "--config", "/nowhere.toml"], b"{}".to_vec()),
        (vec!["session-start", "--data", "/dev/null/x"], json!({"session_id": "s"}).to_string().into_bytes()),
    ];
    for (args, input) in cases {
        let all: Vec<&str> = ["hook"].into_iter().chain(args.iter().copied()).collect();
        let done = home.run_with_input(&all, &input);
        assert_eq!((done.code, done.stdout.as_str()), (0, ""), "{args:?}: {}", done.stderr);
        assert!(!done.stderr.trim().is_empty(), "{args:?} says why");
        assert!(!done.stderr.contains("panicked"), "{args:?}: {}", done.stderr);
    }
    // A word that is only an argument is no hook.
    assert_eq!(home.run(&["remember", "hook", "--no-such-flag"]).code, 2);
}

#[test]
fn a_host_that_says_nothing_is_not_waited_for() {
    let home = Home::new();
    let mut child = home
        .command(&["hook", "session-start", "--limit-seconds", "1"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let held = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(held);
    assert!(output.status.success() && output.stdout.is_empty());
    assert!(String::from_utf8(output.stderr).unwrap().contains("error[timeout]"));
}

#[test]
fn lines_that_no_transcript_has_are_passed_over() {
    let home = Home::new();
    let file = home.path("transcript.jsonl");
    let many: Vec<Value> = (0..1_500)
        .map(|n| json!({"type": "tool_result", "tool_use_id": "t1", "content": format!("row {n}")}))
        .collect();
    write(
        &file,
        &[
            "{\"type\":\"user\"".to_owned(),
            user("The first word."),
            user(&"y".repeat(5 << 20)),
            json!({"type": "user", "timestamp": "2999-01-01T00:00:00Z", "message": {"content": "From the future."}}).to_string(),
            assistant(&json!([{"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}])),
            json!({"type": "user", "message": {"content": many}}).to_string(),
            user("The last word.\u{0}"),
        ],
    );
    let done =
        call(&home, "pre-compact", &with_transcript("s1", &file), &["--json", "--limit-seconds", "600"]).ok();
    let numbers: Value = serde_json::from_str(done.stderr.trim()).unwrap();
    assert_eq!((&numbers["turns"], &numbers["skipped"]), (&json!(1_503), &json!(2)), "{numbers}");
}

/// Fifty megabytes of everything that makes a transcript long.
fn write_long(file: &Path) {
    let mut out = BufWriter::new(File::create(file).unwrap());
    let mut written = 0;
    for number in 0.. {
        let words = format!(
            "Boat {number} lies at pier {} and wants paint {} before winter. ",
            number % 91,
            number % 17
        );
        let lines = [
            user(&words.repeat(3)),
            assistant(&json!([{"type": "text", "text": words.repeat(5)},
                {"type": "tool_use", "id": format!("t{number}"), "name": "Read", "input": {"file": "x"}}])),
            json!({"type": "user", "message": {"content": [{"type": "tool_result",
                "tool_use_id": format!("t{number}"), "content": words.repeat(120)}]}})
            .to_string(),
        ];
        for line in lines {
            writeln!(out, "{line}").unwrap();
            written += line.len() + 1;
        }
        if written >= TRANSCRIPT_BYTES {
            return out.flush().unwrap();
        }
    }
}

/// Runs a hook on the file, and answers with the most RAM that it ever held, in KiB, and with how many turns
/// are sealed by then. A busy machine may have it ended by its clock; what was sealed stays.
fn watched(home: &Home, file: &Path) -> (u64, u64) {
    let mut command = home.command(&["hook", "pre-compact", "--json", "--limit-seconds", "20"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(with_transcript("long", file).to_string().as_bytes()).unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        peak = peak.max(own_kib(&child));
        std::thread::sleep(LOOK_EVERY);
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stdout.is_empty());
    (peak, home.json(&["session", "show", "long", "--limit", "1"])["turn_count"].as_u64().unwrap())
}

#[test]
fn a_transcript_of_fifty_megabytes_takes_no_more_ram_than_a_hook_may() {
    let home = Home::new().without("LACUNA_EMBEDDER");
    let file = home.path("transcript.jsonl");
    write_long(&file);
    let (first, turns) = watched(&home, &file);
    let (second, more) = watched(&home, &file);
    println!("{first} KiB with {turns} turns, then {second} KiB with {more}");
    for (peak, turns) in [(first, turns), (second, more)] {
        assert!(0 < peak && peak <= HOOK_KIB_MAX + turns * TURN_KIB_MAX, "{peak} KiB with {turns} turns");
    }
    assert!(0 < turns && turns < more, "{turns}, then {more}");
}
