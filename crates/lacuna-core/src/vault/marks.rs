//! Marks by which a vault recognises a memory at once: hashes of its text, of the attributes it states, and of a
//! few of its words.

use std::collections::BTreeSet;

use lacuna_language::facts::attribute_keys;
use lacuna_language::voices::own_words;
use lacuna_language::words::{TermList, stable_hash};
use lacuna_types::*;
use lacuna_types::{MemoryId, Tier};

use crate::vault::open::Held;
use crate::vault::record::{id_mark, record_marks};

/// Words that stand for all of a fact's words: those with the smallest hashes, so that texts with nearly the
/// same words have nearly the same sketch.
const SKETCH_WORDS: usize = 12;
/// The first of them are marks.
pub(crate) const SKETCH_MARKS: usize = 3;

/// Hashes and the memories that bear them.
#[derive(Default)]
pub(crate) struct Marks(BTreeSet<(u64, MemoryId)>);

impl Marks {
    /// The memories that bear `mark`.
    pub(crate) fn bearers(&self, mark: u64) -> impl Iterator<Item = MemoryId> {
        let (first, last) = (MemoryId::from_bytes([0; 16]), MemoryId::from_bytes([0xff; 16]));
        self.0.range((mark, first)..=(mark, last)).map(|(_, memory)| *memory)
    }

    pub(crate) fn add(&mut self, memory: MemoryId, held: &Held) {
        self.0.extend(marks_of(held).map(|mark| (mark, memory)));
    }

    pub(crate) fn remove(&mut self, memory: MemoryId, held: &Held) {
        for mark in marks_of(held) {
            self.0.remove(&(mark, memory));
        }
    }
}

fn marks_of(held: &Held) -> impl Iterator<Item = u64> {
    let sketch = held.sketch.iter().copied().take(SKETCH_MARKS);
    let history = &held.facets.history;
    let record = history.record.as_deref().map(record_marks).unwrap_or_default();
    let known_as = history.known_as().map(id_mark);
    history.attributes.iter().copied().chain([held.text_mark]).chain(sketch).chain(record).chain(known_as)
}

/// The hashes of a fact's words that stand for all of them, rising. Turns of a conversation have none.
pub(crate) fn sketch(terms: &TermList, tier: Tier) -> Box<[u64]> {
    match tier {
        Tier::Semantic => terms.hashes().take(SKETCH_WORDS).collect(),
        _ => Box::default(),
    }
}

/// About how much of their words two facts share, from 0 to 1: the share among the smallest hashes of both.
pub(crate) fn shared_words(one: &[u64], other: &[u64]) -> f32 {
    let mut both: Vec<u64> = one.iter().chain(other).copied().collect();
    both.sort_unstable();
    let (mut words, mut shared, mut at) = (0, 0, 0);
    while at < both.len() && words < SKETCH_WORDS {
        let twice = both.get(at + 1) == Some(&both[at]);
        shared += usize::from(twice);
        words += 1;
        at += 1 + usize::from(twice);
    }
    shared as f32 / words.max(1) as f32
}

/// The mark of a text, from its keyed hash.
pub(crate) fn text_mark(hash: &[u8; 32]) -> u64 {
    hash.first_chunk().map_or(0, |first| u64::from_be_bytes(*first))
}

/// Returns marks of the attributes that a text states in its author's own words. Only a short text states a fact: a
/// longer one tells a story, in which a sentence that contradicts another does not make the whole untrue.
pub(crate) fn attribute_marks(text: &str) -> Vec<u64> {
    if text.chars().count() > GIST_CHARS_MAX {
        return Vec::new();
    }
    let keys = attribute_keys(&own_words(text));
    let mut marks: Vec<u64> = keys.iter().map(|key| stable_hash(key.as_bytes())).collect();
    marks.truncate(LINKS_MAX);
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(one: &str, other: &str) -> f32 {
        let sketch = |text| sketch(&TermList::of(text, None), Tier::Semantic);
        shared_words(&sketch(one), &sketch(other))
    }

    #[test]
    fn texts_with_nearly_the_same_words_share_nearly_all_of_their_sketch() {
        let text = "The lantern festival begins at dusk on the river bank near the old mill.";
        assert_eq!(shared(text, text), 1.0);
        assert_eq!(
            shared(text, "Near the old mill, on the river bank: the lantern festival begins at dusk!"),
            1.0
        );
        assert!(
            shared(text, "The lantern festival begins at dusk on the river bank near the new mill.") > 0.6
        );
        assert!(shared(text, "My sister teaches physics at a school in Porto.") < 0.2);
        assert_eq!(shared("", text), 0.0);
    }
}
