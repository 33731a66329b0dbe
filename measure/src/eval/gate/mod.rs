//! `cargo xtask eval gate`: what the gate stops that it should, and what it stops that it should not.
//!
//! One file per part of the gate, each of which adds its section to the page. The sets are not ours to ship:
//! a part without its set says so and adds nothing.

mod injections;
mod pii;
mod reach;
mod secrets;
mod sentences;
mod whole;

use std::fs;
use std::path::PathBuf;

use serde::Deserialize;

use crate::Result;
use crate::bench::again_in_release;
use crate::bench::report::{Report, replace_part};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");
const TITLE: &str = "The gate";

/// One part of the page.
type Section = fn(&Sets, &mut Report) -> Result;

/// The parts by name, in the order in which a text meets them.
const SECTIONS: &[(&str, Section)] = &[
    ("secrets", secrets::write),
    ("orders", injections::write),
    ("identifiers", pii::write),
    ("sentences", sentences::write),
    ("writes", whole::write),
    ("contexts", reach::write),
];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder of the sets.
    #[arg(long, default_value = DATA)]
    data: PathBuf,
    /// Only the parts of these names: secrets, orders, identifiers, sentences, writes, contexts.
    #[arg(long)]
    only: Vec<String>,
    /// Also run the closed half of the labelled sentences, whose single results are never printed.
    #[arg(long)]
    closed: bool,
    /// Print every sentence of the open half that is judged wrong.
    #[arg(long)]
    failures: bool,
    /// Also write the figures into `bench/RESULTS.md`.
    #[arg(long)]
    write: bool,
    /// This build, even if it is a debug one, whose speed says nothing.
    #[arg(long)]
    as_built: bool,
}

pub(crate) fn run(args: &Args) -> Result {
    if cfg!(debug_assertions) && !args.as_built {
        return again_in_release();
    }
    let mut report = Report::part(TITLE, "cargo xtask eval gate");
    report.line(super::DEVELOPMENT_NOTE);
    let sets = Sets { folder: args.data.clone(), closed: args.closed, failures: args.failures };
    let chosen = |name: &str| args.only.is_empty() || args.only.iter().any(|only| only == name);
    for (_, section) in SECTIONS.iter().filter(|(name, _)| chosen(name)) {
        section(&sets, &mut report)?;
    }
    if args.write { replace_part(TITLE, &report.into_text()) } else { Ok(()) }
}

/// The sets, and the parts of them that are wanted.
struct Sets {
    folder: PathBuf,
    closed: bool,
    failures: bool,
}

impl Sets {
    /// The rows of a file with one JSON object per line; nothing when there is no such file, and that is said.
    fn rows<T: for<'de> Deserialize<'de>>(&self, file: &str) -> Result<Option<Vec<T>>> {
        let Some(text) = self.text(file) else { return Ok(None) };
        let rows = text.lines().filter(|line| !line.trim().is_empty()).map(serde_json::from_str);
        Ok(Some(rows.collect::<Result<_, _>>()?))
    }

    /// Every turn of the dialogues: ordinary text that the gate should leave alone.
    fn turns(&self) -> Result<Option<Vec<String>>> {
        self.turns_of("retrieval_locomo_dev.json")
    }

    /// Every turn of one file of dialogues.
    fn turns_of(&self, file: &str) -> Result<Option<Vec<String>>> {
        let Some(text) = self.text(file) else { return Ok(None) };
        let dialogues: Dialogues = serde_json::from_str(&text)?;
        let turns = dialogues.spaces.into_iter().flat_map(|space| space.docs).map(|turn| turn.text);
        Ok(Some(turns.collect()))
    }

    fn text(&self, file: &str) -> Option<String> {
        let path = self.folder.join(file);
        let text = fs::read_to_string(&path).ok();
        if text.is_none() {
            println!("skipped: there is no {}", path.display());
        }
        text
    }
}

#[derive(Deserialize)]
struct Dialogues {
    spaces: Vec<Dialogue>,
}

#[derive(Deserialize)]
struct Dialogue {
    docs: Vec<Turn>,
}

#[derive(Deserialize)]
struct Turn {
    text: String,
}

/// A share as people read it, with what it is of.
fn share(part: usize, whole: usize) -> String {
    format!("{:.2}% ({part} of {whole})", 100.0 * part as f64 / whole.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_written_with_what_they_are_of() {
        assert_eq!(share(1, 8), "12.50% (1 of 8)");
        assert_eq!(share(0, 0), "0.00% (0 of 0)");
    }
}
