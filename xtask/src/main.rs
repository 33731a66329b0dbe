//! Checks of the workspace: `cargo xtask …`, one module per command.
// What a task prints is its product.
#![allow(clippy::print_stdout)]

mod dist;
mod fuzz;
mod image;
mod measure;
mod test;
mod tidy;
mod tools;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::Result;

#[derive(Parser)]
#[command(name = "cargo xtask", about)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Measures the cost of a memory, end to end, beside libraries that a user might pick instead.
    #[command(disable_help_flag = true)]
    Bench(measure::Arguments),
    /// Checks the format, lints, and runs every test against a PostgreSQL server of its own.
    Test(test::Arguments),
    /// Checks the order of crates and modules, names, documentation, and the licences and sources of dependencies.
    Tidy(tidy::Options),
    /// Measures on fixed sets how well things are found, forgotten and stopped.
    #[command(disable_help_flag = true)]
    Eval(measure::Arguments),
    /// Makes packages that need no compiler: a wheel, npm's packages, a Debian package, checksums and a list of parts.
    Dist(dist::Arguments),
    /// Makes the container image of a node; with `--check` starts it too.
    Image(image::Arguments),
    /// Packs the models that the binary carries.
    #[command(disable_help_flag = true)]
    Model(measure::Arguments),
}

fn main() -> ExitCode {
    xtask::exit_code(match Cli::parse().task {
        Task::Bench(arguments) => measure::run("bench", &arguments),
        Task::Dist(arguments) => dist::run(&arguments),
        Task::Image(arguments) => image::run(&arguments),
        Task::Test(arguments) => test::run(&arguments),
        Task::Tidy(options) => tidy::run(&options),
        Task::Eval(arguments) => measure::run("eval", &arguments),
        Task::Model(arguments) => measure::run("model", &arguments),
    })
}
