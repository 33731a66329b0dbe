//! A text as words in which names can be looked for.

use std::ops::Range;

use super::fold;
use super::script::{self, NameScript};
use crate::classify;

/// A word of a text, as it is written.
pub(super) struct TextWord<'t> {
    /// The word as it is written.
    pub text: &'t str,
    /// The word in lower case, without accents.
    pub folded: String,
    /// Its script.
    pub script: NameScript,
    /// True for the first word of a sentence.
    pub opens_sentence: bool,
    /// True when only space, a dot or a comma stands between it and the word before.
    pub is_joined: bool,
    /// True for a comma.
    pub after_comma: bool,
    /// True for a part of an address or a handle.
    pub is_address: bool,
    /// Its place in bytes.
    pub span: Range<usize>,
}

impl TextWord<'_> {
    pub(super) fn is_small(&self) -> bool {
        self.text.starts_with(char::is_lowercase)
    }
}

/// The places of the words of a text, each with its script. A hyphen or an apostrophe within a name is part of it; a
/// possessive is not.
pub(super) fn word_places(text: &str) -> impl Iterator<Item = (Range<usize>, NameScript)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(is_letter)?;
        let script = script::of_char(text[start..].chars().next().unwrap_or(' '));
        let end = end_of_word(text, start, script);
        rest = end + possessive(&text[end..]);
        Some((start..end, script))
    })
}

/// The words of a text.
pub(super) fn words(text: &str) -> Vec<TextWord<'_>> {
    let mut words: Vec<TextWord<'_>> = Vec::new();
    for (Range { start, end }, script) in word_places(text) {
        let between = words.last().map_or("", |word| &text[word.span.end..start]);
        let stop = between.contains(['!', '?', '\n', '。', '！', '？', '…'])
            || between.contains('.') && !words.last().is_some_and(abbreviates);
        words.push(TextWord {
            text: &text[start..end],
            folded: fold::native(&text[start..end]),
            script,
            opens_sentence: words.is_empty() || stop,
            is_joined: !stop
                && between.chars().all(|c| c.is_whitespace() || matches!(c, '.' | ',' | '・' | '·')),
            after_comma: between.contains(','),
            is_address: text[..start].ends_with('@') || text[end..].starts_with('@'),
            span: start..end,
        });
    }
    words
}

/// Returns true when the dot after a word ends no sentence.
fn abbreviates(word: &TextWord<'_>) -> bool {
    word.text.chars().count() == 1 || classify::is_title(&word.folded)
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric()
}

/// Marks that belong to the letter before them, and the bar that lengthens a kana.
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
        || matches!(c, 'ー' | '\u{640}' | '\u{e31}'..='\u{e4e}' | '\u{200d}')
}

fn end_of_word(text: &str, start: usize, script: NameScript) -> usize {
    let mut end = start;
    let mut chars = text[start..].char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let at = start + at;
        let next = chars.peek().map(|(_, next)| *next);
        let inner = matches!(c, '\'' | '’' | 'ʼ' | '-' | '‐' | '‑' | '׳' | '״')
            && next.is_some_and(|next| {
                next.is_uppercase() || is_letter(next) && joins_small(text, start, at, c)
            });
        let own = is_letter(c) && script::of_char(c).is_unspaced() == script.is_unspaced();
        if !(own || is_mark(c) && end > start || inner) {
            break;
        }
        end = at + c.len_utf8();
    }
    end.max(start + text[start..].chars().next().map_or(0, char::len_utf8))
}

/// "Min-ji" and "D'angelo" go on in small letters, "Tom's" and "Smith-led" do not: a possessive ends the word, and so does
/// a hyphen before something that is no short part of a name.
fn joins_small(text: &str, start: usize, at: usize, mark: char) -> bool {
    const NAME_PART_CHARS_MAX: usize = 5;
    let after = &text[at + mark.len_utf8()..];
    let length = after.chars().take_while(|c| c.is_alphabetic()).count();
    match mark {
        '-' | '‐' | '‑' => {
            length <= NAME_PART_CHARS_MAX
                && text[start..].starts_with(char::is_uppercase)
                && length > 1
                && is_syllabic(after)
        }
        _ => {
            text[start..at].chars().count() == 1
                || !matches!(script::of_char(text[start..].chars().next().unwrap_or(' ')), NameScript::Latin)
        }
    }
}

/// A syllable of the kind that Korean and Chinese given names are made of.
fn is_syllabic(after: &str) -> bool {
    let part: String = after.chars().take_while(|c| c.is_alphabetic()).collect();
    let vowels = part.chars().filter(|c| "aeiouy".contains(*c)).count();
    let ending =
        ["n", "ng", "a", "e", "i", "o", "u", "k", "m", "l", "h"].iter().any(|ending| part.ends_with(ending));
    (1..=3).contains(&vowels)
        && ending
        && !matches!(part.as_str(), "in" | "on" | "like" | "free" | "to" | "up" | "de" | "la" | "le")
}

/// The length of a possessive ending.
fn possessive(rest: &str) -> usize {
    let marked = rest
        .strip_prefix('\'')
        .map(|tail| (1, tail))
        .or(rest.strip_prefix('’').map(|tail| ('’'.len_utf8(), tail)));
    let Some((mark, tail)) = marked else { return 0 };
    let ends = tail.strip_prefix(['s', 'S']).is_some_and(|tail| !tail.starts_with(char::is_alphanumeric));
    if ends { mark + 1 } else { 0 }
}
