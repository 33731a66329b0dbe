//! The command line: parses, calls the core as the local user, and prints tables or JSON.

mod args;
mod audit;
mod backup;
mod batch;
mod chart;
mod compact;
mod compliance;
mod config;
mod consent;
mod context;
mod correct;
mod demo;
mod destroy;
mod doctor;
mod draft_file;
mod export;
mod forget;
mod hold;
mod hook;
mod import;
mod install;
mod jobs;
mod key_move;
mod keys;
mod managed;
mod mcp;
mod members;
mod memory;
mod memory_tool;
mod month;
mod open;
mod output;
mod pages;
mod passphrase;
mod person;
mod persona;
mod plain;
mod policy;
mod protection;
mod purpose;
mod recall;
mod redact;
mod remember;
mod retention;
mod review;
mod scan;
mod serve;
mod session;
mod settle;
mod short_id;
mod store;
mod token;
mod view;
mod when;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _};
use tracing_subscriber::filter::{FilterExt, filter_fn};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, fmt, registry};

use self::args::{Cli, Command};
use self::output::Output;
use crate::codes;
use crate::config::{Config, LogFormat, Origins, load, load_shown};
use crate::ram::allow_core_dumps;
use crate::wire::failure::{Failure, Result};

pub(crate) fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args = plain::expanded(args.into_iter().collect());
    let json = args.iter().any(|arg| arg == "--json");
    let parsed = plain::command().try_get_matches_from(&args);
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return usage(&args, &error, json),
    };
    if let Command::Hook(command) = &cli.command {
        let config = origins(&cli).and_then(load);
        start_log(&cli.command, config.as_ref().map_or(LogFormat::Text, |config| config.log_format));
        config.iter().for_each(Config::warn_of_unknown);
        return hook::run(config, command, json);
    }
    let output = Output::new(cli.global.json);
    match run(cli, &output) {
        Ok(()) => ExitCode::from(codes::exit::OK),
        // A no is an answer, and no error.
        Err(failure) if failure.code == &codes::DECLINED => {
            output.note(&failure.detail);
            ExitCode::from(codes::exit::OK)
        }
        Err(failure) => {
            output.fail(&failure);
            ExitCode::from(failure.code.exit)
        }
    }
}

fn run(cli: Cli, output: &Output) -> Result<()> {
    match &cli.command {
        Command::Install(args) => return install::run(&cli.global, args, output),
        Command::Demo => return demo::run(output),
        Command::Admin => return plain::admin(output),
        Command::Completions { shell } => return pages::completions(*shell, output),
        Command::Man(args) => return pages::man(args, output),
        _ => {}
    }
    let origins = origins(&cli)?;
    if let Command::Config(command) = &cli.command {
        start_log(&cli.command, LogFormat::Text);
        return config::run(load_shown(origins)?, command, output);
    }
    let config = load(origins)?;
    start_log(&cli.command, config.log_format);
    config.warn_of_unknown();
    if config.allow_core_dumps {
        allow_core_dumps();
    }
    run_configured(cli.command, config, output)
}

