//! `cargo xtask test`: the one command that says whether the tree is good.

use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::Instant;

use crate::Result;
use crate::{fuzz, tidy, tools};
use xtask::postgres::Server;
use xtask::process::{cargo, has_cargo_command, step};

/// Variable that names the server for tests. Without it they skip what needs PostgreSQL, and say so.
const SERVER_VARIABLE: &str = "LACUNA_TEST_POSTGRES";

/// Lets tests run as many rounds as were promised, and not only as many as everybody waits for.
const LONG_VARIABLE: &str = "LACUNA_LONG";
/// The tests that have long rounds: package, test binary, and the module in it.
const LONG_TESTS: &[(&str, &str, &str)] = &[
    ("lacuna-core", "vault", "residue::"),
    ("lacuna-core", "vault", "backup::"),
    ("lacuna", "doors", "cluster_rounds::"),
    ("lacuna", "doors", "volume::"),
    ("lacuna", "doors", "generated::"),
    ("lacuna", "doors", "foreign::a_note_that_basic_memory_writes_now"),
];
/// The tests of crashes and faults, in the same form.
const CRASH_TESTS: &[(&str, &str, &str)] = &[
    ("lacuna", "attacks", "kill::"),
    ("lacuna", "attacks", "killed_commands::"),
    ("lacuna", "attacks", "crash_points::"),
    ("lacuna", "doors", "cluster_kills::"),
];

/// The tests that start hosts, in the same form.
const HOST_TESTS: &[(&str, &str, &str)] = &[("lacuna", "doors", "real_hosts::")];
/// Variable that names the folder of the hosts.
const HOSTS_VARIABLE: &str = "LACUNA_TEST_HOSTS";

/// The tests that start a language model, in the same form.
const MODEL_TESTS: &[(&str, &str, &str)] = &[("lacuna", "doors", "real_model::")];
/// Variable that names the folder of its server.
const LLAMA_VARIABLE: &str = "LACUNA_TEST_LLAMA";

/// A part of the long tests.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum LongPart {
    /// Random histories of forgetting, random schedules of backup, a large export and import, a generated client, notes of
    /// basic-memory, nodes that ask for what another one forgot.
    Rounds,
    /// Random kills, every crash point, broken and full disks, servers that die under nodes.
    Crashes,
    /// Claude Code, Codex and Gemini CLI, wired and started.
    Hosts,
    /// A language model behind llama.cpp's server, asked by plans to forget.
    Model,
    /// Every fuzz target.
    Fuzz,
}

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Runs the long tests, and only those: 2,000 random histories of forgetting, 500 random schedules of backup
    /// and restore, 100,000 memories out and in, 10,000 rounds over three nodes, 1,000 kills, every crash point of every
    /// command, hosts as people install them, a language model, every fuzz target.
    #[arg(long, conflicts_with = "rest")]
    long: bool,
    /// Runs only this part of the long tests.
    #[arg(long, requires = "long")]
    part: Option<LongPart>,
    /// Seconds for each fuzz target.
    #[arg(long, requires = "long", default_value_t = fuzz::SECONDS_DEFAULT)]
    fuzz_seconds: u32,
    /// Passed on to the test runner: a filter, a package.
    #[arg(last = true)]
    rest: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let started = Instant::now();
    if arguments.long {
        return run_long(arguments, started);
    }
    step(cargo().args(["fmt", "--all", "--check"]))?;
    tidy::run(&tidy::Options::default())?;
    // Downloads wait for the network and the compiler for the processor, so each goes on beside the other.
    let installing = thread::spawn(|| tools::for_tests().map_err(|error| error.to_string()));
    step(cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    step(cargo().args(test_runner()).arg("--no-run"))?;
    let tools = installing.join().map_err(|_| "installing the tools of the tests panicked")??;
    let server = Server::start()?;
    let mut tests = with_server(&server, test_runner());
    tests.envs(tools);
    step(tests.args(&arguments.rest))?;
    if arguments.rest.is_empty() {
        step(with_server(&server, vec!["test", "--workspace", "--doc"]).arg("--quiet"))?;
    }
    let seconds = started.elapsed().as_secs();
    eprintln!(
        "xtask: all good: format, order, lints, tests with PostgreSQL {} ({seconds} s)",
        server.version()
    );
    Ok(())
}

/// Runs the parts that were asked for, and all of them if none was.
fn run_long(arguments: &Arguments, started: Instant) -> Result<()> {
    let wanted = |part| arguments.part.is_none_or(|only| only == part);
    if wanted(LongPart::Rounds) {
        run_long_tests(LONG_TESTS, &tools::servers()?)?;
    }
    if wanted(LongPart::Crashes) {
        run_long_tests(CRASH_TESTS, &tools::servers()?)?;
    }
    if wanted(LongPart::Hosts) {
        run_long_tests(HOST_TESTS, &[(HOSTS_VARIABLE, tools::hosts()?)])?;
    }
    if wanted(LongPart::Model) {
        run_long_tests(MODEL_TESTS, &[(LLAMA_VARIABLE, tools::llama()?)])?;
    }
    if wanted(LongPart::Fuzz) {
        fuzz::run(arguments.fuzz_seconds)?;
    }
    eprintln!("xtask: the long tests passed ({} s)", started.elapsed().as_secs());
    Ok(())
}

/// One after the other: they are long because they are many, and one of them watches how much RAM is taken.
fn run_long_tests(tests: &[(&str, &str, &str)], tools: &[(&str, PathBuf)]) -> Result<()> {
    let server = Server::start()?;
    for (package, binary, module) in tests {
        let begun = Instant::now();
        let tests =
            vec!["test", "-p", package, "--test", binary, module, "--", "--include-ignored", "--nocapture"];
        step(with_server(&server, tests).env(LONG_VARIABLE, "1").envs(tools.iter().cloned()))?;
        eprintln!("xtask: {package} {module} took {} s", begun.elapsed().as_secs());
    }
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
