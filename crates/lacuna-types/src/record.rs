//! Records: values that a program keeps under places of its own choice, word for word.
//!
//! A record is a memory whose text is JSON. What makes it a record is this facet, which is sealed with it.

use jiff::Timestamp;

use crate::ids::MemoryId;
use crate::plaintext::Plaintext;

/// The value of a record, in bytes of JSON.
pub const RECORD_VALUE_BYTES_MAX: usize = 1 << 20;
/// The metadata of a record or of another memory, in bytes of JSON.
pub const METADATA_BYTES_MAX: usize = 16 << 10;
/// Labels of one namespace.
pub const RECORD_LABELS_MAX: usize = 16;
/// One label of a namespace, in characters.
pub const RECORD_LABEL_CHARS_MAX: usize = 256;
/// A key, in characters.
pub const RECORD_KEY_CHARS_MAX: usize = 512;
/// Paths to the text that a record is searched by.
pub const RECORD_PATHS_MAX: usize = 32;
/// One path, in characters.
pub const RECORD_PATH_CHARS_MAX: usize = 256;
/// Changes of a record whose times are kept; the first one and the newest stay.
pub const RECORD_CHANGES_MAX: usize = 64;

/// The place of a record: a namespace of labels, and a key in it.
#[derive(PartialEq)]
pub struct RecordPlace {
    /// The labels of the namespace, the widest first.
    pub labels: Vec<Plaintext>,
    /// The key.
    pub key: Plaintext,
}

impl RecordPlace {
    /// A place made of words.
    pub fn new(labels: &[impl AsRef<str>], key: &str) -> Self {
        Self { labels: labels.iter().map(|label| label.as_ref().into()).collect(), key: key.into() }
    }

    /// A second copy of it.
    pub fn duplicate(&self) -> Self {
        Self { labels: self.labels.iter().map(Plaintext::duplicate).collect(), key: self.key.duplicate() }
    }

    /// Returns true when the namespace begins with these labels.
    pub fn is_under(&self, prefix: &[impl AsRef<str>]) -> bool {
        prefix.len() <= self.labels.len()
            && prefix.iter().zip(&self.labels).all(|(wanted, label)| wanted.as_ref() == label.expose())
    }
}

/// The text that a record is searched by.
#[derive(Clone, PartialEq, Default)]
pub enum SearchedText {
    /// Every text of the value.
    #[default]
    Everything,
    /// None: it is found by its place and by filters.
    Nothing,
    /// The texts at these paths of the value.
    Paths(Vec<String>),
}

/// The facet of a memory that is a record.
#[derive(PartialEq)]
pub struct RecordFacet {
    /// The id that stays when the value changes. The memory behind it, and its key, are new each time.
    pub id: MemoryId,
    /// The place.
    pub place: RecordPlace,
    /// The metadata, a JSON object.
    pub metadata: Option<Plaintext>,
    /// The text that it is searched by.
    pub searched: SearchedText,
    /// The time to live, in milliseconds, from the last write or refreshing on.
    pub ttl_ms: Option<u64>,
    /// The times of the writes, the first one first.
    pub written_at: Vec<Timestamp>,
}

impl RecordFacet {
    /// A second copy of it.
    pub fn duplicate(&self) -> Self {
        Self {
            id: self.id,
            place: self.place.duplicate(),
            metadata: self.metadata.as_ref().map(Plaintext::duplicate),
            searched: self.searched.clone(),
            ttl_ms: self.ttl_ms,
            written_at: self.written_at.clone(),
        }
    }

    /// Returns the bytes of its texts in RAM.
    pub fn text_bytes(&self) -> usize {
        let labels: usize = self.place.labels.iter().map(Plaintext::heap_bytes).sum();
        labels + self.place.key.heap_bytes() + self.metadata.as_ref().map_or(0, Plaintext::heap_bytes)
    }
}
