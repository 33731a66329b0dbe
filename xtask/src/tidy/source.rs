//! One file of a crate: its place among the modules, and its tokens without those that only tests see.

use std::ops::Range;

use super::lex::{self, Kind, Token, after_group};

/// Items that end with their first block, or with `;` where they have none.
const ITEMS_WITH_BLOCK: [&str; 8] = ["fn", "struct", "enum", "trait", "impl", "mod", "union", "macro_rules"];
const ITEMS_WITHOUT_BLOCK: [&str; 4] = ["use", "const", "static", "type"];

pub(super) struct Source<'a> {
    /// Path from the root of the workspace.
    pub(super) path: &'a str,
    /// Names from the crate root down; empty for `lib.rs` and `main.rs`.
    pub(super) module: Vec<&'a str>,
    pub(super) tokens: Vec<Token<'a>>,
    pub(super) lines: usize,
    /// Lines of items that only tests compile.
    pub(super) test_lines: usize,
    /// Modules that this file declares for tests only.
    pub(super) test_modules: Vec<&'a str>,
    /// Functions marked `#[test]`.
    pub(super) tests: usize,
}

impl<'a> Source<'a> {
    /// Reads the file at `path`; `inside` is its path below `src`.
    pub(super) fn read(path: &'a str, inside: &'a str, text: &'a str) -> Self {
        let mut tokens = lex::tokens(text);
        let tests = tokens.windows(4).filter(|window| is_test_attribute(window)).count();
        let ranges = test_items(&tokens);
        let test_modules =
            ranges.iter().filter_map(|range| declared_module(&tokens[range.clone()])).collect();
        let test_lines = ranges.iter().map(|range| lines(&tokens[range.clone()])).sum();
        for range in ranges.into_iter().rev() {
            tokens.drain(range);
        }
        let module = module_path(inside);
        Self { path, module, tokens, lines: text.lines().count(), test_lines, test_modules, tests }
    }

    /// Calls `see` with each token's index and the names of its module, inline modules included.
    pub(super) fn walk(&self, mut see: impl FnMut(usize, &[&'a str])) {
        let mut module = self.module.clone();
        let mut ends: Vec<usize> = Vec::new();
        for at in 0..self.tokens.len() {
            while ends.last().is_some_and(|end| *end <= at) {
                ends.pop();
                module.pop();
            }
            see(at, &module);
            if let [keyword, name, open, ..] = &self.tokens[at..]
                && keyword.is("mod")
                && open.is("{")
            {
                module.push(name.text);
                ends.push(after_group(&self.tokens, at + 2));
            }
        }
    }

    /// Place of a token, as an editor opens it.
    pub(super) fn place(&self, line: usize) -> String {
        format!("{}:{line}", self.path)
    }
}

fn is_test_attribute(window: &[Token<'_>]) -> bool {
    ["#", "[", "test", "]"].iter().zip(window).all(|(text, token)| token.is(text))
}

fn module_path(inside: &str) -> Vec<&str> {
    let mut names: Vec<_> = inside.trim_end_matches(".rs").split('/').collect();
    let is_root = names.len() == 1 && ["lib", "main"].contains(&names[0]);
    if is_root || names.last() == Some(&"mod") {
        names.pop();
    }
    names
}

/// Ranges of the items behind `#[cfg(test)]`, attribute included.
fn test_items(tokens: &[Token<'_>]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if is_cfg_test(&tokens[at..]) {
            let end = end_of_item(tokens, at);
            ranges.push(at..end);
            at = end;
        } else {
            at += 1;
        }
    }
    ranges
}

fn is_cfg_test(tokens: &[Token<'_>]) -> bool {
    let attribute = ["#", "[", "cfg", "(", "test", ")", "]"];
    tokens.len() > attribute.len() && attribute.iter().zip(tokens).all(|(text, token)| token.is(text))
}

/// Index after the item, field or statement whose attributes begin at `start`.
fn end_of_item(tokens: &[Token<'_>], start: usize) -> usize {
    let mut at = start;
    while let Some(token) = tokens.get(at) {
        if token.is("#") {
            at = after_group(tokens, at + 1);
        } else if token.is_doc() {
            at += 1;
        } else {
            break;
        }
    }
    let keyword = item_keyword(&tokens[at..]);
    while let Some(token) = tokens.get(at) {
        let opens = token.kind == Kind::Mark && ["(", "[", "{"].contains(&token.text);
        if opens {
            let block = token.is("{");
            at = after_group(tokens, at);
            if block && keyword.is_some_and(|keyword| ITEMS_WITH_BLOCK.contains(&keyword)) {
                return at;
            }
        } else if token.is("}") {
            return at;
        } else if token.is(";") || (token.is(",") && keyword.is_none()) {
            return at + 1;
        } else {
            at += 1;
        }
    }
    at
}

/// Keyword of the item that begins here; none for a field, a variant or a statement.
fn item_keyword<'a>(tokens: &[Token<'a>]) -> Option<&'a str> {
    let mut at = 0;
    if tokens.first().is_some_and(|token| token.is("pub")) {
        at = if tokens.get(1).is_some_and(|token| token.is("(")) { after_group(tokens, 1) } else { 1 };
    }
    let words: Vec<_> = tokens[at..].iter().take(4).take_while(|token| token.kind != Kind::Mark).collect();
    let known = |text: &str| ITEMS_WITH_BLOCK.contains(&text) || ITEMS_WITHOUT_BLOCK.contains(&text);
    let function = words.iter().find(|word| word.is("fn"));
    let item = function.or_else(|| words.iter().find(|word| word.is_word() && known(word.text)))?;
    Some(item.text)
}

/// Name in `mod name;`.
fn declared_module<'a>(tokens: &[Token<'a>]) -> Option<&'a str> {
    let [.., keyword, name, end] = tokens else { return None };
    (keyword.is("mod") && end.is(";")).then_some(name.text)
}

