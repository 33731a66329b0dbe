//! The index of one opened vault: exact search in RAM by meaning and by words.
//!
//! A pure data structure without keys, files or clock. What is inserted can be found; what is removed leaves no
//! trace: its vector is zeroed, its words lose their postings, and its neighbours lose its context, because
//! nothing about a memory is stored anywhere but under the memory itself.

use lacuna_language::words::{Language, TermList, stable_hash};
pub(crate) mod access;
pub(crate) mod block;
pub mod features;
pub(crate) mod filter;
pub mod kernels;
mod nearest;
pub(crate) mod postings;
pub(crate) mod quant;
mod ranking;
#[cfg(test)]
mod residue;
pub(crate) mod search;
pub(crate) mod sessions;
pub(crate) mod top;
pub(crate) mod utterance;

pub use filter::Filter;
pub use kernels::{SIGN_ENTRY_MAX, SIGN_GROUP, SIGN_TABLE, dot_rows, query_code_max, sign_sums};
pub use quant::QuantVec;
pub use search::{Contribution, Explanation, Found, Hit, QueryVector, Search, Similarity};
pub use utterance::Utterance;

use std::collections::{BTreeMap, HashMap};

use block::Block;
use lacuna_types::decay::Fading;
use lacuna_types::embed::ModelId;
use lacuna_types::{Category, Error, Lane, Lifecycle, MemoryId, Result, SessionId, Tier};
use postings::Postings;
use sessions::Sessions;

/// Memories in one vault.
pub const SLOTS_MAX: usize = 1 << 24;
/// Models whose vectors a vault holds at the same time.
pub const MODELS_MAX: usize = 4;

/// No slot, no row.
const NONE: u32 = u32::MAX;

/// A tag as a hash: equal tags meet whatever their case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tag(u64);

impl Tag {
    /// Hashes a tag.
    pub fn of(tag: &str) -> Self {
        Self(stable_hash(tag.to_lowercase().as_bytes()))
    }
}

/// Lanes as a set.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Lanes(u8);

impl Lanes {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// Returns true when the set holds `lane`.
    pub fn contains(self, lane: Lane) -> bool {
        self.0 & Self::bit(lane) != 0
    }

    fn bit(lane: Lane) -> u8 {
        1 << lane.code()
    }
}

impl FromIterator<Lane> for Lanes {
    fn from_iter<I: IntoIterator<Item = Lane>>(lanes: I) -> Self {
        Self(lanes.into_iter().fold(0, |set, lane| set | Self::bit(lane)))
    }
}

/// The conversation a memory comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Session {
    /// The hash of the session's id.
    pub key: u64,
    /// The place of a turn in its conversation. Without it the memory has no neighbours.
    pub turn: Option<u32>,
}

impl Session {
    /// Makes the session of a memory, with its turn if it is one.
    pub fn new(session: &SessionId, turn: Option<u32>) -> Self {
        Self { key: Self::key(session), turn }
    }

    /// Hashes a session's id.
    pub fn key(session: &SessionId) -> u64 {
        stable_hash(session.as_str().as_bytes())
    }
}

/// The attributes that a memory is filtered and ranked by. Times are milliseconds since the epoch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Attributes {
    /// The time of creation.
    pub created_at: i64,
    /// The time at which it is no longer found.
    pub expires_at: Option<i64>,
    /// The conversation it comes from.
    pub session: Option<Session>,
    /// The inputs of its salience over time.
    pub fading: Fading,
    /// The state of its lifecycle.
    pub state: Lifecycle,
    /// Its category.
    pub category: Category,
    /// Its tier.
    pub tier: Tier,
    /// Its main lane.
    pub lane: Lane,
    /// Its other lanes.
    pub secondary_lanes: Lanes,
    /// True for a record, which only searches for records find.
    pub is_record: bool,
}

/// The attributes that a search looks at again and again, together in one place.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Glance {
    /// The first moment at which a memory is no longer found by a search that names no state.
    visible_until: i64,
    created_at: i64,
    fading: Fading,
}

impl Attributes {
    fn glance(&self) -> Glance {
        let visible_until = match self.state {
            _ if self.is_record => i64::MIN,
            Lifecycle::Active => self.expires_at.unwrap_or(i64::MAX),
            _ => i64::MIN,
        };
        Glance { visible_until, created_at: self.created_at, fading: self.fading }
    }
}

