//! The backend of Anthropic's memory tool (`memory_20250818`): six commands on paths under `/memories`, answered in
//! the words that the tool documents. A file is one memory of the caller's own vault, sealed like every other.

mod files;
mod path;

use lacuna_core::Lacuna;
use lacuna_core::permit::Caller;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use self::files::Files;
use self::path::FilePath;
use crate::wire::failure::{Failure, Result};

/// Lines that a file can be shown with: the number has six digits.
const LINES_MAX: usize = 999_999;
const NUMBER_WIDTH: usize = 6;
/// Lines that are shown before and after a change.
const SNIPPET_AROUND: usize = 2;
/// Depth to which a folder is listed.
const DEPTH_SHOWN: usize = 2;

/// A command as the model sends it.
#[derive(Deserialize, ToSchema)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
#[schema(as = MemoryToolCommand)]
pub(crate) enum MemoryToolCommand {
    /// Show a file with line numbers, or what is in a folder.
    View {
        path: String,
        /// The first and the last line; -1 is the end.
        view_range: Option<(i64, i64)>,
    },
    /// Make a new file.
    Create { path: String, file_text: String },
    /// Put a text in the place of another, which must stand there once.
    StrReplace {
        path: String,
        old_str: String,
        #[serde(default)]
        new_str: String,
    },
    /// Put a text after a line; after line 0 is at the top.
    Insert { path: String, insert_line: i64, insert_text: String },
    /// Erase a file or a folder.
    Delete { path: String },
    /// Move a file or a folder.
    Rename { old_path: String, new_path: String },
}

/// The tool's answer to the model.
#[derive(Serialize, ToSchema)]
#[schema(as = MemoryToolAnswer)]
pub(crate) struct MemoryToolAnswer {
    /// The content of the tool's result.
    pub(crate) content: String,
    /// True if it is to be sent as an error.
    pub(crate) is_error: bool,
}

/// Carries a command out. An error in the tool's own terms is an answer; only a fault that the model cannot
/// correct is a failure.
pub(crate) fn answer(core: &Lacuna, caller: &Caller, request: MemoryToolCommand) -> Result<MemoryToolAnswer> {
    match act(&mut Files::read(core, caller)?, request) {
        Ok(content) => Ok(MemoryToolAnswer { content, is_error: false }),
        Err(Trouble::Told(content)) => Ok(MemoryToolAnswer { content, is_error: true }),
        // The model can correct a text that the gate refused.
        Err(Trouble::Failed(failure)) if failure.code.status < 500 && failure.code.status != 403 => {
            let content = format!("Error: {} {}", failure.public, failure.code.mcp_remedy());
            Ok(MemoryToolAnswer { content, is_error: true })
        }
        Err(Trouble::Failed(failure)) => Err(failure),
    }
}

/// Reads the path of a command, for the fuzz target.
#[cfg(any(test, fuzzing))]
pub(crate) fn read_path(text: &str) {
    let _ = FilePath::read(text);
}

