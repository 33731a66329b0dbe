//! A keystore that lives as long as the process.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::{RwLock, RwLockWriteGuard};

use jiff::Timestamp;
use zeroize::Zeroize;

use super::check::{check_batch, check_lines, check_root, class_taken, no_such_class, refuse_erased};
use super::{
    CUSTODY_KEYS_MAX, CustodyKey, ERASURES_PAGE_MAX, FINGERPRINTS_MAX, KeyBatch, KeyFingerprint, KeyStore,
    LedgerCursor, LedgerExtent, LedgerLine, RECEIPTS_PAGE_MAX, ReceiptMark, VaultKeys, WrappedClassKey,
    WrappedMemoryKey, WrappedRoot, fell_with_vault,
};
use crate::rows::VAULTS_PAGE_MAX;
use crate::rows::check::whole_millis;
use lacuna_types::Result;
use lacuna_types::{MemoryId, OrgId, VaultId};

/// Wrapped keys in RAM, for tests.
#[derive(Default)]
pub struct RamKeys(RwLock<RamKeyring>);

#[derive(Default)]
struct RamKeyring {
    rings: BTreeMap<VaultId, Ring>,
    ledger: BTreeMap<LedgerCursor, Timestamp>,
    receipts: BTreeMap<OrgId, u64>,
    fingerprints: BTreeMap<String, KeyFingerprint>,
    custody: BTreeMap<String, CustodyKey>,
}

struct Ring {
    root: WrappedRoot,
    classes: Vec<WrappedClassKey>,
    memories: HashMap<MemoryId, WrappedMemoryKey>,
}

impl RamKeys {
    /// An empty keystore.
    pub fn new() -> Self {
        Self::default()
    }

