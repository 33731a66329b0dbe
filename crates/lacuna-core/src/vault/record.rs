//! Records in an opened vault: the texts that a JSON value holds, and the marks by which a record is found at once.

use lacuna_language::words::stable_hash;
use lacuna_types::*;
use serde_json::Value;
use zeroize::Zeroizing;

use crate::audit::{AuditAction, AuditEntry, Subject};
use crate::index::Stored;
use crate::vault::chain::each_entry;
use crate::vault::open::{Held, OpenVault};
use crate::vault::secrets::is_locked;
use crate::vault::service::Service;

/// Texts that one record is read into, at most; the rest is passed over.
const TEXTS_MAX: usize = 100_000;

/// Tells the kinds of marks apart.
const ALL_MARK: u8 = 1;
const PREFIX_MARK: u8 = 2;
const PLACE_MARK: u8 = 3;
const ID_MARK: u8 = 4;

/// The marks that a record bears, besides those of every memory.
pub(crate) fn record_marks(record: &RecordFacet) -> Vec<u64> {
    let labels: Vec<&str> = record.place.labels.iter().map(Plaintext::expose).collect();
    let prefixes = (0..=labels.len()).map(|length| prefix_mark(&labels[..length]));
    prefixes.chain([place_mark(&record.place)]).collect()
}

/// The mark of every record under a namespace.
fn prefix_mark(prefix: &[&str]) -> u64 {
    match prefix {
        [] => hash(ALL_MARK, &[]),
        labels => hash(PREFIX_MARK, labels),
    }
}

fn place_mark(place: &RecordPlace) -> u64 {
    let mut parts: Vec<&str> = place.labels.iter().map(Plaintext::expose).collect();
    parts.push(place.key.expose());
    hash(PLACE_MARK, &parts)
}

/// The mark of a memory that is known by another id than its own.
pub(crate) fn id_mark(id: MemoryId) -> u64 {
    let mut bytes = vec![ID_MARK];
    bytes.extend_from_slice(id.as_bytes());
    stable_hash(&bytes)
}

/// Hashes parts so that no two lists of them meet: each has its length before it.
fn hash(kind: u8, parts: &[&str]) -> u64 {
    let size = parts.iter().map(|part| part.len() + size_of::<u64>()).sum::<usize>() + 1;
    let mut bytes = Zeroizing::new(Vec::with_capacity(size));
    bytes.push(kind);
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
        bytes.extend_from_slice(part.as_bytes());
    }
    stable_hash(&bytes)
}

impl Service {
    /// The memory that an id names in a vault: see [`OpenVault::named`]. An id that names none stays as it is. Of a locked
    /// vault the audit tells.
    pub(crate) fn named(&self, scope: &Scope, id: MemoryId) -> Result<MemoryId> {
        // Nearly every id is a memory's own, and an open vault knows it without a look at the store.
        if self.reader(scope).peek(|vault| vault.index.get(&id).is_some()) == Some(true) {
            return Ok(id);
        }
        match self.serve(scope, |vault| vault.named(id)) {
            Err(error) if is_locked(&error) => self.named_by_audit(scope, id),
            named => Ok(named?.flatten().unwrap_or(id)),
        }
    }

