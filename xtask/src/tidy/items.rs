//! Items of a file: definitions of types, public items and their documentation, functions and methods.

use super::lex::{Kind, Token, after_group};
use super::source::Source;

const TYPES: [&str; 3] = ["struct", "enum", "trait"];
const PUBLIC: [&str; 9] = ["fn", "struct", "enum", "trait", "const", "static", "type", "mod", "union"];
/// Words between `pub` and the keyword of an item.
const QUALIFIERS: [&str; 4] = ["async", "unsafe", "extern", "default"];

/// Words that a doc comment may not open with: a noun or a verb says it in plain order.
const QUESTION_WORDS: [&str; 10] =
    ["What", "Whether", "Who", "Whom", "Whose", "How", "Where", "When", "That", "Those"];

/// Item of a file, at a line.
#[derive(PartialEq, Debug)]
pub(super) struct Item<'a> {
    pub(super) name: &'a str,
    pub(super) line: usize,
}

/// Structs, enums and traits that a file defines.
pub(super) fn types<'a>(source: &Source<'a>) -> Vec<Item<'a>> {
    let defines = |pair: &&[Token<'a>]| TYPES.iter().any(|keyword| pair[0].is(keyword)) && pair[1].is_word();
    let pairs = source.tokens.windows(2).filter(defines);
    pairs.map(|pair| Item { name: pair[1].text, line: pair[1].line }).collect()
}

/// Public item, and whether it has a doc comment of its own.
#[derive(PartialEq, Debug)]
pub(super) struct PublicItem<'a> {
    pub(super) item: Item<'a>,
    pub(super) documented: bool,
    /// A module in a file of its own, whose documentation may stand there.
    pub(super) is_file: bool,
}

/// Items and methods that are `pub` without a restriction; fields and imports do not count, macros are passed over.
pub(super) fn public_items<'a>(source: &Source<'a>) -> Vec<PublicItem<'a>> {
    let tokens = &source.tokens;
    let (mut items, mut documented, mut at) = (Vec::new(), false, 0);
    while at < tokens.len() {
        if tokens[at].is_doc() {
            documented |= tokens[at].kind == Kind::OuterDoc;
            at += 1;
        } else if tokens[at].is("#") {
            documented |= tokens.get(at + 2).is_some_and(|token| token.is("doc"));
            at = after_group(tokens, at + 1);
        } else if tokens[at].is("macro_rules") {
            documented = false;
            at = after_group(tokens, at + 3);
        } else {
            if tokens[at].is("pub")
                && let Some(name) = public_name(tokens, at + 1)
            {
                let item = Item { name: tokens[name].text, line: tokens[name].line };
                let is_file =
                    tokens[name - 1].is("mod") && tokens.get(name + 1).is_some_and(|end| end.is(";"));
                items.push(PublicItem { item, documented, is_file });
            }
            documented = false;
            at += 1;
        }
    }
    items
}

/// Index of the name of the public item whose `pub` stands before `at`.
fn public_name(tokens: &[Token<'_>], mut at: usize) -> Option<usize> {
    let qualifies = |token: &Token<'_>| {
        token.kind == Kind::Literal || QUALIFIERS.iter().any(|qualifier| token.is(qualifier))
    };
    let before_function = |token: &Token<'_>| token.is("fn") || qualifies(token);
    while qualifies(tokens.get(at)?) || (tokens[at].is("const") && before_function(tokens.get(at + 1)?)) {
        at += 1;
    }
    let known = PUBLIC.iter().any(|keyword| tokens[at].is(keyword));
    (known && tokens.get(at + 1)?.is_word()).then_some(at + 1)
}

/// Tells whether a file begins with documentation of its module.
pub(super) fn documents_itself(source: &Source<'_>) -> bool {
    source.tokens.first().is_some_and(|token| token.kind == Kind::InnerDoc)
}

/// First lines of doc comments.
pub(super) fn doc_openings<'a>(source: &Source<'a>) -> Vec<Item<'a>> {
    let tokens = &source.tokens;
    let opens = |at: &usize| tokens[*at].is_doc() && (*at == 0 || tokens[*at - 1].kind != tokens[*at].kind);
    let openings = (0..tokens.len()).filter(opens);
    openings.map(|at| Item { name: opening(tokens[at].text), line: tokens[at].line }).collect()
}

fn opening(comment: &str) -> &str {
    let text = comment.trim_start_matches(['/', '!', '*']).trim_start();
    text.lines().next().unwrap_or_default()
}

/// Tells whether a doc comment opens with a question word.
pub(super) fn asks(opening: &str) -> bool {
    let first = opening.split(|character: char| !character.is_alphabetic()).next();
    first.is_some_and(|word| QUESTION_WORDS.contains(&word))
}

