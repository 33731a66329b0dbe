//! Text to the ids of its pieces, as SentencePiece's unigram models were trained: characters are mapped to their
//! plain forms, spaces become a character of their own, and the most likely pieces that make up the text are
//! taken. Everything is looked up in the packed file; nothing is built at the start.
//!
//! The names of control tokens in a text ("</s>") are plain text, so that nobody's memory can carry a control token
//! into the model. So are the names of three spare tokens, which the reference reads as tokens.

use lacuna_types::Result;

use crate::packed::double_array::DoubleArray;
use crate::packed::{Packed, damaged};

/// The id of whatever no piece covers.
const UNKNOWN: u32 = 0;
/// Stands before each word in place of the space.
const WORD_START: &str = "\u{2581}";
/// An unknown character is so much less likely than the least likely piece.
const UNKNOWN_PENALTY: f32 = 10.0;

pub(crate) struct PieceTokenizer<'a> {
    /// From the bytes of a character, or of several, to the place of their plain form in `plain_forms`.
    characters: DoubleArray<'a>,
    /// Plain forms, each ended by a zero byte.
    plain_forms: &'a [u8],
    pieces: DoubleArray<'a>,
    /// Logarithm of the likelihood of each piece.
    scores: &'a [[u8; size_of::<f32>()]],
    unknown_score: f32,
    word_start: u32,
}

impl<'a> PieceTokenizer<'a> {
    pub(crate) fn new(packed: &Packed<'a>) -> Result<Self> {
        let pieces = DoubleArray::new(packed.bytes("pieces")?)?;
        let word_start =
            pieces.prefixes(WORD_START.as_bytes()).find(|(length, _)| *length == WORD_START.len());
        let word_start = word_start.ok_or_else(|| damaged("the vocabulary lacks the start of a word"))?.1;
        let least = packed.floats("least_score", 1, 1)?[0];
        Ok(Self {
            characters: DoubleArray::new(packed.bytes("characters")?)?,
            plain_forms: packed.bytes("plain_forms")?,
            pieces,
            scores: packed.bytes("scores")?.as_chunks().0,
            unknown_score: least - UNKNOWN_PENALTY,
            word_start,
        })
    }

    /// The number of ids.
    pub(crate) fn size(&self) -> usize {
        self.scores.len()
    }

    /// The ids of a text, without control tokens around them.
    pub(crate) fn encode(&self, text: &str) -> Vec<u32> {
        self.segment(&self.normalise(text))
    }

    /// `true` if `ids` hold more than unknown characters and spaces.
    pub(crate) fn knows_any(&self, ids: &[u32]) -> bool {
        ids.iter().any(|id| *id != UNKNOWN && *id != self.word_start)
    }

    /// Maps characters to their plain forms, and every run of spaces to one [`WORD_START`]; one stands in front.
    fn normalise(&self, text: &str) -> String {
        let mut plain = String::with_capacity(text.len() + text.len() / 2);
        let mut rest = text;
        let mut after_space = true;
        while let Some((form, length)) = self.plain_prefix(rest) {
            rest = &rest[length..];
            for character in form.chars() {
                if character != ' ' {
                    if after_space {
                        plain.push_str(WORD_START);
                    }
                    plain.push(character);
                }
                after_space = character == ' ';
            }
        }
        plain
    }

    /// The plain form of the longest run of characters at the front that has one, else the first character itself,
    /// and how many bytes of the text it stands for. `None` at the end.
    fn plain_prefix<'t>(&'t self, text: &'t str) -> Option<(&'t str, usize)> {
        let first = text.chars().next()?;
        // Letters of English are their own plain form, unless a mark follows that they combine with.
        let next_is_plain = text.as_bytes().get(1).is_none_or(u8::is_ascii);
        if first.is_ascii_graphic() && next_is_plain {
            return Some((&text[..1], 1));
        }
        let longest = self.characters.prefixes(text.as_bytes()).last();
        let mapped = longest.and_then(|(length, at)| {
            let form = self.plain_forms.get(at as usize..)?.split(|byte| *byte == 0).next()?;
            text.is_char_boundary(length).then_some((std::str::from_utf8(form).ok()?, length))
        });
        Some(mapped.unwrap_or((&text[..first.len_utf8()], first.len_utf8())))
    }

    /// The most likely division into pieces. Unknown characters that follow each other are one unknown piece.
    fn segment(&self, plain: &str) -> Vec<u32> {
        let mut best = vec![PieceEnd { score: f32::NEG_INFINITY, start: 0, id: UNKNOWN }; plain.len() + 1];
        best[0].score = 0.0;
        for (start, character) in plain.char_indices() {
            let (base, single) = (best[start].score, start + character.len_utf8());
            let mut has_single = false;
            for (length, id) in self.pieces.prefixes(&plain.as_bytes()[start..]) {
                has_single |= start + length == single;
                best[start + length].offer(PieceEnd { score: base + self.score(id), start, id });
            }
            if !has_single {
                best[single].offer(PieceEnd { score: base + self.unknown_score, start, id: UNKNOWN });
            }
        }
        let mut ids = Vec::with_capacity(plain.len() / 3 + 1);
        let mut end = plain.len();
        while end > 0 {
            let PieceEnd { start, id, .. } = best[end];
            if id != UNKNOWN || ids.last() != Some(&UNKNOWN) {
                ids.push(id);
            }
            end = start;
        }
        ids.reverse();
        ids
    }

    fn score(&self, id: u32) -> f32 {
        self.scores.get(id as usize).map_or(f32::NEG_INFINITY, |score| f32::from_le_bytes(*score))
    }
}

/// The best known way to end at one place of the text: by this piece, which starts there.
#[derive(Clone, Copy)]
struct PieceEnd {
    score: f32,
    start: usize,
    id: u32,
}

impl PieceEnd {
    fn offer(&mut self, other: Self) {
        if other.score > self.score {
            *self = other;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::reference;

    fn tokenizer() -> PieceTokenizer<'static> {
        PieceTokenizer::new(&Packed::parse(include_bytes!("../packed/use-multilingual.bin")).unwrap())
            .unwrap()
    }

    #[test]
    fn ids_are_those_of_the_reference() {
        let (cases, tokenizer) = (reference::static_tokens(), tokenizer());
        assert!(cases.len() >= 90);
        for case in cases {
            assert_eq!(tokenizer.encode(&case.text), case.ids, "{:?}", case.text);
        }
    }

    #[test]
    fn control_tokens_in_a_text_are_plain_text() {
        let ids = tokenizer().encode("</s> <s> <unk> extra_token_id_1");
        assert!(ids.iter().all(|id| *id > 5), "{ids:?}");
    }

    #[test]
    fn a_text_is_known_by_one_piece() {
        let tokenizer = tokenizer();
        for (text, known) in
            [("", false), (" ", false), ("\u{1F600} \u{1F44D}", false), ("\u{1F600}a", true), ("水", true)]
        {
            assert_eq!(tokenizer.knows_any(&tokenizer.encode(text)), known, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_tokenized(texts in prop::collection::vec(any::<String>(), 20)) {
            let tokenizer = tokenizer();
            for text in texts {
                let ids = tokenizer.encode(&text);
                prop_assert!(ids.iter().all(|id| (*id as usize) < tokenizer.size()));
                // A character has at most eighteen plain characters, and each word one more in front.
                prop_assert!(ids.len() <= text.chars().count() * 19);
            }
        }
    }
}
