//! Records: JSON values that programs keep under places of their own choice. A record passes the same gate, is sealed
//! under a key of its own and is forgotten like every memory; it is kept word for word or refused, it is found by its
//! place, by filters and by its text, and no recall or context shows it.
//!
//! A new value at a place is a new memory under a new key, and the old one is erased; the public id stays.

mod erase;
mod expiry;
mod list;
mod put;

pub use erase::ERASED_RECORDS_MAX;
pub use list::{
    NAMESPACES_PAGE_MAX, NamespaceQuery, RECORD_OFFSET_MAX, RECORD_PAGE_BYTES_MAX, RECORD_PAGE_MAX,
    RecordPage, RecordQuery,
};
pub use put::{RECORD_PUTS_MAX, RecordKept, RecordsPut};

use jiff::Timestamp;
use lacuna_types::Result;
use lacuna_types::*;

use crate::erase::carry_out::Forgotten;
use crate::permit::{Forget, Grant, Recall, Remember};
use crate::read::condition::Condition;
use crate::vault::service::Service;
pub use crate::write::record::RecordPut;
pub use crate::write::record_shape::RECORD_TTL_MS_MAX;

/// Records of a [`crate::Lacuna`].
pub struct Records<'a> {
    pub(crate) service: &'a Service,
}

/// Names one record.
pub enum RecordName {
    /// By its place.
    Place(RecordPlace),
    /// By its public id.
    Id(MemoryId),
}

/// A record as its program sees it.
pub struct RecordItem {
    /// The id, which stays when the value changes.
    pub id: MemoryId,
    /// The place.
    pub place: RecordPlace,
    /// The value, as JSON.
    pub value: Plaintext,
    /// The metadata, a JSON object.
    pub metadata: Option<Plaintext>,
    /// The time of the first write.
    pub created_at: Timestamp,
    /// The time of the last write.
    pub updated_at: Timestamp,
    /// The time at which it is gone.
    pub expires_at: Option<Timestamp>,
    /// The times of the writes, the first one first.
    pub written_at: Vec<Timestamp>,
    /// The rank in a search, from 0 to 1; `None` where there was no question, or no text to search.
    pub score: Option<f32>,
    /// The calibrated similarity to the question.
    pub similarity: Option<f32>,
}

impl Records<'_> {
    /// Puts records at their places, all of them in one commit, or none: the first that the gate refuses ends the call.
    pub fn put(&self, grant: &Grant<Remember>, puts: Vec<RecordPut>) -> Result<RecordsPut> {
        put::put(self.service, grant, puts)
    }

    /// The record of a name, unless it is not there or its time is over.
    pub fn get(&self, grant: &Grant<Recall>, name: &RecordName) -> Result<Option<RecordItem>> {
        list::get(self.service, grant, name)
    }

    /// Records under a namespace that meet conditions: the best for a question first, or those written last.
    pub fn search(&self, grant: &Grant<Recall>, query: &RecordQuery) -> Result<RecordPage> {
        list::search(self.service, grant, query)
    }

    /// Namespaces that hold records, in order.
    pub fn namespaces(&self, grant: &Grant<Recall>, query: &NamespaceQuery) -> Result<Vec<Vec<Plaintext>>> {
        list::namespaces(self.service, grant, query)
    }

    /// Erases one record, with a receipt. Missing and already erased look the same.
    pub fn erase(&self, grant: &Grant<Forget>, name: &RecordName) -> Result<Forgotten> {
        erase::erase(self.service, grant, name)
    }

    /// Erases every record under a namespace that meets the conditions, with receipts. Returns their ids too.
    pub fn erase_all(
        &self,
        grant: &Grant<Forget>,
        prefix: &[String],
        condition: Option<&Condition>,
    ) -> Result<(Vec<MemoryId>, Forgotten)> {
        erase::erase_all(self.service, grant, prefix, condition)
    }

    /// Lets the time to live of these records begin anew. Those without one stay as they are.
    pub fn refresh(&self, grant: &Grant<Remember>, places: &[RecordPlace]) -> Result<()> {
        expiry::refresh(self.service, grant, places)
    }

    /// Gives a record another time to live from now on; none lets it stay.
    pub fn set_ttl(&self, grant: &Grant<Remember>, place: &RecordPlace, ttl_ms: Option<u64>) -> Result<()> {
        expiry::set_ttl(self.service, grant, place, ttl_ms)
    }
}
