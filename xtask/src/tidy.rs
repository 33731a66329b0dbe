//! `cargo xtask tidy`: what the dependencies bring with them.

use std::process::Command;

use crate::Result;
use crate::test::{cargo, has_cargo_command};

pub(crate) fn run() -> Result<()> {
    if !has_cargo_command("deny") {
        return Err("cargo-deny is not installed; `cargo install --locked cargo-deny` brings it".into());
    }
    step(cargo().args(["deny", "--all-features", "check"]))
}

/// Runs one command and fails when it fails.
pub(crate) fn step(command: &mut Command) -> Result<()> {
    let shown = format!("{command:?}").replace('"', "");
    eprintln!("xtask: {shown}");
    let status = command.status().map_err(|error| format!("{shown}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{shown}: {status}").into()) }
}
