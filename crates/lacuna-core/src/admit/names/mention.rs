//! Where a text mentions a name: by whole words, and in scripts without spaces by what stands around it.

use std::ops::Range;

use super::compare;
use super::fold::{self, loosen};
use super::script::{self, Script};
use super::{Name, Sameness, Word, hangul, nicknames, unspaced};
use crate::admit::classify;

/// A word of a text, as it is written.
pub(super) struct Written<'t> {
    pub(super) text: &'t str,
    pub(super) folded: String,
    span: Range<usize>,
    script: Script,
    opens_sentence: bool,
    /// Whether nothing but space or a dot stands between it and the word before.
    joined: bool,
}

impl Written<'_> {
    fn is_small(&self) -> bool {
        self.text.starts_with(char::is_lowercase)
    }
}

/// The words of a text. A hyphen or an apostrophe within a name is part of it; a possessive is not.
pub(super) fn words(text: &str) -> Vec<Written<'_>> {
    let mut words: Vec<Written<'_>> = Vec::new();
    let mut rest = 0;
    while let Some(start) = text[rest..].find(is_letter).map(|at| rest + at) {
        let script = script::of_char(text[start..].chars().next().unwrap_or(' '));
        let end = end_of_word(text, start, script);
        let between = words.last().map_or("", |word| &text[word.span.end..start]);
        let initial = words
            .last()
            .is_some_and(|word| word.text.chars().count() == 1 || classify::is_title(&word.folded));
        let stop =
            between.contains(['!', '?', '\n', '。', '！', '？', '…']) || between.contains('.') && !initial;
        words.push(Written {
            text: &text[start..end],
            folded: fold::native(&text[start..end]),
            span: start..end,
            script,
            opens_sentence: words.is_empty() || stop,
            joined: between.chars().all(|c| c.is_whitespace() || matches!(c, '.' | ',' | '・' | '·'))
                && !stop,
        });
        rest = end + possessive(&text[end..]);
    }
    words
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric()
}

/// Marks that belong to the letter before them, and the bar that lengthens a kana.
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
        || matches!(c, 'ー' | '\u{640}' | '\u{e31}'..='\u{e4e}' | '\u{200d}')
}

fn end_of_word(text: &str, start: usize, script: Script) -> usize {
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
                || !matches!(script::of_char(text[start..].chars().next().unwrap_or(' ')), Script::Latin)
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

impl Name {
    /// Whether a text mentions this name, and how surely.
    pub fn mentioned_in(&self, text: &str) -> Option<Sameness> {
        if self.words.is_empty() {
            return None;
        }
        let words = words(text);
        let mut best: Option<Sameness> = None;
        for at in 0..words.len() {
            let found = if words[at].script.is_unspaced() {
                unspaced::find(self, words[at].text)
            } else {
                self.starting_at(&words, at)
            };
            best = best.max(found);
            if best == Some(Sameness::Same) {
                break;
            }
        }
        best
    }

    /// The name as words that begin at one word.
    fn starting_at(&self, words: &[Written<'_>], at: usize) -> Option<Sameness> {
        // One more for a middle name; a name without spaces may be written as three words.
        let longest = if self.script.is_unspaced() { 3 } else { self.words.len() + 1 };
        let mut best = None;
        for end in at + 1..=words.len().min(at + longest) {
            let last = &words[end - 1];
            if end > at + 1 && !last.joined || last.script.is_unspaced() {
                break;
            }
            // What stands between the ends of a name may be a middle name; the ends themselves must be known.
            if !self.knows(last) {
                if end == at + 1 {
                    break;
                }
                continue;
            }
            best = best.max(self.as_window(&words[at..end]));
        }
        best
    }

    /// Whether a word may be one of the name's own: a cheap question before the full comparison.
    fn knows(&self, word: &Written<'_>) -> bool {
        if word.script != self.script {
            return self.knows_sound(word);
        }
        let first = word.folded.chars().next();
        self.words.iter().any(|own| {
            let begins = own.native.chars().next() == first;
            own.native == word.folded
                || begins && (own.is_initial || word.folded.chars().count() == 1)
                || own.script == Script::Cyrillic && begins
                || own.latin.contains(&word.folded)
                || own.latin.iter().any(|form| nicknames::are_one(&word.folded, form))
                || begins && own.latin.iter().any(|form| loosen(form) == loosen(&word.folded))
                || !word.text.is_ascii() && begins
        })
    }

    /// The same across scripts: whether the word sounds like a part of the name.
    fn knows_sound(&self, word: &Written<'_>) -> bool {
        let (readings, vowelless) = match word.script {
            Script::Latin => (vec![word.folded.clone()], false),
            _ => {
                let read = Word::new(word.text);
                (read.latin, read.is_vowelless)
            }
        };
        let thin = vowelless || self.script == Script::Thai || self.words.iter().any(|own| own.is_vowelless);
        let korean = self.script == Script::Hangul;
        readings.iter().any(|reading| {
            let loose = loosen(reading);
            self.loose.iter().any(|own| own.contains(&loose))
                || thin && self.bones.iter().any(|own| own.contains(&fold::bones(&loose)))
                || korean
                    && self.loose.iter().any(|own| hangul::loosen(own).contains(&hangul::loosen(&loose)))
                || self.words.iter().any(|own| own.latin.iter().any(|form| nicknames::are_one(reading, form)))
        })
    }

    fn as_window(&self, window: &[Written<'_>]) -> Option<Sameness> {
        let written = Name::of(window.iter().map(|word| Word::new(word.text)).collect(), true);
        let same = compare::names(self, &written);
        (same != Sameness::Different).then_some(())?;
        self.by_case(window, same)
    }

    /// "A frank discussion" does not mention Frank, and "Will you" may not mention Will.
    fn by_case(&self, window: &[Written<'_>], same: Sameness) -> Option<Sameness> {
        if !window.iter().all(|word| word.script.has_case()) {
            return Some(same);
        }
        let small = window.iter().any(Written::is_small);
        let wordy = window.iter().all(|word| classify::is_common_word(&word.folded));
        let common = window.iter().any(|word| classify::is_common_word(&word.folded));
        match (small, window.len()) {
            (true, 1) if self.is_proper => None,
            (true, 1) if wordy => Some(Sameness::Likely),
            (true, 1) => Some(same),
            (true, _) if common => Some(Sameness::Likely),
            (true, _) => Some(same),
            (false, 1) if wordy && window[0].opens_sentence => Some(Sameness::Likely),
            (false, _) => Some(same),
        }
    }
}
