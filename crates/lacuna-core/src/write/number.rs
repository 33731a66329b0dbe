//! The numbers of turns. They are given where the commit is planned, so that no two turns of a session share
//! one, and an append that is sent again finds what it wrote the first time.

use std::cell::Cell;

use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::gate::Admitted;
use crate::index::{Session, Stored};
use crate::vault::marks::text_mark;
use crate::vault::open::{Held, OpenVault};
use crate::vault::sessions::{TURNS_PER_APPEND_MAX, TURNS_PER_SESSION_MAX, is_turn_of};

/// The state of the turn that an arriving text asks for.
pub(crate) enum TurnState {
    /// No memory holds it yet.
    Free,
    /// This memory holds it, with the very same text.
    Same(MemoryId),
    /// Another text holds it.
    Taken,
}

/// The numbers for the turns of one append.
pub(crate) struct Numbering {
    pub(crate) session: SessionId,
    /// The number that the caller expects the first of them to get.
    pub(crate) expected: Option<u32>,
    /// The number of turns that were sent. A refused turn uses up its number.
    pub(crate) count: u32,
    /// Numbers below this one were given already, by this process.
    pub(crate) floor: u32,
    /// The number that the first of them got, or zero before any did.
    pub(crate) given: Cell<u32>,
}

impl Numbering {
    /// The number of the first turn.
    pub(crate) fn first(&self, open: &OpenVault) -> Result<u32> {
        let next = next_turn(open, &self.session).max(self.floor);
        let first = self.expected.unwrap_or(next);
        if first == 0 {
            return Err(Error::invalid("expected_turn", "turns are counted from 1"));
        }
        if first > next + TURNS_PER_APPEND_MAX as u32 {
            return Err(Error::invalid("expected_turn", format!("the next turn is {next}")));
        }
        if first + self.count - 1 > TURNS_PER_SESSION_MAX {
            let reason = format!("a session takes at most {TURNS_PER_SESSION_MAX} turns: start another");
            return Err(Error::invalid("turns", reason));
        }
        self.given.set(first);
        Ok(first)
    }

    /// Gives `admitted` its turn, and tells what holds that turn already.
    pub(crate) fn settle(&self, open: &OpenVault, admitted: &mut Admitted, turn: u32) -> TurnState {
        admitted.facets.source.turn = Some(turn);
        let Some(holder) = holder(open, &self.session, turn) else { return TurnState::Free };
        let hash = open.keyring.text_hash(admitted.content.full_text().expose());
        match holder.payload.text_mark == text_mark(&hash) {
            true => TurnState::Same(holder.id),
            false => TurnState::Taken,
        }
    }
}

/// The number that the next turn of a session gets.
pub(crate) fn next_turn(open: &OpenVault, session: &SessionId) -> u32 {
    let mut turns = open.index.turns(Session::key(session), 0).rev();
    let last = turns.find(|(_, id)| turn(open, session, id).is_some());
    last.map_or(1, |(turn, _)| turn.saturating_add(1))
}

/// The memory that is a turn of the session.
fn holder<'a>(open: &'a OpenVault, session: &SessionId, number: u32) -> Option<Stored<'a, Held>> {
    let bearers = open.index.turns(Session::key(session), number);
    bearers.take_while(|(at, _)| *at == number).find_map(|(_, id)| turn(open, session, &id))
}

/// The memory of this id, if it is a turn of the session.
pub(crate) fn turn<'a>(open: &'a OpenVault, session: &SessionId, id: &MemoryId) -> Option<Stored<'a, Held>> {
    open.index.get(id).filter(|stored| is_turn_of(stored.payload, session))
}
