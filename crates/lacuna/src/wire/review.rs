use lacuna_core::Lacuna;
use lacuna_core::govern::{Decided, Decision};
use lacuna_core::permit::{Grant, Review};
use lacuna_core::read::{LIST_PAGE_MAX, Page};
use lacuna_types::{Memory, MemoryId, Scope, Wait};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use zeroize::Zeroizing;

use super::memory::MemoryView;
use super::scope::shown;
use super::{words, write_cursor};
use crate::wire::failure::{Failure, Result};

/// Memories that wait for a decision, newest first.
#[derive(Serialize, ToSchema)]
#[schema(as = ReviewPage)]
pub(crate) struct ReviewPage {
    pub(crate) scope: String,
    pub(crate) memories: Vec<MemoryView>,
    /// Results of `anonymise` for memories that depend on a forgotten one, where it is possible.
    pub(crate) anonymous: Vec<AnonymousView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_cursor: Option<String>,
}

/// A memory in which "someone" replaces the people that it mentions.
#[derive(Serialize, ToSchema)]
#[schema(as = AnonymousForm)]
pub(crate) struct AnonymousView {
    pub(crate) memory_id: String,
    pub(crate) content: String,
}

impl ReviewPage {
    /// Reads the page, with the anonymous form of those memories that have one.
    pub(crate) fn read(core: &Lacuna, grant: &Grant<Review>, page: Page) -> lacuna_types::Result<Self> {
        let leans = |memory: &&Memory| memory.facets.history.waits == Some(Wait::Dangling);
        let mut anonymous = Vec::new();
        for memory in page.memories.iter().filter(leans) {
            let form = core.anonymous_form(grant, memory.id)?;
            let view = |content: Zeroizing<String>| AnonymousView {
                memory_id: memory.id.to_string(),
                content: content.to_string(),
            };
            anonymous.extend(form.map(view));
        }
        Ok(Self { anonymous, ..Self::of(page, grant.scope()) })
    }

    fn of(page: Page, scope: &Scope) -> Self {
        Self {
            scope: shown(scope),
            anonymous: Vec::new(),
            next_cursor: page.next.map(write_cursor),
            memories: page.memories.into_iter().map(|memory| MemoryView::of(memory, scope)).collect(),
        }
    }
}

/// Decisions about memories that wait, carried out in their order.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ReviewRequest)]
pub(crate) struct ReviewRequest {
    /// From 1 to 1,000, unless `accept_all` is set.
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub(crate) decisions: Vec<DecisionBody>,
    /// True accepts every note and everything that waits for confirmation only. Send no decisions with it.
    #[serde(default)]
    pub(crate) accept_all: bool,
    /// The vault they are in; the caller's own when absent.
    pub(crate) scope: Option<String>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Decision)]
pub(crate) struct DecisionBody {
    pub(crate) memory_id: String,
    pub(crate) decision: Verb,
    /// The corrected text, for `edit`.
    pub(crate) content: Option<String>,
    /// For `accept`: true keeps the older fact that it contradicts as well.
    #[serde(default)]
    pub(crate) keep_both: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verb {
    Accept,
    Edit,
    /// Replace the forgotten people that it mentions by "someone".
    Anonymise,
    Reject,
}

impl Verb {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Edit => "edit",
            Self::Anonymise => "anonymise",
            Self::Reject => "reject",
        }
    }
}

impl DecisionBody {
    pub(crate) fn into_core(self) -> Result<(MemoryId, Decision)> {
        let id = self.memory_id.parse()?;
        if self.content.is_some() != (self.decision == Verb::Edit) {
            return Err(Failure::invalid("content", "belongs to edit, and edit needs it"));
        }
        let decision = match (self.decision, self.content) {
            (Verb::Edit, Some(text)) => Decision::Edit(text.into()),
            (Verb::Anonymise, _) => Decision::Anonymise,
            (Verb::Reject, _) => Decision::Reject,
            _ => Decision::Accept { keep_both: self.keep_both },
        };
        Ok((id, decision))
    }
}

/// Results of the decisions, in their order.
#[derive(Serialize, ToSchema)]
#[schema(as = Reviewed)]
pub(crate) struct Reviewed {
    pub(crate) scope: String,
    pub(crate) decided: Vec<DecidedView>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Decided)]