/// A memory as it enters the index. `P` is whatever the vault wants back with a hit.
#[derive(Clone, Debug)]
pub struct Entry<P> {
    /// The id of the memory.
    pub id: MemoryId,
    /// The attributes it is filtered and ranked by.
    pub attributes: Attributes,
    /// Its tags, hashed.
    pub tags: Vec<Tag>,
    /// The terms of its text.
    pub terms: TermList,
    /// Its speaker and its form.
    pub utterance: Utterance,
    /// Its vectors, one for each model.
    pub vectors: Vec<(ModelId, QuantVec)>,
    /// The vault's own data.
    pub payload: P,
}

/// A memory as the index knows it.
pub struct Stored<'a, P> {
    /// The id of the memory.
    pub id: MemoryId,
    /// The attributes it is filtered and ranked by.
    pub attributes: &'a Attributes,
    /// Its tags, hashed.
    pub tags: &'a [Tag],
    /// Its words, stop words aside, each once, as the index numbers them.
    pub(crate) terms: &'a [u32],
    /// The vault's own data.
    pub payload: &'a P,
}

/// The part of a memory that the index keeps besides its attributes, words and vectors.
struct Kept<P> {
    id: MemoryId,
    tags: Box<[Tag]>,
    terms: Box<[u32]>,
    language: Language,
    payload: P,
}

/// A place in the order in which memories are listed: by creation, then by id.
pub type Cursor = (i64, MemoryId);

/// The search index of one vault, in RAM.
pub struct Index<P> {
    kept: Vec<Option<Kept<P>>>,
    attributes: Vec<Attributes>,
    /// A dense copy, because words ask for it at every posting and the ranking at every candidate.
    glances: Vec<Glance>,
    utterances: Vec<Utterance>,
    free: Vec<u32>,
    slots: HashMap<MemoryId, u32>,
    order: BTreeMap<Cursor, u32>,
    postings: Postings,
    sessions: Sessions,
    blocks: Vec<Block>,
}

impl<P> Default for Index<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P> Index<P> {
    /// Makes an empty index.
    pub fn new() -> Self {
        Self {
            kept: Vec::new(),
            attributes: Vec::new(),
            glances: Vec::new(),
            utterances: Vec::new(),
            free: Vec::new(),
            slots: HashMap::new(),
            order: BTreeMap::new(),
            postings: Postings::default(),
            sessions: Sessions::default(),
            blocks: Vec::new(),
        }
    }

    /// The number of memories in the index.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns true when the index holds no memory.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Adds a memory, in place of the one with the same id if there is one. Changes nothing when it fails.
    pub fn insert(&mut self, entry: Entry<P>) -> Result<()> {
        self.check_vectors(&entry.vectors)?;
        self.remove(&entry.id);
        let slot = self.take_slot()?;
        let Entry { id, attributes, tags, terms, utterance, vectors, payload } = entry;
        let language = terms.language();
        let terms = self.postings.insert(slot, &terms);
        self.push_vectors(slot, &vectors);
        if let Some(Session { key, turn: Some(turn) }) = attributes.session {
            self.sessions.insert(key, turn, id, slot);
        }
        self.slots.insert(id, slot);
        self.order.insert((attributes.created_at, id), slot);
        let kept = Some(Kept { id, tags: tags.into(), terms, language, payload });
        match self.kept.get_mut(slot as usize) {
            Some(place) => {
                *place = kept;
                self.attributes[slot as usize] = attributes;
                self.glances[slot as usize] = attributes.glance();
                self.utterances[slot as usize] = utterance;
            }
            None => {
                self.kept.push(kept);
                self.attributes.push(attributes);
                self.glances.push(attributes.glance());
                self.utterances.push(utterance);
            }
        }
        Ok(())
    }

    /// Takes a memory out, with its words, its vectors and its part in its neighbours' context.
    pub fn remove(&mut self, id: &MemoryId) -> bool {
        let Some(slot) = self.slots.remove(id) else { return false };
        let attributes = std::mem::replace(&mut self.attributes[slot as usize], VACANT);
        self.glances[slot as usize] = VACANT.glance();
        self.utterances[slot as usize] = Utterance::default();
        self.order.remove(&(attributes.created_at, *id));
        if let Some(kept) = self.kept[slot as usize].take() {
            self.postings.remove(slot, &kept.terms, kept.language);
        }
        if let Some(Session { key, turn: Some(turn) }) = attributes.session {
            self.sessions.remove(key, turn, *id, slot);
        }
        self.remove_vectors(slot);
        self.free.push(slot);
        true
    }

