//! A keystore that fails on purpose.

use std::sync::Arc;

use jiff::Timestamp;

use super::{
    CustodyKey, EpochLock, KeyBatch, KeyFingerprint, KeyStore, LedgerCursor, LedgerExtent, LedgerLine,
    ReceiptMark, VaultKeys, WrappedMemoryKey,
};
use crate::rows::Faults;
use lacuna_types::Result;
use lacuna_types::{MemoryId, OrgId, VaultId};

/// Passes everything on to another keystore, except what [`Faults`] makes fail.
pub struct FaultyKeys {
    inner: Arc<dyn KeyStore>,
    faults: Arc<Faults>,
}

impl FaultyKeys {
    /// Wraps a keystore; `faults` decides about every operation.
    pub fn new(inner: Arc<dyn KeyStore>, faults: Arc<Faults>) -> Self {
        Self { inner, faults }
    }
}

impl KeyStore for FaultyKeys {
    fn vault_keys(&self, vault: VaultId) -> Result<Option<VaultKeys>> {
        self.faults.run(|| self.inner.vault_keys(vault))
    }

    fn memory_keys(
        &self,
        vault: VaultId,
        only: Option<&[MemoryId]>,
        visit: &mut dyn FnMut(WrappedMemoryKey) -> Result<()>,
    ) -> Result<()> {
        self.faults.run(|| self.inner.memory_keys(vault, only, visit))
    }

    fn commit(&self, batch: KeyBatch) -> Result<()> {
        self.faults.run(|| self.inner.commit(batch))
    }

    fn destroy_vault(&self, vault: VaultId, at: Timestamp, receipt: Option<ReceiptMark>) -> Result<u64> {
        self.faults.run(|| self.inner.destroy_vault(vault, at, receipt))
    }

    fn destroyed_at(&self, vault: VaultId) -> Result<Option<Timestamp>> {
        self.faults.run(|| self.inner.destroyed_at(vault))
    }

    fn erased(&self, vault: VaultId, only: &[MemoryId]) -> Result<Vec<MemoryId>> {
        self.faults.run(|| self.inner.erased(vault, only))
    }

    fn erasures(&self, after: Option<LedgerCursor>, limit: usize) -> Result<Vec<LedgerLine>> {
        self.faults.run(|| self.inner.erasures(after, limit))
    }

    fn absorb(&self, lines: &[LedgerLine], receipts: &[ReceiptMark]) -> Result<u64> {
        self.faults.run(|| self.inner.absorb(lines, receipts))
    }

    fn forget_erasures(&self, before: Timestamp) -> Result<u64> {
        self.faults.run(|| self.inner.forget_erasures(before))
    }

    fn last_receipt(&self, org: &OrgId) -> Result<u64> {
        self.faults.run(|| self.inner.last_receipt(org))
    }

    fn receipts_known(&self, after: Option<&OrgId>) -> Result<Vec<ReceiptMark>> {
        self.faults.run(|| self.inner.receipts_known(after))
    }

    fn settle(&self) -> Result<()> {
        self.inner.settle()
    }

    fn ledger_extent(&self) -> Result<LedgerExtent> {
        self.faults.run(|| self.inner.ledger_extent())
    }

    fn fingerprints(&self) -> Result<Vec<KeyFingerprint>> {
        self.faults.run(|| self.inner.fingerprints())
    }

    fn enter_fingerprint(&self, fingerprint: &KeyFingerprint) -> Result<KeyFingerprint> {
        self.faults.run(|| self.inner.enter_fingerprint(fingerprint))
    }

    fn custody_key(&self, name: &str) -> Result<Option<CustodyKey>> {
        self.faults.run(|| self.inner.custody_key(name))
    }

    fn custody_keys(&self) -> Result<Vec<CustodyKey>> {
        self.faults.run(|| self.inner.custody_keys())
    }

    fn put_custody_key(&self, key: &CustodyKey) -> Result<()> {
        self.faults.run(|| self.inner.put_custody_key(key))
    }

    fn destroy_custody_key(&self, name: &str) -> Result<()> {
        self.faults.run(|| self.inner.destroy_custody_key(name))
    }

    fn lock(&self, exclusive: bool) -> Result<EpochLock> {
        self.faults.run(|| self.inner.lock(exclusive))
    }

    fn vaults(&self, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultId>> {
        self.faults.run(|| self.inner.vaults(after, limit))
    }
}
