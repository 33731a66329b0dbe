//! Kinds that share one form: a shape, a checksum, and words that stand near it.

use std::ops::Range;
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

use super::{Identifier, IdentifierKind, asia, britain, germany, money, north, south, west, world};

use crate::compiled::on_clean_stack;

/// A long checksum, or a shape that nothing else has.
pub(super) const STRONG: f32 = 0.95;
/// A telling shape with or without a checksum.
pub(super) const LIKELY: f32 = 0.7;
/// A checksum that one random number in ten passes.
pub(super) const FAIR: f32 = 0.45;
/// A shape that several kinds share.
pub(super) const WEAK: f32 = 0.3;
/// A shape that any number has.
pub(super) const FAINT: f32 = 0.1;
/// Only reported beside a word that names it.
pub(super) const UNTOLD: f32 = 0.0;
/// A word beside it names the kind.
pub(super) const TOLD: f32 = 0.9;

/// The distances in bytes before and after a number within which a word may name it.
const CONTEXT_BEFORE: usize = 56;
const CONTEXT_AFTER: usize = 32;
/// Longer gaps between digits than this belong to no identifier.
const GAP_MAX: usize = 24;

pub(super) enum ChecksumUse {
    /// The shape is all there is.
    Shape,
    /// A value that fails this is something else.
    Must(fn(&str) -> bool),
    /// A value that fails this may still be one, with this confidence.
    May(fn(&str) -> bool, f32),
}

/// A rule that recognises one kind of identifier.
pub(super) struct IdentifierRule {
    /// The kind that it recognises.
    pub kind: IdentifierKind,
    /// ASCII, either case, between word boundaries.
    pub pattern: &'static str,
    /// The fewest digits that can match: texts with fewer are not searched.
    pub digits: usize,
    /// Sees the letters and digits only, in capitals.
    pub check: ChecksumUse,
    /// The confidence without a word that names it.
    pub alone: f32,
    /// Words that name it, in lower case; a trailing `*` stands for any ending.
    pub context: &'static [&'static str],
}

impl IdentifierRule {
    /// True when the writer may choose a separator; the choice then holds for the whole number.
    fn leaves_separators_open(&self) -> bool {
        ["[-", "[ ", "[."].iter().any(|class| self.pattern.contains(class))
    }
}

struct Compiled {
    rule: &'static IdentifierRule,
    regex: OnceLock<Option<Regex>>,
}

impl Compiled {
    fn regex(&self) -> Option<&Regex> {
        let compile = || {
            let pattern = format!(r"\b(?:{})\b", self.rule.pattern);
            on_clean_stack(|| RegexBuilder::new(&pattern).unicode(false).case_insensitive(true).build().ok())
        };
        self.regex.get_or_init(compile).as_ref()
    }
}

fn all() -> &'static [Compiled] {
    static ALL: OnceLock<Vec<Compiled>> = OnceLock::new();
    ALL.get_or_init(|| {
        let tables = [
            money::RULES,
            west::RULES,
            britain::RULES,
            germany::RULES,
            south::RULES,
            north::RULES,
            asia::RULES,
        ];
        let rules = tables.into_iter().chain([world::RULES]).flatten();
        rules.map(|rule| Compiled { rule, regex: OnceLock::new() }).collect()
    })
}

/// Applies every table to the parts of the text that have digits.
pub(super) fn apply(text: &str, found: &mut Vec<Identifier>) {
    let windows = windows(text);
    if windows.is_empty() {
        return;
    }
    let lower = lower(text);
    for (window, digits) in windows {
        for compiled in all().iter().filter(|compiled| compiled.rule.digits <= digits) {
            if let Some(regex) = compiled.regex() {
                apply_one((text, &lower), window.clone(), (compiled.rule, regex), found);
            }
        }
    }
}

fn apply_one(
    (text, lower): (&str, &str),
    window: Range<usize>,
    (rule, regex): (&IdentifierRule, &Regex),
    found: &mut Vec<Identifier>,
) {
    let part = &text[window.clone()];
    let mut from = 0;
    while let Some(hit) = regex.find_at(part, from) {
        let span = window.start + hit.start()..window.start + hit.end();
        match judge(text, lower, span, rule) {
            Some(identifier) => {
                from = hit.end();
                found.push(identifier);
            }
            // A match one character later may still be one.
            None => from = hit.start() + 1,
        }
    }
}

fn judge(text: &str, lower: &str, span: Range<usize>, rule: &IdentifierRule) -> Option<Identifier> {
    let raw = &text[span.clone()];
    if !stands_alone(text, &span) || (rule.leaves_separators_open() && mixes_separators(raw)) {
        return None;
    }
    let canonical = compact(raw);
    let (alone, checked) = match rule.check {
        ChecksumUse::Shape => (rule.alone, false),
        ChecksumUse::Must(check) => (check(&canonical).then_some(rule.alone)?, true),
        ChecksumUse::May(check, _) if check(&canonical) => (rule.alone, true),
        ChecksumUse::May(_, unchecked) => (unchecked, false),
    };
    let told = told(lower, &span, rule.context);
    let confidence = if told { TOLD.max(alone) } else { alone };
    let reason = match (checked, told) {
        (true, true) => "checksum and context",
        (true, false) => "checksum",
        (false, true) => "shape and context",
        (false, false) => "shape",
    };
    (confidence > UNTOLD).then_some(Identifier { kind: rule.kind, span, canonical, confidence, reason })
}

/// Letters and digits only, in capitals.
pub(super) fn compact(raw: &str) -> String {
    raw.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect()
}

