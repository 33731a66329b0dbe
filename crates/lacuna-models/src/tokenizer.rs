//! Text to token ids, as BERT's uncased models were trained: clean, lower, strip accents, split, then the
//! longest known pieces of each word. The sentence model reads texts so.
//!
//! It differs from the reference on purpose in one thing: "[SEP]" and its like in a text are plain text, so
//! that nobody's memory can carry a control token into the model. Character classes follow current Unicode;
//! the reference's older tables differ on 706 rare characters.

use std::collections::HashMap;

use lacuna_types::{Error, Result};
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Longer words are unknown as a whole; real words are shorter, and the search below is quadratic in this.
const WORD_CHARS_MAX: usize = 100;

/// Marks a piece that continues a word in the vocabulary file.
const CONTINUATION: &str = "##";

pub(crate) struct Tokenizer {
    starts: HashMap<&'static str, u32>,
    continuations: HashMap<&'static str, u32>,
    unknown: u32,
}

impl Tokenizer {
    /// The vocabulary is one piece per line; a piece's id is its line.
    pub(crate) fn new(vocabulary: &'static str) -> Result<Self> {
        let mut starts = HashMap::with_capacity(vocabulary.len() / 8);
        let mut continuations = HashMap::with_capacity(vocabulary.len() / 32);
        for (id, piece) in (0..).zip(vocabulary.lines()) {
            match piece.strip_prefix(CONTINUATION) {
                Some(rest) if !rest.is_empty() => continuations.insert(rest, id),
                _ => starts.insert(piece, id),
            };
        }
        let mut tokenizer = Self { starts, continuations, unknown: 0 };
        tokenizer.unknown = tokenizer.special("[UNK]")?;
        Ok(tokenizer)
    }

    /// The id of a control token such as `[CLS]`.
    pub(crate) fn special(&self, token: &str) -> Result<u32> {
        let id = self.starts.get(token).copied();
        id.ok_or_else(|| Error::corrupt(format!("packed model: the vocabulary lacks {token}")))
    }

    /// The ids of a text, without control tokens around them.
    pub(crate) fn encode(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::with_capacity(text.len() / 4 + 1);
        for word in normalise(text).split_whitespace() {
            let mut rest = word;
            while let Some(first) = rest.chars().next() {
                let end = match rest.find(is_punctuation) {
                    Some(0) => first.len_utf8(),
                    Some(at) => at,
                    None => rest.len(),
                };
                let (token, tail) = rest.split_at(end);
                self.push_pieces(token, &mut ids);
                rest = tail;
            }
        }
        ids
    }

    /// Greedy: the longest known start, then the longest known continuations. If anything is left, the whole
    /// word is unknown.
    fn push_pieces(&self, word: &str, ids: &mut Vec<u32>) {
        if let Some(&id) = self.starts.get(word) {
            ids.push(id);
            return;
        }
        let before = ids.len();
        let mut rest = if word.chars().nth(WORD_CHARS_MAX).is_none() { word } else { "" };
        let mut known = &self.starts;
        while !rest.is_empty() {
            let Some((id, length)) = longest_prefix(known, rest) else { break };
            ids.push(id);
            rest = &rest[length..];
            known = &self.continuations;
        }
        if !rest.is_empty() || ids.len() == before {
            ids.truncate(before);
            ids.push(self.unknown);
        }
    }
}

fn longest_prefix(known: &HashMap<&str, u32>, word: &str) -> Option<(u32, usize)> {
    let ends = word.char_indices().map(|(at, first)| at + first.len_utf8());
    ends.rev().find_map(|end| known.get(&word[..end]).map(|id| (*id, end)))
}

/// Cleans, spaces ideographs apart, strips accents and lowers, in the order of the reference.
fn normalise(text: &str) -> String {
    if text.is_ascii() { normalise_ascii(text) } else { normalise_unicode(text) }
}

fn normalise_unicode(text: &str) -> String {
    let cleaned: String = text.chars().filter(|c| !is_dropped(*c)).flat_map(spaced).collect();
    cleaned.nfd().filter(|c| !is_accent(*c)).flat_map(char::to_lowercase).collect()
}

/// The same for the common case, in one pass without tables.
fn normalise_ascii(text: &str) -> String {
    let kept = text.chars().filter(|c| c.is_ascii_whitespace() || !c.is_ascii_control());
    // Vertical tab and form feed are controls to the reference, not white space.
    kept.filter(|c| *c != '\x0c').map(|c| c.to_ascii_lowercase()).collect()
}

fn is_dropped(c: char) -> bool {
    if matches!(c, '\t' | '\n' | '\r') {
        return false;
    }
    let dropped = matches!(
        c.general_category(),
        GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse
    );
    dropped || c == char::REPLACEMENT_CHARACTER
}

fn spaced(c: char) -> impl Iterator<Item = char> {
    let padding = is_ideograph(c).then_some(' ');
    let kept = if c.is_whitespace() { ' ' } else { c };
    padding.into_iter().chain([kept]).chain(padding)
}

/// Ideographs are words of their own; other scripts without spaces are cut by the vocabulary alone.
fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{4E00}'..='\u{9FFF}' | '\u{3400}'..='\u{4DBF}' | '\u{20000}'..='\u{2A6DF}'
        | '\u{2A700}'..='\u{2B73F}' | '\u{2B740}'..='\u{2B81F}' | '\u{2B920}'..='\u{2CEAF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{2F800}'..='\u{2FA1F}')
}

fn is_accent(c: char) -> bool {
    c.general_category() == GeneralCategory::NonspacingMark
}

fn is_punctuation(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_punctuation();
    }
    c.general_category_group() == GeneralCategoryGroup::Punctuation
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::packed::Packed;
    use crate::reference;

    fn minilm() -> Tokenizer {
        let packed = Packed::parse(include_bytes!("../packed/minilm.bin")).unwrap();
        Tokenizer::new(packed.text("vocabulary").unwrap()).unwrap()
    }

    #[test]
    fn ids_are_those_of_the_reference() {
        let (cases, minilm) = (reference::sentence_tokens(), minilm());
        assert!(cases.len() >= 40);
        for case in cases {
            assert_eq!(minilm.encode(&case.text), case.ids, "{:?}", case.text);
        }
    }

    #[test]
    fn the_short_way_for_ascii_is_the_long_way() {
        for byte in 0..128_u8 {
            let text = format!("A{}B", char::from(byte));
            let words = |text: String| text.split_whitespace().map(String::from).collect::<Vec<_>>();
            assert_eq!(words(normalise_ascii(&text)), words(normalise_unicode(&text)), "{byte:#x}");
        }
    }

    #[test]
    fn control_tokens_in_a_text_are_plain_text() {
        let tokenizer = minilm();
        let separator = tokenizer.special("[SEP]").unwrap();
        assert!(!tokenizer.encode("the end [SEP] of it").contains(&separator));
    }

    #[test]
    fn a_vocabulary_without_the_unknown_token_is_refused() {
        assert!(Tokenizer::new("one\ntwo").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_tokenized(text in any::<String>()) {
            let tokenizer = Tokenizer::new("[UNK]\na\n##a\n##b\n中\n.").unwrap();
            prop_assert!(tokenizer.encode(&text).len() <= text.chars().count() * 4);
        }
    }
}
