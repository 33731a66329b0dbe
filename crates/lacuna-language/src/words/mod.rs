//! Words: text split into pieces, folded, stemmed by language, without stop words.

mod base64;
mod fold;
mod pieces;
mod stop;
mod terms;
mod tokens;

pub use crate::languages::Language;
pub(crate) use base64::from_base64;
pub(crate) use fold::{Folding, fold};
pub use stop::language_of_question;
pub use terms::{
    QUERY_WORDS_MAX, QueryWord, QueryWords, TERMS_MAX, Term, TermList, query_words, stable_hash,
};
pub(crate) use tokens::{WordChars, WordSpan, word_spans};

/// Languages of a vault under which a question is stemmed, the most spoken first.
pub const MAX_LANGUAGES: usize = 4;
