//! Patterns are compiled on a clean stack, and screened where word boundaries would make them slow.
//!
//! A compiled pattern is kept for the life of the process, and it is made when the first text needs it. Moving it to its
//! place also copies its unused bytes, which hold what earlier calls left on the stack: a piece of that text would stay in RAM.
//!
//! A word boundary of Unicode takes a text beyond ASCII off the fast engine. Such a text is shown to a screen first: the
//! same pattern with looser boundaries, which stays fast and matches wherever the pattern does.

use std::borrow::Cow;
use std::hint::black_box;
use std::sync::OnceLock;

use regex::{Captures, Match, Regex, RegexSet};

/// More than compiling a pattern uses.
const STACK_BYTES: usize = 64 * 1024;
/// Any place that is not inside a word of ASCII: every word boundary of Unicode, and more.
const LOOSE_BOUNDARY: &str = r"(?:(?-u:\b{start-half})|(?-u:\b{end-half}))";

/// A pattern behind its screen.
pub(crate) struct ScreenedRegex {
    exact: Regex,
    screen: Screen,
}

/// A set of patterns behind one screen.
pub(crate) struct ScreenedSet {
    exact: RegexSet,
    screen: Screen,
}

/// Compiles `source`.
///
/// # Errors
/// Whatever is wrong with the pattern.
pub(crate) fn regex(source: &str) -> Result<ScreenedRegex, regex::Error> {
    Ok(ScreenedRegex { exact: compile(source)?, screen: Screen::of(&[source]) })
}

/// Compiles `sources` into one set.
///
/// # Errors
/// Whatever is wrong with the first bad pattern.
pub(crate) fn regex_set<S: AsRef<str>>(sources: &[S]) -> Result<ScreenedSet, regex::Error> {
    let exact = on_clean_stack(|| {
        #[expect(clippy::disallowed_methods, reason = "the stack is clean")]
        RegexSet::new(sources)
    })?;
    Ok(ScreenedSet { exact, screen: Screen::of(sources) })
}

fn compile(source: &str) -> Result<Regex, regex::Error> {
    on_clean_stack(|| {
        #[expect(clippy::disallowed_methods, reason = "the stack is clean")]
        Regex::new(source)
    })
}

/// Calls `make` after the part of the stack that it will use was overwritten.
pub(crate) fn on_clean_stack<T>(make: impl FnOnce() -> T) -> T {
    overwrite_stack();
    make()
}

#[inline(never)]
fn overwrite_stack() {
    black_box([0u8; STACK_BYTES]);
}

/// A fast pattern that matches wherever others do. It is compiled for the first text beyond ASCII.
struct Screen {
    /// `None` when the others have no word boundary of Unicode: they are fast themselves.
    source: Option<String>,
    loose: OnceLock<Option<Regex>>,
}

impl Screen {
    fn of<S: AsRef<str>>(sources: &[S]) -> Self {
        let alternatives: Vec<String> =
            sources.iter().map(|source| format!("(?:{})", source.as_ref())).collect();
        Self { source: loosened(&alternatives.join("|")), loose: OnceLock::new() }
    }

    /// Returns false for a text that none of the others matches.
    fn passes(&self, text: &str) -> bool {
        let Some(source) = self.source.as_ref().filter(|_| !text.is_ascii()) else { return true };
        let loose = self.loose.get_or_init(|| compile(source).ok());
        loose.as_ref().is_none_or(|loose| loose.is_match(text))
    }
}

/// The pattern with looser boundaries, or `None` when it has no boundary of Unicode.
fn loosened(source: &str) -> Option<String> {
    const ASCII_BOUNDARY: &str = r"(?-u:\b)";
    let parts: Vec<&str> = source.split(ASCII_BOUNDARY).collect();
    let loose: Vec<String> = parts.iter().map(|part| part.replace(r"\b", LOOSE_BOUNDARY)).collect();
    (loose != parts).then(|| loose.join(ASCII_BOUNDARY))
}