pub(crate) struct DecidedView {
    pub(crate) memory_id: String,
    /// `accepted`, `edited`, `anonymised` or `rejected`.
    pub(crate) decided: &'static str,
    /// The state it is in now; absent when it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<words::Lifecycle>,
    /// The memory that replaced it, when it was edited or anonymised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) into: Option<String>,
    /// Memories that were erased because this one replaces them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) supersedes: Vec<String>,
    /// The receipt of the erasure of its earlier text, when it was anonymised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) receipt: Option<String>,
}

impl Reviewed {
    /// Accepts every note and everything that waits for its owner's confirmation only. A contradiction, a quarantine
    /// or a missing consent is a question of its own, and keeps waiting. `from` names the program of an import, when only what it brought is accepted.
    pub(crate) fn accepting_all(
        core: &Lacuna,
        grant: &Grant<Review>,
        keep_both: bool,
        from: Option<&str>,
    ) -> lacuna_types::Result<Self> {
        let is_from =
            |memory: &Memory| from.is_none_or(|from| memory.facets.source.channel.as_deref() == Some(from));
        let (mut decided, mut after) = (Vec::new(), None);
        loop {
            let page = core.candidates(grant, after, LIST_PAGE_MAX)?;
            let ids: Vec<MemoryId> =
                page.memories.iter().filter(|one| is_simple(one) && is_from(one)).map(|one| one.id).collect();
            for id in ids {
                let accept = vec![(id, Decision::Accept { keep_both })];
                match core.decide(grant, accept) {
                    // Another one that was accepted took its place.
                    Err(lacuna_types::Error::NotFound(_)) => {}
                    done => decided.extend(done?),
                }
            }
            match page.next {
                Some(_) => after = page.next,
                None => return Ok(Self::of(decided, grant.scope())),
            }
        }
    }

    pub(crate) fn of(decided: Vec<Decided>, scope: &Scope) -> Self {
        Self { scope: shown(scope), decided: decided.into_iter().map(DecidedView::from).collect() }
    }
}

fn is_simple(memory: &Memory) -> bool {
    match memory.facets.history.waits {
        Some(waits) => waits == Wait::Confirmation,
        None => memory.facets.is_note(),
    }
}

impl From<Decided> for DecidedView {
    fn from(decided: Decided) -> Self {
        let plain = |id: MemoryId, decided| Self {
            memory_id: id.to_string(),
            decided,
            state: None,
            into: None,
            supersedes: Vec::new(),
            receipt: None,
        };
        match decided {
            Decided::Accepted { id, state, supersedes } => Self {
                state: Some(state.into()),
                supersedes: supersedes.iter().map(ToString::to_string).collect(),
                ..plain(id, "accepted")
            },
            Decided::Edited { id, into } => Self {
                state: Some(into.state.into()),
                into: Some(into.id.to_string()),
                supersedes: into.supersedes.iter().map(ToString::to_string).collect(),
                ..plain(id, "edited")
            },
            Decided::Anonymised { id, into, state, receipt } => Self {
                state: Some(state.into()),
                into: Some(into.to_string()),
                receipt: receipt.map(|signed| signed.receipt.reference()),
                ..plain(id, "anonymised")
            },
            Decided::Rejected { id } => plain(id, "rejected"),
        }
    }
}

/// Memories to move to another state.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = StateRequest)]
pub(crate) struct StateRequest {
    /// From 1 to 1,000; all of them move, or none.
    #[schema(min_items = 1, max_items = 1000)]
    pub(crate) memory_ids: Vec<String>,
    /// `deleted` hides, `active` restores, `archived` sets aside.
    pub(crate) state: words::Lifecycle,
    /// The vault they are in; the caller's own when absent.
    pub(crate) scope: Option<String>,
}

/// State of a vault for writes.
#[derive(Serialize, ToSchema)]
#[schema(as = VaultState)]
pub(crate) struct VaultStateView {
    pub(crate) scope: String,
    /// Time since which writes are refused; absent while they are taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) frozen_since: Option<jiff::Timestamp>,
}

impl VaultStateView {
    pub(crate) fn of(frozen_since: Option<jiff::Timestamp>, scope: &Scope) -> Self {
        Self { scope: shown(scope), frozen_since }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = FreezeRequest)]
pub(crate) struct FreezeRequest {
    pub(crate) frozen: bool,
    /// The vault; the caller's own when absent.
    pub(crate) scope: Option<String>,
}
