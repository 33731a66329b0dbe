//! Classification of a text: sensitivity, privacy class, lane, salience, and the people, places and things it
//! names.
//!
//! Rules and word lists first; the meaning of the text, where it is given, settles what they leave open.

mod embedded;
mod key;
mod lanes;
mod learnt;
mod lexicon;
mod medical;
mod organisations;
mod people;
mod pieces;
mod places;
mod privacy;
mod prototypes;
mod reading;
mod salience;
mod sensitivity;
mod signs;
mod unspaced;
mod words;

use std::ops::Range;

pub use embedded::embed_examples;
pub use key::entity_key;
pub use learnt::{ASKING_SHARE, CLASSES, class_shares, classifier_inputs, pack_weights, protected_share};
pub use lexicon::{is_common_word, is_given, is_title};
pub use prototypes::{Leaning, Prototypes};
use reading::TextReading;

use lacuna_types::{ENTITIES_MAX, Entity, Lane, PrivacyClass, Sensitivity};

/// Kind of an entity that is a person.
pub const PERSON: &str = "person";
/// Kind of an entity that is a place.
pub const PLACE: &str = "place";
/// Kind of an entity that is an organisation.
pub const ORGANISATION: &str = "organisation";
/// Kind of an entity that is a medical condition.
pub const CONDITION: &str = "condition";
/// Kind of an entity that is a medication.
pub const MEDICATION: &str = "medication";

/// From this confidence on a judgement is acted upon; below it, it is a hint.
pub const SURE: f32 = 0.5;
/// To ask a person for their explicit consent, or to refuse, takes more than a hint.
pub const ASKING_CONFIDENCE: f32 = 0.7;

/// A value, how sure it is, and the name of the rule that says so. Never the text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Judged<T> {
    /// The value.
    pub value: T,
    /// The confidence, from 0 to 1.
    pub confidence: f32,
    /// The name of the rule.
    pub reason: &'static str,
}

impl<T> Judged<T> {
    fn new(value: T, confidence: f32, reason: &'static str) -> Self {
        Self { value, confidence, reason }
    }

    /// Returns true when the confidence reaches [`SURE`].
    pub fn is_sure(&self) -> bool {
        self.confidence >= SURE
    }
}

/// An entity where the text names it. No `Debug`: it holds a part of the text.
#[derive(PartialEq)]
pub struct Named {
    /// The entity.
    pub entity: Entity,
    /// The bytes of the text that name it.
    pub span: Range<usize>,
    /// The confidence, from 0 to 1.
    pub confidence: f32,
    /// The name of the rule that found it.
    pub reason: &'static str,
}

impl Named {
    fn new(kind: &str, name: &str, span: Range<usize>, confidence: f32, reason: &'static str) -> Self {
        let entity = Entity { kind: kind.to_owned(), name: name.to_owned(), primary: false, relation: None };
        Self { entity, span, confidence, reason }
    }

    fn with_relation(mut self, relation: Option<&str>) -> Self {
        self.entity.relation = relation.map(str::to_owned);
        self
    }
}

/// The classification of a text.
pub struct Classified {
    /// The surest first, hints below [`SURE`] included.
    pub sensitivity: Vec<Judged<Sensitivity>>,
    /// The privacy class.
    pub privacy: Judged<PrivacyClass>,
    /// The lane that fits best.
    pub lane: Judged<Lane>,
    /// Further lanes that fit.
    pub secondary_lanes: Vec<Judged<Lane>>,
    /// In the order of the text, each once.
    pub entities: Vec<Named>,
    /// The worth of keeping the text, from 0 to 1.
    pub salience: Judged<f32>,
}

impl Classified {
    /// The categories that are sure enough to act upon.
    pub fn sensitive(&self) -> impl Iterator<Item = Sensitivity> {
        self.sensitivity.iter().filter(|judged| judged.is_sure()).map(|judged| judged.value)
    }
}

/// A text's vector, and the examples that it is compared with. Both come from one model.
pub struct Meaning<'a> {
    /// The embedded examples.
    pub prototypes: &'a Prototypes,
    /// The text's vector.
    pub vector: &'a [f32],
}

/// Judges a text by its words, and by its meaning where that is given.
pub fn classify(text: &str, meaning: Option<&Meaning<'_>>) -> Classified {
    let mut pieces = pieces::pieces(text).into_iter();
    let first = pieces.next().unwrap_or(0..0);
    let mut whole = judge(&text[first], meaning);
    for piece in pieces {
        pieces::join(&mut whole, judge(&text[piece.clone()], None), piece.start);
    }
    whole
}

/// The people, places and things that a text names: those of [`classify`], without its judgements.
pub fn entities_in(text: &str) -> Vec<Named> {
    let mut pieces = pieces::pieces(text).into_iter();
    let first = pieces.next().unwrap_or(0..0);
    let mut whole = entities(&TextReading::new(&text[first]));
    for piece in pieces {
        pieces::join_entities(&mut whole, entities(&TextReading::new(&text[piece.clone()])), piece.start);
    }
    whole
}

fn judge(text: &str, meaning: Option<&Meaning<'_>>) -> Classified {
    let reading = TextReading::new(text);
    let leaning = meaning.and_then(|meaning| meaning.prototypes.judge(meaning.vector));
    let entities = entities(&reading);
    let mut sensitivity = sensitivity::sensitivity(&reading, &entities);
    // Before the meaning settles them: the weights were learnt from what the rules alone see.
    let shares = learnt_shares(&reading, &entities, &sensitivity, meaning);
    let mut lanes = lanes::lanes(&reading, &entities);
    if let Some(leaning) = &leaning {
        let personal = privacy::is_personal(&reading, &entities);
        leaning.settle_sensitivity(&mut sensitivity, personal);
        leaning.settle_lane(&mut lanes.primary);
    }
    if let Some(shares) = &shares {
        shares.settle(&mut sensitivity);
    }
    Classified {
        privacy: privacy::privacy(&reading, &entities, &sensitivity, shares.as_ref()),
        lane: lanes.primary,
        secondary_lanes: lanes.secondary,
        salience: salience::salience(&reading, &entities, &sensitivity),
        sensitivity,
        entities,
    }
}

