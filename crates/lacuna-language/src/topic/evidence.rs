//! Evidence that a text is meant by a request: of what it speaks, and of whom.
//!
//! A request is read as the words of its topic. A text has such a word in another form, with a slip of the pen, inside a
//! compound, by a short form of a name, by another language's name of a place or of a relation ("my mother" is "Mum" and
//! "Helga" where "my mother Helga" is known), by an identifier of the kind, or by a word for the same everyday thing.

use std::collections::{BTreeSet, HashMap};

use super::attribute::NamedAttributes;
use super::concept::{Concepts, called};
use super::near::{COMPOUND, FORM, is_frame, is_telling, likeness, spelling};
use super::relation::{Related, is_own, is_own_subject, place, related, related_in_spite_of_slips};
use super::short::has_short_form;
use super::texts::{DIVIDING, ReadText, ReadTexts};
use super::word::stem;
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

/// A word of a request as it is written.
struct RequestWord {
    folded: String,
    /// A mark stands between it and the word before.
    divided: bool,
}

/// The likeness of each word of the texts, in the order of their numbers, with words of the request, by their places.
type Likeness = Vec<Vec<(usize, f32)>>;

/// Somebody whom a relation of the request means.
struct Bearer {
    name: String,
    /// The parts of the name that the texts have, by their numbers; `None` for one that they have not.
    parts: Vec<Option<u32>>,
}

impl Inquiry {
    /// Reads a request; `is_own` when it speaks of the owner's own affairs.
    pub fn of(request: &str, is_own: bool) -> Self {
        let attributes = NamedAttributes::of(request);
        let read = request_words(request);
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
    pub fn compare(&self, texts: &ReadTexts<'_>) -> Vec<Evidence> {
        let likeness = self.likeness(texts);
        let asked = self.words.iter().fold(Concepts::NONE, |all, word| all.or(word.calls));
        let speaks = texts.speaking_of(asked);
        let bearers = self.bearers(texts);
        let holds = |text: &ReadText<'_>| {
            self.attributes.has_kinds() && self.attributes.are_held_by(text.source.text)
        };
        let held: Vec<bool> = texts.texts.iter().map(holds).collect();
        let said: Vec<Vec<f32>> = (texts.texts.iter().zip(&held))
            .map(|(read, holds)| self.said(read, &likeness, &speaks, &bearers, *holds))
            .collect();
        let weights = self.weights(&said);
        let shared = texts.shared_names();
        let judge = |at: usize| {
            let read = &texts.texts[at];
            let place = place_of(read, texts, &likeness, &shared);
            self.judge(&said[at], read, &weights, Evidence { holds: held[at], ..place })
        };
        (0..texts.len()).map(judge).collect()
    }

    /// The words of the texts that are like a word of the request.
    fn likeness(&self, texts: &ReadTexts<'_>) -> Likeness {
        let of = |word: &str| {
            let letters: Vec<char> = word.chars().collect();
            let alike: Vec<(usize, f32)> = (self.words.iter().enumerate())
                .map(|(at, own)| (at, own.likeness(&letters, word)))
                .filter(|(_, likeness)| *likeness > 0.0)
                .collect();
            let is_topic = || !is_frame(word) || related(word, true).is_some();
            if !alike.is_empty() && is_topic() { alike } else { Vec::new() }
        };
        texts.vocabulary().map(of).collect()
    }

    /// People that each relation of the request means, as the texts tell: "my sister Ruth".
    fn bearers(&self, texts: &ReadTexts<'_>) -> Vec<Vec<Bearer>> {
        let of = |word: &AskedWord| {
            let Some(wanted) = word.related.or(word.slipped) else { return Vec::new() };
            let naming = texts.naming(wanted.relation);
            let related = texts.texts.iter().filter(|read| read.has_any(&naming));
            let names: BTreeSet<String> = related.filter_map(|read| read.bearer(&naming)).collect();
            names.into_iter().map(|name| Bearer::new(name, texts)).collect()
        };
        self.words.iter().map(of).collect()
    }

