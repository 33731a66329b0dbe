//! Every command that the documents show is run, in its order, and answers as they say.
//!
//! A page is one story: a fresh home folder, and every `console` and `sh` block of the page in turn. A line that
//! begins with `$ ` is run by `sh`; what follows is what it prints, on both channels. How the two are compared:
//!
//! - ids, hashes, keys, tokens, receipts' years, times and measured numbers may differ. A later command that names
//!   such a word is run with the one that was really printed.
//! - `…` stands for anything within a line, and alone on a line for any number of lines. White space is white space.
//! - A command succeeds, unless the page shows its error.
//!
//! What is not a plain command is said in a comment before the block:
//!
//! - `<!-- run: COMMAND -->` is run first and not shown: it sets the scene.
//! - `<!-- server -->` starts a server for the rest of the page, under the address that the page names.
//! - `<!-- not run: REASON -->` leaves the block out.
//!
//! `LACUNA_TEST_DOCS=write` puts what was really printed into the pages.

#![allow(clippy::disallowed_methods, reason = "no pattern of a test meets somebody's text")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use regex::Regex;

use crate::support::{Home, Server};

/// What the pages call the home folder and the server.
const HOME_SHOWN: &str = "/home/anna";
const SERVER_SHOWN: &str = "http://127.0.0.1:7707";
const ANY: &str = "…";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A command of a page and what it is said to print.
struct Shown {
    /// The line of the page on which its output begins.
    line: usize,
    command: String,
    output: Vec<String>,
}

enum Step {
    Run(String),
    Server,
    Shown(Shown),
}

/// What a page has to run, and blocks that nothing explains.
fn steps(text: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut left_out = false;
    let lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at].trim();
        at += 1;
        if let Some(comment) = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->")) {
            match comment.split_once(": ").unwrap_or((comment, "")) {
                ("run", command) => steps.push(Step::Run(command.to_owned())),
                ("server", _) => steps.push(Step::Server),
                ("not run", reason) => left_out = !reason.is_empty(),
                _ => {}
            }
        }
        if !matches!(line, "```console" | "```sh") {
            continue;
        }
        let end = at + lines[at..].iter().position(|line| line.trim() == "```").expect("a block ends");
        if !std::mem::take(&mut left_out) {
            steps.extend(block(&lines[at..end], at, line == "```sh"));
        }
        at = end + 1;
    }
    steps
}

/// The commands of a block. In a block of `sh` every line is one, and prints what it will.
fn block(lines: &[&str], first: usize, bare: bool) -> Vec<Step> {
    let mut found: Vec<Shown> = Vec::new();
    for (number, line) in (first..).zip(lines) {
        let command = if bare { Some(*line) } else { line.strip_prefix("$ ") };
        let goes_on = found.last().is_some_and(|last| last.command.ends_with('\\'));
        match (command, found.last_mut()) {
            (_, Some(last)) if goes_on => {
                last.command.push_str(&format!("\n{line}"));
                last.line = number + 1;
            }
            (Some(command), _) if !command.trim().is_empty() => {
                let output = if bare { vec![ANY.to_owned()] } else { Vec::new() };
                found.push(Shown { line: number + 1, command: command.to_owned(), output });
            }
            (None, Some(last)) => last.output.push((*line).to_owned()),
            (_, None) => panic!("line {number}: a console block begins with a command"),
            (Some(_), _) => {}
        }
    }
    found.into_iter().map(Step::Shown).collect()
}

/// Words that differ from one run to the next: each kind, and what stands for it when it is looked for.
static VARIES: LazyLock<Regex> = LazyLock::new(|| {
    let kinds = [
        r"(?<moment>\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)",
        r"(?<date>\d{4}-\d\d-\d\d)",
        r"(?<receipt>(?:DEL|REQ)-\d{4}-\d{6})",
        r"(?<token>(?:fgt|cfm|dst|lac|lct)_[A-Za-z0-9_.-]{6,}…?)",
        r"(?<hex>[0-9a-f]{12,}…?)",
        r#"(?<tokens>\d+ of \d+ tokens|"tokens":\d+)"#,
        r"(?<measured>\d+(?:\.\d+)? (?:ms|bytes|KiB|s)\b)",
        r"(?<number>\d+\.\d{3,})",
        r"(?<any>…)",
        r"(?<space>\s+)",
    ];
    Regex::new(&kinds.join("|")).unwrap()
});

