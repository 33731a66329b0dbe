//! The sweep: what was kept as long as it may be is erased for good, with receipts.
//!
//! The readable expiry only says where to look. What is due is worked out from what is sealed, so that whoever
//! can write to the database cannot have anything erased by it.

use std::ops::ControlFlow;

use lacuna_store::rows::VAULTS_PAGE_MAX;
use lacuna_types::Result;
use lacuna_types::*;

use crate::audit::AuditAction;
use crate::erase::carry_out::{PART_MAX, Task, erase_with_receipt};
use crate::erase::finish::finish_intents;
use crate::erase::prepare::{ErasureRequest, release_all};
use crate::erase::probe::ProbeTargets;
use crate::index::Stored;
use crate::vault::frozen::check_thawed;
use crate::vault::holds::holds_on;
use crate::vault::open::Held;
use crate::vault::receipt::Cause;
use crate::vault::secrets::PassedOver;
use crate::vault::service::Service;
use crate::vault::stamp::{ends_with_session, term_of, terms_in};
use crate::vault::term::Terms;

/// Hears how many were swept so far, and says whether to go on.
pub(crate) type Progress<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

/// Erases what is due in every vault. Answers with how many memories went. One vault that cannot be swept
/// does not keep the others waiting; the first failure is the answer in the end.
pub(crate) fn sweep(service: &Service, passed: &PassedOver, progress: Progress<'_>) -> Result<u64> {
    let (mut swept, mut after, mut failed) = (0, None, None);
    let now = service.clock.now();
    loop {
        let vaults = service.store.expiring(now, after, VAULTS_PAGE_MAX)?;
        let Some(last) = vaults.last() else { return failed.map_or(Ok(swept), Err) };
        after = Some(*last);
        for vault in vaults {
            let Some(header) = service.store.vault(vault)? else { continue };
            match passed.unless_locked(sweep_vault(service, &header.scope)) {
                Ok(went) => swept += went as u64,
                Err(error) => failed = failed.or(Some(error)),
            }
            if progress(swept).is_break() {
                return failed.map_or(Ok(swept), Err);
            }
        }
    }
}

/// Runs [`sweep`] in one vault. A frozen one is left as it is: nothing in it may be changed.
pub(crate) fn sweep_vault(service: &Service, scope: &Scope) -> Result<usize> {
    let now = service.clock.now();
    erase_lapsed(service, scope, |terms, one| term_of(terms, one).expires_at.is_some_and(|at| at <= now))
}

/// Erases what a session that ends was to take with it.
pub(crate) fn sweep_session(service: &Service, scope: &Scope, session: &SessionId) -> Result<usize> {
    erase_lapsed(service, scope, |terms, one| {
        one.payload.facets.source.session.as_ref() == Some(session) && ends_with_session(terms, one)
    })
}

fn erase_lapsed(
    service: &Service,
    scope: &Scope,
    has_lapsed: impl Fn(&Terms<'_>, &Stored<'_, Held>) -> bool,
) -> Result<usize> {
    let reader = service.reader(scope);
    let mut erased = 0;
    loop {
        let writer = reader.lock();
        if check_thawed(service, scope).is_err() {
            return Ok(erased);
        }
        finish_intents(&writer)?;
        let holds = holds_on(service, scope)?;
        // Up to as many as one receipt takes.
        let due = writer.update(|open| {
            terms_in(service, open, scope, |open, terms| {
                let living = open.index.after(None).filter(|one| one.attributes.state != Lifecycle::Deleted);
                let due = living.filter(|one| has_lapsed(terms, one) && !holds.covers(one));
                Ok(due.map(|one| one.id).take(PART_MAX).collect::<Vec<_>>())
            })
        })?;
        let due = due.unwrap_or_default();
        if due.is_empty() {
            return Ok(erased);
        }
        // What was made of them lives on: they merely expire.
        release_all(&writer, &due)?;
        let task = task(due.len());
        erase_with_receipt(&writer, &ErasureRequest::whole(&due), &task, ProbeTargets::default())?;
        erased += due.len();
    }
}

fn task(direct: usize) -> Task<'static> {
    Task::by_time(AuditAction::MemoryExpire, Cause::Retention, direct)
}
