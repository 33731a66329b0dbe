//! Editing a JSON file where it is to be changed, and nowhere else: order, spacing and comments stay as their
//! owner wrote them. Comments and trailing commas are read, because some hosts allow them.

use std::ops::Range;

use serde_json::Value;

/// Containers within containers.
const DEPTH_MAX: usize = 128;
const INDENT: &str = "  ";

/// A value and where it stands.
pub(super) struct Node {
    span: Range<usize>,
    shape: Shape,
}

enum Shape {
    Object(Vec<Entry>),
    Array(Vec<Entry>),
    Scalar,
}

/// A member of an object or an item of an array.
struct Entry {
    /// Empty in an array.
    key: String,
    start: usize,
    value: Node,
    /// Where it is parted from what follows.
    comma: Option<usize>,
}

/// A file's text, read.
pub(super) struct Document {
    text: String,
    root: Node,
}

impl Document {
    /// Reads a text; an empty one is an empty object.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let text = if text.trim().is_empty() { "{}\n" } else { text };
        let mut parser = Parser { text, at: 0 };
        parser.skip_byte_order_mark();
        let root = parser.value(0)?;
        parser.space()?;
        if parser.at < text.len() {
            return Err(parser.fault("the end"));
        }
        if !matches!(root.shape, Shape::Object(_)) {
            return Err("the file is not an object".to_owned());
        }
        Ok(Self { text: text.to_owned(), root })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// What it says, whatever it looks like.
    pub(super) fn value(&self) -> Value {
        self.root.value(&self.text)
    }

    /// The document with `value` at `path`; objects on the way are made.
    pub(super) fn set(&self, path: &[&str], value: &Value) -> Result<Self, String> {
        let (depth, node) = self.deepest(path);
        if depth == path.len() {
            let text = pretty(value, &indent_at(&self.text, node.span.start));
            return self.with(node.span.clone(), &text);
        }
        let missing = &path[depth + 1..];
        let inner = missing.iter().rev().fold(value.clone(), |inner, key| serde_json::json!({ *key: inner }));
        match &node.shape {
            Shape::Object(_) => self.insert(node, Some(path[depth]), &inner),
            _ => Err(format!("{} is not an object", path[..depth].join("."))),
        }
    }

    /// The document with `value` in the array at `path`, before the others; it is made if need be.
    pub(super) fn push(&self, path: &[&str], value: &Value) -> Result<Self, String> {
        let (depth, node) = self.deepest(path);
        match &node.shape {
            Shape::Array(_) if depth == path.len() => self.insert(node, None, value),
            _ if depth == path.len() => Err(format!("{} is not a list", path.join("."))),
            _ => self.set(path, &Value::Array(vec![value.clone()])),
        }
    }

    /// The document without what is at `path`, a number being a place in a list. Objects and lists that are empty
    /// then go too.
    pub(super) fn remove(&self, path: &[&str]) -> Result<Self, String> {
        let Some((last, above)) = path.split_last() else {
            return Err("there is nothing to remove".to_owned());
        };
        let (depth, node) = self.deepest(above);
        let entries = node.entries();
        let Some(at) = node.place(last).filter(|_| depth == above.len()) else { return self.with(0..0, "") };
        if entries.len() == 1 && !above.is_empty() {
            return self.remove(above);
        }
        let entry = &entries[at];
        let span = match (at.checked_sub(1).map(|before| &entries[before]), entries.get(at + 1)) {
            (_, Some(next)) => self.span_before(entry, next),
            (Some(before), None) => before.value.span.end..entry.value.span.end,
            (None, None) => node.span.start + 1..node.span.end - 1,
        };
        self.with(span, "")
    }

    /// An entry with its comma: its lines if it has its own, so that comments around it stay.
    fn span_before(&self, entry: &Entry, next: &Entry) -> Range<usize> {
        let end = entry.comma.map_or(next.start, |comma| comma + 1);
        let bare = self.text[..entry.start].trim_end_matches([' ', '\t']).len();
        match self.text[..bare].ends_with('\n') {
            true => bare - 1..end,
            false if self.text[end..next.start].trim_matches([' ', '\t']).is_empty() => {
                entry.start..next.start
            }
            false => entry.start..end,
        }
    }

