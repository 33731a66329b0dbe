//! The domain of Lacuna: ids, time, the facets of one memory, policy data, errors, and the traits of models.
//!
//! Nothing here is serialisable: doors own their wire forms, and the vault owns the bytes at rest.

pub mod error;
mod facets;
pub mod hex;
mod ids;
mod memory;
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
pub use time::*;
