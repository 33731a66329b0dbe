//! A keystore that the anchor watches over: no erasure that the anchor knows is missing from it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use super::{
    Anchor, CustodyKey, ERASURES_PAGE_MAX, EpochLock, KeyBatch, KeyFingerprint, KeyStore, LedgerCursor,
    LedgerExtent, LedgerLine, ReceiptMark, VaultKeys, WrappedMemoryKey,
};
use lacuna_types::{Clock, MemoryId, OrgId, Result, VaultId};

/// Passes everything on to another keystore, records every destruction in the anchor, and brings a keystore that
/// is behind it up to date before it hands out a key.
pub struct AnchoredKeys {
    inner: Arc<dyn KeyStore>,
    anchor: Arc<Anchor>,
    clock: Arc<dyn Clock>,
    replay: Mutex<Replay>,
}

/// The state of the comparison, which the first use of the keystore makes.
#[derive(Default)]
enum Replay {
    #[default]
    NotCompared,
    /// The keystore was behind, and nobody has recorded it yet.
    Unrecorded(CaughtUp),
    Settled,
}

/// The outcome of comparing a keystore's ledger with the anchor.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CaughtUp {
    /// Lines that the keystore did not have, and has now.
    pub lines: u64,
    /// Keys that these lines name and that were destroyed again.
    pub keys: u64,
    /// Vaults that these lines name.
    pub vaults: BTreeSet<VaultId>,
    /// Organisations whose newest receipt the keystore did not know.
    pub receipts: Vec<OrgId>,
}

impl CaughtUp {
    fn was_behind(&self) -> bool {
        self.lines > 0 || !self.receipts.is_empty()
    }
}

impl AnchoredKeys {
    /// Wraps a keystore. Nothing is read before its first use.
    pub fn new(inner: Arc<dyn KeyStore>, anchor: Arc<Anchor>, clock: Arc<dyn Clock>) -> Self {
        Self { inner, anchor, clock, replay: Mutex::default() }
    }

    /// Brings a keystore that is behind the anchor up to date, once per process. Returns what it lacked to the first who
    /// asks, and who records it.
    pub fn take_replay(&self) -> Result<Option<CaughtUp>> {
        let mut replay = self.caught_up()?;
        match std::mem::replace(&mut *replay, Replay::Settled) {
            Replay::Unrecorded(done) => Ok(Some(done)),
            Replay::NotCompared | Replay::Settled => Ok(None),
        }
    }

    fn caught_up(&self) -> Result<MutexGuard<'_, Replay>> {
        let mut replay = self.replay.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*replay, Replay::NotCompared) {
            let done = compare(&*self.inner, &self.anchor, &*self.clock)?;
            if done.was_behind() {
                tracing::warn!(
                    lines = done.lines,
                    keys = done.keys,
                    "the keystore is older than its anchor: what was erased since was erased again"
                );
                *replay = Replay::Unrecorded(done);
            } else {
                *replay = Replay::Settled;
            }
        }
        Ok(replay)
    }

    fn current(&self) -> Result<&dyn KeyStore> {
        drop(self.caught_up()?);
        Ok(&*self.inner)
    }

    /// Destroys keys, and records that in the anchor at the same time: both are durable in the end. A crash between the
    /// two leaves one of them ahead, and the erasure, which was announced before, is finished by recovery.
    fn destroying<T: Send>(
        &self,
        lines: &[LedgerLine],
        receipts: &[ReceiptMark],
        destroy: impl FnOnce(&dyn KeyStore) -> Result<T>,
    ) -> Result<T> {
        let keys = self.current()?;
        std::thread::scope(|threads| {
            let recorded = threads.spawn(|| self.anchor.record_erasures(lines, receipts));
            let destroyed = destroy(keys);
            recorded.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            destroyed
        })
    }
}

