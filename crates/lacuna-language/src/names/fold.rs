//! Spellings of Latin names, and the looser forms under which transliterations meet.

use unicode_normalization::UnicodeNormalization;

use crate::words::{Folding, fold};

/// Letters that are written with one letter or with two.
const PAIRS: &[(char, &str, &str)] = &[
    ('ä', "a", "ae"),
    ('ö', "o", "oe"),
    ('ü', "u", "ue"),
    ('ø', "o", "oe"),
    ('å', "a", "aa"),
    ('æ', "ae", "ae"),
    ('œ', "oe", "oe"),
];
/// Spellings of one sound in transliterations, longest first; both sides of a comparison go through it.
const LOOSE: &[(&str, &str)] = &[
    ("shch", "s"),
    ("tsch", "c"),
    ("tch", "c"),
    ("sch", "s"),
    ("ck", "k"),
    ("ch", "c"),
    ("cz", "c"),
    ("zh", "z"),
    ("kh", "h"),
    ("gh", "g"),
    ("ph", "f"),
    ("th", "t"),
    ("dh", "d"),
    ("bh", "b"),
    ("sh", "s"),
    ("sz", "s"),
    ("ou", "u"),
    ("oo", "u"),
    ("ee", "i"),
    ("ce", "se"),
    ("ci", "si"),
    ("cy", "si"),
    ("x", "ks"),
    ("q", "k"),
    ("c", "k"),
    ("w", "v"),
    ("y", "i"),
];

/// A word folded in its own script: width, case, accents and marks of no account.
pub(super) fn native(word: &str) -> String {
    fold(word, Folding::Name)
}

/// A word in small letters, each with its marks in one piece.
pub(super) fn lower(word: &str) -> String {
    word.nfc().flat_map(char::to_lowercase).collect()
}

/// The spellings of a Latin word: Müller is written Muller or Mueller.
pub(super) fn latin_forms(word: &str) -> Vec<String> {
    if word.is_ascii() {
        return vec![native(word)];
    }
    let lower = lower(word);
    let plain = native(word);
    if !lower.contains(|c| PAIRS.iter().any(|(letter, ..)| *letter == c)) {
        return vec![plain];
    }
    let spelt: String = lower
        .chars()
        .map(|c| {
            PAIRS
                .iter()
                .find(|(letter, ..)| *letter == c)
                .map_or(c.to_string(), |(.., two)| (*two).to_owned())
        })
        .collect();
    vec![plain, native(&spelt)]
}

/// A Latin spelling as loosely as transliterations differ: one letter for each sound, no letter twice.
pub(super) fn loosen(word: &str) -> String {
    let mut rest = word;
    let mut loose = String::with_capacity(word.len());
    while let Some(first) = rest.chars().next() {
        let (taken, sound) = match LOOSE.iter().find(|(written, _)| rest.starts_with(written)) {
            Some((written, sound)) => (written.len(), *sound),
            None => (first.len_utf8(), &rest[..first.len_utf8()]),
        };
        for c in sound.chars() {
            if !loose.ends_with(c) {
                loose.push(c);
            }
        }
        rest = &rest[taken..];
    }
    // Yevgeni and Evgeni; Sarah and Sara.
    let loose = loose.strip_prefix("ie").map_or(loose.clone(), |rest| format!("e{rest}"));
    loose.strip_suffix('h').filter(|rest| rest.len() > 1).map_or(loose.clone(), str::to_owned)
}

/// The consonants of a loosened spelling, for names that are written without vowels.
pub(super) fn bones(loose: &str) -> String {
    let mut bones = String::with_capacity(loose.len());
    for c in loose.chars().filter(|c| !matches!(c, 'a' | 'e' | 'i' | 'o' | 'u')) {
        if !bones.ends_with(c) {
            bones.push(c);
        }
    }
    bones
}

/// A coarse form of a whole name that no usual spelling or order of its words changes.
pub(super) fn sound(spelling: &str) -> String {
    let mut letters: Vec<char> = loosen(spelling)
        .chars()
        .filter_map(|c| match c {
            'a' | 'e' | 'i' | 'o' | 'u' | 'h' | 'v' => None,
            'g' | 'k' => Some('k'),
            'b' | 'p' | 'f' => Some('p'),
            'd' | 't' => Some('t'),
            's' | 'z' | 'j' => Some('s'),
            'l' | 'r' => Some('r'),
            'n' | 'm' => Some('n'),
            c => Some(c),
        })
        .collect();
    letters.sort_unstable();
    letters.dedup();
    letters.into_iter().collect()
}
