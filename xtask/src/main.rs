//! Set-up, checks and measurements of the workspace: `cargo xtask …`, one module per command.
// What a task prints is its product.
#![allow(clippy::print_stdout)]

mod eval;
mod model;

use clap::{Parser, Subcommand};

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

#[derive(Parser)]
#[command(name = "cargo xtask", about)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// How well things are found, on fixed sets.
    #[command(subcommand)]
    Eval(eval::Command),
    /// The models that are packed into the binary.
    #[command(subcommand)]
    Model(model::Command),
}

fn main() -> Result {
    match Cli::parse().task {
        Task::Eval(command) => eval::run(command),
        Task::Model(command) => model::run(command),
    }
}
