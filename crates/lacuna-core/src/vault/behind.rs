//! Turns behind their summary: compaction archives them, and the search still finds them as long as a summary
//! that was made of them is active.

use std::collections::BTreeSet;

use lacuna_types::{ContentType, Lifecycle, MemoryId};

use crate::index::{Index, Stored};
use crate::vault::open::{Held, OpenVault};

/// Pairs of a source and a memory derived from it.
type LineagePairs = BTreeSet<(MemoryId, MemoryId)>;

/// Settles until when the search finds an archived turn: as long as one of its summaries is shown.
pub(crate) fn place_behind(index: &mut Index<Held>, lineage: &LineagePairs, turn: MemoryId) {
    if !index.get(&turn).is_some_and(|stored| is_archived_turn(&stored)) {
        return;
    }
    let until =
        summaries(index, lineage, turn).map(|stored| stored.attributes.expires_at.unwrap_or(i64::MAX));
    let until = until.max();
    index.stand_behind(&turn, until);
}

/// The sources of a summary; none for any other memory.
pub(crate) fn summarised(index: &Index<Held>, id: MemoryId) -> Vec<MemoryId> {
    let summary = index.get(&id).filter(|stored| stored.payload.facets.content_type == ContentType::Summary);
    let links = summary.map(|stored| stored.payload.facets.derived_from.iter().map(|link| link.source));
    links.into_iter().flatten().collect()
}

impl OpenVault {
    /// The active summary that an archived turn stands behind.
    pub(crate) fn summary_of(&self, turn: MemoryId) -> Option<MemoryId> {
        self.index.get(&turn).filter(is_archived_turn)?;
        summaries(&self.index, &self.lineage, turn).map(|summary| summary.id).next()
    }
}

fn summaries<'a>(
    index: &'a Index<Held>,
    lineage: &'a LineagePairs,
    turn: MemoryId,
) -> impl Iterator<Item = Stored<'a, Held>> {
    let (first, last) = (MemoryId::from_bytes([0; 16]), MemoryId::from_bytes([0xff; 16]));
    let made = lineage.range((turn, first)..=(turn, last)).filter_map(|(_, made)| index.get(made));
    made.filter(|stored| {
        stored.attributes.state == Lifecycle::Active
            && stored.payload.facets.content_type == ContentType::Summary
    })
}

fn is_archived_turn(stored: &Stored<'_, Held>) -> bool {
    let is_turn = stored.attributes.session.is_some_and(|session| session.turn.is_some());
    is_turn && stored.attributes.state == Lifecycle::Archived
}
