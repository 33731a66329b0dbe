//! Counts of the entries in a period: for reports to people who must not see content.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use lacuna_types::{Error, Result, facet};

use crate::audit::{AuditAction, AuditEntry};
use crate::govern::audit::verify::check_header;
use crate::permit::{Grant, ReadAudit};
use crate::vault::chain::each_entry;
use crate::vault::reads::flush_reads_of;
use crate::vault::service::Service;

/// Different actors that are counted by name; the rest are counted together.
pub(crate) const ACTORS_MAX: usize = 10_000;
/// Receipts that are named; all are counted.
pub(crate) const RECEIPTS_MAX: usize = 10_000;
/// The name under which the actors beyond [`ACTORS_MAX`] are counted together.
const OTHER_ACTORS: &str = "others";

facet!(
    /** The concern under which a report counts an action. */
    Concern, "concern", {
    Writes = 1 "writes",
    Reads = 2 "reads",
    Erasures = 3 "erasures",
    Corrections = 4 "corrections",
    Refusals = 5 "refusals",
    Redactions = 6 "redactions",
    Candidates = 7 "candidates",
    Moves = 8 "moves",
    Exports = 9 "exports",
    Freezes = 10 "freezes",
    Tokens = 11 "tokens",
    Members = 12 "members",
    Deliveries = 13 "deliveries",
    Upkeep = 14 "upkeep",
    Retention = 15 "retention",
    Tampering = 16 "tampering",
    Locks = 17 "locks",
});

impl AuditAction {
    /// The concern under which a report counts the action.
    pub fn concern(self) -> Concern {
        use AuditAction as A;
        match self {
            A::MemoryWrite | A::MemoryRepeat | A::MemoryImport | A::SessionEnd => Concern::Writes,
            A::MemoryRead => Concern::Reads,
            A::MemoryDelete
            | A::MemoryDeleteDone
            | A::MemorySoftDelete
            | A::MemoryRestore
            | A::MemoryArchive
            | A::MemoryForget
            | A::MemoryCascade
            | A::MemoryCut
            | A::MemoryAnonymise
            | A::MemoryRebuild
            | A::MemoryWithhold
            | A::MemoryUnlink
            | A::MemoryPurge
            | A::MemoryExpire
            | A::Receipt
            | A::PersonRequest
            | A::PersonDone
            | A::VaultDestroy
            | A::VaultDestroyDone => Concern::Erasures,
            A::MemorySupersede | A::MemoryCorrect | A::MemoryReplace => Concern::Corrections,
            A::PoisoningAttemptBlocked => Concern::Refusals,
            A::SecretRedacted => Concern::Redactions,
            A::WriteAsked | A::MemoryApprove | A::MemoryActivate | A::MemoryReject => Concern::Candidates,
            A::MemoryPromote | A::MemoryDemote | A::MemoryMoveDone => Concern::Moves,
            A::MemoryExport | A::BackupMade | A::BackupRestored => Concern::Exports,
            A::VaultFreeze | A::VaultThaw => Concern::Freezes,
            A::TokenCreate | A::TokenRevoke => Concern::Tokens,
            A::MemberAdd | A::MemberRemove | A::UserProvision | A::UserRemove => Concern::Members,
            A::TamperFound | A::TamperAccepted => Concern::Tampering,
            A::DeliveryDone | A::DeliveryFailed => Concern::Deliveries,
            A::MemoryReembed
            | A::MemoryCompact
            | A::MemoryRehearse
            | A::Checkpoint
            | A::AuditAged
            | A::AgedOut
            | A::CodesMade
            | A::LedgerReplayed
            | A::RollbackAccepted
            | A::KeyRotated
            | A::TombstonesGone => Concern::Upkeep,
            A::RetentionSet
            | A::RetentionStamp
            | A::MemoryPin
            | A::MemoryUnpin
            | A::MemoryKeep
            | A::ReviewPrompt
            | A::ReviewAnswer
            | A::ConsentGive
            | A::ConsentRevoke
            | A::PurposeSet
            | A::HoldPlace
            | A::HoldConfirm
            | A::HoldEnd
            | A::ErasureDefer
            | A::ErasureResume => Concern::Retention,
            A::VaultProtect | A::VaultUnprotect | A::VaultPassphrase | A::VaultRecover => Concern::Locks,
            A::VaultUnlock | A::VaultLock | A::VaultUnlockFailed => Concern::Locks,
        }
    }
}

