//! The memory library of Lacuna: the vault, and the operations on it.
//!
//! [`Lacuna`] is the one type that a program calls. Each call takes a [`permit::Grant`], which only
//! [`permit::permit`] makes. The library is synchronous; its stores, models, clock and randomness are [`Parts`] that
//! the program passes in.
//!
//! The rooms stand in the order in which a memory travels, and each uses only those before it:
//!
//! | room | purpose |
//! |---|---|
//! | [`permit`] | grants: who may do what to which vault |
//! | [`gate`] | the check that turns a draft into an admitted memory, a question or a refusal |
//! | [`index`] | exact search over one opened vault in RAM |
//! | [`audit`] | entries of the audit chain |
//! | [`vault`] | keys and plaintext: keyring, opened vault, seal, commit, receipt |
//! | [`read`] | recall, context, and the search for memories that a request means |
//! | [`erase`] | one erasure, step by step |
//! | [`write`](mod@write) | remember and correct |
//! | [`keep`] | sessions, retention, compaction |
//! | [`transfer`] | promote, export, import, backup |
//! | [`forget`] | plan and confirm |
//! | [`records`] | JSON values of programs, by place, filters and text |
//! | [`govern`] | review, jobs, members, tokens, requests of people, destruction |
//!
//! # Example
//!
//! Remembers a text and recalls it, all in RAM but the key files.
//!
//! ```
//! use std::sync::Arc;
//!
//! use lacuna_core::permit::{Caller, permit};
//! use lacuna_core::read::Query;
//! use lacuna_core::{Lacuna, Parts};
//! use lacuna_store::{Blobs, LocalKms, RamKeys, RamStore};
//! use lacuna_types::{Draft, OrgId, Role, UserId};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let (store, keys) = (Arc::new(RamStore::default()), Arc::new(RamKeys::default()));
//! let kms = LocalKms::open(&folder.path().join("keys"), None)?;
//! let blobs = Blobs::open(folder.path().join("blobs"))?;
//! let lacuna = Lacuna::new(Parts::new(store, keys, kms, blobs, lacuna_models::static_embedder()?));
//!
//! let anna = Caller::new(OrgId::new("acme")?, UserId::new("anna")?, vec![Role::User]);
//! let own = anna.personal_scope();
//! let draft = Draft { text: "The orchid wants water on Tuesdays.".into(), ..Draft::default() };
//! lacuna.remember(&permit(&anna, &own)?, vec![draft])?.remove(0).stored()?;
//!
//! let recalled = lacuna.recall(&permit(&anna, &own)?, &Query::new("When do I water the orchid?"))?;
//! assert_eq!(recalled.hits[0].memory.content.full_text().expose(), "The orchid wants water on Tuesdays.");
//! # Ok(())
//! # }
//! ```
//!
//! `examples/embed.rs` is the same as a program. A program that shall leave no text in the RAM that it frees takes
//! `lacuna_seal::ZeroOnFree` as its global allocator, as the binary `lacuna` does.

pub mod permit;

pub mod gate;
pub mod index;

pub mod audit;
pub mod vault;

pub mod read;

pub mod erase;
pub mod write;

pub mod keep;
pub mod transfer;

pub mod forget;
pub mod records;

pub mod govern;

mod browse;
mod custodian;
mod managed;
mod upkeep;
mod vault_locks;

mod lacuna;

#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;

pub use browse::{Browse, SignIns};
pub use custodian::Custodian;
pub use lacuna::Lacuna;
pub use lacuna_types::{Error, Result};
pub use managed::ManagedMemories;
pub use records::Records;
pub use upkeep::{Consents, LegalHolds, Members, Proposals, Purposes, Tokens, Upkeep, Users};
pub use vault::{KeyedRequests, OPEN_BYTES_MAX_DEFAULT, OpenLoad, Parts};
pub use vault_locks::VaultLocks;
