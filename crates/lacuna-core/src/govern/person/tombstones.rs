//! Tombstones are kept as long as the law asks for a trace, and then go as well.

use jiff::{SignedDuration, Timestamp};
use lacuna_store::rows::TombstoneRow;
use lacuna_types::Result;
use lacuna_types::*;

use crate::audit::{AuditAction, AuditEntry};
use crate::vault::commit::Act;
use crate::vault::receipt::BRIEF_TOMBSTONE;
use crate::vault::service::Service;

const HOURS_PER_DAY: i64 = 24;

/// Removes the tombstones of a vault that are older than the tenant's policy keeps them, and those that were to
/// be brief. Answers with how many went.
pub(crate) fn forget_tombstones(service: &Service, scope: &Scope) -> Result<u64> {
    let before = tombstones_until(service, service.policy(&scope.org).tombstone_days);
    let brief_before = service.clock.now() - BRIEF_TOMBSTONE;
    let old = old_tombstones(service, scope.vault_id(), before, brief_before)?;
    if old == 0 {
        return Ok(0);
    }
    let entry = AuditEntry::new(AuditAction::TombstonesGone, "system", Vec::new());
    let entry = AuditEntry { notes: vec![format!("count:{old}")], ..entry };
    let mut act = Act::new(scope, service.clock.now(), entry);
    act.batch.forget_tombstones_before = Some(before);
    act.batch.forget_brief_before = Some(brief_before);
    let reader = service.reader(scope);
    let writer = reader.lock();
    writer.commit(&act, |_| ())?;
    Ok(old)
}

/// Drops what the keystore's ledger holds beyond the longest time that any tenant keeps tombstones.
pub(crate) fn forget_old_erasures(service: &Service) -> Result<u64> {
    let policies = &service.rules.policies;
    let kept = policies.by_org.values().chain([&policies.everyone]).map(|policy| policy.tombstone_days);
    match kept.max() {
        Some(days) => service.keys.forget_erasures(tombstones_until(service, days)),
        None => Ok(0),
    }
}

fn tombstones_until(service: &Service, days: i64) -> Timestamp {
    service.clock.now() - SignedDuration::from_hours(days * HOURS_PER_DAY)
}

fn old_tombstones(
    service: &Service,
    vault: VaultId,
    before: Timestamp,
    brief_before: Timestamp,
) -> Result<u64> {
    let is_old =
        |stone: &&TombstoneRow| stone.at < if stone.brief { brief_before.max(before) } else { before };
    let (mut old, mut after) = (0, None);
    loop {
        let page = service.store.tombstones(vault, after)?;
        let Some(last) = page.last() else { return Ok(old) };
        after = Some(last.id);
        old += page.iter().filter(is_old).count() as u64;
    }
}
