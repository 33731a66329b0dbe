//! Words that point to what was said before, "she", "that", "dort", and what stands for them once it is gone:
//! "someone", "something", "irgendwo".

use std::ops::Range;

use crate::words::{Cut, word_spans};

/// How many of the first words of a text may point back.
const FIRST_WORDS: usize = 3;

/// What stands for a pointer when nobody knows any more whom it meant.
#[derive(Clone, Copy)]
enum Generic {
    /// The same wherever it stands.
    Word(&'static str),
    /// "Her" is whose in "her brother", and whom in "ask her".
    Her,
    /// "That was late" stands alone, "that ferry" belongs to a thing.
    Pointing { alone: &'static str, before: &'static str },
    /// "There is" points nowhere.
    There,
    /// One for one and one for several, told apart by the verb.
    Sie,
    /// "Das Haus" is an article.
    Das,
    /// Only a person can say what would stand for it.
    Unknown,
}

use Generic::{Das, Her, Pointing, Sie, There, Unknown, Word};

const ONE: Generic = Word("someone");
const SOME: Generic = Word("some people");
const JEMAND: Generic = Word("jemand");
const QUELQUUN: Generic = Word("quelqu'un");
const ALGUIEN: Generic = Word("alguien");
const POINTERS: &[(&str, Generic)] = &[
    ("he", ONE),
    ("she", ONE),
    ("it", Word("something")),
    ("they", SOME),
    ("him", ONE),
    ("her", Her),
    ("them", SOME),
    ("his", Word("someone's")),
    ("hers", Word("someone's")),
    ("its", Word("something's")),
    ("their", Word("some people's")),
    ("that", Pointing { alone: "something", before: "a" }),
    ("this", Pointing { alone: "something", before: "a" }),
    ("those", Pointing { alone: "some things", before: "some" }),
    ("these", Pointing { alone: "some things", before: "some" }),
    ("there", There),
    ("same", Unknown),
    ("er", JEMAND),
    ("sie", Sie),
    ("es", Word("etwas")),
    ("ihn", Word("jemanden")),
    ("ihm", Word("jemandem")),
    ("ihr", Unknown),
    ("das", Das),
    ("dies", Word("etwas")),
    ("dort", Word("irgendwo")),
    ("il", QUELQUUN),
    ("elle", QUELQUUN),
    ("ils", Word("des gens")),
    ("elles", Word("des gens")),
    ("lui", QUELQUUN),
    ("leur", Unknown),
    ("cela", Word("quelque chose")),
    ("ça", Word("quelque chose")),
    ("là", Word("quelque part")),
    ("él", ALGUIEN),
    ("ella", ALGUIEN),
    ("ellos", Word("unas personas")),
    ("ellas", Word("unas personas")),
    ("eso", Word("algo")),
    ("esto", Word("algo")),
    ("allí", Word("en algún lugar")),
];

/// What follows "that" when it stands alone.
const VERBS: &str = "is was are were has had have will would can could should must might may did does do made makes \
    means meant works worked went goes came comes happened happens sounds sounded looks looked seems seemed takes took \
    gets got needs needed helps helped hurts hurt costs cost isn wasn didn doesn won s d ll";
/// What follows "her" when it is whom and not whose.
const AFTER_WHOM: &str = "yesterday today tomorrow again there here at in on to for and but or when while because that \
    with about from by if last this next later once twice too now then before after as a an the not how what why \
    where who until since often never always";

struct FirstWord<'t> {
    text: &'t str,
    lower: String,
    span: Range<usize>,
}

/// Whether a text leans on what came before it. One that names somebody first stands on its own.
pub fn leans(text: &str) -> bool {
    let first = first_words(text);
    let is_name = |(at, word): (usize, &FirstWord<'_>)| {
        at > 0 && word.text.starts_with(char::is_uppercase) && generic(word).is_none()
    };
    let pointer = first.iter().position(|word| generic(word).is_some());
    pointer.is_some_and(|at| !first[..at].iter().enumerate().any(is_name))
}

/// What would stand for each word that points back, and where; `None` when one of them must be put by a person.
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

fn generic(word: &FirstWord<'_>) -> Option<Generic> {
    POINTERS.iter().find(|(pointer, _)| *pointer == word.lower).map(|(_, generic)| *generic)
}

impl Generic {
    /// `None` when nobody can tell, `Some(None)` when it points nowhere after all.
    fn in_place(self, rest: &str) -> Option<Option<String>> {
        let next = following(rest);
        let lower = next.map(str::to_lowercase).unwrap_or_default();
        let listed = |list: &str| lower.is_empty() || list.split_whitespace().any(|word| word == lower);
        let stands = match self {
            Word(word) => word.to_owned(),
            Her if listed(AFTER_WHOM) => "someone".to_owned(),
            Her => "someone's".to_owned(),
            Pointing { alone, .. } if listed(VERBS) => alone.to_owned(),
            Pointing { before: "a", .. } if lower.starts_with(['a', 'e', 'i', 'o', 'u']) => "an".to_owned(),
            Pointing { before, .. } => before.to_owned(),
            There if matches!(lower.as_str(), "is" | "are" | "was" | "were" | "s") => return Some(None),
            There => "somewhere".to_owned(),
            Sie if lower == "sind" || lower.ends_with("en") => "einige".to_owned(),
            Sie => "jemand".to_owned(),
            Das if next.is_some_and(|next| next.starts_with(char::is_uppercase)) => return None,
            Das => "etwas".to_owned(),
            Unknown => return None,
        };
        Some(Some(stands))
    }
}

/// "They're" becomes "some people are". Answers with the bytes of the contraction that went into it.
fn spelled_out(stands: &str, rest: &str) -> (String, usize) {
    let whole =
        |mark: &str| rest.strip_prefix(mark).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    let contracted = [("'re", "are"), ("’re", "are"), ("'ve", "have"), ("’ve", "have")];
    match contracted.iter().find(|(mark, _)| whole(mark)) {
        Some((mark, verb)) => (format!("{stands} {verb}"), mark.len()),
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
    let first = word_spans(text, Cut::Letters).take(FIRST_WORDS);
    first
        .map(|word| FirstWord { lower: word.text.to_lowercase(), text: word.text, span: word.span })
        .collect()
}

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
