//! A keystore that lives as long as the process.

use std::collections::{BTreeMap, HashMap};
use std::sync::RwLock;

use zeroize::Zeroize;

use super::check::{check_batch, check_root, class_taken, no_such_class};
use super::{KeyBatch, KeyStore, VaultKeys, WrappedClassKey, WrappedMemoryKey, WrappedRoot};
use crate::domain::{MemoryId, VaultId};
use crate::error::Result;
use crate::store::VAULTS_PAGE_MAX;

#[derive(Default)]
pub struct RamKeys(RwLock<BTreeMap<VaultId, Ring>>);

struct Ring {
    root: WrappedRoot,
    classes: Vec<WrappedClassKey>,
    memories: HashMap<MemoryId, WrappedMemoryKey>,
}

impl RamKeys {
    pub fn new() -> Self {
        Self::default()
    }

    fn read<T>(&self, read: impl FnOnce(&BTreeMap<VaultId, Ring>) -> T) -> T {
        read(&self.0.read().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }
}

impl KeyStore for RamKeys {
    fn vault_keys(&self, vault: VaultId) -> Result<Option<VaultKeys>> {
        Ok(self.read(|rings| {
            rings.get(&vault).map(|ring| VaultKeys { root: ring.root.clone(), classes: ring.classes.clone() })
        }))
    }

    fn memory_keys(
        &self,
        vault: VaultId,
        only: Option<&[MemoryId]>,
        visit: &mut dyn FnMut(WrappedMemoryKey) -> Result<()>,
    ) -> Result<()> {
        let keys: Vec<_> = self.read(|rings| match (rings.get(&vault), only) {
            (None, _) => Vec::new(),
            (Some(ring), None) => ring.memories.values().cloned().collect(),
            (Some(ring), Some(ids)) => ids.iter().filter_map(|id| ring.memories.get(id)).cloned().collect(),
        });
        keys.into_iter().try_for_each(visit)
    }

    fn commit(&self, batch: KeyBatch) -> Result<()> {
        check_batch(&batch)?;
        let mut rings = self.0.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        let stored = rings.get(&batch.vault);
        check_root(stored.map(|ring| ring.root.generation), &batch)?;
        check_classes(stored, &batch)?;
        match (rings.get_mut(&batch.vault), &batch.root) {
            (Some(ring), _) => ring.apply(batch),
            (None, Some((root, _))) => {
                let mut ring = Ring { root: root.clone(), classes: Vec::new(), memories: HashMap::new() };
                let vault = batch.vault;
                ring.apply(batch);
                rings.insert(vault, ring);
            }
            // Only destroys can get here, and there is nothing to destroy.
            (None, None) => {}
        }
        Ok(())
    }

    fn vaults(&self, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultId>> {
        Ok(self.read(|rings| {
            let above = rings.keys().filter(|id| after.is_none_or(|after| **id > after));
            above.take(limit.min(VAULTS_PAGE_MAX)).copied().collect()
        }))
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

    fn destroy(&mut self, id: MemoryId) {
        if let Some(mut key) = self.memories.remove(&id) {
            key.wrapped.zeroize();
        }
    }
}
