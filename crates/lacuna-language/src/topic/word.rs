//! Words as a request and a memory have them in common: without case, accents and endings.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use super::concept::{Concepts, called, spoken};
use crate::languages::words_of;
use crate::words::{Folding, WordChars, fold, word_spans};

/// One word of a text.
#[derive(Clone, Debug)]
pub struct Word {
    /// The stem.
    pub stem: String,
    /// The word in lower case.
    pub lower: String,
    /// The everyday things that it calls by their name, as a word of a request.
    pub calls: Concepts,
    /// The everyday things that it speaks of, as a word of a text.
    pub speaks: Concepts,
    /// True when it begins with a capital.
    pub capital: bool,
}

thread_local! {
    static ENGLISH: RefCell<Stemmer> = RefCell::new(Stemmer::create(Algorithm::English));
}

/// The stem of a word in lower case; words of other languages mostly keep their form.
pub fn stem(lower: &str) -> String {
    let folded = fold(lower, Folding::Phrase);
    ENGLISH.with_borrow(|stemmer| stemmer.stem(&folded).into_owned())
}

/// The words of a text, in order. A compound is a word of its own: "engineering-platform" does not say
/// "engineering", though it is a platform.
pub fn words(text: &str) -> Vec<Word> {
    word_spans(text, WordChars::Compounds).filter_map(|part| word(part.text)).collect()
}

pub(super) fn word(bare: &str) -> Option<Word> {
    let lower = bare.to_lowercase().replace('’', "'");
    let lower = lower.strip_suffix("'s").or(lower.strip_suffix("s'")).unwrap_or(&lower).to_owned();
    if lower.is_empty() {
        return None;
    }
    let stem = stem(&lower);
    let head = lower.rsplit('-').next().filter(|head| *head != lower).map(self::stem);
    let of_head = |sense: fn(&str) -> Concepts| head.as_deref().map_or(Concepts::NONE, sense);
    let (calls, speaks) = (called(&stem).or(of_head(called)), spoken(&stem).or(of_head(spoken)));
    Some(Word { stem, calls, speaks, capital: bare.starts_with(char::is_uppercase), lower })
}

/// Returns true if a text's word says a wanted one: the same stem, or a compound of which it is the head.
pub fn says(word: &Word, wanted: &str) -> bool {
    let head = || word.lower.rsplit_once('-').is_some_and(|(_, head)| stem(head) == wanted);
    word.stem == wanted || (word.lower.contains('-') && head())
}

type WordSet = LazyLock<HashSet<&'static str>>;

/// Returns true for a word that is no topic.
pub fn is_stop(lower: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| words_of(|rules| rules.topic.stop));
    WORDS.contains(lower)
}

/// Returns true for a word of a request that only says that something is kept.
pub fn is_general(lower: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| words_of(|rules| rules.topic.general));
    WORDS.contains(lower)
}

/// Returns true for a word that says who somebody is, beside a name.
pub fn is_role(lower: &str) -> bool {
    static WORDS: WordSet = LazyLock::new(|| words_of(|rules| rules.topic.roles));
    WORDS.contains(lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_accents_and_possessives_do_not_matter() {
        for (a, b) in
            [("speaks", "speaking"), ("Café", "cafe"), ("Nora's", "nora"), ("prescribed", "prescribe")]
        {
            assert_eq!(words(a)[0].stem, words(b)[0].stem, "{a} {b}");
        }
    }

    #[test]
    fn a_compound_says_its_head_only() {
        let compound = &words("the sales-dashboard")[1];
        assert!(says(compound, &stem("dashboard")) && !says(compound, &stem("sales")));
        assert!(says(compound, &stem("sales-dashboard")));
    }
}
