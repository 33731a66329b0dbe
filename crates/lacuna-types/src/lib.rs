//! The domain of Lacuna: ids, time, the facets of one memory, policy data, errors, and the traits of models.
//!
//! Nothing here is serialisable: doors own their wire forms, and the vault owns the bytes at rest. Texts are
//! [`Plaintext`], which is neither printed nor cloned, and zeroed on drop.
//!
//! A [`Scope`] names a vault, and the vault's id follows from it:
//!
//! ```
//! use lacuna_types::{Category, OrgId, Scope, Tier, UserId};
//!
//! # fn main() -> lacuna_types::Result<()> {
//! let scope = Scope::personal(OrgId::new("acme")?, UserId::new("anna")?);
//! assert_eq!(scope.vault_id(), scope.clone().vault_id());
//! assert_eq!(scope.holder.to_string(), "user:anna");
//!
//! let category: Category = "preference".parse()?;
//! assert_eq!(category.default_tier(), Tier::Semantic);
//! # Ok(())
//! # }
//! ```
//!
//! Names and words from outside are checked when they are read; the error says which field is at fault:
//!
//! ```
//! let error = lacuna_types::OrgId::new("").unwrap_err();
//! assert_eq!(error.code(), "invalid");
//! assert_eq!(error.to_string(), "org: must not be empty");
//! ```

#![warn(missing_docs)]

pub mod error;
mod facets;
pub mod hex;
mod ids;
mod memory;
mod plaintext;
mod record;
mod time;

pub mod decay;
pub mod embed;
pub mod llm;
pub mod token_count;

pub mod policy;
pub mod request;

pub use error::{Error, Result};
pub use facets::*;
pub use ids::*;
pub use lacuna_seal::sha256;
pub use memory::*;
pub use plaintext::Plaintext;
pub use record::*;
pub use time::*;
