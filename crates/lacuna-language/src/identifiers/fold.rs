//! Full-width digits, hard spaces and typographic dashes, read as what they stand for.

use std::ops::Range;

/// A text in which every such character is its plain one, with the way back to the original places.
pub(super) struct Folded {
    text: String,
    /// For every byte of the folded text, and its end, the place in the original.
    origin: Vec<usize>,
}

impl Folded {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn original(&self, span: &Range<usize>) -> Range<usize> {
        self.origin[span.start]..self.origin[span.end]
    }
}

/// The folded text, or none when there is nothing to fold.
pub(super) fn plain_text(text: &str) -> Option<Folded> {
    if text.is_ascii() || text.chars().all(|c| plain(c).is_none()) {
        return None;
    }
    let mut folded =
        Folded { text: String::with_capacity(text.len()), origin: Vec::with_capacity(text.len() + 1) };
    for (at, c) in text.char_indices() {
        let before = folded.text.len();
        folded.text.push(plain(c).unwrap_or(c));
        folded.origin.resize(folded.origin.len() + folded.text.len() - before, at);
    }
    folded.origin.push(text.len());
    Some(folded)
}

fn plain(c: char) -> Option<char> {
    const FULL_WIDTH: u32 = 0xFEE0;
    match c {
        '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => Some(' '),
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE63}' => Some('-'),
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(c) - FULL_WIDTH),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_places_lead_back() {
        let text = "né le +44\u{A0}20\u{2011}7946 ０９５８ fin";
        let folded = plain_text(text).unwrap();
        assert!(folded.text().contains("+44 20-7946 0958 fin"));
        let at = folded.text().find("0958").unwrap();
        assert_eq!(&text[folded.original(&(at..at + 4))], "０９５８");
        assert!(plain_text("plain").is_none() && plain_text("né").is_none());
    }
}
