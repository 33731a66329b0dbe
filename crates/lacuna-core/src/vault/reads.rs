//! Reads: who saw which memories, without a word of what they said or what was asked.
//!
//! A recall does not wait for the disk, so reads gather in RAM and are committed together. The queue is
//! bounded: whoever finds it full writes it down, and a read that nobody can write down is refused.

use std::collections::HashMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use lacuna_types::hex::hex;
use lacuna_types::{Error, Lane, MemoryId, Result, Scope, VaultId};

use crate::audit::{AuditAction, AuditEntry};
use crate::permit::{Acting, Action, Grant};
use crate::vault::chain::append_entries;
use crate::vault::service::Service;
use crate::vault::tampering::record_findings;

/// Entries that wait in RAM, of all vaults together.
pub const READS_QUEUED_MAX: usize = 4_096;
/// Memories that one entry names; a longer list makes several entries.
pub const READ_SUBJECTS_MAX: usize = 256;
/// The bytes of a query's fingerprint that are kept.
const QUERY_MARK_BYTES: usize = 16;

/// Somebody saw memories.
pub(crate) struct Read<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) reader: Acting<'a>,
    /// By which operation.
    pub(crate) by: &'static str,
    pub(crate) memories: Vec<MemoryId>,
    /// The lanes that were asked for; none means all.
    pub(crate) lanes: &'a [Lane],
    /// The keyed fingerprint of what was asked.
    pub(crate) query: Option<[u8; 32]>,
    /// The number of memories that were looked over without showing any by itself.
    pub(crate) counted: Option<usize>,
    /// The program through which they were seen, as far as it is known.
    pub(crate) client: Option<&'a str>,
}

impl<'a> Read<'a> {
    /// A read of everything that the caller asked for, by no question.
    pub(crate) fn of<A: Action>(grant: &'a Grant<A>, by: &'static str, memories: Vec<MemoryId>) -> Self {
        let (scope, reader) = (grant.scope(), grant.caller().acting());
        let client = grant.caller().client.as_deref();
        Self { scope, reader, by, memories, lanes: &[], query: None, counted: None, client }
    }

    fn entries(&self) -> impl Iterator<Item = AuditEntry> {
        let notes = self.notes();
        let whole = self.counted.map(|_| &self.memories[..]);
        whole.into_iter().chain(self.memories.chunks(READ_SUBJECTS_MAX)).map(move |memories| {
            let subjects = memories.iter().map(|id| (*id).into()).collect();
            let entry = AuditEntry::new(AuditAction::MemoryRead, self.reader, subjects);
            AuditEntry { notes: notes.clone(), ..entry }
        })
    }

    fn notes(&self) -> Vec<String> {
        let lanes: Vec<_> = self.lanes.iter().map(|lane| lane.as_str()).collect();
        let lanes = if lanes.is_empty() { "all".to_owned() } else { lanes.join(",") };
        let mut notes = vec![
            format!("by:{}", self.by),
            format!("scope:{}", self.scope.holder),
            format!("lanes:{lanes}"),
            format!("count:{}", self.counted.unwrap_or(self.memories.len())),
        ];
        notes.extend(self.client.map(|client| format!("client:{client}")));
        notes.extend(self.query.map(|mark| format!("query:{}", hex(&mark[..QUERY_MARK_BYTES]))));
        notes
    }
}

/// Reads that are not written to the audit yet.
#[derive(Default)]
pub(crate) struct ReadLog {
    queue: Mutex<ReadQueue>,
    /// Held while entries are on their way to the store, so that they arrive in order.
    writing: Mutex<()>,
    reads: AtomicU64,
}

#[derive(Default)]
struct ReadQueue {
    vaults: HashMap<VaultId, PendingReads>,
    /// Entries of all vaults, with those that are on their way to the store.
    entries: usize,
}

struct PendingReads {
    scope: Scope,
    entries: Vec<(Timestamp, AuditEntry)>,
}

impl ReadLog {
    fn queue(&self) -> MutexGuard<'_, ReadQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_writing(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReadQueue {
    fn is_full(&self) -> bool {
        self.entries >= READS_QUEUED_MAX
    }

    fn push(&mut self, at: Timestamp, read: &Read<'_>) {
        let waiting = self
            .vaults
            .entry(read.scope.vault_id())
            .or_insert_with(|| PendingReads { scope: read.scope.clone(), entries: Vec::new() });
        let before = waiting.entries.len();
        waiting.entries.extend(read.entries().map(|entry| (at, entry)));
        self.entries += waiting.entries.len() - before;
    }

    /// Puts back what could not be written, before what came since.
    fn put_back(&mut self, vault: VaultId, mut failed: PendingReads) {
        if let Some(newer) = self.vaults.remove(&vault) {
            failed.entries.extend(newer.entries);
        }
        self.vaults.insert(vault, failed);
    }
}

/// Notes a read, which the caller must not answer if this fails. Seeing nothing is not noted.
///
/// The caller holds no lock of a vault: a full queue is written down here and now.
pub(crate) fn note_read(service: &Service, read: &Read<'_>) -> Result<()> {
    let logging = service.policy(&read.scope.org).audit_reads;
    let is_empty = read.memories.is_empty() && read.counted.is_none_or(|count| count == 0);
    if is_empty || !logging.wants(&service.reads.reads) {
        return Ok(());
    }
    let is_full = || service.reads.queue().is_full();
    if is_full()
        && let Err(error) = flush_reads(service)
        && is_full()
    {
        return Err(unwritten(error));
    }
    service.reads.queue().push(service.clock.now(), read);
    Ok(())
}

/// Writes every read that was noted so far into its vault's chain, and every finding of changed vaults. Whoever embeds the library calls this
/// about once a second and before the process ends.
pub(crate) fn flush_reads(service: &Service) -> Result<()> {
    let _writing = service.reads.lock_writing();
    let vaults: Vec<VaultId> = service.reads.queue().vaults.keys().copied().collect();
    // One vault that cannot be written does not keep the others waiting.
    let written = vaults.into_iter().map(|vault| write_reads(service, vault)).fold(Ok(()), Result::and);
    written.and(record_findings(service))
}

/// Does the same as [`flush_reads`], for one vault.
pub(crate) fn flush_reads_of(service: &Service, vault: VaultId) -> Result<()> {
    let _writing = service.reads.lock_writing();
    write_reads(service, vault)
}

fn write_reads(service: &Service, vault: VaultId) -> Result<()> {
    let Some(waiting) = service.reads.queue().vaults.remove(&vault) else { return Ok(()) };
    let written = append_entries(service, &waiting.scope, &waiting.entries);
    let mut queue = service.reads.queue();
    match written {
        Ok(()) => queue.entries -= waiting.entries.len(),
        Err(_) => queue.put_back(vault, waiting),
    }
    written
}

fn unwritten(error: Error) -> Error {
    Error::unavailable("audit_unavailable", "the audit cannot be written, so nothing is shown", error)
}
