//! Whether a text mentions somebody or something by name.

use super::super::Closeness;
use super::word::{Word, is_stop, words};

/// Kinds of things that are numbered: "Project Heron 2" is not "Project Heron".
const NUMBERED: &str = "project plan phase version room team model release building block unit class group step stage \
    operation mission chapter part volume series season gate platform terminal line";

/// Whether the text mentions the name: every part of it, in order, as words of their own.
pub(crate) fn mention(text: &str, name: &str) -> Option<Closeness> {
    let (mut text, mut name) = (words(text), words(name));
    // "The head of sales" is the head sales.
    text.retain(|word| !is_stop(&word.lower));
    name.retain(|word| !is_stop(&word.lower));
    let same = |word: &Word, part: &Word| {
        // "a frank talk" is not about Frank.
        word.stem == part.stem && (word.capital || !part.capital)
    };
    let numbered =
        name.first().is_some_and(|first| NUMBERED.split_whitespace().any(|kind| kind == first.lower));
    let ends = |at: usize| !numbered || text.get(at).is_none_or(|next| !is_numeral(next));
    let is_at = |at: usize| {
        text[at..].iter().zip(&name).all(|(word, part)| same(word, part)) && ends(at + name.len())
    };
    let there = !name.is_empty() && (0..(text.len() + 1).saturating_sub(name.len())).any(is_at);
    there.then_some(Closeness::Direct)
}

/// A number, a roman one, or a single capital.
fn is_numeral(word: &Word) -> bool {
    let roman = word.capital && word.lower.chars().all(|c| matches!(c, 'i' | 'v' | 'x'));
    let letter = word.capital && word.lower.chars().count() == 1;
    word.lower.starts_with(|c: char| c.is_ascii_digit()) || roman || letter
}
