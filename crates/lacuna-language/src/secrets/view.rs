//! Other readings of a text, in which a secret that was broken up is whole again, and the way back.

use std::ops::Range;

/// A token that a line break may have cut has at least this many characters before the break.
const CUT_CHARS_MIN: usize = 4;
/// The part of the token before a break that is looked at.
const TAIL_CHARS_MAX: usize = 64;
/// The part of the text around a break that is read again.
const NEIGHBOUR_BYTES: usize = 512;
/// The longest name or number of an entity.
const ENTITY_BYTES_MAX: usize = 9;
/// Fewer single characters in a row are a list or an abbreviation.
const SPACED_CHARS_MIN: usize = 5;
/// Stands between two neighbourhoods.
const GAP: &str = "\n\n";
/// Indentation after a line break, with quotes or marks of a continued line.
const BREAK_CHARS_MAX: usize = 40;

/// A text made from another by leaving out or replacing stretches.
pub(super) struct UnbrokenView {
    /// The text that was made.
    pub text: String,
    pieces: Vec<ViewPiece>,
}

/// A stretch of the view and the stretch of the original that it stands for.
struct ViewPiece {
    view: Range<usize>,
    original: Range<usize>,
}

impl UnbrokenView {
    fn new() -> Self {
        Self { text: String::new(), pieces: Vec::new() }
    }

    fn push(&mut self, text: &str, original: Range<usize>) {
        let start = self.text.len();
        self.text.push_str(text);
        self.pieces.push(ViewPiece { view: start..self.text.len(), original });
    }

    /// The neighbourhoods of breaks that cut a token in two, without them: line breaks with their indentation,
    /// `" + "`.
    pub(super) fn joined(text: &str) -> Option<Self> {
        let mut view = Self::new();
        // Up to here the text is in the view already, or is not near a break.
        let mut taken = 0;
        let mut from = 0;
        let mut near = 0;
        for at in breaks(text) {
            let found = break_around(text, from, at);
            if at < from || !is_cut(text, &found) {
                continue;
            }
            from = found.end;
            taken = view.leave(text, taken, near, found.start);
            view.push(&text[taken..found.start], taken..found.start);
            taken = found.end;
            near = text.ceil_char_boundary((found.end + NEIGHBOUR_BYTES).min(text.len()));
        }
        if view.pieces.is_empty() {
            return None;
        }
        let end = near.min(text.len());
        view.push(&text[taken..end], taken..end);
        Some(view)
    }

    /// Skips what is far from the last break and from the next, and answers where the view goes on.
    fn leave(&mut self, text: &str, taken: usize, near: usize, next: usize) -> usize {
        let resume = text.floor_char_boundary(next.saturating_sub(NEIGHBOUR_BYTES));
        if resume <= near.max(taken) {
            return taken;
        }
        if near > taken {
            self.push(&text[taken..near], taken..near);
            // A break of its own, so that the ends of two neighbourhoods are not read as one token.
            self.push(GAP, near..near);
        }
        resume
    }

    /// The readings in which a disguise of single characters is written out.
    pub(super) fn decoded(text: &str) -> impl Iterator<Item = Self> {
        let readings = [Self::percent_decoded, Self::entities_decoded, Self::spaces_closed];
        readings.into_iter().filter_map(move |decode| decode(text))
    }

    /// With `%3D` and its like written out.
    pub(super) fn percent_decoded(text: &str) -> Option<Self> {
        let mut view = Self::new();
        let mut kept = 0;
        for (at, _) in text.match_indices('%') {
            let Some(decoded) = decode(text, at).filter(|_| at >= kept) else { continue };
            view.push(&text[kept..at], kept..at);
            view.push(decoded.encode_utf8(&mut [0; 4]), at..at + 3);
            kept = at + 3;
        }
        view.finish(text, kept)
    }

    /// With `&#61;`, `&quot;` and their like written out.
    pub(super) fn entities_decoded(text: &str) -> Option<Self> {
        let mut view = Self::new();
        let mut kept = 0;
        for (at, _) in text.match_indices('&') {
            let Some((decoded, length)) = entity(&text[at..]).filter(|_| at >= kept) else { continue };
            view.push(&text[kept..at], kept..at);
            view.push(decoded.encode_utf8(&mut [0; 4]), at..at + length);
            kept = at + length;
        }
        view.finish(text, kept)
    }

