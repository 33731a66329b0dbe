//! Organisations: listed ones, legal forms and institutions, and what somebody works for.

use std::ops::Range;

use super::lexicon::{ListedHit, WordTag};
use super::reading::TextReading;
use super::words::{Case, WordGap, WrittenWord};
use super::{Named, ORGANISATION};

/// The longest name that is put together, in words.
const NAME_WORDS_MAX: usize = 5;

pub(super) fn organisations(reading: &TextReading<'_>) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    for hit in &reading.hits {
        let Some(named) = organisation_at(reading, hit) else { continue };
        let same = found
            .iter()
            .position(|other| other.span.start < named.span.end && named.span.start < other.span.end);
        match same {
            Some(at) if found[at].span.len() < named.span.len() => found[at] = named,
            Some(_) => {}
            None => found.push(named),
        }
    }
    found
}

fn organisation_at(reading: &TextReading<'_>, hit: &ListedHit) -> Option<Named> {
    let word = &reading.words[hit.words.start];
    if word.unspaced {
        return unspaced(reading, hit);
    }
    match hit.tag {
        WordTag::Org if word.is_capital() => named(reading, hit.words.clone(), 0.9, "listed organisation"),
        WordTag::OrgUnsure if word.is_capital() && !word.opens_sentence() => {
            named(reading, hit.words.clone(), 0.7, "listed organisation that is also a word")
        }
        WordTag::OrgUnsure if word.is_capital() && acts(reading, hit.words.end) => {
            named(reading, hit.words.clone(), 0.65, "listed organisation that is also a word")
        }
        WordTag::OrgSuffix => before_suffix(reading, hit),
        WordTag::OrgWord => institution(reading, hit),
        WordTag::Employ => employer(reading, hit),
        _ => None,
    }
}

fn named(
    reading: &TextReading<'_>,
    words: Range<usize>,
    confidence: f32,
    reason: &'static str,
) -> Option<Named> {
    let (span, name) = reading.written(&words);
    Some(Named::new(ORGANISATION, name, span, confidence, reason))
}

fn acts(reading: &TextReading<'_>, at: usize) -> bool {
    const VERBS: &[&str] = &[
        "announced",
        "launched",
        "released",
        "hired",
        "acquired",
        "bought",
        "sells",
        "sold",
        "makes",
        "made",
        "reported",
        "is",
        "has",
        "was",
        "will",
        "laid",
        "fired",
        "offers",
        "pays",
        "wants",
        "plans",
        "opened",
        "closed",
        "raised",
    ];
    reading.words.get(at).is_some_and(|word| VERBS.contains(&word.folded.as_str()))
}

/// "Weber & Sons GmbH": the capitals before a legal form.
fn before_suffix(reading: &TextReading<'_>, suffix: &ListedHit) -> Option<Named> {
    let last = &reading.words[suffix.words.start];
    let mut start = suffix.words.start;
    while start > 0
        && suffix.words.start - start < NAME_WORDS_MAX
        && leads(&reading.words[start - 1], &reading.words[start])
    {
        if reading
            .at(start - 1)
            .iter()
            .any(|hit| matches!(hit.tag, WordTag::My | WordTag::Me | WordTag::German | WordTag::Calendar))
        {
            break;
        }
        start -= 1;
    }
    let found = start < suffix.words.start && last.is_capital();
    found.then(|| named(reading, start..suffix.words.end, 0.9, "legal form")).flatten()
}

fn leads(word: &WrittenWord<'_>, next: &WrittenWord<'_>) -> bool {
    let tied = matches!(next.gap, WordGap::Space | WordGap::Hyphen | WordGap::Other | WordGap::Comma);
    word.is_capital() && tied && word.sentence == next.sentence
}

