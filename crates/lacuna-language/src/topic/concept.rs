//! Everyday things that are said in many words: who asks to forget "where I live" means "I moved to Oslo".
//!
//! A concept has names, by which people ask about it, and signs: the verbs and common words that speak of it. Each
//! language lists its own. Only a name reaches further than its own letters: who asks to forget "my car" means the
//! truck too, who asks to forget "the truck" means no other car. A word may belong to several concepts.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::languages::every_language;

/// Concepts as a set.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Concepts(u64);

impl Concepts {
    /// No concept.
    pub const NONE: Self = Self(0);

    /// Returns true when there is no concept.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Concepts that both hold.
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Concepts that either holds.
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns true when both hold a concept.
    pub fn meets(self, other: Self) -> bool {
        !self.and(other).is_empty()
    }
}

/// The things that a word calls by their name, and those that it speaks of.
#[derive(Clone, Copy, Default)]
struct Senses {
    calls: Concepts,
    speaks: Concepts,
}

/// The concepts that a word of a request calls by their name: "vehicle", but not "Tesla".
pub fn called(stem: &str) -> Concepts {
    senses(stem).calls
}

/// The concepts that a word of a text speaks of.
pub fn spoken(stem: &str) -> Concepts {
    senses(stem).speaks
}

fn senses(stem: &str) -> Senses {
    static TABLE: LazyLock<HashMap<String, Senses>> = LazyLock::new(|| {
        let mut table: HashMap<String, Senses> = HashMap::new();
        for (thing, names, signs) in every_language().flat_map(|rules| rules.topic.things) {
            let concept = Concepts(1 << (*thing as u8));
            for name in names.split_whitespace() {
                let senses = table.entry(super::word::stem(name)).or_default();
                senses.calls = senses.calls.or(concept);
                senses.speaks = senses.speaks.or(concept);
            }
            for sign in signs.split_whitespace() {
                let senses = table.entry(super::word::stem(sign)).or_default();
                senses.speaks = senses.speaks.or(concept);
            }
        }
        table
    });
    TABLE.get(stem).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_has_a_bit_of_its_own() {
        let mut things = every_language().flat_map(|rules| rules.topic.things);
        assert!(things.all(|(thing, ..)| (*thing as u32) < u64::BITS));
    }

    #[test]
    fn what_a_thing_is_called_meets_what_is_said_of_it() {
        let stem = |word: &str| super::super::word::stem(&word.to_lowercase());
        for (name, sign) in [
            ("residence", "moved"),
            ("employer", "joined"),
            ("dietary", "vegan"),
            ("marital", "divorced"),
            ("vehicle", "drives"),
            ("pets", "kitten"),
            ("Wohnort", "wohne"),
            ("salary", "earns"),
        ] {
            assert!(called(&stem(name)).meets(spoken(&stem(sign))), "{name} {sign}");
        }
        assert!(!called("resid").meets(spoken("vegan")));
        assert!(called(&stem("coffee")).is_empty() && !spoken(&stem("coffee")).is_empty());
    }
}
