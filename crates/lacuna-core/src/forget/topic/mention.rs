//! Whether a text mentions somebody or something by name.

use super::super::Closeness;
use super::word::{Word, is_stop, words};

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
    let there = !name.is_empty()
        && text
            .windows(name.len())
            .any(|window| window.iter().zip(&name).all(|(word, part)| same(word, part)));
    there.then_some(Closeness::Direct)
}