    fn read<T>(&self, read: impl FnOnce(&RamKeyring) -> T) -> T {
        read(&self.0.read().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    fn write(&self) -> RwLockWriteGuard<'_, RamKeyring> {
        self.0.write().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl KeyStore for RamKeys {
    fn vault_keys(&self, vault: VaultId) -> Result<Option<VaultKeys>> {
        Ok(self.read(|shelf| {
            let ring = shelf.rings.get(&vault)?;
            Some(VaultKeys { root: ring.root.clone(), classes: ring.classes.clone() })
        }))
    }

    fn memory_keys(
        &self,
        vault: VaultId,
        only: Option<&[MemoryId]>,
        visit: &mut dyn FnMut(WrappedMemoryKey) -> Result<()>,
    ) -> Result<()> {
        let keys: Vec<_> = self.read(|shelf| match (shelf.rings.get(&vault), only) {
            (None, _) => Vec::new(),
            (Some(ring), None) => ring.memories.values().cloned().collect(),
            (Some(ring), Some(ids)) => ids.iter().filter_map(|id| ring.memories.get(id)).cloned().collect(),
        });
        keys.into_iter().try_for_each(visit)
    }

    fn commit(&self, batch: KeyBatch) -> Result<()> {
        check_batch(&batch)?;
        self.write().commit(batch)
    }

    fn destroy_vault(&self, vault: VaultId, at: Timestamp, receipt: Option<ReceiptMark>) -> Result<u64> {
        whole_millis(at)?;
        let mut shelf = self.write();
        let keys = shelf.rings.remove(&vault).map_or(0, Ring::destroy_all);
        shelf.enter(LedgerLine { vault, memory: None, at });
        shelf.raise(receipt);
        Ok(keys)
    }

    fn destroyed_at(&self, vault: VaultId) -> Result<Option<Timestamp>> {
        Ok(self.read(|shelf| shelf.destroyed_at(vault)))
    }

    fn erased(&self, vault: VaultId, only: &[MemoryId]) -> Result<Vec<MemoryId>> {
        Ok(self.read(|shelf| only.iter().copied().filter(|id| shelf.is_erased(vault, *id)).collect()))
    }

    fn erasures(&self, after: Option<LedgerCursor>, limit: usize) -> Result<Vec<LedgerLine>> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        Ok(self.read(|shelf| {
            let lines = shelf.ledger.range((from, Bound::Unbounded)).take(limit.min(ERASURES_PAGE_MAX));
            lines
                .map(|((vault, memory), at)| LedgerLine { vault: *vault, memory: *memory, at: *at })
                .collect()
        }))
    }

    fn absorb(&self, lines: &[LedgerLine], receipts: &[ReceiptMark]) -> Result<u64> {
        check_lines(lines)?;
        let mut shelf = self.write();
        let destroyed = lines.iter().map(|line| shelf.absorb(*line)).sum();
        receipts.iter().for_each(|mark| shelf.raise(Some(mark.clone())));
        Ok(destroyed)
    }

    fn forget_erasures(&self, before: Timestamp) -> Result<u64> {
        let mut shelf = self.write();
        let lines = shelf.ledger.len();
        shelf.ledger.retain(|_, at| *at >= before);
        Ok((lines - shelf.ledger.len()) as u64)
    }

    fn last_receipt(&self, org: &OrgId) -> Result<u64> {
        Ok(self.read(|shelf| shelf.receipts.get(org).copied().unwrap_or(0)))
    }

    fn receipts_known(&self, after: Option<&OrgId>) -> Result<Vec<ReceiptMark>> {
        Ok(self.read(|shelf| {
            let rest = shelf.receipts.iter().filter(|(org, _)| after.is_none_or(|after| *org > after));
            let marks = rest.map(|(org, number)| ReceiptMark { org: org.clone(), number: *number });
            marks.take(RECEIPTS_PAGE_MAX).collect()
        }))
    }

    fn ledger_extent(&self) -> Result<LedgerExtent> {
        Ok(self.read(|shelf| LedgerExtent {
            lines: shelf.ledger.len() as u64,
            newest: shelf.ledger.values().max().copied(),
        }))
    }

    fn fingerprints(&self) -> Result<Vec<KeyFingerprint>> {
        Ok(self.read(|shelf| shelf.fingerprints.values().take(FINGERPRINTS_MAX).cloned().collect()))
    }

    fn enter_fingerprint(&self, fingerprint: &KeyFingerprint) -> Result<KeyFingerprint> {
        let mut shelf = self.write();
        let stands = shelf.fingerprints.entry(fingerprint.name.clone());
        Ok(stands.or_insert_with(|| fingerprint.clone()).clone())
    }

    fn custody_key(&self, name: &str) -> Result<Option<CustodyKey>> {
        Ok(self.read(|shelf| shelf.custody.get(name).cloned()))
    }

    fn custody_keys(&self) -> Result<Vec<CustodyKey>> {
        Ok(self.read(|shelf| shelf.custody.values().take(CUSTODY_KEYS_MAX).cloned().collect()))
    }

    fn put_custody_key(&self, key: &CustodyKey) -> Result<()> {
        self.write().custody.entry(key.name.clone()).or_insert_with(|| key.clone());
        Ok(())
    }

    fn destroy_custody_key(&self, name: &str) -> Result<()> {
        if let Some(mut key) = self.write().custody.remove(name) {
            key.wrapped.zeroize();
        }
        Ok(())
    }

    fn vaults(&self, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultId>> {
        Ok(self.read(|shelf| {
            let above = shelf.rings.keys().filter(|id| after.is_none_or(|after| **id > after));
            above.take(limit.min(VAULTS_PAGE_MAX)).copied().collect()
        }))
    }
}

impl RamKeyring {
    /// Everything that can fail comes first, so that a refused batch leaves no trace.
    fn commit(&mut self, mut batch: KeyBatch) -> Result<()> {
        let stored = self.rings.get(&batch.vault);
        check_root(stored.map(|ring| ring.root.generation), &batch)?;
        check_classes(stored, &batch)?;
        refuse_erased(&batch, self.destroyed_at(batch.vault), |id| Ok(self.is_erased(batch.vault, id)))?;

        for id in &batch.destroys {
            self.enter(LedgerLine { vault: batch.vault, memory: Some(*id), at: batch.at });
        }
        self.raise(batch.receipt.take());
        match (self.rings.get_mut(&batch.vault), &batch.root) {
            (Some(ring), _) => ring.apply(batch),
            (None, Some((root, _))) => {
                let mut ring = Ring { root: root.clone(), classes: Vec::new(), memories: HashMap::new() };
                let vault = batch.vault;
                ring.apply(batch);
                self.rings.insert(vault, ring);
            }
            // Only destroys can get here, and there is nothing to destroy.
            (None, None) => {}
        }
        Ok(())
    }

    /// A memory is erased once; a vault may be destroyed again later.
    fn enter(&mut self, line: LedgerLine) {
        let at = self.ledger.entry(line.cursor()).or_insert(line.at);
        if line.memory.is_none() {
            *at = line.at.max(*at);
        }
    }

    fn absorb(&mut self, line: LedgerLine) -> u64 {
        let known = self.ledger.get(&line.cursor()).is_some_and(|at| line.memory.is_some() || *at >= line.at);
        self.enter(line);
        let Some(ring) = self.rings.get_mut(&line.vault) else { return 0 };
        match line.memory {
            Some(id) => u64::from(ring.destroy(id)),
            None if known => 0,
            None => {
                let fallen: Vec<_> =
                    ring.memories.keys().filter(|id| fell_with_vault(id, Some(line.at))).copied().collect();
                let destroyed = fallen.iter().filter(|id| ring.destroy(**id)).count() as u64;
                let empty = ring.memories.is_empty();
                let rest =
                    if empty { self.rings.remove(&line.vault).map_or(0, Ring::destroy_all) } else { 0 };
                destroyed + rest
            }
        }
    }

    fn raise(&mut self, receipt: Option<ReceiptMark>) {
        if let Some(ReceiptMark { org, number }) = receipt {
            let last = self.receipts.entry(org).or_default();
            *last = number.max(*last);
        }
    }

    fn destroyed_at(&self, vault: VaultId) -> Option<Timestamp> {
        self.ledger.get(&(vault, None)).copied()
    }

    fn is_erased(&self, vault: VaultId, id: MemoryId) -> bool {
        self.ledger.contains_key(&(vault, Some(id))) || fell_with_vault(&id, self.destroyed_at(vault))
    }
}

fn check_classes(stored: Option<&Ring>, batch: &KeyBatch) -> Result<()> {
    let mut classes: Vec<_> = stored.iter().flat_map(|ring| &ring.classes).map(|class| class.id).collect();
    for class in &batch.classes {
        if classes.contains(&class.id) {
            return Err(class_taken());
        }
        classes.push(class.id);
    }
    match batch.memories.iter().all(|key| classes.contains(&key.class)) {
        true => Ok(()),
        false => Err(no_such_class()),
    }
}

impl Ring {
    fn apply(&mut self, batch: KeyBatch) {
        if let Some((root, _)) = batch.root {
            self.root.wrapped.zeroize();
            self.root = root;
        }
        self.classes.extend(batch.classes);
        for key in batch.memories {
            self.destroy(key.memory);
            self.memories.insert(key.memory, key);
        }
        for id in batch.destroys {
            self.destroy(id);
        }
    }

    /// Returns true when there was a key.
    fn destroy(&mut self, id: MemoryId) -> bool {
        self.memories.remove(&id).map(|mut key| key.wrapped.zeroize()).is_some()
    }

    /// The number of keys that there were.
    fn destroy_all(mut self) -> u64 {
        self.root.wrapped.zeroize();
        self.classes.iter_mut().for_each(|class| class.wrapped.zeroize());
        self.memories.values_mut().for_each(|key| key.wrapped.zeroize());
        1 + self.classes.len() as u64 + self.memories.len() as u64
    }
}