/// Reason why a command was not carried out.
#[derive(Debug)]
enum Trouble {
    /// In the tool's own words.
    Told(String),
    Failed(Failure),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<lacuna_types::Error> for Trouble {
    fn from(error: lacuna_types::Error) -> Self {
        Self::Failed(error.into())
    }
}

type Told = Result<String, Trouble>;

fn told<T>(words: String) -> Result<T, Trouble> {
    Err(Trouble::Told(words))
}

fn act(files: &mut Files<'_>, request: MemoryToolCommand) -> Told {
    match request {
        MemoryToolCommand::View { path, view_range } => view(files, &FilePath::read(&path)?, view_range),
        MemoryToolCommand::Create { path, file_text } => create(files, &FilePath::read(&path)?, &file_text),
        MemoryToolCommand::StrReplace { path, old_str, new_str } => {
            str_replace(files, &FilePath::read(&path)?, &old_str, &new_str)
        }
        MemoryToolCommand::Insert { path, insert_line, insert_text } => {
            insert(files, &FilePath::read(&path)?, insert_line, &insert_text)
        }
        MemoryToolCommand::Delete { path } => delete(files, &FilePath::read(&path)?),
        MemoryToolCommand::Rename { old_path, new_path } => {
            rename(files, &FilePath::read(&old_path)?, &FilePath::read(&new_path)?)
        }
    }
}

fn view(files: &Files<'_>, path: &FilePath, range: Option<(i64, i64)>) -> Told {
    if let Some(text) = files.text(path)? {
        return numbered(path, &text, range);
    }
    if !files.is_folder(path) {
        return told(format!("The path {path} does not exist. Please provide a valid path."));
    }
    let mut shown = format!(
        "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:"
    );
    for (inner, bytes) in files.inside(path, DEPTH_SHOWN) {
        shown += &format!("\n{}\t{inner}", human(bytes));
    }
    Ok(shown)
}

fn numbered(path: &FilePath, text: &str, range: Option<(i64, i64)>) -> Told {
    let lines: Vec<&str> = text.split('\n').collect();
    if lines.len() > LINES_MAX {
        return told(format!("File {path} exceeds maximum line limit of 999,999 lines."));
    }
    let (first, last) = match range {
        None => (1, lines.len()),
        Some((first, last)) => {
            let last = if last < 0 { lines.len() } else { usize::try_from(last).unwrap_or(lines.len()) };
            (usize::try_from(first).unwrap_or(1).max(1), last.min(lines.len()))
        }
    };
    let shown = with_numbers(&lines, first, last);
    Ok(format!("Here's the content of {path} with line numbers:\n{shown}"))
}

/// The lines from `first` to `last`, counted from one.
fn with_numbers(lines: &[&str], first: usize, last: usize) -> String {
    let numbered = lines.iter().enumerate().take(last).skip(first.saturating_sub(1));
    let numbered = numbered.map(|(at, line)| format!("{:>NUMBER_WIDTH$}\t{line}", at + 1));
    numbered.collect::<Vec<_>>().join("\n")
}

fn create(files: &mut Files<'_>, path: &FilePath, text: &str) -> Told {
    if path.is_root() || files.is_folder(path) || files.has(path) {
        return told(format!("Error: File {path} already exists"));
    }
    files.write(path, text)?;
    Ok(format!("File created successfully at: {path}"))
}

fn str_replace(files: &mut Files<'_>, path: &FilePath, old: &str, new: &str) -> Told {
    let Some(text) = files.text(path)? else {
        return told(format!("Error: The path {path} does not exist. Please provide a valid path."));
    };
    let places: Vec<usize> = match old.is_empty() {
        true => Vec::new(),
        false => text.match_indices(old).map(|(at, _)| text[..at].matches('\n').count() + 1).collect(),
    };
    let line = match places.as_slice() {
        [] => {
            return told(format!(
                "No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
            ));
        }
        [line] => *line,
        several => {
            let lines: Vec<String> = several.iter().map(ToString::to_string).collect();
            return told(format!(
                "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {}. Please ensure it is unique",
                lines.join(", ")
            ));
        }
    };
    let changed = text.replacen(old, new, 1);
    files.replace(path, &changed)?;
    let lines: Vec<&str> = changed.split('\n').collect();
    let last = line + new.matches('\n').count() + SNIPPET_AROUND;
    let snippet = with_numbers(&lines, line.saturating_sub(SNIPPET_AROUND), last);
    Ok(format!(
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"
    ))
}

fn insert(files: &mut Files<'_>, path: &FilePath, line: i64, text: &str) -> Told {
    let Some(old) = files.text(path)? else {
        return told(format!("Error: The path {path} does not exist"));
    };
    let ends = old.ends_with('\n');
    let mut lines: Vec<&str> = old.strip_suffix('\n').unwrap_or(&old).split('\n').collect();
    if old.is_empty() {
        lines.clear();
    }
    let Some(at) = usize::try_from(line).ok().filter(|at| *at <= lines.len()) else {
        return told(format!(
            "Error: Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file: [0, {}]",
            lines.len()
        ));
    };
    lines.insert(at, text.strip_suffix('\n').unwrap_or(text));
    let mut changed = lines.join("\n");
    if ends || text.ends_with('\n') {
        changed.push('\n');
    }
    files.replace(path, &changed)?;
    Ok(format!("The file {path} has been edited."))
}

fn delete(files: &mut Files<'_>, path: &FilePath) -> Told {
    if path.is_root() {
        return told("Error: The /memories directory itself cannot be deleted".to_owned());
    }
    match files.erase(path)? {
        0 => told(format!("Error: The path {path} does not exist")),
        _ => Ok(format!("Successfully deleted {path}")),
    }
}

fn rename(files: &mut Files<'_>, old: &FilePath, new: &FilePath) -> Told {
    if old.is_root() || new.is_root() {
        return told("Error: The /memories directory itself cannot be renamed".to_owned());
    }
    if !files.has(old) && !files.is_folder(old) {
        return told(format!("Error: The path {old} does not exist"));
    }
    if files.has(new) || files.is_folder(new) {
        return told(format!("Error: The destination {new} already exists"));
    }
    if new.is_inside(old) {
        return told(format!("Error: {old} cannot be moved into itself"));
    }
    files.rename(old, new)?;
    Ok(format!("Successfully renamed {old} to {new}"))
}

/// A size as people read it: 512, 1.5K, 2.0M.
fn human(bytes: usize) -> String {
    const STEP: f64 = 1024.0;
    #[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
    let bytes = bytes as f64;
    match bytes {
        bytes if bytes < STEP => format!("{bytes:.0}"),
        bytes if bytes < STEP * STEP => format!("{:.1}K", bytes / STEP),
        bytes => format!("{:.1}M", bytes / STEP / STEP),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_for_people() {
        let cases = [(0, "0"), (1_023, "1023"), (1_024, "1.0K"), (1_536, "1.5K"), (3 << 20, "3.0M")];
        for (bytes, shown) in cases {
            assert_eq!(human(bytes), shown);
        }
    }

    #[test]
    fn lines_have_numbers_of_six_places() {
        let lines = ["a", "b", "c"];
        assert_eq!(with_numbers(&lines, 1, 3), "     1\ta\n     2\tb\n     3\tc");
        assert_eq!(with_numbers(&lines, 2, 9), "     2\tb\n     3\tc");
        assert_eq!(with_numbers(&lines, 0, 1), "     1\ta");
    }
}