    /// The memory that took the place of another under its id last, by the entries of the audit.
    fn named_by_audit(&self, scope: &Scope, id: MemoryId) -> Result<MemoryId> {
        let (public, mut named) = (Subject::from(id), id);
        each_entry(self, scope.vault_id(), 0, |row| {
            let entry = AuditEntry::decode(row)?;
            match (entry.action, entry.subjects.as_slice()) {
                (AuditAction::MemoryReplace, [kept, behind]) if *kept == public => {
                    named = MemoryId::from_bytes(behind.0);
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(named)
    }

    /// The memories that ids name.
    pub(crate) fn all_named(&self, scope: &Scope, ids: &[MemoryId]) -> Result<Vec<MemoryId>> {
        ids.iter().map(|id| self.named(scope, *id)).collect()
    }
}

impl OpenVault {
    /// The records under a namespace that are not forgotten, the oldest first.
    pub(crate) fn records_under(
        &self,
        prefix: &[&str],
    ) -> impl Iterator<Item = (Stored<'_, Held>, &RecordFacet)> {
        let under = prefix.iter().map(|label| (*label).to_owned()).collect::<Vec<_>>();
        self.bearing(prefix_mark(prefix)).filter(move |(_, record)| record.place.is_under(&under))
    }

    /// The record at a place.
    pub(crate) fn record_at(&self, place: &RecordPlace) -> Option<(Stored<'_, Held>, &RecordFacet)> {
        self.bearing(place_mark(place)).filter(|(_, record)| record.place == *place).last()
    }

    /// The record with a public id.
    pub(crate) fn record_with_id(&self, id: MemoryId) -> Option<(Stored<'_, Held>, &RecordFacet)> {
        self.bearing(id_mark(id)).filter(|(_, record)| record.id == id).last()
    }

    /// The memory that an id names: its own, or the one that stayed when its text was replaced. One that is hidden is
    /// named only where no other is.
    pub(crate) fn named(&self, id: MemoryId) -> Option<MemoryId> {
        let known_as = |other: &MemoryId| {
            let stored = self.index.get(other);
            stored.is_some_and(|one| one.payload.facets.history.public_id == Some(id))
        };
        let own = self.index.get(&id).map(|stored| stored.id);
        let all = || own.into_iter().chain(self.marks.bearers(id_mark(id)).filter(known_as));
        let is_there = |id: &MemoryId| {
            self.index.get(id).is_some_and(|stored| stored.attributes.state != Lifecycle::Deleted)
        };
        all().find(is_there).or_else(|| all().last())
    }

    fn bearing(&self, mark: u64) -> impl Iterator<Item = (Stored<'_, Held>, &RecordFacet)> {
        self.marks.bearers(mark).filter_map(|id| {
            let stored = self.index.get(&id)?;
            let record = stored.payload.facets.history.record.as_deref()?;
            (stored.attributes.state != Lifecycle::Deleted).then_some((stored, record))
        })
    }
}

/// Everything that the value and the metadata of a record say, with the names of the fields.
pub(crate) fn readable(record: &RecordFacet, json: &str) -> Plaintext {
    all_said(&[json, record.metadata.as_ref().map_or("", Plaintext::expose)])
}

/// Everything that JSON says, with the names of the fields.
pub(crate) fn said_by(json: &str) -> Plaintext {
    all_said(&[json])
}

fn all_said(all: &[&str]) -> Plaintext {
    let mut told = Texts::default();
    for json in all {
        if let Ok(value) = serde_json::from_str::<Value>(json) {
            told.named("", &value);
        }
    }
    told.joined()
}

/// Everything that a record says, for whoever looks for words in it: its place as well.
pub(crate) fn told(record: &RecordFacet, json: &str) -> Plaintext {
    let mut told = Texts::default();
    told.push("", readable(record, json).expose());
    let place = record.place.labels.iter().chain([&record.place.key]);
    place.for_each(|part| told.push("", part.expose()));
    told.joined()
}

/// The text that a record is searched by; empty when it is not.
fn searched_text(searched: &SearchedText, value: &Value) -> Plaintext {
    let mut texts = Texts::default();
    match searched {
        SearchedText::Nothing => {}
        SearchedText::Everything => texts.all(value),
        SearchedText::Paths(paths) => {
            for path in paths.iter().flat_map(|path| alternatives(path)) {
                texts.at(value, &path);
            }
        }
    }
    texts.joined()
}

/// The text by which a stored record is embedded: the searched one, or everything it says.
pub(crate) fn embedded_text(record: &RecordFacet, json: &str) -> Plaintext {
    let value = serde_json::from_str::<Value>(json).unwrap_or_default();
    let searched = searched_text(&record.searched, &value);
    match searched.expose().is_empty() {
        true => told(record, json),
        false => searched,
    }
}

/// Texts of a JSON value, in their order.
#[derive(Default)]
struct Texts(Vec<Zeroizing<String>>);

impl Texts {
    fn push(&mut self, name: &str, text: &str) {
        if !text.trim().is_empty() && self.0.len() < TEXTS_MAX {
            let line = if name.is_empty() { text.to_owned() } else { [name, ": ", text].concat() };
            self.0.push(Zeroizing::new(line));
        }
    }

    /// Every text with the name of its field.
    fn named(&mut self, name: &str, value: &Value) {
        match value {
            Value::Null => {}
            Value::String(text) => self.push(name, text),
            Value::Bool(_) | Value::Number(_) => self.push(name, &value.to_string()),
            Value::Array(items) => items.iter().for_each(|item| self.named(name, item)),
            Value::Object(fields) => fields.iter().for_each(|(name, field)| self.named(name, field)),
        }
    }

    /// Every text without names.
    fn all(&mut self, value: &Value) {
        match value {
            Value::Null => {}
            Value::String(text) => self.push("", text),
            Value::Bool(_) | Value::Number(_) => self.push("", &value.to_string()),
            Value::Array(items) => items.iter().for_each(|item| self.all(item)),
            Value::Object(fields) => fields.values().for_each(|field| self.all(field)),
        }
    }

    /// The texts at a path.
    fn at(&mut self, value: &Value, path: &[PathStep]) {
        let Some((step, rest)) = path.split_first() else { return self.all(value) };
        match (step, value) {
            (PathStep::Name(name), Value::Object(fields)) => {
                fields.get(name).into_iter().for_each(|field| self.at(field, rest));
            }
            (PathStep::Each, Value::Object(fields)) => fields.values().for_each(|field| self.at(field, rest)),
            (PathStep::Each, Value::Array(items)) => items.iter().for_each(|item| self.at(item, rest)),
            (PathStep::Item(place), Value::Array(items)) => {
                let from_end = items.len().checked_sub(place.unsigned_abs());
                let at = if *place < 0 { from_end } else { usize::try_from(*place).ok() };
                at.and_then(|at| items.get(at)).into_iter().for_each(|item| self.at(item, rest));
            }
            _ => {}
        }
    }

    fn joined(self) -> Plaintext {
        let size = self.0.iter().map(|text| text.len() + 1).sum();
        let mut joined = Zeroizing::new(String::with_capacity(size));
        for text in &self.0 {
            if !joined.is_empty() {
                joined.push('\n');
            }
            joined.push_str(text);
        }
        Plaintext::from(joined)
    }
}

/// One step of a path.
enum PathStep {
    Name(String),
    /// Every item of a list, or every field of an object.
    Each,
    /// An item by its place; negative ones count from the end.
    Item(isize),
}

/// The paths that one written path stands for: `a.{b,c}` names two. A path that cannot be read names none.
fn alternatives(path: &str) -> Vec<Vec<PathStep>> {
    let Some((before, rest)) = path.split_once('{') else { return steps(path).into_iter().collect() };
    let Some((choices, after)) = rest.split_once('}') else { return Vec::new() };
    choices.split(',').filter_map(|choice| steps(&[before, choice.trim(), after].concat())).collect()
}

/// Reads `a.b[*].c`, `items[-1]`, `*` and `$`, which is everything.
fn steps(path: &str) -> Option<Vec<PathStep>> {
    let mut steps = Vec::new();
    let path = path.strip_prefix('$').unwrap_or(path);
    for part in path.split('.').filter(|part| !part.is_empty()) {
        let (name, mut places) = part.split_at(part.find('[').unwrap_or(part.len()));
        match name {
            "" => {}
            "*" => steps.push(PathStep::Each),
            name => steps.push(PathStep::Name(name.to_owned())),
        }
        while let Some(rest) = places.strip_prefix('[') {
            let (place, after) = rest.split_once(']')?;
            steps.push(if place == "*" { PathStep::Each } else { PathStep::Item(place.parse().ok()?) });
            places = after;
        }
        if !places.is_empty() {
            return None;
        }
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_name_the_texts_of_a_value() {
        let value = json!({"name": "Iris", "info": {"age": 25, "tags": ["a", "b"]}, "none": null, "empty": "",
            "items": [{"id": 1, "value": "first"}, {"id": 2, "value": "second"}]});
        let cases = [
            ("name", "Iris"),
            ("info.age", "25"),
            ("info.tags[*]", "a\nb"),
            ("items[0].value", "first"),
            ("items[-1].value", "second"),
            ("items[*].value", "first\nsecond"),
            ("items[*].{id,value}", "1\n2\nfirst\nsecond"),
            ("{name,info.age}", "Iris\n25"),
            ("info.*", "25\na\nb"),
            ("none", ""),
            ("empty", ""),
            ("nowhere.at.all", ""),
            ("items[9].value", ""),
            ("items[-9].value", ""),
            ("items[abc]", ""),
            ("items[0]x", ""),
            ("{unclosed", ""),
        ];
        for (path, expected) in cases {
            let text = searched_text(&SearchedText::Paths(vec![path.to_owned()]), &value);
            assert_eq!(text.expose(), expected, "{path}");
        }
        let everything = searched_text(&SearchedText::Everything, &value);
        assert_eq!(everything.expose().lines().count(), 8);
        assert!(searched_text(&SearchedText::Paths(vec!["$".into()]), &value) == everything);
        assert_eq!(searched_text(&SearchedText::Nothing, &value).expose(), "");
    }

    #[test]
    fn escaped_words_are_read_as_they_were_meant() {
        let record = RecordFacet {
            id: MemoryId::from_bytes([1; 16]),
            place: RecordPlace::new(&["users", "ava"], "note"),
            metadata: Some(r#"{"project":"Halcyon"}"#.into()),
            searched: SearchedText::default(),
            ttl_ms: None,
            written_at: Vec::new(),
        };
        let told = told(&record, r#"{"text":"one\ntwo \u00e9t\u00e9","n":[1,true]}"#);
        for word in ["text: one\ntwo été", "n: 1", "n: true", "project: Halcyon", "users", "ava", "note"] {
            assert!(told.expose().contains(word), "{word}");
        }
    }

    #[test]
    fn marks_of_different_places_differ() {
        let marks = |labels: &[&str], key: &str| place_mark(&RecordPlace::new(labels, key));
        let all =
            [marks(&["a", "b"], "c"), marks(&["a"], "bc"), marks(&["ab"], "c"), marks(&["a"], "b\u{0}c")];
        for (at, mark) in all.iter().enumerate() {
            assert!(!all[at + 1..].contains(mark));
        }
        assert_ne!(prefix_mark(&["a", "b"]), prefix_mark(&["ab"]));
    }
}