/// Makes keystore and anchor know the same erasures. Where their sizes agree, nothing is read.
fn compare(keys: &dyn KeyStore, anchor: &Anchor, clock: &dyn Clock) -> Result<CaughtUp> {
    let mut done = CaughtUp::default();
    if keys.ledger_extent()? != anchor.ledger_extent()? {
        absorb_lines(keys, anchor, clock, &mut done)?;
        copy_lines(keys, anchor)?;
    }
    let mut after = None;
    loop {
        let page = anchor.receipts(after.as_ref())?;
        let Some(last) = page.last() else { break };
        after = Some(last.org.clone());
        for mark in page {
            if keys.last_receipt(&mark.org)? < mark.number {
                note_first(anchor, clock, &done)?;
                keys.absorb(&[], std::slice::from_ref(&mark))?;
                done.receipts.push(mark.org);
            }
        }
    }
    let mut after = None;
    loop {
        let page = keys.receipts_known(after.as_ref())?;
        let Some(last) = page.last() else { return Ok(done) };
        after = Some(last.org.clone());
        let mut newer = Vec::new();
        for mark in page {
            if anchor.receipt(&mark.org)? < mark.number {
                newer.push(mark);
            }
        }
        anchor.record_erasures(&[], &newer)?;
    }
}

/// Enters the anchor's lines that the keystore does not have, and destroys the keys that they name.
fn absorb_lines(keys: &dyn KeyStore, anchor: &Anchor, clock: &dyn Clock, done: &mut CaughtUp) -> Result<()> {
    let mut after = None;
    loop {
        let page = anchor.erasures(after, ERASURES_PAGE_MAX)?;
        let Some(last) = page.last() else { return Ok(()) };
        let known = known_between(&|from, limit| keys.erasures(from, limit), after, last.cursor())?;
        after = Some(last.cursor());
        let missing: Vec<_> = page.into_iter().filter(|line| is_missing(line, &known)).collect();
        if !missing.is_empty() {
            note_first(anchor, clock, done)?;
            done.lines += missing.len() as u64;
            done.keys += keys.absorb(&missing, &[])?;
            done.vaults.extend(missing.iter().map(|line| line.vault));
        }
    }
}

/// Remembers that the keystore was behind, before the first change: a crash afterwards must not hide it.
fn note_first(anchor: &Anchor, clock: &dyn Clock, done: &CaughtUp) -> Result<()> {
    if done.was_behind() { Ok(()) } else { anchor.note_replay(clock.now()) }
}

/// Enters the keystore's lines that the anchor does not have: those of an older installation, or of another host.
fn copy_lines(keys: &dyn KeyStore, anchor: &Anchor) -> Result<()> {
    let mut after = None;
    loop {
        let page = keys.erasures(after, ERASURES_PAGE_MAX)?;
        let Some(last) = page.last() else { return Ok(()) };
        let known = known_between(&|from, limit| anchor.erasures(from, limit), after, last.cursor())?;
        after = Some(last.cursor());
        let missing: Vec<_> = page.into_iter().filter(|line| is_missing(line, &known)).collect();
        anchor.record_erasures(&missing, &[])?;
    }
}

/// Reads a page of a ledger.
type ReadLines<'a> = dyn Fn(Option<LedgerCursor>, usize) -> Result<Vec<LedgerLine>> + 'a;

/// The lines of a ledger after one cursor, up to another.
fn known_between(
    read: &ReadLines<'_>,
    mut after: Option<LedgerCursor>,
    end: LedgerCursor,
) -> Result<Vec<LedgerLine>> {
    let mut known = Vec::new();
    loop {
        let page = read(after, ERASURES_PAGE_MAX)?;
        let Some(last) = page.last().map(LedgerLine::cursor) else { return Ok(known) };
        after = Some(last);
        known.extend(page.into_iter().take_while(|line| line.cursor() <= end));
        if last >= end {
            return Ok(known);
        }
    }
}

/// A vault may be destroyed again later: an older line about it does not count.
fn is_missing(line: &LedgerLine, known: &[LedgerLine]) -> bool {
    match known.binary_search_by_key(&line.cursor(), LedgerLine::cursor) {
        Ok(place) => line.memory.is_none() && known[place].at < line.at,
        Err(_) => true,
    }
}

