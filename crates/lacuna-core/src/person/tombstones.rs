//! Tombstones are kept as long as the law asks for a trace, and then go as well.

use jiff::{SignedDuration, Timestamp};

use crate::audit::{AuditAction, AuditEntry};
use crate::domain::*;
use crate::error::Result;
use crate::lacuna::{Act, Lacuna};

const HOURS_PER_DAY: i64 = 24;

impl Lacuna {
    /// Removes the tombstones of a vault that are older than the tenant's policy keeps them. Answers with how
    /// many went.
    pub fn forget_tombstones(&self, scope: &Scope) -> Result<u64> {
        let before = self.tombstones_until(self.policy(&scope.org).tombstone_days);
        let old = self.old_tombstones(scope.vault_id(), before)?;
        if old == 0 {
            return Ok(0);
        }
        let entry = AuditEntry::new(AuditAction::TombstonesGone, "system", Vec::new());
        let entry = AuditEntry { notes: vec![format!("count:{old}")], ..entry };
        let mut act = Act::new(scope, self.clock.now(), entry);
        act.batch.forget_tombstones_before = Some(before);
        let slot = self.slot(scope);
        let _writer = slot.lock_writer();
        self.commit(&slot, &act, |_| ())?;
        Ok(old)
    }

    /// Drops what the keystore's ledger holds beyond the longest time that any tenant keeps tombstones.
    pub fn forget_old_erasures(&self) -> Result<u64> {
        let policies = &self.rules.policies;
        let kept = policies.by_org.values().chain([&policies.everyone]).map(|policy| policy.tombstone_days);
        match kept.max() {
            Some(days) => self.keys.forget_erasures(self.tombstones_until(days)),
            None => Ok(0),
        }
    }

    fn tombstones_until(&self, days: i64) -> Timestamp {
        self.clock.now() - SignedDuration::from_hours(days * HOURS_PER_DAY)
    }

    fn old_tombstones(&self, vault: VaultId, before: Timestamp) -> Result<u64> {
        let (mut old, mut after) = (0, None);
        loop {
            let page = self.store.tombstones(vault, after)?;
            let Some((last, _)) = page.last() else { return Ok(old) };
            after = Some(*last);
            old += page.iter().filter(|(_, at)| *at < before).count() as u64;
        }
    }
}
