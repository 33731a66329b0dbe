//! Places: listed ones, and capitals after words of living and travelling.

use std::ops::Range;

use super::lexicon::{ListedHit, WordTag};
use super::reading::TextReading;
use super::words::{Case, WordGap};
use super::{Named, PLACE};

/// Words before the name of a street.
const STREETS: &[&str] =
    &["via", "rue", "calle", "rua", "avenida", "piazza", "plaza", "ulica", "ul", "viale", "corso"];

/// Places found, leaving alone what `taken` already covers.
pub(super) fn places(reading: &TextReading<'_>, taken: &[Range<usize>]) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    for hit in &reading.hits {
        let Some(named) = place_at(reading, hit) else { continue };
        let free = |span: &Range<usize>| span.end <= named.span.start || named.span.end <= span.start;
        if taken.iter().all(free) && found.iter().all(|other| free(&other.span)) {
            found.push(named);
        }
    }
    found
}

fn place_at(reading: &TextReading<'_>, hit: &ListedHit) -> Option<Named> {
    match hit.tag {
        WordTag::Place => listed(reading, hit),
        WordTag::PlaceUnsure => unsure(reading, hit),
        WordTag::Reside => after_verb(reading, hit),
        _ => None,
    }
}

fn listed(reading: &TextReading<'_>, hit: &ListedHit) -> Option<Named> {
    let at = hit.words.start;
    let word = &reading.words[at];
    let street =
        at > 0 && word.gap == WordGap::Space && STREETS.contains(&reading.words[at - 1].folded.as_str());
    if street || reading.has(at, WordTag::PlaceUnsure) && !reading.words[at].unspaced {
        return None;
    }
    let led = is_led(reading, at);
    // "nice in berlin" is a place; "china plates" is not.
    let written = word.is_capital() || word.case == Case::None || led;
    let name = &reading.text[hit.span.clone()];
    let confidence = if led { 0.95 } else { 0.85 };
    (written && !names_an_organisation(reading, hit))
        .then(|| Named::new(PLACE, name, hit.span.clone(), confidence, "listed place"))
}

fn unsure(reading: &TextReading<'_>, hit: &ListedHit) -> Option<Named> {
    let word = &reading.words[hit.words.start];
    let led = is_led(reading, hit.words.start) || follows_place(reading, hit.words.start);
    let name = &reading.text[hit.span.clone()];
    (word.is_capital() && led && !names_an_organisation(reading, hit))
        .then(|| Named::new(PLACE, name, hit.span.clone(), 0.8, "place-like word after a word of place"))
}

/// "lives in Xanten": a capital that no list knows.
fn after_verb(reading: &TextReading<'_>, verb: &ListedHit) -> Option<Named> {
    let at = verb.words.end;
    let word = reading.words.get(at)?;
    let known = reading.at(at).iter().any(|hit| {
        matches!(
            hit.tag,
            WordTag::Place
                | WordTag::PlaceUnsure
                | WordTag::Calendar
                | WordTag::Me
                | WordTag::My
                | WordTag::NotName
                | WordTag::Org
        ) || matches!(hit.tag, WordTag::German | WordTag::Function | WordTag::Given)
    });
    if known
        || word.unspaced
        || !word.is_capital()
        || word.gap != WordGap::Space
        || reading.nouns_are_capital && !is_settled(verb, reading)
    {
        return None;
    }
    let mut end = at + 1;
    while reading.words.get(end).is_some_and(|next| next.case == Case::Title && next.is_joined())
        && end < at + 4
    {
        end += 1;
    }
    let (span, name) = reading.written(&(at..end));
    Some(Named::new(PLACE, name, span, 0.7, "capital after a verb of place"))
}

/// Verbs whose object is a place even where every noun has a capital.
fn is_settled(verb: &ListedHit, reading: &TextReading<'_>) -> bool {
    let last = &reading.words[verb.words.end - 1].folded;
    verb.words.len() > 1 && matches!(last.as_str(), "in" | "nach" | "aus")
}

fn is_led(reading: &TextReading<'_>, at: usize) -> bool {
    reading.ending_at(at, &[WordTag::Near, WordTag::Reside]).is_some()
}

/// "Paris, France".
fn follows_place(reading: &TextReading<'_>, at: usize) -> bool {
    let next = at + 1;
    reading.words.get(next).is_some_and(|word| word.gap == WordGap::Comma)
        && reading.has(next, WordTag::Place)
}

/// "Berlin University", "Bank of London" are no places.
fn names_an_organisation(reading: &TextReading<'_>, hit: &ListedHit) -> bool {
    let next = hit.words.end;
    let word = reading.words.get(next);
    word.is_some_and(|word| word.is_capital() && word.is_joined())
        && (reading.has(next, WordTag::OrgWord) || reading.has(next, WordTag::OrgSuffix))
}
