//! Opens the keys of memories, those that they depend on first.

use std::collections::HashMap;
use std::sync::Arc;

use lacuna_store::keys::{KeyStore, WrappedMemoryKey, keys_by_memory};
use lacuna_types::{Error, MemoryId, Result};

use crate::vault::keyring::{Keyring, OpenKey, SourceKey};

/// The greatest depth of derivation: a memory derived from a derived memory, and so on.
pub(crate) const DERIVATION_DEPTH_MAX: usize = 32;

pub(crate) struct Unlocker<'a> {
    keyring: &'a Keyring,
    keys: &'a dyn KeyStore,
    wrapped: HashMap<MemoryId, WrappedMemoryKey>,
    open: HashMap<MemoryId, Option<Arc<OpenKey>>>,
}

impl<'a> Unlocker<'a> {
    /// `wrapped` are the keys that are at hand; others are fetched when they are needed.
    pub(crate) fn new(
        keyring: &'a Keyring,
        keys: &'a dyn KeyStore,
        wrapped: HashMap<MemoryId, WrappedMemoryKey>,
    ) -> Self {
        Self { keyring, keys, wrapped, open: HashMap::new() }
    }

    pub(crate) fn fetching(keyring: &'a Keyring, keys: &'a dyn KeyStore, ids: &[MemoryId]) -> Result<Self> {
        Ok(Self::new(keyring, keys, keys_by_memory(keys, keyring.vault(), Some(ids))?))
    }

    /// The key of a memory; `None` when it was destroyed, or one that it depends on.
    pub(crate) fn key(&mut self, memory: MemoryId) -> Result<Option<Arc<OpenKey>>> {
        self.key_at(memory, 0)
    }

    /// The keys of the memories that a new memory will depend on.
    pub(crate) fn source_keys(&mut self, sources: &[MemoryId]) -> Result<Vec<SourceKey>> {
        let keys = self.all(sources, 1)?;
        keys.ok_or_else(|| Error::invalid("derived_from", "names a memory that is not there"))
    }

    /// Takes note of a key that was just made and is not stored yet.
    pub(crate) fn know(&mut self, memory: MemoryId, key: OpenKey) {
        self.open.insert(memory, Some(Arc::new(key)));
    }

    fn key_at(&mut self, memory: MemoryId, depth: usize) -> Result<Option<Arc<OpenKey>>> {
        if let Some(known) = self.open.get(&memory) {
            return Ok(known.clone());
        }
        if depth > DERIVATION_DEPTH_MAX {
            return Err(Error::invalid("derived_from", "is derived from too many generations"));
        }
        let key = self.unlock(memory, depth)?.map(Arc::new);
        self.open.insert(memory, key.clone());
        Ok(key)
    }

    fn unlock(&mut self, memory: MemoryId, depth: usize) -> Result<Option<OpenKey>> {
        let Some(stored) = self.fetch(memory)? else { return Ok(None) };
        let sources = self.keyring.sources_of(&stored)?;
        let Some(sources) = self.all(&sources, depth + 1)? else { return Ok(None) };
        self.keyring.open_memory_key(&stored, &sources).map(Some)
    }

    fn all(&mut self, memories: &[MemoryId], depth: usize) -> Result<Option<Vec<SourceKey>>> {
        let one = |memory: &MemoryId| {
            let key = self.key_at(*memory, depth)?;
            Ok(key.map(|key| SourceKey { memory: *memory, key }))
        };
        memories.iter().map(one).collect()
    }

    fn fetch(&mut self, memory: MemoryId) -> Result<Option<WrappedMemoryKey>> {
        if let Some(stored) = self.wrapped.get(&memory) {
            return Ok(Some(stored.clone()));
        }
        Ok(keys_by_memory(self.keys, self.keyring.vault(), Some(&[memory]))?.remove(&memory))
    }
}
