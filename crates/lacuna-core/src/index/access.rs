//! Access to the index for its vault, besides searching.

use lacuna_types::embed::ModelId;
use lacuna_types::{Lifecycle, MemoryId};

use crate::index::block::Block;
use crate::index::filter::Filter;
use crate::index::{Entry, Index, MODELS_MAX, NONE, Stored};

impl<P> Index<P> {
    /// Makes room at once for so many memories as are about to be inserted, of which some are here to see what
    /// vectors they have.
    pub(crate) fn make_room<'a>(&mut self, memories: usize, some: impl Iterator<Item = &'a Entry<P>>)
    where
        P: 'a,
    {
        let mut seen = 0;
        let mut rows: Vec<(&ModelId, usize, usize)> = Vec::new();
        for entry in some {
            seen += 1;
            for (model, vector) in &entry.vectors {
                match rows.iter_mut().find(|(known, ..)| *known == model) {
                    Some((_, _, count)) => *count += 1,
                    None => rows.push((model, vector.dimensions(), 1)),
                }
            }
        }
        self.kept.reserve(memories);
        self.attributes.reserve(memories);
        self.glances.reserve(memories);
        self.utterances.reserve(memories);
        self.slots.reserve(memories);
        for (model, dimensions, count) in rows {
            let known = self.blocks.iter().any(|block| block.model() == model);
            if !known && self.blocks.len() < MODELS_MAX {
                self.blocks.push(Block::new(model.clone(), dimensions));
            }
            let block = self.blocks.iter_mut().find(|block| block.model() == model);
            block.into_iter().for_each(|block| block.reserve(memories * count / seen));
        }
    }

    /// Forgets blocks for which room was made in vain.
    pub(crate) fn drop_empty_room(&mut self) {
        self.blocks.retain(|block| !block.is_empty());
    }

    /// The models that some memory has a vector of.
    pub fn models(&self) -> Vec<ModelId> {
        self.blocks.iter().map(Block::model).cloned().collect()
    }

    /// The vectors of a memory under each model that it has one of.
    pub(crate) fn vectors_of(&self, id: &MemoryId) -> Vec<(ModelId, Vec<f32>)> {
        let Some(slot) = self.slots.get(id) else { return Vec::new() };
        let of = |block: &Block| Some((block.model().clone(), block.vector(*slot)?));
        self.blocks.iter().filter_map(of).collect()
    }

    /// The cosine of each of these memories with a vector of one model; `None` for a memory that has no vector of it.
    /// Nothing is decoded.
    pub fn cosines(&self, model: &ModelId, vector: &[f32], ids: &[MemoryId]) -> Vec<Option<f32>> {
        let comparable = |block: &&Block| block.model() == model && block.dimensions() == vector.len();
        let Some(block) = self.blocks.iter().find(comparable) else { return vec![None; ids.len()] };
        let slots: Vec<u32> = ids.iter().map(|id| self.slots.get(id).copied().unwrap_or(NONE)).collect();
        block.exact_cosines(&block.probe(vector), &slots)
    }

    /// Lets searches that name no state find an archived memory until `until`; `None` hides it again.
    pub(crate) fn stand_behind(&mut self, id: &MemoryId, until: Option<i64>) {
        let Some(&slot) = self.slots.get(id) else { return };
        let attributes = &self.attributes[slot as usize];
        let mut glance = attributes.glance();
        if let (Lifecycle::Archived, Some(until)) = (attributes.state, until) {
            glance.visible_until = attributes.expires_at.map_or(until, |expires_at| expires_at.min(until));
        }
        self.glances[slot as usize] = glance;
    }

    /// Returns true when a search with this filter may see the memory, by its state and its expiry.
    pub(crate) fn is_visible(&self, slot: u32, filter: &Filter, now: i64) -> bool {
        match filter.states.is_empty() && !filter.records {
            true => now < self.glances[slot as usize].visible_until,
            false => filter.shows(&self.attributes[slot as usize], now),
        }
    }

    /// Every memory, in the order in which they lie in RAM.
    pub(crate) fn each(&self) -> impl Iterator<Item = Stored<'_, P>> {
        (0..self.kept.len() as u32).filter_map(|slot| self.stored(slot))
    }

    /// The conversations that have turns, each as [`super::Session::key`] names it.
    pub(crate) fn sessions(&self) -> impl Iterator<Item = u64> {
        self.sessions.keys()
    }

    /// Returns the memories that are turns of this conversation, from turn `from` on, in the order of the turns.
    pub(crate) fn turns(&self, session: u64, from: u32) -> impl DoubleEndedIterator<Item = (u32, MemoryId)> {
        self.sessions.turns(session, from)
    }

    /// Returns true when a memory has a vector of a model.
    pub(crate) fn has_vector(&self, id: &MemoryId, model: &ModelId) -> bool {
        let block = self.blocks.iter().find(|block| block.model() == model);
        self.slots.get(id).is_some_and(|slot| block.is_some_and(|block| block.holds(*slot)))
    }

    /// The memories that have no vector of one of these models.
    pub(crate) fn without_any(&self, models: &[&ModelId]) -> impl Iterator<Item = MemoryId> {
        let block = |model: &&ModelId| self.blocks.iter().find(|block| block.model() == *model);
        let blocks: Vec<Option<&Block>> = models.iter().map(block).collect();
        let lacks = move |slot: u32| blocks.iter().any(|block| block.is_none_or(|block| !block.holds(slot)));
        self.slots.iter().filter(move |(_, slot)| lacks(**slot)).map(|(id, _)| *id)
    }
}

impl<P> Stored<'_, P> {
    /// Returns true when `filter` admits this memory at the moment `now`, in milliseconds.
    pub fn passes(&self, filter: &Filter, now: i64) -> bool {
        filter.admits(self.attributes, || self.tags, now) && filter.names(&self.id)
    }
}
