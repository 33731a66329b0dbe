use std::collections::{BTreeMap, HashMap};

use lacuna_types::MemoryId;

use crate::index::NONE;

/// The turns of each conversation in order, and who stands beside whom.
#[derive(Default)]
pub(crate) struct Sessions {
    turns: HashMap<u64, SessionTurns>,
    neighbours: Vec<[u32; 2]>,
    /// The number of each slot's conversation, [`NONE`] for a memory that is no turn.
    numbers: Vec<u32>,
    /// Numbers below this one are in use or free.
    next_number: u32,
    free_numbers: Vec<u32>,
}

/// One conversation: its number, and its turns in order.
struct SessionTurns {
    number: u32,
    turns: BTreeMap<(u32, MemoryId), u32>,
}

impl Sessions {
    /// The slots of the turns before and after this one, [`NONE`] where there is none.
    pub(crate) fn neighbours(&self, slot: u32) -> [u32; 2] {
        self.neighbours.get(slot as usize).copied().unwrap_or([NONE; 2])
    }

    /// The number of a slot's conversation, [`NONE`] for a memory that is no turn.
    pub(crate) fn number(&self, slot: u32) -> u32 {
        self.numbers.get(slot as usize).copied().unwrap_or(NONE)
    }

    /// A bound above every number of a conversation.
    pub(crate) fn numbers(&self) -> usize {
        self.next_number as usize
    }

    /// The conversations that have turns.
    pub(crate) fn keys(&self) -> impl Iterator<Item = u64> {
        self.turns.keys().copied()
    }

    /// The turns of a conversation from one on, in their order.
    pub(crate) fn turns(&self, session: u64, from: u32) -> impl DoubleEndedIterator<Item = (u32, MemoryId)> {
        let from = (from, MemoryId::from_bytes([0; 16]));
        let turns = self.turns.get(&session).map(|conversation| &conversation.turns);
        turns.into_iter().flat_map(move |turns| turns.range(from..).map(|(at, _)| *at))
    }

    pub(crate) fn insert(&mut self, session: u64, turn: u32, id: MemoryId, slot: u32) {
        let Self { turns, next_number, free_numbers, .. } = self;
        let conversation = turns.entry(session).or_insert_with(|| {
            let number = free_numbers.pop().unwrap_or_else(|| {
                *next_number += 1;
                *next_number - 1
            });
            SessionTurns { number, turns: BTreeMap::new() }
        });
        let SessionTurns { number, turns } = conversation;
        turns.insert((turn, id), slot);
        let before = turns.range(..(turn, id)).next_back().map_or(NONE, |(_, &slot)| slot);
        let after = turns.range((turn, id)..).nth(1).map_or(NONE, |(_, &slot)| slot);
        if self.neighbours.len() <= slot as usize {
            self.neighbours.resize(slot as usize + 1, [NONE; 2]);
            self.numbers.resize(slot as usize + 1, NONE);
        }
        self.numbers[slot as usize] = *number;
        self.join(before, slot);
        self.join(slot, after);
    }

    /// Takes a turn out; those beside it become neighbours.
    pub(crate) fn remove(&mut self, session: u64, turn: u32, id: MemoryId, slot: u32) {
        let Some(SessionTurns { number, turns }) = self.turns.get_mut(&session) else { return };
        turns.remove(&(turn, id));
        if turns.is_empty() {
            self.free_numbers.push(*number);
            self.turns.remove(&session);
        }
        let [before, after] = self.neighbours(slot);
        self.join(before, after);
        self.neighbours[slot as usize] = [NONE; 2];
        self.numbers[slot as usize] = NONE;
    }

    pub(crate) fn bytes(&self) -> usize {
        let turns: usize = self.turns.values().map(|conversation| conversation.turns.len()).sum();
        turns * 2 * size_of::<((u32, MemoryId), u32)>() + self.neighbours.capacity() * size_of::<[u32; 3]>()
    }

    fn join(&mut self, before: u32, after: u32) {
        if before != NONE {
            self.neighbours[before as usize][1] = after;
        }
        if after != NONE {
            self.neighbours[after as usize][0] = before;
        }
    }
}
