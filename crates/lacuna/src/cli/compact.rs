//! Compaction of the local vault, with a bar while it works. A command that is interrupted loses nothing: the
//! next one goes on.

use std::ops::ControlFlow;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use lacuna_core::permit::Forget;

use super::args::ScopeArgs;
use super::output::{Output, fields};
use super::settle::settle;
use super::short_id;
use super::when::TimeArg;
use crate::assemble::assemble;
use crate::config::Config;
use crate::wire::failure::Result;
use crate::wire::{CompactAnswer, CompactBody, CompactedView, CompactionPlanView};

#[derive(Args)]
pub(super) struct CompactArgs {
    /// Only turns of this session; its last ones stay, unless --before is given.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only turns from before a date, a time, or a span such as 30d ago.
    #[arg(long, value_name = "WHEN")]
    before: Option<TimeArg>,
    /// Whatever the policy's thresholds say.
    #[arg(long)]
    force: bool,
    /// Say what would be compacted, and change nothing.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    scope: ScopeArgs,
}

pub(super) fn run(config: &Config, args: CompactArgs, output: &Output) -> Result<()> {
    let installation = assemble(config)?;
    let core = &installation.service;
    let grant = installation.grant::<Forget>(args.scope.as_deref())?;
    let before = args.before.map(|when| when.before(core.clock().now()).to_string());
    let scope = args.scope.as_deref();
    let session = args.session.map(|text| short_id::session_id(&installation, scope, &text)).transpose()?;
    let session = session.map(|id| id.as_str().to_owned());
    let body = CompactBody { session, before, force: args.force, ..CompactBody::default() };
    let request = body.into_core()?;
    let plan = core.compaction_plan(&grant, &request)?;
    if args.dry_run {
        return output.show(&CompactAnswer::planned(plan, grant.scope()), people);
    }
    let bar = bar(plan.turns);
    let done = core.compact(&grant, &request, &mut |turns| {
        bar.set_position(turns as u64);
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    let done = done?;
    settle(&installation, output);
    output.show(&CompactAnswer::done(done, grant.scope()), people)
}

/// Shows itself on a terminal only.
fn bar(turns: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} turns, {eta} left");
    ProgressBar::new(turns as u64).with_style(style.expect("the template is correct"))
}

fn people(answer: &CompactAnswer) -> String {
    match (&answer.plan, &answer.done) {
        (Some(plan), _) => planned(plan),
        (None, Some(done)) => told(done),
        (None, None) => String::new(),
    }
}

fn planned(plan: &CompactionPlanView) -> String {
    let weeks = match plan.weeks.as_slice() {
        [] => "none".to_owned(),
        [only] => only.clone(),
        [first, .., last] => format!("{first} to {last}"),
    };
    fields([
        ("turns to compact", plan.turns.to_string()),
        ("tokens in them, about", plan.tokens.to_string()),
        ("sessions", plan.sessions.to_string()),
        ("weeks", weeks),
        ("duplicates to archive", plan.duplicates.to_string()),
        ("facts that nobody reads", plan.unread_facts.to_string()),
    ])
}

fn told(done: &CompactedView) -> String {
    let mut lines = vec![
        ("turns archived", done.turns.to_string()),
        ("summaries", done.summaries.len().to_string()),
        ("facts", done.facts.len().to_string()),
        ("tokens, about", format!("{} before, {} after", done.tokens_before, done.tokens_after)),
    ];
    let others = [
        ("facts that wait for a review", done.waiting),
        ("turns that stay as they are", done.kept),
        ("duplicates archived", done.duplicates),
        ("facts that nobody reads", done.unread_facts),
    ];
    lines.extend(
        others.into_iter().filter(|(_, count)| *count > 0).map(|(name, count)| (name, count.to_string())),
    );
    fields(lines)
}
