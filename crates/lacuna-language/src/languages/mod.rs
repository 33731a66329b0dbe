//! Languages: one file or folder each, which fills in one `LanguageRules`. To add a language, write its file and name it
//! in `LANGUAGES`; the readers take every list from there.

pub(crate) mod asking;
pub(crate) mod attribute;
mod calendar;
mod empty;
pub(crate) mod frame;
pub(crate) mod kin;
mod language;
mod partial;
pub(crate) mod places;
mod rules;
pub(crate) mod subject;

mod english;
mod french;
mod german;
mod italian;
mod spanish;

use std::collections::HashSet;

pub(crate) use calendar::{calendars, is_weekday, month_by_beginning};
pub use language::Language;
pub use rules::Arity;
pub(crate) use rules::{
    Attribute, Calendar, DayPart, FactPattern, LanguageRules, RESIDENCE, RequestRules, SWITCH, Sense, Stand,
    TimeMeaning, TimeUnit,
};

/// Languages that have rules for everything. Where two read a text, the first one counts.
pub(crate) static LANGUAGES: &[&LanguageRules] =
    &[&english::RULES, &german::RULES, &french::RULES, &spanish::RULES, &italian::RULES];

/// Every language of which the rules know something.
pub(crate) fn every_language() -> impl Iterator<Item = &'static LanguageRules> {
    LANGUAGES.iter().copied().chain(partial::PARTIAL)
}

/// Words of one list, of every language.
pub(crate) fn words_of(list: fn(&LanguageRules) -> &'static str) -> HashSet<&'static str> {
    every_language().flat_map(|rules| list(rules).split_whitespace()).collect()
}

/// Phrases of one list that divides them by `|`, of every language in order.
pub(crate) fn choices_of(
    list: fn(&LanguageRules) -> &'static str,
) -> impl Iterator<Item = &'static str> + Clone {
    LANGUAGES.iter().flat_map(move |rules| list(rules).split('|')).filter(|choice| !choice.is_empty())
}

/// Parts of a regular expression, of every language, as one group of alternatives.
pub(crate) fn pattern_of(list: fn(&LanguageRules) -> &'static str) -> String {
    let parts: Vec<&str> =
        LANGUAGES.iter().map(|rules| list(rules)).filter(|part| !part.is_empty()).collect();
    format!("(?:{})", parts.join("|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_has_rules_once() {
        let mut seen = HashSet::new();
        assert!(
            LANGUAGES.iter().all(|rules| rules.language != Language::Other && seen.insert(rules.language))
        );
    }

    #[test]
    fn each_language_fills_in_the_lists_that_every_reader_needs() {
        for rules in LANGUAGES {
            let lists = [
                rules.stop_words,
                rules.request.determiners,
                rules.request.everything,
                rules.clause.verbs,
                rules.clause.determiners,
                rules.intent.own,
                rules.fact.owner,
                rules.condense.numbers,
                rules.people.roles,
                rules.topic.stop,
            ];
            assert!(lists.iter().all(|list| !list.is_empty()), "{:?}", rules.language);
            assert!(!rules.request.frames.is_empty() && !rules.fact.patterns.is_empty());
        }
    }
}
