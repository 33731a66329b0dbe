//! Edits of a JSON file that leave the rest of its text alone: order, spacing and comments stay as their owner wrote
//! them. `jsonc_parser` reads the text, comments and trailing commas included, because some hosts allow them.
//!
//! The edits are splices of the text. The library's own editor breaks objects on one line into several and drops
//! comments beside an entry that it removes, so an undo would not give the file back.

use std::ops::Range;

use jsonc_parser::ast::{ObjectProp, Value as Node};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde_json::Value;

const INDENT: &str = "  ";
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A file's text, and the values that it holds.
pub(super) struct JsonText {
    /// Without the byte order mark, if there was one.
    text: String,
    is_marked: bool,
    value: Value,
}

/// The syntax of a document.
struct Syntax<'a> {
    text: &'a str,
    root: Node<'a>,
    tokens: Vec<TokenAndRange<'a>>,
}

/// A member of an object or an item of an array.
struct JsonEntry<'n> {
    start: usize,
    value: &'n Node<'n>,
}

impl JsonText {
    /// Reads a text; an empty one is an empty object.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let bare = text.strip_prefix(BYTE_ORDER_MARK);
        let is_marked = bare.is_some();
        let text = bare.unwrap_or(text);
        let text = if text.trim().is_empty() { "{}\n" } else { text };
        let syntax = Syntax::of(text)?;
        let value = syntax.value(&syntax.root)?;
        if !value.is_object() {
            return Err("the file is not an object".to_owned());
        }
        Ok(Self { text: text.to_owned(), is_marked, value })
    }

    pub(super) fn text(&self) -> String {
        let mark = self.is_marked.then_some(BYTE_ORDER_MARK);
        mark.into_iter().chain(self.text.chars()).collect()
    }

    pub(super) fn value(&self) -> &Value {
        &self.value
    }

    /// Returns the document with `value` at `path`; objects on the way are made.
    pub(super) fn set(&self, path: &[&str], value: &Value) -> Result<Self, String> {
        let syntax = Syntax::of(&self.text)?;
        let (depth, node) = syntax.deepest(path);
        if depth == path.len() {
            let text = pretty(value, indent_at(&self.text, node.start()));
            return self.with(node.start()..node.end(), &text);
        }
        let missing = &path[depth + 1..];
        let inner = missing.iter().rev().fold(value.clone(), |inner, key| serde_json::json!({ *key: inner }));
        match node {
            Node::Object(_) => self.insert(node, Some(path[depth]), &inner),
            _ => Err(format!("{} is not an object", path[..depth].join("."))),
        }
    }

    /// Returns the document with `value` first in the array at `path`, which is made if it is not there.
    pub(super) fn push(&self, path: &[&str], value: &Value) -> Result<Self, String> {
        let syntax = Syntax::of(&self.text)?;
        match syntax.deepest(path) {
            (depth, node @ Node::Array(_)) if depth == path.len() => self.insert(node, None, value),
            (depth, _) if depth == path.len() => Err(format!("{} is not a list", path.join("."))),
            _ => self.set(path, &Value::Array(vec![value.clone()])),
        }
    }

    /// Returns the document without the entry at `path`; in a list, a number names the place. Objects and lists that
    /// this leaves empty go too.
    pub(super) fn remove(&self, path: &[&str]) -> Result<Self, String> {
        let Some((last, above)) = path.split_last() else {
            return Err("there is nothing to remove".to_owned());
        };
        let syntax = Syntax::of(&self.text)?;
        let (depth, node) = syntax.deepest(above);
        let Some(at) = place(node, last).filter(|_| depth == above.len()) else { return self.with(0..0, "") };
        let entries = entries(node);
        if entries.len() == 1 && !above.is_empty() {
            return self.remove(above);
        }
        let entry = &entries[at];
        let span = match (at.checked_sub(1).map(|before| &entries[before]), entries.get(at + 1)) {
            (_, Some(next)) => syntax.span_before(entry, next),
            (Some(before), None) => before.value.end()..entry.value.end(),
            (None, None) => node.start() + 1..node.end() - 1,
        };
        self.with(span, "")
    }

    /// Puts a value before the others: behind them, a line of the owner's would need a comma.
    fn insert(&self, node: &Node, key: Option<&str>, value: &Value) -> Result<Self, String> {
        let outer = indent_at(&self.text, node.start());
        let key = key.map_or_else(String::new, |key| format!("{}: ", Value::from(key)));
        let open = node.start() + 1;
        let entries = entries(node);
        let Some(first) = entries.first() else {
            let inner = format!("{outer}{INDENT}");
            let body = format!("\n{inner}{key}{}\n{outer}", pretty(value, &inner));
            return self.with(open..node.end() - 1, &body);
        };
        if !self.text[open..first.start].contains('\n') {
            return self.with(first.start..first.start, &format!("{key}{value}, "));
        }
        let inner = indent_at(&self.text, first.start);
        self.with(open..open, &format!("\n{inner}{key}{},", pretty(value, inner)))
    }

    fn with(&self, span: Range<usize>, replacement: &str) -> Result<Self, String> {
        let text = format!("{}{replacement}{}", &self.text[..span.start], &self.text[span.end..]);
        Ok(Self { is_marked: self.is_marked, ..Self::parse(&text)? })
    }
}

