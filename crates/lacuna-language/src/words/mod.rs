//! Words: text split into pieces, folded, stemmed by language, without stop words.

mod language;
mod pieces;
mod stop;
mod terms;

pub use language::Language;
pub use terms::{
    QUERY_WORDS_MAX, QueryWord, QueryWords, TERMS_MAX, Term, TermList, query_words, stable_hash,
};

/// Languages of a vault under which a question is stemmed, the most spoken first.
pub const MAX_LANGUAGES: usize = 4;