/// Function with its lines, from `fn` to the closing brace.
pub(super) struct Function<'a> {
    pub(super) item: Item<'a>,
    pub(super) lines: usize,
}

pub(super) fn functions<'a>(tokens: &[Token<'a>]) -> Vec<Function<'a>> {
    let named = (1..tokens.len()).filter(|at| tokens[at - 1].is("fn") && tokens[*at].is_word());
    named
        .filter_map(|at| {
            let body = body(tokens, at)?;
            let last = tokens[after_group(tokens, body) - 1].line;
            let item = Item { name: tokens[at].text, line: tokens[at].line };
            Some(Function { lines: last - item.line + 1, item })
        })
        .collect()
}

/// Index of the brace that opens the body of the function whose name stands at `at`; none in a trait.
fn body(tokens: &[Token<'_>], mut at: usize) -> Option<usize> {
    while let Some(token) = tokens.get(at) {
        if token.is("{") {
            return Some(at);
        }
        if token.is(";") {
            return None;
        }
        at = if token.is("(") || token.is("[") { after_group(tokens, at) } else { at + 1 };
    }
    None
}

/// Methods of each `impl Name` block, traits left out.
pub(super) fn methods_of(source: &Source<'_>, name: &str) -> Vec<usize> {
    let tokens = &source.tokens;
    let blocks = (2..tokens.len())
        .filter(|at| tokens[*at].is("{") && tokens[at - 1].is(name) && tokens[at - 2].is("impl"));
    blocks
        .map(|open| {
            let within = &tokens[open + 1..after_group(tokens, open) - 1];
            let (mut count, mut at) = (0, 0);
            while at < within.len() {
                count += usize::from(within[at].is("fn"));
                at = if within[at].is("{") { after_group(within, at) } else { at + 1 };
            }
            count
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source<'_> {
        Source::read("a.rs", "a.rs", text)
    }

    #[test]
    fn types_are_named() {
        let found =
            source("struct A; pub enum B<T> { C } trait D {} macro_rules! m { () => { struct $name; } }");
        let names: Vec<_> = types(&found).into_iter().map(|item| item.name).collect();
        assert_eq!(names, ["A", "B", "D"]);
    }

    #[test]
    fn public_items_are_counted_with_their_docs() {
        let text = "//! File.\n/// A.\n#[derive(Debug)]\npub struct A { /// Field.\n pub field: u8 }\n\
            impl A { pub const fn bare(&self) {} /// Doc.\n pub async fn told(&self) {} }\n\
            pub(crate) fn hidden() {}\n pub use a::b;\n pub mod file;\n pub const LIMIT: u8 = 1;\n\
            #[doc = \"x\"] pub type T = u8;\n macro_rules! m { () => { pub fn made() {} } }";
        let found = source(text);
        let items: Vec<_> = public_items(&found)
            .into_iter()
            .map(|item| (item.item.name, item.documented, item.is_file))
            .collect();
        let expected = [
            ("A", true, false),
            ("bare", false, false),
            ("told", true, false),
            ("file", false, true),
            ("LIMIT", false, false),
            ("T", true, false),
        ];
        assert_eq!(items, expected);
        assert!(documents_itself(&found));
    }

    #[test]
    fn openings_that_ask_are_found() {
        let found = source(
            "//! What it is.\n//! When more.\n/// Returns it.\n/// Whether not.\nfn f() {}\n/// Whose?\nfn g() {}",
        );
        let asking: Vec<_> = doc_openings(&found).into_iter().filter(|item| asks(item.name)).collect();
        assert_eq!(asking.iter().map(|item| item.line).collect::<Vec<_>>(), [1, 6]);
        assert!(!asks("Whatever comes") && !asks("`What` is a name") && !asks(""));
    }

    #[test]
    fn functions_are_measured_from_name_to_brace() {
        let found = source("fn a(\n x: [u8; 2],\n) -> u8 {\n 1\n}\ntrait T { fn b(); }\nfn c() {}");
        let lines: Vec<_> = functions(&found.tokens)
            .into_iter()
            .map(|function| (function.item.name, function.lines))
            .collect();
        assert_eq!(lines, [("a", 5), ("c", 1)]);
    }

    #[test]
    fn methods_are_counted_per_block() {
        let found = source(
            "impl Lacuna { pub fn a(&self) { fn inner() {} } fn b() {} } impl Lacuna { fn c() {} } \
             impl Drop for Lacuna { fn drop(&mut self) {} } impl Other { fn d() {} }",
        );
        assert_eq!(methods_of(&found, "Lacuna"), [2, 1]);
    }
}
