//! Topics of requests, read from their words: something that it names exactly, somebody, or a topic.
//!
//! The order decides. An identifier leaves no doubt, so the words beside it do not widen it. A name comes next,
//! and words that belong to it narrow it ("Olga's car"). What has neither is a topic: it is said where all of
//! its words are said, literally or by a word for the same everyday thing.

mod attribute;
pub mod concept;
mod evidence;
mod mention;
mod names;
mod near;
mod relation;
mod search;
mod short;
mod subject;
#[cfg(test)]
mod tests;
mod texts;
pub mod word;

pub use attribute::NamedAttributes;
pub use evidence::{Agreement, Evidence, Inquiry, speaks_of_own};
pub use mention::Sought;
use names::{Phrase, phrase};
pub use near::{NearWords, Overlap, asks_to_forget, frame_language, may_except, without_frame};
pub use relation::is_of_both;
pub use search::TopicSearch;
pub use short::{full_names, has_clear_short_form, has_short_form, names_in};
pub use subject::subject_examples;
pub use texts::{EvidenceText, ReadTexts};

use self::concept::Concepts;
use self::word::{Word, is_general, is_role, is_stop, words};
use crate::identifiers::{ExactTerm, wanted};
use lacuna_types::request::Closeness;

/// The share of a topic's words that a clause says, literally or not, to say it at all.
const CLAUSE_SHARE: f32 = 0.5;

/// So many words describe a thing well enough to know it by.
const DESCRIBED_WORDS_MIN: usize = 2;

/// The topic of a request: identifiers, names and words.
#[derive(Debug, Default)]
pub struct Topic {
    /// Things that are named exactly.
    exact: Vec<ExactTerm>,
    names: Vec<Sought>,
    /// Words that narrow what is named, or the topic itself.
    terms: Vec<TopicTerm>,
}

#[derive(Debug, Clone)]
struct TopicTerm {
    stem: String,
    concepts: Concepts,
}

/// The fit of a text to a topic.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fit {
    /// It holds something that the request names exactly.
    pub exact: bool,
    /// It holds a longer name of which that is a part.
    pub part: bool,
    /// It holds the day or the hour that the request names.
    pub moment: bool,
    /// It mentions somebody whom the request names.
    pub named: Option<Closeness>,
    /// The share of the other words that it says literally.
    pub literal: f32,
    /// The share that it says literally or by a word for the same.
    pub covered: f32,
}

impl Topic {
    /// Reads the subject of a request.
    pub fn of(subject: &str) -> Self {
        let exact = wanted(subject);
        let rest = without(subject, &exact);
        let named = exact.iter().any(|one| !one.is_moment());
        let Phrase { names, terms } = if named { Phrase::plain(&rest) } else { phrase(&rest) };
        let names = names.iter().map(|name| Sought::new(name)).collect();
        Self { exact, names, terms: terms_of(&terms) }
    }

    /// The same without its names, for a vault that knows none of them.
    pub fn as_words(subject: &str) -> Self {
        Self { terms: terms_of(&words(subject)), ..Self::default() }
    }

    /// Returns true when the topic has an identifier.
    pub fn is_exact(&self) -> bool {
        !self.exact.is_empty()
    }

    /// Returns true when the topic has a name.
    pub fn is_named(&self) -> bool {
        !self.names.is_empty()
    }

    /// Returns true if it says enough besides what it names exactly to tell what is meant.
    pub fn is_described(&self) -> bool {
        self.terms.len() >= DESCRIBED_WORDS_MIN
    }

    /// Returns true when the topic has words other than identifiers and names.
    pub fn has_terms(&self) -> bool {
        !self.terms.is_empty()
    }

    /// The everyday things that its words speak of.
    pub fn concepts(&self) -> Concepts {
        self.terms.iter().fold(Concepts::NONE, |all, term| all.or(term.concepts))
    }

    /// The names in the topic.
    pub fn names(&self) -> &[Sought] {
        &self.names
    }

    /// Returns how closely a text mentions somebody whom it names.
    pub fn mention(&self, text: &str) -> Option<Closeness> {
        self.names.iter().filter_map(|name| name.mentioned_in(text)).min()
    }

    /// Compares a text with the topic.
    pub fn fit(&self, text: &str) -> Fit {
        self.search().fit(text)
    }

    /// The search for the topic in many texts.
    pub fn search<'t>(&self) -> TopicSearch<'_, 't> {
        TopicSearch::new(self)
    }

    /// Returns true if a clause says it, so that it goes when the rest may stay.
    pub fn says(&self, clause: &str) -> bool {
        let fit = self.fit(clause);
        if self.is_exact() {
            return fit.exact;
        }
        if self.is_named() {
            return fit.named.is_some() && (self.terms.is_empty() || fit.covered >= CLAUSE_SHARE);
        }
        self.has_terms() && fit.covered >= CLAUSE_SHARE
    }
}

/// The everyday things that words speak of.
pub fn speaks_of(words: &[Word]) -> Concepts {
    words.iter().fold(Concepts::NONE, |all, word| all.or(word.speaks))
}

/// The words that say what a request is about. A request of nothing but general words means those.
fn terms_of(words: &[Word]) -> Vec<TopicTerm> {
    let content: Vec<&Word> = words.iter().filter(|word| !is_stop(&word.lower)).collect();
    let telling = |word: &&&Word| !is_general(&word.lower) && !is_role(&word.lower);
    let mut kept: Vec<&Word> = content.iter().filter(telling).copied().collect();
    if kept.is_empty() {
        kept = content.into_iter().filter(|word| word.lower != "user").collect();
    }
    let mut terms: Vec<TopicTerm> = Vec::new();
    for word in kept {
        if !terms.iter().any(|term| term.stem == word.stem) {
            terms.push(TopicTerm { stem: word.stem.clone(), concepts: word.calls });
        }
    }
    terms
}

/// A request without what it names exactly.
fn without(subject: &str, exact: &[ExactTerm]) -> String {
    let mut rest = subject.to_owned();
    for one in exact.iter().rev() {
        rest.replace_range(one.span.clone(), "/");
    }
    rest
}
