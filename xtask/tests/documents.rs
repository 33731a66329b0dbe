//! What the documents say is there, is there.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop there")]

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The words between backticks that look like paths of this repository.
fn named_paths(text: &str) -> Vec<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    let roots = ["crates/", "xtask", "measure", "bench/", "docs/", "fuzz", "sdk/", ".ci/"];
    let is_path =
        |word: &&str| roots.iter().any(|root| word.starts_with(root)) && !word.contains([' ', '*', '<']);
    quoted.filter(is_path).collect()
}

#[test]
fn every_path_that_a_document_names_exists() {
    let documents = [
        "README.md",
        "ARCHITECTURE.md",
        "SECURITY.md",
        "CHANGELOG.md",
        "bench/README.md",
        "docs/gate.md",
        "docs/retention.md",
        "docs/forgetting.md",
        "docs/audit.md",
        "docs/export.md",
        "docs/sessions.md",
        "docs/context.md",
        "docs/compaction.md",
        "docs/get-started.md",
        "docs/assistants.md",
        "docs/operations.md",
        "docs/http.md",
        "docs/sdk.md",
        "docs/configuration.md",
        "docs/mcp.md",
        "docs/vaults.md",
        "docs/policy.md",
        "docs/errors.md",
        "docs/seeds.md",
    ];
    for document in documents {
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        let gone: Vec<_> =
            named_paths(&text).into_iter().filter(|path| !root().join(path).exists()).collect();
        assert!(gone.is_empty(), "{document} names what is not there: {gone:?}");
    }
    let map = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    assert!(named_paths(&map).len() > 20, "the map names its places");
}

/// The map shortens paths in the core to those below its `src`.
#[test]
fn every_short_path_of_the_map_is_in_the_core() {
    let map = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let full = named_paths(&map);
    let quoted = map.split('`').skip(1).step_by(2);
    let short: Vec<_> = quoted.filter(|word| word.ends_with(".rs") && !full.contains(word)).collect();
    let core = root().join("crates/lacuna-core/src");
    let gone: Vec<_> = short.iter().filter(|path| !core.join(path).exists()).collect();
    assert!(gone.is_empty(), "the map names what is not there: {gone:?}");
    assert!(short.len() > 20, "the walks name their files");
}

#[test]
fn the_ci_runs_the_test_command_of_the_readme() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let ci = std::fs::read_to_string(root().join(".ci/run")).unwrap();
    assert!(readme.contains("\ncargo xtask test\n"));
    assert!(ci.lines().any(|line| line.trim() == "cargo xtask test"));
}

/// Every promise of the tables in SECURITY.md names a test that is there.
#[test]
fn every_row_of_a_security_table_names_its_test() {
    let mut code = String::new();
    visit(&root().join("crates"), &mut |_, text| code.push_str(text));
    let document = std::fs::read_to_string(root().join("SECURITY.md")).unwrap();
    let mut rows = 0;
    let mut is_promise = false;
    for line in document.lines() {
        if !line.starts_with('|') {
            is_promise = false;
        } else if line.ends_with("| shown by |") {
            is_promise = true;
        } else if is_promise && !line.starts_with("|---") {
            let (_, shown_by) = line.trim_end_matches(" |").rsplit_once(" | ").unwrap();
            let names: Vec<_> = shown_by.split('`').skip(1).step_by(2).collect();
            assert!(!names.is_empty(), "no test is named: {line}");
            for name in names.into_iter().filter(|name| !name.ends_with(".rs")) {
                let function = name.rsplit("::").next().unwrap();
                assert!(code.contains(&format!("fn {function}(")), "{name} is not there");
            }
            rows += 1;
        }
    }
    assert!(rows > 30, "the tables were read: {rows} rows");
}

/// Every row of docs/seeds.md names a test or a command that is there, and one of four states.
#[test]
fn every_row_of_the_seeds_page_names_a_test_or_a_command() {
    let mut code = String::new();
    visit(&root().join("crates"), &mut |_, text| code.push_str(text));
    let commands =
        std::fs::read_to_string(root().join("crates/lacuna/src/cli/args.rs")).unwrap().to_lowercase();
    let page = std::fs::read_to_string(root().join("docs/seeds.md")).unwrap();
    let mut rows = 0;
    let mut in_table = false;
    for line in page.lines() {
        if !line.starts_with('|') {
            in_table = false;
        } else if line == "| requirement | where | how to try it | state | difference |" {
            in_table = true;
        } else if in_table && !line.starts_with("|---") {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            assert_eq!(cells.len(), 5, "{line}");
            let names: Vec<_> = cells[2].split('`').skip(1).step_by(2).collect();
            assert!(!names.is_empty(), "nothing to try: {line}");
            for name in names {
                match name.strip_prefix("lacuna ") {
                    Some(command) => {
                        let first = command.split(' ').next().unwrap();
                        let is_there =
                            [format!("    {first}("), format!("    {first},"), format!("    {first} {{")];
                        assert!(is_there.iter().any(|form| commands.contains(form)), "{name} is no command");
                    }
                    None => assert!(code.contains(&format!("fn {name}(")), "{name} is not there"),
                }
            }
            assert!(["yes", "part", "differs", "no"].contains(&cells[3]), "{line}");
            assert!(cells[3] == "yes" || !cells[4].is_empty(), "no reason is given: {line}");
            rows += 1;
        }
    }
    assert!(rows >= 150, "only {rows} rows");
}

/// Only the kernels, the heap and locked memory may be unsafe: every other exception would show here.
#[test]
fn unsafe_code_lives_in_four_modules() {
    let mut exceptions = Vec::new();
    visit(&root().join("crates"), &mut |path, text| {
        if text.lines().any(|line| line.contains("allow(unsafe_code") || line.contains("expect(unsafe_code"))
        {
            exceptions.push(path.strip_prefix(root()).unwrap().to_owned());
        }
    });
    exceptions.sort();
    let known = [
        "crates/lacuna-core/src/index/kernels.rs",
        "crates/lacuna-models/src/kernels.rs",
        "crates/lacuna-seal/src/heap.rs",
        "crates/lacuna-seal/src/locked.rs",
    ];
    assert_eq!(exceptions, known.map(Path::new));
}

fn visit(folder: &Path, see: &mut impl FnMut(&Path, &str)) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            visit(&path, see);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            see(&path, &std::fs::read_to_string(&path).unwrap());
        }
    }
}
