//! Evidence that a text is meant by a request: of what it speaks, and of whom.
//!
//! A request is read as the words of its topic. A text has such a word in another form, with a slip of the pen, inside a
//! compound, by a short form of a name, by another language's name of a place or of a relation ("my mother" is "Mum" and
//! "Helga" where "my mother Helga" is known), by an identifier of the kind, or by a word for the same everyday thing.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::attribute::NamedAttributes;
use super::concept::{Concepts, called, spoken};
use super::near::{COMPOUND, FORM, is_frame, is_telling, likeness, spelling};
use super::relation::{
    Related, is_first_person, is_own, is_own_subject, place, related, related_in_spite_of_slips,
};
use super::short::{full_names, has_short_form};
use super::word::{is_stop, stem};
use crate::languages::kin::KinLine;
use crate::names::nickname_forms;
use crate::words::{WordChars, word_spans};

/// Words of a request that are compared.
const WORDS_MAX: usize = 40;
/// The share of a word that an identifier of its kind says, a word for the same thing, and a short form of a name.
const HELD: f32 = 0.9;
const SAME_THING: f32 = 0.5;
const NICKNAME: f32 = 0.9;
/// The likeness of a relation with a slip of the pen.
const SLIPPED: f32 = 0.7;
/// Words at the beginning of a text among which its subject stands.
const EARLY_WORDS: usize = 6;
/// Words before a relation in which the name of its bearer may stand.
const NAME_REACH: usize = 5;

/// A text that is compared with a request, with the names of the people in it.
pub struct EvidenceText<'t> {
    /// The text.
    pub text: &'t str,
    /// Names of people that were read in it when it was stored.
    pub people: Vec<&'t str>,
}

/// Evidence that one text is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Sum over the words in common, each by its likeness and by how rare it is.
    pub weight: f32,
    /// The share of the request's words that the text says, the rare ones counting more.
    pub covered: f32,
    /// The same for the part of the message that it says best.
    pub part: f32,
    /// It speaks of whom the request speaks.
    pub whom: Agreement,
    /// It holds an identifier of a kind that the request names.
    pub holds: bool,
    /// A word in common stands near its beginning, where its subject stands.
    pub early: bool,
    /// A word in common is a name there.
    pub named: bool,
    /// A word in common is a part of the names of several people.
    pub shared: bool,
    /// It has a word of the first person.
    pub first_person: bool,
}

/// The relation between whom a request and a text speak of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Agreement {
    /// The request does not say whom it means.
    #[default]
    Open,
    /// Both speak of the same.
    Same,
    /// The text speaks of somebody else.
    Other,
}

/// A request as it is compared with texts.
pub struct Inquiry {
    words: Vec<AskedWord>,
    /// The words of each part of the message, between marks.
    parts: Vec<Vec<usize>>,
    attributes: NamedAttributes,
    /// It speaks of the owner's own affairs.
    is_own: bool,
}

struct AskedWord {
    letters: Vec<char>,
    related: Option<Related>,
    /// The relation that it may name with a slip of the pen.
    slipped: Option<Related>,
    place: Option<usize>,
    nicknames: Vec<&'static str>,
    calls: Concepts,
    /// It names an attribute that identifiers hold.
    is_kind: bool,
}

/// A word of a text.
struct ReadWord {
    folded: String,
    capital: bool,
    /// A mark stands between it and the word before.
    divided: bool,
}

/// A text in words, each by its number in the vocabulary.
struct ReadText {
    words: Vec<u32>,
    /// The same, folded.
    written: Vec<String>,
    capitals: Vec<bool>,
    divided: Vec<bool>,
    is_other: bool,
}

/// Every word of the texts, once.
#[derive(Default)]
struct Vocabulary {
    numbers: HashMap<String, u32>,
    /// Texts that have the word.
    counts: Vec<u32>,
}

impl Inquiry {
    /// Reads a request; `is_own` when it speaks of the owner's own affairs.
    pub fn of(request: &str, is_own: bool) -> Self {
        let attributes = NamedAttributes::of(request);
        let read = read_words(request);
        let mut inquiry = Self { words: Vec::new(), parts: vec![Vec::new()], attributes, is_own };
        let mut known: HashMap<&str, usize> = HashMap::new();
        for (at, word) in read.iter().enumerate() {
            let owned = is_owned(&read, at);
            if word.divided {
                inquiry.parts.push(Vec::new());
            }
            let related = related(&word.folded, owned);
            if related.is_none() && !is_telling(&word.folded) {
                continue;
            }
            let full = inquiry.words.len() == WORDS_MAX;
            let number = *known.entry(&word.folded).or_insert(inquiry.words.len());
            if number == inquiry.words.len() && !full {
                inquiry.words.push(AskedWord::new(word, related, &inquiry.attributes));
            }
            if let Some(part) = inquiry.parts.last_mut().filter(|part| !full && !part.contains(&number)) {
                part.push(number);
            }
        }
        inquiry.parts.retain(|part| !part.is_empty());
        inquiry
    }