/// A line of a page as what may stand in its place. The words that a later command may name are captured.
fn pattern(line: &str) -> (Regex, Vec<String>) {
    let (mut pattern, mut words, mut from) = (String::from("^"), Vec::new(), 0);
    for found in VARIES.captures_iter(line.trim()) {
        let whole = found.get(0).unwrap();
        pattern += &regex::escape(&line.trim()[from..whole.start()]);
        from = whole.end();
        let kept = match () {
            () if found.name("hex").is_some() => Some("([0-9a-f]{12,})"),
            () if found.name("token").is_some() => Some(r"((?:fgt|cfm|dst|lac|lct)_[A-Za-z0-9_.-]+)"),
            () if found.name("receipt").is_some() => Some(r"((?:DEL|REQ)-\d{4}-\d{6})"),
            () => None,
        };
        words.extend(kept.map(|_| whole.as_str().to_owned()));
        pattern += kept.unwrap_or(match () {
            () if found.name("moment").is_some() => r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?",
            () if found.name("date").is_some() => r"\d{4}-\d\d-\d\d",
            () if found.name("tokens").is_some() => r#"(?:\d+ of \d+ tokens|"tokens":\d+)"#,
            () if found.name("measured").is_some() => r"\d+(?:\.\d+)? (?:ms|bytes|KiB|s)",
            () if found.name("number").is_some() => r"\d+(?:\.\d+)?(?:e-?\d+)?",
            () if found.name("space").is_some() => r"\s+",
            () => ".*?",
        });
    }
    pattern += &regex::escape(&line.trim()[from..]);
    (Regex::new(&format!("{pattern}$")).unwrap(), words)
}

/// Holds what was printed against what is shown. Answers with which word stands for which.
fn compare(shown: &[String], printed: &[&str]) -> Option<BTreeMap<String, String>> {
    let Some((first, rest)) = shown.split_first() else {
        return printed.iter().all(|line| line.trim().is_empty()).then(BTreeMap::new);
    };
    if first.trim() == ANY {
        return (0..=printed.len()).find_map(|skipped| compare(rest, &printed[skipped..]));
    }
    let (line, others) = printed.split_first()?;
    let (pattern, words) = pattern(first);
    let found = pattern.captures(line.trim())?;
    let mut known = compare(rest, others)?;
    for (word, real) in words.into_iter().zip(found.iter().skip(1).flatten()) {
        known.insert(word, real.as_str().to_owned());
    }
    Some(known)
}

/// One page on its way.
struct Page {
    home: Home,
    folder: PathBuf,
    server: Option<Server>,
    /// Words of the page, and what they really are.
    words: BTreeMap<String, String>,
}

impl Page {
    fn open() -> Self {
        // The pages show what everybody gets: the model that is the default.
        let home = Home::new().without("LACUNA_EMBEDDER");
        let folder = home.path("anna");
        fs::create_dir(&folder).unwrap();
        Self { home, folder: folder.canonicalize().unwrap(), server: None, words: BTreeMap::new() }
    }

    /// Runs a line, and answers with what it printed, as the page would show it, and whether it succeeded.
    fn run(&self, command: &str) -> (String, bool) {
        let mut line = command.to_owned();
        for (word, real) in &self.words {
            line = line.replace(word, real);
        }
        if let Some(server) = &self.server {
            line = line.replace(SERVER_SHOWN, &server.url);
        }
        let program = Path::new(env!("CARGO_BIN_EXE_lacuna")).parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
        let mut shell = Command::new("sh");
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("LACUNA_"))
        {
            shell.env_remove(name);
        }
        let done = shell
            .args(["-c", &format!("exec 2>&1\n{line}")])
            .current_dir(&self.folder)
            .env("PATH", path)
            .env("HOME", &self.folder)
            .env("USER", "anna")
            .env("TZ", "UTC")
            .env("LACUNA_DATA", self.home.data())
            .envs(
                ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"]
                    .map(|name| (name, "")),
            )
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let printed =
            String::from_utf8_lossy(&done.stdout).replace(self.folder.to_str().unwrap(), HOME_SHOWN);
        let printed = printed.replace(self.home.data().to_str().unwrap(), "/home/anna/.local/share/lacuna");
        let printed = printed.replace(env!("CARGO_BIN_EXE_lacuna"), "/usr/local/bin/lacuna");
        let printed = match &self.server {
            Some(server) => printed.replace(&server.url, SERVER_SHOWN),
            None => printed,
        };
        (printed, done.status.success())
    }
}

/// Runs a page. Answers with its text as it should be.
fn told(name: &str, text: &str, faults: &mut Vec<String>) -> String {
    let mut page = Page::open();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut changes = Vec::new();
    for step in steps(text) {
        match step {
            Step::Run(command) => {
                let (printed, worked) = page.run(&format!("set -e; {command}"));
                if !worked {
                    faults.push(format!("{name}: the scene is not set by {command}\n{printed}"));
                }
            }
            Step::Server => page.server = Some(page.home.serve(&[])),
            Step::Shown(shown) => {
                let (printed, worked) = page.run(&shown.command);
                if !worked && !shown.output.iter().any(|line| line.starts_with("error")) {
                    faults.push(format!("{name}:{}: $ {} fails\n{printed}", shown.line, shown.command));
                }
                let found: Vec<&str> = printed.trim_end().lines().collect();
                match compare(&shown.output, &found) {
                    Some(words) => page.words.extend(words),
                    None => {
                        faults.push(format!(
                            "{name}:{}: $ {}\nprints\n{printed}\nand not\n{}\n",
                            shown.line,
                            shown.command,
                            shown.output.join("\n")
                        ));
                        changes.push((shown.line..shown.line + shown.output.len(), printed));
                    }
                }
            }
        }
    }
    for (span, printed) in changes.into_iter().rev() {
        lines.splice(span, printed.trim_end().lines().map(str::to_owned));
    }
    lines.join("\n") + "\n"
}

