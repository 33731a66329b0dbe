use std::collections::BTreeMap;

use super::pieces::{WordPiece, pieces, terms};
use super::{Language, MAX_LANGUAGES};
use lacuna_types::{Error, Result};

/// Different terms that one memory is found by; a longer text is found by its first ones.
pub const TERMS_MAX: usize = 8_192;
/// Words of a question that are searched by.
pub const QUERY_WORDS_MAX: usize = 64;

const VERSION: u8 = 1;
const HEADER_BYTES: usize = 6;
const TERM_BYTES: usize = 9;

/// A stem as a 64-bit hash that stays the same for ever, because it is stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term(pub u64);

impl Term {
    /// The term of a stem.
    pub fn of(stem: &str) -> Self {
        Self(stable_hash(stem.as_bytes()))
    }
}

/// FNV-1a with a final mix, so that all bits depend on all bytes. Frozen: stored terms and tags rely on it.
pub fn stable_hash(bytes: &[u8]) -> u64 {
    let fnv = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let mixed = (fnv ^ (fnv >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The words of one memory, made once when it is written and sealed with it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TermList {
    language: Language,
    /// The number of words of the text, stop words aside.
    length: u32,
    /// In rising order.
    counts: Box<[(Term, u8)]>,
}

impl TermList {
    /// The terms of a text, in its detected language or, when it is too short to tell, in the hinted one.
    pub fn of(text: &str, hint: Option<Language>) -> Self {
        Self::in_language(text, Language::detect(text, hint))
    }

    /// The terms of a text whose language is known.
    pub(crate) fn in_language(text: &str, language: Language) -> Self {
        let pieces = pieces(text);
        let (mut length, mut counts) = (0u32, BTreeMap::new());
        for (piece, term) in pieces.iter().zip(terms(&pieces, language)) {
            let Some(term) = term else { continue };
            if counts.len() >= TERMS_MAX && !counts.contains_key(&term) {
                continue;
            }
            let count: &mut u8 = counts.entry(term).or_default();
            *count = count.saturating_add(1);
            // Single characters repeat what the pairs say; they add no length.
            length = length.saturating_add(u32::from(!matches!(piece, WordPiece::Single(_))));
        }
        Self { language, length, counts: counts.into_iter().collect() }
    }

    /// The language of the text.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Number of words in the text, stop words aside.
    pub fn length(&self) -> u32 {
        self.length
    }

    /// Number of different terms.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Returns true when there is no term.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The hashes of the terms, rising.
    pub fn hashes(&self) -> impl Iterator<Item = u64> {
        self.counts.iter().map(|(term, _)| term.0)
    }

    /// The terms with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (Term, u8)> {
        self.counts.iter().copied()
    }

    /// Version, language, length, then each term with its count in rising order: the bytes that are sealed.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES + TERM_BYTES * self.counts.len());
        bytes.extend([VERSION, self.language.code()]);
        bytes.extend(self.length.to_le_bytes());
        for (term, count) in self.iter() {
            bytes.extend(term.0.to_le_bytes());
            bytes.push(count);
        }
        bytes
    }

    /// Reads the bytes that [`Self::to_bytes`] writes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::parse(bytes).ok_or_else(|| Error::corrupt("the words of a memory do not parse"))
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let (&[version, language, length @ ..], terms) = bytes.split_first_chunk::<HEADER_BYTES>()?;
        let (terms, rest) = terms.as_chunks::<TERM_BYTES>();
        let count = |&[term @ .., count]: &[u8; TERM_BYTES]| (Term(u64::from_le_bytes(term)), count);
        let counts: Box<[(Term, u8)]> = terms.iter().map(count).collect();
        let sound = version == VERSION
            && rest.is_empty()
            && counts.len() <= TERMS_MAX
            && counts.iter().all(|&(_, count)| count > 0)
            && counts.is_sorted_by(|(a, _), (b, _)| a < b);
        let language = Language::from_code(language)?;
        sound.then(|| Self { language, length: u32::from_le_bytes(length), counts })
    }
}

/// One word of a question, with the terms by which the languages of a vault may know it.
pub struct QueryWord {
    /// The word as it is written.
    pub text: String,
    /// Its terms, one for each language.
    pub alternatives: Vec<Term>,
    /// One of the languages passes over this word.
    pub is_stop_word: bool,
}

/// The words of a question.
pub struct QueryWords {
    /// The words, in the order of the question.
    pub words: Vec<QueryWord>,
    /// Nothing was left out: the question is not a sentence but a name, a number, a few keywords.
    pub keywords_only: bool,
}

/// The words of a question as texts of these languages would say them. A word that all of them pass over is
/// left out, and one that is said twice counts once.
pub fn query_words(text: &str, languages: &[Language]) -> QueryWords {
    let pieces = pieces(text);
    let mut words: Vec<QueryWord> = Vec::new();
    let mut keywords_only = true;
    let by_language: Vec<_> =
        languages.iter().take(MAX_LANGUAGES).map(|&language| terms(&pieces, language)).collect();
    for (at, piece) in pieces.iter().enumerate() {
        let text = match piece {
            WordPiece::Word(text) | WordPiece::Pair(text) => text,
            WordPiece::Single(_) => continue,
        };
        let mut alternatives: Vec<Term> = by_language.iter().filter_map(|terms| terms[at]).collect();
        alternatives.sort_unstable();
        alternatives.dedup();
        keywords_only &= !alternatives.is_empty();
        let known = alternatives.is_empty() || words.iter().any(|word| word.alternatives == alternatives);
        if !known && words.len() < QUERY_WORDS_MAX {
            let is_stop_word = by_language.iter().any(|terms| terms[at].is_none());
            words.push(QueryWord { text: text.clone(), alternatives, is_stop_word });
        }
    }
    QueryWords { words, keywords_only }
}