    /// As deep as `path` leads, and what is there.
    fn deepest(&self, path: &[&str]) -> (usize, &Node) {
        let mut node = &self.root;
        for (depth, key) in path.iter().enumerate() {
            match node.place(key) {
                Some(at) => node = &node.entries()[at].value,
                None => return (depth, node),
            }
        }
        (path.len(), node)
    }

    /// Puts a value before the others: behind them, a line that is not ours would need a comma.
    fn insert(&self, node: &Node, key: Option<&str>, value: &Value) -> Result<Self, String> {
        let outer = indent_at(&self.text, node.span.start);
        let key = key.map_or_else(String::new, |key| format!("{}: ", Value::from(key)));
        let open = node.span.start + 1;
        let Some(first) = node.entries().first() else {
            let inner = format!("{outer}{INDENT}");
            let body = format!("\n{inner}{key}{}\n{outer}", pretty(value, &inner));
            return self.with(open..node.span.end - 1, &body);
        };
        if !self.text[open..first.start].contains('\n') {
            return self.with(first.start..first.start, &format!("{key}{value}, "));
        }
        let inner = indent_at(&self.text, first.start);
        self.with(open..open, &format!("\n{inner}{key}{},", pretty(value, &inner)))
    }

    fn with(&self, span: Range<usize>, replacement: &str) -> Result<Self, String> {
        let text = format!("{}{replacement}{}", &self.text[..span.start], &self.text[span.end..]);
        Self::parse(&text)
    }
}

impl Node {
    fn entries(&self) -> &[Entry] {
        match &self.shape {
            Shape::Object(entries) | Shape::Array(entries) => entries,
            Shape::Scalar => &[],
        }
    }

    /// The place of a member by its key, or of an item by its number.
    fn place(&self, key: &str) -> Option<usize> {
        match &self.shape {
            Shape::Object(entries) => entries.iter().position(|entry| entry.key == key),
            Shape::Array(entries) => key.parse().ok().filter(|at| *at < entries.len()),
            Shape::Scalar => None,
        }
    }

    fn value(&self, text: &str) -> Value {
        match &self.shape {
            Shape::Object(entries) => Value::Object(
                entries.iter().map(|entry| (entry.key.clone(), entry.value.value(text))).collect(),
            ),
            Shape::Array(entries) => entries.iter().map(|entry| entry.value.value(text)).collect(),
            Shape::Scalar => serde_json::from_str(&text[self.span.clone()]).unwrap_or_default(),
        }
    }
}

/// The white space with which the line of a place begins.
fn indent_at(text: &str, at: usize) -> String {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
}

