//! The sweep: what was kept as long as it may be is erased for good, with receipts.
//!
//! The readable expiry only says where to look. What is due is worked out from what is sealed, so that whoever
//! can write to the database cannot have anything erased by it.

use std::ops::ControlFlow;

use super::stamp::{ends_with_session, term_of};
use super::term::Terms;
use crate::audit::AuditAction;
use crate::forget::{Cause, Mode, Named, PART_MAX, Sought, Task, Wanted};
use crate::index::Stored;
use crate::lacuna::Lacuna;
use crate::vault::Held;
use lacuna_store::rows::VAULTS_PAGE_MAX;
use lacuna_types::Result;
use lacuna_types::*;

/// Hears how many were swept so far, and says whether to go on.
pub type Progress<'a> = &'a mut dyn FnMut(u64) -> ControlFlow<()>;

impl Lacuna {
    /// Erases what is due in every vault. Answers with how many memories went. One vault that cannot be swept
    /// does not keep the others waiting; the first failure is the answer in the end.
    pub fn sweep(&self, progress: Progress<'_>) -> Result<u64> {
        let (mut swept, mut after, mut failed) = (0, None, None);
        let now = self.clock.now();
        loop {
            let vaults = self.store.expiring(now, after, VAULTS_PAGE_MAX)?;
            let Some(last) = vaults.last() else { return failed.map_or(Ok(swept), Err) };
            after = Some(*last);
            for vault in vaults {
                let Some(header) = self.store.vault(vault)? else { continue };
                match self.sweep_vault(&header.scope) {
                    Ok(went) => swept += went as u64,
                    Err(error) => failed = failed.or(Some(error)),
                }
                if progress(swept).is_break() {
                    return failed.map_or(Ok(swept), Err);
                }
            }
        }
    }

    /// As [`Self::sweep`], in one vault. A frozen one is left as it is: nothing in it may be changed.
    pub fn sweep_vault(&self, scope: &Scope) -> Result<usize> {
        let now = self.clock.now();
        self.erase_lapsed(scope, |terms, one| term_of(terms, one).expires_at.is_some_and(|at| at <= now))
    }

    /// Erases what a session that ends was to take with it.
    pub(crate) fn sweep_session(&self, scope: &Scope, session: &SessionId) -> Result<usize> {
        self.erase_lapsed(scope, |terms, one| {
            one.payload.facets.source.session.as_ref() == Some(session) && ends_with_session(terms, one)
        })
    }

    fn erase_lapsed(
        &self,
        scope: &Scope,
        has_lapsed: impl Fn(&Terms<'_>, &Stored<'_, Held>) -> bool,
    ) -> Result<usize> {
        let slot = self.slot(scope);
        let mut erased = 0;
        loop {
            let _writer = slot.lock_writer();
            if self.check_thawed(scope).is_err() {
                return Ok(erased);
            }
            self.finish_intents(&slot, scope)?;
            // Up to as many as one receipt takes.
            let due = slot.update(self.sources(), |open| {
                self.terms_in(open, scope, |open, terms| {
                    let living =
                        open.index.after(None).filter(|one| one.attributes.state != Lifecycle::Deleted);
                    let due = living.filter(|one| has_lapsed(terms, one));
                    Ok(due.map(|one| one.id).take(PART_MAX).collect::<Vec<_>>())
                })
            })?;
            let due = due.unwrap_or_default();
            if due.is_empty() {
                return Ok(erased);
            }
            // What was made of them lives on: they merely expire.
            self.release_all(&slot, scope, &due)?;
            let task = task(due.len());
            self.erase_with_receipt(&slot, scope, &Wanted::whole(&due), &task, Sought::default())?;
            erased += due.len();
        }
    }
}

fn task(direct: usize) -> Task<'static> {
    Task {
        actor: "system",
        action: AuditAction::MemoryExpire,
        mode: Mode::Hard,
        cause: Cause::Retention,
        named: Named::Time,
        scope_hashes: Vec::new(),
        direct,
        indirect: 0,
        request: None,
    }
}
