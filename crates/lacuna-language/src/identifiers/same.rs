//! Comparison of two spellings of an identifier, and its mentions in a text.

use std::ops::Range;

use super::rule::{compact, continues_word};
use super::{Identifier, IdentifierKind, address, phone, readings};

/// Below this many characters an identifier is only looked for in one piece.
const SPACED_CHARS_MIN: usize = 5;

/// Returns true when two texts spell the same identifier: case, spaces, separators and quotes aside.
pub fn same_identifier(a: &str, b: &str) -> bool {
    let (left, right) = (whole(a), whole(b));
    if left.iter().chain(&right).any(|one| punctuation_counts(one.kind)) {
        return left.iter().any(|a| right.iter().any(|b| equal(a, b)));
    }
    let phones = left.iter().any(|a| right.iter().any(|b| a.kind == IdentifierKind::Phone && equal(a, b)));
    let (a, b) = (compact(a), compact(b));
    phones || (!a.is_empty() && a == b)
}

/// Returns true when the text mentions the identifier, in any spelling, never as part of a longer one.
pub fn mentions(text: &str, wanted: &Identifier) -> bool {
    match wanted.kind {
        IdentifierKind::Phone => phone::has_line(text, &wanted.canonical),
        IdentifierKind::Address => mentions_address(text, &wanted.canonical),
        kind if punctuation_counts(kind) => readings(text).iter().any(|one| equal(one, wanted)),
        _ => !find_spellings(text, &wanted.canonical).is_empty(),
    }
}

/// Kinds whose punctuation tells them apart: `a.b@c.de` is not `ab@c.de`.
fn punctuation_counts(kind: IdentifierKind) -> bool {
    use IdentifierKind::{BirthDate, Crypto, Email, Handle, Ip, Url};
    matches!(kind, Email | Handle | Url | Ip | BirthDate | Crypto)
}

fn equal(a: &Identifier, b: &Identifier) -> bool {
    match a.kind {
        _ if a.kind != b.kind => false,
        IdentifierKind::Phone => phone::same_line(&a.canonical, &b.canonical),
        _ => a.canonical == b.canonical,
    }
}

/// The readings of a text that take all of it, quotes and labels such as `mailto:` aside.
fn whole(text: &str) -> Vec<Identifier> {
    let text = text.trim();
    let bare = |part: &str| !part.trim_end_matches("mailto:").chars().any(char::is_alphanumeric);
    let takes_all = |one: &Identifier| bare(&text[..one.span.start]) && bare(&text[one.span.end..]);
    readings(text).into_iter().filter(takes_all).collect()
}

fn mentions_address(text: &str, wanted: &str) -> bool {
    let padded = format!(" {} ", address::canonical(text));
    padded.contains(&format!(" {wanted} "))
}

/// Every place where the letters and digits of the identifier stand in their order, between boundaries.
pub(super) fn find_spellings(text: &str, canonical: &str) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    let mut from = 0;
    for (start, c) in text.char_indices() {
        let previous = text[..start].chars().next_back();
        if start < from || !c.is_alphanumeric() || previous.is_some_and(continues_word) {
            continue;
        }
        if let Some(end) = spelt_from(text, start, canonical).filter(|end| bounded(text, start..*end)) {
            places.push(start..end);
            from = end;
        }
    }
    places
}

/// The end of the spelling that begins here.
fn spelt_from(text: &str, start: usize, canonical: &str) -> Option<usize> {
    let mut wanted = canonical.chars().peekable();
    let spaced = canonical.chars().count() >= SPACED_CHARS_MIN;
    let mut separated = true;
    for (at, c) in text[start..].char_indices() {
        if wanted.peek().is_none() {
            return Some(start + at);
        }
        if c.is_alphanumeric() {
            let mut upper = c.to_uppercase();
            if !upper.all(|c| wanted.next() == Some(c)) {
                return None;
            }
            separated = false;
        } else {
            // One separator between two characters, and none that ends a sentence.
            if separated || !spaced || !is_separator(c) {
                return None;
            }
            separated = true;
        }
    }
    wanted.peek().is_none().then_some(text.len())
}

