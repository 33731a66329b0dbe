//! A request as words with their places, so that what it names can be kept as it was written.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use crate::languages::words_of;
use crate::words::{Folding, fold};

/// Quotes that open, each with the one that closes it.
const QUOTES: &[(char, char)] = &[
    ('"', '"'),
    ('“', '”'),
    ('„', '“'),
    ('«', '»'),
    ('»', '«'),
    ('‘', '’'),
    ('‚', '‘'),
    ('「', '」'),
    ('\'', '\''),
];
/// Short words that are written together with the next one.
static ELISIONS: LazyLock<HashSet<&str>> = LazyLock::new(|| words_of(|rules| rules.request.elisions));
/// Words whose full stop ends no sentence.
static ABBREVIATIONS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| words_of(|rules| rules.request.abbreviations));

/// A word of a request, or a stretch in quotation marks.
pub(super) struct RequestToken {
    /// Its place in bytes.
    pub span: Range<usize>,
    /// Lower case, without accents; empty for quoted words, which are nobody's grammar.
    pub folded: String,
    /// The gap before it.
    pub gap: Gap,
}

/// The gap between a word and the one before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    Space,
    /// A comma, a dash, a bracket.
    Mark,
    /// The end of a sentence.
    Stop,
}

/// A request in tokens.
pub(super) struct RequestText<'t> {
    /// The request as it is written.
    pub text: &'t str,
    /// Its tokens.
    pub tokens: Vec<RequestToken>,
    /// True if it ends as a question does.
    pub asks: bool,
}

/// The text with every control character and line break as a space.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || c.is_whitespace() { ' ' } else { c }).collect()
}

