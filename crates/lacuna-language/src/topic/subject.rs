//! Subjects that a request names in general words: "my health", "where I'm from". Sentences that speak of a subject stand
//! for it, so that a memory is compared by what it means.

use super::near::{slips_at_most_one, spelling};
use crate::languages::subject::SUBJECTS;
use crate::words::{WordChars, word_spans};

/// Letters from which on a name of a subject may have a slip of the pen.
const SLIP_LETTERS_MIN: usize = 5;

/// Sentences that speak of the subjects which a request names; none when it names none.
pub fn subject_examples(request: &str) -> Vec<&'static str> {
    let words: Vec<String> =
        word_spans(request, WordChars::Letters).map(|word| spelling(word.text)).collect();
    let joined = format!(" {}", words.join(" "));
    let names = |list: &str| list.split(',').any(|name| is_named(name, &joined, &words));
    let named = SUBJECTS.iter().filter(|(list, _)| names(list));
    let mut examples: Vec<&'static str> = Vec::new();
    for example in named.flat_map(|(_, examples)| examples.split('|')) {
        if !examples.contains(&example) {
            examples.push(example);
        }
    }
    examples
}

fn is_named(name: &str, joined: &str, words: &[String]) -> bool {
    let begins = joined.match_indices(name).any(|(at, _)| joined[..at].ends_with(' '));
    let plain = name.len() >= SLIP_LETTERS_MIN && !name.contains(' ');
    begins || plain && words.iter().any(|word| slips_at_most_one(word, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_named_in_each_language_and_with_a_slip_of_the_pen() {
        let health = subject_examples("my health");
        for request in [
            "meine Gesundheit",
            "ma santé",
            "mi salud",
            "la mia salute",
            "a minha saúde",
            "mijn gezondheid",
            "moje zdrowie",
            "my helth",
        ] {
            assert_eq!(subject_examples(request), health, "{request}");
        }
        assert!(subject_examples("the lighthouse").is_empty());
    }
}
