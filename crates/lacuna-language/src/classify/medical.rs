//! Conditions and medications: listed ones, and those that their endings give away.

use super::lexicon::WordTag;
use super::reading::TextReading;
use super::words::WrittenWord;
use super::{CONDITION, MEDICATION, Named};

/// Endings that the naming of medicines reserves for a group.
const MEDICATION_STEMS: &[&str] = &[
    "pril",
    "sartan",
    "statin",
    "mab",
    "tinib",
    "cillin",
    "mycin",
    "floxacin",
    "cycline",
    "prazole",
    "oxetine",
    "azepam",
    "azolam",
    "gliptin",
    "gliflozin",
    "glutide",
    "dipine",
    "triptan",
    "setron",
    "conazole",
    "lukast",
    "parin",
    "xaban",
    "gatran",
    "olol",
    "thiazide",
    "semide",
    "barbital",
    "curonium",
    "caine",
    "profen",
    "coxib",
    "vudine",
    "navir",
    "tegravir",
    "ciclovir",
    "vastatin",
    "zumab",
    "ximab",
];
const CONDITION_STEMS: &[&str] = &[
    "itis",
    "opathy",
    "sclerosis",
    "aemia",
    "emia",
    "carcinoma",
    "sarcoma",
    "fibrosis",
    "thyroidism",
    "plegia",
    "algia",
];
/// Ordinary words that end like one.
const NOT_MEDICAL: &[&str] = &[
    "april",
    "cocaine",
    "academia",
    "bohemia",
    "nostalgia",
    "sympathy",
    "apathy",
    "antipathy",
    "empathy",
    "telepathy",
    "homeopathy",
    "osteopathy",
    "naturopathy",
    "bohemian",
    "macadamia",
    "premia",
    "alchemia",
    "racaine",
    "ukraine",
    "novocaine",
    "olol",
    "protocol",
];
/// The shortest word whose ending is trusted, in characters.
const STEM_WORD_CHARS_MIN: usize = 7;

pub(super) fn medical(reading: &TextReading<'_>) -> Vec<Named> {
    let listed = reading.hits.iter().filter_map(|hit| {
        let kind = match hit.tag {
            WordTag::Condition => CONDITION,
            WordTag::Medication => MEDICATION,
            _ => return None,
        };
        let name = &reading.text[hit.span.clone()];
        Some(Named::new(kind, name, hit.span.clone(), hit.weight, "listed medical word"))
    });
    let mut found: Vec<Named> = listed.collect();
    for (at, word) in reading.words.iter().enumerate() {
        if let Some(kind) = kind_by_ending(word).filter(|_| reading.at(at).is_empty()) {
            found.push(Named::new(kind, word.text, word.span.clone(), 0.65, "medical ending"));
        }
    }
    found
}

fn kind_by_ending(word: &WrittenWord<'_>) -> Option<&'static str> {
    let folded = word.folded.as_str();
    if folded.len() < STEM_WORD_CHARS_MIN || !folded.is_ascii() || NOT_MEDICAL.contains(&folded) {
        return None;
    }
    let ends =
        |stems: &[&str]| stems.iter().any(|stem| folded.len() > stem.len() + 1 && folded.ends_with(stem));
    if ends(MEDICATION_STEMS) {
        return Some(MEDICATION);
    }
    ends(CONDITION_STEMS).then_some(CONDITION)
}
