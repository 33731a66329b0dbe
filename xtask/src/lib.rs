//! Set-up that the checks and the measurements of the workspace share.

pub mod postgres;
pub mod process;

use std::process::ExitCode;

pub type Result<T = (), E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// Says why a task failed, if it did.
pub fn exit_code(outcome: Result) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
