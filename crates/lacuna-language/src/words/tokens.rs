//! One way to cut a text into words with their places. The readers of requests, of stored terms and of entities
//! build on finer cuts of their own: quotes, scripts without spaces, gaps between words.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

/// Characters that a word is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WordChars {
    /// Letters and digits.
    Letters,
    /// Letters, digits and the marks that belong to them.
    Marks,
    /// Letters, digits and hyphens.
    Hyphens,
    /// Compounds and addresses: also `_`, `.`, `@` and apostrophes inside.
    Compounds,
    /// Everything between spaces; `@` and `#` may stand at the edges.
    Spaces,
}

impl WordChars {
    fn keeps(self, c: char) -> bool {
        match self {
            Self::Letters => c.is_alphanumeric(),
            Self::Marks => c.is_alphanumeric() || is_combining_mark(c),
            Self::Hyphens => c.is_alphanumeric() || c == '-',
            Self::Compounds => c.is_alphanumeric() || matches!(c, '-' | '_' | '\'' | '’' | '.' | '@'),
            Self::Spaces => !c.is_whitespace(),
        }
    }

    fn is_edge(self, c: char) -> bool {
        match self {
            Self::Letters | Self::Marks | Self::Hyphens => true,
            Self::Compounds => c.is_alphanumeric(),
            Self::Spaces => c.is_alphanumeric() || matches!(c, '@' | '#'),
        }
    }
}

/// A word as it is written, and its place in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct WordSpan<'t> {
    /// The word as it is written.
    pub text: &'t str,
    /// Its place in bytes.
    pub span: Range<usize>,
}

/// Cuts a text into words, in order.
pub(crate) fn word_spans(text: &str, cut: WordChars) -> impl Iterator<Item = WordSpan<'_>> {
    let mut from = 0;
    let runs = std::iter::from_fn(move || {
        let start = from + text[from..].find(|c| cut.keeps(c))?;
        let end = text[start..].find(|c| !cut.keeps(c)).map_or(text.len(), |at| start + at);
        from = end;
        Some(start..end)
    });
    runs.filter_map(move |run| {
        let led = text[run.clone()].trim_start_matches(|c| !cut.is_edge(c));
        let word = led.trim_end_matches(|c| !cut.is_edge(c));
        let start = run.end - led.len();
        (!word.is_empty()).then(|| WordSpan { text: word, span: start..start + word.len() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_decides_what_belongs_to_a_word() {
        let text = "Ask (o'brien@acme.example), «well-known» #tag…";
        for (cut, expected) in [
            (WordChars::Letters, "Ask|o|brien|acme|example|well|known|tag"),
            (WordChars::Marks, "Ask|o|brien|acme|example|well|known|tag"),
            (WordChars::Hyphens, "Ask|o|brien|acme|example|well-known|tag"),
            (WordChars::Compounds, "Ask|o'brien@acme.example|well-known|tag"),
            (WordChars::Spaces, "Ask|o'brien@acme.example|well-known|#tag"),
        ] {
            let found: Vec<WordSpan<'_>> = word_spans(text, cut).collect();
            let words: Vec<&str> = found.iter().map(|word| word.text).collect();
            assert_eq!(words.join("|"), expected, "{cut:?}");
            assert!(found.iter().all(|word| &text[word.span.clone()] == word.text));
        }
    }
}
