//! The program for packages: optimised as a whole, for every Linux with glibc 2.17 or newer, and the same bytes from the
//! same sources.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::ROOT;
use crate::{Result, tools};
use xtask::process::{cargo, step};

const TARGET: &str = "x86_64-unknown-linux-gnu";
/// The oldest C library that the program runs with.
const GLIBC: &str = "2.17";

/// Builds the program and returns its path. Zig is the linker and the C compiler, because it knows the symbols of old
/// C libraries.
pub(super) fn program() -> Result<PathBuf> {
    let tools = tools::zig()?;
    let root = Path::new(ROOT).canonicalize()?;
    let mut build = cargo();
    build.args(["zigbuild", "--locked", "--profile", "dist", "--package", "lacuna"]);
    build.arg("--target").arg(format!("{TARGET}.{GLIBC}"));
    let path = std::env::var("PATH").unwrap_or_default();
    build.env("PATH", format!("{}:{path}", tools.join("bin").display()));
    let (rust, c) = remapped(&root)?;
    build.env("RUSTFLAGS", rust).env("CFLAGS", c).env("SOURCE_DATE_EPOCH", time_of_last_commit()?);
    step(&mut build)?;
    Ok(root.join("target").join(TARGET).join("dist/lacuna"))
}

/// Flags that keep the folders of the machine out of the program, for both compilers.
fn remapped(root: &Path) -> Result<(String, String)> {
    let home = std::env::var("HOME").unwrap_or_default();
    let cargo_home = std::env::var("CARGO_HOME").unwrap_or_else(|_| format!("{home}/.cargo"));
    let folders = [(cargo_home.as_str(), "/cargo"), (root.to_str().ok_or("a path beyond UTF-8")?, "/lacuna")];
    let rust = folders.map(|(from, to)| format!("--remap-path-prefix={from}={to}")).join(" ");
    let c = folders.map(|(from, to)| format!("-ffile-prefix-map={from}={to}")).join(" ");
    Ok((rust, c))
}

/// Returns the time of the last commit, in seconds since 1970.
pub(crate) fn time_of_last_commit() -> Result<String> {
    let told = Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(ROOT).output()?;
    let time = String::from_utf8(told.stdout)?.trim().to_owned();
    if time.is_empty() { Err("git does not know the last commit".into()) } else { Ok(time) }
}