    /// With rows of single characters, as in `h u n t e r 2`, put together.
    pub(super) fn spaces_closed(text: &str) -> Option<Self> {
        let mut view = Self::new();
        let mut kept = 0;
        for row in spaced_rows(text) {
            view.push(&text[kept..row.start], kept..row.start);
            for (at, letter) in text[row.clone()].char_indices().filter(|(_, letter)| *letter != ' ') {
                let start = row.start + at;
                // A wider gap divides words.
                let wide = text[..start].ends_with("  ");
                if wide && start > row.start {
                    view.push(" ", start - 1..start);
                }
                view.push(letter.encode_utf8(&mut [0; 4]), start..start + letter.len_utf8());
            }
            kept = row.end;
        }
        view.finish(text, kept)
    }

    fn finish(mut self, text: &str, kept: usize) -> Option<Self> {
        if self.pieces.is_empty() {
            return None;
        }
        self.push(&text[kept..], kept..text.len());
        Some(self)
    }

    /// The place in the original of a stretch of the view.
    pub(super) fn original(&self, span: &Range<usize>) -> Option<Range<usize>> {
        let (first, last) = self.pieces_of(span)?;
        Some(first.start(span.start)..last.end(span.end))
    }

    /// Returns true when a stretch of the view is not one stretch of the original.
    pub(super) fn crosses(&self, span: &Range<usize>) -> bool {
        self.pieces_of(span).is_some_and(|(first, last)| first.view != last.view)
    }

    fn pieces_of(&self, span: &Range<usize>) -> Option<(&ViewPiece, &ViewPiece)> {
        let first = self.pieces.partition_point(|piece| piece.view.end <= span.start);
        let last = self.pieces.partition_point(|piece| piece.view.start < span.end).checked_sub(1)?;
        Some((self.pieces.get(first)?, self.pieces.get(last)?))
    }
}

impl ViewPiece {
    fn start(&self, at: usize) -> usize {
        if self.is_verbatim() { self.original.start + (at - self.view.start) } else { self.original.start }
    }

    fn end(&self, at: usize) -> usize {
        if self.is_verbatim() { self.original.start + (at - self.view.start) } else { self.original.end }
    }

    fn is_verbatim(&self) -> bool {
        self.view.len() == self.original.len()
    }
}

fn decode(text: &str, at: usize) -> Option<char> {
    let byte = u8::from_str_radix(text.get(at + 1..at + 3)?, 16).ok()?;
    (byte.is_ascii_graphic() || byte == b' ').then(|| char::from(byte))
}

/// The character of an HTML entity at the beginning of a text, and the length of the entity.
fn entity(text: &str) -> Option<(char, usize)> {
    const NAMED: &[(&str, char)] = &[
        ("amp", '&'),
        ("lt", '<'),
        ("gt", '>'),
        ("quot", '"'),
        ("apos", '\''),
        ("nbsp", ' '),
        ("colon", ':'),
        ("equals", '='),
        ("num", '#'),
        ("commat", '@'),
        ("period", '.'),
        ("sol", '/'),
        ("lowbar", '_'),
        ("hyphen", '-'),
        ("excl", '!'),
        ("dollar", '$'),
        ("percnt", '%'),
        ("plus", '+'),
        ("ast", '*'),
    ];
    let body = text.get(1..)?;
    let end = body.bytes().take(ENTITY_BYTES_MAX).position(|byte| byte == b';')?;
    let name = &body[..end];
    let decoded = match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|c| !c.is_control())?
        }
        None => NAMED.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((decoded, end + 2))
}

/// Rows of single characters with one or two spaces between them.
fn spaced_rows(text: &str) -> Vec<Range<usize>> {
    let mut rows: Vec<Range<usize>> = Vec::new();
    let mut row: Option<(Range<usize>, usize)> = None;
    let mut at = 0;
    for word in text.split(' ') {
        let span = at..at + word.len();
        at = span.end + 1;
        if word.is_empty() {
            continue;
        }
        let single = word.chars().nth(1).is_none();
        row = match row.take() {
            Some((whole, letters)) if single && span.start - whole.end <= 2 => {
                Some((whole.start..span.end, letters + 1))
            }
            other => {
                rows.extend(
                    other.filter(|(_, letters)| *letters >= SPACED_CHARS_MIN).map(|(whole, _)| whole),
                );
                single.then_some((span, 1))
            }
        };
    }
    rows.extend(row.filter(|(_, letters)| *letters >= SPACED_CHARS_MIN).map(|(whole, _)| whole));
    rows
}

