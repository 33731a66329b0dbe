//! Memories that make no sense without one that is forgotten: they speak of it as "she", "that" or "the one I
//! told you about". They are held back until somebody has looked at them.

use std::collections::BTreeSet;

use crate::domain::*;
use crate::index::Stored;
use crate::vault::{Held, OpenVault};

/// Turns of a conversation after a forgotten one that may still speak of it.
const TURNS_AFTER: u32 = 2;
/// Memories that are held back by one erasure at most; the nearest come first.
pub(crate) const HELD_BACK_MAX: usize = 256;
/// How many of its first words may point back.
const FIRST_WORDS: usize = 3;

/// Words that point to what was said before, when a text begins with them.
const POINTERS: &[&str] = &[
    "he", "she", "it", "they", "him", "her", "them", "his", "hers", "its", "their", "that", "this", "those",
    "these", "there", "same", "er", "sie", "es", "ihn", "ihm", "ihr", "das", "dies", "dort", "il", "elle",
    "ils", "elles", "lui", "leur", "cela", "ça", "là", "él", "ella", "ellos", "ellas", "eso", "esto", "allí",
];

/// The active memories that would be left pointing at one of `gone`.
pub(crate) fn dangling(open: &OpenVault, gone: &BTreeSet<MemoryId>) -> Vec<MemoryId> {
    let erased: Vec<_> = gone.iter().filter_map(|id| open.index.get(id)).collect();
    let turns: Vec<(&SessionId, u32)> = erased.iter().filter_map(turn).collect();
    let names: Vec<String> = gone.iter().map(ToString::to_string).collect();
    let points_back = |stored: &Stored<'_, Held>| {
        follows(stored, &turns) && begins_with_a_pointer(stored.payload.full_text())
    };
    open.index
        .before(None)
        .filter(|stored| stored.attributes.state == Lifecycle::Active && !gone.contains(&stored.id))
        .filter(|stored| points_back(stored) || names_an_id(stored.payload, &names))
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

/// Whether a text leans on what came before it. One that names somebody first stands on its own.
fn begins_with_a_pointer(text: &str) -> bool {
    let mut words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_pointer = |word: &str| POINTERS.contains(&word.to_lowercase().as_str());
    let is_name =
        |(at, word): (usize, &str)| at > 0 && word.starts_with(char::is_uppercase) && !is_pointer(word);
    let first: Vec<&str> = words.by_ref().take(FIRST_WORDS).collect();
    let pointer = first.iter().position(|word| is_pointer(word));
    pointer.is_some_and(|at| !first[..at].iter().copied().enumerate().any(is_name))
}

fn names_an_id(held: &Held, names: &[String]) -> bool {
    let text = held.full_text();
    text.contains("mem_") && names.iter().any(|name| text.contains(name.as_str()))
        || held.facets.tags.iter().any(|tag| names.contains(tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_begins_with_a_pointer_leans_on_another() {
        for (text, leans) in [
            ("She said the seafood was excellent.", true),
            ("Yes, that was him.", true),
            ("And they live there now.", true),
            ("Elle adore la mer.", true),
            ("The harbour is closed on Mondays.", false),
            ("My sister says it often.", false),
            ("Ask Tom whether he comes.", false),
            ("", false),
        ] {
            assert_eq!(begins_with_a_pointer(text), leans, "{text}");
        }
    }
}
