//! Forgetting under the names that other programs give it: clear, forget and redact. Each is the one way of
//! forgetting, with its plan, its questions and its receipt.

use clap::{Args, ValueEnum};

use super::args::ScopeArgs;
use super::forget::{self, ForgetArgs};
use super::output::Output;
use super::person::{self, PersonForgetArgs};
use crate::assemble::assemble;
use crate::config::Config;
use crate::wire;
use crate::wire::failure::{Failure, Result};

/// Kinds of memories that `memory clear` clears.
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Clear {
    /// Events and conversations.
    Episodic,
    /// Facts and preferences.
    Semantic,
    /// Everything; asks twice.
    All,
}

#[derive(Args)]
pub(super) struct ClearArgs {
    what: Clear,
    /// Do not ask; for everything the second question stays.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    scope: ScopeArgs,
}

#[derive(Args)]
pub(super) struct TopicArgs {
    /// Words that say what to forget, such as "my dentist".
    topic: String,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    scope: ScopeArgs,
}

#[derive(Args)]
pub(super) struct RedactArgs {
    memory_id: String,
    /// Why. It is told back and stored nowhere: what is kept of an erasure holds no words.
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// soft hides, hard erases, archive sets aside [default: the policy's].
    #[arg(long, value_parser = super::args::words::<wire::Mode, _>(wire::Mode::all()))]
    mode: Option<wire::Mode>,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    scope: ScopeArgs,
}

#[derive(Args)]
pub(super) struct RedactUserArgs {
    /// Their user name, if they have a vault: everything in it goes.
    #[arg(conflicts_with = "user")]
    user_id: Option<String>,
    /// Why. It is told back and stored nowhere.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    person: PersonForgetArgs,
}

pub(super) fn clear(config: &Config, args: ClearArgs, output: &Output) -> Result<()> {
    let tier = |word: &str| word.parse().map_err(|reason: String| Failure::invalid("tier", reason));
    let tier = match args.what {
        Clear::Episodic => Some(tier("episodic")?),
        Clear::Semantic => Some(tier("semantic")?),
        Clear::All => None,
    };
    let all =
        ForgetArgs { everything: tier.is_none(), tier, yes: args.yes, scope: args.scope, ..no_target() };
    forget::run(config, all, output)
}

pub(super) fn topic(config: &Config, args: TopicArgs, output: &Output) -> Result<()> {
    let words = Some(args.topic);
    forget::run(config, ForgetArgs { words, yes: args.yes, scope: args.scope, ..no_target() }, output)
}

pub(super) fn redact(config: &Config, args: RedactArgs, output: &Output) -> Result<()> {
    let RedactArgs { memory_id, reason, mode, yes, scope } = args;
    forget::run(config, ForgetArgs { ids: vec![memory_id], mode, yes, scope, ..no_target() }, output)?;
    output.note(&format!("reason: {reason}"));
    Ok(())
}

pub(super) fn redact_user(config: &Config, args: RedactUserArgs, output: &Output) -> Result<()> {
    let person = PersonForgetArgs { user: args.user_id.or(args.person.user), ..args.person };
    person::forget(&assemble(config)?, person, output)?;
    args.reason.iter().for_each(|reason| output.note(&format!("reason: {reason}")));
    Ok(())
}

fn no_target() -> ForgetArgs {
    ForgetArgs::default()
}
