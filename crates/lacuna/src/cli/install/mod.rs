//! Wiring Lacuna into a host: shows what would change in its files, asks, writes, and can take it back.

mod diff;
mod host;
mod json;
mod toml_file;

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use clap::Args;
use etcetera::BaseStrategy;
use serde::Serialize;

use self::diff::diff;
pub(crate) use self::host::Host;
use self::host::{FilePart, Places, Program};
use super::args::Global;
use super::output::Output;
use crate::codes;
use crate::wire::failure::{Failure, Result};

/// A configuration file of a host; Claude Code keeps more than settings in one of its own.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// Suffix of the copy that is made of a file before it is changed.
const BACKUP_SUFFIX: &str = ".lacuna-backup";
/// Files are written beside themselves first.
const DRAFT_SUFFIX: &str = ".lacuna-draft";
/// A file that did not exist may come to hold somebody's keys.
const NEW_FILE_MODE: u32 = 0o600;

#[derive(Args)]
pub(super) struct InstallArgs {
    /// The assistant.
    host: Host,
    /// Another file than the usual one; for claude-code the folder of a project.
    #[arg(long, value_name = "PATH")]
    path: Option<PathBuf>,
    /// Take out what was put in.
    #[arg(long)]
    undo: bool,
    /// Only show what would change.
    #[arg(long)]
    dry_run: bool,
    /// Leave out the hooks of claude-code, codex, cursor and gemini-cli.
    #[arg(long)]
    no_hooks: bool,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
}

/// A file as it is and as it is to be.
struct FileChange {
    path: PathBuf,
    /// `None` when it is not there.
    before: Option<String>,
    after: String,
}

#[derive(Serialize)]
struct Installed {
    host: &'static str,
    files: Vec<FileView>,
    written: bool,
    /// Something that the person has to do besides restarting the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<&'static str>,
}

#[derive(Serialize)]
struct FileView {
    path: PathBuf,
    /// Lines that change; empty when there are none.
    diff: String,
    /// The copy of what was there before.
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<PathBuf>,
}

pub(super) fn run(global: &Global, args: &InstallArgs, output: &Output) -> Result<()> {
    let program = program(global)?;
    let files = args.host.files(&places()?, args.path.as_deref(), args.undo || !args.no_hooks);
    let changes = files.into_iter().map(|(path, part)| planned(path, part, args.undo, &program));
    let changes = changes.collect::<Result<Vec<FileChange>>>()?;
    let view = |written: bool| Installed {
        host: args.host.name(),
        files: changes.iter().map(|change| change.view(written)).collect(),
        written,
        advice: args.host.advice().filter(|_| !args.undo && !args.no_hooks),
    };
    if args.dry_run || changes.iter().all(FileChange::is_none) {
        return output.show(&view(false), |view| people(view, args.undo));
    }
    if !args.yes {
        output.note(&people(&view(false), args.undo));
        agree(output)?;
    }
    changes.iter().filter(|change| !change.is_none()).try_for_each(FileChange::write)?;
    output.show(&view(true), |view| people(view, args.undo))
}

fn agree(output: &Output) -> Result<()> {
    let refusal = match output.ask("Change this?") {
        Some(true) => return Ok(()),
        Some(false) => return Err(Failure::new(&codes::DECLINED, "nothing was changed")),
        None => {
            "nothing was changed: there is no terminal to ask on; pass --yes to confirm, or --dry-run to look"
        }
    };
    Err(Failure::new(&codes::NEEDS_CONFIRMATION, refusal))
}

/// Returns the command line for a host: the path of this very program, with the folder and the names given to it.
fn program(global: &Global) -> Result<Program> {
    let fault = |error: io::Error| {
        Failure::new(&codes::INPUT_UNREADABLE, format!("the path of this program cannot be told: {error}"))
    };
    let path = std::env::current_exe().map_err(fault)?;
    let mut args = Vec::new();
    let data = global.data.clone().or_else(|| std::env::var_os("LACUNA_DATA").map(PathBuf::from));
    for (flag, given) in [("--data", &data), ("--config", &global.config)] {
        if let Some(given) = given {
            args.extend([flag.to_owned(), utf8(&std::path::absolute(given).map_err(fault)?)?]);
        }
    }
    for (flag, given) in
        [("--org", &global.org), ("--as", &global.acting_user), ("--embedder", &global.embedder)]
    {
        if let Some(given) = given {
            args.extend([flag.to_owned(), given.clone()]);
        }
    }
    Ok(Program { path: utf8(&path)?, args })
}