impl<'t> RequestText<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let asks = text
            .trim_end_matches(|c: char| c.is_whitespace() || ".!\"”'".contains(c))
            .ends_with(['?', '？', '؟']);
        let mut said = Self { text, tokens: Vec::new(), asks };
        let mut at = 0;
        let mut gap = Gap::Space;
        while let Some(start) = text[at..].find(|c: char| !c.is_whitespace()).map(|found| at + found) {
            if let Some(end) = quoted(text, start) {
                let mark = text[start..].chars().next().map_or(0, char::len_utf8);
                let close = text[..end].chars().next_back().map_or(0, char::len_utf8);
                said.tokens.push(RequestToken {
                    span: start + mark..end - close,
                    folded: String::new(),
                    gap,
                });
                (at, gap) = (end, Gap::Space);
                continue;
            }
            let end = text[start..].find(char::is_whitespace).map_or(text.len(), |found| start + found);
            gap = said.push(start..end, gap);
            at = end;
        }
        said
    }

    /// Takes one run between spaces, and says what divides it from the next one.
    fn push(&mut self, run: Range<usize>, gap: Gap) -> Gap {
        let word = &self.text[run.clone()];
        let led = word.trim_start_matches(|c: char| is_edge(c) || matches!(c, '.' | '!' | '?' | ')' | ']'));
        let core =
            led.trim_end_matches(|c: char| is_edge(c) || matches!(c, '.' | '!' | '?' | ')' | ']' | '…'));
        let start = run.start + (word.len() - led.len());
        let after = &self.text[start + core.len()..run.end];
        if core.is_empty() {
            return gap.max(Gap::Mark);
        }
        let gap = if led.len() < word.len() { gap.max(Gap::Mark) } else { gap };
        let folded = fold(core, Folding::Request);
        let elided =
            ELISIONS.iter().find(|elision| folded.starts_with(**elision) && folded.len() > elision.len());
        if let Some(elision) = elided {
            let mark = core
                .find(['\'', '’'])
                .map_or(0, |at| at + core[at..].chars().next().map_or(0, char::len_utf8));
            self.tokens.push(RequestToken { span: start..start + mark, folded: (*elision).to_owned(), gap });
            let rest = folded[elision.len()..].to_owned();
            self.tokens.push(RequestToken {
                span: start + mark..start + core.len(),
                folded: rest,
                gap: Gap::Space,
            });
        } else {
            self.tokens.push(RequestToken { span: start..start + core.len(), folded, gap });
        }
        gap_after(self.tokens.last().map_or("", |token| &token.folded), after)
    }

    /// Returns true if something other than space stands before a word.
    pub(super) fn is_divided(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.gap != Gap::Space)
    }

    /// Returns true if a new sentence begins within a range.
    pub(super) fn has_stop(&self, range: Range<usize>) -> bool {
        range.skip(1).any(|at| self.tokens[at].gap == Gap::Stop)
    }

    /// Its sentences, as they were written.
    pub(super) fn sentences(&self) -> Vec<&'t str> {
        let mut starts: Vec<usize> =
            self.all().filter(|at| *at == 0 || self.tokens[*at].gap == Gap::Stop).collect();
        starts.push(self.tokens.len());
        starts.windows(2).map(|pair| self.written(pair[0]..pair[1])).collect()
    }

    pub(super) fn all(&self) -> Range<usize> {
        0..self.tokens.len()
    }

    pub(super) fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.folded.as_str())
    }

    /// The words of a range as they were written, with the bracket that closes what they open.
    pub(super) fn written(&self, range: Range<usize>) -> &'t str {
        if range.is_empty() {
            return "";
        }
        let (start, end) = (self.tokens[range.start].span.start, self.tokens[range.end - 1].span.end);
        let closes = self.text[start..end].contains('(') && self.text[end..].starts_with(')');
        &self.text[start..end + usize::from(closes)]
    }

    /// The end of a phrase that begins at a word.
    pub(super) fn phrase(&self, range: Range<usize>, phrase: &str) -> Option<usize> {
        let mut at = range.start;
        for word in phrase.split_ascii_whitespace() {
            if at >= range.end || self.word(at) != word {
                return None;
            }
            at += 1;
        }
        (at > range.start).then_some(at)
    }

    /// The end of the longest of these phrases (divided by commas) that begins at the start of a range.
    pub(super) fn longest(&self, range: Range<usize>, phrases: &str) -> Option<usize> {
        phrases.split(',').filter_map(|phrase| self.phrase(range.clone(), phrase)).max()
    }

    /// The start of the longest of these phrases that ends a range.
    pub(super) fn longest_end(&self, range: Range<usize>, phrases: &str) -> Option<usize> {
        phrases
            .split(',')
            .filter_map(|phrase| {
                let start = range.end.checked_sub(phrase.split_ascii_whitespace().count())?;
                (start >= range.start).then_some(())?;
                self.phrase(start..range.end, phrase).map(|_| start)
            })
            .min()
    }

    /// Returns true if a range is one of these phrases and nothing more.
    pub(super) fn is(&self, range: Range<usize>, phrases: &str) -> bool {
        phrases.split(',').any(|phrase| self.phrase(range.clone(), phrase) == Some(range.end))
    }
}

fn gap_after(word: &str, marks: &str) -> Gap {
    let abbreviated = word.chars().count() == 1 || ABBREVIATIONS.contains(word);
    if marks.contains(['!', '?', '。', '？', '！']) || marks.contains('.') && !abbreviated {
        Gap::Stop
    } else if marks.contains([',', ';', ':', ')', '—', '–', '，', '、']) {
        Gap::Mark
    } else {
        Gap::Space
    }
}

fn is_edge(c: char) -> bool {
    matches!(
        c,
        ',' | ';'
            | ':'
            | '"'
            | '“'
            | '”'
            | '„'
            | '«'
            | '»'
            | '‘'
            | '’'
            | '\''
            | '('
            | '['
            | '{'
            | '}'
            | '<'
            | '>'
            | '¿'
            | '¡'
            | '-'
            | '–'
            | '—'
            | '*'
            | '`'
            | '，'
            | '。'
            | '、'
            | '？'
            | '！'
    )
}

/// The end of a quotation that begins here, its marks included.
fn quoted(text: &str, start: usize) -> Option<usize> {
    let open = text[start..].chars().next()?;
    let inner = start + open.len_utf8();
    let close = QUOTES.iter().find(|(mark, _)| *mark == open)?.1;
    let mut from = inner;
    while let Some(at) = text[from..].find(close).map(|found| from + found) {
        let end = at + close.len_utf8();
        let ends = text[end..].chars().next().is_none_or(|c| !c.is_alphanumeric());
        if ends && text[inner..at].chars().any(char::is_alphanumeric) {
            return Some(end);
        }
        from = end;
    }
    None
}
