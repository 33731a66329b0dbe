//! The whole story on a vault that is thrown away: remember, recall, context, forget, receipt, verify, and a
//! look through every file. Each step is a real command of this very program.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output as Finished, Stdio};

use lacuna_seal::{Entropy as _, SystemEntropy};
use lacuna_types::hex::hex;
use serde::Serialize;

use super::output::Output;
use crate::codes;
use crate::wire::failure::{Failure, Result};

/// User whose vault it is.
const USER: &str = "anna";
/// Word that the story is about, and that is searched for afterwards.
const SECRET: &str = "Dr. Lindqvist";
const FORGET: &str = "everything about my dentist";
/// Bytes of randomness in the folder's name.
const NAME_BYTES: usize = 8;

/// A step of the story: why, and the command.
const STORY: &[(&str, &[&str])] = &[
    (
        "Three things are remembered. Each is sealed under a key of its own.",
        &["remember", "My dentist is Dr. Lindqvist in Uppsala, on Kungsgatan."],
    ),
    ("", &["remember", "I take my coffee black, without sugar.", "--salience", "0.8"]),
    ("", &["remember", "My sister Maria teaches physics at a school in Lisbon."]),
    (
        "They are found by meaning, not only by words.",
        &["recall", "what subject does my sibling give lessons in?"],
    ),
    (
        "An assistant is given what matters to a turn, within its tokens.",
        &["context", "Who looks after my teeth?"],
    ),
    ("Forgetting is planned first. This changes nothing:", &["forget", FORGET]),
    ("And then done: the key is destroyed, and the rest is looked through.", &["forget", FORGET, "--yes"]),
    ("What is left says that it was forgotten, and not what.", &["memory", "verify-forgotten", "my dentist"]),
    ("Whatever happened is in a chain of hashes.", &["audit", "verify"]),
];

/// Result of a step, for programs.
#[derive(Serialize)]
struct Step<'a> {
    why: &'a str,
    command: String,
    output: serde_json::Value,
}

/// Result of the search through all files.
#[derive(Serialize)]
struct FileSearch {
    files: usize,
    bytes: u64,
    found: usize,
}

pub(super) fn run(output: &Output) -> Result<()> {
    let vault = Vault::make()?;
    for (why, args) in STORY {
        step(&vault, why, args, output)?;
    }
    let receipt = vault.run(&["receipt", "show", "1", "--json"], false)?;
    let file = vault.folder.join("receipt.json");
    fs::write(&file, &receipt.stdout).map_err(|error| broken(&file, &error))?;
    let path = file.display().to_string();
    step(
        &vault,
        "A signed receipt proves it, to anybody who has the public key.",
        &["receipt", "verify", &path],
        output,
    )?;
    let looked = look(&vault.folder, SECRET)?;
    if looked.found > 0 {
        let reason = format!("{} of {} files still say it", looked.found, looked.files);
        return Err(Failure::new(&codes::UNSOUND, reason));
    }
    output.show(&looked, |looked| {
        format!(
            "# Every file of the vault is searched for \"{SECRET}\".\n{} files, {} bytes: it is in none of them\n\n\
             The vault is gone now. Your own begins with: lacuna remember \"…\"",
            looked.files, looked.bytes
        )
    })
}

/// Says why, shows the command and what it answers.
fn step(vault: &Vault, why: &str, args: &[&str], output: &Output) -> Result<()> {
    let done = vault.run(args, output.is_json())?;
    let line = format!("lacuna {}", args.iter().map(|arg| worded(arg)).collect::<Vec<_>>().join(" "));
    // A plan that nobody confirms is told on standard error, and is no failure of the story.
    let said = if done.stdout.is_empty() { &done.stderr } else { &done.stdout };
    let said = String::from_utf8_lossy(said);
    let is_plan = args.first() == Some(&"forget") && !args.contains(&"--yes");
    if !done.status.success() && !is_plan {
        return Err(Failure::new(&codes::UNSOUND, format!("{line}: {said}")));
    }
    let answer = Step { why, command: line, output: serde_json::from_str(&said).unwrap_or_default() };
    output.show(&answer, |answer| {
        let said: Vec<&str> = said.lines().filter(|line| !line.starts_with("  what to do:")).collect();
        let said = said.iter().filter(|line| !line.starts_with("error[needs_confirmation]"));
        let said = said.map(|line| (*line).to_owned()).collect::<Vec<_>>().join("\n");
        let why = if why.is_empty() { String::new() } else { format!("# {why}\n") };
        format!("{why}$ {}\n{said}\n ", answer.command)
    })
}

/// An argument as somebody would type it.
fn worded(arg: &str) -> String {
    if arg.contains([' ', '?']) { format!("\"{arg}\"") } else { arg.to_owned() }
}

/// A folder that goes with the story.
struct Vault {
    folder: PathBuf,
}

impl Vault {
    fn make() -> Result<Self> {
        let mut random = [0u8; NAME_BYTES];
        SystemEntropy.fill(&mut random);
        let folder = std::env::temp_dir().join(format!("lacuna-demo-{}", hex(&random)));
        DirBuilder::new().mode(0o700).create(&folder).map_err(|error| broken(&folder, &error))?;
        Ok(Self { folder })
    }

    fn run(&self, args: &[&str], json: bool) -> Result<Finished> {
        let program = std::env::current_exe().map_err(|error| broken(Path::new("this program"), &error))?;
        let mut command = Command::new(&program);
        for (name, _) in std::env::vars_os().filter(|(name, _)| is_ours(name)) {
            command.env_remove(name);
        }
        command.args(args).args(json.then_some("--json")).arg("--data").arg(self.folder.join("data"));
        command.args(["--as", USER]).stdin(Stdio::null());
        command.output().map_err(|error| broken(&program, &error))
    }
}

/// Settings of the caller have nothing to do with the story.
fn is_ours(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with("LACUNA_")
}

impl Drop for Vault {
    fn drop(&mut self) {
        // What is left would be a vault of a made-up person, sealed.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Looks through every file below a folder for a text.
fn look(folder: &Path, text: &str) -> Result<FileSearch> {
    let mut looked = FileSearch { files: 0, bytes: 0, found: 0 };
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| broken(&folder, &error))? {
            let path = entry.map_err(|error| broken(&folder, &error))?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = fs::read(&path).map_err(|error| broken(&path, &error))?;
            looked.files += 1;
            looked.bytes += bytes.len() as u64;
            looked.found += usize::from(bytes.windows(text.len()).any(|window| window == text.as_bytes()));
        }
    }
    Ok(looked)
}

fn broken(path: &Path, error: &io::Error) -> Failure {
    Failure::new(&codes::OUTPUT_FAILED, format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_look_finds_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("deep")).unwrap();
        fs::write(folder.path().join("deep/file"), format!("…{SECRET}…")).unwrap();
        fs::write(folder.path().join("other"), "nothing").unwrap();
        let looked = look(folder.path(), SECRET).unwrap();
        assert_eq!((looked.files, looked.found), (2, 1));
    }
}
