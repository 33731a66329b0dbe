//! The record book of an organisation: receipts, requests, notices and the like, numbered by kind. The store
//! does not read the documents; they hold no content.

use jiff::Timestamp;

use lacuna_types::{OrgId, VaultId, facet};

/// Records handed out per call.
pub const RECORDS_PAGE_MAX: usize = 1_000;
/// The document of one record, in bytes.
pub const RECORD_BYTES_MAX: usize = 1024 * 1024;

facet!(
    /** What a record is about. Each kind of each organisation is numbered by itself. */
    RecordKind, "record", {
    Receipt = 1 "receipt",
    Request = 2 "request",
    Notice = 3 "notice",
    Delivery = 4 "delivery",
    Backup = 5 "backup",
    Destruction = 6 "destruction",
});

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    pub org: OrgId,
    pub kind: RecordKind,
    pub number: u64,
    pub vault: Option<VaultId>,
    pub at: Timestamp,
    /// When something has to be done about it, if ever.
    pub due_at: Option<Timestamp>,
    /// When it was done.
    pub done_at: Option<Timestamp>,
    pub doc: Vec<u8>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecordChange {
    /// [`lacuna_types::Error::Conflict`] when the number is taken.
    Add(Record),
    /// Replaces all but organisation, kind and number. [`lacuna_types::Error::NotFound`] without such a record.
    Update(Record),
    /// [`lacuna_types::Error::NotFound`] without such a record.
    Drop { kind: RecordKind, number: u64 },
}
