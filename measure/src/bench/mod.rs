//! `cargo xtask bench`: what a memory costs, end to end, beside what a user might pick instead.

mod assistant;
mod capacity;
mod console;
mod context;
mod corpus;
mod gate;
mod http;
mod lifecycle;
mod measure;
mod peers;
mod plan;
mod program;
pub(crate) mod random;
pub(crate) mod report;
mod scripted;
mod sections;
mod sentences;
pub(crate) mod service;
mod sessions;
mod sizes;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use self::report::Report;
use self::scripted::{FORGETTING, RECALL};
use crate::Result;

pub(crate) const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Small sizes, to see that the driver works; they say nothing about speed.
    #[arg(long)]
    quick: bool,
    /// Also measure what a user might pick instead (needs Python, and PyPI at first).
    #[arg(long)]
    peers: bool,
    /// One part instead of all.
    #[arg(long, value_enum)]
    only: Option<Part>,
    /// The vector kernels by themselves, with criterion, instead of the whole.
    #[arg(long)]
    kernels: bool,
    /// All conversations, where a part asks about a few of each set.
    #[arg(long)]
    whole: bool,
    /// For `--only capacity`, `forgetting` and `recall-peers`: the program that is measured, instead of one that is built for it.
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
    #[command(flatten)]
    capacity: capacity::CapacityOptions,
    /// This build, even if it is a debug one, whose figures say nothing.
    #[arg(long)]
    as_built: bool,
    /// Opens the vaults in a folder and prints what they take in RAM: how the driver calls itself.
    #[arg(long, hide = true)]
    open: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Hot recall from small to very large vaults, beside stores of vectors.
    Recall,
    /// The share of the exact answer that the quantised search finds, on real models' vectors.
    Exactness,
    /// Hot recall beside other users' vaults.
    Neighbours,
    /// Opening a cold vault, and what it takes in RAM.
    Open,
    /// The memories that a turn of a conversation is given.
    Context,
    /// Remember and delete, beside a memory layer.
    Write,
    /// The gate by itself, on texts of 500 characters in ASCII and beyond it.
    Gate,
    /// A hundred conversations at once, with the jobs that run beside them.
    Sessions,
    /// The HTTP door under 64 connections, and overloaded.
    Http,
    /// The first page of the console and the page of one memory, on a large vault.
    Console,
    /// Waiting times of an assistant: a cold MCP server, and the hook before a long conversation is shortened.
    Assistant,
    /// Users and their memories in PostgreSQL behind three nodes, and how all of it grows; never a part of all.
    Capacity,
    /// The traces that a request to forget leaves; a page of its own, and never a part of all.
    Forgetting,
    /// Questions to conversations through each program's own search; a page of its own, and never a part of all.
    RecallPeers,
}

pub(crate) fn run(options: &Options) -> Result {
    if let Some(folder) = &options.open {
        return lifecycle::print_ram(folder);
    }
    if options.kernels {
        return cargo(&["bench", "--package", "lacuna-core"]);
    }
    if cfg!(debug_assertions) && !options.as_built {
        return again_in_release();
    }
    measure(options)
}

/// Figures of a debug build would be about the compiler.
pub(crate) fn again_in_release() -> Result {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let mut args = vec!["run", "--release", "--package", "measure", "--"];
    args.extend(given.iter().map(String::as_str));
    cargo(&args)
}

fn cargo(args: &[&str]) -> Result {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo).args(args).current_dir(ROOT).status()?;
    if status.success() { Ok(()) } else { Err("the build or the measurement failed, see above".into()) }
}

fn measure(options: &Options) -> Result {
    let folder = Path::new(ROOT).join("target/bench");
    fs::create_dir_all(&folder)?;
    let plan = if options.quick { &plan::QUICK } else { &plan::FULL };
    let given: Vec<String> = std::env::args().skip(2).collect();
    let command = format!("cargo xtask bench {}", given.join(" "));
    let program = options.program.as_deref();
    match options.only {
        Some(Part::Capacity) => {
            return capacity::run(&options.capacity, program, options.quick, command.trim_end(), &folder);
        }
        Some(Part::Forgetting) => return FORGETTING.measure(program, options.peers, &[], &command, &folder),
        Some(Part::RecallPeers) => {
            let more: &[&str] = if options.whole { &["--whole"] } else { &[] };
            return RECALL.measure(program, options.peers, more, &command, &folder);
        }
        _ => {}
    }
    let mut report = Report::new(command.trim_end());
    sections::write(&mut report, plan, options.only, options.peers, &folder)?;

    // The page in the repository is of whole runs only.
    let whole = !options.quick && options.only.is_none();
    let page = if whole { Path::new(ROOT).join("bench/RESULTS.md") } else { folder.join("RESULTS.md") };
    // What other commands measured stays.
    let old = fs::read_to_string(&page).unwrap_or_default();
    let (text, others) = (report.into_text(), report::other_parts(&old));
    Ok(fs::write(page, if others.is_empty() { text } else { format!("{}\n\n{others}", text.trim_end()) })?)
}
