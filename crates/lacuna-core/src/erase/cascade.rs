//! The cascade of an erasure: every memory derived from an erased one is erased too, unless it can be made anew
//! without it.

use std::collections::{BTreeSet, HashMap};

use lacuna_types::*;

use crate::index::Stored;
use crate::vault::open::{Held, OpenVault};

/// The consequences of an erasure for the memories derived from the erased ones.
#[derive(Default, PartialEq, Debug)]
pub(crate) struct Cascade {
    /// They go as well.
    pub(crate) falls: Vec<MemoryId>,
    /// Consolidated memories that are made anew from what is left of their sources; each after those of its
    /// sources that are made anew themselves.
    pub(crate) rebuilt: Vec<Rebuild>,
}

/// A memory that is made anew.
#[derive(PartialEq, Debug)]
pub(crate) struct Rebuild {
    pub(crate) id: MemoryId,
    /// The sources that are left, under the ids that they had.
    pub(crate) left: Vec<Lineage>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CascadeEffect {
    Stays,
    Goes,
    Rebuilt,
}

/// Follows everything that was made of `going`, which go whole, and of `cuts`, of which a part stays.
///
/// What was inferred from a memory that goes, goes too. What was consolidated from several is rebuilt from the
/// others. What was made while it was only at hand stays: it does not say it, or it would be among `going`.
pub(crate) fn cascade(open: &OpenVault, going: &BTreeSet<MemoryId>, cuts: &BTreeSet<MemoryId>) -> Cascade {
    let whole = going.iter().map(|id| (*id, CascadeEffect::Goes));
    let fates = cuts.iter().map(|id| (*id, CascadeEffect::Rebuilt)).chain(whole).collect();
    let mut walk = Walk { open, fates, cascade: Cascade::default() };
    for id in descendants(open, going.union(cuts).copied().collect()) {
        walk.fate(id);
    }
    walk.cascade
}

/// Everything that was made of `going`, directly or not.
fn descendants(open: &OpenVault, going: Vec<MemoryId>) -> BTreeSet<MemoryId> {
    let mut found = BTreeSet::new();
    let mut next = going;
    while let Some(source) = next.pop() {
        for made in open.derivatives(source) {
            if found.insert(made) {
                next.push(made);
            }
        }
    }
    found
}

struct Walk<'a> {
    open: &'a OpenVault,
    fates: HashMap<MemoryId, CascadeEffect>,
    cascade: Cascade,
}

impl Walk<'_> {
    fn fate(&mut self, id: MemoryId) -> CascadeEffect {
        if let Some(fate) = self.fates.get(&id) {
            return *fate;
        }
        // Lineage has no circles, because a memory is made of older ones; a damaged one ends here.
        self.fates.insert(id, CascadeEffect::Stays);
        let fate = match self.open.index.get(&id) {
            Some(stored) => self.settle(&stored),
            None => CascadeEffect::Stays,
        };
        self.fates.insert(id, fate);
        fate
    }

    fn settle(&mut self, stored: &Stored<'_, Held>) -> CascadeEffect {
        let links: Vec<_> =
            stored.payload.facets.derived_from.iter().filter(|link| is_made_of(link)).collect();
        let fates: Vec<_> = links.iter().map(|link| self.fate(link.source)).collect();
        if fates.iter().all(|fate| *fate == CascadeEffect::Stays) {
            return CascadeEffect::Stays;
        }
        let of = |link: &Lineage, fate: CascadeEffect| (link.contribution, fate);
        let inferred = links.iter().zip(&fates).any(|(link, fate)| {
            matches!(of(link, *fate), (Contribution::Inference, CascadeEffect::Goes | CascadeEffect::Rebuilt))
        });
        let is_left = |(link, fate): &(&&Lineage, &CascadeEffect)| {
            link.contribution == Contribution::Primary && **fate != CascadeEffect::Goes
        };
        let left: Vec<Lineage> = links.iter().zip(&fates).filter(is_left).map(|(link, _)| **link).collect();
        if inferred || left.is_empty() || !is_consolidated(stored, links.len()) {
            self.cascade.falls.push(stored.id);
            return CascadeEffect::Goes;
        }
        self.cascade.rebuilt.push(Rebuild { id: stored.id, left });
        CascadeEffect::Rebuilt
    }
}

fn is_made_of(link: &Lineage) -> bool {
    link.contribution != Contribution::Context
}

/// Returns true when a memory consolidates several others, so that it can be made again from fewer.
fn is_consolidated(stored: &Stored<'_, Held>, sources: usize) -> bool {
    let facets = &stored.payload.facets;
    sources > 1 || facets.content_type == ContentType::Summary || facets.history.segment.is_some()
}