/// The period of a report that names none: this many whole days in UTC, with today.
pub const REPORT_DAYS: i64 = 30;

/// The end of a report that names none: the end of today, in UTC.
pub fn end_of_today(now: Timestamp) -> Timestamp {
    let tomorrow = now.to_zoned(TimeZone::UTC).date().tomorrow();
    let start = tomorrow.and_then(|day| day.to_zoned(TimeZone::UTC));
    // Only the last day of the calendar has no tomorrow.
    start.map_or(now, |start| start.timestamp())
}

/// A vault's audit between two moments, without content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AuditSummary {
    /// The beginning of the period.
    pub from: Timestamp,
    /// Not part of the period any more.
    pub to: Timestamp,
    /// Number of entries in the period.
    pub entries: u64,
    /// Entries by concern.
    pub by_concern: BTreeMap<Concern, u64>,
    /// Entries by action.
    pub by_action: BTreeMap<AuditAction, u64>,
    /// Entries by actor; the actors beyond `ACTORS_MAX` are counted together.
    pub by_actor: BTreeMap<String, u64>,
    /// By day of the calendar in UTC.
    pub by_day: BTreeMap<Date, u64>,
    /// Memories that reads have shown, counted at each read.
    pub memories_read: u64,
    /// The numbers of erasure receipts, oldest first.
    pub receipts: Vec<String>,
}

impl AuditSummary {
    fn empty(from: Timestamp, to: Timestamp) -> Self {
        Self {
            from,
            to,
            entries: 0,
            by_concern: BTreeMap::new(),
            by_action: BTreeMap::new(),
            by_actor: BTreeMap::new(),
            by_day: BTreeMap::new(),
            memories_read: 0,
            receipts: Vec::new(),
        }
    }

    fn add(&mut self, at: Timestamp, entry: &AuditEntry) {
        self.entries += 1;
        *self.by_concern.entry(entry.action.concern()).or_default() += 1;
        *self.by_action.entry(entry.action).or_default() += 1;
        *self.by_day.entry(at.to_zoned(TimeZone::UTC).date()).or_default() += 1;
        self.add_actor(&entry.acted_by());
        match entry.action {
            AuditAction::MemoryRead => self.memories_read += entry.subjects.len() as u64,
            AuditAction::Receipt if self.receipts.len() < RECEIPTS_MAX => {
                self.receipts.extend(entry.notes.first().cloned());
            }
            _ => {}
        }
    }

    fn add_actor(&mut self, actor: &str) {
        if actor.is_empty() {
            return;
        }
        let is_known = self.by_actor.contains_key(actor) || self.by_actor.len() < ACTORS_MAX;
        let name = if is_known { actor } else { OTHER_ACTORS };
        *self.by_actor.entry(name.to_owned()).or_default() += 1;
    }
}

/// Counts what the vault's audit holds from `from` until just before `to`.
pub(crate) fn summarise_audit(
    service: &Service,
    grant: &Grant<ReadAudit>,
    from: Timestamp,
    to: Timestamp,
) -> Result<AuditSummary> {
    if from >= to {
        return Err(Error::invalid("from", "must be before the end of the period"));
    }
    let vault = grant.scope().vault_id();
    flush_reads_of(service, vault)?;
    check_header(service, vault)?;
    let mut summary = AuditSummary::empty(from, to);
    each_entry(service, vault, 0, |row| {
        if (from..to).contains(&row.at) {
            summary.add(row.at, &AuditEntry::decode(row)?);
        }
        Ok(())
    })?;
    Ok(summary)
}
