//! A text as words with their places: folded for lookup, with what stands before each one.

use std::ops::Range;

use crate::words::{Folding, fold};

/// The case of a word, where its script has case at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Case {
    Lower,
    /// A capital, then small letters, or a single capital.
    Title,
    Upper,
    /// Digits, or a script without case.
    None,
}

/// The characters between a word and the one before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WordGap {
    /// Nothing but space.
    Space,
    Hyphen,
    Apostrophe,
    Comma,
    Colon,
    Open,
    /// The end of a sentence or line, or the beginning of the text.
    Stop,
    Other,
}

/// A word of a text.
pub(super) struct WrittenWord<'t> {
    /// The word as it is written.
    pub text: &'t str,
    /// Its place in bytes.
    pub span: Range<usize>,
    /// The word in lower case, without accents.
    pub folded: String,
    /// Its case.
    pub case: Case,
    /// The gap before it.
    pub gap: WordGap,
    /// The number of the sentence it stands in, from 0.
    pub sentence: usize,
    /// A run of a script that puts no spaces between words (or glues particles to them).
    pub unspaced: bool,
}

impl WrittenWord<'_> {
    pub(super) fn is_capital(&self) -> bool {
        matches!(self.case, Case::Title | Case::Upper)
    }

    pub(super) fn opens_sentence(&self) -> bool {
        self.gap == WordGap::Stop
    }

    /// Returns true when only a space or a hyphen divides it from the word before.
    pub(super) fn is_joined(&self) -> bool {
        matches!(self.gap, WordGap::Space | WordGap::Hyphen)
    }

    pub(super) fn is_number(&self) -> bool {
        self.text.starts_with(|c: char| c.is_numeric())
    }
}

/// Words whose full stop does not end a sentence.
const ABBREVIATIONS: &[&str] = &[
    "dr", "mr", "mrs", "ms", "prof", "st", "hr", "fr", "sr", "sra", "srta", "mme", "mlle", "sig", "dott",
    "ing", "no", "vs", "jr", "mt", "ave", "str", "pf", "pt", "д", "г",
];

pub(super) fn words(text: &str) -> Vec<WrittenWord<'_>> {
    let mut words: Vec<WrittenWord<'_>> = Vec::with_capacity(text.len() / 5);
    let mut end = 0;
    let mut sentence = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((start, first)) = chars.next() {
        if !is_letter(first) {
            continue;
        }
        let unspaced = is_unspaced(first);
        let mut stop = start + first.len_utf8();
        while let Some((at, c)) = chars.next_if(|(_, c)| continues(*c, unspaced)) {
            stop = at + c.len_utf8();
        }
        let gap = gap_between(&text[end..start], words.last());
        sentence += usize::from(gap == WordGap::Stop && !words.is_empty());
        let piece = &text[start..stop];
        words.push(WrittenWord {
            text: piece,
            span: start..stop,
            folded: fold(piece, Folding::Listed),
            case: case_of(piece),
            gap,
            sentence,
            unspaced,
        });
        end = stop;
    }
    words
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || (!c.is_ascii() && c.is_alphanumeric())
}

fn continues(c: char, unspaced: bool) -> bool {
    (is_letter(c) && is_unspaced(c) == unspaced) || is_mark(c) || (unspaced && c == 'ー')
}

/// Marks that belong to the letter before them, in the scripts that write vowels or tones so.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}' | '\u{670}'
        | '\u{900}'..='\u{903}' | '\u{93a}'..='\u{94d}' | '\u{e31}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}')
}

/// Han, kana, Hangul and Thai.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{e7f}' | '\u{1100}'..='\u{11ff}' | '\u{3005}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2ffff}')
}

fn gap_between(between: &str, before: Option<&WrittenWord<'_>>) -> WordGap {
    let Some(before) = before else { return WordGap::Stop };
    if matches!(between, " " | "") {
        return WordGap::Space;
    }
    if between.contains(['!', '?', '\n', '。', '！', '？', ';', '…', '؟'])
        || between.contains(". ") && !abbreviates(before)
    {
        return WordGap::Stop;
    }
    match between.trim() {
        "" | "." => WordGap::Space,
        "-" | "‐" | "‑" if between.trim() == between => WordGap::Hyphen,
        "'" | "’" => WordGap::Apostrophe,
        "," | "，" | "、" | "،" => WordGap::Comma,
        ":" | "：" => WordGap::Colon,
        "(" | "（" => WordGap::Open,
        _ => WordGap::Other,
    }
}

fn abbreviates(word: &WrittenWord<'_>) -> bool {
    let single = word.case == Case::Title && word.text.chars().nth(1).is_none();
    single || ABBREVIATIONS.contains(&word.folded.as_str())
}

fn case_of(word: &str) -> Case {
    let mut letters = word.chars().filter(|c| c.is_alphabetic());
    let Some(first) = letters.next() else { return Case::None };
    if first.is_lowercase() {
        return Case::Lower;
    }
    if !first.is_uppercase() {
        return Case::None;
    }
    let mut rest = letters.peekable();
    if rest.peek().is_some() && rest.all(char::is_uppercase) { Case::Upper } else { Case::Title }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_case_and_what_stands_before_them() {
        let found: Vec<_> = words("Dr. Weber's ex-wife, Ana. OK?\nNext")
            .into_iter()
            .map(|word| (word.folded, word.case, word.gap, word.sentence))
            .collect();
        let expected = [
            ("dr", Case::Title, WordGap::Stop, 0),
            ("weber", Case::Title, WordGap::Space, 0),
            ("s", Case::Lower, WordGap::Apostrophe, 0),
            ("ex", Case::Lower, WordGap::Space, 0),
            ("wife", Case::Lower, WordGap::Hyphen, 0),
            ("ana", Case::Title, WordGap::Comma, 0),
            ("ok", Case::Upper, WordGap::Stop, 1),
            ("next", Case::Title, WordGap::Stop, 2),
        ];
        assert_eq!(found.len(), expected.len());
        for (found, (folded, case, gap, sentence)) in found.into_iter().zip(expected) {
            assert_eq!(found, (folded.to_owned(), case, gap, sentence));
        }
    }

    #[test]
    fn folding_forgives_case_and_accents_but_keeps_letters_that_matter() {
        let cases = [
            ("José", "jose"),
            ("STRASSE", "strasse"),
            ("Straße", "strasse"),
            ("Łukasz", "lukasz"),
            ("Ｊｏｈｎ", "john"),
            ("Αλέξης", "αλεξησ"),
            ("さくら", "さくら"),
            ("ガンダム", "ガンダム"),
            ("김민수", "김민수"),
            ("أحمد", "احمد"),
        ];
        for (text, expected) in cases {
            assert_eq!(fold(text, Folding::Listed), expected, "{text}");
        }
    }
}
