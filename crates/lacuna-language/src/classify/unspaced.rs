//! People in scripts without spaces and capitals: by honorific, by listed names, by relation.

use std::ops::Range;

use super::lexicon::{ListedHit, WordTag};
use super::reading::TextReading;
use super::{Named, PERSON};

/// The longest name before an honorific, in characters.
const NAME_CHARS_MAX: usize = 6;
/// Words before an honorific that name nobody.
const NOBODY: &[&str] = &[
    "お客",
    "皆",
    "みな",
    "患者",
    "店員",
    "神",
    "王",
    "奥",
    "お医者",
    "医者",
    "学生",
    "高客",
    "고객",
    "손",
    "회원",
    "선생",
    "부모",
    "사장",
    "하느",
    "하나",
    "한",
];
const RELATIONS: &[WordTag] = &[WordTag::Family, WordTag::Partner, WordTag::Friend, WordTag::Work];

pub(super) fn people(reading: &TextReading<'_>, told: &mut Vec<Range<usize>>) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    for (at, hit) in reading.hits.iter().enumerate() {
        if !reading.words[hit.words.start].unspaced {
            continue;
        }
        let candidate = match hit.tag {
            WordTag::Honorific => {
                before_honorific(reading, hit).map(|span| (span, 0.9, "honorific after a name"))
            }
            WordTag::Given => Some((with_surname(reading, at), 0.7, "given name")),
            WordTag::Surname => after_surname(reading, at).map(|span| (span, 0.8, "family name in company")),
            _ => None,
        };
        let Some((span, confidence, reason)) = candidate else { continue };
        if found.iter().any(|named| named.span.start < span.end && span.start < named.span.end) {
            continue;
        }
        let relation = relation_before(reading, span.start);
        told.extend(relation.map(|hit| hit.span.clone()));
        let named = Named::new(PERSON, &reading.text[span.clone()], span, confidence, reason);
        found.push(named.with_relation(relation.and_then(|hit| hit.means)));
    }
    found
}

/// The run of one script just before an honorific, as far as no other listed word reaches.
fn before_honorific(reading: &TextReading<'_>, honorific: &ListedHit) -> Option<Range<usize>> {
    let word = &reading.words[honorific.words.start];
    let floor = reading
        .hits_within(honorific.words.clone())
        .iter()
        .filter(|hit| {
            hit.span.end <= honorific.span.start
                && !matches!(hit.tag, WordTag::Given | WordTag::Surname | WordTag::Place)
        })
        .map(|hit| hit.span.end)
        .max()
        .unwrap_or(word.span.start);
    let run = &reading.text[floor..honorific.span.start];
    let script = script(run.chars().next_back()?);
    let kept: usize = run
        .chars()
        .rev()
        .take(NAME_CHARS_MAX)
        .take_while(|c| self::script(*c) == script)
        .map(char::len_utf8)
        .sum();
    let span = honorific.span.start - kept..honorific.span.start;
    let name = &reading.text[span.clone()];
    let plausible = script != Script::Hiragana
        || reading.hits.iter().any(|hit| hit.tag == WordTag::Given && hit.span == span);
    let somebody = !NOBODY.iter().any(|word| name.ends_with(word));
    (plausible && somebody).then_some(span)
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Script {
    Han,
    Hiragana,
    Katakana,
    Other,
}

fn script(c: char) -> Script {
    match c {
        '\u{3040}'..='\u{309f}' => Script::Hiragana,
        '\u{30a0}'..='\u{30ff}' => Script::Katakana,
        '\u{3005}' | '\u{3400}'..='\u{9fff}' => Script::Han,
        _ => Script::Other,
    }
}

/// A given name with the family name before it: listed, or the one Hangul syllable that begins the word.
fn with_surname(reading: &TextReading<'_>, at: usize) -> Range<usize> {
    let given = &reading.hits[at];
    let surname = at.checked_sub(1).map(|before| &reading.hits[before]);
    if let Some(surname) =
        surname.filter(|hit| hit.tag == WordTag::Surname && hit.span.end == given.span.start)
    {
        return surname.span.start..given.span.end;
    }
    let word = &reading.words[given.words.start];
    let lead = &reading.text[word.span.start..given.span.start];
    let syllable =
        lead.chars().count() == 1 && lead.starts_with(|c: char| ('\u{ac00}'..'\u{d7b0}').contains(&c));
    if syllable { word.span.start..given.span.end } else { given.span.clone() }
}

/// A family name and the one or two characters after it, where a relation or "is called" stands before.
fn after_surname(reading: &TextReading<'_>, at: usize) -> Option<Range<usize>> {
    let surname = &reading.hits[at];
    let called =
        reading.hits.iter().any(|hit| hit.tag == WordTag::NamedAs && hit.span.end == surname.span.start);
    if !called && relation_before(reading, surname.span.start).is_none() {
        return None;
    }
    let word = &reading.words[surname.words.start];
    let ceiling = reading.hits[at + 1..]
        .iter()
        .find(|hit| hit.span.start >= surname.span.end && hit.words.start == surname.words.start)
        .map_or(word.span.end, |hit| hit.span.start);
    let rest = &reading.text[surname.span.end..ceiling];
    let kept: usize =
        rest.chars().take(2).take_while(|c| script(*c) == Script::Han).map(char::len_utf8).sum();
    (kept > 0).then_some(surname.span.start..surname.span.end + kept)
}

/// "我哥哥李明", "友達の田中さん".
fn relation_before<'r>(reading: &'r TextReading<'_>, start: usize) -> Option<&'r ListedHit> {
    let before = &reading.text[..start];
    let end = before.trim_end_matches(['の', ' ', '是', '叫']).len();
    reading.hits.iter().find(|hit| RELATIONS.contains(&hit.tag) && hit.span.end == end)
}

/// A relation in these scripts is the owner's unless somebody else is named as having it.
pub(super) fn is_own(reading: &TextReading<'_>, relation: &ListedHit) -> bool {
    let word = &reading.words[relation.words.start];
    let before = &reading.text[word.span.start..relation.span.start];
    !before.ends_with(['の', '的', '他', '她'])
        || before.ends_with("私の")
        || before.ends_with("僕の")
        || before.ends_with("我的")
        || before.ends_with("うちの")
        || before.ends_with("俺の")
}
