use lacuna_core::permit::permit;

use super::args::ContextArgs;
use super::output::{Output, plain};
use super::remember::read_stdin;
use crate::assemble::assemble;
use crate::config::Config;
use crate::failure::Result;
use crate::wire::{ContextRequest, ContextResponse};

pub(super) fn run(config: &Config, args: ContextArgs, output: &Output) -> Result<()> {
    let turn = match args.turn.as_deref() {
        Some("-") => read_stdin()?,
        turn => turn.unwrap_or_default().to_owned(),
    };
    let installation = assemble(config)?;
    let request = ContextRequest {
        turn,
        session_id: args.session,
        topics: args.topics,
        lane_filter: args.lanes,
        max_tokens: args.max_tokens,
        max_memories: args.max_memories,
        intent: args.intent,
        scope: args.scope.scope,
        shared: args.shared,
        ..ContextRequest::default()
    };
    let (service, caller) = (&installation.service, &installation.local);
    let (scopes, why_own) = request.scopes(service, caller)?;
    let grants = scopes.iter().map(|scope| permit(caller, scope)).collect::<lacuna_core::Result<Vec<_>>>()?;
    let context = service.context(&grants, &request.into_turn()?)?;
    service.flush_reads()?;
    service.flush_rehearsals()?;
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
