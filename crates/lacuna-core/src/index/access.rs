//! What a vault asks of its index besides searching it.

use super::block::Block;
use super::{Filter, Index, Stored};
use crate::domain::MemoryId;
use crate::embed::ModelId;

impl<P> Index<P> {
    /// The models that some memory has a vector of.
    pub fn models(&self) -> Vec<ModelId> {
        self.blocks.iter().map(Block::model).cloned().collect()
    }

    /// The memories that have no vector of `model`.
    pub fn without_model(&self, model: &ModelId) -> impl Iterator<Item = MemoryId> {
        let block = self.blocks.iter().find(|block| block.model() == model);
        let lacks = move |slot: u32| block.is_none_or(|block| !block.holds(slot));
        self.slots.iter().filter(move |(_, slot)| lacks(**slot)).map(|(id, _)| *id)
    }
}

impl<P> Stored<'_, P> {
    /// Whether `filter` admits this memory at the moment `now`, in milliseconds.
    pub fn passes(&self, filter: &Filter, now: i64) -> bool {
        filter.admits(self.attributes, || self.tags, now)
    }
}
