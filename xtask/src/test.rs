//! `cargo xtask test`: the one command that says whether the tree is good.

use std::process::Command;
use std::time::Instant;

use crate::Result;
use crate::postgres::Server;
use crate::process::{cargo, has_cargo_command, step};

/// Where tests find the server. Without it they skip what needs PostgreSQL, and say so.
const SERVER_VARIABLE: &str = "LACUNA_TEST_POSTGRES";

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Passed on to the test runner: a filter, a package.
    #[arg(last = true)]
    rest: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let started = Instant::now();
    step(cargo().args(["fmt", "--all", "--check"]))?;
    step(cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    let server = Server::start()?;
    step(with_server(&server, test_runner()).args(&arguments.rest))?;
    if arguments.rest.is_empty() {
        step(with_server(&server, vec!["test", "--workspace", "--doc"]).arg("--quiet"))?;
    }
    let seconds = started.elapsed().as_secs();
    eprintln!("xtask: all good: format, lints, tests with PostgreSQL {} ({seconds} s)", server.version());
    Ok(())
}

fn test_runner() -> Vec<&'static str> {
    if has_cargo_command("nextest") {
        return vec!["nextest", "run", "--workspace"];
    }
    vec!["test", "--workspace", "--all-targets"]
}

fn with_server(server: &Server, arguments: Vec<&str>) -> Command {
    let mut command = cargo();
    command.args(arguments).env(SERVER_VARIABLE, server.url());
    command
}