fn pages() -> Vec<PathBuf> {
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        docs.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect();
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

#[test]
fn every_command_of_the_documents_does_what_they_say() {
    let writes = std::env::var("LACUNA_TEST_DOCS").is_ok_and(|word| word == "write");
    let mut faults = Vec::new();
    let mut run = 0;
    for path in pages() {
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        let text = fs::read_to_string(&path).unwrap();
        run += steps(&text).iter().filter(|step| matches!(step, Step::Shown(_))).count();
        let right = told(&name, &text, &mut faults);
        if writes && right != text {
            fs::write(&path, right).unwrap();
        }
    }
    assert!(run > 40, "only {run} commands were found in the documents");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A command that is only indented would not be run.
#[test]
fn commands_stand_in_blocks_that_are_run() {
    for path in pages() {
        let text = fs::read_to_string(&path).unwrap();
        let mut within = false;
        for (number, line) in (1..).zip(text.lines()) {
            within ^= line.trim_start().starts_with("```");
            let indented = ["    lacuna ", "    cargo ", "    curl ", "    $ "]
                .iter()
                .any(|start| line.starts_with(start));
            assert!(within || !indented, "{}, line {number}: {line}", path.display());
        }
    }
}

#[test]
fn the_policy_page_has_every_key() {
    let page = fs::read_to_string(root().join("docs/policy.md")).unwrap();
    let policy = Home::new().json(&["policy", "show"]);
    let mut keys: Vec<String> = Vec::new();
    for (key, value) in policy.as_object().unwrap() {
        let table = ["compaction", "context", "retention"].contains(&key.as_str());
        keys.extend(value.as_object().filter(|_| table).into_iter().flat_map(|table| table.keys().cloned()));
        keys.push(if table { format!("[{key}]") } else { key.clone() });
    }
    assert!(keys.len() > 30, "{keys:?}");
    let missing: Vec<_> = keys
        .iter()
        .filter(|key| !page.contains(&format!("`{key}`")) && !page.contains(&format!("`{key}.")))
        .collect();
    assert!(missing.is_empty(), "docs/policy.md does not name {missing:?}");
}

/// Adds the text of every Rust file below a folder.
fn add_sources(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_sources(&path, text);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn every_requirement_of_the_five_documents_names_a_test_or_a_command_that_exists() {
    const REQUIREMENTS_MIN: usize = 150;
    let mut sources = String::new();
    add_sources(&root().join("crates"), &mut sources);
    let page = fs::read_to_string(root().join("docs/seeds.md")).unwrap();
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| "))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .filter(|row: &Vec<&str>| row.len() == 5 && row[2].starts_with('`'))
        .collect();
    assert!(rows.len() >= REQUIREMENTS_MIN, "{} requirements", rows.len());
    let home = Home::new();
    for row in rows {
        assert!(["yes", "part", "differs", "no"].contains(&row[3]), "{row:?}");
        let tried = row[2].trim_matches('`');
        match tried.strip_prefix("lacuna ") {
            Some(command) => drop(home.run(&command.split(' ').collect::<Vec<_>>()).ok()),
            None => assert!(sources.contains(&format!("fn {tried}(")), "no test is called {tried}"),
        }
    }
}

#[test]
fn what_is_compared_is_what_was_said() {
    let shown = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let fits = |page: &str, real: &str| compare(&shown(page), &real.lines().collect::<Vec<_>>());
    let page = "remembered  mem_01a1e30b14017a2f8f39c64dc53a7901\nat 2026-11-16T06:28:37.936Z, 157.3 ms";
    let real = "remembered mem_0bbbbbbbbbbb7a2f8f39c64dc53a7902\nat 2027-01-01T00:00:00Z, 2 ms";
    let words = fits(page, real).unwrap();
    assert_eq!(words["01a1e30b14017a2f8f39c64dc53a7901"], "0bbbbbbbbbbb7a2f8f39c64dc53a7902");
    assert!(fits(page, &real.replace("remembered", "forgot")).is_none());
    assert!(fits("a\n…\nd", "a\nb\nc\nd").is_some() && fits("a\n…\nd", "a\nb").is_none());
    assert!(fits("{\"x\":1,…}", "{\"x\":1,\"y\":2}").is_some() && fits("2 of 3", "2 of 4").is_none());
    assert!(fits("", "something").is_none() && fits("something", "").is_none());
    let text = "<!-- not run: needs a network -->\n```sh\nx\n```\n<!-- run: y -->\n```console\n$ a \\\n  b\nc\n```\n";
    let steps = steps(text);
    assert!(matches!(&steps[0], Step::Run(command) if command == "y"));
    assert!(matches!(&steps[1], Step::Shown(shown) if shown.command == "a \\\n  b" && shown.output == ["c"]));
    assert_eq!(steps.len(), 2);
}
