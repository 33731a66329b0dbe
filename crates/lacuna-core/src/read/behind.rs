//! Behind the summary: a search finds the archived turns that an active summary was made of, and a summary gives
//! its place to them.

use std::collections::HashSet;

use lacuna_types::MemoryId;

use crate::index::search::{Found, Search};
use crate::vault::open::OpenVault;

/// Hits among which a turn answers: its summary is left out, because a turn says the same in full and is ranked
/// by its own words.
const ANSWERING_HITS: usize = 100;

/// Searches a vault. A summary is left out when one of its turns answers, and stays when none does.
pub(crate) fn search_behind(vault: &OpenVault, search: &Search<'_>) -> Found {
    if vault.lineage.is_empty() {
        return vault.index.search(search);
    }
    let limit = search.limit.max(ANSWERING_HITS);
    let wider = Search { limit, filter: search.filter.clone(), tags: search.tags.clone(), ..*search };
    let mut found = vault.index.search(&wider);
    let told: HashSet<MemoryId> = found.hits.iter().filter_map(|hit| vault.summary_of(hit.id)).collect();
    found.hits.retain(|hit| !told.contains(&hit.id));
    found.hits.truncate(search.limit);
    found
}
