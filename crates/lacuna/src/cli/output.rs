//! Output on the terminal: tables for people, JSON for programs, and never an escape sequence of a memory.
//! Our own escape sequences colour the labels of errors and dim what is weak, on a terminal only.

use std::ffi::OsStr;
use std::io::{self, ErrorKind, IsTerminal, Write};

use comfy_table::{ContentArrangement, Table, presets};
use jiff::Timestamp;
use serde::Serialize;

use crate::codes;
use crate::console::in_english;
use crate::http::Problem;
use crate::wire::failure::{Failure, Result};

/// Columns of a table in a file or a pipe: people read it there too, and programs take JSON.
const PIPED_COLUMNS: u16 = 80;
/// Fewest columns that the variable `COLUMNS` can ask for.
const PIPED_COLUMNS_MIN: u16 = 40;

const RED: &str = "\u{1b}[1;31m";
const CYAN: &str = "\u{1b}[36m";
const DIM: &str = "\u{1b}[2m";
const PLAIN: &str = "\u{1b}[0m";

/// True on a terminal that shows colours, unless no-color.org's variable forbids them.
fn colours_wanted(is_terminal: bool, no_color: Option<&OsStr>, term: Option<&OsStr>) -> bool {
    is_terminal && no_color.is_none_or(OsStr::is_empty) && term.is_some_and(|term| term != "dumb")
}

fn shows_colours(is_terminal: bool) -> bool {
    colours_wanted(is_terminal, std::env::var_os("NO_COLOR").as_deref(), std::env::var_os("TERM").as_deref())
}

pub(super) struct Output {
    json: bool,
}

impl Output {
    pub(super) fn new(json: bool) -> Self {
        Self { json }
    }

    pub(super) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints the answer: as JSON, or as `people` render it.
    pub(super) fn show<T: Serialize>(&self, answer: &T, people: impl FnOnce(&T) -> String) -> Result<()> {
        if self.json { self.json_line(answer) } else { write_out(&people(answer)) }
    }

    pub(super) fn json_line<T: Serialize>(&self, answer: &T) -> Result<()> {
        write_out(&json(answer))
    }

    /// Tells something on the side, to people only.
    pub(super) fn note(&self, text: &str) {
        if !self.json {
            write_err(&plain(text));
        }
    }

    /// Tells something on standard error, as JSON or as `people` render it.
    pub(super) fn aside<T: Serialize>(&self, answer: &T, people: impl FnOnce(&T) -> String) {
        write_err(&if self.json { json(answer) } else { plain(&people(answer)) });
    }

    pub(super) fn fail(&self, failure: &Failure) {
        if self.json {
            write_err(&json(&Problem::for_operator(failure)));
            return;
        }
        let sentence = plain(&failure.detail);
        let is_coloured = shows_colours(io::stderr().is_terminal());
        let label = |text: &str, colour: &str| match is_coloured {
            true => format!("{colour}{text}{PLAIN}"),
            false => text.to_owned(),
        };
        let code = label(&format!("error[{}]:", failure.code.name), RED);
        write_err(&format!("{code} {}", sentence.trim_end()));
        write_err(&format!("  {} {}", label("what to do:", CYAN), failure.code.remedy));
    }

    /// Asks for one of several letters on the terminal; `None` when there is nobody to ask.
    pub(super) fn choose(&self, question: &str) -> Option<String> {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return None;
        }
        let mut stderr = io::stderr().lock();
        write!(stderr, "{}", plain(question)).and_then(|()| stderr.flush()).ok()?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer).ok()?;
        let letter = answer.trim().chars().next()?;
        Some(letter.to_lowercase().to_string())
    }

    /// Asks on the terminal; `None` when there is nobody to ask.
    pub(super) fn ask(&self, question: &str) -> Option<bool> {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return None;
        }
        let mut stderr = io::stderr().lock();
        write!(stderr, "{question} [y/N] ").and_then(|()| stderr.flush()).ok()?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer).ok()?;
        Some(matches!(answer.trim(), "y" | "Y" | "yes"))
    }
}

/// Columns of a table that no terminal shows: as the variable `COLUMNS` says, or the default.
fn piped_columns(wanted: Option<&str>) -> u16 {
    let wanted = wanted.and_then(|columns| columns.parse().ok());
    wanted.map_or(PIPED_COLUMNS, |columns: u16| columns.max(PIPED_COLUMNS_MIN))
}