impl<'a> Syntax<'a> {
    fn of(text: &'a str) -> Result<Self, String> {
        let collect = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: true };
        let parsed = parse_to_ast(text, &collect, &strict()).map_err(|error| fault(&error))?;
        let root = parsed.value.ok_or("the file is not an object")?;
        Ok(Self { text, root, tokens: parsed.tokens.unwrap_or_default() })
    }

    /// Returns the value of a node, and refuses a key that stands twice and a scalar that JSON does not have.
    fn value(&self, node: &Node) -> Result<Value, String> {
        match node {
            Node::Object(object) => {
                let mut members = serde_json::Map::new();
                for member in &object.properties {
                    let key = member.name.as_str().to_owned();
                    if members.insert(key, self.value(&member.value)?).is_some() {
                        return Err(self.refuse(member.start(), "a key stands twice"));
                    }
                }
                Ok(Value::Object(members))
            }
            Node::Array(array) => array.elements.iter().map(|item| self.value(item)).collect(),
            scalar => serde_json::from_str(&self.text[scalar.start()..scalar.end()])
                .map_err(|_| self.refuse(scalar.start(), "no value of JSON")),
        }
    }

    fn refuse(&self, at: usize, reason: &str) -> String {
        format!("line {}: {reason}", self.text[..at].matches('\n').count() + 1)
    }

    /// Follows `path` as deep as it leads, and returns the depth and the node there.
    fn deepest(&self, path: &[&str]) -> (usize, &Node<'_>) {
        let mut node: &Node<'_> = &self.root;
        for (depth, key) in path.iter().enumerate() {
            match place(node, key) {
                Some(at) => node = entries(node)[at].value,
                None => return (depth, node),
            }
        }
        (path.len(), node)
    }

    /// An entry with its comma: its lines if it has its own, so that comments around it stay.
    fn span_before(&self, entry: &JsonEntry, next: &JsonEntry) -> Range<usize> {
        let comma = self.tokens.iter().find(|token| token.range.start >= entry.value.end());
        let comma = comma.filter(|token| token.token == Token::Comma);
        let end = comma.map_or(next.start, |comma| comma.range.end);
        let bare = self.text[..entry.start].trim_end_matches([' ', '\t']).len();
        match self.text[..bare].ends_with('\n') {
            true => bare - 1..end,
            false if self.text[end..next.start].trim_matches([' ', '\t']).is_empty() => {
                entry.start..next.start
            }
            false => entry.start..end,
        }
    }
}

/// Names the fault and its line, and nothing of the text there, which may be somebody's key.
fn fault(error: &ParseError) -> String {
    let line = error.line_display();
    match error.kind() {
        ParseErrorKind::String(_) => format!("line {line}: Unreadable string"),
        kind => format!("line {line}: {kind}"),
    }
}

/// JSON with comments and trailing commas, and nothing else that the library would read.
fn strict() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn entries<'n>(node: &'n Node<'n>) -> Vec<JsonEntry<'n>> {
    match node {
        Node::Object(object) => {
            let entry =
                |member: &'n ObjectProp<'n>| JsonEntry { start: member.start(), value: &member.value };
            object.properties.iter().map(entry).collect()
        }
        Node::Array(array) => {
            array.elements.iter().map(|value| JsonEntry { start: value.start(), value }).collect()
        }
        _ => Vec::new(),
    }
}

/// The place of a member by its key, or of an item by its number.
fn place(node: &Node, key: &str) -> Option<usize> {
    match node {
        Node::Object(object) => object.properties.iter().position(|member| member.name.as_str() == key),
        Node::Array(array) => key.parse().ok().filter(|at| *at < array.elements.len()),
        _ => None,
    }
}