impl KeyStore for AnchoredKeys {
    fn vault_keys(&self, vault: VaultId) -> Result<Option<VaultKeys>> {
        self.current()?.vault_keys(vault)
    }

    fn memory_keys(
        &self,
        vault: VaultId,
        only: Option<&[MemoryId]>,
        visit: &mut dyn FnMut(WrappedMemoryKey) -> Result<()>,
    ) -> Result<()> {
        self.current()?.memory_keys(vault, only, visit)
    }

    fn commit(&self, batch: KeyBatch) -> Result<()> {
        if batch.destroys.is_empty() && batch.receipt.is_none() {
            return self.current()?.commit(batch);
        }
        let line = |id: &MemoryId| LedgerLine { vault: batch.vault, memory: Some(*id), at: batch.at };
        let lines: Vec<_> = batch.destroys.iter().map(line).collect();
        let receipts: Vec<_> = batch.receipt.iter().cloned().collect();
        self.destroying(&lines, &receipts, |keys| keys.commit(batch))
    }

    fn destroy_vault(&self, vault: VaultId, at: Timestamp, receipt: Option<ReceiptMark>) -> Result<u64> {
        let line = LedgerLine { vault, memory: None, at };
        let receipts: Vec<_> = receipt.iter().cloned().collect();
        self.destroying(&[line], &receipts, |keys| keys.destroy_vault(vault, at, receipt))
    }

    fn destroyed_at(&self, vault: VaultId) -> Result<Option<Timestamp>> {
        self.current()?.destroyed_at(vault)
    }

    fn erased(&self, vault: VaultId, only: &[MemoryId]) -> Result<Vec<MemoryId>> {
        self.current()?.erased(vault, only)
    }

    fn erasures(&self, after: Option<LedgerCursor>, limit: usize) -> Result<Vec<LedgerLine>> {
        self.current()?.erasures(after, limit)
    }

    fn absorb(&self, lines: &[LedgerLine], receipts: &[ReceiptMark]) -> Result<u64> {
        self.destroying(lines, receipts, |keys| keys.absorb(lines, receipts))
    }

    /// The keystore first: a line that only the anchor still has is entered again and goes the next time.
    fn forget_erasures(&self, before: Timestamp) -> Result<u64> {
        let dropped = self.current()?.forget_erasures(before)?;
        self.anchor.forget_erasures(before)?;
        Ok(dropped)
    }

    fn last_receipt(&self, org: &OrgId) -> Result<u64> {
        self.current()?.last_receipt(org)
    }

    fn receipts_known(&self, after: Option<&OrgId>) -> Result<Vec<ReceiptMark>> {
        self.current()?.receipts_known(after)
    }

    fn ledger_extent(&self) -> Result<LedgerExtent> {
        self.current()?.ledger_extent()
    }

    fn fingerprints(&self) -> Result<Vec<KeyFingerprint>> {
        self.inner.fingerprints()
    }

    fn enter_fingerprint(&self, fingerprint: &KeyFingerprint) -> Result<KeyFingerprint> {
        self.inner.enter_fingerprint(fingerprint)
    }

    fn custody_key(&self, name: &str) -> Result<Option<CustodyKey>> {
        self.inner.custody_key(name)
    }

    fn custody_keys(&self) -> Result<Vec<CustodyKey>> {
        self.inner.custody_keys()
    }

    fn put_custody_key(&self, key: &CustodyKey) -> Result<()> {
        self.inner.put_custody_key(key)
    }

    fn destroy_custody_key(&self, name: &str) -> Result<()> {
        self.inner.destroy_custody_key(name)
    }

    fn lock(&self, exclusive: bool) -> Result<EpochLock> {
        self.inner.lock(exclusive)
    }

    fn settle(&self) -> Result<()> {
        self.inner.settle()
    }

    fn vaults(&self, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultId>> {
        self.current()?.vaults(after, limit)
    }
}