fn lines(tokens: &[Token<'_>]) -> usize {
    match tokens {
        [first, .., last] => last.line - first.line + 1,
        _ => tokens.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        let source = Source::read("x.rs", "x.rs", text);
        source.tokens.iter().map(|token| token.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn modules_are_named_after_their_files() {
        assert!(module_path("lib.rs").is_empty());
        assert!(module_path("main.rs").is_empty());
        assert_eq!(module_path("a.rs"), ["a"]);
        assert_eq!(module_path("a/mod.rs"), ["a"]);
        assert_eq!(module_path("a/b/main.rs"), ["a", "b", "main"]);
    }

    #[test]
    fn what_only_tests_compile_is_left_out() {
        assert_eq!(words("a; #[cfg(test)] mod tests { use crate::b; fn f() {} } c;"), "a ; c ;");
        assert_eq!(words("#[cfg(test)] #[allow(x)] pub(crate) fn f<A, B>(a: A) -> B { a } c;"), "c ;");
        assert_eq!(words("#[cfg(test)] use a::{b, c}; d;"), "d ;");
        assert_eq!(words("#[cfg(test)] const A: [u8; 2] = [B { c: 1 }.c, 2]; d;"), "d ;");
        assert_eq!(words("struct A { #[cfg(test)] pub(super) b: &[c, d], e: f }"), "struct A { e : f }");
        assert_eq!(words("f(A { #[cfg(test)] b: c }); d;"), "f ( A { } ) ; d ;");
    }

    #[test]
    fn lines_and_modules_of_tests_are_counted() {
        let source = Source::read(
            "a.rs",
            "a.rs",
            "fn f() {}\n#[cfg(test)]\nmod tests;\n#[cfg(test)]\nmod more {\n #[test]\n fn g() {}\n}\n",
        );
        assert_eq!(source.test_modules, ["tests"]);
        assert_eq!((source.lines, source.test_lines, source.tests), (8, 7, 1));
    }

    #[test]
    fn inline_modules_are_walked_with_their_names() {
        let source = Source::read("a.rs", "a.rs", "x mod b { y } z");
        let mut seen = Vec::new();
        source.walk(|at, module| {
            if ["x", "y", "z"].contains(&source.tokens[at].text) {
                seen.push(format!("{} {}", source.tokens[at].text, module.join("::")));
            }
        });
        assert_eq!(seen, ["x a", "y a::b", "z a"]);
    }
}
