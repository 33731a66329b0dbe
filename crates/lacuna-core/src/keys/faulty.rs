use std::sync::Arc;

use super::{KeyBatch, KeyStore, VaultKeys, WrappedMemoryKey};
use crate::domain::{MemoryId, VaultId};
use crate::error::Result;
use crate::store::Faults;

/// Passes everything on to another keystore, except what [`Faults`] makes fail.
pub struct FaultyKeys {
    inner: Arc<dyn KeyStore>,
    faults: Arc<Faults>,
}

impl FaultyKeys {
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

    fn vaults(&self, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultId>> {
        self.faults.run(|| self.inner.vaults(after, limit))
    }
}