/// The parts of the text that have digits, with some room around them, and how many digits each has.
fn windows(text: &str) -> Vec<(Range<usize>, usize)> {
    let mut windows: Vec<(Range<usize>, usize)> = Vec::new();
    for (at, _) in text.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_digit()) {
        match windows.last_mut() {
            Some((window, digits)) if at - window.end <= GAP_MAX => {
                window.end = at + 1;
                *digits += 1;
            }
            _ => windows.push((at..at + 1, 1)),
        }
    }
    for (window, _) in &mut windows {
        window.start = text.floor_char_boundary(window.start.saturating_sub(GAP_MAX));
        window.end = text.ceil_char_boundary((window.end + GAP_MAX).min(text.len()));
    }
    windows
}

/// Returns true when a character continues a word of a script that puts spaces between words.
pub(super) fn continues_word(c: char) -> bool {
    const SCRIPTS_WITHOUT_SPACES_FROM: u32 = 0x0E00;
    c == '_' || (c.is_alphanumeric() && u32::from(c) < SCRIPTS_WITHOUT_SPACES_FROM)
}

/// Returns true when the span is neither part of a longer word or number nor an amount of money.
pub(super) fn stands_alone(text: &str, span: &Range<usize>) -> bool {
    let mut before = text[..span.start].chars().rev();
    let mut after = text[span.end..].chars();
    let left = match before.next() {
        None => true,
        Some(c) if continues_word(c) => false,
        Some('$' | '€' | '£' | '¥') => false,
        Some('-' | '/') => !before.next().is_some_and(continues_word),
        Some('.' | ',') => !before.next().is_some_and(|c| c.is_ascii_digit()),
        Some(_) => true,
    };
    let right = match after.next() {
        None => true,
        Some(c) if continues_word(c) => false,
        Some('-' | '/') => !after.next().is_some_and(continues_word),
        Some('.' | ',') => !after.next().is_some_and(|c| c.is_ascii_digit()),
        Some('%' | '€') => false,
        Some(_) => true,
    };
    left && right
}

/// `12-34 56` is not how anybody writes one number.
fn mixes_separators(raw: &str) -> bool {
    let mut separators = raw.chars().filter(|c| !c.is_ascii_alphanumeric());
    let first = separators.next();
    separators.any(|other| Some(other) != first)
}

/// The text in lower case, with every character at its old place.
pub(super) fn lower(text: &str) -> String {
    let lower_one = |c: char| {
        let mut lower = c.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(one), None) if one.len_utf8() == c.len_utf8() => one,
            _ => c,
        }
    };
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.chars().map(lower_one).collect() }
}

/// Returns true when one of the words stands near the span of a text in lower case.
pub(super) fn told(lower: &str, span: &Range<usize>, words: &[&str]) -> bool {
    let from = lower.floor_char_boundary(span.start.saturating_sub(CONTEXT_BEFORE));
    let to = lower.ceil_char_boundary((span.end + CONTEXT_AFTER).min(lower.len()));
    says(&lower[from..span.start], words) || says(&lower[span.end..to], words)
}

/// Returns true when a text in lower case has one of the words, as a word.
pub(super) fn says(lower: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        let (stem, open) = word.strip_suffix('*').map_or((*word, false), |stem| (stem, true));
        lower.match_indices(stem).any(|(at, _)| {
            let before = lower[..at].chars().next_back();
            let after = lower[at + stem.len()..].chars().next();
            !before.is_some_and(joins) && (open || !after.is_some_and(joins))
        })
    })
}

fn joins(c: char) -> bool {
    c.is_alphabetic() && continues_word(c)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::readings;
    use super::*;

    /// Texts that should hold one identifier of the kind and do not, and texts that should hold none and do.
    pub(in super::super) fn mistakes(kind: IdentifierKind, yes: &[&str], no: &[&str]) -> Vec<String> {
        let count = |text: &str| readings(text).iter().filter(|found| found.kind == kind).count();
        let wanted = yes.iter().map(|text| (*text, 1)).chain(no.iter().map(|text| (*text, 0)));
        let wrong = wanted.filter(|(text, wanted)| count(text) != *wanted);
        wrong.map(|(text, wanted)| format!("{} {wanted} in {text:?}", kind.as_str())).collect()
    }

    pub(in super::super) fn holds(kind: IdentifierKind, yes: &[&str], no: &[&str]) {
        let mistakes = mistakes(kind, yes, no);
        assert!(mistakes.is_empty(), "{mistakes:?}");
    }

    #[test]
    fn every_pattern_compiles() {
        for compiled in all() {
            assert!(compiled.regex().is_some(), "{}", compiled.rule.kind.as_str());
        }
    }

    #[test]
    fn context_words_are_whole_words() {
        assert!(says(&lower("my SIN is"), &["sin"]) && !says("using", &["sin"]) && !says("since", &["sin"]));
        assert!(says(&lower("Steuernummer:"), &["steuer*"]) && !says("besteuern", &["steuer*"]));
        assert!(says("เลขประจำตัวประชาชน", &["ประชาชน"]));
    }

    #[test]
    fn lower_case_keeps_every_place() {
        assert_eq!(lower("ÄÖ İx ẞ K"), "äö İx ẞ k");
        assert_eq!(lower("ABC é").len(), "ABC é".len());
    }

    #[test]
    fn parts_of_longer_numbers_and_amounts_do_not_stand_alone() {
        for (text, alone) in [
            ("x 123 y", true),
            ("123.", true),
            ("(123)", true),
            ("번호123입니다", true),
            ("a123", false),
            ("é123", false),
            ("$123", false),
            ("7-123", false),
            ("123-x", false),
            ("123.5", false),
            ("4,123", false),
            ("123%", false),
        ] {
            let start = text.find("123").unwrap();
            assert_eq!(stands_alone(text, &(start..start + 3)), alone, "{text}");
        }
    }
}
