//! Limits on the answer to one recall, so that memories do not flood an assistant's context.

use lacuna_types::{Error, Result, Tier};

use crate::index::search::Hit;
use crate::read::recall::{Query, RecalledMemory};
use crate::vault::open::OpenVault;
use crate::vault::service::Service;

/// Memories of events in one answer, unless the caller names a number of results.
pub const EPISODIC_RESULTS_DEFAULT: usize = 10;
/// Memories of facts in one answer, unless the caller names a number of results.
pub const SEMANTIC_RESULTS_DEFAULT: usize = 20;
/// Tokens of all texts in one answer, by default and at most.
pub(crate) const RECALL_TOKENS_DEFAULT: usize = 4_000;
pub(crate) const RECALL_TOKENS_MAX: usize = 100_000;

/// The number of memories of each tier in an answer, at most. Working memory counts as episodic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TierLimits {
    /// Memories of events.
    pub episodic: usize,
    /// Memories of facts.
    pub semantic: usize,
}

impl Default for TierLimits {
    fn default() -> Self {
        Self { episodic: EPISODIC_RESULTS_DEFAULT, semantic: SEMANTIC_RESULTS_DEFAULT }
    }
}

impl Query {
    /// The limits by tier, where they can leave anything out.
    fn binding_tiers(&self) -> Option<TierLimits> {
        self.tiers.filter(|tiers| self.limit > tiers.episodic.min(tiers.semantic))
    }

    /// The number of hits to look for: more than asked for where one tier's limit may drop some.
    pub(crate) fn search_limit(&self) -> usize {
        if self.binding_tiers().is_some() { 2 * self.limit } else { self.limit }
    }
}

/// The best hits within the limits of the query.
pub(crate) fn within_tiers(vault: &OpenVault, mut hits: Vec<Hit>, query: &Query) -> Vec<Hit> {
    if let Some(TierLimits { mut episodic, mut semantic }) = query.binding_tiers() {
        hits.retain(|hit| {
            let tier = vault.index.get(&hit.id).map(|stored| stored.attributes.tier);
            let left = if tier == Some(Tier::Semantic) { &mut semantic } else { &mut episodic };
            let stays = *left > 0;
            *left -= usize::from(stays);
            stays
        });
    }
    hits.truncate(query.limit);
    hits
}

pub(crate) fn check_tokens(max_tokens: usize) -> Result<()> {
    if max_tokens == 0 || max_tokens > RECALL_TOKENS_MAX {
        return Err(Error::invalid("max_tokens", format!("must be from 1 to {RECALL_TOKENS_MAX}")));
    }
    Ok(())
}

/// Keeps what fits into `max` tokens, best first. A text that is too long for what is left is shown by
/// its gist; from the first gist that does not fit, the rest is left out. Answers with how many were.
pub(crate) fn within_tokens(service: &Service, hits: &mut Vec<RecalledMemory>, max: usize) -> usize {
    let bytes: usize = hits.iter().map(|hit| hit.memory.content.full_text().expose().len()).sum();
    // No token is shorter than a byte, so that most answers need no counting.
    if bytes <= max {
        return 0;
    }
    let (found, mut left, mut kept) = (hits.len(), max, 0);
    for hit in hits.iter_mut() {
        let whole = service.count_tokens(hit.memory.content.full_text().expose());
        let tokens =
            if whole <= left { whole } else { service.count_tokens(hit.memory.content.gist.expose()) };
        if tokens > left {
            break;
        }
        if tokens != whole {
            hit.memory.content.text = None;
            hit.shortened = true;
        }
        left -= tokens;
        kept += 1;
    }
    hits.truncate(kept);
    found - kept
}
