//! Relations and places as words name them, in whichever language.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::near::{slips_at_most_one, spelling};
use super::short::{is_capital, names_in};
use crate::languages::kin::{
    AFTER_POSSESSIVE, ANDS, KinLine, OWN_OBJECTS, OWN_POSSESSIVES, OWN_SUBJECTS, OWNERS, TRADES,
};
use crate::languages::places::PLACES;
use crate::words::{WordChars, word_spans};

/// Letters from which on a relation after a possessive may have a slip of the pen.
const SLIP_LETTERS_MIN: usize = 3;

type WordSet = LazyLock<HashSet<&'static str>>;

/// A relation that a word names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Related {
    pub(super) relation: KinLine,
    /// A fact beside it is theirs, not the owner's.
    pub(super) owns: bool,
}

/// Every word of the relations, and the beginnings of words.
struct RelationWords {
    whole: HashMap<&'static str, Related>,
    beginnings: Vec<(&'static str, Related)>,
}

static RELATIONS: LazyLock<RelationWords> = LazyLock::new(|| {
    let mut words = RelationWords { whole: HashMap::new(), beginnings: Vec::new() };
    for (at, list) in OWNERS.iter().chain(TRADES).enumerate() {
        let related = Related { relation: at as KinLine, owns: at < OWNERS.len() };
        for word in list.split_whitespace() {
            match word.strip_suffix('-') {
                Some(beginning) => words.beginnings.push((beginning, related)),
                None => _ = words.whole.entry(word).or_insert(related),
            }
        }
    }
    words
});

/// The relation that a folded word names; `owned` when a possessive stands before it.
pub(super) fn related(word: &str, owned: bool) -> Option<Related> {
    static AMBIGUOUS: WordSet = LazyLock::new(|| AFTER_POSSESSIVE.split_whitespace().collect());
    if !owned && AMBIGUOUS.contains(word) {
        return None;
    }
    let whole = RELATIONS.whole.get(word).copied();
    let beginning = || RELATIONS.beginnings.iter().find(|(beginning, _)| word.starts_with(beginning));
    whole.or_else(|| beginning().map(|(_, related)| *related))
}

/// The relation that a word after a possessive names with a slip of the pen.
pub(super) fn related_in_spite_of_slips(word: &str) -> Option<Related> {
    if word.chars().count() < SLIP_LETTERS_MIN {
        return None;
    }
    let mut near = RELATIONS.whole.iter().filter(|(known, _)| known.len() >= SLIP_LETTERS_MIN);
    near.find(|(known, _)| slips_at_most_one(word, known)).map(|(_, related)| *related)
}

/// Returns true for a possessive of the first person.
pub(super) fn is_own(word: &str) -> bool {
    static OWN: WordSet = LazyLock::new(|| OWN_POSSESSIVES.split_whitespace().collect());
    OWN.contains(word)
}

/// Returns true for any word of the first person.
pub(super) fn is_first_person(word: &str) -> bool {
    is_own(word) || is_own_subject(word) || is_own_object(word)
}

/// Returns true for an object of the first person.
fn is_own_object(word: &str) -> bool {
    static OWN: WordSet = LazyLock::new(|| OWN_OBJECTS.split_whitespace().collect());
    OWN.contains(word)
}

/// Returns true for a subject of the first person.
pub(super) fn is_own_subject(word: &str) -> bool {
    static OWN: WordSet = LazyLock::new(|| OWN_SUBJECTS.split_whitespace().collect());
    OWN.contains(word)
}

/// Returns true when a text speaks of the bearer of a name and of its owner together: "Ruth and I", "Ruth et moi".
pub fn is_of_both(name: &str, text: &str) -> bool {
    static AND: WordSet = LazyLock::new(|| ANDS.split_whitespace().collect());
    let parts: Vec<String> = names_in(name);
    let words: Vec<(String, bool)> = word_spans(text, WordChars::Letters)
        .map(|word| (spelling(word.text), is_capital(word.text)))
        .collect();
    let is_named = |words: &mut dyn Iterator<Item = &(String, bool)>| {
        words.take_while(|(_, capital)| *capital).any(|(word, _)| parts.contains(word))
    };
    let is_owner = |(word, _): &(String, bool)| is_own_subject(word) || is_own_object(word);
    (1..words.len().saturating_sub(1)).filter(|at| AND.contains(words[*at].0.as_str())).any(|at| {
        let (before, after) = (&words[..at], &words[at + 1..]);
        is_owner(&after[0]) && is_named(&mut before.iter().rev())
            || is_owner(&before[at - 1]) && is_named(&mut after.iter())
    })
}

/// The place that a folded word names, as the number of its line.
pub(super) fn place(word: &str) -> Option<usize> {
    static TABLE: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| {
        let names = PLACES.iter().enumerate();
        names.flat_map(|(at, names)| names.split_whitespace().map(move |name| (name, at))).collect()
    });
    TABLE.get(word).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relation_is_one_in_all_languages() {
        let mother = related("mother", false).map(|one| one.relation);
        for word in ["mum", "mutter", "maman", "madre", "mae", "moeder", "matki"] {
            assert_eq!(related(word, false).map(|one| one.relation), mother, "{word}");
        }
        assert_ne!(related("father", false).map(|one| one.relation), mother);
        assert!(related("son", false).is_none() && related("son", true).is_some());
        assert!(related("boat", true).is_none());
    }

    #[test]
    fn a_fact_of_two_is_told_by_the_owner_beside_the_name() {
        for text in [
            "Ruth Osborne and I share a boat.",
            "Ruth und ich haben ein Boot.",
            "Le bateau est à Ruth et moi.",
            "Io e Ruth abbiamo una barca.",
            "Ja i Ruth mamy łódkę.",
        ] {
            assert!(is_of_both("Ruth Osborne", text), "{text}");
        }
        assert!(is_of_both("Ruth", "Ruth Osborne and I share a boat."));
        for text in ["Ruth lent me the boat.", "Otto and I share a boat with Ruth.", "I know Ruth and Otto."]
        {
            assert!(!is_of_both("Ruth Osborne", text), "{text}");
        }
    }

    #[test]
    fn each_line_has_a_number_of_its_own() {
        assert!(OWNERS.len() + TRADES.len() < usize::from(KinLine::MAX));
    }

    #[test]
    fn a_place_has_one_number_under_all_its_names() {
        for (one, other) in [("cologne", "koln"), ("warsaw", "warszawa"), ("germany", "duitsland")] {
            assert!(place(one).is_some() && place(one) == place(other), "{one} {other}");
        }
        assert_ne!(place("cologne"), place("munich"));
    }
}
