//! The form of a name under which an entity is looked up.

use super::lexicon::is_title;
use super::words::{is_unspaced, words};
use crate::words::{Folding, fold};

/// Honorifics that follow a name in scripts without spaces.
const SUFFIXES: &[&str] =
    &["さん", "様", "さま", "くん", "君", "ちゃん", "先生", "氏", "女士", "小姐", "씨", "님"];

/// One spelling for a name in all its spellings: width, case and accents folded, titles and possessives gone. The
/// caller hashes it under the vault's key.
pub fn entity_key(kind: &str, name: &str) -> String {
    let words = words(name);
    let titled = words.iter().take_while(|word| is_title(&word.folded)).count();
    // A name that consists of titles alone keeps them.
    let first = if titled < words.len() { titled } else { 0 };
    let mut key = format!("{kind}:");
    for (at, word) in words.iter().enumerate().skip(first) {
        let possessive = word.folded == "s" && at > first && at + 1 == words.len();
        if possessive {
            break;
        }
        if at > first {
            key.push(' ');
        }
        key.push_str(bare(&word.folded));
    }
    if words.is_empty() {
        key.push_str(&fold(name.trim(), Folding::Listed));
    }
    key
}

fn bare(word: &str) -> &str {
    if !word.starts_with(is_unspaced) {
        return word;
    }
    let suffix = SUFFIXES.iter().find(|suffix| word.len() > suffix.len() && word.ends_with(**suffix));
    suffix.map_or(word, |suffix| &word[..word.len() - suffix.len()])
}
