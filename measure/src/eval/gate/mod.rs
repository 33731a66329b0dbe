//! `cargo xtask eval gate`: what the gate stops that it should, and what it stops that it should not.
//!
//! One file per part of the gate, each of which adds its section to the page. The sets are not ours to ship:
//! a part without its set says so and adds nothing.

mod injections;
mod pii;
mod secrets;
mod whole;

use std::fs;
use std::path::PathBuf;

use serde::Deserialize;

use crate::Result;
use crate::bench::again_in_release;
use crate::bench::report::{Report, replace_part};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");
const TITLE: &str = "The gate";

/// The parts, in the order in which a text meets them.
const SECTIONS: &[fn(&Sets, &mut Report) -> Result] =
    &[secrets::write, injections::write, pii::write, whole::write];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder of the sets.
    #[arg(long, default_value = DATA)]
    data: PathBuf,
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
    for section in SECTIONS {
        section(&Sets(args.data.clone()), &mut report)?;
    }
    if args.write { replace_part(TITLE, &report.into_text()) } else { Ok(()) }
}

/// The folder with the sets.
struct Sets(PathBuf);

impl Sets {
    /// The rows of a file with one JSON object per line; nothing when there is no such file, and that is said.
    fn rows<T: for<'de> Deserialize<'de>>(&self, file: &str) -> Result<Option<Vec<T>>> {
        let Some(text) = self.text(file) else { return Ok(None) };
        let rows = text.lines().filter(|line| !line.trim().is_empty()).map(serde_json::from_str);
        Ok(Some(rows.collect::<Result<_, _>>()?))
    }

    /// Every turn of the dialogues: ordinary text that the gate should leave alone.
    fn turns(&self) -> Result<Option<Vec<String>>> {
        let Some(text) = self.text("retrieval_locomo_dev.json") else { return Ok(None) };
        let dialogues: Dialogues = serde_json::from_str(&text)?;
        let turns = dialogues.spaces.into_iter().flat_map(|space| space.docs).map(|turn| turn.text);
        Ok(Some(turns.collect()))
    }

    fn text(&self, file: &str) -> Option<String> {
        let path = self.0.join(file);
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
