//! The signs that the rules see in a text, as numbers: the classifier by meaning weighs them beside the vector.

use super::lexicon::WordTag;
use super::reading::{SentenceSubject, TextReading};
use super::{Judged, Named, PERSON};
use lacuna_types::Sensitivity;

/// Word tags that count as signs, each as the heaviest weight of its words.
const TAGS: [WordTag; 24] = [
    WordTag::Health,
    WordTag::Condition,
    WordTag::Medication,
    WordTag::Specialist,
    WordTag::Body,
    WordTag::Trouble,
    WordTag::Scan,
    WordTag::Belief,
    WordTag::Sexual,
    WordTag::Biometric,
    WordTag::Financial,
    WordTag::Professional,
    WordTag::Relationship,
    WordTag::Preference,
    WordTag::Machine,
    WordTag::Animal,
    WordTag::Fiction,
    WordTag::Document,
    WordTag::Say,
    WordTag::Business,
    WordTag::Company,
    WordTag::Crowd,
    WordTag::Employ,
    WordTag::Family,
];
const SUBJECTS: [SentenceSubject; 5] = [
    SentenceSubject::Owner,
    SentenceSubject::Person,
    SentenceSubject::Pronoun,
    SentenceSubject::Group,
    SentenceSubject::Nobody,
];
/// Number of the signs: judged categories, tags, subjects, a question mark, a named person.
pub(super) const SIGNS: usize = Sensitivity::ALL.len() + TAGS.len() + SUBJECTS.len() + 2;

/// The signs of a text, each from 0 to 1.
pub(super) fn signs(
    reading: &TextReading<'_>,
    entities: &[Named],
    sensitivity: &[Judged<Sensitivity>],
    subject: SentenceSubject,
) -> [f32; SIGNS] {
    let judged = Sensitivity::ALL.iter().map(|category| {
        sensitivity.iter().find(|judged| judged.value == *category).map_or(0.0, |judged| judged.confidence)
    });
    let tags = TAGS.iter().map(|tag| {
        let weights = reading.hits.iter().filter(|hit| hit.tag == *tag).map(|hit| hit.weight);
        weights.fold(0.0, f32::max)
    });
    let subjects = SUBJECTS.iter().map(|one| f32::from(u8::from(*one == subject)));
    let asked = f32::from(u8::from(reading.text.trim_end().ends_with('?')));
    let named = f32::from(u8::from(entities.iter().any(|named| named.entity.kind == PERSON)));
    let mut signs = [0.0; SIGNS];
    let all = judged.chain(tags).chain(subjects).chain([asked, named]);
    signs.iter_mut().zip(all).for_each(|(sign, value)| *sign = value);
    signs
}
