//! A handle of a [`crate::Lacuna`] for programs that keep memories under ids and fields of their own.

use jiff::Timestamp;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::AuditAction;
use crate::index::filter::Filter;
use crate::keep::retention::retain;
use crate::permit::*;
use crate::read::condition::Condition;
use crate::read::recall::{Cursor, Page, WholePage};
use crate::vault::service::Service;
use crate::write::correct::Corrected;
use crate::write::remember::in_millis;
use crate::write::replace::Replacement;

/// Memories as programs manage them.
pub struct ManagedMemories<'a> {
    pub(crate) service: &'a Service,
}

impl ManagedMemories<'_> {
    /// Puts a new text in the place of a memory. The old text is erased with a receipt: its key is destroyed. The id
    /// stays, and so does everything that the replacement does not name.
    pub fn replace(&self, grant: &Grant<Remember>, id: MemoryId, with: Replacement) -> Result<Corrected> {
        crate::write::replace::replace(self.service, grant, id, with)
    }

    /// Memories newest first that meet a condition on their fields, without their full texts.
    pub fn list(
        &self,
        grant: &Grant<Recall>,
        filter: (&Filter, Option<&Condition>),
        after: Option<Cursor>,
        limit: usize,
    ) -> Result<Page> {
        crate::read::recall::list_meeting(self.service, grant, filter, after, limit)
    }

    /// The same with their full texts, as many as fit on a page.
    pub fn list_whole(
        &self,
        grant: &Grant<Recall>,
        filter: (&Filter, Option<&Condition>),
        after: Option<Cursor>,
        limit: usize,
    ) -> Result<WholePage> {
        crate::read::recall::list_whole(self.service, grant, filter, after, limit)
    }

    /// Sets the time at which memories expire; none lets the rules alone decide.
    pub fn set_expiry(
        &self,
        grant: &Grant<Forget>,
        ids: &[MemoryId],
        expires_at: Option<Timestamp>,
    ) -> Result<()> {
        if expires_at.is_some_and(|at| at <= self.service.clock.now()) {
            return Err(Error::invalid("expires_at", "must lie in the future: to forget at once, erase it"));
        }
        let (ids, expires_at) = (self.service.all_named(grant.scope(), ids)?, expires_at.map(in_millis));
        retain(self.service, grant, &ids, AuditAction::RetentionStamp, |frame| {
            frame.facets.retention.expires_at = expires_at;
        })
    }
}
