//! `cargo xtask tidy`: what the dependencies bring with them.

use crate::Result;
use crate::process::{cargo, has_cargo_command, step};

pub(crate) fn run() -> Result<()> {
    if !has_cargo_command("deny") {
        return Err("cargo-deny is not installed; `cargo install --locked cargo-deny` brings it".into());
    }
    step(cargo().args(["deny", "--all-features", "check"]))
}