    /// Returns true when the request says nothing but its frame.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The attributes that the request names.
    pub fn attributes(&self) -> &NamedAttributes {
        &self.attributes
    }

    /// The number of words in which the request names its topic.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns true when the request speaks of a relation: "my mother's number".
    pub fn is_of_others(&self) -> bool {
        self.words.iter().any(|word| word.related.is_some())
    }

    /// Compares the request with texts; one answer for each.
    pub fn compare(&self, texts: &[EvidenceText<'_>]) -> Vec<Evidence> {
        let mut vocabulary = Vocabulary::default();
        let read: Vec<ReadText> = texts.iter().map(|text| vocabulary.read(text)).collect();
        let likeness = vocabulary.likeness(self);
        let speaks = vocabulary.speaks(self);
        let bearers = self.bearers(texts, &read, &vocabulary);
        let holds =
            |text: &EvidenceText<'_>| self.attributes.has_kinds() && self.attributes.are_held_by(text.text);
        let held: Vec<bool> = texts.iter().map(holds).collect();
        let said: Vec<Vec<f32>> = (texts.iter().zip(&read).zip(&held))
            .map(|((text, read), holds)| self.said(text, read, &likeness, &speaks, &bearers, *holds))
            .collect();
        let weights = self.weights(&said);
        let shared = vocabulary.shared(texts);
        let judge = |at: usize| {
            let place = place_of(&read[at], &likeness, &shared, &texts[at]);
            self.judge(&said[at], &read[at], &weights, Evidence { holds: held[at], ..place })
        };
        (0..texts.len()).map(judge).collect()
    }

    /// The names of those whom a relation of the request means, as the texts tell: "my sister Ruth".
    fn bearers(
        &self,
        texts: &[EvidenceText<'_>],
        read: &[ReadText],
        vocabulary: &Vocabulary,
    ) -> Vec<Vec<String>> {
        let of = |word: &AskedWord| {
            let Some(wanted) = word.related.or(word.slipped) else { return Vec::new() };
            let numbers = vocabulary.related(wanted.relation);
            let mut names: BTreeSet<String> = BTreeSet::new();
            for (text, read) in texts.iter().zip(read).filter(|(_, read)| read.has_any(&numbers)) {
                names.extend(read.bearer(&numbers, text));
            }
            names.into_iter().collect()
        };
        self.words.iter().map(of).collect()
    }

    /// The weight with which a text says each word.
    fn said(
        &self,
        text: &EvidenceText<'_>,
        read: &ReadText,
        likeness: &HashMap<u32, Vec<(usize, f32)>>,
        speaks: &HashMap<u32, Concepts>,
        bearers: &[Vec<String>],
        holds: bool,
    ) -> Vec<f32> {
        let mut said = vec![0.0f32; self.words.len()];
        let mut concepts = Concepts::NONE;
        for number in &read.words {
            for (at, alike) in likeness.get(number).into_iter().flatten() {
                said[*at] = said[*at].max(*alike);
            }
            concepts = concepts.or(speaks.get(number).copied().unwrap_or(Concepts::NONE));
        }
        for (at, word) in self.words.iter().enumerate() {
            let borne = bearers[at].iter().any(|name| mentions(name, text.text));
            let same = if word.calls.meets(concepts) { SAME_THING } else { 0.0 };
            let held = if word.is_kind && holds { HELD } else { 0.0 };
            said[at] = said[at]
                .max(if !borne {
                    0.0
                } else if word.related.is_some() {
                    1.0
                } else {
                    SLIPPED
                })
                .max(same)
                .max(held);
        }
        said
    }

    /// The weight of each word: how rare it is among the texts.
    fn weights(&self, said: &[Vec<f32>]) -> Vec<f32> {
        let all = said.len() as f32;
        let of = |at: usize| {
            let having = said.iter().filter(|said| said[at] >= COMPOUND).count().max(1) as f32;
            (1.0 + all / having).ln() / (1.0 + all).ln()
        };
        (0..self.words.len()).map(of).collect()
    }

    fn judge(&self, said: &[f32], read: &ReadText, weights: &[f32], place: Evidence) -> Evidence {
        let share = |words: &mut dyn Iterator<Item = usize>| {
            let (mut has, mut all) = (0.0, 0.0);
            for at in words {
                has += weights[at] * said[at];
                all += weights[at];
            }
            if all > 0.0 { has / all } else { 0.0 }
        };
        let part = self.parts.iter().map(|part| share(&mut part.iter().copied())).fold(0.0, f32::max);
        let literal = |at: &usize| said[*at] > SAME_THING;
        let names_them = |at: usize| self.words[at].related.is_some() && said[at] >= FORM;
        let whom = match () {
            _ if self.is_of_others() && (0..said.len()).any(names_them) => Agreement::Same,
            _ if self.is_of_others() => Agreement::Other,
            _ if place.named => Agreement::Same,
            _ if self.is_own && read.is_other => Agreement::Other,
            _ if self.is_own => Agreement::Same,
            _ => Agreement::Open,
        };
        Evidence {
            weight: (0..said.len()).filter(literal).map(|at| weights[at] * said[at]).sum(),
            covered: share(&mut (0..said.len())),
            part,
            whom,
            ..place
        }
    }
}

impl AskedWord {
    fn new(word: &ReadWord, related: Option<Related>, attributes: &NamedAttributes) -> Self {
        let is_kind = attributes.are_named_by(&word.folded);
        let may_slip = related.is_none() && !is_kind && called(&stem(&word.folded)).is_empty();
        Self {
            letters: word.folded.chars().collect(),
            related,
            slipped: may_slip.then(|| related_in_spite_of_slips(&word.folded)).flatten(),
            place: place(&word.folded),
            nicknames: nickname_forms(&word.folded).collect(),
            calls: called(&stem(&word.folded)),
            is_kind,
        }
    }

    /// The likeness of a word of a text.
    fn likeness(&self, letters: &[char], folded: &str) -> f32 {
        let same_place = self.place.is_some() && place(folded) == self.place;
        let same_relation = self
            .related
            .is_some_and(|own| related(folded, true).is_some_and(|other| other.relation == own.relation));
        if same_place || same_relation {
            return 1.0;
        }
        let slipped = self
            .slipped
            .is_some_and(|own| related(folded, true).is_some_and(|other| other.relation == own.relation));
        let slipped = if slipped { SLIPPED } else { 0.0 };
        let nickname = if self.nicknames.contains(&folded) { NICKNAME } else { 0.0 };
        likeness(&self.letters, letters).max(nickname).max(slipped)
    }
}

impl Vocabulary {
    fn read(&mut self, text: &EvidenceText<'_>) -> ReadText {
        let words = read_words(text.text);
        let mut seen: HashSet<u32> = HashSet::new();
        let mut read = ReadText {
            words: Vec::new(),
            written: Vec::new(),
            capitals: Vec::new(),
            divided: Vec::new(),
            is_other: false,
        };
        let (mut own_subject, mut other) = (false, !text.people.is_empty());
        for (at, word) in words.iter().enumerate() {
            let owned = is_owned(&words, at);
            own_subject |= is_own_subject(&word.folded);
            other |= related(&word.folded, owned).is_some_and(|related| related.owns);
            let next = self.counts.len() as u32;
            let number = *self.numbers.entry(word.folded.clone()).or_insert(next);
            if number == next {
                self.counts.push(0);
            }
            self.counts[number as usize] += u32::from(seen.insert(number));
            read.words.push(number);
            read.written.push(word.folded.clone());
            read.capitals.push(word.capital && !is_stop(&word.folded));
            read.divided.push(word.divided);
        }
        read.is_other = other && !own_subject;
        read
    }

    /// The words of the vocabulary that are like a word of the request.
    fn likeness(&self, inquiry: &Inquiry) -> HashMap<u32, Vec<(usize, f32)>> {
        let of = |(word, number): (&String, &u32)| {
            if is_frame(word) && related(word, true).is_none() {
                return None;
            }
            let letters: Vec<char> = word.chars().collect();
            let alike: Vec<(usize, f32)> = (inquiry.words.iter().enumerate())
                .map(|(at, own)| (at, own.likeness(&letters, word)))
                .filter(|(_, likeness)| *likeness > 0.0)
                .collect();
            (!alike.is_empty()).then_some((*number, alike))
        };
        self.numbers.iter().filter_map(of).collect()
    }

    /// The everyday things that words of the vocabulary speak of, as far as the request calls one.
    fn speaks(&self, inquiry: &Inquiry) -> HashMap<u32, Concepts> {
        let asked = inquiry.words.iter().fold(Concepts::NONE, |all, word| all.or(word.calls));
        if asked.is_empty() {
            return HashMap::new();
        }
        let spoken = self.numbers.iter().map(|(word, number)| (*number, spoken(&stem(word))));
        spoken.filter(|(_, concepts)| concepts.meets(asked)).collect()
    }

    /// The words that are a part of the full names of several people.
    fn shared(&self, texts: &[EvidenceText<'_>]) -> HashSet<u32> {
        let full: HashSet<Vec<String>> = texts.iter().flat_map(|text| full_names(text.text)).collect();
        let mut bearers: HashMap<u32, usize> = HashMap::new();
        for part in full.iter().flatten() {
            if let Some(number) = self.numbers.get(part.as_str()) {
                *bearers.entry(*number).or_default() += 1;
            }
        }
        bearers.into_iter().filter(|(_, bearers)| *bearers > 1).map(|(number, _)| number).collect()
    }

    /// The words that name a relation.
    fn related(&self, relation: KinLine) -> HashSet<u32> {
        let is_it = |word: &str| related(word, true).is_some_and(|related| related.relation == relation);
        self.numbers.iter().filter(|(word, _)| is_it(word)).map(|(_, number)| *number).collect()
    }
}

impl ReadText {
    fn has_any(&self, numbers: &HashSet<u32>) -> bool {
        self.words.iter().any(|number| numbers.contains(number))
    }

    /// The name that stands beside a relation: after it ("my sister Ruth"), or at the beginning before it ("Ruth, my
    /// sister", "Ruth is my sister").
    fn bearer(&self, relation: &HashSet<u32>, text: &EvidenceText<'_>) -> Option<String> {
        let at = self.words.iter().position(|number| relation.contains(number))?;
        let name = |from: usize| {
            let goes_on = |at: &usize| {
                self.capitals[*at]
                    && !relation.contains(&self.words[*at])
                    && (*at == from || !self.divided[*at])
            };
            (from.min(self.words.len())..self.words.len()).take_while(goes_on).collect::<Vec<_>>()
        };
        // "My wife, the Ruth": an article may stand before the name.
        let led = |at: usize| if self.capitals.get(at) == Some(&true) { name(at) } else { name(at + 1) };
        let after = led(at + 1);
        let before = if at <= NAME_REACH { led(0) } else { Vec::new() };
        let apart = self.divided.get(at + 1) == Some(&true);
        let places = if after.is_empty() || apart && !before.is_empty() { before } else { after };
        let written: Vec<&str> = word_spans(text.text, WordChars::Letters).map(|word| word.text).collect();
        let name: Vec<&str> = places.iter().filter_map(|at| written.get(*at).copied()).collect();
        (!name.is_empty()).then(|| name.join(" "))
    }
}

/// The places of the words in common, and a mark for names among them.
fn place_of(
    read: &ReadText,
    likeness: &HashMap<u32, Vec<(usize, f32)>>,
    shared: &HashSet<u32>,
    text: &EvidenceText<'_>,
) -> Evidence {
    let first_person = read.written.iter().any(|word| is_first_person(word));
    let mut place = Evidence { first_person, ..Evidence::default() };
    let people: HashSet<String> = text.people.iter().flat_map(|name| name.split(' ')).map(spelling).collect();
    for (at, number) in read.words.iter().enumerate() {
        let alike =
            likeness.get(number).is_some_and(|alike| alike.iter().any(|(_, alike)| *alike > COMPOUND));
        if !alike {
            continue;
        }
        place.early |= at < EARLY_WORDS;
        place.shared |= shared.contains(number);
        // "Banks" is nobody's bank.
        let same = likeness[number].iter().any(|(_, alike)| *alike >= NICKNAME);
        place.named |= same && read.capitals[at] && people.contains(&read.written[at]);
    }
    place
}

/// Returns true when a possessive of the first person stands before a word, or before the one before it.
fn is_owned(words: &[ReadWord], at: usize) -> bool {
    (at.saturating_sub(2)..at).any(|before| is_own(&words[before].folded))
}

/// Returns true when a text bears a name or an unmistakable part of it.
fn mentions(name: &str, text: &str) -> bool {
    let parts: Vec<String> = name.split(' ').map(spelling).collect();
    let words: Vec<ReadWord> = read_words(text);
    let said = |part: &String| words.iter().any(|word| word.capital && word.folded == *part);
    parts.iter().all(said) || has_short_form(name, text)
}

/// Returns true when a request speaks of the owner's own affairs and of nobody else's: by "my" anywhere in it, or by "I" in
/// what it names.
pub fn speaks_of_own(request: &str, named: &str) -> bool {
    let words = read_words(request);
    let of_others = (0..words.len()).any(|at| related(&words[at].folded, is_owned(&words, at)).is_some());
    let own = words.iter().any(|word| is_own(&word.folded));
    !of_others && (own || read_words(named).iter().any(|word| is_own_subject(&word.folded)))
}

fn read_words(text: &str) -> Vec<ReadWord> {
    let mut end = 0;
    let mut words = Vec::new();
    for word in word_spans(text, WordChars::Letters) {
        let divided = text[end..word.span.start].contains(['.', ',', ';', ':', '!', '?', '(', ')', '–', '—']);
        end = word.span.end;
        let capital = word.text.starts_with(char::is_uppercase);
        words.push(ReadWord { folded: spelling(word.text), capital, divided });
    }
    words
}
