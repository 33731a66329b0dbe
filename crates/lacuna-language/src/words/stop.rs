//! Words that say too little to search by. Short lists: BM25 discounts words that are merely frequent by itself.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::Language;
use crate::languages::every_language;

static SETS: LazyLock<HashMap<Language, HashSet<&'static str>>> = LazyLock::new(|| {
    let mut sets = HashMap::new();
    for rules in every_language() {
        sets.entry(rules.language).or_insert_with(|| rules.stop_words.split_whitespace().collect());
    }
    sets
});

pub(super) fn is_stop_word(language: Language, word: &str) -> bool {
    SETS.get(&language).is_some_and(|words| words.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_belong_to_their_language() {
        assert!(is_stop_word(Language::English, "the"));
        assert!(!is_stop_word(Language::German, "the"));
        assert!(is_stop_word(Language::German, "für"));
        assert!(!is_stop_word(Language::Other, "the"));
    }
}
