//! Backup and restore of an installation on SQLite.
//!
//! A backup of the data holds no keys: what is forgotten after it was made stays forgotten, because its key is
//! gone. A full backup holds keys as well, is sealed under a passphrase, and stands in the organisation's book
//! until it expires. A restore replays the erasure ledger, and refuses one that is older than the newest
//! receipt that anybody can show.

pub(crate) mod container;
pub(crate) mod place;
pub(crate) mod restore;
pub(crate) mod save;

use std::io::Read;

use jiff::{SignedDuration, Timestamp};
use lacuna_seal::Zeroizing;
use lacuna_store::cbor::{CborReader, CborWriter};
use lacuna_store::keys::{ERASURES_PAGE_MAX, KeyStore, LedgerLine, ReceiptMark};
use lacuna_store::rows::{RECORDS_PAGE_MAX, Record, RecordChange, RecordKind};
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::{AuditAction, AuditEntry};
use crate::permit::{Grant, ManageKeys};
use crate::transfer::backup::container::{FrameKind, Packer, Unpacker, damaged};
use crate::transfer::recover::recover;
use crate::vault::cleared::clear_destroyed;
use crate::vault::commit::{Act, retrying};
use crate::vault::service::Service;

/// Time for which a full backup is kept, by default.
pub const BACKUP_KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Lines of the ledger in one frame.
const LINES_PER_FRAME: usize = 8_000;
/// Vaults that are looked up at a time.
const VAULTS_PAGE: usize = 256;

/// The erasure ledger, as far as one file or keystore knows it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ledger {
    /// Erasures, in the order in which they were recorded.
    pub lines: Vec<LedgerLine>,
    /// Marks of the receipts.
    pub receipts: Vec<ReceiptMark>,
}

/// A full backup as the organisation's book has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackupEntry {
    /// The number under which it was registered.
    pub number: u64,
    /// The moment at which it was made.
    pub made_at: Timestamp,
    /// The moment at which it expires; `None` for never.
    pub expires_at: Option<Timestamp>,
}

impl Ledger {
    /// Everything that a keystore knows.
    pub fn of(keys: &dyn KeyStore) -> Result<Self> {
        let mut ledger = Self::default();
        loop {
            let after = ledger.lines.last().map(LedgerLine::cursor);
            let page = keys.erasures(after, ERASURES_PAGE_MAX)?;
            if page.is_empty() {
                break;
            }
            ledger.lines.extend(page);
        }
        loop {
            let page = keys.receipts_known(ledger.receipts.last().map(|mark| &mark.org))?;
            if page.is_empty() {
                return Ok(ledger);
            }
            ledger.receipts.extend(page);
        }
    }

    /// The bytes of a ledger file.
    pub fn encode(&self) -> Result<Vec<u8>> {
        let mut packer = Packer::new(Vec::new())?;
        self.pack(&mut packer)?;
        packer.finish()
    }

    /// Reads the ledger in a ledger file, or in a backup that is not sealed.
    pub fn decode(bytes: impl Read) -> Result<Self> {
        let mut unpacker = Unpacker::new(bytes)?;
        let mut ledger = Self::default();
        while let Some((kind, bytes)) = unpacker.next()? {
            ledger.take(kind, &bytes)?;
        }
        Ok(ledger)
    }

    fn pack<W: std::io::Write>(&self, packer: &mut Packer<W>) -> Result<()> {
        for lines in self.lines.chunks(LINES_PER_FRAME) {
            let mut bytes = Vec::new();
            CborWriter(&mut bytes).list(lines, |w, line| {
                w.array(3);
                w.bytes(line.vault.as_bytes());
                w.optional(line.memory, |w, memory| w.bytes(memory.as_bytes()));
                w.int(millis(line.at));
            });
            packer.frame(FrameKind::Ledger, &bytes)?;
        }
        for receipts in self.receipts.chunks(LINES_PER_FRAME / 2) {
            let mut bytes = Vec::new();
            CborWriter(&mut bytes).list(receipts, |w, mark| {
                w.array(2);
                w.text(mark.org.as_str());
                w.uint(mark.number);
            });
            packer.frame(FrameKind::Receipts, &bytes)?;
        }
        Ok(())
    }

    /// Takes over what a frame says about the ledger; other frames are passed over.
    fn take(&mut self, kind: FrameKind, bytes: &[u8]) -> Result<()> {
        match kind {
            FrameKind::Ledger => {
                self.lines.extend(CborReader(bytes).list(|r| r.record(3, read_line)).ok_or_else(damaged)?);
            }
            FrameKind::Receipts => {
                self.receipts.extend(CborReader(bytes).list(|r| r.record(2, read_mark)).ok_or_else(damaged)?);
            }
            _ => {}
        }
        Ok(())
    }

    fn mark(&self, org: &OrgId) -> u64 {
        let marks = self.receipts.iter().filter(|mark| mark.org == *org);
        marks.map(|mark| mark.number).max().unwrap_or(0)
    }

    fn absorb_into(&self, keys: &dyn KeyStore) -> Result<u64> {
        let mut destroyed = keys.absorb(&[], &self.receipts)?;
        for lines in self.lines.chunks(ERASURES_PAGE_MAX) {
            destroyed += keys.absorb(lines, &[])?;
        }
        Ok(destroyed)
    }
}

fn read_line(r: &mut CborReader<'_>) -> Option<LedgerLine> {
    Some(LedgerLine {
        vault: VaultId::from_bytes(r.array_of_bytes()?),
        memory: r.optional(|r| r.array_of_bytes().map(MemoryId::from_bytes))?,
        at: from_millis(r.int()?)?,
    })
}