impl ScreenedRegex {
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.screen.passes(text) && self.exact.is_match(text)
    }

    pub(crate) fn find<'t>(&self, text: &'t str) -> Option<Match<'t>> {
        self.passed(text)?.find(text)
    }

    pub(crate) fn find_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = Match<'t>> {
        self.passed(text).into_iter().flat_map(|exact| exact.find_iter(text))
    }

    pub(crate) fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.passed(text)?.captures(text)
    }

    pub(crate) fn captures_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = Captures<'t>> {
        self.passed(text).into_iter().flat_map(|exact| exact.captures_iter(text))
    }

    pub(crate) fn captures_at<'t>(&self, text: &'t str, from: usize) -> Option<Captures<'t>> {
        self.passed(text)?.captures_at(text, from)
    }

    pub(crate) fn replace<'t>(&self, text: &'t str, by: &str) -> Cow<'t, str> {
        self.passed(text).map_or(Cow::Borrowed(text), |exact| exact.replace(text, by))
    }

    pub(crate) fn replace_all<'t>(&self, text: &'t str, by: &str) -> Cow<'t, str> {
        self.passed(text).map_or(Cow::Borrowed(text), |exact| exact.replace_all(text, by))
    }

    /// The pattern itself, for a text that it may match.
    fn passed(&self, text: &str) -> Option<&Regex> {
        self.screen.passes(text).then_some(&self.exact)
    }
}

impl ScreenedSet {
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.screen.passes(text) && self.exact.is_match(text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Letters, digits, marks and signs of many scripts, in words and between them.
    const CHARS: &str = "aZ9_ .,-'éßñłİıſK\u{301}\u{200d}\u{a0}’“яЖ中文の한กहिعלª²½٣Ωǆ🦀\n";
    const ATOMS: &[&str] = &[
        r"\b",
        r"\b",
        r"\b",
        "a",
        "é",
        "я",
        "中",
        " ",
        r"\w",
        r"\W",
        r"\w+",
        r"\W{0,3}",
        r"\p{L}",
        "(?i:k)",
        r"(?:a|\b)",
        r"(?:\bя|9\b)",
        "[^.]{1,3}",
        "(?-u:\\b)",
        "$",
        "^",
    ];

    fn text() -> impl Strategy<Value = String> {
        let chars: Vec<char> = CHARS.chars().collect();
        prop::collection::vec(prop::sample::select(chars), 0..24)
            .prop_map(|chars| chars.into_iter().collect())
    }

    fn source() -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(ATOMS), 1..6).prop_map(|atoms| atoms.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]
        #[test]
        fn a_screen_changes_no_match(source in source(), texts in prop::collection::vec(text(), 8)) {
            let screened = regex(&source).unwrap();
            let set = regex_set(&[&source, "(?i)zzz"]).unwrap();
            for text in &texts {
                let spans = |found: &mut dyn Iterator<Item = Match<'_>>| found.map(|hit| hit.range()).collect::<Vec<_>>();
                let exact = spans(&mut screened.exact.find_iter(text));
                prop_assert_eq!(spans(&mut screened.find_iter(text)), exact.clone(), "{} in {:?}", source, text);
                prop_assert_eq!(screened.is_match(text), !exact.is_empty());
                prop_assert_eq!(screened.captures(text).is_some(), !exact.is_empty());
                prop_assert_eq!(screened.captures_iter(text).count(), exact.len());
                prop_assert_eq!(screened.replace_all(text, "-"), screened.exact.replace_all(text, "-"));
                prop_assert_eq!(set.is_match(text), set.exact.is_match(text));
            }
        }
    }

    #[test]
    fn every_pair_of_characters_with_a_boundary_passes_the_screen() {
        let boundary = regex(r"^.\b.$").unwrap();
        let all = (0..=u32::from(char::MAX)).step_by(7).filter_map(char::from_u32).chain(CHARS.chars());
        for other in all {
            for ascii in ['a', '_', '9', ' ', '’', 'é', '中'] {
                for pair in [format!("{ascii}{other}"), format!("{other}{ascii}")] {
                    assert_eq!(boundary.is_match(&pair), boundary.exact.is_match(&pair), "{pair:?}");
                }
            }
        }
    }

    #[test]
    fn only_boundaries_of_unicode_are_screened_and_only_beyond_ascii() {
        for fast in ["abc", r"(?-u:\b)abc", r"\d{3}"] {
            assert_eq!(loosened(fast), None, "{fast}");
        }
        let mixed = loosened(r"\bné(?-u:\b)").unwrap();
        assert_eq!(mixed, format!(r"{LOOSE_BOUNDARY}né(?-u:\b)"));
        let screened = regex(r"\bborn\b").unwrap();
        assert!(screened.is_match("born") && screened.screen.loose.get().is_none());
        assert!(screened.is_match("née, born") && screened.screen.loose.get().is_some());
        assert!(!screened.is_match("éborn"));
    }
}
