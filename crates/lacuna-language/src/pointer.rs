//! Words that point to what was said before, "she", "that", "dort", and what stands for them once it is gone:
//! "someone", "something", "irgendwo".

use std::ops::Range;

use crate::languages::{LANGUAGES, Stand};
use crate::words::{WordChars, word_spans};

/// The number of first words of a text that may point back.
const FIRST_WORDS: usize = 3;

/// The number of first words of a text among which a description without a name stands: an article, a noun, its clause,
/// perhaps with a word between them.
const DESCRIBING_WORDS: usize = 4;

struct FirstWord<'t> {
    text: &'t str,
    lower: String,
    span: Range<usize>,
}

/// Returns true if a text leans on what came before it. One that names somebody first stands on its own.
pub fn leans(text: &str) -> bool {
    let first = first_words(text);
    let is_name = |(at, word): (usize, &FirstWord<'_>)| {
        at > 0 && word.text.starts_with(char::is_uppercase) && generic(word).is_none()
    };
    let pointer = first.iter().position(|word| generic(word).is_some());
    pointer.is_some_and(|at| !first[..at].iter().enumerate().any(is_name))
}

/// Returns the noun of a description that a text begins with, in lower case: "guest" for "The guest who returned last week".
pub fn described(text: &str) -> Option<String> {
    let mut first = lower_words(text).take(DESCRIBING_WORDS).collect::<Vec<_>>();
    let is_relative = |word: &String| {
        LANGUAGES.iter().any(|rules| rules.pointer.relatives.split_whitespace().any(|one| one == word))
    };
    let relative = (2..first.len()).find(|at| is_relative(&first[*at]))?;
    Some(first.swap_remove(relative - 1))
}

/// Returns true if a text has the word, which is in lower case.
pub fn speaks_of(text: &str, word: &str) -> bool {
    lower_words(text).any(|own| own == word)
}

fn lower_words(text: &str) -> impl Iterator<Item = String> {
    word_spans(text, WordChars::Letters).map(|word| word.text.to_lowercase())
}

/// Returns the general word for each word that points back, and its place; `None` when one of them must be put by a person.
pub fn generics(text: &str) -> Option<Vec<(Range<usize>, String)>> {
    if !leans(text) {
        return Some(Vec::new());
    }
    let mut put = Vec::new();
    for word in first_words(text) {
        let Some(generic) = generic(&word) else { continue };
        let rest = &text[word.span.end..];
        let Some(stands) = generic.in_place(rest)? else { continue };
        let (stands, contracted) = spelled_out(&stands, rest);
        let stands = if word.text.starts_with(char::is_uppercase) { capital(&stands) } else { stands };
        put.push((word.span.start..word.span.end + contracted, stands));
    }
    Some(put)
}

fn generic(word: &FirstWord<'_>) -> Option<Stand> {
    let mut words = LANGUAGES.iter().flat_map(|rules| rules.pointer.words);
    words.find(|(pointer, _)| *pointer == word.lower).map(|(_, stand)| *stand)
}

impl Stand {
    /// `None` when nobody can tell, `Some(None)` when it points nowhere after all.
    fn in_place(self, rest: &str) -> Option<Option<String>> {
        let next = following(rest);
        let lower = next.map(str::to_lowercase).unwrap_or_default();
        let listed = |list: &str| list.split_whitespace().any(|word| word == lower);
        let stands = match self {
            Self::Word(word) => word,
            Self::Alone { next, alone, .. } if lower.is_empty() || listed(next) => alone,
            Self::Alone { before: "a", .. } if lower.starts_with(['a', 'e', 'i', 'o', 'u']) => "an",
            Self::Alone { before, .. } => before,
            Self::Unless { next, .. } if listed(next) => return Some(None),
            Self::Unless { word, .. } => word,
            Self::Number { verb, ending, several, .. } if lower == verb || lower.ends_with(ending) => several,
            Self::Number { one, .. } => one,
            Self::NotBeforeCapital(_) if next.is_some_and(|next| next.starts_with(char::is_uppercase)) => {
                return None;
            }
            Self::NotBeforeCapital(word) => word,
            Self::Unknown => return None,
        };
        Some(Some(stands.to_owned()))
    }
}

