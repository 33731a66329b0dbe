//! Benchmarks that anybody can run without this workspace: Python programs under `bench/` that measure Lacuna and its peers alike,
//! and write pages of their own. Here they are given the binary, and their figures a place in the results.

use std::fs;
use std::path::Path;
use std::process::Command;

use xtask::process::step;

use super::report::{Report, commit, replace_part};
use super::{ROOT, program};
use crate::Result;

/// One of them.
pub(super) struct Scripted {
    /// Its folder under `bench/`, and the one of its figures.
    folder: &'static str,
    title: &'static str,
}

/// The traces that a request to forget leaves.
pub(super) const FORGETTING: Scripted =
    Scripted { folder: "forgetting", title: "The benchmark of forgetting" };
/// Questions to conversations, through each program's own search.
pub(super) const RECALL: Scripted = Scripted { folder: "recall", title: "Recall beside peers" };

impl Scripted {
    /// Runs it, `command` being the words that asked for it. The pages in the repository are of runs with all peers only.
    pub(super) fn measure(
        &self,
        given: Option<&Path>,
        peers: bool,
        more: &[&str],
        command: &str,
        folder: &Path,
    ) -> Result {
        let scripts = Path::new(ROOT).join("bench").join(self.folder);
        let mut python = Command::new("python3");
        python.arg(scripts.join("run.py")).arg("--lacuna").arg(program::given_or_built(given)?);
        // Of a program that was given, nobody here knows the commit.
        if given.is_none() {
            python.args(["--commit", &commit()]);
        }
        python.args(more);
        if peers {
            python.arg("--peers").arg("--pages").arg(&scripts);
        }
        if !peers {
            return step(&mut python);
        }
        // Begun before the run, because it has the load of the machine.
        let mut part = Report::part(self.title, command);
        step(&mut python)?;
        part.line("");
        part.line(&fs::read_to_string(folder.join(self.folder).join("section.md"))?);
        replace_part(self.title, &part.into_text())
    }
}