fn pretty(value: &Value, indent: &str) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.replace('\n', &format!("\n{indent}"))
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_byte_order_mark(&mut self) {
        self.at += if self.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    }

    /// Names the place and never what stands there.
    fn fault(&self, expected: &str) -> String {
        let line = self.text[..self.at].matches('\n').count() + 1;
        format!("line {line}: expected {expected}")
    }

    fn space(&mut self) -> Result<(), String> {
        loop {
            let trimmed = self.rest().trim_start_matches([' ', '\t', '\r', '\n']);
            self.at = self.text.len() - trimmed.len();
            if trimmed.starts_with("//") {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if let Some(comment) = trimmed.strip_prefix("/*") {
                let end = comment.find("*/").ok_or_else(|| self.fault("the end of a comment"))?;
                self.at += 2 + end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, String> {
        self.space()?;
        let start = self.at;
        let shape = match self.rest().chars().next() {
            Some(_) if depth > DEPTH_MAX => return Err(self.fault("less depth")),
            Some('{') => Shape::Object(self.entries('}', depth)?),
            Some('[') => Shape::Array(self.entries(']', depth)?),
            Some('"') => self.string().map(|_| Shape::Scalar)?,
            _ => self.word()?,
        };
        Ok(Node { span: start..self.at, shape })
    }

    fn entries(&mut self, close: char, depth: usize) -> Result<Vec<Entry>, String> {
        self.at += 1;
        let mut entries: Vec<Entry> = Vec::new();
        loop {
            self.space()?;
            if self.rest().starts_with(close) {
                self.at += 1;
                return Ok(entries);
            }
            let start = self.at;
            let key = if close == '}' { self.key()? } else { String::new() };
            if close == '}' && entries.iter().any(|entry| entry.key == key) {
                return Err(self.fault("each key once"));
            }
            let value = self.value(depth + 1)?;
            self.space()?;
            let comma = self.rest().starts_with(',').then_some(self.at);
            if comma.is_none() && !self.rest().starts_with(close) {
                return Err(self.fault("a comma or the end of a list"));
            }
            self.at += usize::from(comma.is_some());
            entries.push(Entry { key, start, value, comma });
        }
    }

    fn key(&mut self) -> Result<String, String> {
        let key = self.string()?;
        self.space()?;
        if !self.rest().starts_with(':') {
            return Err(self.fault("a colon"));
        }
        self.at += 1;
        Ok(key)
    }

    fn string(&mut self) -> Result<String, String> {
        let start = self.at;
        let mut escaped = false;
        for (at, c) in self.rest().char_indices().skip(1) {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    self.at += at + 1;
                    let text = serde_json::from_str(&self.text[start..self.at]);
                    return text.map_err(|_| self.fault("a string"));
                }
                _ => {}
            }
        }
        Err(self.fault("a string"))
    }

    fn word(&mut self) -> Result<Shape, String> {
        let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '}' | ']' | '/' | ':' | '"');
        let length = self.rest().find(ends).unwrap_or(self.rest().len());
        if serde_json::from_str::<Value>(&self.rest()[..length]).is_err() {
            return Err(self.fault("a value"));
        }
        self.at += length;
        Ok(Shape::Scalar)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn set(text: &str, path: &[&str], value: Value) -> String {
        Document::parse(text).unwrap().set(path, &value).unwrap().text
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
        let document = Document::parse(&added).unwrap();
        assert_eq!(document.remove(&["servers", "lacuna"]).unwrap().text, text);
        assert_eq!(document.value()["servers"]["lacuna"], json!({"command": "l"}));
    }

    #[test]
    fn comments_stay_where_they_are() {
        for text in
            ["{ // one\n  // two\n  \"a\": 1, // three\n  \"b\": 2\n}", "{ /* one */ \"a\": 1 /* two */ }"]
        {
            let added = Document::parse(text).unwrap().set(&["lacuna"], &json!(7)).unwrap();
            assert_eq!(added.remove(&["lacuna"]).unwrap().text, text);
        }
        let text = "{\n  \"a\": 1, // mine\n  \"lacuna\": 2,\n  // yours\n  \"b\": 3\n}";
        let left = Document::parse(text).unwrap().remove(&["lacuna"]).unwrap().text;
        assert_eq!(left, "{\n  \"a\": 1, // mine\n  // yours\n  \"b\": 3\n}");
    }

    #[test]
    fn what_is_missing_is_made_and_goes_again() {
        assert_eq!(set("", &["a", "b"], json!(1)), "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n");
        assert_eq!(set("{\"k\": 1}", &["a"], json!([])), "{\"a\": [], \"k\": 1}");
        let made = Document::parse("{\"k\": 1}").unwrap().push(&["h", "s"], &json!({"c": 2})).unwrap();
        assert_eq!(made.value(), json!({"k": 1, "h": {"s": [{"c": 2}]}}));
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
            assert!(Document::parse(bad).is_err(), "{bad}");
        }
        let deep = format!("{{\"a\":{}", "[".repeat(1_000_000));
        assert!(Document::parse(&deep).is_err());
        let fault = Document::parse("{\n\"token\": hunter2\n}").err().unwrap();
        assert_eq!(fault, "line 2: expected a value", "and nothing of what stands there");
        assert!(Document::parse("{\"a\": 1}").unwrap().set(&["a", "b"], &json!(1)).is_err());
        assert!(Document::parse("{\"a\": 1}").unwrap().push(&["a"], &json!(1)).is_err());
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
            let document = Document::parse(&text).unwrap();
            prop_assert_eq!(document.value(), value);
            let added = document.set(&["own", "lacuna"], &json!({"x": [1]})).unwrap();
            prop_assert_eq!(&added.remove(&["own", "lacuna"]).unwrap().text, &text);
        }

        #[test]
        fn no_text_makes_it_panic(text in "[{}\\[\\],:\"\\\\/*a1 \n]{0,40}") {
            let _ = Document::parse(&text);
        }
    }
}