/// Places at which a token could be cut: line breaks, and signs that add one string to another.
fn breaks(text: &str) -> impl Iterator<Item = usize> {
    let mut next = 0;
    text.split_inclusive('\n').flat_map(move |line| {
        let start = next;
        next += line.len();
        let end = line.ends_with('\n').then(|| next - 1);
        line.match_indices('+').map(move |(at, _)| start + at).chain(end)
    })
}

/// A break with what belongs to it: indentation, quotes, marks of a continued line. It begins not before `from`.
fn break_around(text: &str, from: usize, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let filler: &[u8] = if bytes[at] == b'+' { b" \t\n\r\"'`" } else { b" \t\r\n\\>|\"'`+*#" };
    let belongs = |byte: &&u8| filler.contains(byte);
    let before = bytes[from.min(at)..at].iter().rev().take(BREAK_CHARS_MAX).take_while(belongs).count();
    let after = bytes[at + 1..].iter().take(BREAK_CHARS_MAX).take_while(belongs).count();
    at - before..at + 1 + after
}

/// Returns true when the text on both sides of a break may be one token.
fn is_cut(text: &str, found: &Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let token = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./+=~".contains(byte);
    let before = &bytes[..found.start];
    let length = before.iter().rev().take(TAIL_CHARS_MAX).take_while(|byte| token(byte)).count();
    let tail = &before[before.len() - length..];
    // Words begin with a capital and end with a full stop.
    let odd = |byte: &u8| !byte.is_ascii_lowercase() && *byte != b'.';
    let bare_plus = bytes[found.clone()] == *b"+";
    length >= CUT_CHARS_MIN
        && !bare_plus
        && tail.iter().skip(1).any(odd)
        && bytes.get(found.end).is_some_and(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_joined_across_breaks_and_found_again() {
        let text = "key: Ab3\n   dE5fG\\\n  hI7 and\nthen";
        let text = text.replace("Ab3", "Ab3d");
        let view = UnbrokenView::joined(&text).unwrap();
        assert_eq!(view.text, "key: Ab3ddE5fGhI7 and\nthen");
        let at = view.text.find("Ab3d").unwrap();
        let span = view.original(&(at..at + "Ab3ddE5fGhI7".len())).unwrap();
        assert_eq!(&text[span], "Ab3d\n   dE5fG\\\n  hI7");
        assert!(view.crosses(&(at..at + 6)) && !view.crosses(&(0..4)));
    }

    #[test]
    fn only_the_neighbourhoods_of_breaks_are_read_again_and_apart() {
        let far = "word ".repeat(400);
        let text = format!("{far}Ab3d\nE5fG {far}Hi7j\nK8lm {far}");
        let view = UnbrokenView::joined(&text).unwrap();
        assert!(view.text.len() < text.len() / 2);
        for token in ["Ab3dE5fG", "Hi7jK8lm"] {
            let at = view.text.find(token).unwrap();
            let span = view.original(&(at..at + token.len())).unwrap();
            assert_eq!(text[span].replace('\n', ""), token);
        }
    }

    #[test]
    fn prose_is_not_joined() {
        for text in ["one word\nand another", "a + b", "no break", "Dear Anna,\n\nall is well"] {
            assert!(UnbrokenView::joined(text).is_none(), "{text}");
        }
    }

    #[test]
    fn entities_and_spaced_letters_are_read_and_found_again() {
        let text = "x&#61;y &amp; &#x41;b &nothing; &";
        let view = UnbrokenView::entities_decoded(text).unwrap();
        assert_eq!(view.text, "x=y & Ab &nothing; &");
        let at = view.text.find("Ab").unwrap();
        assert_eq!(&text[view.original(&(at..at + 2)).unwrap()], "&#x41;b");
        let text = "it is  h u n t e r 2  ok, a b c";
        let view = UnbrokenView::spaces_closed(text).unwrap();
        assert_eq!(view.text, "it is  hunter2  ok, a b c");
        let at = view.text.find("hunter2").unwrap();
        assert_eq!(&text[view.original(&(at..at + 7)).unwrap()], "h u n t e r 2");
    }

    #[test]
    fn percent_signs_are_decoded_and_found_again() {
        let text = "x%3Dé%40z 100% of";
        let view = UnbrokenView::percent_decoded(text).unwrap();
        assert_eq!(view.text, "x=é@z 100% of");
        let at = view.text.find('=').unwrap();
        let span = view.original(&(at..at + "=é@".len())).unwrap();
        assert_eq!(&text[span], "%3Dé%40");
    }
}
