//! Compaction on the wire.

use jiff::Timestamp;
use lacuna_core::keep::{CompactRequest, Compacted, CompactionPlan};
use lacuna_types::{Scope, SessionId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::scope::shown;
use crate::wire::failure::{Failure, Result};

/// Turns to summarise and archive. Without a session, a time or `force`, the policy's thresholds decide.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields, default)]
#[schema(as = CompactRequest)]
pub(crate) struct CompactBody {
    /// Only turns of this session; its last ones stay, unless `before` is given.
    pub(crate) session: Option<String>,
    /// Only turns from before this moment.
    #[schema(format = DateTime)]
    pub(crate) before: Option<String>,
    /// Compact even below the thresholds.
    pub(crate) force: bool,
    /// Report what would be compacted, and change nothing.
    pub(crate) dry_run: bool,
    /// The vault; the caller's own when absent.
    pub(crate) scope: Option<String>,
}

impl CompactBody {
    pub(crate) fn into_core(self) -> Result<CompactRequest> {
        let session = self.session.as_deref().map(SessionId::new).transpose()?;
        let moment = |text: String| {
            text.parse::<Timestamp>()
                .map_err(|_| Failure::invalid("before", "must be a time like 2026-04-12T09:15:00Z"))
        };
        Ok(CompactRequest { session, before: self.before.map(moment).transpose()?, force: self.force })
    }
}

/// A plan, or the result.
#[derive(Serialize, ToSchema)]
#[schema(as = CompactAnswer)]
pub(crate) struct CompactAnswer {
    pub(crate) scope: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plan: Option<CompactionPlanView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) done: Option<CompactedView>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = CompactionPlan)]
pub(crate) struct CompactionPlanView {
    pub(crate) turns: usize,
    /// Tokens of these turns, estimated.
    pub(crate) tokens: usize,
    pub(crate) sessions: usize,
    /// As ISO 8601 writes them: `2026-W12`.
    pub(crate) weeks: Vec<String>,
    /// Facts that another one repeats word for word.
    pub(crate) duplicates: usize,
    /// Facts that nobody has read for as long as the policy names.
    pub(crate) unread_facts: usize,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Compacted)]
pub(crate) struct CompactedView {
    /// Turns that were archived: out of search, in exports.
    pub(crate) turns: usize,
    /// Turns that stay as they are, because the gate took no summary of them.
    pub(crate) kept: usize,
    /// Tokens of the turns before and of the memories that replaced them, estimated.
    pub(crate) tokens_before: usize,
    pub(crate) tokens_after: usize,
    /// The memories that replaced them.
    pub(crate) summaries: Vec<String>,
    pub(crate) facts: Vec<String>,
    /// Facts of these that wait in the review.
    pub(crate) waiting: usize,
    pub(crate) duplicates: usize,
    pub(crate) unread_facts: usize,
    pub(crate) cancelled: bool,
}

impl CompactAnswer {
    pub(crate) fn planned(plan: CompactionPlan, scope: &Scope) -> Self {
        let CompactionPlan { turns, tokens, sessions, weeks, duplicates, unread_facts } = plan;
        let plan = CompactionPlanView { turns, tokens, sessions, weeks, duplicates, unread_facts };
        Self { scope: shown(scope), plan: Some(plan), done: None }
    }

    pub(crate) fn done(done: Compacted, scope: &Scope) -> Self {
        let view = CompactedView {
            turns: done.turns,
            kept: done.kept,
            tokens_before: done.tokens_before,
            tokens_after: done.tokens_after,
            summaries: done.summaries.iter().map(ToString::to_string).collect(),
            facts: done.facts.iter().map(ToString::to_string).collect(),
            waiting: done.waiting,
            duplicates: done.duplicates,
            unread_facts: done.unread_facts,
            cancelled: done.cancelled,
        };
        Self { scope: shown(scope), plan: None, done: Some(view) }
    }
}
