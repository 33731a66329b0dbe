//! Retention: how long memories are kept, who may say so, and what happens when their time is over.
//!
//! A tenant has rules, an owner has settings, a memory has its tier, its categories and perhaps a pin. Together
//! they make its [`Term`]: from when its owner is asked about it, and until when it is kept.

mod kept;
mod preview;
mod rules;
mod settings;
mod stamp;
mod sweep;
mod term;

#[cfg(test)]
mod tests;

pub(crate) use kept::HeldSettings;
pub use lacuna_types::policy::{
    DAYS_MAX, EPISODIC_DAYS_MAX_DEFAULT, GRACE_DAYS_DEFAULT, REVIEW_DAYS_DEFAULT, RetentionRule as Rule,
    RetentionRules, Unanswered,
};
pub use preview::{PREVIEW_IDS_MAX, Preview};
pub use settings::{ENTITY_RULES_MAX, EntityRule, Settings, Span};
pub(crate) use stamp::{term_of, term_of_frame};
pub use sweep::Progress;
pub use term::{Ground, Term};
pub(crate) use term::{Terms, days};

use crate::audit::{AuditAction, AuditEntry};
use crate::lacuna::{Act, Lacuna};
use crate::lifecycle::MOVES_MAX;
use crate::permit::{Forget, Grant, Recall, Retain, permit};
use crate::vault::Slot;
use crate::vault::frame::Frame;
use lacuna_types::*;
use lacuna_types::{Error, Result};

impl Lacuna {
    /// What the owner of a vault has set.
    pub fn retention(&self, grant: &Grant<Recall>) -> Result<Settings> {
        let slot = self.slot(grant.scope());
        Ok(self.settings_of(&slot)?.retention.clone())
    }

    /// How long one memory is kept, and why.
    pub fn term(&self, grant: &Grant<Recall>, id: MemoryId) -> Result<Term> {
        let scope = grant.scope();
        let term = self.slot(scope).update(self.sources(), |open| {
            self.terms_in(open, scope, |open, terms| {
                let stored = open.index.get(&id).ok_or(Error::NotFound("memory"))?;
                Ok(term_of(terms, &stored))
            })
        })?;
        term.ok_or(Error::NotFound("memory"))
    }

    /// Sets how long the vault remembers. When memories are over at once because of it, their number must be
    /// said: whoever has not seen the preview does not lose anything by a slip.
    pub fn set_retention(&self, grant: &Grant<Retain>, settings: Settings, goes: usize) -> Result<Preview> {
        let scope = grant.scope();
        // What it answers with says something of what is there.
        permit::<Recall>(grant.caller(), scope)?;
        settings.check(&self.policy(&scope.org).retention)?;
        let slot = self.slot(scope);
        let preview = {
            let _writer = slot.lock_writer();
            self.check_thawed(scope)?;
            self.ensure_vault(&slot, scope)?;
            let preview = self.preview_in(&slot, scope, &settings)?;
            if preview.goes_now != goes && preview.goes_now > 0 {
                return Err(Error::Refused {
                    code: "needs_confirmation",
                    reason: "memories would go at once: look at the preview and say how many",
                });
            }
            let user = grant.caller().user.as_str();
            let entry = AuditEntry::new(AuditAction::RetentionSet, user, Vec::new());
            self.set(&slot, scope, entry, |kept| kept.retention = settings.clone())?;
            preview
        };
        self.restamp(scope)?;
        Ok(preview)
    }

    /// Pins memories, so that no time takes them, or lets them go their way again.
    pub fn pin(&self, grant: &Grant<Forget>, ids: &[MemoryId], pinned: bool) -> Result<()> {
        let action = if pinned { AuditAction::MemoryPin } else { AuditAction::MemoryUnpin };
        self.retain(grant, ids, action, |frame| frame.facets.retention.pinned = pinned)
    }

    /// Changes how some memories are kept, all of them or none.
    pub(crate) fn retain(
        &self,
        grant: &Grant<Forget>,
        ids: &[MemoryId],
        action: AuditAction,
        change: impl Fn(&mut Frame),
    ) -> Result<()> {
        if ids.is_empty() || ids.len() > MOVES_MAX {
            return Err(Error::invalid("memory_ids", format!("one call takes 1 to {MOVES_MAX} memories")));
        }
        let scope = grant.scope();
        let slot = self.slot(scope);
        let _writer = slot.lock_writer();
        self.check_thawed(scope)?;
        self.check_reach(&slot, grant, ids)?;
        let settings = self.settings_of(&slot)?;
        let terms = Terms::new(&self.policy(&scope.org).retention, &settings.retention, &scope.holder);
        let mut act = Act::silent(scope, self.clock.now());
        act.record(action, grant.caller().user.as_str(), ids);
        let kept = self.rewrite(&slot, scope, ids, |row, frame| {
            change(frame);
            row.expires_at = term_of_frame(&terms, row, frame).expires_at;
            true
        })?;
        act.batch.puts = kept.iter().map(|kept| kept.row.clone()).collect();
        self.commit(&slot, &act, |open| kept.into_iter().for_each(|one| open.put(&one.row, one.frame)))?;
        Ok(())
    }

    fn check_reach(&self, slot: &Slot, grant: &Grant<Forget>, ids: &[MemoryId]) -> Result<()> {
        let reached = slot.update(self.sources(), |open| {
            ids.iter().try_for_each(|id| {
                let stored = open.index.get(id).filter(|one| one.attributes.state != Lifecycle::Deleted);
                let stored = stored.ok_or(Error::NotFound("memory"))?;
                match grant.covers(stored.payload.facets.history.author.as_ref()) {
                    true => Ok(()),
                    false => Err(Error::Denied("only its author or an administrator may say how long")),
                }
            })
        })?;
        reached.ok_or(Error::NotFound("memory"))
    }
}
