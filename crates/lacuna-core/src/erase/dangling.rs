//! Memories that make no sense without one that is forgotten: they speak of it as "she", "that" or "the guest who
//! returned last week". They are held back until somebody has looked at them, or made to speak of "someone".

use std::collections::{BTreeSet, HashSet};

use lacuna_language::pointer::{described, leans, speaks_of};
use lacuna_types::*;

use crate::index::Stored;
use crate::vault::open::{Held, OpenVault};

/// Turns of a conversation after a forgotten one that may still speak of it.
const TURNS_AFTER: u32 = 2;
/// Memories that are held back by one erasure at most; the nearest come first.
pub(crate) const HELD_BACK_MAX: usize = 256;

/// The active memories that would be left pointing at one of `gone`.
pub(crate) fn dangling(open: &OpenVault, gone: &BTreeSet<MemoryId>) -> Vec<MemoryId> {
    let erased = ErasedTexts::of(gone.iter().filter_map(|id| open.index.get(id)).collect());
    let turns: Vec<(&SessionId, u32)> = erased.all.iter().filter_map(turn).collect();
    let names: HashSet<String> = gone.iter().map(ToString::to_string).collect();
    let points_back =
        |stored: &Stored<'_, Held>| follows(stored, &turns) && leans(stored.payload.full_text().expose());
    // A record says nothing to anybody but its program, and is never held back.
    let is_left = |stored: &Stored<'_, Held>| {
        stored.attributes.state == Lifecycle::Active && !stored.attributes.is_record
    };
    open.index
        .before(None)
        .filter(|stored| is_left(stored) && !gone.contains(&stored.id))
        .filter(|stored| {
            points_back(stored) || erased.are_described_by(stored) || names_an_id(stored.payload, &names)
        })
        .map(|stored| stored.id)
        .take(HELD_BACK_MAX)
        .collect()
}

fn turn<'a>(stored: &Stored<'a, Held>) -> Option<(&'a SessionId, u32)> {
    let source = &stored.payload.facets.source;
    Some((source.session.as_ref()?, source.turn?))
}

fn follows(stored: &Stored<'_, Held>, turns: &[(&SessionId, u32)]) -> bool {
    let Some((session, at)) = turn(stored) else { return false };
    turns
        .iter()
        .any(|(other, forgotten)| *other == session && at > *forgotten && at - *forgotten <= TURNS_AFTER)
}

/// The erased memories, with all topics and sessions that they have.
struct ErasedTexts<'a> {
    all: Vec<Stored<'a, Held>>,
    tags: HashSet<&'a str>,
    sessions: HashSet<&'a SessionId>,
}

impl<'a> ErasedTexts<'a> {
    fn of(all: Vec<Stored<'a, Held>>) -> Self {
        let facets = || all.iter().map(|gone| &gone.payload.facets);
        let tags = facets().flat_map(|facets| &facets.tags).map(String::as_str).collect();
        let sessions = facets().filter_map(|facets| facets.source.session.as_ref()).collect();
        Self { all, tags, sessions }
    }

    /// Returns true for a text that describes, without a name, what one of them tells of that is of its session or of its
    /// topics.
    fn are_described_by(&self, stored: &Stored<'_, Held>) -> bool {
        let own = &stored.payload.facets;
        let session = own.source.session.as_ref();
        // Most memories have nothing in common with any of them.
        if !own.tags.iter().any(|tag| self.tags.contains(tag.as_str()))
            && !session.is_some_and(|session| self.sessions.contains(session))
        {
            return false;
        }
        let Some(noun) = described(stored.payload.full_text().expose()) else { return false };
        let is_near = |gone: &&Stored<'_, Held>| {
            let gone = &gone.payload.facets;
            own.tags.iter().any(|tag| gone.tags.contains(tag))
                || session.is_some() && own.source.session == gone.source.session
        };
        let mut near = self.all.iter().filter(is_near);
        near.any(|gone| speaks_of(gone.payload.full_text().expose(), &noun))
    }
}

fn names_an_id(held: &Held, names: &HashSet<String>) -> bool {
    let text = held.full_text().expose();
    text.contains("mem_") && names.iter().any(|name| text.contains(name.as_str()))
        || held.facets.tags.iter().any(|tag| names.contains(tag))
}
