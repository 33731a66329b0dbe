//! Han characters: in pinyin, character by character, and as Japanese names, word by word.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::kana;
use super::script::{NameScript, of_char};
use super::spell::extend;

/// Longer runs are no names, and have too many readings.
const NAME_CHARS_MAX: usize = 8;
/// The longest Japanese word that is listed, in characters.
const WORD_CHARS_MAX: usize = 4;

/// A syllable and the characters that are read so.
const PINYIN: &str = include_str!("lists/pinyin.txt");
/// A reading and the Japanese names that have it.
const JAPANESE: &str = include_str!("lists/japanese.txt");
/// A character in its simple form and the other forms of it.
const VARIANTS: &str = include_str!("lists/variants.txt");

struct Tables {
    pinyin: HashMap<char, Vec<&'static str>>,
    japanese: HashMap<&'static str, Vec<&'static str>>,
    /// The sounds with which a name may begin that begins with a character.
    begins: HashMap<char, Vec<&'static str>>,
    plain: HashMap<char, char>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut tables = Tables {
        pinyin: HashMap::new(),
        japanese: HashMap::new(),
        begins: HashMap::new(),
        plain: HashMap::new(),
    };
    for (reading, characters) in entries(PINYIN) {
        for c in characters.chars() {
            tables.pinyin.entry(c).or_default().push(reading);
            tables.begins.entry(c).or_default().push(reading);
        }
    }
    for (reading, names) in entries(JAPANESE) {
        for name in names.split(',') {
            tables.japanese.entry(name).or_default().push(reading);
            let first = name.chars().next().unwrap_or_default();
            tables.begins.entry(first).or_default().push(reading);
        }
    }
    for (plain, others) in entries(VARIANTS) {
        let plain = plain.chars().next().unwrap_or_default();
        tables.plain.extend(others.chars().map(|other| (other, plain)));
    }
    tables
});

/// The entries of a list: `key=values`, divided by space; a line that begins with `#` is a remark.
fn entries(list: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_ascii_whitespace).filter_map(|entry| entry.split_once('='))
}

/// A name with its characters in their simple forms, so that 張偉 is 张伟.
pub(super) fn plain(name: &str) -> String {
    name.chars().map(|c| TABLES.plain.get(&c).copied().unwrap_or(c)).collect()
}

/// The readings of a name: Chinese where every character is known, Japanese where it divides into listed names.
pub(super) fn read(word: &str) -> Vec<String> {
    if word.chars().count() > NAME_CHARS_MAX {
        return Vec::new();
    }
    let mut readings = pinyin(word);
    readings.extend(japanese(word));
    readings
}

/// The sounds with which a name may begin that begins with a character.
pub(super) fn beginnings(c: char) -> &'static [&'static str] {
    TABLES.begins.get(&c).map_or(&[], Vec::as_slice)
}

fn syllables(c: char) -> &'static [&'static str] {
    TABLES.pinyin.get(&c).map_or(&[], Vec::as_slice)
}

fn pinyin(word: &str) -> Vec<String> {
    let mut readings = vec![String::new()];
    for c in word.chars() {
        readings = extend(&readings, syllables(c).iter().copied());
    }
    readings
}

/// Divides a word into listed names and kana; the longer name first.
fn japanese(word: &str) -> Vec<String> {
    let Some(first) = word.chars().next() else { return vec![String::new()] };
    if of_char(first) == NameScript::Kana {
        let end = word.find(|c| of_char(c) != NameScript::Kana).unwrap_or(word.len());
        return follow(&kana::read(&word[..end]), &word[end..]);
    }
    let ends: Vec<usize> =
        word.char_indices().map(|(at, c)| at + c.len_utf8()).take(WORD_CHARS_MAX).collect();
    let mut found = Vec::new();
    for end in ends.into_iter().rev() {
        let Some(readings) = TABLES.japanese.get(&word[..end]) else { continue };
        let readings: Vec<String> = readings.iter().map(|reading| (*reading).to_owned()).collect();
        found.extend(follow(&readings, &word[end..]));
    }
    found
}

fn follow(readings: &[String], rest: &str) -> Vec<String> {
    let rest = japanese(rest);
    extend(readings, rest.iter().map(String::as_str))
}
