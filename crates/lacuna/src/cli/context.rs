use clap::Args;
use lacuna_core::permit::permit;

use super::args::{ScopeArgs, words};
use super::output::{Output, plain};
use super::remember::read_stdin;
use crate::assemble::assemble;
use crate::config::Config;
use crate::wire::failure::Result;
use crate::wire::{self, ContextRequest, ContextResponse};

#[derive(Args)]
pub(super) struct ContextArgs {
    /// Text of the turn; `-` reads it from standard input, and without it a conversation starts.
    turn: Option<String>,
    /// The conversation: what it was shown lately is not shown again.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Topic of the conversation, as a tag; may be given more than once.
    #[arg(long = "topic", value_name = "TAG")]
    topics: Vec<String>,
    /// Only this lane; may be given more than once.
    #[arg(long = "lane", value_name = "LANE", value_parser = words::<wire::Lane, _>(wire::Lane::all()))]
    lanes: Vec<wire::Lane>,
    /// Find memories by their secondary lanes as well.
    #[arg(long, requires = "lanes")]
    secondary_lanes: bool,
    /// Tokens of the whole section [default: as the policy says].
    #[arg(long, value_name = "COUNT")]
    max_tokens: Option<usize>,
    /// Memories in the section [default: as the policy says].
    #[arg(long, value_name = "COUNT")]
    max_memories: Option<usize>,
    /// Let the words of the turn ("my", "our", "the docs") narrow the lanes [default: as the policy says].
    #[arg(long, overrides_with = "no_intent")]
    intent: bool,
    /// Look in every lane, whatever the words.
    #[arg(long)]
    no_intent: bool,
    /// A further vault to ask, such as team:NAME; may be given more than once.
    #[arg(long = "shared", value_name = "SCOPE")]
    shared: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgs,
}

pub(super) fn run(config: &Config, args: ContextArgs, output: &Output) -> Result<()> {
    let turn = match args.turn.as_deref() {
        Some("-") => read_stdin()?,
        turn => turn.unwrap_or_default().to_owned(),
    };
    let installation = assemble(config)?;
    installation.unlock(true)?;
    let request = ContextRequest {
        turn,
        session_id: args.session,
        topics: args.topics,
        lane_filter: args.lanes,
        secondary_lanes: args.secondary_lanes,
        max_tokens: args.max_tokens,
        max_memories: args.max_memories,
        intent: (args.intent || args.no_intent).then_some(args.intent),
        scope: args.scope.scope,
        shared: args.shared,
        ..ContextRequest::default()
    };
    let (service, caller) = (&installation.service, &installation.local);
    let (scopes, why_own) = request.scopes(service, caller)?;
    let grants =
        scopes.iter().map(|scope| permit(caller, scope)).collect::<lacuna_types::Result<Vec<_>>>()?;
    let context = service.context(&grants, &request.into_turn()?)?;
    service.upkeep().flush_reads()?;
    service.upkeep().flush_rehearsals()?;
    output.show(&ContextResponse::of(context, why_own), |answer| people(answer, output))
}

/// The section alone goes to standard output, so that it can be piped into a prompt.
fn people(answer: &ContextResponse, output: &Output) -> String {
    let counts = format!(
        "{} of {} memories, {} of {} tokens, {:.1} ms",
        answer.items.len(),
        answer.considered,
        answer.tokens,
        answer.max_tokens,
        answer.query_time_ms
    );
    output.note(&counts);
    answer.understood.broaden.iter().for_each(|hint| output.note(&format!("to look further: {hint}")));
    plain(&answer.text)
}
