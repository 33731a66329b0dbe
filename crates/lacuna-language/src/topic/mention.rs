//! Mentions of somebody or something by name.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::word::{Word, is_stop, words};
use crate::languages::words_of;
use crate::names::{NameSearch, PersonName, Sameness};
use lacuna_types::request::Closeness;

/// Kinds of things that are numbered: "Project Heron 2" is not "Project Heron".
static NUMBERED: LazyLock<HashSet<&str>> = LazyLock::new(|| words_of(|rules| rules.topic.numbered));

/// A name that is looked for, read once.
pub struct Sought {
    /// The name as it is written.
    pub written: String,
    words: Vec<Word>,
    name: PersonName,
    is_numbered: bool,
}

impl std::fmt::Debug for Sought {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The name stays out: this may end up in a log.
        f.write_str("a name")
    }
}

impl Sought {
    /// Reads a name.
    pub fn new(written: &str) -> Self {
        let words = telling(written);
        let first = words.first().map_or("", |word| word.lower.as_str());
        let is_numbered = NUMBERED.contains(first);
        Self { written: written.to_owned(), name: PersonName::new(written), words, is_numbered }
    }

    /// Returns how closely the text mentions it: in these words, or as the same name in another spelling or script.
    pub fn mentioned_in(&self, text: &str) -> Option<Closeness> {
        self.search().mentioned_in(text)
    }

    /// The search for it in many texts.
    pub(super) fn search<'t>(&self) -> SoughtSearch<'_, 't> {
        SoughtSearch { sought: self, search: NameSearch::new(&self.name) }
    }

    /// Returns the places where the text mentions it as a name, in bytes.
    pub fn places_in(&self, text: &str) -> Vec<std::ops::Range<usize>> {
        if self.is_numbered { Vec::new() } else { self.name.places_in(text) }
    }

    /// Every part of it, in order, as words of their own.
    fn is_said(&self, text: &str) -> bool {
        // Words of one stem begin alike: most texts are passed over without reading every word.
        let lower = text.to_lowercase();
        if !self.words.iter().all(|part| lower.contains(beginning(&part.stem))) {
            return false;
        }
        let (text, name) = (telling(text), &self.words);
        // "A frank talk" is not about Frank.
        let same = |word: &Word, part: &Word| word.stem == part.stem && (word.capital || !part.capital);
        let ends = |at: usize| !self.is_numbered || text.get(at).is_none_or(|next| !is_numeral(next));
        let is_at = |at: usize| {
            text[at..].iter().zip(name).all(|(word, part)| same(word, part)) && ends(at + name.len())
        };
        !name.is_empty() && (0..(text.len() + 1).saturating_sub(name.len())).any(is_at)
    }
}

/// The search for a name in many texts.
pub(super) struct SoughtSearch<'n, 't> {
    sought: &'n Sought,
    search: NameSearch<'n, 't>,
}

impl<'t> SoughtSearch<'_, 't> {
    /// Returns how closely the text mentions the name.
    pub(super) fn mentioned_in(&mut self, text: &'t str) -> Option<Closeness> {
        if self.sought.is_said(text) {
            return Some(Closeness::Direct);
        }
        if self.sought.is_numbered {
            return None;
        }
        match self.search.mentioned_in(text)? {
            Sameness::Same => Some(Closeness::Direct),
            Sameness::Likely => Some(Closeness::Indirect),
            Sameness::Different => None,
        }
    }
}

/// The first letters of a stem, which every word of that stem has as well.
fn beginning(stem: &str) -> &str {
    const LETTERS: usize = 3;
    stem.char_indices().nth(LETTERS).map_or(stem, |(end, _)| &stem[..end])
}

/// The words of a text but the smallest: "the head of sales" is the head sales.
fn telling(text: &str) -> Vec<Word> {
    let mut words = words(text);
    words.retain(|word| !is_stop(&word.lower));
    words
}

/// A number, a roman one, or a single capital.
fn is_numeral(word: &Word) -> bool {
    let roman = word.capital && word.lower.chars().all(|c| matches!(c, 'i' | 'v' | 'x'));
    let letter = word.capital && word.lower.chars().count() == 1;
    word.lower.starts_with(|c: char| c.is_ascii_digit()) || roman || letter
}
