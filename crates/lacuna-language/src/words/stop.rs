//! Words that say too little to search by. Short lists: BM25 discounts words that are merely frequent by itself.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::Language;
use super::tokens::{WordChars, word_spans};
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

/// The language of a question by its function words: a question is too short for statistics of letters, which serve only
/// where no function word is known.
pub fn language_of_question(text: &str) -> Language {
    let lower = text.to_lowercase();
    let words: Vec<&str> = word_spans(&lower, WordChars::Letters).map(|word| word.text).collect();
    let known = |language| words.iter().filter(|word| is_stop_word(language, word)).count();
    let english = known(Language::English);
    // Of equals the first in the fixed order, so that the same question is always read the same way.
    let other = Language::ALL.iter().copied().filter(|language| *language != Language::English);
    let best = other
        .map(|language| (known(language), language))
        .fold((0, Language::Other), |best, one| if one.0 > best.0 { one } else { best });
    match best {
        (0, _) if english == 0 => Language::detect(text, None),
        (count, language) if count > english => language,
        _ => Language::English,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_questions_are_told_apart_by_their_function_words() {
        let cases = [
            ("When is the garage open?", Language::English),
            ("garage opening hours", Language::English),
            ("Wann hat die Werkstatt auf?", Language::German),
            ("Où est garé le vélo ?", Language::French),
            ("¿Dónde está la bici?", Language::Spanish),
            ("Dove ho messo la bici?", Language::Italian),
            ("Где мой велосипед?", Language::Russian),
        ];
        for (text, language) in cases {
            assert_eq!(language_of_question(text), language, "{text}");
        }
    }

    #[test]
    fn stop_words_belong_to_their_language() {
        assert!(is_stop_word(Language::English, "the"));
        assert!(!is_stop_word(Language::German, "the"));
        assert!(is_stop_word(Language::German, "für"));
        assert!(!is_stop_word(Language::Other, "the"));
    }
}
