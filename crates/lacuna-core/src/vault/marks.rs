//! What a vault recognises a memory by at once: the hash of its text, and of what it makes a statement about.

use std::collections::BTreeSet;

use super::open::Held;
use crate::domain::MemoryId;

/// Hashes and the memories that bear them.
#[derive(Default)]
pub(crate) struct Marks(BTreeSet<(u64, MemoryId)>);

impl Marks {
    /// The memories that bear `mark`.
    pub(crate) fn bearers(&self, mark: u64) -> impl Iterator<Item = MemoryId> {
        let (first, last) = (MemoryId::from_bytes([0; 16]), MemoryId::from_bytes([0xff; 16]));
        self.0.range((mark, first)..=(mark, last)).map(|(_, memory)| *memory)
    }

    pub(super) fn add(&mut self, memory: MemoryId, held: &Held) {
        self.0.extend(marks_of(held).map(|mark| (mark, memory)));
    }

    pub(super) fn remove(&mut self, memory: MemoryId, held: &Held) {
        for mark in marks_of(held) {
            self.0.remove(&(mark, memory));
        }
    }
}

fn marks_of(held: &Held) -> impl Iterator<Item = u64> {
    held.facets.history.attributes.iter().copied().chain([held.text_mark])
}

/// The mark of a text, from its keyed hash.
pub(crate) fn text_mark(hash: &[u8; 32]) -> u64 {
    hash.first_chunk().map_or(0, |first| u64::from_be_bytes(*first))
}
