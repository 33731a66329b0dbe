//! Salience, the worth of keeping a text: a sum of plain reasons, each with its share.

use super::lexicon::WordTag;
use super::reading::{SentenceSubject, TextReading};
use super::{Judged, Named, PERSON, SURE};
use lacuna_types::Sensitivity;

/// Salience of a sentence that says nothing in particular.
const BASE: f32 = 0.36;
/// Salience of greetings and thanks: below the least that a policy usually keeps.
const FILLER: f32 = 0.12;
const LOWEST: f32 = 0.05;
const HIGHEST: f32 = 0.97;
/// Words up to which a text without any fact counts as a remark.
const REMARK_WORDS_MAX: usize = 6;
/// The share of filler from which on a short text is filler as a whole.
const FILLER_SHARE: f32 = 0.7;

struct Share {
    amount: f32,
    reason: &'static str,
}

pub(super) fn salience(
    reading: &TextReading<'_>,
    entities: &[Named],
    sensitivity: &[Judged<Sensitivity>],
) -> Judged<f32> {
    if is_filler(reading, entities) {
        return Judged::new(FILLER, 0.9, "greeting or filler");
    }
    let shares = shares(reading, entities, sensitivity);
    let total = BASE + shares.iter().map(|share| share.amount).sum::<f32>();
    let leading = shares.iter().max_by(|a, b| a.amount.abs().total_cmp(&b.amount.abs()));
    let reason = leading.map_or("ordinary turn", |share| share.reason);
    Judged::new(total.clamp(LOWEST, HIGHEST), 0.6, reason)
}

fn shares(reading: &TextReading<'_>, entities: &[Named], sensitivity: &[Judged<Sensitivity>]) -> Vec<Share> {
    let says = |tag: WordTag| reading.hits.iter().any(|hit| hit.tag == tag);
    let sure = |values: &[Sensitivity]| {
        sensitivity.iter().any(|judged| judged.confidence >= SURE && values.contains(&judged.value))
    };
    let persons = entities.iter().filter(|named| named.entity.kind == PERSON).count();
    let asks = asks_only(reading);
    let numbers = reading.words.iter().any(|word| word.is_number());
    let owner =
        reading.sentences.iter().any(|sentence| reading.subject(sentence, &[]) == SentenceSubject::Owner);
    let short =
        reading.words.len() <= REMARK_WORDS_MAX && entities.is_empty() && !numbers && !unspaced(reading);
    use Sensitivity::*;
    let all = [
        (says(WordTag::Remember), 0.3, "asked to remember"),
        (sure(&[Health, Financial, Biometric, PoliticalReligious]), 0.2, "serious personal fact"),
        (sure(&[Relationships, Professional, Location]), 0.12, "personal fact"),
        (sure(&[Preferences]), 0.15, "preference"),
        (says(WordTag::Decision), 0.08, "decision or plan"),
        (says(WordTag::Event), 0.08, "event in a life"),
        (persons > 0, 0.05, "names somebody"),
        (entities.len() > persons, 0.04, "names a thing"),
        (numbers, 0.06, "number or date"),
        (owner, 0.04, "about the owner"),
        (asks, -0.14, "question"),
        (short && !says(WordTag::Remember), -0.08, "short remark"),
    ];
    let kept = all.into_iter().filter(|(holds, _, _)| *holds);
    kept.map(|(_, amount, reason)| Share { amount, reason }).collect()
}

fn unspaced(reading: &TextReading<'_>) -> bool {
    reading.words.iter().any(|word| word.unspaced && word.text.chars().count() > 4)
}

/// Returns true when the text consists of questions.
fn asks_only(reading: &TextReading<'_>) -> bool {
    let text = reading.text.trim_end();
    text.ends_with(['?', '？', '؟']) && reading.sentences.len() <= 2
}

/// Returns true when nearly every word is one of greeting, thanks or assent, and the rest carry no information.
fn is_filler(reading: &TextReading<'_>, entities: &[Named]) -> bool {
    let words = reading.words.len();
    if words == 0 {
        return true;
    }
    let telling = reading.hits.iter().any(|hit| {
        matches!(
            hit.tag,
            WordTag::Remember | WordTag::Decision | WordTag::Event | WordTag::Condition | WordTag::Medication
        ) || matches!(hit.tag, WordTag::Reside | WordTag::Employ | WordTag::Family | WordTag::Partner)
    });
    let facts = entities.iter().any(|named| named.entity.kind != PERSON || named.entity.relation.is_some());
    let names: usize = entities.len();
    let filler = reading.hits.iter().filter(|hit| hit.tag == WordTag::Filler);
    let covered: usize = filler.map(|hit| covered_chars(reading, hit)).sum();
    let letters: usize = reading.words.iter().map(|word| word.text.chars().count()).sum();
    let named: usize = entities.iter().map(|named| named.entity.name.chars().count()).sum();
    let share = covered as f32 / letters.saturating_sub(named).max(1) as f32;
    !telling && !facts && names <= 2 && words <= 20 && share >= FILLER_SHARE
}

fn covered_chars(reading: &TextReading<'_>, hit: &super::lexicon::ListedHit) -> usize {
    reading.text[hit.span.clone()].chars().filter(|c| c.is_alphanumeric()).count()
}