/// The white space with which the line of a place begins.
fn indent_at(text: &str, at: usize) -> &str {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn pretty(value: &Value, indent: &str) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.replace('\n', &format!("\n{indent}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn set(text: &str, path: &[&str], value: Value) -> String {
        JsonText::parse(text).unwrap().set(path, &value).unwrap().text
    }

    #[test]
    fn what_is_not_touched_stays_as_it_is() {
        let text = "{\n    // mine\n    \"z\": 1,  \"a\": [1,2],\n    \"servers\": {\n        \"x\": {}\n    },\n}\n";
        let added = set(text, &["servers", "lacuna"], json!({"command": "l"}));
        let expected = text.replace(
            "\"servers\": {\n",
            "\"servers\": {\n        \"lacuna\": {\n          \"command\": \"l\"\n        },\n",
        );
        assert_eq!(added, expected);
        let document = JsonText::parse(&added).unwrap();
        assert_eq!(document.remove(&["servers", "lacuna"]).unwrap().text, text);
        assert_eq!(document.value()["servers"]["lacuna"], json!({"command": "l"}));
    }

    #[test]
    fn comments_stay_where_they_are() {
        for text in
            ["{ // one\n  // two\n  \"a\": 1, // three\n  \"b\": 2\n}", "{ /* one */ \"a\": 1 /* two */ }"]
        {
            let added = JsonText::parse(text).unwrap().set(&["lacuna"], &json!(7)).unwrap();
            assert_eq!(added.remove(&["lacuna"]).unwrap().text, text);
        }
        let text = "{\n  \"a\": 1, // mine\n  \"lacuna\": 2,\n  // yours\n  \"b\": 3\n}";
        let left = JsonText::parse(text).unwrap().remove(&["lacuna"]).unwrap().text;
        assert_eq!(left, "{\n  \"a\": 1, // mine\n  // yours\n  \"b\": 3\n}");
    }

    #[test]
    fn a_byte_order_mark_and_windows_line_ends_stay() {
        let text = "\u{feff}{\r\n  \"a\": 1\r\n}\r\n";
        let added = JsonText::parse(text).unwrap().set(&["lacuna"], &json!(7)).unwrap();
        assert_eq!(added.text(), text.replace("{\r", "{\n  \"lacuna\": 7,\r"));
        assert_eq!(added.remove(&["lacuna"]).unwrap().text(), text);
    }

    #[test]
    fn what_is_missing_is_made_and_goes_again() {
        assert_eq!(set("", &["a", "b"], json!(1)), "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n");
        assert_eq!(set("{\"k\": 1}", &["a"], json!([])), "{\"a\": [], \"k\": 1}");
        let made = JsonText::parse("{\"k\": 1}").unwrap().push(&["h", "s"], &json!({"c": 2})).unwrap();
        assert_eq!(made.value(), &json!({"k": 1, "h": {"s": [{"c": 2}]}}));
        let both = made.push(&["h", "s"], &json!(3)).unwrap();
        assert_eq!(both.remove(&["h", "s", "0"]).unwrap().value(), made.value());
        assert_eq!(made.remove(&["h", "s", "0"]).unwrap().text, "{\"k\": 1}");
        assert_eq!(made.remove(&["no", "such"]).unwrap().text, made.text);
    }

    #[test]
    fn what_is_no_json_is_refused_with_its_line() {
        for bad in [
            "[]",
            "7",
            "{",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1 \"b\":2}",
            "{\"a\":1}x",
            "{\"a\":'x'}",
            "{a:1}",
            "{\"a\":1,\"a\":2}",
            "/*",
            "{\"a\": nul}",
            "{\"a\": \"\n",
            "{,}",
        ] {
            assert!(JsonText::parse(bad).is_err(), "{bad}");
        }
        let deep = format!("{{\"a\":{}", "[".repeat(1_000_000));
        assert!(JsonText::parse(&deep).is_err());
        let fault = JsonText::parse("{\n\"token\": hunter2\n}").err().unwrap();
        assert_eq!(fault, "line 2: Unexpected word", "and nothing of what stands there");
        assert!(JsonText::parse("{\"a\": 1}").unwrap().set(&["a", "b"], &json!(1)).is_err());
        assert!(JsonText::parse("{\"a\": 1}").unwrap().push(&["a"], &json!(1)).is_err());
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            ".{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(".{0,8}", inner, 0..4).prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_object_is_read_as_serde_reads_it_and_comes_back(value in any_json(), compact: bool) {
            let value = json!({"k": value});
            let text = if compact { value.to_string() } else { serde_json::to_string_pretty(&value).unwrap() };
            let document = JsonText::parse(&text).unwrap();
            prop_assert_eq!(document.value(), &value);
            let added = document.set(&["own", "lacuna"], &json!({"x": [1]})).unwrap();
            prop_assert_eq!(&added.remove(&["own", "lacuna"]).unwrap().text, &text);
        }

        #[test]
        fn no_text_makes_it_panic(text in "[{}\\[\\],:\"\\\\/*a1 \n]{0,40}") {
            let _ = JsonText::parse(&text);
        }
    }
}
