//! The privacy class that follows from whom a text is about and what it says of them.

use super::learnt::ClassShares;
use super::lexicon::WordTag;
use super::reading::{SentenceSubject, TextReading};
use super::{Judged, Named, PERSON, SURE};
use lacuna_types::{PrivacyClass, Sensitivity};

/// Words in a text from which on an unread language is noticed.
const UNREAD_WORDS_MIN: usize = 6;

pub(super) fn privacy(
    reading: &TextReading<'_>,
    entities: &[Named],
    sensitivity: &[Judged<Sensitivity>],
    shares: Option<&ClassShares>,
) -> Judged<PrivacyClass> {
    let subject = subject(reading, entities);
    let personal =
        matches!(subject, SentenceSubject::Owner | SentenceSubject::Person | SentenceSubject::Pronoun);
    let protected = match shares {
        Some(shares) => shares.asks(),
        None => special(reading, sensitivity, subject),
    };
    if let Some(confidence) = protected {
        return Judged::new(PrivacyClass::SensitivePii, confidence, "special category of a person");
    }
    if let Some(confidence) = confidential(reading, subject) {
        return Judged::new(PrivacyClass::CommercialConfidential, confidence, "terms, prices or procedures");
    }
    if let Some(confidence) = staff(reading, entities, subject) {
        return Judged::new(PrivacyClass::StaffPii, confidence, "a person at work");
    }
    if !personal && shares.is_some_and(|shares| !shares.is_nobodys()) {
        // A guess: it does not overrule a caller who says that it is nobody's.
        return Judged::new(PrivacyClass::GuestPii, 0.4, "perhaps about a person");
    }
    if !personal && is_aggregate(reading) {
        return Judged::new(PrivacyClass::Aggregate, 0.8, "many people, none of them named");
    }
    if personal {
        return Judged::new(PrivacyClass::GuestPii, 0.85, "about a person");
    }
    if is_unread(reading) {
        return Judged::new(PrivacyClass::GuestPii, 0.3, "language not read");
    }
    if sensitivity.iter().any(|judged| judged.confidence >= SURE) {
        return Judged::new(PrivacyClass::GuestPii, 0.5, "sensitive words");
    }
    Judged::new(PrivacyClass::NonPii, 0.7, "about nobody")
}

/// Returns true when any sentence is about a person.
pub(super) fn is_personal(reading: &TextReading<'_>, entities: &[Named]) -> bool {
    matches!(
        subject(reading, entities),
        SentenceSubject::Owner | SentenceSubject::Person | SentenceSubject::Pronoun
    )
}

/// The most personal subject of any sentence.
pub(super) fn subject(reading: &TextReading<'_>, entities: &[Named]) -> SentenceSubject {
    let persons: Vec<_> =
        entities.iter().filter(|named| named.entity.kind == PERSON).map(|named| named.span.clone()).collect();
    let rank = |subject: &SentenceSubject| match subject {
        SentenceSubject::Owner => 0,
        SentenceSubject::Person => 1,
        SentenceSubject::Pronoun => 2,
        SentenceSubject::Group => 3,
        SentenceSubject::Nobody => 4,
    };
    let subjects = reading.sentences.iter().map(|sentence| reading.subject(sentence, &persons));
    subjects.min_by_key(rank).unwrap_or(SentenceSubject::Nobody)
}

/// Article 9: health, belief, sex and biometrics, of somebody.
fn special(
    reading: &TextReading<'_>,
    sensitivity: &[Judged<Sensitivity>],
    subject: SentenceSubject,
) -> Option<f32> {
    let article_9 = |value| {
        matches!(value, Sensitivity::Health | Sensitivity::PoliticalReligious | Sensitivity::Biometric)
    };
    let judged = sensitivity.iter().find(|judged| article_9(judged.value) && judged.confidence >= SURE);
    let sexual = reading.hits.iter().any(|hit| hit.tag == WordTag::Sexual && hit.weight >= SURE)
        && (subject != SentenceSubject::Nobody || opens_with_name(reading))
        && !reading.hits.iter().any(|hit| hit.tag == WordTag::Fiction);
    match (judged, sexual) {
        (Some(judged), _) => Some(judged.confidence),
        (None, true) => Some(0.75),
        (None, false) => None,
    }
}

/// A first word with a capital that no list knows is somebody's name more often than not.
fn opens_with_name(reading: &TextReading<'_>) -> bool {
    reading.words.first().is_some_and(|word| word.is_capital())
        && reading.at(0).is_empty()
        && !reading.nouns_are_capital
}

/// Confidence that the text is a business secret; a person's own contract or discount is none.
fn confidential(reading: &TextReading<'_>, subject: SentenceSubject) -> Option<f32> {
    let words: Vec<_> = reading.hits.iter().filter(|hit| hit.tag == WordTag::Confidential).collect();
    if words.is_empty() || matches!(subject, SentenceSubject::Owner) {
        return None;
    }
    let business = reading
        .hits
        .iter()
        .any(|hit| matches!(hit.tag, WordTag::We | WordTag::Business | WordTag::Company | WordTag::Org));
    let loud = words.iter().any(|hit| {
        let word = &reading.text[hit.span.clone()].to_lowercase();
        [
            "confid",
            "nda",
            "vertrau",
            "internal",
            "secret",
            "riserv",
            "poufn",
            "конфид",
            "社外秘",
            "机密",
            "機密",
            "대외비",
        ]
        .iter()
        .any(|mark| word.contains(mark))
    });
    match (loud, business || words.len() > 1) {
        (true, _) => Some(0.9),
        (false, true) => Some(0.75),
        (false, false) => None,
    }
}

/// Somebody else, known by their work.
fn staff(reading: &TextReading<'_>, entities: &[Named], subject: SentenceSubject) -> Option<f32> {
    const RELATIONS: &[&str] = &["employee", "colleague", "assistant", "intern"];
    let persons = || entities.iter().filter(|named| named.entity.kind == PERSON);
    let related = persons().any(|named| {
        let relation = named.entity.relation.as_deref().unwrap_or_default();
        named.entity.primary && RELATIONS.contains(&relation)
    });
    let works = reading.hits.iter().any(|hit| hit.tag == WordTag::Staff);
    let mentioned = persons().next().is_some() || subject == SentenceSubject::Pronoun;
    match (related, works && mentioned && subject != SentenceSubject::Owner) {
        (true, _) => Some(0.75),
        (false, true) => Some(0.8),
        (false, false) => None,
    }
}

fn is_aggregate(reading: &TextReading<'_>) -> bool {
    let says = |tag| reading.hits.iter().any(|hit| hit.tag == tag);
    says(WordTag::Crowd) && says(WordTag::Often)
}

/// Returns true when no word is on a list of common words: the rules cannot judge such a text.
fn is_unread(reading: &TextReading<'_>) -> bool {
    let common = |tag| {
        matches!(tag, WordTag::Function | WordTag::German | WordTag::Be | WordTag::Filler | WordTag::We)
    };
    let unspaced = reading.words.iter().any(|word| word.unspaced);
    reading.words.len() >= UNREAD_WORDS_MIN && !unspaced && !reading.hits.iter().any(|hit| common(hit.tag))
}
