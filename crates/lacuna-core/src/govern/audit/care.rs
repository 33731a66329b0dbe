//! The daily care of audit chains: old entries give way to their digest, and a checkpoint is signed.

use jiff::{SignedDuration, Timestamp};
use lacuna_store::rows::{AgedEntry, AuditRow, ChainHead};
use lacuna_types::policy::AUDIT_DAYS;
use lacuna_types::{Result, Scope, VaultId};

use crate::audit::aged::AgedSum;
use crate::audit::chain::{aged_bytes, aged_digest, is_of_first_rule};
use crate::audit::{AuditAction, AuditEntry, checkpoint};
use crate::vault::chain::{append_aging, checkpoint, each_entry};
use crate::vault::service::Service;

/// Entries that one commit ages out.
const AGED_BATCH_MAX: usize = 4_096;

const HOURS_PER_DAY: i64 = 24;

/// Before when reads, and everything else, are aged out.
#[derive(Clone, Copy)]
struct Cutoffs {
    reads: Timestamp,
    others: Timestamp,
}

impl Cutoffs {
    fn has_passed(self, row: &AuditRow) -> Result<bool> {
        if row.at >= self.reads.max(self.others) {
            return Ok(false);
        }
        let is_read = AuditEntry::decode(row)?.action == AuditAction::MemoryRead;
        Ok(row.at < if is_read { self.reads } else { self.others })
    }
}

/// Counts of one day's care of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct AuditKept {
    /// Entries that were aged out.
    pub aged: u64,
    /// True when a checkpoint was signed.
    pub checkpoint: bool,
}

/// The daily care of one vault's chain: old entries give way to their digest, as the policy says, and a
/// checkpoint is signed if anything happened since the last one.
pub(crate) fn keep_audit(service: &Service, scope: &Scope) -> Result<AuditKept> {
    let mut aged = 0;
    while let Some(found) = find_old(service, scope)? {
        aged += found.old.len() as u64;
        let entry = found.sum.entry(found.old.len());
        append_aging(service, scope, &[(service.clock.now(), entry)], found.old)?;
    }
    let due = is_checkpoint_due(service, scope.vault_id())?;
    if due {
        checkpoint(service, scope)?;
    }
    Ok(AuditKept { aged, checkpoint: due })
}

fn cutoffs(service: &Service, scope: &Scope) -> Cutoffs {
    let now = service.clock.now();
    let before = |days: i64| now - SignedDuration::from_hours(days * HOURS_PER_DAY);
    Cutoffs { reads: before(service.policy(&scope.org).audit_read_days), others: before(AUDIT_DAYS) }
}

/// The oldest entries that are to go, if there are any, with the sum of all that will be gone then.
fn find_old(service: &Service, scope: &Scope) -> Result<Option<AgedEntries>> {
    let cutoffs = cutoffs(service, scope);
    let mut found = AgedEntries::default();
    let mut head = ChainHead::default();
    each_entry(service, scope.vault_id(), 0, |row| {
        if aged_digest(row).is_some() {
            found.sum.add(row.seq);
        } else if found.old.len() < AGED_BATCH_MAX
            && cutoffs.has_passed(row)?
            && !is_of_first_rule(&head, row)
        {
            found.sum.add(row.seq);
            found.old.push(AgedEntry { seq: row.seq, digest: aged_bytes(&row.entry) });
        }
        head = ChainHead { seq: row.seq, hash: row.hash };
        Ok(())
    })?;
    Ok((!found.old.is_empty()).then_some(found))
}

/// Looks at the end of the chain only: a checkpoint is never further away than their distance.
fn is_checkpoint_due(service: &Service, vault: VaultId) -> Result<bool> {
    let Some(header) = service.store.vault(vault)? else { return Ok(false) };
    let after = header.audit.seq.saturating_sub(checkpoint::CHECKPOINT_ENTRIES);
    let (mut last, mut ends_in_one) = (None, true);
    each_entry(service, vault, after, |row| {
        ends_in_one = AuditEntry::decode(row)?.action == AuditAction::Checkpoint;
        last = if ends_in_one { Some(row.at) } else { last };
        Ok(())
    })?;
    Ok(!ends_in_one && checkpoint::is_due(last, service.clock.now()))
}

#[derive(Default)]
struct AgedEntries {
    old: Vec<AgedEntry>,
    sum: AgedSum,
}
