//! The program as people run it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;

use serde_json::Value;
use xtask::process::{cargo, step};

use crate::Result;

/// Built once, so that one run measures one binary.
static BUILT: LazyLock<Result<PathBuf, String>> =
    LazyLock::new(|| build().map_err(|error| error.to_string()));

/// The path of the binary.
pub(super) fn built() -> Result<PathBuf> {
    Ok(BUILT.clone()?)
}

/// The path of the binary that is asked for, or of the built one.
pub(super) fn given_or_built(given: Option<&Path>) -> Result<PathBuf> {
    given.map_or_else(built, |path| Ok(path.to_owned()))
}

/// The binary, with data of its own.
pub(super) struct Program {
    path: PathBuf,
    data: PathBuf,
    embedder: &'static str,
}

impl Program {
    pub(super) fn new(folder: &Path, embedder: &'static str) -> Result<Self> {
        Ok(Self { path: built()?, data: folder.join("data"), embedder })
    }

    /// Its standard output is for the caller.
    pub(super) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.path);
        command.args(args).env("LACUNA_DATA", &self.data).env("LACUNA_EMBEDDER", self.embedder);
        command.env("LACUNA_LOG", "error").stdout(Stdio::piped());
        command
    }
}

/// A process that ends with the measurement.
pub(super) struct Running(pub(super) Child);

impl Running {
    /// Waits until a server says where it listens. Returns host and port.
    pub(super) fn authority(&mut self) -> Result<String> {
        let mut line = String::new();
        BufReader::new(self.0.stdout.take().ok_or("no output")?).read_line(&mut line)?;
        let said: Value = serde_json::from_str(&line)?;
        let url = said["listening"].as_str().and_then(|url| url.strip_prefix("http://"));
        Ok(url.ok_or("the server does not say where it listens")?.to_owned())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The binary as the driver itself was built, beside it. Tests have built it already; figures are taken of one that is
/// surely new.
fn build() -> Result<PathBuf> {
    let program = std::env::current_exe()?.with_file_name("lacuna");
    if cfg!(debug_assertions) && program.exists() {
        return Ok(program);
    }
    let mut command = cargo();
    command.args(["build", "--quiet", "--package", "lacuna"]);
    if !cfg!(debug_assertions) {
        command.arg("--release");
    }
    step(&mut command)?;
    Ok(program)
}