fn read_mark(r: &mut CborReader<'_>) -> Option<ReceiptMark> {
    Some(ReceiptMark { org: OrgId::new(r.text()?).ok()?, number: r.uint()? })
}

/// The first frame of a backup.
struct Manifest {
    made_at: Timestamp,
    /// The number in the organisation's book, for a full backup.
    number: Option<u64>,
}

impl Manifest {
    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut w = CborWriter(&mut bytes);
        w.array(2);
        w.int(millis(self.made_at));
        w.optional(self.number, CborWriter::uint);
        bytes
    }

    fn decode(bytes: &[u8]) -> Result<Self> {
        let read = |r: &mut CborReader<'_>| {
            Some(Self { made_at: from_millis(r.int()?)?, number: r.optional(CborReader::uint)? })
        };
        CborReader(bytes).record(2, read).ok_or_else(damaged)
    }
}

/// A key of the key folder, by the name of its file.
struct KeyFile {
    name: String,
    key: Zeroizing<[u8; 32]>,
}

/// Enters a full backup into the organisation's book, before it is written: receipts name it until it
/// expires.
pub(crate) fn register_backup(
    service: &Service,
    grant: &Grant<ManageKeys>,
    kept: SignedDuration,
) -> Result<u64> {
    let org = grant.scope();
    // A conflict means that another backup took the number.
    retrying(|| {
        let now = service.clock.now();
        let record = Record {
            org: org.org.clone(),
            kind: RecordKind::Backup,
            number: service.store.last_record(&org.org, RecordKind::Backup)? + 1,
            vault: None,
            at: now,
            due_at: Some(now + kept),
            done_at: None,
            doc: Vec::new(),
        };
        let number = record.number;
        let change = Some(RecordChange::Add(record));
        note_backup(service, grant, AuditAction::BackupMade, change, format!("number:{number}"))?;
        Ok(number)
    })
}

/// Notes when a backup had its copy of the rows: what is written later is not in it.
fn close_backup(service: &Service, grant: &Grant<ManageKeys>, number: u64) -> Result<()> {
    let org = grant.scope();
    let found = service.store.records(&org.org, RecordKind::Backup, number.saturating_sub(1), 1)?.pop();
    let record = found.filter(|record| record.number == number).ok_or(Error::NotFound("backup"))?;
    let now = service.clock.now();
    let mut act = Act::silent(org, now);
    act.batch.records = vec![RecordChange::Update(Record { done_at: Some(now), ..record })];
    let reader = service.reader(org);
    let writer = reader.lock();
    writer.commit(&act, |_| {}).map(drop)
}

/// The full backups that have not expired, oldest first.
pub(crate) fn list_backups(service: &Service, grant: &Grant<ManageKeys>) -> Result<Vec<BackupEntry>> {
    let now = service.clock.now();
    let mut entries = Vec::new();
    let mut after = 0;
    loop {
        let page = service.store.records(&grant.scope().org, RecordKind::Backup, after, RECORDS_PAGE_MAX)?;
        let Some(last) = page.last() else { return Ok(entries) };
        after = last.number;
        let held = page.iter().filter(|record| record.due_at.is_none_or(|due| due > now));
        entries.extend(held.map(|record| BackupEntry {
            number: record.number,
            made_at: record.at,
            expires_at: record.due_at,
        }));
    }
}

/// Clears away what the ledger says is erased, in every vault. `progress` hears each. After a restore this
/// comes before anything is served; a vault that is opened does the same for itself.
pub(crate) fn replay_ledger(
    service: &Service,
    grant: &Grant<ManageKeys>,
    mut progress: impl FnMut(usize),
) -> Result<usize> {
    let mut vaults = 0;
    let mut after = None;
    loop {
        let page = service.store.vaults(after, VAULTS_PAGE)?;
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        for header in &page {
            replay_in(service, &header.scope)?;
            vaults += 1;
            progress(vaults);
        }
    }
    let org = grant.scope().vault_id();
    // Data that waits for its keystore takes no entry.
    let waits = service.store.vault(org)?.is_some() || service.refuse_empty_keystore().is_err();
    if service.keys.vault_keys(org)?.is_some() || !waits {
        note_backup(service, grant, AuditAction::BackupRestored, None, format!("vaults:{vaults}"))?;
    }
    Ok(vaults)
}

fn replay_in(service: &Service, scope: &Scope) -> Result<()> {
    let reader = service.reader(scope);
    let writer = reader.lock();
    clear_destroyed(service, scope)?;
    drop(writer);
    // A vault without keys stays as it is, until its keystore is put back.
    match service.keys.vault_keys(scope.vault_id())? {
        Some(_) => recover(service, scope).map(drop),
        None => Ok(()),
    }
}

fn note_backup(
    service: &Service,
    grant: &Grant<ManageKeys>,
    action: AuditAction,
    change: Option<RecordChange>,
    note: String,
) -> Result<()> {
    let org = grant.scope();
    let entry =
        AuditEntry { notes: vec![note], ..AuditEntry::new(action, grant.caller().acting(), Vec::new()) };
    let mut act = Act::new(org, service.clock.now(), entry);
    act.batch.records.extend(change);
    let reader = service.reader(org);
    let writer = reader.lock();
    writer.ensure()?;
    writer.commit(&act, |_| {}).map(drop)
}