/// "They're" becomes "some people are". Answers with the bytes of the contraction that went into it.
fn spelled_out(stands: &str, rest: &str) -> (String, usize) {
    let whole = |ending: &str| {
        let after = rest.strip_prefix(['\'', '’'])?.strip_prefix(ending)?;
        (!after.starts_with(char::is_alphanumeric)).then_some(rest.len() - after.len())
    };
    let mut contractions = LANGUAGES.iter().flat_map(|rules| rules.pointer.contractions);
    let found = contractions.find_map(|(ending, verb)| Some((whole(ending)?, verb)));
    match found {
        Some((bytes, verb)) => (format!("{stands} {verb}"), bytes),
        None => (stands.to_owned(), 0),
    }
}

/// The next word, if nothing but space or an apostrophe stands before it.
fn following(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches([' ', '\'', '’']);
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

fn first_words(text: &str) -> Vec<FirstWord<'_>> {
    let first = word_spans(text, WordChars::Letters).take(FIRST_WORDS);
    first
        .map(|word| FirstWord { lower: word.text.to_lowercase(), text: word.text, span: word.span })
        .collect()
}

/// The text with a capital first letter.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_begins_with_a_pointer_leans_on_another() {
        for (text, expected) in [
            ("She said the seafood was excellent.", true),
            ("Yes, that was him.", true),
            ("And they live there now.", true),
            ("Elle adore la mer.", true),
            ("The harbour is closed on Mondays.", false),
            ("My sister says it often.", false),
            ("Ask Tom whether he comes.", false),
            ("", false),
        ] {
            assert_eq!(leans(text), expected, "{text}");
        }
    }

    #[test]
    fn a_description_without_a_name_is_told_by_its_noun() {
        for (text, noun) in [
            ("The guest who returned last week asked for the window table.", Some("guest")),
            ("The tall guest who left early forgot a scarf.", Some("guest")),
            ("Der Gast, der letzte Woche wiederkam, mag Tee.", Some("gast")),
            ("Il cliente che torna spesso vuole il tavolo in fondo.", Some("cliente")),
            ("The guest asked for tea.", None),
            ("Who returned last week?", None),
            ("", None),
        ] {
            assert_eq!(described(text).as_deref(), noun, "{text}");
        }
        assert!(speaks_of("A guest asked for tea.", "guest") && !speaks_of("Guests asked for tea.", "guest"));
    }

    fn generic_form(text: &str) -> Option<String> {
        let mut anonymous = text.to_owned();
        for (span, stands) in generics(text)?.into_iter().rev() {
            anonymous.replace_range(span, &stands);
        }
        Some(anonymous)
    }

    #[test]
    fn a_generic_word_stands_where_a_pointer_stood() {
        for (text, expected) in [
            ("She wants it done before winter.", "Someone wants something done before winter."),
            ("Yes, that was him.", "Yes, something was him."),
            ("That ferry is late.", "A ferry is late."),
            ("This island is small.", "An island is small."),
            ("Those were the last ones.", "Some things were the last ones."),
            ("Her brother plays chess.", "Someone's brother plays chess."),
            ("Ask her about it.", "Ask someone about it."),
            ("They're moving in May.", "Some people are moving in May."),
            ("She's a welder.", "Someone's a welder."),
            ("They live there.", "Some people live somewhere."),
            ("There is a leak.", "There is a leak."),
            ("Er mag Fisch.", "Jemand mag Fisch."),
            ("Sie fahren im Mai weg.", "Einige fahren im Mai weg."),
            ("Elle adore la mer.", "Quelqu'un adore la mer."),
            ("Ella vive en Cádiz.", "Alguien vive en Cádiz."),
            ("The harbour is closed.", "The harbour is closed."),
        ] {
            assert_eq!(generic_form(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["The same again, please.", "Das Haus ist verkauft.", "Leur chien aboie."] {
            assert_eq!(generic_form(text), None, "{text}");
        }
    }
}
