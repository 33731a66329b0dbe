//! Hooks on the command line. The work is done beside a clock: when the time is over the process ends, and the
//! host goes on. Nothing that happens here is an error to the host, because a code other than 0 could block it.

use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;
use std::{io, thread};

use clap::{Args, Subcommand};
use lacuna_core::permit::Recall;
use lacuna_types::SessionId;

use super::output::Output;
use crate::assemble::{Installation, assemble};
use crate::codes;
use crate::config::Config;
use crate::hook::{self, Deadline, Done, Event, HookHost, HookInput, ShownMemories};
use crate::wire::failure::{Failure, Result};

/// The longest limit that can be set.
const LIMIT_SECONDS_MAX: u64 = 3_600;
/// The part of the time in which turns are sealed; the rest is for what they leave behind.
const SEALING_SHARE: f64 = 0.6;

#[derive(Subcommand, Clone)]
pub(super) enum HookCommand {
    /// A conversation begins or goes on: answers with what matters most.
    SessionStart(LimitArgs),
    /// The user has said something: answers with what it brings to mind.
    UserPromptSubmit(LimitArgs),
    /// The host is about to shorten the conversation: seals its turns, and extracts what is worth knowing.
    PreCompact(LimitArgs),
    /// The conversation is over: the same, and its turns become a sealed transcript.
    SessionEnd(LimitArgs),
}

#[derive(Args, Clone)]
pub(super) struct LimitArgs {
    /// Latest time to stop [default: 10 for the first two hooks, 45 for the others].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=LIMIT_SECONDS_MAX))]
    limit_seconds: Option<u64>,
    /// The host that calls, whose words are spoken.
    #[arg(long, value_enum, default_value_t)]
    host: HookHost,
}

impl HookCommand {
    fn event(&self) -> (Event, Duration, HookHost) {
        let (event, args) = match self {
            Self::SessionStart(args) => (Event::SessionStart, args),
            Self::UserPromptSubmit(args) => (Event::UserPromptSubmit, args),
            Self::PreCompact(args) => (Event::PreCompact, args),
            Self::SessionEnd(args) => (Event::SessionEnd, args),
        };
        let limit = args.limit_seconds.map_or_else(|| event.limit_default(), Duration::from_secs);
        (event, limit, args.host)
    }
}

/// Answer of a hook.
enum HookAnswer {
    /// To be added to the conversation, empty when there is nothing; and the reason why turns were not sealed.
    Added(String, Option<Box<Failure>>),
    Stored(Done),
}

/// Runs a hook until it is done or its time is over. The code is 0 whatever happens.
pub(super) fn run(config: Result<Config>, command: &HookCommand, json: bool) -> ExitCode {
    let output = Output::new(json);
    let (event, limit, host) = command.event();
    let (send, done) = mpsc::channel();
    let deadline = Deadline::within(limit);
    thread::spawn(move || send.send(config.and_then(|config| work(&config, (event, host), deadline))));
    let told = match done.recv_timeout(limit) {
        Ok(told) => told,
        Err(RecvTimeoutError::Timeout) => Err(Failure::new(&codes::TIMEOUT, "the time of this hook is over")),
        Err(RecvTimeoutError::Disconnected) => Err(Failure::new(&codes::INTERNAL, "the hook broke off")),
    };
    let failed = told.is_err();
    match told.and_then(|told| tell(told, (event, host), &output)) {
        Ok(()) => {}
        Err(failure) => {
            // A host that reads every answer as JSON gets one.
            let empty = host.adding(event, String::new()).filter(|_| failed);
            let _ = empty.map_or(Ok(()), |answer| output.json_line(&answer));
            output.fail(&failure);
        }
    }
    ExitCode::from(codes::exit::OK)
}

fn work(config: &Config, (event, host): (Event, HookHost), deadline: Deadline) -> Result<HookAnswer> {
    let mut input = HookInput::read(io::stdin().lock(), event, host)?;
    input.transcript_path = input.transcript_path.filter(|_| host.has_known_transcripts());
    let session = input.session()?;
    if let (Event::SessionStart, Some(transcript)) = (event, &input.transcript_path) {
        // Only the last hook would miss it.
        let _ = hook::announce(&config.data, &session, transcript);
    }
    let installation = assemble(config)?;
    if matches!(event, Event::SessionStart | Event::UserPromptSubmit) {
        let mut added = hook::bring_to_mind(&installation, &config.data, &input)?;
        if event == Event::SessionStart {
            let reminder = hook::review_reminder(&installation);
            let both = !added.is_empty() && !reminder.is_empty();
            added.push_str(if both { "\n\n" } else { "" });
            added.push_str(&reminder);
        }
        let transcript =
            input.transcript_path.filter(|file| event == Event::UserPromptSubmit && file.is_file());
        // Sealed with every prompt: a forgetting later on takes what it names, and not all that is unsealed.
        let sealed = transcript.map_or(Ok(()), |transcript| {
            hook::archive(&installation, &config.data, &session, &transcript, deadline, &mut Done::default())
        });
        return Ok(HookAnswer::Added(added, sealed.err().map(Box::new)));
    }
    let transcript = input.transcript()?;
    let mut done = Done::default();
    let is_over = event == Event::SessionEnd;
    // The host's window loses what it was told.
    let own = installation.grant::<Recall>(None)?.scope().vault_id();
    ShownMemories::clear(&config.data, own, &session);
    store(&installation, config, (&session, transcript), is_over, deadline, &mut done)?;
    for (session, file) in hook::left_behind(&config.data, transcript) {
        if !deadline.is_over() {
            store(&installation, config, (&session, &file), true, deadline, &mut done)?;
        }
    }
    Ok(HookAnswer::Stored(done))
}

/// Seals what is new of a conversation and extracts from it. A long one does not take all of the time to seal.
fn store(
    installation: &Installation,
    config: &Config,
    (session, transcript): (&SessionId, &Path),
    is_over: bool,
    deadline: Deadline,
    done: &mut Done,
) -> Result<()> {
    let sealing = deadline.share(SEALING_SHARE);
    hook::archive(installation, &config.data, session, transcript, sealing, done)?;
    if deadline.is_over() {
        done.unfinished = true;
        return Ok(());
    }
    hook::extract(installation, session, deadline, done)?;
    if is_over && !done.unfinished {
        hook::end(installation, session)?;
    }
    Ok(())
}

/// The host reads standard output; what was stored is told on the side.
fn tell(told: HookAnswer, (event, host): (Event, HookHost), output: &Output) -> Result<()> {
    match told {
        HookAnswer::Added(text, failure) => {
            host.adding(event, text).map_or(Ok(()), |answer| output.json_line(&answer))?;
            failure.map_or(Ok(()), |failure| Err(*failure))
        }
        HookAnswer::Stored(done) => {
            output.aside(&done, |done| format!("lacuna: {}", done.told()));
            Ok(())
        }
    }
}
