//! The plain form of a text, in which rules are short: words in lower case without accents, and the few
//! signs that say where a sentence begins.

use std::ops::Range;
use std::sync::LazyLock;

use unicode_normalization::char::is_combining_mark;

use crate::compiled::{self, ScreenedRegex};
use crate::words::{Folding, fold};

/// Words and signs, one space apart, and where each of them stood.
pub(super) struct Plain {
    /// The words and signs.
    pub text: String,
    /// The start of each token in `text`, and its place in the text that was read.
    tokens: Vec<(usize, Range<usize>)>,
}

/// Stretches that are one token whatever they hold: the shape matters to the rules, not its words.
static SHAPES: LazyLock<Vec<(&str, ScreenedRegex)>> = LazyLock::new(|| {
    [
        ("<role>", super::super::sanitise::ROLE_TOKENS),
        ("<fence>", FENCES),
        ("<mail>", r"[\w.+-]+@[\w-]+\.[\w.-]+"),
        ("<web>", WEB_ADDRESSES),
    ]
    .into_iter()
    .filter_map(|(name, pattern)| Some((name, compiled::regex(pattern).ok()?)))
    .collect()
});

const WEB_ADDRESSES: &str = concat!(
    r#"(?i)(?:https?://|www\.)[^\s<>"')]+"#,
    r"|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|xyz|example|de|info|co|ai|app|dev|ru|cn|site|online|link)\b",
);

/// A line that pretends to end one part of a prompt and to begin another, or that pushes text out of sight.
const FENCES: &str = concat!(
    r"(?i)[%#=*_~-]{3,} *(?:end|begin|start)(?: of)?(?: the)? ",
    r"(?:user|document|context|system|prompt|instructions?|e-?mail|data|input|output|text|conversation)",
    r"[^\n]{0,30}?[%#=*_~-]{3,}|(?:\\ ?n\s*){6,}",
);

pub(super) fn plain(text: &str) -> Plain {
    let mut plain = Plain { text: String::with_capacity(text.len() + 8), tokens: Vec::new() };
    plain.sign('.', 0..0);
    let mut last = 0;
    for (span, name) in shapes(text) {
        if span.start >= last {
            plain.read(text, last..span.start);
            last = span.end;
            plain.push(name, span);
        }
    }
    plain.read(text, last..text.len());
    plain.text.push(' ');
    plain
}

fn shapes(text: &str) -> Vec<(Range<usize>, &'static str)> {
    let mut found: Vec<_> = SHAPES
        .iter()
        .flat_map(|(name, shape)| shape.find_iter(text).map(move |found| (found.range(), *name)))
        .collect();
    found.sort_by_key(|(span, _)| span.start);
    found
}

impl Plain {
    /// The place in the text that was read of a stretch of the plain form.
    pub(super) fn span(&self, range: Range<usize>) -> Range<usize> {
        let first = self.tokens.partition_point(|(at, _)| *at <= range.start).saturating_sub(1);
        let after = self.tokens.partition_point(|(at, _)| *at < range.end).max(first + 1);
        let covered = &self.tokens[first..after.min(self.tokens.len())];
        match (covered.first(), covered.last()) {
            (Some((_, first)), Some((_, last))) => first.start..last.end.max(first.start),
            _ => 0..0,
        }
    }

    fn push(&mut self, token: &str, span: Range<usize>) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.tokens.push((self.text.len(), span));
        self.text.push_str(token);
    }

    /// Signs in a row are one: a question wins over an end.
    fn sign(&mut self, sign: char, span: Range<usize>) {
        if !self.text.ends_with(['.', '?', ':']) {
            self.push(sign.encode_utf8(&mut [0; 4]), span);
        } else if sign == '?' {
            self.text.pop();
            self.text.push(sign);
        }
    }

    fn read(&mut self, text: &str, part: Range<usize>) {
        let mut at = part.start;
        while at < part.end {
            let rest = &text[at..part.end];
            let len = word_len(rest);
            if len > 0 {
                let word = fold(&rest[..len], Folding::Order);
                if !word.is_empty() {
                    self.push(&word, at..at + len);
                }
                at += len;
            } else {
                at += self.read_sign(rest, at);
            }
        }
    }

    fn read_sign(&mut self, rest: &str, at: usize) -> usize {
        // A line break that was written out, as in a quoted string.
        if let Some(escape) = ["\\n", "\\ n"].into_iter().find(|escape| rest.starts_with(escape)) {
            self.sign('.', at..at + escape.len());
            return escape.len();
        }
        let mut chars = rest.chars();
        let Some(c) = chars.next() else { return 1 };
        // An end inside a quotation does not end the sentence around it.
        let quoted = chars.next().is_some_and(|next| matches!(next, '"' | '”' | '»'));
        match c {
            '.' | '!' | '?' if quoted => {}
            '.' | '!' | ';' | '\n' | '。' | '！' => self.sign('.', at..at + c.len_utf8()),
            '?' | '？' => self.sign('?', at..at + c.len_utf8()),
            ':' | '：' => self.sign(':', at..at + c.len_utf8()),
            _ => {}
        }
        c.len_utf8()
    }
}

fn word_len(text: &str) -> usize {
    text.char_indices().find(|(_, c)| !in_word(*c)).map_or(text.len(), |(at, _)| at)
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '\'' | '’') || (!c.is_ascii() && is_combining_mark(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plain_form_keeps_words_and_sentence_signs() {
        let cases = [
            ("Don't stop, Ana!  Why?!", ". dont stop ana . why ? "),
            ("Grüße:\n\nmañana; ok…", ". grusse : manana . ok "),
            ("Say \"Buy now!\" loudly", ". say buy now loudly "),
            ("see www.acme.example/x or a@b.example", ". see <web> or <mail> "),
            ("one\\nTwo", ". one . two "),
            ("", ". "),
        ];
        for (text, expected) in cases {
            assert_eq!(plain(text).text, expected);
        }
    }

    #[test]
    fn spans_lead_back() {
        let text = "Hi! Don't, please, STOP now.";
        let plain = plain(text);
        let at = plain.text.find("please stop").unwrap();
        assert_eq!(&text[plain.span(at..at + 11)], "please, STOP");
    }
}
