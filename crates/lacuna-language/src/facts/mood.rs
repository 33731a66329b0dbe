//! The words around a verb: they tell a fact from a guess, now from then, and a change from a denial.

use super::Mood;
use crate::languages::{LanguageRules, choices_of};

type List = fn(&LanguageRules) -> &'static str;

pub(super) fn mood(around: &[&str], clause: &str) -> Mood {
    let clause = clause.to_lowercase();
    if says(around, |rules| rules.fact.hedges) || holds(&clause, |rules| rules.fact.hedging_phrases) {
        return Mood::Hedged;
    }
    // Past in form only: "has been", "the meeting was moved to Friday".
    let present = around.iter().any(|word| word.eq_ignore_ascii_case("been"));
    let past_verb =
        says(around, |rules| rules.fact.past) && !present && !holds(&clause, |rules| rules.fact.moves);
    if past_verb || holds(&clause, |rules| rules.fact.past_phrases) { Mood::Past } else { Mood::Fact }
}

pub(super) fn is_negated(around: &[&str]) -> bool {
    says(around, |rules| rules.fact.negations)
}

pub(super) fn is_changed(around: &[&str], clause: &str) -> bool {
    let clause = clause.to_lowercase();
    let mut endings = choices_of(|rules| rules.fact.change_endings);
    says(around, |rules| rules.fact.changes) || endings.any(|words| clause.ends_with(words))
}

/// Returns true if one of the words stands in a list.
pub(super) fn says(around: &[&str], list: List) -> bool {
    let choices = choices_of(list);
    around.iter().any(|word| {
        let word = word.to_lowercase();
        choices.clone().any(|listed| listed == word)
    })
}

fn holds(clause: &str, phrases: List) -> bool {
    choices_of(phrases).any(|phrase| clause.contains(phrase))
}
