//! The work of each job, vault by vault. One vault that fails does not keep the others waiting: the job goes on
//! and returns the first failure at the end.

use lacuna_store::rows::{RECORDS_PAGE_MAX, RecordKind, VaultHeader};
use lacuna_types::{Error, Result};

use crate::forget::purge::purge_while;
use crate::govern::audit::care::keep_audit;
use crate::govern::epoch::renew_epochs;
use crate::govern::jobs::Job;
use crate::govern::person::tombstones::{forget_old_erasures, forget_tombstones};
use crate::govern::reembed::reembed_all;
use crate::govern::review::prompt::{archive_faded, prompt_review};
use crate::govern::rotate::finish_rotations;
use crate::keep::compact::run::compact_due;
use crate::keep::retention::stamp::restamp_if_changed;
use crate::keep::retention::sweep::{Progress, sweep};
use crate::keep::session::transcript::end_idle_sessions;
use crate::vault::keyed::KEYED_KEPT;
use crate::vault::secrets::PassedOver;
use crate::vault::service::Service;

/// Vaults that are looked up at a time.
const PAGE: usize = 256;

/// The work of a job in one vault.
type Visit<'a> = &'a dyn Fn(&VaultHeader, Progress<'_>) -> Result<u64>;

/// Answers with how many things were done. Locked vaults wait, and are counted in `passed`.
pub(crate) fn work(service: &Service, job: Job, passed: &PassedOver, progress: Progress<'_>) -> Result<u64> {
    let each_vault = |progress: Progress<'_>, visit: Visit<'_>| {
        each_vault(service, progress, &|header, progress| passed.unless_locked(visit(header, progress)))
    };
    match job {
        Job::Sweep => {
            service.store.forget_keyed(service.clock.now() - KEYED_KEPT)?;
            sweep(service, passed, progress)
        }
        Job::Purge => purge_while(service, passed, progress),
        Job::Stamp => each_vault(progress, &|header, _| {
            Ok(restamp_if_changed(service, header)? + archive_faded(service, header)?)
        }),
        Job::Review => each_vault(progress, &|header, _| prompt_review(service, header)),
        Job::Sessions => each_vault(progress, &|header, _| {
            end_idle_sessions(service, &header.scope).map(|ended| ended as u64)
        }),
        Job::Compact => each_vault(progress, &|header, progress| {
            let compacted = compact_due(service, &header.scope, &mut |turns| progress(turns as u64));
            compacted.map(|turns| turns as u64)
        }),
        Job::Embed => each_vault(progress, &|header, progress| {
            let embedded = reembed_all(service, &header.scope, &mut |count| progress(count as u64));
            embedded.map(|count| count as u64)
        }),
        Job::Audit => care_for_audits(service, progress),
        Job::Rotate => finish_rotations(service, progress),
        Job::Epoch => renew_epochs(service, progress),
    }
}

fn care_for_audits(service: &Service, progress: Progress<'_>) -> Result<u64> {
    let cared = each_vault(service, progress, &|header, _| {
        let aged = keep_audit(service, &header.scope)?.aged;
        Ok(aged + forget_tombstones(service, &header.scope)?)
    })?;
    forget_old_erasures(service)?;
    let overdue =
        service.store.due_records(RecordKind::Request, service.clock.now(), RECORDS_PAGE_MAX)?.len();
    if overdue > 0 {
        tracing::warn!(overdue, "requests of people to be forgotten are overdue");
    }
    Ok(cared)
}

/// Visits every vault until somebody says to stop, and adds up what was done.
fn each_vault(service: &Service, progress: Progress<'_>, visit: Visit<'_>) -> Result<u64> {
    let (mut done, mut after) = (0, None);
    let mut failed: Option<Error> = None;
    loop {
        let page = service.store.vaults(after, PAGE)?;
        let Some(last) = page.last() else { return failed.map_or(Ok(done), Err) };
        after = Some(last.id);
        for header in &page {
            match visit(header, progress) {
                Ok(more) => done += more,
                Err(error) => failed = failed.or(Some(error)),
            }
            if progress(done).is_break() {
                return failed.map_or(Ok(done), Err);
            }
        }
    }
}
