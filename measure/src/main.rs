//! Measurements of the workspace, one module per command. `cargo xtask` builds and starts this program; it is apart
//! from it because it links the library, which the checks need not wait for.
// What a measurement prints is its product.
#![allow(clippy::print_stdout)]

mod bench;
mod eval;
mod model;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use lacuna_seal::ZeroOnFree;
use xtask::Result;

/// The heap of the program, so that its cost is measured with the rest.
#[global_allocator]
static HEAP: ZeroOnFree = ZeroOnFree;

#[derive(Parser)]
#[command(name = "cargo xtask", about)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Measures the cost of a memory, end to end, beside programs that a user might pick instead.
    Bench(bench::Options),
    /// Measures the quality of finding, on fixed sets.
    #[command(subcommand)]
    Eval(eval::Command),
    /// The models that are packed into the binary.
    #[command(subcommand)]
    Model(model::Command),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().task {
        Task::Bench(options) => bench::run(&options),
        Task::Eval(command) => eval::run(command),
        Task::Model(command) => model::run(command),
    };
    xtask::exit_code(outcome)
}
