//! Rust source as a flat list of tokens: enough to find items and paths, without the text of comments and literals.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Word,
    /// One character of punctuation, or `::`.
    Mark,
    /// A string, a character or a number.
    Literal,
    /// `///` or `/** */`.
    OuterDoc,
    /// `//!` or `/*! */`.
    InnerDoc,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) line: usize,
}

impl Token<'_> {
    pub(super) fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Mark) && self.text == text
    }

    pub(super) fn is_word(&self) -> bool {
        self.kind == Kind::Word
    }

    pub(super) fn is_doc(&self) -> bool {
        matches!(self.kind, Kind::OuterDoc | Kind::InnerDoc)
    }
}

pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(first) = rest.chars().next() {
        let (length, kind) = next(rest, first);
        let (taken, after) = rest.split_at(length);
        if let Some(kind) = kind {
            tokens.push(Token { kind, text: taken, line });
        }
        line += taken.bytes().filter(|byte| *byte == b'\n').count();
        rest = after;
    }
    tokens
}

/// Length and kind of the token that `rest` begins with; no kind for space, comments and lifetimes.
fn next(rest: &str, first: char) -> (usize, Option<Kind>) {
    if first.is_whitespace() {
        return (first.len_utf8(), None);
    }
    if rest.starts_with("//") {
        return line_comment(rest);
    }
    if rest.starts_with("/*") {
        return block_comment(rest);
    }
    if let Some(length) = string(rest) {
        return (length, Some(Kind::Literal));
    }
    if first == '\'' {
        return character_or_lifetime(rest);
    }
    if first.is_ascii_digit() {
        return (number(rest), Some(Kind::Literal));
    }
    if first.is_alphabetic() || first == '_' {
        return (word(rest), Some(Kind::Word));
    }
    let length = if rest.starts_with("::") { 2 } else { first.len_utf8() };
    (length, Some(Kind::Mark))
}

fn line_comment(rest: &str) -> (usize, Option<Kind>) {
    let length = rest.find('\n').unwrap_or(rest.len());
    let kind = if rest.starts_with("//!") {
        Some(Kind::InnerDoc)
    } else {
        (rest.starts_with("///") && !rest.starts_with("////")).then_some(Kind::OuterDoc)
    };
    (length, kind)
}

fn block_comment(rest: &str) -> (usize, Option<Kind>) {
    let kind = if rest.starts_with("/*!") {
        Some(Kind::InnerDoc)
    } else {
        let outer = rest.starts_with("/**") && !rest.starts_with("/***") && !rest.starts_with("/**/");
        outer.then_some(Kind::OuterDoc)
    };
    let (mut at, mut depth) = (2, 1);
    while depth > 0 {
        let Some(step) = rest[at..].find(['/', '*']) else { return (rest.len(), kind) };
        at += step;
        let (width, change) = match rest.get(at..at + 2) {
            Some("/*") => (2, 1),
            Some("*/") => (2, -1),
            _ => (1, 0),
        };
        at += width;
        depth += change;
    }
    (at, kind)
}

/// Length of a string literal with its prefix, or nothing when no string begins here.
fn string(rest: &str) -> Option<usize> {
    let prefix = ["br", "cr", "r", "b", "c", ""].into_iter().find(|prefix| {
        let after = rest.strip_prefix(prefix).unwrap_or_default();
        after.starts_with('"') || (prefix.ends_with('r') && after.trim_start_matches('#').starts_with('"'))
    })?;
    let after = &rest[prefix.len()..];
    if !prefix.ends_with('r') {
        return Some(prefix.len() + quoted(after, '"'));
    }
    let hashes = after.len() - after.trim_start_matches('#').len();
    let close = format!("\"{}", "#".repeat(hashes));
    let body = &after[hashes + 1..];
    let end = body.find(&close).map_or(body.len(), |end| end + close.len());
    Some(prefix.len() + hashes + 1 + end)
}

/// Length up to and including the closing quote; a backslash takes the next character with it.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, character) in rest.char_indices().skip(1) {
        if !escaped && character == quote {
            return at + character.len_utf8();
        }
        escaped = !escaped && character == '\\';
    }
    rest.len()
}

fn character_or_lifetime(rest: &str) -> (usize, Option<Kind>) {
    let mut after = rest.chars().skip(1);
    let (first, second) = (after.next(), after.next());
    if first == Some('\\') || second == Some('\'') {
        return (quoted(rest, '\''), Some(Kind::Literal));
    }
    (1 + word(&rest[1..]), None)
}

fn number(rest: &str) -> usize {
    let mut length = word(rest);
    let fraction = rest[length..].strip_prefix('.').unwrap_or_default();
    if fraction.starts_with(|digit: char| digit.is_ascii_digit()) {
        length += 1 + word(fraction);
    }
    length
}

fn word(rest: &str) -> usize {
    rest.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(rest.len())
}

/// Index after the group that opens at `open`, or the end of the tokens.
pub(super) fn after_group(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.kind != Kind::Mark {
            continue;
        }
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        tokens(source).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_are_left_out_and_docs_are_kept() {
        let source = "// no\n/// yes\n//! in\n//// no\n/* a /* b */ c */ x /** doc */ y";
        assert_eq!(texts(source), ["/// yes", "//! in", "x", "/** doc */", "y"]);
    }

    #[test]
    fn literals_are_one_token_whatever_they_hold() {
        let source = r####"f("a // \" b", r#"c " d"#, b"e", '"', '\'', 'é', 1_000.5e3, 0..2)"####;
        let literals: Vec<_> = tokens(source)
            .into_iter()
            .filter(|token| token.kind == Kind::Literal)
            .map(|token| token.text)
            .collect();
        assert_eq!(
            literals,
            [r#""a // \" b""#, r###"r#"c " d"#"###, "b\"e\"", "'\"'", r"'\''", "'é'", "1_000.5e3", "0", "2"]
        );
    }

    #[test]
    fn lifetimes_are_no_literals() {
        assert_eq!(
            texts("fn f<'a>(x: &'a str) -> &'static str {}").join(" "),
            "fn f < > ( x : & str ) - > & str { }"
        );
    }

    #[test]
    fn lines_are_counted_across_literals() {
        let found = tokens("a\n\"x\ny\"\n/* z\n */ b");
        let lines: Vec<_> = found.iter().map(|token| token.line).collect();
        assert_eq!(lines, [1, 2, 5]);
    }

    #[test]
    fn a_raw_name_is_no_string() {
        assert_eq!(texts("r#type::x"), ["r", "#", "type", "::", "x"]);
    }
}