/// People whose name begins with a name that is known, by a fuller name than that.
pub(crate) fn fuller_names(text: &str, known: &str) -> Vec<Entity> {
    people::fuller_names(&TextReading::new(text), known).into_iter().map(|named| named.entity).collect()
}

/// Sentences up to which the learnt classifier, which knows single sentences, judges a text as a whole.
const LEARNT_SENTENCES_MAX: usize = 3;
/// Words with letters that a text needs before its vector is believed without a telling word: the vector of a few numbers
/// and a noun is near anything.
const LEARNT_WORDS_MIN: usize = 4;

/// The shares of the learnt classes, where the vector is of the model that they were learnt from.
fn learnt_shares(
    reading: &TextReading<'_>,
    entities: &[Named],
    by_rules: &[Judged<Sensitivity>],
    meaning: Option<&Meaning<'_>>,
) -> Option<learnt::ClassShares> {
    let meaning = meaning.filter(|_| reading.sentences.len() <= LEARNT_SENTENCES_MAX)?;
    let signs = signs::signs(reading, entities, by_rules, privacy::subject(reading, entities));
    let heard = by_rules.iter().any(|judged| judged.is_sure() && learnt::is_protected(judged.value))
        || reading.hits.iter().any(|hit| hit.tag == lexicon::WordTag::Sexual);
    let told = reading.words.iter().filter(|word| word.text.contains(char::is_alphabetic));
    // A script without spaces says a word with every character or two.
    let words = told.map(|word| if word.unspaced { word.text.chars().count() } else { 1 });
    if !heard && words.sum::<usize>() < LEARNT_WORDS_MIN {
        return None;
    }
    meaning.prototypes.shares(meaning.vector, &signs, heard)
}

fn entities(reading: &TextReading<'_>) -> Vec<Named> {
    let organisations = organisations::organisations(reading);
    let mut found = people::people(reading);
    let clear = |span: &Range<usize>, others: &[Named]| {
        others.iter().all(|other| other.span.end <= span.start || span.end <= other.span.start)
    };
    // A company that is called like a person is a company, unless a relation or a title says otherwise.
    found.retain(|named| named.confidence > 0.9 || clear(&named.span, &organisations));
    let kept: Vec<_> = organisations.into_iter().filter(|named| clear(&named.span, &found)).collect();
    found.extend(kept);
    let taken: Vec<_> = found.iter().map(|named| named.span.clone()).collect();
    found.extend(places::places(reading, &taken));
    let medical: Vec<_> =
        medical::medical(reading).into_iter().filter(|named| clear(&named.span, &found)).collect();
    found.extend(medical);
    found.sort_by_key(|named| named.span.start);
    let mut unique = each_once(found);
    mark_primary(reading, &mut unique);
    unique
}

/// Joins mentions of the same entity.
fn each_once(found: Vec<Named>) -> Vec<Named> {
    let mut kept: Vec<Named> = Vec::with_capacity(found.len());
    let mut keys: Vec<String> = Vec::with_capacity(found.len());
    for named in found {
        let key = entity_key(&named.entity.kind, &named.entity.name);
        let Some(at) = keys.iter().position(|other| *other == key) else {
            keys.push(key);
            kept.push(named);
            continue;
        };
        kept[at].confidence = kept[at].confidence.max(named.confidence);
        if kept[at].entity.relation.is_none() {
            kept[at].entity.relation = named.entity.relation;
        }
    }
    kept.truncate(ENTITIES_MAX);
    kept
}

/// Greatest distance of a subject from the start of its sentence, in words.
const SUBJECT_REACH: usize = 3;

/// Marks what the memory is about: the subject of a sentence, the only entity, or what the owner has or does.
fn mark_primary(reading: &TextReading<'_>, entities: &mut [Named]) {
    for named in entities.iter_mut() {
        named.entity.primary = is_subject(reading, named);
    }
    if let [only] = entities {
        only.entity.primary = true;
    }
    let headless = !entities.iter().any(|named| named.entity.primary);
    if let Some(first) = entities.first_mut().filter(|_| headless) {
        first.entity.primary = true;
    }
}

/// Returns true when an entity stands at the head of its sentence, with no other subject before it.
fn is_subject(reading: &TextReading<'_>, named: &Named) -> bool {
    use lexicon::WordTag;
    let Some(at) = reading.words.iter().position(|word| word.span.end > named.span.start) else {
        return false;
    };
    let Some(sentence) = reading.sentences.iter().find(|sentence| sentence.contains(&at)) else {
        return false;
    };
    let before = reading.hits_within(sentence.start..at);
    let led = before.iter().any(|hit| {
        matches!(
            hit.tag,
            WordTag::Me
                | WordTag::We
                | WordTag::Be
                | WordTag::PersonalVerb
                | WordTag::Near
                | WordTag::Reside
                | WordTag::Employ
                | WordTag::Say
        )
    });
    let inside = reading.words[at].unspaced && named.span.start > reading.words[at].span.start + 12;
    at - sentence.start <= SUBJECT_REACH && !led && !inside
}