fn utf8(path: &Path) -> Result<String> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| Failure::invalid("path", "hosts take only paths that are UTF-8"))
}

fn places() -> Result<Places> {
    let homeless = || Failure::new(&codes::BAD_CONFIG, "HOME is not set: name the file with --path");
    let home = etcetera::home_dir().map_err(|_| homeless())?;
    let config = match cfg!(target_os = "macos") {
        true => home.join("Library/Application Support"),
        false => etcetera::base_strategy::Xdg::new().map_err(|_| homeless())?.config_dir(),
    };
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    Ok(Places { home, config, claude: named("CLAUDE_CONFIG_DIR"), codex: named("CODEX_HOME") })
}

fn planned(path: PathBuf, part: FilePart, undo: bool, program: &Program) -> Result<FileChange> {
    // A link stays a link: what it leads to is changed.
    let path = fs::canonicalize(&path).unwrap_or(path);
    let before = read(&path)?;
    let text = before.as_deref().unwrap_or_default();
    let after = match (undo, &before) {
        (true, None) => Ok(String::new()),
        (true, Some(_)) => part.take_out(text),
        (false, _) => part.add(text, program),
    };
    let after = after
        .map_err(|fault| Failure::invalid("path", format!("{} is left as it is: {fault}", path.display())))?;
    Ok(FileChange { path, before, after })
}

fn read(path: &Path) -> Result<Option<String>> {
    let unreadable =
        |error: io::Error| Failure::new(&codes::INPUT_UNREADABLE, format!("{}: {error}", path.display()));
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
        Ok(found) if !found.is_file() || found.len() > FILE_BYTES_MAX => {
            let reason = format!("{} is no file, or larger than {FILE_BYTES_MAX} bytes", path.display());
            return Err(Failure::invalid("path", reason));
        }
        Ok(_) => {}
    }
    fs::read_to_string(path).map(Some).map_err(unreadable)
}

impl FileChange {
    fn is_none(&self) -> bool {
        self.before.as_deref().unwrap_or_default() == self.after
    }

    fn view(&self, written: bool) -> FileView {
        let backed_up = written && !self.is_none() && self.before.is_some();
        FileView {
            path: self.path.clone(),
            diff: diff(self.before.as_deref().unwrap_or_default(), &self.after),
            backup: backed_up.then(|| beside(&self.path, BACKUP_SUFFIX)),
        }
    }

    /// Writes the file, with a copy of what was there. If the host has written to it since, it is left alone.
    fn write(&self) -> Result<()> {
        if read(&self.path)? != self.before {
            let reason = format!("{} was changed by somebody else meanwhile", self.path.display());
            return Err(Failure::new(&codes::CONFLICT, reason));
        }
        let failed = |error: io::Error| {
            Failure::new(&codes::OUTPUT_FAILED, format!("{}: {error}", self.path.display()))
        };
        let mode = fs::metadata(&self.path).map_or(NEW_FILE_MODE, |found| found.permissions().mode() & 0o777);
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        if let Some(before) = &self.before {
            put(&beside(&self.path, BACKUP_SUFFIX), before, mode).map_err(failed)?;
        }
        put(&self.path, &self.after, mode).map_err(failed)
    }
}

/// Writes a whole file or none.
fn put(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let draft = beside(path, DRAFT_SUFFIX);
    let _ = fs::remove_file(&draft);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&draft)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all())?;
    fs::rename(&draft, path)
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn people(view: &Installed, undo: bool) -> String {
    let mut told = String::new();
    for file in &view.files {
        let path = file.path.display();
        match (file.diff.is_empty(), &file.backup) {
            (true, _) => told += &format!("{path}: nothing to change\n"),
            (false, None) => told += &format!("{path}\n{}", file.diff),
            (false, Some(backup)) => {
                told += &format!("{path}\n{}  a copy of what was there: {}\n", file.diff, backup.display());
            }
        }
    }
    if view.written {
        let what = if undo { "taken out" } else { "put in" };
        told += &format!("{what}; restart {} to see it", view.host);
        told.extend(view.advice.iter().map(|advice| format!("\n{advice}")));
    }
    told
}
