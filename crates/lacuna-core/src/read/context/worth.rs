//! Memories that are worth their tokens: no small talk, no bare questions, no listings of tools, and nothing twice.

use lacuna_types::{ContentType, SourceType};

use crate::index::Stored;
use crate::vault::open::Held;

/// Distinct words of a turn, stop words aside, below which it may be small talk and has to fit as a fact does.
const TURN_TERMS_MIN: usize = 4;
/// Two memories say the same when they share so many words, and so large a share of the shorter one's.
const SHARED_TERMS_MIN: usize = 3;
const SHARED_SHARE_MIN: f32 = 0.6;

/// Returns true for a turn that helps no later turn: a bare question, a short exclamation, the output of a tool, a page.
pub(crate) fn is_filler(stored: &Stored<'_, Held>) -> bool {
    let Held { facets, .. } = stored.payload;
    // The exit is loud because the text is only looked at here: nothing of it is kept.
    let text = || stored.payload.full_text().expose();
    facets.content_type == ContentType::Transcript
        && (facets.source.kind == SourceType::ToolOutput
            || facets.source.from_external_content
            || asks_only(text())
            || is_short(stored) && exclaims_only(text()))
}

/// Returns true for a turn of so few words that it may be small talk.
pub(crate) fn is_short(stored: &Stored<'_, Held>) -> bool {
    stored.payload.facets.content_type == ContentType::Transcript && stored.terms.len() < TURN_TERMS_MIN
}

/// Returns true when every sentence of a text is a question.
fn asks_only(text: &str) -> bool {
    every_sentence_ends_with(text, &['?', '？', '؟', '¿'])
}

/// Returns true when every sentence of a text is an exclamation.
fn exclaims_only(text: &str) -> bool {
    every_sentence_ends_with(text, &['!', '！'])
}

fn every_sentence_ends_with(text: &str, marks: &[char]) -> bool {
    let mut sentences = sentences(text).peekable();
    sentences.peek().is_some() && sentences.all(|sentence| sentence.ends_with(marks))
}

/// Cuts behind a mark that ends a sentence. A point inside a word or a number ends none.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text.trim();
    std::iter::from_fn(move || {
        let ends = |&(at, mark): &(usize, char)| {
            let after = rest[at + mark.len_utf8()..].chars().next();
            match mark {
                '.' | '!' | '?' | '؟' => after.is_none_or(char::is_whitespace),
                '。' | '！' | '？' | '\n' => true,
                _ => false,
            }
        };
        let end = rest.char_indices().find(ends).map_or(rest.len(), |(at, mark)| at + mark.len_utf8());
        let (sentence, after) = rest.split_at(end);
        rest = after.trim_start();
        (!sentence.is_empty()).then(|| sentence.trim_end())
    })
}

/// Returns true when two memories say the same in different forms: one was made of the other as a statement, or they
/// share most words and no number tells them apart.
pub(crate) fn is_repeat(one: &Stored<'_, Held>, other: &Stored<'_, Held>) -> bool {
    states(one, other)
        || states(other, one)
        || form(one) != form(other)
            && shares_words(one.terms, other.terms)
            && !differs_in_numbers(one.payload.full_text().expose(), other.payload.full_text().expose())
}

/// Returns true when both texts have numbers, and none in common.
fn differs_in_numbers(one: &str, other: &str) -> bool {
    let (one, other): (Vec<&str>, Vec<&str>) = (numbers(one).collect(), numbers(other).collect());
    !one.is_empty() && !other.is_empty() && !one.iter().any(|number| other.contains(number))
}

fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty())
}

/// A summary is made of much more than one turn, so that only a statement repeats its source.
fn states(made: &Stored<'_, Held>, source: &Stored<'_, Held>) -> bool {
    let facets = &made.payload.facets;
    facets.content_type != ContentType::Summary
        && facets.derived_from.iter().any(|lineage| lineage.source == source.id)
}

fn shares_words(one: &[u32], other: &[u32]) -> bool {
    let (shorter, longer) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let shared = shorter.iter().filter(|term| longer.contains(term)).count();
    shared >= SHARED_TERMS_MIN && shared as f32 >= SHARED_SHARE_MIN * shorter.len() as f32
}

/// The better form of the same: a statement before a summary before the turn in which it was said. A note that
/// nobody confirmed stands behind every statement.
pub(crate) fn form(stored: &Stored<'_, Held>) -> u8 {
    let facets = &stored.payload.facets;
    match facets.content_type {
        _ if facets.is_note() => 0,
        ContentType::Fact | ContentType::Preference | ContentType::Pattern => 2,
        ContentType::Summary => 1,
        ContentType::Transcript => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_of_questions_are_bare_questions() {
        let cases = [
            ("Did you get there in time?", true),
            ("Anna: Wie war es? Und wo?", true),
            ("¿Dónde está la llave?", true),
            ("哪里有茶？", true),
            ("Is 3.5 enough? I need to know by noon.", false),
            ("The key is with Jonas.", false),
            ("Why? Because it rained", false),
            ("", false),
        ];
        for (text, expected) in cases {
            assert_eq!(asks_only(text), expected, "{text}");
        }
    }

    #[test]
    fn only_texts_of_exclamations_exclaim() {
        let cases =
            [("Haha, nice!", true), ("太好了！", true), ("Good! I live in Graz.", false), ("", false)];
        for (text, expected) in cases {
            assert_eq!(exclaims_only(text), expected, "{text}");
        }
    }

    #[test]
    fn the_same_words_are_a_repeat_and_a_shared_name_or_another_number_is_not() {
        assert!(shares_words(&[1, 2, 3, 4], &[4, 3, 2, 9, 8, 7]));
        assert!(!shares_words(&[1, 2], &[1, 2]), "too few to tell");
        assert!(!shares_words(&[1, 2, 3, 4, 5, 6], &[1, 2, 3, 7, 8, 9]));
        assert!(differs_in_numbers("Shelf 2 holds jam.", "Shelf 12 holds jam."));
        assert!(!differs_in_numbers("Shelf 2 holds jam.", "On shelf 2, since 2024"));
        assert!(!differs_in_numbers("Shelf 2 holds jam.", "The shelf holds jam."));
    }
}
