//! Imports of files that the programs themselves made, each by its own calls. `cargo xtask test` installs the programs.
//!
//! ChatGPT and Claude are services and make no files here: what their exports look like is in `imports`. basic-memory wants a newer Python than
//! the other tests do: a note that it wrote is kept here as it wrote it, and the long tests let it write one.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::exports::last_line;
use crate::imports::texts;
use crate::postgres_database::Database;
use crate::support::Home;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// By `write_note` and `edit_note` of basic-memory 0.24.1.
const NOTE: &str = "---
title: Sourdough
type: note
permalink: main/kitchen/sourdough
tags:
- baking
- bread
---

# Sourdough

The starter lives in the cellar.

## Observations
- [method] Feed it at dawn #starter (since spring)
- [fact] Rye keeps longest

## Relations
- needs [[Rye flour]]

- [fact] The long loaf needs forty minutes
";

fn tools() -> Option<PathBuf> {
    let folder = std::env::var_os("LACUNA_TEST_ADAPTER_TOOLS").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: no packages for the adapters; `cargo xtask test` installs them");
    }
    folder
}

/// Runs a script that makes files.
fn make(home: &Home, python: &Path, script: &str, args: &[&str]) {
    let script = format!("{REPOSITORY}/crates/lacuna/tests/doors/{script}");
    let args: Vec<&str> = std::iter::once(script.as_str()).chain(args.iter().copied()).collect();
    let done = home.program(python, &args);
    assert_eq!(done.code, 0, "{}\n{}", done.stdout, done.stderr);
}

/// Imports a file, after a look that stores nothing and counts the same. Answers with the sums.
fn import(home: &Home, file: &Path) -> Value {
    let file = file.to_str().unwrap();
    let dry = last_line(&home.run(&["import", file, "--dry-run", "--json"]).ok().stdout);
    assert_eq!(texts(home).len(), 0, "a look stores nothing");
    let sums = last_line(&home.run(&["import", file, "--json"]).ok().stdout);
    for count in ["stored", "waiting", "refused"] {
        assert_eq!(dry[count], sums[count], "{count}");
    }
    sums
}

/// Accepts what waits of one program, and finds it afterwards.
fn accept(home: &Home, source: &str, question: &str, found: &str) {
    assert!(!home.run(&["recall", question]).ok().stdout.contains(found), "it waits for its owner");
    home.run(&["review", "accept", "--source", source]).ok();
    assert!(home.run(&["recall", question]).ok().stdout.contains(found));
}

#[test]
fn memories_and_history_that_mem0_wrote() {
    let Some(tools) = tools() else { return };
    let maker = Home::new().quiet_mem0().with("OPENAI_API_KEY", "unused");
    let folder = maker.path("mem0");
    std::fs::create_dir(&folder).unwrap();
    make(&maker, &tools.join("python/bin/python"), "made_by_mem0.py", &[folder.to_str().unwrap()]);
    for file in ["all.json", "history.db"] {
        let home = Home::new();
        let sums = import(&home, &folder.join(file));
        assert_eq!((&sums["from"], &sums["waiting"]), (&json!("mem0"), &json!(2)), "{file}: {sums}");
        let mut told = texts(&home);
        told.sort();
        // The text before the update and the deleted one are still in the history; they do not come in.
        assert_eq!(told, ["Keeps bees on the roof", "Sings in a choir on Thursdays"], "{file}");
        accept(&home, "import:mem0", "bees", "roof");
    }
}

#[test]
fn rows_that_langgraphs_postgres_store_wrote() {
    let Some(tools) = tools() else { return };
    let Some(database) = Database::make("langgraph") else { return };
    let home = Home::new();
    let file = home.path("store.jsonl");
    let args = [&database.url(), file.to_str().unwrap()];
    make(&home, &tools.join("langchain/bin/python"), "made_by_langgraph.py", &args);
    let sums = import(&home, &file);
    assert_eq!((&sums["from"], &sums["stored"]), (&json!("langgraph"), &json!(3)), "{sums}");
    let server = home.serve(&[]);
    let commute = server.get("/v1/records/users/ada/commute").expect(200);
    assert_eq!(
        commute["value"],
        json!({"text": "cycles along the canal", "legs": [1, 2.5, null, {"ü": true}]})
    );
    let choir = server.get("/v1/records/users/ada/choir").expect(200);
    assert_eq!(choir["value"]["text"], "sings on Thursdays");
    let ticket = server.get("/v1/records/users/ben/ticket").expect(200);
    assert!(ticket["expires_at"].is_string(), "{ticket}");
    assert_eq!(server.get("/v1/records/users/ben/debt").status, 404);
}

#[test]
fn a_graph_that_the_mcp_reference_server_wrote() {
    let Some(tools) = tools() else { return };
    let home = Home::new();
    let (file, modules) = (home.path("memory.jsonl"), tools.join("node/node_modules"));
    let (node, server) =
        (modules.join("node/bin/node"), modules.join("@modelcontextprotocol/server-memory/dist/index.js"));
    let client = format!("{REPOSITORY}/bench/forgetting");
    let args = [&client, node.to_str().unwrap(), server.to_str().unwrap(), file.to_str().unwrap()];
    make(&home, Path::new("python3"), "made_by_mcp_memory.py", &args);
    let sums = import(&home, &file);
    assert_eq!((&sums["from"], &sums["waiting"]), (&json!("mcp-memory"), &json!(4)), "{sums}");
    let mut told = texts(&home);
    told.sort();
    assert_eq!(
        told,
        [
            "Ottoline Vance lives at The Mill",
            "Ottoline Vance: Lives above the mill",
            "Ottoline Vance: Restores clocks",
            "The Mill: place"
        ]
    );
    accept(&home, "import:mcp-memory", "clocks", "Restores clocks");
}

#[test]
fn a_note_that_basic_memory_wrote() {
    let home = Home::new();
    let folder = home.path("notes/kitchen");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("Sourdough.md"), NOTE).unwrap();
    import_sourdough(&home, &home.path("notes"));
}

#[test]
#[ignore = "installs basic-memory, which `cargo xtask test --long` does"]
fn a_note_that_basic_memory_writes_now() {
    let home = Home::new();
    let folder = home.path("basic-memory");
    let args = [&format!("{REPOSITORY}/bench"), folder.to_str().unwrap()];
    make(&home, Path::new("python3"), "made_by_basic_memory.py", &args);
    import_sourdough(&home, &folder.join("notes"));
}

/// Imports the folder with the note about sourdough, and nothing of another one that was deleted.
fn import_sourdough(home: &Home, notes: &Path) {
    let sums = import(home, notes);
    assert_eq!((&sums["from"], &sums["waiting"]), (&json!("basic-memory"), &json!(5)), "{sums}");
    let mut told = texts(home);
    told.sort();
    assert_eq!(
        told,
        [
            "Sourdough\n\nThe starter lives in the cellar.",
            "Sourdough needs Rye flour",
            "Sourdough: Feed it at dawn (since spring)",
            "Sourdough: Rye keeps longest",
            "Sourdough: The long loaf needs forty minutes"
        ]
    );
    accept(home, "import:basic-memory", "cellar", "starter lives");
}
