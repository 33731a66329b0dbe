//! The example hosts: a transcript is archived before compaction, and the next conversation remembers.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::Home;

fn example(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(path)
}

/// The texts that wait for a consent: the health sentence is held, not lost.
fn held(home: &Home) -> String {
    home.json(&["review", "list"]).to_string()
}

#[test]
fn a_host_of_the_agent_sdk_archives_and_remembers() {
    let home = Home::new();
    let folder = home.path("talk");
    std::fs::create_dir(&folder).unwrap();
    let program = Path::new(home.binary()).parent().unwrap().to_str().unwrap().to_owned();
    let path = format!("{program}:{}", std::env::var("PATH").unwrap());
    let home = home.with("PATH", &path);
    let script = example("agent-sdk/talk.py");
    let done = home.program(Path::new("python3"), &[script.to_str().unwrap(), folder.to_str().unwrap()]).ok();
    let second = done.stdout.split("second> ").nth(1).unwrap();
    assert!(second.contains("Ida lives in Turku"), "{}", done.stdout);
    let shown = home.json(&["session", "show", "first"]).to_string();
    assert!(shown.contains("Ida lives in Turku"), "{shown}");
    assert!(held(&home).contains("diabetes"), "{}", held(&home));
}

#[test]
fn a_nanoclaw_runner_archives_and_remembers() {
    if Command::new("node").arg("--version").output().is_err() {
        println!("skipped: there is no node");
        return;
    }
    let home = Home::new();
    let server = home.serve(&[]);
    let script = example("nanoclaw/talk.mjs");
    let done = home.program(Path::new("node"), &[script.to_str().unwrap(), &server.url]).ok();
    assert!(done.stdout.contains("Ida lives in Turku"), "{}{}", done.stdout, done.stderr);
    drop(server);
    assert!(held(&home).contains("diabetes"), "{}", held(&home));
}
