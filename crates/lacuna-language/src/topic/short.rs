//! Short forms of names: "Lena" after "Lena Vogt", and the names that a text bears.

use std::collections::HashSet;

use crate::words::{Folding, WordChars, WordSpan, fold, word_spans};

use super::word::is_stop;

/// Letters of a word that can be a short form.
const LETTERS_MIN: usize = 3;

/// Returns true when a text has a part of a full name alone, and not inside the name of somebody else.
pub fn has_short_form(name: &str, text: &str) -> bool {
    let parts: Vec<String> = capitals(name).map(|word| fold(word.text, Folding::Name)).collect();
    if parts.len() < 2 {
        return false;
    }
    let words: Vec<WordSpan<'_>> = word_spans(text, WordChars::Letters).collect();
    words.iter().enumerate().any(|(at, word)| {
        let own = |word: &WordSpan<'_>| parts.contains(&fold(word.text, Folding::Name));
        let joined = |a: &WordSpan<'_>, b: &WordSpan<'_>| text[a.span.end..b.span.start].trim().is_empty();
        let before = at.checked_sub(1).map(|at| &words[at]).filter(|before| joined(before, word));
        let after = words.get(at + 1).filter(|after| joined(word, after));
        let other =
            |near: Option<&WordSpan<'_>>| near.is_some_and(|near| is_capital(near.text) && !own(near));
        is_capital(word.text) && own(word) && !other(after) && !(at > 1 && other(before))
    })
}

/// The full names in a text: two and more words in a row that are written as names are, folded.
pub fn full_names(text: &str) -> Vec<Vec<String>> {
    let mut names: Vec<Vec<String>> = Vec::new();
    let mut end = None;
    for word in capitals(text) {
        let goes_on = end.is_some_and(|end: usize| text[end..word.span.start].trim().is_empty());
        end = Some(word.span.end);
        let folded = fold(word.text, Folding::Name);
        match names.last_mut() {
            Some(name) if goes_on => name.push(folded),
            _ => names.push(vec![folded]),
        }
    }
    names.retain(|name| name.len() > 1);
    names
}

/// Returns true when a text has a part of a full name alone, and nobody else among `others` bears that part.
pub fn has_clear_short_form(name: &str, text: &str, others: &HashSet<Vec<String>>) -> bool {
    if !has_short_form(name, text) {
        return false;
    }
    let own: Vec<String> = capitals(name).map(|word| fold(word.text, Folding::Name)).collect();
    let said: Vec<String> = names_in(text).into_iter().filter(|word| own.contains(word)).collect();
    let is_other = |full: &&Vec<String>| !own.iter().all(|part| full.contains(part));
    let borne = |part: &String| others.iter().filter(is_other).any(|full| full.contains(part));
    !said.is_empty() && !said.iter().any(borne)
}

/// Words of a text that are written as names are: with a capital, and not only because a sentence begins.
pub fn names_in(text: &str) -> Vec<String> {
    capitals(text).map(|word| fold(word.text, Folding::Name)).collect()
}

fn capitals(text: &str) -> impl Iterator<Item = WordSpan<'_>> {
    word_spans(text, WordChars::Letters).filter(|word| is_capital(word.text))
}

/// Returns true for a word that is written as names are.
pub(super) fn is_capital(word: &str) -> bool {
    let long = word.chars().nth(LETTERS_MIN - 1).is_some();
    long && word.starts_with(char::is_uppercase) && !is_stop(&word.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_name_is_its_short_form_unless_somebody_else_bears_it() {
        for (text, short) in [
            ("Olga has the key", true),
            ("The Brandt moves in May", true),
            ("We met Olga and Otto", true),
            ("Olga Meier has the key", false),
            ("The boat is green", false),
        ] {
            assert_eq!(has_short_form("Olga Brandt", text), short, "{text}");
        }
        assert!(!has_short_form("Olga", "Olga has the key"));
    }

    #[test]
    fn a_short_form_is_clear_when_nobody_else_bears_it() {
        let names = |texts: &[&str]| texts.iter().flat_map(|text| full_names(text)).collect::<HashSet<_>>();
        let one = names(&["Olga Brandt has the key", "We met Otto Meier"]);
        let two = names(&["Olga Brandt has the key", "We met Olga Meier"]);
        assert!(has_clear_short_form("Olga Brandt", "Olga has the key", &one));
        assert!(!has_clear_short_form("Olga Brandt", "Olga has the key", &two));
        assert!(has_clear_short_form("Olga Brandt", "The Brandt moves", &two));
    }
}