/// Runs a command that needs its configuration.
fn run_configured(command: Command, config: Config, output: &Output) -> Result<()> {
    match command {
        Command::Open(args) => open::run(config, &args, output),
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
        Command::Consent(command) => consent::run(&config, command, output),
        Command::Purpose(command) => purpose::run(&config, command, output),
        Command::Hold(command) => hold::run(&config, command, output),
        Command::Persona(command) => persona::run(&config, command, output),
        Command::Compliance(command) => compliance::run(&config, command, output),
        Command::Retention(command) => retention::run(&config, command, output),
        Command::Jobs { command } => jobs::run(&config, command, output),
        Command::Scan(args) => scan::run(&config, &args, output),
        Command::Export(args) => export::run(&config, args, output),
        Command::View(args) => view::run(&config, args, output),
        Command::Import(args) => import::run(&config, args, output),
        Command::Freeze { scope } => review::freeze(&config, scope.as_deref(), output),
        Command::Thaw { scope } => review::thaw(&config, scope.as_deref(), output),
        Command::Config(_) => unreachable!("it was answered before the configuration was needed"),
        Command::Policy(command) => policy::run(&config, command, output),
        Command::Person(command) => person::run(&config, command, output),
        Command::Notices { scope } => person::notices(&config, &scope, output),
        Command::Audit(args) => audit::run(&config, args, output),
        Command::Token(command) => token::run(&config, command, output),
        Command::Store(command) => store::run(&config, command, output),
        Command::Scopes => members::scopes(&config, output),
        Command::Team(command) => members::team(&config, command, output),
        Command::Deployment(command) => members::deployment(&config, command, output),
        Command::Keys(command) => keys::run(&config, command, output),
        Command::Destroy(args) => destroy::run(&config, &args, output),
        Command::Backup(args) => backup::run(&config, &args, output),
        Command::Restore(args) => backup::put_back(&config, &args, output),
        Command::Ledger(command) => backup::ledger(&config, &command, output),
        Command::Doctor => doctor::run(&config, output),
        // These need no configuration, and are done by now.
        Command::Hook(_)
        | Command::Install(_)
        | Command::Demo
        | Command::Admin
        | Command::Completions { .. }
        | Command::Man(_) => Ok(()),
    }
}

/// Collects the flags, the file and the variables that configure this call.
fn origins(cli: &Cli) -> Result<Origins> {
    let global = &cli.global;
    let mut flags = Vec::new();
    let mut set = |key: &'static str, value: Option<String>| flags.extend(value.map(|value| (key, value)));
    let data = global.data.clone().map(|data| data.into_os_string().into_string());
    let data = data.transpose().map_err(|_| Failure::new(&codes::BAD_CONFIG, "--data is not UTF-8"))?;
    set("data", data);
    set("org", global.org.clone());
    set("user", global.acting_user.clone());
    set("embedder", global.embedder.clone());
    set("weak_passphrase", global.weak_passphrase.then(|| "true".to_owned()));
    if let Command::Serve(serve) = &cli.command {
        set("listen", serve.listen.clone());
        set("behind_tls_proxy", serve.behind_tls_proxy.then(|| "true".to_owned()));
    }
    Ok(Origins { file: global.config.clone(), flags, env: std::env::vars_os().collect() })
}

/// Logs go to standard error. A server tells what it does; a command only what went wrong, and variables that it
/// ignored.
fn start_log(command: &Command, format: LogFormat) {
    let level = if matches!(command, Command::Serve(_) | Command::Open(_)) {
        "info"
    } else {
        "error,lacuna::config=warn"
    };
    let filter = EnvFilter::try_from_env("LACUNA_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    // The library that speaks MCP logs whole messages, and these hold memories: whatever is asked for, not that.
    let ours = filter_fn(|event| !event.target().starts_with("rmcp"));
    let log = fmt::layer().with_writer(std::io::stderr).with_ansi(false);
    // Only a second call in one process could fail, and there is none.
    let _ = match format {
        LogFormat::Text => registry().with(log.with_filter(filter.and(ours))).try_init(),
        LogFormat::Json => registry().with(log.json().with_filter(filter.and(ours))).try_init(),
    };
}

fn usage(args: &[OsString], error: &clap::Error, json: bool) -> ExitCode {
    let asked_for = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if !asked_for && json {
        Output::new(true).fail(&Failure::new(&codes::USAGE, sentence(error)));
    } else if error.print().is_err() {
        return ExitCode::from(codes::exit::FAILED);
    }
    // To a host, 2 would mean that the hook forbids what the user is about to do.
    let harmless = asked_for || is_hook(args);
    ExitCode::from(if harmless { codes::exit::OK } else { codes::exit::USAGE })
}

/// The fault and the suggestion of an error, on one line.
fn sentence(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let mut lines = text.lines().map(str::trim);
    let first = lines.next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    match lines.find_map(|line| line.strip_prefix("tip: ")) {
        Some(tip) => format!("{first}; {tip}"),
        None => first,
    }
}

/// True if a hook was called, however badly.
fn is_hook(args: &[OsString]) -> bool {
    let matches = Cli::command().ignore_errors(true).try_get_matches_from(args);
    matches.is_ok_and(|matches| matches.subcommand_name() == Some("hook"))
}
