//! Behind the summary: a search finds the archived turns that an active summary was made of, and a summary gives
//! its place to them.

use std::collections::HashSet;

use lacuna_types::MemoryId;

use crate::index::search::{Found, Hit, RESULTS_MAX, Search};
use crate::vault::open::OpenVault;

/// Further hits to look for in the place of each summary that is left out: the next one may be a summary again.
const HITS_PER_SUMMARY: usize = 2;

/// Searches a vault. A summary is left out when one of its turns is among the hits that are shown; `shown` tells
/// which ones are, because limits may leave out the turn.
pub(crate) fn search_behind(
    vault: &OpenVault,
    search: &Search<'_>,
    shown: impl Fn(Vec<Hit>) -> Vec<Hit>,
) -> Found {
    let mut found = vault.index.search(search);
    let fetched = found.hits.len();
    let left_out = leave_out_summaries(vault, &mut found.hits, &shown);
    if left_out > 0 && fetched >= search.limit {
        let limit = (search.limit + HITS_PER_SUMMARY * left_out).min(RESULTS_MAX);
        let wider = Search { limit, filter: search.filter.clone(), tags: search.tags.clone(), ..*search };
        found = vault.index.search(&wider);
        leave_out_summaries(vault, &mut found.hits, &shown);
    }
    found
}

/// Leaves out summaries whose turns are shown, and answers with how many.
fn leave_out_summaries(
    vault: &OpenVault,
    hits: &mut Vec<Hit>,
    shown: &impl Fn(Vec<Hit>) -> Vec<Hit>,
) -> usize {
    let found = hits.len();
    // Each round makes room for hits whose summaries may be here as well.
    while hits.iter().any(|hit| vault.summary_of(hit.id).is_some()) {
        let shown = shown(hits.clone());
        let told: HashSet<MemoryId> = shown.iter().filter_map(|hit| vault.summary_of(hit.id)).collect();
        let before = hits.len();
        hits.retain(|hit| !told.contains(&hit.id));
        if hits.len() == before {
            break;
        }
    }
    found - hits.len()
}
