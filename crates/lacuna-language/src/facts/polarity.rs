//! Bare claims: a sentence without its denial, so that it meets the sentence that says the opposite.

use super::mood::{is_changed, is_negated, mood, without_change_ending};
use super::{Arity, CLAIM, Mood, Statement};
use crate::languages::{LANGUAGES, LanguageRules, choices_of, every_language};
use crate::topic::word::words;

/// Words of a bare claim; a longer sentence tells a story.
const CLAIM_WORDS: std::ops::RangeInclusive<usize> = 2..=12;

/// Reads a clause as a claim that is made or denied. Guesses and what was once so claim nothing.
pub(super) fn claim(clause: &str) -> Option<Statement> {
    let spoken = words(without_change_ending(clause));
    let around: Vec<&str> = spoken.iter().map(|word| word.lower.as_str()).collect();
    if mood(&around, clause) != Mood::Fact {
        return None;
    }
    let stems: Vec<&str> =
        spoken.iter().filter(|word| !is_light(&word.lower)).map(|word| word.stem.as_str()).collect();
    CLAIM_WORDS.contains(&stems.len()).then(|| Statement {
        subject: CLAIM.to_owned(),
        attribute: CLAIM.to_owned(),
        value: stems.join(" "),
        before: None,
        arity: Arity::Many,
        mood: Mood::Fact,
        negated: is_negated(&around),
        changed: is_changed(&around, clause),
        proper: false,
    })
}

/// Returns true for a word that says whether or since when a claim holds, and not which one it is.
fn is_light(word: &str) -> bool {
    let listed = |list: fn(&LanguageRules) -> &'static str| choices_of(list).any(|listed| listed == word);
    let spaced = |list: fn(&LanguageRules) -> &'static str| {
        LANGUAGES.iter().any(|rules| list(rules).split_whitespace().any(|listed| listed == word))
    };
    let adverb = every_language().any(|rules| rules.clause.adverbs.split_whitespace().any(|one| one == word));
    listed(|rules| rules.fact.negations)
        || listed(|rules| rules.fact.changes)
        || spaced(|rules| rules.fact.light)
        || spaced(|rules| rules.fact.articles)
        || spaced(|rules| rules.fact.small_words)
        || adverb
}
