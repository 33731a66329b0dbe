//! The record book of an organisation: receipts, requests, notices and the like, numbered by kind. The store
//! does not read the documents; they hold no content.

use jiff::Timestamp;

use lacuna_types::{OrgId, VaultId, facet};

/// Records handed out per call.
pub const RECORDS_PAGE_MAX: usize = 1_000;
/// The document of one record, in bytes.
pub const RECORD_BYTES_MAX: usize = 1024 * 1024;

facet!(
    /** The subject of a record. Each kind of each organisation is numbered by itself. */
    RecordKind, "record", {
    Receipt = 1 "receipt",
    Request = 2 "request",
    Notice = 3 "notice",
    Delivery = 4 "delivery",
    Backup = 5 "backup",
    Destruction = 6 "destruction",
    Hold = 20 "hold",
    Deferral = 21 "deferral",
});

/// One document in an organisation's record book.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The organisation.
    pub org: OrgId,
    /// The kind of the record.
    pub kind: RecordKind,
    /// The number within organisation and kind.
    pub number: u64,
    /// The vault that it belongs to.
    pub vault: Option<VaultId>,
    /// The time of the record.
    pub at: Timestamp,
    /// The time at which something has to be done about it.
    pub due_at: Option<Timestamp>,
    /// The time at which it was done.
    pub done_at: Option<Timestamp>,
    /// The document.
    pub doc: Vec<u8>,
}

/// A change of one record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecordChange {
    /// [`lacuna_types::Error::Conflict`] when the number is taken.
    Add(Record),
    /// Replaces all but organisation, kind and number. [`lacuna_types::Error::NotFound`] without such a record.
    Update(Record),
    /// [`lacuna_types::Error::NotFound`] without such a record.
    Drop {
        /// The kind of the record.
        kind: RecordKind,
        /// Its number within the kind.
        number: u64,
    },
}
