//! Bytes that Lacuna keeps and cannot read: sealed rows, wrapped keys, blobs.
//!
//! - [`rows`] keeps sealed memories with their audit chains: [`RamStore`], [`SqliteStore`], [`PostgresStore`].
//! - [`keys`] keeps wrapped keys in a place of their own, so that a backup of the rows holds none of them.
//! - [`blobs`] keeps sealed texts that are too large for a row.
//! - [`folder`] locks a data folder, for many who use it or for one who replaces it.
//! - [`foreign`] reads other programs' files for imports.
//! - [`transport`] has words for services that do not answer.
//! - [`cbor`] reads and writes the encoding of frames and audit entries.
//!
//! A commit names the revision that it expects; another writer's commit in between is a conflict:
//!
//! ```
//! use jiff::Timestamp;
//! use lacuna_store::{Batch, RamStore, Store};
//! use lacuna_types::{Error, OrgId, Revision, Scope, UserId};
//!
//! # fn main() -> lacuna_types::Result<()> {
//! let scope = Scope::personal(OrgId::new("acme")?, UserId::new("anna")?);
//! let store = RamStore::new();
//!
//! let batch = Batch::new(scope.clone(), Timestamp::UNIX_EPOCH, Revision::ZERO);
//! assert_eq!(store.commit(batch.clone())?, Revision(1));
//! assert_eq!(store.revision(scope.vault_id())?, Revision(1));
//!
//! // The same batch still expects an empty vault.
//! assert!(matches!(store.commit(batch), Err(Error::Conflict(_))));
//! # Ok(())
//! # }
//! ```

#![warn(missing_docs)]

pub mod blobs;
pub mod cbor;
mod failure;
pub mod folder;
pub mod foreign;
pub mod keys;
pub mod rows;
pub mod signature;
pub mod transport;

pub use blobs::{BlobName, Blobs};
pub use folder::{OwnedFolder, SharedFolder};
pub use keys::{KeyBatch, KeyStore, Kms, LocalKms, PostgresKeys, RamKeys, SqliteKeys};
pub use rows::{
    Batch, PendingErasure, PostgresStore, RamStore, Row, SealedBody, SqliteOptions, SqliteStore, Store,
    VaultChange, VaultHeader,
};
