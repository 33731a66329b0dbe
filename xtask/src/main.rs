//! Set-up, checks and measurements of the workspace: `cargo xtask …`, one module per command.
// What a task prints is its product.
#![allow(clippy::print_stdout)]

mod bench;
mod eval;
mod model;
mod postgres;
mod process;
mod test;
mod tidy;
mod tools;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

type Result<T = (), E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

#[derive(Parser)]
#[command(name = "cargo xtask", about)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// What a memory costs, end to end, beside what a user might pick instead.
    Bench(bench::Options),
    /// Checks the format, lints, and runs every test against a PostgreSQL server of its own.
    Test(test::Arguments),
    /// Checks the order of crates and modules, names, documentation, and the licences and sources of dependencies.
    Tidy(tidy::Options),
    /// How well things are found, on fixed sets.
    #[command(subcommand)]
    Eval(eval::Command),
    /// The models that are packed into the binary.
    #[command(subcommand)]
    Model(model::Command),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().task {
        Task::Bench(options) => bench::run(&options),
        Task::Test(arguments) => test::run(&arguments),
        Task::Tidy(options) => tidy::run(&options),
        Task::Eval(command) => eval::run(command),
        Task::Model(command) => model::run(command),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
