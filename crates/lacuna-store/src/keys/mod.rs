//! The keystore: wrapped keys, in a place of their own, so that a backup of the data holds none of them
//! and destroying one reaches every copy of what it sealed.

mod anchor;
mod anchor_work;
mod anchored;
mod check;
mod custody;
mod draft;
#[cfg(feature = "testing")]
mod faulty;
mod home;
mod identity;
mod kms;
mod ledger;
mod local;
mod postgres;
mod ram;
mod sqlite;
mod wrapped;

pub use anchor::{ANCHOR_FILE, Anchor, AnchoredHead, ErasedMemories};
pub use anchored::{AnchoredKeys, CaughtUp};
pub use custody::{Custody, EpochLock};
#[cfg(feature = "testing")]
pub use faulty::FaultyKeys;
pub use home::{AnchorHome, HomeDocument};
pub use identity::{FINGERPRINT_BYTES, FINGERPRINTS_MAX, KeyFingerprint};
pub use kms::{FIRST_KEY_VERSION, Kms};
pub use ledger::{
    ERASURES_PAGE_MAX, LedgerCursor, LedgerExtent, LedgerLine, RECEIPTS_PAGE_MAX, ReceiptMark,
    fell_with_vault,
};
pub use local::LocalKms;
pub use postgres::PostgresKeys;
pub use ram::RamKeys;
pub use sqlite::SqliteKeys;
pub use wrapped::{CUSTODY_KEYS_MAX, CustodyKey, KeyService, ServiceCustody, service_key_of};

use std::collections::HashMap;

use jiff::Timestamp;

use lacuna_types::Result;
use lacuna_types::{MemoryId, OrgId, VaultId};

/// Wrapped keys of every vault. They are useless without the master key and the epoch key.
pub trait KeyStore: Send + Sync {
    /// The vault's root and class keys, or `None` before the vault's first commit.
    fn vault_keys(&self, vault: VaultId) -> Result<Option<VaultKeys>>;

    /// Visits the wrapped keys of `only`, or of every memory of the vault, in no promised order; memories
    /// without a key are passed over. `visit` must not call the keystore: it runs while a connection is held.
    fn memory_keys(
        &self,
        vault: VaultId,
        only: Option<&[MemoryId]>,
        visit: &mut dyn FnMut(WrappedMemoryKey) -> Result<()>,
    ) -> Result<()>;

    /// Applies a batch atomically and durably, or not at all. [`lacuna_types::Error::Conflict`] when the root is
    /// not the one that `batch.root` expects to replace, or a class that it adds is already there. A store
    /// that owns its files overwrites destroyed keys in them within moments of the answer. Every destroyed
    /// memory enters the ledger in the same transaction, and a key for one that is in the ledger is refused
    /// as corrupt: what was forgotten never comes back.
    fn commit(&self, batch: KeyBatch) -> Result<()>;

    /// Overwrites and removes every key of the vault, and enters into the ledger that everything made in it
    /// before `at` is gone. Answers with the number of keys. The vault may begin anew with a new root.
    fn destroy_vault(&self, vault: VaultId, at: Timestamp, receipt: Option<ReceiptMark>) -> Result<u64>;

    /// The time of the vault's last destruction, if the ledger has it.
    fn destroyed_at(&self, vault: VaultId) -> Result<Option<Timestamp>>;

    /// The memories of `only` that are erased by the ledger, by themselves or with their vault, in the order asked.
    fn erased(&self, vault: VaultId, only: &[MemoryId]) -> Result<Vec<MemoryId>>;

    /// Up to `limit` lines of the ledger (at most [`ERASURES_PAGE_MAX`]) after a cursor, across all vaults.
    fn erasures(&self, after: Option<LedgerCursor>, limit: usize) -> Result<Vec<LedgerLine>>;

    /// Enters lines of another ledger and destroys the keys that they name, for a restore. A line that is
    /// known already changes nothing. Answers with the number of keys destroyed.
    fn absorb(&self, lines: &[LedgerLine], receipts: &[ReceiptMark]) -> Result<u64>;

    /// Drops the lines of before a moment, and answers with how many.
    fn forget_erasures(&self, before: Timestamp) -> Result<u64>;

    /// The number of the organisation's newest receipt, zero before its first.
    fn last_receipt(&self, org: &OrgId) -> Result<u64>;

    /// Up to [`RECEIPTS_PAGE_MAX`] marks of all organisations, in the order of their names.
    fn receipts_known(&self, after: Option<&OrgId>) -> Result<Vec<ReceiptMark>>;

    /// The size of the ledger, by which two copies of it are compared.
    fn ledger_extent(&self) -> Result<LedgerExtent>;

