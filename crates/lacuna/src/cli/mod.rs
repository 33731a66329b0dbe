//! The command line: parses, calls the core as the local user, and prints tables or JSON.

mod args;
mod audit;
mod backup;
mod batch;
mod chart;
mod compact;
mod context;
mod correct;
mod destroy;
mod doctor;
mod export;
mod forget;
mod import;
mod jobs;
mod keys;
mod mcp;
mod members;
mod memory;
mod memory_tool;
mod month;
mod output;
mod passphrase;
mod person;
mod policy;
mod recall;
mod remember;
mod retention;
mod review;
mod scan;
mod serve;
mod session;
mod settle;
mod token;
mod view;
mod when;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;
use clap::error::ErrorKind;
use tracing_subscriber::filter::{FilterExt, filter_fn};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, fmt};

use self::args::{Cli, Command};
use self::output::Output;
use crate::codes;
use crate::config::{self, Config, Origins};
use crate::failure::{Failure, Result};

pub(crate) fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let json = args.iter().any(|arg| arg == "--json");
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, json),
    };
    let output = Output::new(cli.global.json);
    match run(cli, &output) {
        Ok(()) => ExitCode::from(codes::exit::OK),
        Err(failure) => {
            output.fail(&failure);
            ExitCode::from(failure.code.exit)
        }
    }
}

fn run(cli: Cli, output: &Output) -> Result<()> {
    let config = configure(&cli)?;
    start_log(&cli.command);
    match cli.command {
        Command::Serve(_) => serve::run(config, output),
        Command::Mcp(args) => mcp::run(config, &args),
        Command::MemoryTool => memory_tool::run(&config, output),
        Command::Remember(args) => remember::run(&config, args, output),
        Command::Recall(args) => recall::run(&config, args, output),
        Command::Context(args) => context::run(&config, args, output),
        Command::Forget(args) => forget::run(&config, *args, output),
        Command::Compact(args) => compact::run(&config, args, output),
        Command::Correct(args) => correct::run(&config, args, output),
        Command::Receipt(command) => forget::receipt(&config, command, output),
        Command::Session(command) => session::run(&config, command, output),
        Command::Memory(command) => memory::run(&config, command, output),
        Command::Review(command) => review::run(&config, command, output),
        Command::Retention(command) => retention::run(&config, command, output),
        Command::Jobs { command } => jobs::run(&config, command, output),
        Command::Scan(args) => scan::run(&config, &args, output),
        Command::Export(args) => export::run(&config, args, output),
        Command::View(args) => view::run(&config, args, output),
        Command::Import(args) => import::run(&config, args, output),
        Command::Freeze { scope } => review::freeze(&config, scope.as_deref(), output),
        Command::Thaw { scope } => review::thaw(&config, scope.as_deref(), output),
        Command::Policy(command) => policy::run(&config, command, output),
        Command::Person(command) => person::run(&config, command, output),
        Command::Notices { scope } => person::notices(&config, &scope, output),
        Command::Audit(command) => audit::run(&config, command, output),
        Command::Token(command) => token::run(&config, command, output),
        Command::Scopes => members::scopes(&config, output),
        Command::Team(command) => members::team(&config, command, output),
        Command::Deployment(command) => members::deployment(&config, command, output),
        Command::Keys(command) => keys::run(&config, command, output),
        Command::Destroy(args) => destroy::run(&config, &args, output),
        Command::Backup(args) => backup::run(&config, &args, output),
        Command::Restore(args) => backup::put_back(&config, &args, output),
        Command::Ledger(command) => backup::ledger(&config, &command, output),
        Command::Doctor => doctor::run(&config, output),
    }
}

fn configure(cli: &Cli) -> Result<Config> {
    let global = &cli.global;
    let mut flags = Vec::new();
    let mut set = |key: &'static str, value: Option<String>| flags.extend(value.map(|value| (key, value)));
    let data = global.data.clone().map(|data| data.into_os_string().into_string());
    let data = data.transpose().map_err(|_| Failure::new(&codes::BAD_CONFIG, "--data is not UTF-8"))?;
    set("data", data);
    set("org", global.org.clone());
    set("user", global.acting_user.clone());
    set("embedder", global.embedder.clone());
    if let Command::Serve(serve) = &cli.command {
        set("listen", serve.listen.clone());
        set("behind_tls_proxy", serve.behind_tls_proxy.then(|| "true".to_owned()));
    }
    config::load(Origins { file: global.config.clone(), flags, env: std::env::vars_os().collect() })
}

/// Logs go to standard error. A server tells what it does; a command only what went wrong.
fn start_log(command: &Command) {
    let level = if matches!(command, Command::Serve(_)) { "info" } else { "error" };
    let filter = EnvFilter::try_from_env("LACUNA_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    // The library that speaks MCP logs whole messages, and these hold memories: whatever is asked for, not that.
    let ours = filter_fn(|event| !event.target().starts_with("rmcp"));
    let log = fmt::layer().with_writer(std::io::stderr).with_ansi(false).with_filter(filter.and(ours));
    // Only a second call in one process could fail, and there is none.
    let _ = tracing_subscriber::registry().with(log).try_init();
}

fn usage(error: &clap::Error, json: bool) -> ExitCode {
    let asked_for = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if !asked_for && json {
        let text = error.render().to_string();
        let sentence = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        Output::new(true).fail(&Failure::new(&codes::USAGE, sentence));
    } else if error.print().is_err() {
        return ExitCode::from(codes::exit::FAILED);
    }
    ExitCode::from(if asked_for { codes::exit::OK } else { codes::exit::USAGE })
}
