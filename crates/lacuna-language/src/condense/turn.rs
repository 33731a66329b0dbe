//! A turn as compaction reads it: who speaks, and in which words.

use zeroize::Zeroizing;

use crate::words::TermList;
use lacuna_types::*;

/// A name before a colon is a speaker's if it is not longer than this, in characters and in words.
const SPEAKER_CHARS_MAX: usize = 40;
const SPEAKER_WORDS_MAX: usize = 3;

/// The speaker of a turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Speaker {
    /// The turn itself says who: "Ana: …".
    Named(String),
    /// The owner of the vault.
    User,
    Assistant,
    Tool,
}

impl Speaker {
    /// The words that say who speaks.
    pub fn label(&self) -> &str {
        match self {
            Self::Named(name) => name,
            Self::User => "User",
            Self::Assistant => "Assistant",
            Self::Tool => "Tool",
        }
    }

    /// Returns the words that open what they said in a summary. A bare "Assistant:" at the start of a text would be
    /// taken for a forged role, and be changed by the gate.
    pub(super) fn told_as(&self) -> &str {
        match self {
            Self::Named(name) => name,
            Self::User => "The user",
            Self::Assistant => "The assistant",
            Self::Tool => "A tool",
        }
    }

    /// Returns true if what they say of themselves is said by a person. What an assistant or a page says is not.
    pub fn is_person(&self) -> bool {
        matches!(self, Self::Named(_) | Self::User)
    }
}

/// One turn of a conversation, opened.
pub struct Turn {
    /// The speaker.
    pub speaker: Speaker,
    /// All of it, as it is stored.
    text: Zeroizing<String>,
    /// The start of the words, after the speaker's name.
    starts: usize,
    /// By how many words it is found, and by which.
    pub terms: TermList,
    /// The turn's vector, where there is one.
    pub vector: Option<Vec<f32>>,
}

impl Turn {
    /// Reads a turn; its speaker comes from the source, or from a name at the start of the text.
    pub fn new(text: impl Into<Zeroizing<String>>, source: &Source) -> Self {
        let text = text.into();
        let (speaker, starts) = match (source.kind, named_speaker(&text)) {
            (SourceType::ToolOutput, _) => (Speaker::Tool, 0),
            (SourceType::AiInference, _) => (Speaker::Assistant, 0),
            (_, Some((name, starts))) => (Speaker::Named(name.to_owned()), starts),
            (_, None) => (Speaker::User, 0),
        };
        let terms = TermList::of(&text[starts..], None);
        Self { speaker, text, starts, terms, vector: None }
    }

    /// Returns the words of the turn without the name of the speaker.
    pub fn words(&self) -> &str {
        &self.text[self.starts..]
    }

    /// The whole text, with the speaker's name.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The name that a text begins with, if it is written as a script is: "Ana Lund: I am back."
fn named_speaker(text: &str) -> Option<(&str, usize)> {
    let (name, rest) = text.split_once(": ")?;
    let fits = name.chars().count() <= SPEAKER_CHARS_MAX
        && name.split(' ').count() <= SPEAKER_WORDS_MAX
        && name.split(' ').all(is_name_part);
    (fits && !rest.trim().is_empty()).then_some((name, name.len() + 2))
}

fn is_name_part(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() && !first.is_lowercase())
        && letters.all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’' | '.'))
}

#[cfg(test)]
pub(super) fn said(text: &str) -> Turn {
    Turn::new(text.to_owned(), &Source::new(SourceType::UserMessage, Trust::High))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speaker_is_named_by_the_turn_or_follows_from_where_it_comes_from() {
        let speaker = |text: &str| said(text).speaker;
        let named = |name: &str| Speaker::Named(name.to_owned());
        assert_eq!(speaker("Ana: I am back."), named("Ana"));
        assert_eq!(speaker("Ana-María O'Neil: hello"), named("Ana-María O'Neil"));
        assert_eq!(speaker("I said: leave it."), Speaker::User);
        assert_eq!(speaker("The plan for the coming week: rest"), Speaker::User);
        assert_eq!(speaker("https://example.org is down"), Speaker::User);
        let reply = Source::new(SourceType::AiInference, Trust::Low);
        assert_eq!(Turn::new("Here is the list.".to_owned(), &reply).speaker, Speaker::Assistant);
        let page = Source::new(SourceType::ToolOutput, Trust::Low);
        assert_eq!(Turn::new("Ana: not a person".to_owned(), &page).speaker, Speaker::Tool);
        assert_eq!(Turn::new("Note: not a person".to_owned(), &reply).speaker, Speaker::Assistant);
        assert_eq!(said("Ana: I am back.").words(), "I am back.");
    }
}
