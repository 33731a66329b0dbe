//! The attacker's view, against the real program: what a stolen disk shows, and what a power cut leaves.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop there")]

mod at_rest;
mod crash_points;
mod gate;
mod kill;
mod killed_commands;
mod ram;
mod scan;
mod story;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// True for the rounds of `cargo xtask test --long`.
pub(crate) fn is_long() -> bool {
    std::env::var_os("LACUNA_LONG").is_some()
}

/// The program under attack: the one that was built for the tests, or the one that `LACUNA_TEST_PROGRAM` names. A
/// release build gets through the long rounds in a fraction of the time.
pub(crate) fn attacked() -> Command {
    let named = std::env::var_os("LACUNA_TEST_PROGRAM");
    Command::new(named.unwrap_or_else(|| env!("CARGO_BIN_EXE_lacuna").into()))
}

pub(crate) fn lacuna(data: &Path) -> Command {
    let mut command = attacked();
    command.arg("--data").arg(data).args(["--as", "anna", "--json"]);
    command
}

/// A server on a free loopback port.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) base: String,
}

impl Server {
    pub(crate) fn start(data: &Path, extra: &[&str]) -> Self {
        Self::spawn(lacuna(data).stderr(Stdio::piped()), extra)
    }

    /// With everything logged to `log`.
    pub(crate) fn start_logging(data: &Path, extra: &[&str], log: File) -> Self {
        Self::spawn(lacuna(data).env("LACUNA_LOG", "trace").stderr(log), extra)
    }

    pub(crate) fn spawn(command: &mut Command, extra: &[&str]) -> Self {
        let serve = command.args(["serve", "--listen", "127.0.0.1:0"]).args(extra);
        let mut child = serve.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let announced: serde_json::Value = serde_json::from_str(&line).unwrap();
        let base = announced["listening"].as_str().unwrap().to_owned();
        Self { child, base }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
