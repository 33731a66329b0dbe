//! Imports: exports of Lacuna and of other programs, told apart by their shape.
//!
//! Files are read as a stream, record by record. One record, or one conversation, is in RAM at a time, and each
//! of those is bounded.

mod conversations;
mod facts;
pub(crate) mod graph;
mod notes;
mod ours;
mod parse;
mod persona;
#[cfg(test)]
mod round_trip;
mod rows;

use std::io::{self, Cursor, Read};

use clap::ValueEnum;
use lacuna_core::Lacuna;
use lacuna_core::permit::{Grant, Import};
use lacuna_core::transfer::{Account, Duplicates, IMPORT_BATCH_MAX, ImportRecord, Imported};
use lacuna_seal::{OpenReader, StreamError, is_sealed_stream};
use serde::Deserialize;
use utoipa::ToSchema;
use zeroize::Zeroizing;

pub(crate) use self::notes::read_folder;
pub(crate) use self::rows::{SQLITE_MARK, read_mem0_history};
use crate::codes;
use crate::wire::failure::{Failure, Result};

/// Bytes at the beginning of a file that decide its shape.
const PREFIX_BYTES: usize = 64 << 10;
/// Text that goes to the core in one batch; a batch ends at [`IMPORT_BATCH_MAX`] records as well.
const BATCH_TEXT_BYTES: usize = 2 << 20;

/// The programs whose files are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, ToSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Shape {
    Lacuna,
    Mem0,
    Chatgpt,
    Claude,
    McpMemory,
    BasicMemory,
    Persona,
    Langgraph,
}

impl Shape {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Lacuna => "lacuna",
            Self::Mem0 => "mem0",
            Self::Chatgpt => "chatgpt",
            Self::Claude => "claude",
            Self::McpMemory => "mcp-memory",
            Self::BasicMemory => "basic-memory",
            Self::Persona => "persona",
            Self::Langgraph => "langgraph",
        }
    }
}

/// Options of an import.
#[derive(Clone, Copy)]
pub(crate) struct How {
    pub(crate) from: Option<Shape>,
    pub(crate) duplicates: Duplicates,
    pub(crate) dry_run: bool,
}

/// Takes records one by one, and hands them on in batches.
pub(crate) struct Intake<'a> {
    core: &'a Lacuna,
    importing: lacuna_core::transfer::Importing<'a>,
    told: &'a mut dyn FnMut(Imported) -> Result<()>,
    batch: Vec<ImportRecord>,
    batch_bytes: usize,
    number: u64,
}

impl<'a> Intake<'a> {
    pub(crate) fn new(
        core: &'a Lacuna,
        grant: &'a Grant<Import>,
        how: How,
        told: &'a mut dyn FnMut(Imported) -> Result<()>,
    ) -> Result<Self> {
        let importing = core.import(grant, how.duplicates, how.dry_run)?;
        Ok(Self { core, importing, told, batch: Vec::new(), batch_bytes: 0, number: 0 })
    }

    /// The moment by which a file is judged.
    fn now(&self) -> jiff::Timestamp {
        self.core.clock().now()
    }

    /// The number of the next record.
    fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    fn push(&mut self, record: ImportRecord) -> Result<()> {
        self.batch_bytes += record.draft.text.expose().len();
        self.batch.push(record);
        if self.batch.len() >= IMPORT_BATCH_MAX || self.batch_bytes >= BATCH_TEXT_BYTES {
            self.hand_on()?;
        }
        Ok(())
    }

    fn hand_on(&mut self) -> Result<()> {
        self.batch_bytes = 0;
        let answers = self.importing.take(std::mem::take(&mut self.batch))?;
        answers.into_iter().try_for_each(&mut *self.told)
    }

    /// Ends the import, also after a fault in the file: the records before it are stored, and the fault reports
    /// their number.
    pub(crate) fn finish(mut self, read: Result<()>) -> Result<Account> {
        let fault = match read {
            // An import of all or nothing stores nothing more.
            Err(fault) if fault.code == &codes::ALREADY_THERE => return Err(self.with_account(fault)),
            Err(fault) => Some(fault),
            Ok(()) => None,
        };
        if let Err(failure) = self.hand_on() {
            return Err(self.with_account(failure));
        }
        if fault.is_none() && self.number == 0 {
            return Err(Failure::new(
                &codes::UNKNOWN_FORMAT,
                "no record of any known program is in the file",
            ));
        }
        let stored = self.importing.account().stored;
        let (answers, account) =
            self.importing.finish().map_err(|error| with_stored(error.into(), stored))?;
        answers.into_iter().try_for_each(&mut *self.told)?;
        fault.map_or(Ok(account), |fault| Err(with_stored(fault, account.stored)))
    }

    fn with_account(&self, failure: Failure) -> Failure {
        with_stored(failure, self.importing.account().stored)
    }
}

fn with_stored(failure: Failure, stored: u64) -> Failure {
    if stored == 0 {
        return failure;
    }
    let detail = format!(
        "{} (stored before it: {stored}; importing the file again stores nothing twice)",
        failure.detail
    );
    Failure { public: detail.clone(), detail, ..failure }
}

/// A file of known shape.
pub(crate) struct OpenedFile<'r> {
    pub(crate) shape: Shape,
    reader: Box<dyn Read + 'r>,
}

