//! Set-up, checks and measurements of the workspace: `cargo xtask …`, one module per command.
// What a task prints is its product.
#![allow(clippy::print_stdout)]

mod bench;
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
    /// What a memory costs, end to end, beside what a user might pick instead.
    Bench(bench::Options),
    /// The models that are packed into the binary.
    #[command(subcommand)]
    Model(model::Command),
}

fn main() -> Result {
    match Cli::parse().task {
        Task::Bench(options) => bench::run(options),
        Task::Model(command) => model::run(command),
    }
}