fn is_separator(c: char) -> bool {
    matches!(
        c,
        ' ' | '-' | '.' | '/' | '_' | ':' | '#' | '\u{A0}' | '\u{2009}' | '\u{2010}'
            ..='\u{2013}' | '\u{202F}'
    )
}

/// Neither side goes on with the same number: `TKT-100` is not in `TKT-1000`, `TKT-100-2` or `X-TKT-100`.
fn bounded(text: &str, span: Range<usize>) -> bool {
    let mut before = text[..span.start].chars().rev();
    let mut after = text[span.end..].chars();
    let joins = |c: Option<char>| matches!(c, Some('-' | '_' | '/'));
    let left = before.next();
    let right = after.next();
    let joined_left = joins(left) && before.next().is_some_and(continues_word);
    let next = after.next();
    let joined_right = joins(right) && next.is_some_and(continues_word);
    let decimal = matches!(right, Some('.' | ',')) && next.is_some_and(|c| c.is_ascii_digit());
    !left.is_some_and(continues_word)
        && !right.is_some_and(continues_word)
        && !joined_left
        && !joined_right
        && !decimal
}

#[cfg(test)]
mod tests {
    use super::super::identifiers;
    use super::*;

    fn wanted(text: &str) -> Identifier {
        identifiers(text).remove(0)
    }

    #[test]
    fn spellings_of_one_identifier_are_the_same() {
        for (a, b) in [
            ("alice@acme.io", "\"Alice@Acme.IO\""),
            ("alice@acme.io", "<mailto:alice@acme.io>"),
            ("+44 20 7946 0958", "020 7946 0958"),
            ("TKT-100", "tkt 100"),
            ("TKT-100", "#TKT100"),
            ("DE44 5001 0517 5407 3249 31", "de44500105175407324931"),
            ("@Ann_Lee", "@ann_lee"),
            ("https://www.acme.com/a/", "acme.com/a"),
            ("2001:db8::7", "2001:0DB8:0::7"),
        ] {
            assert!(same_identifier(a, b) && same_identifier(b, a), "{a} {b}");
        }
    }

    #[test]
    fn neighbours_are_not_the_same() {
        for (a, b) in [
            ("alice@acme.io", "alice.smith@acme.io"),
            ("alice@acme.io", "al.ice@acme.io"),
            ("alice@acme.io", "alice@acme.io.example"),
            ("TKT-100", "TKT-1000"),
            ("TKT-100", "TKT-10"),
            ("10.1.2.3", "10.12.3.0"),
            ("+44 20 7946 0958", "020 7946 0959"),
            ("", ""),
            ("@ann", "@anne"),
        ] {
            assert!(!same_identifier(a, b) && !same_identifier(b, a), "{a} {b}");
        }
    }

    #[test]
    fn a_text_mentions_an_identifier_in_any_spelling() {
        for (identifier, text, there) in [
            ("alice@acme.io", "Ask Alice@ACME.io, she knows", true),
            ("alice@acme.io", "Ask alice.smith@acme.io", false),
            ("alice@acme.io", "Ask malice@acme.io", false),
            ("TKT-100", "see tkt 100.", true),
            ("TKT-100", "see TKT100 and more", true),
            ("TKT-100", "see TKT-1000", false),
            ("TKT-100", "see TKT-100-2", false),
            ("TKT-100", "see XTKT-100", false),
            ("+44 20 7946 0958", "his number: 020-7946-0958", true),
            ("+44 20 7946 0958", "0044 20 79460958", true),
            ("+44 20 7946 0958", "020 7946 0958 1", false),
            ("order no. 8812", "did 8812 arrive?", true),
            ("order no. 8812", "did 88120 arrive?", false),
            ("order no. 8812", "it was 88 12 then", false),
            ("GB29 NWBK 6016 1331 9268 19", "gb29nwbk60161331926819", true),
            ("4 Elm Street", "he moved to 4 elm st. last year", true),
            ("4 Elm Street", "he moved to 14 Elm Street", false),
            ("born on 17 May 1990", "DOB 17.05.1990", true),
        ] {
            assert_eq!(mentions(text, &wanted(identifier)), there, "{identifier} in {text}");
        }
    }
}
