//! Handles of a [`crate::Lacuna`] for a page on which a person looks over their memory: browsing, and signing in.

use std::collections::{BTreeMap, BTreeSet};

use lacuna_store::rows::AuditRow;
use lacuna_types::*;

use crate::audit::AuditEntry;
use crate::govern::sign_in::SignedIn;
use crate::permit::*;
use crate::read::browse::{Overview, Relatives, TimelineFilter};
use crate::read::recall::{Cursor, Page};
use crate::vault::service::Service;
use crate::write::correct::Correction;

/// Ways to look over a vault without a question.
pub struct Browse<'a> {
    pub(crate) service: &'a Service,
}

impl Browse<'_> {
    /// Memories newest first, without their full texts. Hidden ones are shown to the owner of a vault alone.
    pub fn timeline(
        &self,
        grant: &Grant<Recall>,
        wanted: &TimelineFilter,
        after: Option<Cursor>,
        limit: usize,
    ) -> Result<Page> {
        crate::read::browse::timeline(self.service, grant, wanted, after, limit)
    }

    /// The names and topics of the active memories, with their sizes and links.
    pub fn overview(&self, grant: &Grant<Recall>) -> Result<Overview> {
        crate::read::browse::overview(self.service, grant)
    }

    /// The memories that one memory was made of, those that were made of it, and those that say nearly the same.
    pub fn relatives(&self, grant: &Grant<Recall>, id: MemoryId) -> Result<Relatives> {
        crate::read::browse::relatives(self.service, grant, self.service.named(grant.scope(), id)?)
    }

    /// The tags of those of `ids` that are still there and shown.
    pub fn tags_of(
        &self,
        grant: &Grant<Recall>,
        ids: &BTreeSet<MemoryId>,
    ) -> Result<BTreeMap<MemoryId, Vec<String>>> {
        crate::read::browse::tags_of(self.service, grant, ids)
    }

    /// Ids, in any state, whose hex digits begin or end with `digits`: those that somebody means by part of an id.
    pub fn ids_like(&self, grant: &Grant<Recall>, digits: &str) -> Result<Vec<MemoryId>> {
        crate::read::browse::ids_like(self.service, grant, digits)
    }

    /// The memory that a correction would replace, or those that may be meant, the likeliest first. Nothing changes.
    pub fn corrected_by(
        &self,
        grant: &Grant<Remember>,
        what: &Correction,
        text: &str,
    ) -> Result<Result<MemoryId, Vec<MemoryId>>> {
        crate::write::correct::corrected_by(self.service, grant, what, text)
    }

    /// The turns that these memories alone were taken from, so that forgetting them leaves nothing behind in a session.
    pub fn turns_behind(&self, grant: &Grant<Recall>, gone: &[MemoryId]) -> Result<Vec<MemoryId>> {
        crate::transfer::view::turns_behind(self.service, grant, gone)
    }

    /// Entries of the vault's chain below number `before`, the newest first.
    pub fn recent_audit(
        &self,
        grant: &Grant<ReadAudit>,
        before: Option<u64>,
        limit: u64,
    ) -> Result<Vec<(AuditRow, AuditEntry)>> {
        crate::govern::audit::recent::recent_audit(self.service, grant, before, limit)
    }

    /// Entries about one memory among the newest ones, the newest first.
    pub fn trace_memory(
        &self,
        grant: &Grant<ReadAudit>,
        id: MemoryId,
    ) -> Result<Vec<(AuditRow, AuditEntry)>> {
        crate::govern::audit::recent::trace_memory(self.service, grant, id)
    }
}

/// Links that sign a browser in.
pub struct SignIns<'a> {
    pub(crate) service: &'a Service,
}

impl SignIns<'_> {
    /// Makes the token of a link for `caller`, whom the program has authenticated.
    pub fn make(&self, caller: &Caller) -> Result<String> {
        crate::govern::sign_in::make_sign_in(self.service, caller)
    }

    /// Reads the token of a link. One that is forged, changed or expired looks like one that never was.
    pub fn follow(&self, token: &str) -> Result<SignedIn> {
        crate::govern::sign_in::follow_sign_in(self.service, token)
    }
}
