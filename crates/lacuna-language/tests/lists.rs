//! No list is fitted to the development cases: a rare word of a case stands in no rule. Skipped without the data.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use rust_stemmers::{Algorithm, Stemmer};

/// Shorter words are common in one language or another.
const LETTERS_MIN: usize = 6;
/// Folders whose rules choose what is forgotten.
const FOLDERS: &[&str] = &["topic", "request", "clause", "languages"];

/// Stems of the longer words of a text; the forms of a word count as one.
fn stems(text: &str) -> HashSet<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| word.chars().count() >= LETTERS_MIN);
    words.map(|word| stemmer.stem(&word.to_lowercase()).into_owned()).collect()
}

fn data() -> PathBuf {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    std::env::var_os("LACUNA_DEVELOPMENT_DATA").map_or_else(|| beside.into(), PathBuf::from)
}

/// Stems that only the cases have.
fn rare(data: &Path) -> Option<HashSet<String>> {
    let mut rare = stems(&fs::read_to_string(data.join("forgeteval_dev.jsonl")).ok()?);
    for entry in fs::read_dir(data).ok()?.flatten() {
        if entry.file_name().to_string_lossy().starts_with("retrieval_") {
            let common = stems(&fs::read_to_string(entry.path()).ok()?);
            rare.retain(|word| !common.contains(word));
        }
    }
    Some(rare)
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the crate").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs")
            && !path.ends_with("tests.rs")
            && !path.ends_with("fact.rs")
        {
            found.push(path);
        }
    }
}

/// Lines of code without comments and without unit tests. The patterns of facts, which end the file of a language or
/// have one of their own (`fact.rs`), choose nothing that is forgotten by its topic.
fn rules(source: &str) -> String {
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code = code.split("\nconst FACT").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| line.split("//").take(1)).collect::<Vec<_>>().join("\n")
}

/// Text between quotes.
fn quoted(code: &str) -> String {
    code.replace("'\"'", "").split('"').skip(1).step_by(2).collect::<Vec<_>>().join("\n")
}

#[test]
fn no_rare_word_of_a_case_stands_in_a_list() {
    let Some(rare) = rare(&data()) else { return eprintln!("skipped: no development data") };
    let mut paths = Vec::new();
    for folder in FOLDERS {
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder), &mut paths);
    }
    let mut fitted = Vec::new();
    for path in &paths {
        let lists = stems(&quoted(&rules(&fs::read_to_string(path).expect("a source"))));
        fitted.extend(lists.intersection(&rare).map(|word| format!("{}: {word}", path.display())));
    }
    assert!(fitted.is_empty(), "{fitted:#?}");
}
