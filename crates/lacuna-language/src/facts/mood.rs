//! The words around a verb: they tell a fact from a guess, now from then, and a change from a denial.

use super::Mood;
use crate::languages::{LanguageRules, calendars, choices_of};

type List = fn(&LanguageRules) -> &'static str;

pub(super) fn mood(around: &[&str], clause: &str) -> Mood {
    let clause = clause.to_lowercase();
    // "Until May" is no guess.
    let is_month = |word: &str| {
        let lower = word.to_lowercase();
        word.starts_with(char::is_uppercase) && calendars().any(|calendar| calendar.month(&lower).is_some())
    };
    let others: Vec<&str> = around.iter().copied().filter(|word| !is_month(word)).collect();
    if says(&others, |rules| rules.fact.hedges) || holds(&clause, |rules| rules.fact.hedging_phrases) {
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

/// A clause without the words at its end that tell of a change.
pub(super) fn without_change_ending(clause: &str) -> &str {
    let lower = clause.to_lowercase();
    let ending = choices_of(|rules| rules.fact.change_endings).find(|ending| lower.ends_with(ending));
    let end = ending.map_or(clause.len(), |ending| clause.len().saturating_sub(ending.len()));
    clause.get(..end).unwrap_or(clause).trim_end()
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
