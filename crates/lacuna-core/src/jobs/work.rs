//! What each job does, vault by vault. One vault that fails does not keep the others waiting: the first failure is
//! the answer in the end.

use crate::jobs::Job;
use crate::lacuna::Lacuna;
use crate::retention::Progress;
use lacuna_store::rows::{RECORDS_PAGE_MAX, RecordKind, VaultHeader};
use lacuna_types::{Error, Result};

/// Vaults that are looked up at a time.
const PAGE: usize = 256;

impl Lacuna {
    /// Answers with how many things were done.
    pub(super) fn work(&self, job: Job, progress: Progress<'_>) -> Result<u64> {
        match job {
            Job::Sweep => self.sweep(progress),
            Job::Purge => self.purge_while(progress),
            Job::Stamp => self.each_vault(progress, |header, _| {
                Ok(self.restamp_if_changed(header)? + self.archive_faded(header)?)
            }),
            Job::Review => self.each_vault(progress, |header, _| self.prompt_review(header)),
            Job::Sessions => self.each_vault(progress, |header, _| {
                self.end_idle_sessions(&header.scope).map(|ended| ended as u64)
            }),
            Job::Compact => self.each_vault(progress, |header, progress| {
                let compacted = self.compact_due(&header.scope, &mut |turns| progress(turns as u64));
                compacted.map(|turns| turns as u64)
            }),
            Job::Embed => self.each_vault(progress, |header, progress| {
                let embedded = self.reembed_all(&header.scope, &mut |count| progress(count as u64));
                embedded.map(|count| count as u64)
            }),
            Job::Audit => self.care_for_audits(progress),
            Job::Epoch => self.renew_epochs(progress),
        }
    }

    fn care_for_audits(&self, progress: Progress<'_>) -> Result<u64> {
        let cared = self.each_vault(progress, |header, _| {
            let aged = self.keep_audit(&header.scope)?.aged;
            Ok(aged + self.forget_tombstones(&header.scope)?)
        })?;
        self.forget_old_erasures()?;
        let overdue = self.store.due_records(RecordKind::Request, self.clock.now(), RECORDS_PAGE_MAX)?.len();
        if overdue > 0 {
            tracing::warn!(overdue, "requests of people to be forgotten are overdue");
        }
        Ok(cared)
    }

    /// Visits every vault until somebody says to stop, and adds up what was done.
    fn each_vault(
        &self,
        progress: Progress<'_>,
        visit: impl Fn(&VaultHeader, Progress<'_>) -> Result<u64>,
    ) -> Result<u64> {
        let (mut done, mut after) = (0, None);
        let mut failed: Option<Error> = None;
        loop {
            let page = self.store.vaults(after, PAGE)?;
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
}
