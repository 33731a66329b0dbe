//! The audit chain: what was done, by whom, to which ids; never what it said.
//!
//! Each entry's hash covers the entry and the hash before it, so that a changed, dropped or reordered entry
//! shows. Entries are committed in the same transaction as the act they record.

mod reads;

use jiff::Timestamp;
use lacuna_seal::Digest;

pub use reads::{READ_SUBJECTS_MAX, READS_QUEUED_MAX, READS_SAMPLED};
pub(crate) use reads::{Read, ReadLog};

use crate::cbor::{Reader, Writer};
use crate::domain::{MemoryId, Scope, VaultId, facet, millis};
use crate::error::{Error, Result};
use crate::lacuna::{COMMIT_ATTEMPTS_MAX, Lacuna};
use crate::permit::{Grant, ReadAudit};
use crate::store::{AuditRow, Batch, ChainHead};

const HASH_DOMAIN: &str = "lacuna/audit/v1";
/// The fields of an entry, and how many of them the first release wrote.
const FIELDS: u64 = 5;
const FIRST_FIELDS: u64 = 4;
/// Notes of one entry.
pub const NOTES_MAX: usize = 64;

facet!(
    /** What an entry records. */
    AuditAction, "action", {
    MemoryWrite = 1 "memory_write",
    MemoryDelete = 2 "memory_delete",
    MemoryDeleteDone = 3 "memory_delete_done",
    MemoryReembed = 4 "memory_reembed",
    TokenCreate = 5 "token_create",
    TokenRevoke = 6 "token_revoke",
    SecretRedacted = 7 "secret_redacted",
    PoisoningAttemptBlocked = 8 "poisoning_attempt_blocked",
    MemorySupersede = 9 "memory_supersede",
    MemoryRepeat = 10 "memory_repeat",
    MemoryApprove = 11 "memory_approve",
    MemoryActivate = 12 "memory_activate",
    MemorySoftDelete = 13 "memory_soft_delete",
    MemoryRestore = 14 "memory_restore",
    MemoryArchive = 15 "memory_archive",
    MemoryReject = 16 "memory_reject",
    VaultFreeze = 17 "vault_freeze",
    VaultThaw = 18 "vault_thaw",
    MemberAdd = 20 "member_add",
    MemberRemove = 21 "member_remove",
    MemoryPromote = 22 "memory_promote",
    MemoryDemote = 23 "memory_demote",
    MemoryMoveDone = 24 "memory_move_done",
    WriteAsked = 25 "write_asked",
    MemoryExport = 26 "memory_export",
    MemoryImport = 27 "memory_import",
    MemoryRead = 30 "memory_read",
    MemoryForget = 40 "memory_forget",
    MemoryCascade = 41 "memory_cascade",
    MemoryCut = 42 "memory_cut",
    MemoryRebuild = 43 "memory_rebuild",
    MemoryWithhold = 44 "memory_withhold",
    MemoryUnlink = 45 "memory_unlink",
    MemoryPurge = 46 "memory_purge",
    MemoryCorrect = 47 "memory_correct",
    Receipt = 48 "receipt",
});

/// One entry. Its encoding is frozen: a CBOR array of these fields, to which later releases may add.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AuditEntry {
    pub action: AuditAction,
    /// The user who acted, or `system`.
    pub actor: String,
    /// The memories concerned, or the token, or for a membership the group's vault and the member's.
    pub subjects: Vec<Subject>,
    /// Sealed bytes written.
    pub bytes: u64,
    /// Words of ours that say more: the rules that struck, and where. Never content.
    pub notes: Vec<String>,
}

/// A 16-byte id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subject(pub [u8; 16]);

impl From<MemoryId> for Subject {
    fn from(id: MemoryId) -> Self {
        Self(*id.as_bytes())
    }
}

impl AuditEntry {
    pub fn new(action: AuditAction, actor: &str, subjects: Vec<Subject>) -> Self {
        Self { action, actor: actor.to_owned(), subjects, bytes: 0, notes: Vec::new() }
    }

    pub fn decode(row: &AuditRow) -> Result<Self> {
        Reader(&row.entry)
            .grown_record(FIRST_FIELDS, FIELDS, Self::read)
            .ok_or_else(|| Error::corrupt(format!("audit entry {} does not parse", row.seq)))
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut w = Writer(&mut bytes);
        w.array(if self.notes.is_empty() { FIRST_FIELDS } else { FIELDS } as usize);
        w.uint(self.action.code());
        w.text(&self.actor);
        w.list(&self.subjects, |w, subject| w.bytes(&subject.0));
        w.uint(self.bytes);
        if !self.notes.is_empty() {
            w.list(&self.notes, |w, note| w.text(note));
        }
        bytes
    }

    fn read(r: &mut Reader<'_>, grown: bool) -> Option<Self> {
        Some(Self {
            action: AuditAction::from_code(r.uint()?)?,
            actor: r.text()?.to_owned(),
            subjects: r.list(|r| r.array_of_bytes().map(Subject))?,
            bytes: r.uint()?,
            notes: if grown { r.list(|r| Some(r.text()?.to_owned()))? } else { Vec::new() },
        })
    }
}

impl ChainHead {
    /// Appends an entry: the row to commit. `self` moves on to it.
    pub fn append(&mut self, at: Timestamp, entry: &AuditEntry) -> AuditRow {
        let bytes = entry.encode();
        let seq = self.seq + 1;
        let hash = entry_hash(&self.hash, seq, at, &bytes);
        *self = ChainHead { seq, hash };
        AuditRow { seq, at, entry: bytes, hash }
    }

