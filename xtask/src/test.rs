//! `cargo xtask test`: the one command that says whether the tree is good.

use std::process::Command;
use std::time::Instant;

use crate::Result;
use crate::postgres::Server;
use crate::{fuzz, tidy, tools};
use xtask::process::{cargo, has_cargo_command, step};

/// Variable that names the server for tests. Without it they skip what needs PostgreSQL, and say so.
const SERVER_VARIABLE: &str = "LACUNA_TEST_POSTGRES";

/// Variable that names Schemathesis for tests.
const SCHEMATHESIS_VARIABLE: &str = "LACUNA_TEST_SCHEMATHESIS";
const PERSONA_VARIABLE: &str = "LACUNA_TEST_PERSONA";

/// Variable that names the clients of the MCP door for tests. Without it they skip what needs them, and say so.
const CLIENTS_VARIABLE: &str = "LACUNA_TEST_MCP_CLIENTS";

/// Variable that names the program of an object store for tests. Without it they skip what needs one, and say so.
const SEAWEEDFS_VARIABLE: &str = "LACUNA_TEST_SEAWEEDFS";

/// Variable that names the programs for tests of the SDKs. Without it they are skipped, and say so.
const SDK_VARIABLE: &str = "LACUNA_TEST_SDK_TOOLS";
/// Names the folder of the key management services.
const KEY_SERVICES_VARIABLE: &str = "LACUNA_TEST_KEY_SERVICES";

/// Variable that names the rules for tests in a browser. Without it they are skipped, and say so.
const BROWSER_VARIABLE: &str = "LACUNA_TEST_BROWSER";

/// The folder of the packages that the adapters are for.
const ADAPTERS_VARIABLE: &str = "LACUNA_TEST_ADAPTER_TOOLS";

/// Lets tests run as many rounds as were promised, and not only as many as everybody waits for.
const LONG_VARIABLE: &str = "LACUNA_LONG";
/// The tests that have long rounds: package, test binary, and the module in it.
const LONG_TESTS: &[(&str, &str, &str)] = &[
    ("lacuna-core", "vault", "residue::"),
    ("lacuna-core", "vault", "backup::"),
    ("lacuna-core", "vault", "nodes::"),
    ("lacuna", "doors", "volume::"),
    ("lacuna", "doors", "generated::"),
];
/// The tests of crashes and faults, in the same form.
const CRASH_TESTS: &[(&str, &str, &str)] = &[
    ("lacuna", "attacks", "kill::"),
    ("lacuna", "attacks", "killed_commands::"),
    ("lacuna", "attacks", "crash_points::"),
];

/// A part of the long tests.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum LongPart {
    /// Random histories of forgetting, random schedules of backup, a large export and import, a generated client.
    Rounds,
    /// Random kills, every crash point, broken and full disks.
    Crashes,
    /// Every fuzz target.
    Fuzz,
}

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Runs the long tests, and only those: 2,000 random histories of forgetting, 500 random schedules of backup
    /// and restore, 100,000 memories out and in, 1,000 kills, every crash point of every command, every fuzz target.
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
    step(cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    let clients = tools::mcp_clients()?;
    let sdk_tools = tools::sdk_tools()?;
    let key_services = tools::key_services()?;
    let adapter_tools = tools::adapter_tools()?;
    let server = Server::start()?;
    let schemathesis = tools::schemathesis()?;
    tools::openssl_and_curl()?;
    let mut tests = with_server(&server, test_runner());
    tests.env(SCHEMATHESIS_VARIABLE, schemathesis).env(CLIENTS_VARIABLE, &clients);
    tests.env(SDK_VARIABLE, sdk_tools).env(BROWSER_VARIABLE, tools::browser()?);
    tests.env(PERSONA_VARIABLE, tools::persona_judges()?).env(KEY_SERVICES_VARIABLE, key_services);
    tests.env(SEAWEEDFS_VARIABLE, tools::seaweedfs()?);
    tests.env(ADAPTERS_VARIABLE, adapter_tools);
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
        run_long_tests(LONG_TESTS)?;
    }
    if wanted(LongPart::Crashes) {
        run_long_tests(CRASH_TESTS)?;
    }
    if wanted(LongPart::Fuzz) {
        fuzz::run(arguments.fuzz_seconds)?;
    }
    eprintln!("xtask: the long tests passed ({} s)", started.elapsed().as_secs());
    Ok(())
}

/// One after the other: they are long because they are many, and one of them watches how much RAM is taken.
fn run_long_tests(tests: &[(&str, &str, &str)]) -> Result<()> {
    for (package, binary, module) in tests {
        let begun = Instant::now();
        let tests =
            ["test", "-p", package, "--test", binary, module, "--", "--include-ignored", "--nocapture"];
        step(cargo().args(tests).env(LONG_VARIABLE, "1"))?;
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
