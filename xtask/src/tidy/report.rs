//! Findings of the checks, as they are printed.

use crate::Result;

/// Findings that a breach shows; `--lists` shows all.
const SHOWN_MAX: usize = 30;

#[derive(Default)]
pub(super) struct Report {
    /// Prints every finding that is allowed for now, and not only how many there are.
    lists: bool,
    lines: Vec<String>,
    breaches: Vec<String>,
}

impl Report {
    pub(super) fn new(lists: bool) -> Self {
        Self { lists, ..Self::default() }
    }

    pub(super) fn say(&mut self, line: String) {
        self.lines.push(line);
    }

    /// Says that a limit is looser than it has to be.
    pub(super) fn hint(&mut self, line: String) {
        self.lines.push(format!("hint: {line}"));
    }

    pub(super) fn breach(&mut self, line: String) {
        self.breaches.push(line);
    }

    /// Compares a number of findings with the most that are allowed.
    pub(super) fn at_most(&mut self, subject: &str, found: usize, limit: usize, list: &[String]) {
        self.say(format!("{subject}: {found} (at most {limit})"));
        self.list(found <= limit, &format!("{subject}: {found}, more than {limit}"), list);
        if found < limit {
            self.hint(format!("lower the limit from {limit} to {found} in xtask/src/tidy/limits.rs"));
        }
    }

    /// Compares a figure with the least that is allowed; `list` is what it falls short by.
    pub(super) fn at_least(&mut self, subject: &str, found: usize, limit: usize, list: &[String]) {
        self.say(format!("{subject}: {found} (at least {limit})"));
        self.list(found >= limit, &format!("{subject}: {found}, less than {limit}"), list);
    }

    /// Lists findings where they are a breach, and all of them where lists are asked for.
    fn list(&mut self, holds: bool, breach: &str, list: &[String]) {
        let shown = if self.lists { list.len() } else { SHOWN_MAX.min(list.len()) };
        let mut lines: Vec<_> = list[..shown].iter().map(|finding| format!("    {finding}")).collect();
        if shown < list.len() {
            lines.push(format!("    … and {} more: cargo xtask tidy --lists", list.len() - shown));
        }
        if !holds {
            lines.insert(0, breach.to_owned());
            self.breach(lines.join("\n"));
        } else if self.lists {
            self.lines.extend(lines);
        }
    }

    /// Prints everything, and fails when there is a breach.
    pub(super) fn end(self) -> Result {
        for line in &self.lines {
            eprintln!("tidy: {line}");
        }
        for breach in &self.breaches {
            eprintln!("tidy: breach: {breach}");
        }
        match self.breaches.len() {
            0 => Ok(()),
            1 => Err("tidy found 1 breach".into()),
            many => Err(format!("tidy found {many} breaches").into()),
        }
    }
}
