//! The words by which the parts of a sentence are told: verbs, pronouns that act, and words that point back.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::languages::{every_language, words_of};

type WordSet = LazyLock<HashSet<&'static str>>;

struct Verbs {
    forms: HashSet<String>,
    /// Verb forms that may follow "to".
    bare: HashSet<String>,
}

static VERBS: LazyLock<Verbs> = LazyLock::new(|| {
    let (mut forms, mut bare) = (HashSet::new(), HashSet::new());
    for words in every_language().map(|rules| &rules.clause) {
        let listed = words.verbs.split_whitespace().chain(words.auxiliaries.split_whitespace());
        forms.extend(listed.map(str::to_owned));
        bare.extend(words.bare_verbs.split_whitespace().map(str::to_owned));
        for base in words.regular_verbs.split_whitespace() {
            forms.insert(base.to_owned());
            forms.extend((words.regular_forms)(base));
            bare.insert(base.to_owned());
        }
    }
    Verbs { forms, bare }
});

pub(super) fn is_verb(word: &str) -> bool {
    let contracted = word.split_once('\'').map_or(word, |(_, verb)| verb);
    VERBS.forms.contains(word) || VERBS.forms.contains(contracted)
}

/// A form that may follow "to", and is said of the subject only where it stands alone.
pub(super) fn is_bare(word: &str) -> bool {
    VERBS.bare.contains(word)
}

pub(super) fn is_auxiliary(word: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| words_of(|rules| rules.clause.auxiliaries));
    WORDS.contains(word)
}

pub(super) fn is_modal(word: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| words_of(|rules| rules.clause.modals));
    WORDS.contains(word)
}

pub(super) fn is_actor(word: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| words_of(|rules| rules.clause.actors));
    WORDS.contains(word)
}

pub(super) fn is_determiner(word: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| words_of(|rules| rules.clause.determiners));
    WORDS.contains(word)
}

pub(super) fn is_adverb(word: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| words_of(|rules| rules.clause.adverbs));
    WORDS.contains(word)
}

pub(super) fn is_opener(word: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| words_of(|rules| rules.clause.openers));
    WORDS.contains(word)
}

pub(super) fn is_pointer(word: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| words_of(|rules| rules.clause.pointers));
    WORDS.contains(word)
}

pub(super) fn is_person(word: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| words_of(|rules| rules.clause.persons));
    WORDS.contains(word)
}

pub(super) fn is_persons_own(word: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| words_of(|rules| rules.clause.persons_own));
    WORDS.contains(word)
}

pub(super) fn is_coordinator(word: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| words_of(|rules| rules.clause.coordinators));
    WORDS.contains(word)
}

/// Returns true for a word that joins two who act, and sets nothing against the other: "and".
pub(super) fn joins(word: &str) -> bool {
    let sets_against = |(but, _): &(&str, &str)| *but == word;
    is_coordinator(word) && !every_language().flat_map(|rules| rules.clause.neutral_joints).any(sets_against)
}

/// Returns true for a word that says a sentence of each of several.
pub(super) fn each_of(word: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| words_of(|rules| rules.clause.each));
    WORDS.contains(word)
}

/// The form of a verb for one, from that for several, in the first language that makes it.
pub(super) fn of_one(verb: &str) -> Option<String> {
    every_language().find_map(|rules| (rules.clause.of_one)(verb))
}

pub(super) fn is_alternative(word: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| words_of(|rules| rules.clause.alternatives));
    WORDS.contains(word)
}

/// Words that begin a remark about the noun before them.
pub(super) fn is_relative(word: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| words_of(|rules| rules.clause.relatives));
    WORDS.contains(word)
}

/// Words that begin a reason or a circumstance at the end of a sentence.
pub(super) fn is_tail(word: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| words_of(|rules| rules.clause.tails));
    WORDS.contains(word)
}

pub(crate) fn is_preposition(word: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| words_of(|rules| rules.clause.prepositions));
    WORDS.contains(word)
}

/// Words whose full stop ends no sentence.
pub(super) fn is_abbreviation(word: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| words_of(|rules| rules.clause.abbreviations));
    WORDS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_made_from_the_base() {
        for form in
            ["lives", "lived", "studies", "studied", "teaches", "planned", "jogged", "speaks", "moved"]
        {
            assert!(is_verb(form), "{form}");
        }
        for noun in ["berlin", "keyboard", "mandarin", "dogs"] {
            assert!(!is_verb(noun), "{noun}");
        }
        assert!(is_bare("work") && !is_bare("works"));
    }
}
