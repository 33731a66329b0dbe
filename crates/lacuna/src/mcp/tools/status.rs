use jiff::Timestamp;
use lacuna_core::permit::{Recall, permit};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::mcp::call::{Call, ToolAnswer, ToolOutcome};
use crate::wire::failure::Result;
use crate::wire::{self, ScopeList, VerifiedView, read_scope};

/// Waiting memories that are counted at most.
const COUNTED_MAX: usize = 500;

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::mcp) struct StatusArgs {
    /// "Do you remember anything about this?": answers from what is stored, and with the receipts of what was
    /// forgotten.
    #[schema(max_length = 500)]
    about: Option<String>,
    /// `user` (the default), `team:NAME`, `org` or `deployment:NAME`.
    scope: Option<String>,
}

/// State of the memory.
#[derive(Serialize, ToSchema)]
pub(in crate::mcp) struct Status {
    version: &'static str,
    scope: String,
    memories: usize,
    /// Memories that cannot be opened; `lacuna doctor` says more.
    damaged: usize,
    /// Memories that wait for a review, up to 500; absent if the caller may not review.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting: Option<usize>,
    /// Time since which nothing is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    frozen_since: Option<Timestamp>,
    /// The vaults that may be named as scope.
    scopes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<VerifiedView>,
}

pub(in crate::mcp) async fn run(call: &Call, args: StatusArgs) -> Result<ToolOutcome> {
    let status = call
        .work(move |core, caller| {
            let scope = read_scope(args.scope.as_deref(), caller)?;
            let grant = permit::<Recall>(caller, &scope)?;
            let (memories, damaged) = core.count(&grant)?;
            let about = args.about.map(|about| core.verify_forgotten(&grant, &about)).transpose()?;
            let waiting = permit(caller, &scope).ok().map(|grant| core.candidates(&grant, None, COUNTED_MAX));
            let frozen = permit(caller, &scope).ok().map(|grant| core.frozen_since(&grant)).transpose()?;
            Ok(Status {
                version: env!("CARGO_PKG_VERSION"),
                scope: scope.holder.to_string(),
                memories,
                damaged,
                waiting: waiting.transpose()?.map(|page| page.memories.len()),
                frozen_since: frozen.flatten(),
                scopes: ScopeList::of(caller).scopes,
                about: about.map(|verified| VerifiedView::of(verified, &scope)),
            })
        })
        .await?;
    Ok(ToolAnswer::new(told(&status), &status)?.into())
}

fn told(status: &Status) -> String {
    let mut text = format!("{} in {}", wire::count_memories(status.memories), status.scope);
    if let Some(waiting) = status.waiting.filter(|waiting| *waiting > 0) {
        text += &format!(", {waiting} of them wait for a review");
    }
    if let Some(since) = status.frozen_since {
        text += &format!(", frozen since {since}");
    }
    text += ".";
    if let Some(about) = &status.about {
        text += match (about.forgotten, about.receipts.is_empty()) {
            (true, true) => " Nothing is remembered about it.",
            (true, false) => " Nothing is remembered about it: it was forgotten.",
            (false, _) => " Something is remembered about it.",
        };
        let receipts: Vec<_> = about.receipts.iter().map(|one| one.receipt.as_str()).collect();
        if !receipts.is_empty() {
            text += &format!(" Receipts: {}.", receipts.join(", "));
        }
    }
    text
}
