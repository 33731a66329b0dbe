//! The benchmark of forgetting: `bench/forgetting/run.py` asks Lacuna and its peers to forget the same story, and looks for
//! what they left. Anybody can run that program without this workspace; here it is given the binary, and its figures a
//! place in the results.

use std::fs;
use std::path::Path;
use std::process::Command;

use xtask::process::step;

use super::report::{Report, commit, replace_part};
use super::{ROOT, program};
use crate::Result;

const TITLE: &str = "The benchmark of forgetting";

/// Runs it, `command` being the words that asked for it. The pages in the repository are of runs with all peers only.
pub(super) fn measure(peers: bool, command: &str, folder: &Path) -> Result {
    let scripts = Path::new(ROOT).join("bench/forgetting");
    let mut python = Command::new("python3");
    python.arg(scripts.join("run.py")).arg("--lacuna").arg(program::built()?).args(["--commit", &commit()]);
    if peers {
        python.arg("--peers").arg("--pages").arg(&scripts);
    }
    step(&mut python)?;
    if !peers {
        return Ok(());
    }
    let mut part = Report::part(TITLE, command);
    part.line("");
    part.line(&fs::read_to_string(folder.join("forgetting/section.md"))?);
    replace_part(TITLE, &part.into_text())
}
