//! Traits of a text that the ranking of a conversation asks for, read once when a memory enters the index.

use lacuna_language::request::tells_time;
use lacuna_language::words::{TermList, stable_hash};

/// Words of a speaker's name that are kept.
const NAME_WORDS_MAX: usize = 2;
/// Bytes before the colon within which a text names its speaker.
const NAME_BYTES_MAX: usize = 40;

/// The speaker of a text and the form in which it is said.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Utterance {
    /// Hashes of the words of the speaker's name; zero where there is none.
    speaker: [u64; NAME_WORDS_MAX],
    /// True when the text ends as a question does.
    pub(crate) asks: bool,
    /// True when the text tells a time: a day, a month, "yesterday".
    pub(crate) tells_time: bool,
}

impl Utterance {
    /// Reads a text and its terms. The speaker is the name before a colon at its beginning: "Ida: I moved."
    pub fn of(text: &str, terms: &TermList) -> Self {
        let mut speaker = [0; NAME_WORDS_MAX];
        for (place, word) in speaker.iter_mut().zip(name_words(text)) {
            *place = name_hash(word);
        }
        let asks = text
            .trim_end_matches(|c: char| c.is_whitespace() || ".!\"”')".contains(c))
            .ends_with(['?', '？', '؟']);
        Self { speaker, asks, tells_time: tells_time(terms) }
    }

    /// Returns true when the text names its speaker.
    pub(crate) fn has_speaker(&self) -> bool {
        self.speaker[0] != 0
    }

    /// Returns true when one of these hashed words is of the speaker's name.
    pub(crate) fn is_said_by(&self, names: &[u64]) -> bool {
        self.speaker.iter().any(|word| *word != 0 && names.contains(word))
    }
}

/// Hashes a word as speakers' names are hashed.
pub(crate) fn name_hash(word: &str) -> u64 {
    stable_hash(word.to_lowercase().as_bytes())
}

fn name_words(text: &str) -> impl Iterator<Item = &str> {
    let head = &text[..text.floor_char_boundary(NAME_BYTES_MAX)];
    let name = head.split_once(": ").map_or("", |(name, _)| name);
    let is_name = !name.contains(|c: char| !c.is_alphabetic() && !matches!(c, ' ' | '-' | '\'' | '.'));
    name.split_whitespace().filter(move |_| is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Utterance {
        Utterance::of(text, &TermList::of(text, None))
    }

    #[test]
    fn a_name_before_a_colon_speaks() {
        let by = |text: &str, name: &str| read(text).is_said_by(&[name_hash(name)]);
        assert!(by("Ida: I moved to Porto.", "ida"));
        assert!(by("Ida Larsen: I moved to Porto.", "larsen"));
        assert!(by("Иван: Привет!", "иван"));
        for text in ["I moved to Porto.", "at 10:30 we met", "https://example.com: a page", "", ": ", "Ida:"]
        {
            assert!(!read(text).has_speaker(), "{text}");
        }
    }

    #[test]
    fn questions_and_times_are_told() {
        assert!(read("Ida: Where were you?").asks && read("東京ですか？").asks);
        assert!(!read("Ida: I was out.").asks);
        assert!(read("Ida: We met yesterday.").tells_time && !read("Ida: We met.").tells_time);
    }
}
