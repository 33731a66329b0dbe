//! The results as a page of Markdown.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use std::{fs, thread};

use lacuna_types::{Clock, SystemClock};

pub(crate) struct Report(String);

impl Report {
    pub(crate) fn new(command: &str) -> Self {
        let mut report = Self(String::from("# Measured\n\n"));
        report.line(&format!(
            "One run on one machine, by `{command}`. How each figure is taken: [README](README.md)."
        ));
        report.line("");
        report.table(&["machine", ""], machine());
        report
    }

    /// A part of the page that another command writes, under a title of its own.
    pub(crate) fn part(title: &str, command: &str) -> Self {
        let mut report = Self(String::new());
        report.line(&format!("# {title}\n\nOne run on one machine, by `{command}`.\n"));
        report.table(&["machine", ""], machine());
        report
    }

    pub(crate) fn heading(&mut self, text: &str) {
        self.line(&format!("\n## {text}\n"));
    }

    /// Printed at once, so that a run that is stopped has not been for nothing.
    pub(crate) fn line(&mut self, text: &str) {
        println!("{text}");
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{text}");
    }

    pub(crate) fn table(&mut self, head: &[&str], rows: Vec<Vec<String>>) {
        self.line(&format!("| {} |", head.join(" | ")));
        self.line(&format!("|{}", "---|".repeat(head.len())));
        for row in rows {
            self.line(&format!("| {} |", row.join(" | ")));
        }
    }

    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

/// Puts a part in the place of the older one of its title, or at the end of the page of results.
pub(crate) fn replace_part(title: &str, part: &str) -> crate::Result {
    let path = Path::new(super::ROOT).join("bench/RESULTS.md");
    let page = fs::read_to_string(&path)?;
    Ok(fs::write(path, replaced(&page, title, part))?)
}

fn replaced(page: &str, title: &str, part: &str) -> String {
    let (before, after) = match page.find(&format!("\n# {title}\n")) {
        Some(start) => {
            let end = page[start + 1..].find("\n# ").map_or(page.len(), |end| start + 1 + end);
            (&page[..start], &page[end..])
        }
        None => (page, ""),
    };
    let parts = [before.trim_end(), part.trim(), after.trim()];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{}\n", parts.join("\n\n"))
}

/// The parts of the page that other commands write: all but the first.
pub(crate) fn other_parts(page: &str) -> &str {
    page.find("\n# ").map_or("", |start| &page[start + 1..])
}

fn machine() -> Vec<Vec<String>> {
    let cores = thread::available_parallelism().map_or(0, usize::from);
    let processor = field("/proc/cpuinfo", "model name");
    let memory = field("/proc/meminfo", "MemTotal");
    let gib = memory.trim_end_matches(" kB").parse::<f64>().unwrap_or(0.0) / f64::from(1 << 20);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().next().unwrap_or("unknown").to_owned();
    let rows = [
        ("processor", format!("{processor}, {cores} cores")),
        ("RAM", format!("{gib:.0} GiB")),
        ("load before the run", load),
        ("compiler", said_by("rustc", &["--version"])),
        ("commit", commit()),
        ("date", SystemClock.now().to_string()),
    ];
    rows.map(|(name, value)| vec![name.to_owned(), value]).into()
}

/// The first value under `name` in a file of `name : value` lines.
pub(super) fn field(path: &str, name: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    let mut pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs.find(|(key, _)| key.trim() == name).map_or("unknown".into(), |(_, value)| value.trim().to_owned())
}

/// The commit that is checked out, in short.
pub(super) fn commit() -> String {
    said_by("git", &["rev-parse", "--short", "HEAD"])
}

fn said_by(program: &str, args: &[&str]) -> String {
    let said =
        Command::new(program).args(args).output().ok().and_then(|out| String::from_utf8(out.stdout).ok());
    said.filter(|text| !text.is_empty()).map_or("unknown".into(), |text| text.trim().to_owned())
}

pub(crate) fn time(duration: Duration) -> String {
    let micros = duration.as_secs_f64() * 1e6;
    match micros {
        ..1e3 => format!("{micros:.0} µs"),
        ..1e4 => format!("{:.2} ms", micros / 1e3),
        ..1e6 => format!("{:.1} ms", micros / 1e3),
        _ => format!("{:.1} s", micros / 1e6),
    }
}

pub(crate) fn ratio(of: Duration, to: Duration) -> String {
    times(of.as_secs_f64() / to.as_secs_f64().max(f64::MIN_POSITIVE))
}

pub(crate) fn times(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.2}×") } else { format!("{ratio:.0}×") }
}

/// A number with its thousands apart.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|g| str::from_utf8(g).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_the_page_is_replaced_by_itself() {
        let page = "# Measured\n\n1\n\n# The gate\n\n2\n\n# Forgetting\n\n3\n";
        assert_eq!(other_parts(page), "# The gate\n\n2\n\n# Forgetting\n\n3\n");
        assert_eq!(other_parts("# Measured\n\n1\n"), "");
        let gate = "# The gate\n\n5\n";
        assert_eq!(replaced(page, "The gate", gate), page.replace('2', "5"));
        assert_eq!(replaced("# Measured\n\n1\n", "The gate", gate), "# Measured\n\n1\n\n# The gate\n\n5\n");
        assert_eq!(replaced(page, "Forgetting", "# Forgetting\n\n6"), page.replace('3', "6"));
    }

    #[test]
    fn figures_are_written_as_people_read_them() {
        assert_eq!(thousands(1_000_000), "1,000,000");
        assert_eq!(thousands(42), "42");
        assert_eq!(time(Duration::from_micros(149)), "149 µs");
        assert_eq!(time(Duration::from_micros(1_490)), "1.49 ms");
        assert_eq!(time(Duration::from_millis(14_900)), "14.9 s");
        assert_eq!(ratio(Duration::from_millis(3), Duration::from_millis(2)), "1.50×");
    }
}
