//! The table of phrases, and how a text is read by it.

use std::sync::LazyLock;

use lacuna_types::policy::{IntentRule, IntentScope};
use lacuna_types::{Lane, Result};

use crate::languages::{LanguageRules, choices_of};
use crate::words::{Folding, WordChars, fold, word_spans};

/// Builds a row of the table; `phrases` are read as words without case and accents.
pub fn rule<S: AsRef<str>>(
    phrases: &[S],
    lane: Option<Lane>,
    scope: Option<IntentScope>,
    ask: bool,
) -> Result<IntentRule> {
    IntentRule::new(phrases.iter().map(|phrase| words(phrase.as_ref())).collect(), lane, scope, ask)
}

fn means_something(rule: &IntentRule) -> bool {
    rule.asks() || rule.lane().is_some() || rule.scope().is_some()
}

fn longest_at<'a>(rule: &'a IntentRule, words: &[String]) -> Option<&'a [String]> {
    let here = rule.phrases().iter().filter(|phrase| words.starts_with(phrase));
    here.max_by_key(|phrase| phrase.len()).map(Vec::as_slice)
}

/// A phrase that was found, and its row.
pub struct Matched<'a> {
    /// The words of the phrase.
    pub phrase: &'a [String],
    /// The row that lists it.
    pub rule: &'a IntentRule,
}

/// Reads from left to right. Where several phrases begin, the longest counts; of equals the tenant's.
pub fn matches<'a>(words: &[String], tenant: &'a [IntentRule]) -> Vec<Matched<'a>> {
    let mut found: Vec<Matched<'a>> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let rules = BUILT_IN.iter().chain(tenant);
        let here = rules.filter_map(|rule| Some(Matched { phrase: longest_at(rule, &words[at..])?, rule }));
        match here.max_by_key(|matched| matched.phrase.len()) {
            None => at += 1,
            Some(matched) => {
                at += matched.phrase.len();
                let known = found.iter().any(|other| other.phrase == matched.phrase);
                if means_something(matched.rule) && !known {
                    found.push(matched);
                }
            }
        }
    }
    found
}

static BUILT_IN: LazyLock<Vec<IntentRule>> = LazyLock::new(|| {
    let row = |list: fn(&LanguageRules) -> &'static str, lane: Option<Lane>, scope: Option<IntentScope>| {
        let phrases: Vec<&str> = choices_of(list).collect();
        let row = rule(&phrases, lane, scope, lane.is_none() && scope.is_none());
        row.expect("the built-in table holds")
    };
    vec![
        row(|rules| rules.intent.own, Some(Lane::Profile), Some(IntentScope::Private)),
        row(|rules| rules.intent.shared, Some(Lane::Business), Some(IntentScope::Team)),
        row(|rules| rules.intent.company, Some(Lane::Business), Some(IntentScope::Org)),
        row(|rules| rules.intent.documents, Some(Lane::Documents), Some(IntentScope::Org)),
        row(|rules| rules.intent.open, None, None),
    ]
});

/// Returns the words of a text without case and accents. `US` in capitals is a country, and nobody's pronoun.
pub fn words(text: &str) -> Vec<String> {
    let words = word_spans(text, WordChars::Marks).filter(|word| word.text != "US");
    words.map(|word| fold(&word.text.to_lowercase(), Folding::Phrase)).collect()
}
