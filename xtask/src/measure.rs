//! Commands that the package `measure` carries out. It links the library, so it is built only when it is asked for.

use crate::Result;
use xtask::process::cargo;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Passed on as they are.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// Builds and starts the program. A benchmark is built in release at once: figures of a debug build would be about the
/// compiler.
pub(crate) fn run(command: &str, arguments: &Arguments) -> Result {
    let released = command == "bench" && !arguments.rest.iter().any(|word| word == "--as-built");
    let mut program = cargo();
    program.args(["run", "--quiet", "--package", "measure"]);
    if released {
        program.arg("--release");
    }
    let status = program.args(["--", command]).args(&arguments.rest).status()?;
    if status.success() { Ok(()) } else { Err(format!("{command}: {status}").into()) }
}
