//! The search for a topic in many texts. Each word of theirs is read once, however many of them have it.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::concept::Concepts;
use super::mention::SoughtSearch;
use super::word::{says, word};
use super::{Fit, Topic};
use crate::identifiers::ExactTerm;
use crate::languages::words_of;
use crate::words::{WordChars, word_spans};
use lacuna_types::request::Closeness;

/// The share of a word in a circumstance: who reads "during the commute" speaks of reading.
const CIRCUMSTANCE_SHARE: f32 = 0.5;

/// A topic that is looked for in many texts.
pub struct TopicSearch<'a, 't> {
    topic: &'a Topic,
    names: Vec<SoughtSearch<'a, 't>>,
    /// Words as they are written.
    signs: HashMap<&'t str, WordSigns>,
}

/// The meaning of a word of a text for the topic.
#[derive(Clone, Default)]
struct WordSigns {
    /// False for a mark without letters.
    is_word: bool,
    /// The terms that it says literally, by their places.
    literal: Vec<usize>,
    speaks: Concepts,
    /// It begins a circumstance.
    is_circumstance: bool,
}

impl<'a, 't> TopicSearch<'a, 't> {
    pub(super) fn new(topic: &'a Topic) -> Self {
        let names = topic.names.iter().map(|name| name.search()).collect();
        Self { topic, names, signs: HashMap::new() }
    }

    /// Returns how closely a text mentions somebody whom the topic names.
    pub fn mention(&mut self, text: &'t str) -> Option<Closeness> {
        self.names.iter_mut().filter_map(|name| name.mentioned_in(text)).min()
    }

    /// Compares a text with the topic.
    pub fn fit(&mut self, text: &'t str) -> Fit {
        let named = self.mention(text);
        let (literal, covered) = self.share(text);
        Fit { named, literal, covered, ..self.exact_fit(text) }
    }

    /// Compares a text with what the topic names exactly, and with its other words only where the text has that.
    pub fn fit_if_exact(&mut self, text: &'t str) -> Fit {
        let fit = self.exact_fit(text);
        if !fit.exact && !fit.part {
            return fit;
        }
        let (literal, covered) = self.share(text);
        Fit { literal, covered, ..fit }
    }

    fn exact_fit(&self, text: &str) -> Fit {
        let (moments, things): (Vec<_>, Vec<_>) =
            self.topic.exact.iter().partition(|one: &&ExactTerm| one.is_moment());
        let moment = moments.iter().any(|one| one.is_in(text));
        // A day alone names what was on that day; beside an identifier it only tells which of its memories.
        let exact = if things.is_empty() { moment } else { things.iter().any(|one| one.is_in(text)) };
        let part = !exact && things.iter().any(|one| one.is_part_in(text));
        Fit { exact, part, moment: moment || moments.is_empty(), ..Fit::default() }
    }

    /// The share of the terms that a text says literally, and the share that it says literally or by a word for the same.
    fn share(&mut self, text: &'t str) -> (f32, f32) {
        let terms = &self.topic.terms;
        if terms.is_empty() {
            return (0.0, 0.0);
        }
        let mut literal = vec![false; terms.len()];
        let (mut stated, mut spoken) = (Concepts::NONE, Concepts::NONE);
        let (mut is_first, mut in_circumstance) = (true, false);
        for span in word_spans(text, WordChars::Compounds) {
            let signs = self.signs.entry(span.text).or_insert_with(|| WordSigns::of(self.topic, span.text));
            if !signs.is_word {
                continue;
            }
            signs.literal.iter().for_each(|at| literal[*at] = true);
            in_circumstance |= signs.is_circumstance && !is_first;
            is_first = false;
            spoken = spoken.or(signs.speaks);
            stated = if in_circumstance { stated } else { stated.or(signs.speaks) };
        }
        let covered = |(at, literal): (usize, &bool)| match () {
            _ if *literal || terms[at].concepts.meets(stated) => 1.0,
            _ if terms[at].concepts.meets(spoken) => CIRCUMSTANCE_SHARE,
            _ => 0.0,
        };
        let all = terms.len() as f32;
        let said = literal.iter().filter(|literal| **literal).count() as f32;
        (said / all, literal.iter().enumerate().map(covered).sum::<f32>() / all)
    }
}

impl WordSigns {
    fn of(topic: &Topic, written: &str) -> Self {
        static CIRCUMSTANCES: LazyLock<HashSet<&str>> =
            LazyLock::new(|| words_of(|rules| rules.topic.circumstances));
        let Some(word) = word(written) else { return Self::default() };
        let terms = topic.terms.iter().enumerate();
        Self {
            is_word: true,
            literal: terms.filter(|(_, term)| says(&word, &term.stem)).map(|(at, _)| at).collect(),
            speaks: word.speaks,
            is_circumstance: CIRCUMSTANCES.contains(word.lower.as_str()),
        }
    }
}
