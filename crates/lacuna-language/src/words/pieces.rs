//! From text to the terms it is found by: segmented, folded, stemmed by language, without stop words.

use unicode_segmentation::UnicodeSegmentation;

use super::stop::is_stop_word;
use super::{Folding, Language, Term, fold};

/// A word longer than this is not a word that somebody will type; its beginning stands for it.
const WORD_CHARS_MAX: usize = 64;

/// One piece of text that can match on its own: a word, or in scripts without spaces a pair of characters.
pub(super) enum WordPiece {
    /// Lower case, accents still in place: stemmers need them.
    Word(String),
    /// Two neighbouring characters, or one that stands alone.
    Pair(String),
    /// One character of a longer run, so that a question of a single character finds it.
    Single(char),
}

/// Splits a text into pieces, in order.
pub(super) fn pieces(text: &str) -> Vec<WordPiece> {
    let text = fold(text, Folding::Case);
    let mut pieces = Vec::new();
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let unspaced = is_unspaced(first);
        let end = rest.find(|c| is_unspaced(c) != unspaced).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        if unspaced {
            push_pairs(run, &mut pieces)
        } else {
            push_words(run, &mut pieces)
        }
        rest = after;
    }
    pieces
}

fn push_words(run: &str, pieces: &mut Vec<WordPiece>) {
    // Apostrophes divide: what they cut off (l', 's, n't) is a stop word in its language.
    let words = run.unicode_words().flat_map(|word| word.split(['\'', '’']));
    let words = words.filter(|word| !word.is_empty());
    pieces.extend(words.map(|word| WordPiece::Word(word.chars().take(WORD_CHARS_MAX).collect())));
}

fn push_pairs(run: &str, pieces: &mut Vec<WordPiece>) {
    let chars: Vec<char> = run.chars().collect();
    if let [only] = chars[..] {
        return pieces.push(WordPiece::Pair(only.to_string()));
    }
    pieces.extend(chars.windows(2).map(|pair| WordPiece::Pair(pair.iter().collect())));
    pieces.extend(chars.iter().copied().filter(|&c| is_ideograph(c)).map(WordPiece::Single));
}

/// Characters of scripts that put no space between words, or, as Hangul, glue particles to them.
fn is_unspaced(c: char) -> bool {
    is_ideograph(c)
        || matches!(c,
            '\u{0e01}'..='\u{0e4e}' | '\u{0e81}'..='\u{0ecd}' | '\u{1780}'..='\u{17d3}'
            | '\u{1000}'..='\u{103f}' | '\u{3041}'..='\u{309f}' | '\u{30a1}'..='\u{30ff}'
            | '\u{31f0}'..='\u{31ff}' | '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7a3}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{3005}'..='\u{3007}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// The term of each piece as a text of this language says it; `None` for what is not searched by.
pub(super) fn terms(pieces: &[WordPiece], language: Language) -> Vec<Option<Term>> {
    let words: Vec<String> = pieces
        .iter()
        .map(|piece| match piece {
            WordPiece::Word(word) if !is_stop_word(language, word) => word.clone(),
            _ => String::new(),
        })
        .collect();
    let stems = language.stem(&words);
    let term = |(piece, stem): (&WordPiece, String)| match piece {
        WordPiece::Word(_) => {
            Some(fold(&stem, Folding::Stem)).filter(|stem| !stem.is_empty()).map(|stem| Term::of(&stem))
        }
        WordPiece::Pair(pair) => Some(Term::of(pair)),
        WordPiece::Single(single) => Some(Term::of(single.encode_utf8(&mut [0; 4]))),
    };
    pieces.iter().zip(stems).map(term).collect()
}