    /// The weight with which a text says each word.
    fn said(
        &self,
        read: &ReadText<'_>,
        likeness: &Likeness,
        speaks: &[Concepts],
        bearers: &[Vec<Bearer>],
        holds: bool,
    ) -> Vec<f32> {
        let mut said = vec![0.0f32; self.words.len()];
        let mut concepts = Concepts::NONE;
        for word in &read.words {
            for (at, alike) in &likeness[word.place()] {
                said[*at] = said[*at].max(*alike);
            }
            concepts = concepts.or(speaks[word.place()]);
        }
        let capitals: Vec<u32> = match bearers.iter().any(|bearers| !bearers.is_empty()) {
            true => read.words.iter().filter(|word| word.capital).map(|word| word.number).collect(),
            false => Vec::new(),
        };
        for (at, word) in self.words.iter().enumerate() {
            let borne = match bearers[at].iter().any(|bearer| bearer.is_in(&capitals, read.source.text)) {
                true if word.related.is_some() => 1.0,
                true => SLIPPED,
                false => 0.0,
            };
            let same = if word.calls.meets(concepts) { SAME_THING } else { 0.0 };
            let held = if word.is_kind && holds { HELD } else { 0.0 };
            said[at] = said[at].max(borne).max(same).max(held);
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

    fn judge(&self, said: &[f32], read: &ReadText<'_>, weights: &[f32], place: Evidence) -> Evidence {
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
    fn new(word: &RequestWord, related: Option<Related>, attributes: &NamedAttributes) -> Self {
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

impl Bearer {
    fn new(name: String, texts: &ReadTexts<'_>) -> Self {
        let parts: Vec<String> = name.split(' ').map(spelling).collect();
        let parts = parts.chunks(1).map(|part| texts.numbers_of(part).first().copied()).collect();
        Self { name, parts }
    }

    /// Returns true when a text bears the name or an unmistakable part of it.
    fn is_in(&self, capitals: &[u32], text: &str) -> bool {
        let said = |part: &Option<u32>| part.is_some_and(|part| capitals.contains(&part));
        self.parts.iter().all(said) || self.parts.iter().any(said) && has_short_form(&self.name, text)
    }
}

/// The places of the words in common, and a mark for names among them.
fn place_of(read: &ReadText<'_>, texts: &ReadTexts<'_>, likeness: &Likeness, shared: &[bool]) -> Evidence {
    let mut place = Evidence { first_person: read.first_person, ..Evidence::default() };
    for (at, word) in read.words.iter().enumerate() {
        let most = likeness[word.place()].iter().map(|(_, alike)| *alike).fold(0.0, f32::max);
        if most <= COMPOUND {
            continue;
        }
        place.early |= at < EARLY_WORDS;
        place.shared |= shared[word.place()];
        // "Banks" is nobody's bank.
        place.named |= most >= NICKNAME && word.capital && is_person(texts.folded(word.number), read);
    }
    place
}

/// Returns true when a folded word is a part of the name of a person in a text.
fn is_person(folded: &str, read: &ReadText<'_>) -> bool {
    read.source.people.iter().flat_map(|name| name.split(' ')).any(|part| spelling(part) == folded)
}

/// Returns true when a possessive of the first person stands before a word, or before the one before it.
fn is_owned(words: &[RequestWord], at: usize) -> bool {
    (at.saturating_sub(2)..at).any(|before| is_own(&words[before].folded))
}

/// Returns true when a request speaks of the owner's own affairs and of nobody else's: by "my" anywhere in it, or by "I" in
/// what it names.
pub fn speaks_of_own(request: &str, named: &str) -> bool {
    let words = request_words(request);
    let of_others = (0..words.len()).any(|at| related(&words[at].folded, is_owned(&words, at)).is_some());
    let own = words.iter().any(|word| is_own(&word.folded));
    !of_others && (own || request_words(named).iter().any(|word| is_own_subject(&word.folded)))
}

fn request_words(text: &str) -> Vec<RequestWord> {
    let mut end = 0;
    let mut words = Vec::new();
    for word in word_spans(text, WordChars::Letters) {
        let divided = text[end..word.span.start].contains(DIVIDING);
        end = word.span.end;
        words.push(RequestWord { folded: spelling(word.text), divided });
    }
    words
}