    /// Returns a memory by its id.
    pub fn get(&self, id: &MemoryId) -> Option<Stored<'_, P>> {
        self.stored(*self.slots.get(id)?)
    }

    /// Memories after a place in the order of creation, oldest first; all of them without a cursor.
    pub fn after(&self, cursor: Option<Cursor>) -> impl Iterator<Item = Stored<'_, P>> {
        let first = cursor.map_or(std::ops::Bound::Unbounded, std::ops::Bound::Excluded);
        self.order.range((first, std::ops::Bound::Unbounded)).filter_map(|(_, &slot)| self.stored(slot))
    }

    /// Memories before a place in the order of creation, newest first; all of them without a cursor.
    pub fn before(&self, cursor: Option<Cursor>) -> impl Iterator<Item = Stored<'_, P>> {
        let last = cursor.map_or(std::ops::Bound::Unbounded, std::ops::Bound::Excluded);
        self.order.range((std::ops::Bound::Unbounded, last)).rev().filter_map(|(_, &slot)| self.stored(slot))
    }

    /// Active memories, in no order.
    pub fn active(&self) -> impl Iterator<Item = Stored<'_, P>> {
        (0..)
            .zip(&self.attributes)
            .filter(|(_, attributes)| attributes.state == Lifecycle::Active)
            .filter_map(|(slot, _)| self.stored(slot))
    }

    /// About how many bytes of RAM the index takes, payloads not counted beyond their own size.
    pub fn bytes(&self) -> usize {
        let per_slot = size_of::<Option<Kept<P>>>()
            + size_of::<Attributes>()
            + size_of::<Glance>()
            + size_of::<Utterance>();
        let per_memory = 2 * size_of::<(Cursor, u32)>() + size_of::<(MemoryId, u32)>();
        let lists: usize =
            self.kept.iter().flatten().map(|kept| 8 * kept.tags.len() + 4 * kept.terms.len()).sum();
        let blocks: usize = self.blocks.iter().map(Block::bytes).sum();
        self.kept.capacity() * per_slot
            + self.len() * per_memory
            + lists
            + blocks
            + self.postings.bytes()
            + self.sessions.bytes()
    }

    /// Returns the payloads that the vault keeps with the memories, in no order.
    pub(crate) fn payloads(&self) -> impl Iterator<Item = &P> {
        self.kept.iter().flatten().map(|kept| &kept.payload)
    }

    fn stored(&self, slot: u32) -> Option<Stored<'_, P>> {
        let Kept { id, tags, terms, payload, .. } = self.kept.get(slot as usize)?.as_ref()?;
        Some(Stored { id: *id, attributes: &self.attributes[slot as usize], tags, terms, payload })
    }

    fn take_slot(&mut self) -> Result<u32> {
        if let Some(slot) = self.free.pop() {
            return Ok(slot);
        }
        if self.kept.len() >= SLOTS_MAX {
            return Err(Error::invalid("memory", format!("a vault holds at most {SLOTS_MAX} memories")));
        }
        Ok(self.kept.len() as u32)
    }

    fn check_vectors(&self, vectors: &[(ModelId, QuantVec)]) -> Result<()> {
        let mut unknown: Vec<&ModelId> = Vec::new();
        for (at, (model, vector)) in vectors.iter().enumerate() {
            if vectors[..at].iter().any(|(other, _)| other == model) {
                return Err(Error::invalid("vectors", format!("two vectors of {model} for one memory")));
            }
            match self.blocks.iter().find(|block| block.model() == model) {
                Some(block) => block.check(vector)?,
                None => unknown.push(model),
            }
        }
        if self.blocks.len() + unknown.len() > MODELS_MAX {
            return Err(Error::invalid(
                "vectors",
                format!("a vault holds vectors of at most {MODELS_MAX} models"),
            ));
        }
        Ok(())
    }

    fn push_vectors(&mut self, slot: u32, vectors: &[(ModelId, QuantVec)]) {
        for (model, vector) in vectors {
            let at = self.blocks.iter().position(|block| block.model() == model).unwrap_or_else(|| {
                self.blocks.push(Block::new(model.clone(), vector.dimensions()));
                self.blocks.len() - 1
            });
            self.blocks[at].push(slot, vector);
        }
    }

    fn remove_vectors(&mut self, slot: u32) {
        self.blocks.iter_mut().for_each(|block| block.remove(slot));
        self.blocks.retain(|block| !block.is_empty());
    }
}

/// The attributes of a slot that no memory holds.
const VACANT: Attributes = Attributes {
    created_at: 0,
    expires_at: None,
    session: None,
    fading: Fading::steady(0.0),
    state: Lifecycle::Deleted,
    category: Category::Conversation,
    tier: Tier::Working,
    lane: Lane::Profile,
    secondary_lanes: Lanes::NONE,
    is_record: false,
};