    /// The fingerprints of the key files that the keys here were wrapped under, up to [`FINGERPRINTS_MAX`], in
    /// the order of their names.
    fn fingerprints(&self) -> Result<Vec<KeyFingerprint>>;

    /// Enters a fingerprint, unless one of that name is there. Answers with the one that stands.
    fn enter_fingerprint(&self, fingerprint: &KeyFingerprint) -> Result<KeyFingerprint>;

    /// A key of the installation that a key management service wrapped, by its name.
    fn custody_key(&self, name: &str) -> Result<Option<CustodyKey>>;

    /// All keys that a key management service wrapped, up to [`CUSTODY_KEYS_MAX`], in the order of their names.
    fn custody_keys(&self) -> Result<Vec<CustodyKey>>;

    /// Stores a key that a key management service wrapped, unless one of that name is there.
    fn put_custody_key(&self, key: &CustodyKey) -> Result<()>;

    /// Overwrites and removes a key that a key management service wrapped, if it is there.
    fn destroy_custody_key(&self, name: &str) -> Result<()>;

    /// Shared by those who wrap roots, exclusive for the one who makes or destroys keys, on every node that has this
    /// keystore. A keystore that only this process has needs no lock.
    fn lock(&self, _exclusive: bool) -> Result<EpochLock> {
        Ok(EpochLock::alone())
    }

    /// Waits until no file of the keystore holds a key that was destroyed before this call. A keystore that has no
    /// files of its own has nothing to wait for.
    fn settle(&self) -> Result<()> {
        Ok(())
    }

    /// Up to `limit` vaults (at most [`crate::rows::VAULTS_PAGE_MAX`]) with an id above `after` that hold
    /// keys, in the order of id.
    fn vaults(&self, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultId>>;
}

/// The wrapped keys of `only`, or of every memory of the vault, by memory.
pub fn keys_by_memory(
    keys: &dyn KeyStore,
    vault: VaultId,
    only: Option<&[MemoryId]>,
) -> Result<HashMap<MemoryId, WrappedMemoryKey>> {
    let mut found = HashMap::with_capacity(only.map_or(0, <[MemoryId]>::len));
    keys.memory_keys(vault, only, &mut |key| {
        found.insert(key.memory, key);
        Ok(())
    })?;
    Ok(found)
}

/// The root key and the class keys of one vault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VaultKeys {
    /// The root key.
    pub root: WrappedRoot,
    /// The class keys, oldest first.
    pub classes: Vec<WrappedClassKey>,
}

/// The vault root key, wrapped under the user's key and the epoch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrappedRoot {
    /// Rises by one each time the root is wrapped anew.
    pub generation: u32,
    /// Version of the master key that the user's key was derived from.
    pub key_version: u32,
    /// Number of the epoch key that takes part in the wrap.
    pub epoch: u32,
    /// A further holder of the key: 0 nobody, 1 the user's own secret (reserved).
    pub holder: u8,
    /// The wrapped bytes.
    pub wrapped: Vec<u8>,
}

/// A class key. Its name is sealed inside, so that nobody can see which classes a vault has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrappedClassKey {
    /// The id of the class.
    pub id: [u8; 16],
    /// The wrapped key and name.
    pub wrapped: Vec<u8>,
}

/// The key of one memory, wrapped under a class key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrappedMemoryKey {
    /// The memory.
    pub memory: MemoryId,
    /// The class key that wraps it.
    pub class: [u8; 16],
    /// A further key in the wrap: 0 none, 1 the keys of the memories it derives from (reserved).
    pub binding: u8,
    /// The wrapped bytes.
    pub wrapped: Vec<u8>,
}

/// The changes of one commit to the keys of one vault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyBatch {
    /// The vault.
    pub vault: VaultId,
    /// The time that the ledger records.
    pub at: Timestamp,
    /// The new root, and the generation that it replaces (`None` for a vault's first root).
    pub root: Option<(WrappedRoot, Option<u32>)>,
    /// New class keys.
    pub classes: Vec<WrappedClassKey>,
    /// Inserted, or replacing the key of the same memory.
    pub memories: Vec<WrappedMemoryKey>,
    /// Overwritten, removed and entered into the ledger, whether or not there was a key.
    pub destroys: Vec<MemoryId>,
    /// The receipt under which this happens. The ledger keeps the highest number of each organisation.
    pub receipt: Option<ReceiptMark>,
}

impl KeyBatch {
    /// A batch without changes.
    pub fn new(vault: VaultId, at: Timestamp) -> Self {
        Self {
            vault,
            at,
            root: None,
            classes: Vec::new(),
            memories: Vec::new(),
            destroys: Vec::new(),
            receipt: None,
        }
    }
}