/// "University of Leeds", "Charité Klinikum", "Green Bank".
fn institution(reading: &TextReading<'_>, hit: &ListedHit) -> Option<Named> {
    const OF: &[&str] = &["of", "de", "di", "do", "da", "du", "van", "für", "for", "in"];
    let at = hit.words.start;
    if !reading.words[at].is_capital() {
        return None;
    }
    let next = |at: usize| reading.words.get(at).filter(|word| word.gap == WordGap::Space);
    let of = next(at + 1).is_some_and(|word| OF.contains(&word.folded.as_str()));
    if of && next(at + 2).is_some_and(WrittenWord::is_capital) {
        let tail = next(at + 3).is_some_and(|word| word.case == Case::Title && !reading.nouns_are_capital);
        return named(reading, at..at + 3 + usize::from(tail), 0.85, "institution");
    }
    let mut start = at;
    while start > 0 && at - start < NAME_WORDS_MAX && reading.words[start].is_joined() {
        // "St. Mary's Hospital" has a small letter inside.
        let possessive =
            reading.words[start - 1].gap == WordGap::Apostrophe && reading.words[start - 1].folded == "s";
        let before = start.checked_sub(1 + usize::from(possessive));
        match before.filter(|before| is_proper(reading, *before)) {
            Some(before) => start = before,
            None => break,
        }
    }
    (start < at).then(|| named(reading, start..at + 1, 0.75, "institution")).flatten()
}

/// A capital that is a name rather than a noun or the first word of a sentence.
fn is_proper(reading: &TextReading<'_>, at: usize) -> bool {
    let word = &reading.words[at];
    let common = reading.at(at).iter().any(|hit| {
        matches!(
            hit.tag,
            WordTag::My
                | WordTag::We
                | WordTag::Me
                | WordTag::They
                | WordTag::German
                | WordTag::Function
                | WordTag::Calendar
                | WordTag::Near
                | WordTag::Be
        )
    });
    let first = word.opens_sentence()
        && !reading.at(at).iter().any(|hit| matches!(hit.tag, WordTag::Place | WordTag::Given));
    let listed =
        reading.at(at).iter().any(|hit| matches!(hit.tag, WordTag::Place | WordTag::Given | WordTag::Org));
    word.is_capital() && !common && !first && (!reading.nouns_are_capital || listed)
}

/// "I work at Brightwater": capitals after a word of employment.
fn employer(reading: &TextReading<'_>, verb: &ListedHit) -> Option<Named> {
    let mut at = verb.words.end;
    let article = |at: usize| {
        reading.words.get(at).is_some_and(|word| {
            matches!(word.folded.as_str(), "the" | "der" | "die" | "la" | "el" | "a" | "einer")
        })
    };
    at += usize::from(article(at));
    let blocked = |at: usize| {
        reading.at(at).iter().any(|hit| {
            matches!(
                hit.tag,
                WordTag::Calendar
                    | WordTag::My
                    | WordTag::We
                    | WordTag::Me
                    | WordTag::Place
                    | WordTag::PlaceUnsure
                    | WordTag::NotName
                    | WordTag::Given
            ) && !reading.has(at, WordTag::OrgUnsure)
        })
    };
    let first = reading.words.get(at)?;
    if !first.is_capital() || first.gap != WordGap::Space || blocked(at) {
        return None;
    }
    let mut end = at + 1;
    let joined =
        |word: &WrittenWord<'_>| word.is_capital() && matches!(word.gap, WordGap::Space | WordGap::Hyphen);
    while end < at + NAME_WORDS_MAX
        && reading.words.get(end).is_some_and(joined)
        && !blocked(end)
        && !reading.nouns_are_capital
    {
        end += 1;
    }
    named(reading, at..end, 0.8, "after a word of employment")
}

/// "トヨタ", "東京大学": a listed name, or what stands before an institution's word.
fn unspaced(reading: &TextReading<'_>, hit: &ListedHit) -> Option<Named> {
    let whole = |span: Range<usize>, confidence, reason| {
        Some(Named::new(ORGANISATION, &reading.text[span.clone()], span, confidence, reason))
    };
    match hit.tag {
        WordTag::Org => whole(hit.span.clone(), 0.85, "listed organisation"),
        WordTag::OrgWord => {
            let place = reading
                .hits
                .iter()
                .find(|place| place.tag == WordTag::Place && place.span.end == hit.span.start)?;
            whole(place.span.start..hit.span.end, 0.8, "institution")
        }
        WordTag::OrgSuffix => {
            let word = &reading.words[hit.words.start];
            let start = if hit.span.start == word.span.start { hit.span.start } else { word.span.start };
            let span = if start == hit.span.start { word.span.clone() } else { start..hit.span.end };
            (span.len() > hit.span.len() && span.len() <= 36)
                .then(|| whole(span, 0.7, "legal form"))
                .flatten()
        }
        _ => None,
    }
}
