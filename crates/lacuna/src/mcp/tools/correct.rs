use lacuna_core::permit::permit;
use lacuna_core::read::Query;
use lacuna_core::write::Correction;
use lacuna_types::{Draft, MemoryId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::remember::{SaidBy, spoken_by};
use crate::mcp::ask::{Reply, about, ask};
use crate::mcp::call::{Call, ToolAnswer, ToolOutcome, quoted};
use crate::wire::failure::{Failure, Result};
use crate::wire::{CorrectedView, read_scope};

/// Memories that are offered when the request does not say which one is wrong.
const OFFERED_MAX: usize = 5;

#[derive(Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::mcp) struct CorrectArgs {
    /// The memory that is wrong. Without it, the answer lists those that `about` may mean.
    memory_id: Option<String>,
    /// Subject of the wrong memory: "where I live".
    #[schema(max_length = 500)]
    about: Option<String>,
    /// The right text, as one statement that can be understood without the conversation.
    #[schema(min_length = 1, max_length = 10_000)]
    content: String,
    /// True only after the user has seen the old text and agreed that it is replaced and erased.
    #[serde(default)]
    confirmed: bool,
    /// `user` (the default), `team:NAME`, `org` or `deployment:NAME`.
    scope: Option<String>,
}

/// Result of a correction.
#[derive(Serialize, ToSchema)]
pub(in crate::mcp) struct CorrectAnswer {
    /// `corrected`; `waiting` when the new text waits for review; `confirm` when the user is to agree first;
    /// `which_one` when several may be meant, or none; `declined` when the user did not agree.
    outcome: &'static str,
    /// The memories that may be meant, the likeliest first; or the one that would be replaced.
    candidates: Vec<OldText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    corrected: Option<CorrectedView>,
}

#[derive(Serialize, ToSchema)]
pub(in crate::mcp) struct OldText {
    memory_id: String,
    content: String,
}

pub(in crate::mcp) async fn run(call: &Call, args: CorrectArgs) -> Result<ToolOutcome> {
    let Some(memory_id) = args.memory_id.clone() else { return offer(call, args).await };
    let id: MemoryId = memory_id.parse()?;
    let old = old_text(call, id, args.scope.clone()).await?;
    let message = format!(
        "Replace what is remembered?\n\nOld, erased for good: {}\nNew: {}",
        quoted(&old.content),
        quoted(&args.content)
    );
    match ask(call, message, about("correct", &[&memory_id, &args.content])).await? {
        Reply::CallAgain(again) => Ok(ToolOutcome::CallAgain(again)),
        Reply::No => {
            let text = "The user did not agree. Nothing was changed.".to_owned();
            answer("declined", text, Vec::new(), None)
        }
        Reply::Unasked if !args.confirmed => {
            let text = format!(
                "Nothing is changed yet. {} would be erased for good: {}\nShow the user both texts. Only if they agree, \
                 call correct again with the same arguments and confirmed = true.",
                old.memory_id,
                quoted(&old.content)
            );
            answer("confirm", text, vec![old], None)
        }
        Reply::Yes | Reply::Unasked => replace(call, id, args).await,
    }
}

async fn old_text(call: &Call, id: MemoryId, scope: Option<String>) -> Result<OldText> {
    call.work(move |core, caller| {
        let scope = read_scope(scope.as_deref(), caller)?;
        let memory = core.get(&permit(caller, &scope)?, id)?;
        Ok(OldText { memory_id: id.to_string(), content: memory.content.full_text().expose().to_owned() })
    })
    .await
}

async fn replace(call: &Call, id: MemoryId, args: CorrectArgs) -> Result<ToolOutcome> {
    let corrected = call
        .work(move |core, caller| {
            let scope = read_scope(args.scope.as_deref(), caller)?;
            let draft = Draft { text: args.content.into(), ..Draft::default() };
            let draft = spoken_by(SaidBy::User, draft, None, None);
            let corrected = core.correct(&permit(caller, &scope)?, &Correction::Id(id), draft)?;
            CorrectedView::of(corrected, &scope)
        })
        .await?;
    let now = corrected.memory.as_ref().map(|memory| memory.memory_id.clone()).unwrap_or_default();
    let (outcome, text) = match corrected.outcome {
        "corrected" => {
            let receipt =
                corrected.receipt.as_ref().map_or(String::new(), |name| format!(" Receipt: {name}."));
            ("corrected", format!("Corrected: {now} holds from now on, and the old text is erased.{receipt}"))
        }
        _ => (
            "waiting",
            format!("Noted as {now}, which waits for the user's review. The old text still holds."),
        ),
    };
    answer(outcome, text, Vec::new(), Some(corrected))
}

/// The memories that may be meant.
async fn offer(call: &Call, args: CorrectArgs) -> Result<ToolOutcome> {
    let Some(about) = args.about else {
        return Err(Failure::invalid(
            "memory_id",
            "send `memory_id`, or the subject of the memory in `about`",
        ));
    };
    let scope = args.scope;
    let candidates = call
        .work(move |core, caller| {
            let scope = read_scope(scope.as_deref(), caller)?;
            let query = Query { limit: OFFERED_MAX, tiers: None, strong_only: true, ..Query::new(about) };
            let found = core.recall(&permit(caller, &scope)?, &query)?.hits.into_iter();
            let old = |hit: lacuna_core::read::RecalledMemory| OldText {
                memory_id: hit.memory.id.to_string(),
                content: hit.memory.content.full_text().expose().to_owned(),
            };
            Ok(found.map(old).collect::<Vec<_>>())
        })
        .await?;
    let mut text = match candidates.is_empty() {
        true => "Nothing like that is remembered. To add it, use remember.".to_owned(),
        false => "Which of these is wrong? Call correct again with its memory_id.".to_owned(),
    };
    for one in &candidates {
        text += &format!("\n- {}: {}", one.memory_id, quoted(&one.content));
    }
    answer("which_one", text, candidates, None)
}

fn answer(
    outcome: &'static str,
    text: String,
    candidates: Vec<OldText>,
    corrected: Option<CorrectedView>,
) -> Result<ToolOutcome> {
    Ok(ToolAnswer::new(text, &CorrectAnswer { outcome, candidates, corrected })?.into())
}
