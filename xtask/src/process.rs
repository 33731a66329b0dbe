//! Running other programs.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Result;

/// Runs one command and fails when it fails.
pub fn step(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    eprintln!("xtask: {shown}");
    let status = command.status().map_err(|error| format!("{shown}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{shown}: {status}").into()) }
}

/// The command without the folders in front of its program.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    command
}

pub fn has_cargo_command(name: &str) -> bool {
    let version = cargo().args([name, "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

/// Installs packages of the system, which needs its rights.
pub fn install(packages: &[&str]) -> Result<()> {
    let root = std::fs::metadata("/proc/self")?.uid() == 0;
    let before: &[&str] = if root { &["apt-get"] } else { &["sudo", "-n", "apt-get"] };
    let apt = |arguments: &[&str]| {
        let mut command = Command::new(before[0]);
        command.args(&before[1..]).args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        step(command.stdout(Stdio::null()))
    };
    apt(&["update", "-qq"])?;
    let install = ["install", "-y", "-qq", "--no-install-recommends"];
    apt(&install.into_iter().chain(packages.iter().copied()).collect::<Vec<_>>())
}