/// A table with a header, without borders, as wide as the terminal, or as [`piped_columns`] says elsewhere.
pub(super) fn table<const N: usize>(
    header: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(header);
    if !io::stdout().is_terminal() {
        table.set_width(piped_columns(std::env::var("COLUMNS").ok().as_deref()));
    }
    for row in rows {
        table.add_row(row.map(|cell| line(&cell)));
    }
    table.trim_fmt()
}

/// A text that is harmless already, dimmed where standard output is a terminal.
pub(super) fn dimmed(text: String) -> String {
    if shows_colours(io::stdout().is_terminal()) { format!("{DIM}{text}{PLAIN}") } else { text }
}

/// Names and values below one another.
pub(super) fn fields(rows: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let rows: Vec<_> = rows.into_iter().collect();
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines: Vec<_> = rows.iter().map(|(name, value)| format!("{name:width$}  {}", plain(value))).collect();
    lines.join("\n")
}

/// The words for a value of a closed set, such as `explicit_save` of `source`; `--json` has the value itself.
pub(super) fn in_words(set: &str, value: impl ToString) -> String {
    in_english(set, &value.to_string())
}

/// The end of a memory's time with its reason in words, such as `2027-01-15: financial`.
pub(super) fn kept_until(at: Timestamp, because: Option<&str>) -> String {
    let worded = |reason: &str| {
        // Categories are words already, and a value that no set has keeps its own letters.
        let unknown = in_words("", reason);
        let sets = ["retention", "privacy"].iter().map(|set| in_words(set, reason));
        sets.into_iter().find(|words| *words != unknown).unwrap_or(unknown)
    };
    because.map_or_else(|| day(at), |reason| format!("{}: {}", day(at), worded(reason)))
}

/// A moment as a table shows it, in UTC and to the minute.
pub(super) fn minute(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M").to_string()
}

/// A day as a table shows it, in UTC.
pub(super) fn day(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}

/// A number and a noun in singular or plural: `1 memory`, `2 memories`.
pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    let what = if count == 1 { one } else { many };
    format!("{count} {what}")
}

/// A text as a terminal may show it: line breaks and tabs stay, every other control character and everything
/// that reorders text becomes visible.
pub(super) fn plain(text: &str) -> String {
    text.chars()
        .map(|c| if unsafe_for_terminals(c) && c != '\n' && c != '\t' { '\u{fffd}' } else { c })
        .collect()
}

/// The same on one line.
pub(super) fn line(text: &str) -> String {
    plain(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn unsafe_for_terminals(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// JSON in which no character can act on a terminal: those occur inside strings only, where an escape means
/// the same.
fn json<T: Serialize>(answer: &T) -> String {
    let text = serde_json::to_string(answer).expect("wire types have no maps with other keys than text");
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if unsafe_for_terminals(c) {
            safe.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            safe.push(c);
        }
    }
    safe
}

fn write_out(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match writeln!(stdout, "{}", text.trim_end_matches('\n')).and_then(|()| stdout.flush()) {
        // Whoever reads has read enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::new(&codes::OUTPUT_FAILED, format!("standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}

fn write_err(text: &str) {
    // There is nowhere left to report to if this fails.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_has_eighty_columns_unless_the_environment_names_others() {
        let cases = [(None, 80), (Some("120"), 120), (Some("3"), 40), (Some("wide"), 80), (Some("-1"), 80)];
        for (wanted, columns) in cases {
            assert_eq!(piped_columns(wanted), columns, "{wanted:?}");
        }
    }

    #[test]
    fn colours_are_for_terminals_that_show_them_and_people_who_want_them() {
        let os = OsStr::new;
        assert!(colours_wanted(true, None, Some(os("xterm"))));
        assert!(colours_wanted(true, Some(os("")), Some(os("xterm"))));
        assert!(!colours_wanted(true, Some(os("1")), Some(os("xterm"))));
        assert!(!colours_wanted(false, None, Some(os("xterm"))));
        assert!(!colours_wanted(true, None, Some(os("dumb"))) && !colours_wanted(true, None, None));
    }

    #[test]
    fn nothing_that_acts_on_a_terminal_passes() {
        let evil = "a\u{1b}[31mred\u{9b}2J\u{7}\u{202e}x\r\nnext\ttab";
        assert_eq!(plain(evil), "a\u{fffd}[31mred\u{fffd}2J\u{fffd}\u{fffd}x\u{fffd}\nnext\ttab");
        assert!(!line(evil).contains(char::is_control));
        let json = json(&evil);
        assert!(!json.contains(unsafe_for_terminals), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), evil);
    }
}
