//! Texts as words, read once for all that a request asks of them. A word that stands in many texts is folded and looked up
//! once.

use std::collections::{HashMap, HashSet};

use super::concept::{Concepts, spoken};
use super::near::spelling;
use super::relation::{Related, is_first_person, is_own, is_own_subject, related};
use super::short::{is_capital, names_in};
use super::word::{is_stop, stem};
use crate::languages::kin::KinLine;
use crate::words::{WordChars, word_spans};

/// Words before a relation in which the name of its bearer may stand.
const NAME_REACH: usize = 5;

/// A text that is compared with a request, with the names of the people in it.
pub struct EvidenceText<'t> {
    /// The text.
    pub text: &'t str,
    /// Names of people that were read in it when it was stored.
    pub people: Vec<&'t str>,
}

/// Texts in words, each word by its number.
#[derive(Default)]
pub struct ReadTexts<'t> {
    pub(super) texts: Vec<ReadText<'t>>,
    /// Every word of the texts, folded, once.
    words: Vec<KnownWord>,
    numbers: HashMap<String, u32>,
    /// The words as they are written.
    written: HashMap<&'t str, NumberedWord>,
}

/// A text in words.
pub(super) struct ReadText<'t> {
    pub(super) source: EvidenceText<'t>,
    pub(super) words: Vec<ReadWord>,
    /// It speaks of somebody else than the owner.
    pub(super) is_other: bool,
    /// It has a word of the first person.
    pub(super) first_person: bool,
}

/// A word at its place in a text.
#[derive(Clone, Copy)]
pub(super) struct ReadWord {
    pub(super) number: u32,
    /// It begins with a capital and is no small word.
    pub(super) capital: bool,
    /// It is written as names are.
    named: bool,
    /// A mark stands between it and the word before.
    divided: bool,
    /// Nothing but space stands between it and the word before.
    joined: bool,
}

impl ReadWord {
    /// Its place among the words of all texts.
    pub(super) fn place(self) -> usize {
        self.number as usize
    }
}

/// A word as it is written, in the terms of the vocabulary.
#[derive(Clone, Copy)]
struct NumberedWord {
    number: u32,
    capital: bool,
    named: bool,
}

/// A word of the vocabulary.
struct KnownWord {
    folded: String,
    /// The relation that it names by itself, and after a possessive.
    related: Option<Related>,
    related_if_owned: Option<Related>,
    is_own: bool,
    is_own_subject: bool,
    is_first_person: bool,
}

impl<'t> ReadTexts<'t> {
    /// Reads texts.
    pub fn of(sources: impl IntoIterator<Item = EvidenceText<'t>>) -> Self {
        let mut read = Self::default();
        for source in sources {
            let text = read.read(source);
            read.texts.push(text);
        }
        read
    }

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Returns true when there is no text.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The texts that have a part of a name, written as names are.
    pub fn with_a_part_of(&self, name: &str) -> Vec<usize> {
        let parts = self.numbers_of(&names_in(name));
        let bears = |text: &ReadText<'_>| text.names().any(|number| parts.contains(&number));
        (0..self.len()).filter(|at| bears(&self.texts[*at])).collect()
    }

    /// The words of a text that are written as names are, by their numbers.
    pub fn names_in(&self, at: usize) -> impl Iterator<Item = u32> {
        self.texts[at].names()
    }

    fn read(&mut self, source: EvidenceText<'t>) -> ReadText<'t> {
        let text = source.text;
        let (mut words, mut end): (Vec<ReadWord>, usize) = (Vec::new(), 0);
        let (mut own_subject, mut first_person, mut other) = (false, false, !source.people.is_empty());
        for span in word_spans(text, WordChars::Letters) {
            let between = &text[end..span.span.start];
            end = span.span.end;
            let NumberedWord { number, capital, named } = self.word(span.text);
            let owned = words.iter().rev().take(2).any(|before| self.known(before.number).is_own);
            let known = self.known(number);
            let related = if owned { known.related_if_owned } else { known.related };
            own_subject |= known.is_own_subject;
            first_person |= known.is_first_person;
            other |= related.is_some_and(|related| related.owns);
            let divided = between.contains(DIVIDING);
            let joined = !words.is_empty() && between.trim().is_empty();
            words.push(ReadWord { number, capital, named, divided, joined });
        }
        ReadText { source, words, is_other: other && !own_subject, first_person }
    }

    /// The word as it is written, looked up or read.
    fn word(&mut self, written: &'t str) -> NumberedWord {
        if let Some(known) = self.written.get(written) {
            return *known;
        }
        let folded = spelling(written);
        let capital = written.starts_with(char::is_uppercase) && !is_stop(&folded);
        let next = self.words.len() as u32;
        let number = *self.numbers.entry(folded).or_insert_with_key(|folded| {
            self.words.push(KnownWord::of(folded));
            next
        });
        let word = NumberedWord { number, capital, named: is_capital(written) };
        self.written.insert(written, word);
        word
    }

    fn known(&self, number: u32) -> &KnownWord {
        &self.words[number as usize]
    }

    pub(super) fn folded(&self, number: u32) -> &str {
        &self.known(number).folded
    }

    /// The words, folded, in the order of their numbers.
    pub(super) fn vocabulary(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| word.folded.as_str())
    }