    /// Checks that `row` continues this chain, and moves on to it.
    pub fn verify(&mut self, row: &AuditRow) -> Result<()> {
        if row.seq != self.seq + 1 {
            return Err(Error::corrupt(format!("audit entry {} is missing", self.seq + 1)));
        }
        if entry_hash(&self.hash, row.seq, row.at, &row.entry) != row.hash {
            return Err(Error::corrupt(format!("audit entry {} does not match its hash", row.seq)));
        }
        *self = ChainHead { seq: row.seq, hash: row.hash };
        Ok(())
    }
}

fn entry_hash(previous: &[u8; 32], seq: u64, at: Timestamp, entry: &[u8]) -> [u8; 32] {
    let parts: [&[u8]; 4] = [previous, &seq.to_be_bytes(), &millis(at).to_be_bytes(), entry];
    *Digest::of(HASH_DOMAIN, &parts).as_bytes()
}

/// What a verification found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AuditReport {
    pub entries: u64,
    /// The hash of the last entry: whoever wrote it down earlier can see that nothing was cut off.
    pub head: [u8; 32],
}

impl Lacuna {
    /// Walks the vault's chain from its first entry to its last.
    pub fn verify_audit(&self, grant: &Grant<ReadAudit>) -> Result<AuditReport> {
        let vault = grant.scope().vault_id();
        self.flush_reads_of(vault)?;
        let mut head = ChainHead::default();
        self.each_entry(vault, |row| head.verify(row))?;
        let stored = self.store.vault(vault)?.map_or(ChainHead::default(), |header| header.audit);
        if stored.seq < head.seq || (stored.seq == head.seq && stored.hash != head.hash) {
            return Err(Error::corrupt("the vault's header does not match the end of its audit chain"));
        }
        Ok(AuditReport { entries: head.seq, head: head.hash })
    }

    /// Entries of the vault's chain above `after`, oldest first, a page at a time.
    pub fn read_audit(&self, grant: &Grant<ReadAudit>, after: u64) -> Result<Vec<(AuditRow, AuditEntry)>> {
        let vault = grant.scope().vault_id();
        self.flush_reads_of(vault)?;
        let rows = self.store.audit(vault, after)?;
        rows.into_iter().map(|row| AuditEntry::decode(&row).map(|entry| (row, entry))).collect()
    }

    /// Appends entries to a vault's chain and changes nothing else; the vault need not be open for it. Before
    /// its first commit and after its destruction there is no chain to append to.
    pub(crate) fn append_entries(&self, scope: &Scope, entries: &[(Timestamp, AuditEntry)]) -> Result<()> {
        let slot = self.slot(scope);
        let _writer = slot.lock_writer();
        for _ in 0..COMMIT_ATTEMPTS_MAX {
            let Some(header) = self.store.vault(scope.vault_id())? else { return Ok(()) };
            let mut audit = header.audit;
            let mut batch = Batch::new(scope.clone(), self.clock.now(), header.revision);
            batch.audit = entries.iter().map(|(at, entry)| audit.append(*at, entry)).collect();
            match self.store.commit(batch) {
                Ok(revision) => {
                    slot.apply(header.revision, revision, audit, |_| ());
                    return Ok(());
                }
                Err(Error::Conflict(_)) => {}
                Err(error) => {
                    // It may have been written or not: what is open can no longer be trusted.
                    slot.discard();
                    return Err(error);
                }
            }
        }
        Err(Error::Conflict("the vault"))
    }

    pub(crate) fn each_entry(
        &self,
        vault: VaultId,
        mut visit: impl FnMut(&AuditRow) -> Result<()>,
    ) -> Result<()> {
        let mut after = 0;
        loop {
            let page = self.store.audit(vault, after)?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.seq;
            page.iter().try_for_each(&mut visit)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(length: u8) -> Vec<AuditRow> {
        let mut head = ChainHead::default();
        (0..length)
            .map(|n| {
                let entry = AuditEntry::new(AuditAction::MemoryWrite, "anna", vec![Subject([n; 16])]);
                head.append(Timestamp::from_second(i64::from(n)).unwrap(), &entry)
            })
            .collect()
    }

    fn verify(rows: &[AuditRow]) -> Result<ChainHead> {
        let mut head = ChainHead::default();
        rows.iter().try_for_each(|row| head.verify(row))?;
        Ok(head)
    }

    #[test]
    fn every_tampering_shows() {
        let rows = chain(5);
        assert_eq!(verify(&rows).unwrap().seq, 5);
        for at in 0..rows.len() {
            for byte in 0..rows[at].entry.len() {
                let mut changed = rows.clone();
                changed[at].entry[byte] ^= 1;
                assert!(verify(&changed).is_err());
            }
            let mut moved_in_time = rows.clone();
            moved_in_time[at].at += jiff::SignedDuration::from_millis(1);
            assert!(verify(&moved_in_time).is_err());
            if at + 1 < rows.len() {
                let mut dropped = rows.clone();
                dropped.remove(at);
                assert!(verify(&dropped).is_err());
                let mut swapped = rows.clone();
                swapped.swap(at, at + 1);
                assert!(verify(&swapped).is_err());
            }
        }
    }

    #[test]
    fn the_encoding_is_frozen() {
        let row = &chain(1)[0];
        let hex: String = row.entry.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "840164616e6e61815000000000000000000000000000000000".to_owned() + "00");
        assert_eq!(AuditEntry::decode(row).unwrap().actor, "anna");
    }
}
