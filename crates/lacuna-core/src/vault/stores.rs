//! The stores behind every vault.

use lacuna_store::blobs::Blobs;
use lacuna_store::keys::{KeyStore, Kms};
use lacuna_store::rows::Store;

use crate::vault::secrets::UnlockedVaults;

/// The stores that a vault is read from.
#[derive(Clone, Copy)]
pub(crate) struct VaultStores<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) keys: &'a dyn KeyStore,
    pub(crate) kms: &'a Kms,
    pub(crate) blobs: &'a Blobs,
    /// The vaults that are unlocked here, of those that their person holds.
    pub(crate) secrets: &'a UnlockedVaults,
}
