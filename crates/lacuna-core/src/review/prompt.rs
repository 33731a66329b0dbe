//! The prompt: once a month the owner of a vault is asked to look through it, if there is anything to look at.

use super::month::{Month, has_faded, living};
use crate::audit::{AuditAction, AuditEntry};
use crate::deliver::{Event, Tidings};
use crate::lacuna::{Act, Lacuna};
use crate::lifecycle::MOVES_MAX;
use crate::retention::days;
use lacuna_store::rows::VaultHeader;
use lacuna_types::{Error, Result};
use lacuna_types::{Lifecycle, Scope};

impl Lacuna {
    /// Asks the owner of one vault, if it is time. Answers with how many were asked: one or none.
    pub(crate) fn prompt_review(&self, header: &VaultHeader) -> Result<u64> {
        let scope = &header.scope;
        if header.frozen_at.is_some() {
            return Ok(0);
        }
        let Some(kept) = self.settings_at_rest(header)? else { return Ok(0) };
        let now = self.clock.now();
        let every = days(self.policy(&scope.org).retention.review_days);
        if kept.prompted_at.unwrap_or(header.created_at) + every > now {
            return Ok(0);
        }
        let month = self.month(scope)?;
        self.note_prompted(scope, &month)?;
        Ok(u64::from(month.to_review > 0))
    }

    /// Sets aside what has faded, where the tenant's rules say so. Answers with how many.
    pub(crate) fn archive_faded(&self, header: &VaultHeader) -> Result<u64> {
        let scope = &header.scope;
        if !self.policy(&scope.org).retention.archive_faded || header.frozen_at.is_some() {
            return Ok(0);
        }
        let slot = self.slot(scope);
        let _writer = slot.lock_writer();
        let now = self.clock.now();
        let faded = slot.update(self.sources(), |open| {
            let faded = living(open).filter(|one| has_faded(one, now));
            Ok(faded.map(|one| one.id).take(MOVES_MAX).collect::<Vec<_>>())
        })?;
        let faded = faded.unwrap_or_default();
        if faded.is_empty() {
            return Ok(0);
        }
        let mut act = Act::silent(scope, now);
        act.record(AuditAction::MemoryArchive, "policy", &faded);
        let archived = self.rewrite(&slot, scope, &faded, |row, _| {
            row.state = Lifecycle::Archived;
            row.updated_at = now;
            true
        })?;
        act.batch.puts = archived.iter().map(|archived| archived.row.clone()).collect();
        self.commit(&slot, &act, |open| archived.into_iter().for_each(|one| open.put(&one.row, one.frame)))?;
        Ok(faded.len() as u64)
    }

    /// Notes that the owner was asked, and tells whoever wants to pass it on. How many memories it is about is
    /// all that is said.
    fn note_prompted(&self, scope: &Scope, month: &Month) -> Result<()> {
        let slot = self.slot(scope);
        let _writer = slot.lock_writer();
        let now = self.clock.now();
        let entry = AuditEntry::new(AuditAction::ReviewPrompt, "system", Vec::new());
        let entry = AuditEntry { notes: vec![format!("count:{}", month.to_review)], ..entry };
        let mut act = Act::new(scope, now, entry);
        act.tidings = (month.to_review > 0).then(|| Tidings {
            org: scope.org.clone(),
            event: Event::Review,
            reference: scope.vault_id().to_string(),
            memories: month.to_review as u64,
            at: now,
        });
        let changed = slot.update(self.sources(), |open| {
            self.change_settings(open, &mut act, |kept| kept.prompted_at = Some(now))
        })?;
        changed.ok_or(Error::NotFound("vault"))?;
        self.commit(&slot, &act, |open| open.settings.expire())?;
        Ok(())
    }
}
