//! Catalogue of memories on a page: always as text, whatever is in them.

use maud::{Markup, html};

/// A text of a memory. Its own direction is kept inside it, and characters that would act on the page or on other text
/// are made visible.
pub(super) fn said(text: &str) -> Markup {
    html! { bdi class="said" dir="auto" { (visible(text)) } }
}

/// The beginning of a text, in whole words where there are some.
pub(super) fn beginning(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    let cut: String = text.chars().take(chars_max).collect();
    let whole = cut.rsplit_once(char::is_whitespace).map_or(cut.as_str(), |(whole, _)| whole);
    format!("{whole} …")
}

/// Replaces control characters, and characters that reorder or hide text, by signs.
pub(super) fn visible(text: &str) -> String {
    text.chars().map(|c| if is_shown_as_it_is(c) { c } else { sign_of(c) }).collect()
}

fn is_shown_as_it_is(c: char) -> bool {
    match c {
        '\n' | '\t' => true,
        '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}' => false,
        '\u{e0000}'..='\u{e007f}' => false,
        other => !other.is_control(),
    }
}

/// The picture of an ASCII control character; the sign for something unreadable otherwise.
fn sign_of(c: char) -> char {
    match u32::from(c) {
        code @ 0..=0x1f => char::from_u32(0x2400 + code).unwrap_or('\u{fffd}'),
        0x7f => '\u{2421}',
        _ => '\u{fffd}',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_acts_on_the_page() {
        let evil = "<script>alert(1)</script>\u{202e}abc\u{0}\u{1b}[31m\u{feff}\u{e0041}\ttab\nline";
        let shown = said(evil).into_string();
        assert!(shown.starts_with("<bdi class=\"said\" dir=\"auto\">&lt;script&gt;alert(1)&lt;/script&gt;"));
        assert!(shown.contains("\u{fffd}abc\u{2400}\u{241b}[31m\u{fffd}\u{fffd}\ttab\nline"), "{shown}");
        assert_eq!(shown.matches('<').count(), 2);
    }

    #[test]
    fn a_beginning_ends_between_words() {
        assert_eq!(beginning("short", 10), "short");
        assert_eq!(beginning("one two three", 9), "one two …");
        assert_eq!(beginning("unbreakable", 4), "unbr …");
    }
}
