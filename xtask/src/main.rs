//! Set-up, checks and measurements of the workspace: `cargo xtask <command>`.

mod postgres;
mod process;
mod test;
mod tidy;

use std::process::ExitCode;

use clap::Parser;

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

#[derive(Parser)]
#[command(name = "cargo xtask", about)]
enum Command {
    /// Checks the format, lints, and runs every test against a PostgreSQL server of its own.
    Test(test::Arguments),
    /// Checks licences, advisories and sources of the dependencies.
    Tidy,
}

fn main() -> ExitCode {
    let outcome = match Command::parse() {
        Command::Test(arguments) => test::run(&arguments),
        Command::Tidy => tidy::run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