/// Opens a file: asks for its passphrase if it is encrypted, and looks at its beginning.
pub(crate) fn open<'r>(
    reader: impl Read + 'r,
    from: Option<Shape>,
    passphrase: impl FnOnce() -> Result<Zeroizing<String>>,
) -> Result<OpenedFile<'r>> {
    let (prefix, whole) = peek(reader)?;
    if !is_sealed_stream(&prefix) {
        return recognise(prefix, Box::new(whole), from);
    }
    let opened = OpenReader::new(whole, &passphrase()?).map_err(stream_failure)?;
    let (prefix, whole) = peek(opened)?;
    recognise(prefix, Box::new(whole), from)
}

fn recognise<'r>(prefix: Vec<u8>, reader: Box<dyn Read + 'r>, from: Option<Shape>) -> Result<OpenedFile<'r>> {
    let unknown = || Failure::new(&codes::UNKNOWN_FORMAT, codes::UNKNOWN_FORMAT.meaning);
    let shape = from.or_else(|| shape_of(&prefix)).ok_or_else(unknown)?;
    Ok(OpenedFile { shape, reader })
}

fn peek<'r>(mut reader: impl Read + 'r) -> Result<(Vec<u8>, impl Read + 'r)> {
    let mut prefix = Vec::new();
    (&mut reader).take(PREFIX_BYTES as u64).read_to_end(&mut prefix).map_err(unreadable)?;
    Ok((prefix.clone(), Cursor::new(prefix).chain(reader)))
}

impl OpenedFile<'_> {
    pub(crate) fn read(self, intake: &mut Intake<'_>) -> Result<()> {
        match self.shape {
            Shape::Lacuna => ours::read(self.reader, intake),
            Shape::Mem0 => facts::read_mem0(self.reader, intake),
            Shape::McpMemory => graph::read(self.reader, intake),
            Shape::Chatgpt => conversations::read_chatgpt(self.reader, intake),
            Shape::Claude => conversations::read_claude(self.reader, intake),
            Shape::BasicMemory => notes::read(self.reader, intake),
            Shape::Persona => persona::read(self.reader, intake),
            Shape::Langgraph => rows::read_langgraph(self.reader, intake),
        }
    }
}

/// The shape that the beginning of a file has.
fn shape_of(prefix: &[u8]) -> Option<Shape> {
    let text = String::from_utf8_lossy(prefix);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if text.starts_with("---") || text.starts_with('#') || text.starts_with("- [") {
        return Some(Shape::BasicMemory);
    }
    let inside = text.strip_prefix(['{', '['])?;
    let has = |key: &str| inside.contains(&format!("\"{key}\""));
    if inside.trim_start().starts_with("\"export_version\"") {
        return Some(Shape::Lacuna);
    }
    [
        (has("mapping") && has("author"), Shape::Chatgpt),
        (has("chat_messages") || has("conversations_memory"), Shape::Claude),
        (has("entityType") || has("relationType"), Shape::McpMemory),
        (has("export_version") && has("categories"), Shape::Lacuna),
        (has("memoryPolicy") || has("privacyClass") && has("decayProfile"), Shape::Persona),
        (has("prefix") && has("key") && has("value"), Shape::Langgraph),
        (has("memory") || has("memories") || has("results"), Shape::Mem0),
    ]
    .into_iter()
    .find_map(|(fits, shape)| fits.then_some(shape))
}

pub(crate) fn unreadable(error: io::Error) -> Failure {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<StreamError>()) {
        Some(_) => Failure::new(&codes::DAMAGED_EXPORT, StreamError::Damaged.to_string()),
        None => Failure::new(&codes::INPUT_UNREADABLE, format!("the file cannot be read: {error}")),
    }
}

pub(crate) fn stream_failure(error: StreamError) -> Failure {
    let code = match error {
        StreamError::WrongPassphrase | StreamError::OutOfMemory => &codes::EXPORT_PASSPHRASE,
        StreamError::Io(error) => return unreadable(error),
        _ => &codes::DAMAGED_EXPORT,
    };
    Failure::new(code, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_shape() {
        let cases: &[(&str, Option<Shape>)] = &[
            (r#"{"export_version":"1.0","user_id":"a"}"#, Some(Shape::Lacuna)),
            ("{\n \"user_id\": \"a\", \"export_version\": \"1.0\", \"categories\": {}}", Some(Shape::Lacuna)),
            (r#"[{"title":"t","mapping":{"x":{"message":{"author":{}}}}}]"#, Some(Shape::Chatgpt)),
            (r#"[{"uuid":"u","chat_messages":[]}]"#, Some(Shape::Claude)),
            (r#"{"type":"entity","name":"n","entityType":"e","observations":[]}"#, Some(Shape::McpMemory)),
            (r#"{"results":[{"id":"1","memory":"m"}]}"#, Some(Shape::Mem0)),
            (r#"[{"id":"1","memory":"m"}]"#, Some(Shape::Mem0)),
            (r#"{"identity":{},"memory":[],"memoryPolicy":{}}"#, Some(Shape::Persona)),
            (r#"{"prefix":"users.ada","key":"k","value":{"memory":1}}"#, Some(Shape::Langgraph)),
            ("---\ntitle: Coffee\n---\n", Some(Shape::BasicMemory)),
            ("\u{feff}# Coffee\n", Some(Shape::BasicMemory)),
            ("", None),
            ("hello", None),
            ("{}", None),
        ];
        for (text, expected) in cases {
            assert_eq!(shape_of(text.as_bytes()), *expected, "{text}");
        }
    }
}
