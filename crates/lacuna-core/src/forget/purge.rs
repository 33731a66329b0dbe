//! Purge: what was hidden longer ago than it can be restored is erased for good.

use std::ops::ControlFlow;

use jiff::Timestamp;
use lacuna_store::rows::VAULTS_PAGE_MAX;
use lacuna_types::Result;
use lacuna_types::*;

use crate::audit::AuditAction;
use crate::erase::carry_out::{PART_MAX, Task, days, erase_with_receipt, purge_after};
use crate::erase::deferred::carry_out_deferred;
use crate::erase::finish::finish_intents;
use crate::erase::prepare::ErasureRequest;
use crate::erase::probe::ProbeTargets;
use crate::keep::retention::sweep::Progress;
use crate::permit::{Grant, Recall};
use crate::vault::holds::holds_on;
use crate::vault::receipt::Cause;
use crate::vault::secrets::PassedOver;
use crate::vault::service::Service;

/// Erases everything that was hidden longer ago than its tenant's policy lets it be restored. Answers with
/// how many memories went.
pub(crate) fn purge(service: &Service) -> Result<u64> {
    purge_while(service, &PassedOver::default(), &mut |_| ControlFlow::Continue(()))
}

/// Runs [`purge`] until `progress` says to stop. Locked vaults wait, and are counted in `passed`.
pub(crate) fn purge_while(service: &Service, passed: &PassedOver, progress: Progress<'_>) -> Result<u64> {
    let mut purged = carry_out_deferred(service, passed)?;
    let mut after = None;
    // Vaults in which nothing can be due yet stay closed.
    let before = service.clock.now() - days(service.rules.policies.shortest_purge_days());
    loop {
        let vaults = service.store.soft_deleted(before, after, VAULTS_PAGE_MAX)?;
        let Some(last) = vaults.last() else { return Ok(purged) };
        after = Some(*last);
        for vault in vaults {
            if let Some(header) = service.store.vault(vault)? {
                purged += passed.unless_locked(purge_vault(service, &header.scope))? as u64;
            }
            if progress(purged).is_break() {
                return Ok(purged);
            }
        }
    }
}

/// Runs [`purge`] in one vault.
pub(crate) fn purge_vault(service: &Service, scope: &Scope) -> Result<usize> {
    let reader = service.reader(scope);
    let writer = reader.lock();
    finish_intents(&writer)?;
    let due_before = service.clock.now() - purge_after(service, scope);
    let holds = holds_on(service, scope)?;
    let due = writer.update(|open| {
        let hidden = open.index.before(None).filter(|stored| {
            stored.attributes.state == Lifecycle::Deleted
                && stored.payload.updated_at <= due_before
                && !holds.covers(stored)
        });
        Ok(hidden.map(|stored| stored.id).collect::<Vec<_>>())
    })?;
    let due = due.unwrap_or_default();
    for part in due.chunks(PART_MAX) {
        let task = task(part.len());
        erase_with_receipt(&writer, &ErasureRequest::whole(part), &task, ProbeTargets::default())?;
    }
    Ok(due.len())
}

/// The moment of the latest hiding that can still be undone.
pub(crate) fn last_hidden(service: &Service, grant: &Grant<Recall>) -> Result<Option<Timestamp>> {
    let hidden = service.serve(grant.scope(), |open| {
        let hidden = open.index.before(None).filter(|one| one.attributes.state == Lifecycle::Deleted);
        hidden.map(|stored| stored.payload.updated_at).max()
    })?;
    Ok(hidden.flatten())
}

fn task(direct: usize) -> Task<'static> {
    Task::by_time(AuditAction::MemoryPurge, Cause::Purge, direct)
}