    /// The numbers of folded words, as far as a text has them.
    pub(super) fn numbers_of(&self, folded: &[String]) -> Vec<u32> {
        folded.iter().filter_map(|word| self.numbers.get(word).copied()).collect()
    }

    /// The everyday things that each word speaks of, where they meet `asked`.
    pub(super) fn speaking_of(&self, asked: Concepts) -> Vec<Concepts> {
        if asked.is_empty() {
            return vec![Concepts::NONE; self.words.len()];
        }
        let spoken = self.vocabulary().map(|word| spoken(&stem(word)));
        spoken.map(|concepts| if concepts.meets(asked) { concepts } else { Concepts::NONE }).collect()
    }

    /// True for each word that is a part of the full names of several people.
    pub(super) fn shared_names(&self) -> Vec<bool> {
        let full: HashSet<Vec<u32>> = self.texts.iter().flat_map(ReadText::full_names).collect();
        let mut bearers = vec![0; self.words.len()];
        full.iter().flatten().for_each(|part| bearers[*part as usize] += 1);
        bearers.into_iter().map(|bearers: usize| bearers > 1).collect()
    }

    /// The words that name a relation.
    pub(super) fn naming(&self, relation: KinLine) -> HashSet<u32> {
        let is_it = |word: &KnownWord| word.related_if_owned.is_some_and(|one| one.relation == relation);
        (0..).zip(&self.words).filter(|(_, word)| is_it(word)).map(|(number, _)| number).collect()
    }
}

/// Marks that part a sentence.
pub(super) const DIVIDING: [char; 10] = ['.', ',', ';', ':', '!', '?', '(', ')', '–', '—'];

impl KnownWord {
    fn of(folded: &str) -> Self {
        Self {
            folded: folded.to_owned(),
            related: related(folded, false),
            related_if_owned: related(folded, true),
            is_own: is_own(folded),
            is_own_subject: is_own_subject(folded),
            is_first_person: is_first_person(folded),
        }
    }
}

impl ReadText<'_> {
    pub(super) fn has_any(&self, numbers: &HashSet<u32>) -> bool {
        self.words.iter().any(|word| numbers.contains(&word.number))
    }

    fn names(&self) -> impl Iterator<Item = u32> {
        self.words.iter().filter(|word| word.named).map(|word| word.number)
    }

    /// Two and more words in a row that are written as names are.
    fn full_names(&self) -> Vec<Vec<u32>> {
        let mut names: Vec<Vec<u32>> = Vec::new();
        let mut goes_on = false;
        for word in &self.words {
            match names.last_mut() {
                Some(name) if word.named && word.joined && goes_on => name.push(word.number),
                _ if word.named => names.push(vec![word.number]),
                _ => {}
            }
            goes_on = word.named;
        }
        names.retain(|name| name.len() > 1);
        names
    }

    /// The name that stands beside a relation: after it ("my sister Ruth"), or at the beginning before it ("Ruth, my
    /// sister", "Ruth is my sister").
    pub(super) fn bearer(&self, relation: &HashSet<u32>) -> Option<String> {
        let at = self.words.iter().position(|word| relation.contains(&word.number))?;
        let name = |from: usize| {
            let goes_on = |at: &usize| {
                let word = &self.words[*at];
                word.capital && !relation.contains(&word.number) && (*at == from || !word.divided)
            };
            (from.min(self.words.len())..self.words.len()).take_while(goes_on).collect::<Vec<_>>()
        };
        // "My wife, the Ruth": an article may stand before the name.
        let led = |at: usize| match self.words.get(at) {
            Some(word) if word.capital => name(at),
            _ => name(at + 1),
        };
        let after = led(at + 1);
        let before = if at <= NAME_REACH { led(0) } else { Vec::new() };
        let apart = self.words.get(at + 1).is_some_and(|word| word.divided);
        let places = if after.is_empty() || apart && !before.is_empty() { before } else { after };
        let written: Vec<&str> =
            word_spans(self.source.text, WordChars::Letters).map(|word| word.text).collect();
        let name: Vec<&str> = places.iter().filter_map(|at| written.get(*at).copied()).collect();
        (!name.is_empty()).then(|| name.join(" "))
    }
}
