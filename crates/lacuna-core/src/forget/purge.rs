//! Purge: what was hidden longer ago than it can be restored is erased for good.

use std::ops::ControlFlow;

use jiff::{SignedDuration, Timestamp};

use super::confirm::{PART_MAX, Task};
use super::erase::Wanted;
use super::probe::Sought;
use super::receipt::{Cause, Named};
use crate::audit::AuditAction;
use crate::lacuna::Lacuna;
use crate::permit::{Grant, Recall};
use crate::retention::Progress;
use lacuna_store::rows::VAULTS_PAGE_MAX;
use lacuna_types::Result;
use lacuna_types::request::Mode;
use lacuna_types::*;

impl Lacuna {
    /// Erases everything that was hidden longer ago than its tenant's policy lets it be restored. Answers with
    /// how many memories went.
    pub fn purge(&self) -> Result<u64> {
        self.purge_while(&mut |_| ControlFlow::Continue(()))
    }

    /// As [`Self::purge`], until somebody says to stop.
    pub(crate) fn purge_while(&self, progress: Progress<'_>) -> Result<u64> {
        let mut purged = 0;
        let mut after = None;
        // Vaults in which nothing can be due yet stay closed.
        let before = self.clock.now() - days(self.rules.policies.shortest_purge_days());
        loop {
            let vaults = self.store.soft_deleted(before, after, VAULTS_PAGE_MAX)?;
            let Some(last) = vaults.last() else { return Ok(purged) };
            after = Some(*last);
            for vault in vaults {
                if let Some(header) = self.store.vault(vault)? {
                    purged += self.purge_vault(&header.scope)? as u64;
                }
                if progress(purged).is_break() {
                    return Ok(purged);
                }
            }
        }
    }

    /// As [`Self::purge`], in one vault.
    pub fn purge_vault(&self, scope: &Scope) -> Result<usize> {
        let slot = self.slot(scope);
        let _writer = slot.lock_writer();
        self.finish_intents(&slot, scope)?;
        let due_before = self.clock.now() - self.purge_after(scope);
        let due = slot.update(self.sources(), |open| {
            let hidden = open.index.before(None).filter(|stored| {
                stored.attributes.state == Lifecycle::Deleted && stored.payload.updated_at <= due_before
            });
            Ok(hidden.map(|stored| stored.id).collect::<Vec<_>>())
        })?;
        let due = due.unwrap_or_default();
        for part in due.chunks(PART_MAX) {
            let task = task(part.len());
            self.erase_with_receipt(&slot, scope, &Wanted::whole(part), &task, Sought::default())?;
        }
        Ok(due.len())
    }

    /// When something was last hidden that can still be restored.
    pub fn last_hidden(&self, grant: &Grant<Recall>) -> Result<Option<Timestamp>> {
        let hidden = self.serve(grant.scope(), |open| {
            let hidden = open.index.before(None).filter(|one| one.attributes.state == Lifecycle::Deleted);
            hidden.map(|stored| stored.payload.updated_at).max()
        })?;
        Ok(hidden.flatten())
    }

    /// Until when a hidden memory can be restored.
    pub fn restorable_until(&self, scope: &Scope, hidden_at: Timestamp) -> Timestamp {
        hidden_at + self.purge_after(scope)
    }
}

/// So many days of the clock.
pub(super) fn days(count: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * count)
}

fn task(direct: usize) -> Task<'static> {
    Task {
        actor: "system",
        action: AuditAction::MemoryPurge,
        mode: Mode::Hard,
        cause: Cause::Purge,
        named: Named::Time,
        scope_hashes: Vec::new(),
        direct,
        indirect: 0,
        request: None,
    }
}
