//! The memory library of Lacuna. Modules stand in the order in which a memory travels.

pub mod permit;

pub mod admit;

pub mod index;
pub(crate) mod vault;

pub mod context;
pub mod intent;
pub(crate) mod lacuna;
pub mod meaning;
pub mod recall;
pub mod rehearse;
pub mod remember;
pub(crate) mod service;

pub mod session;

pub(crate) mod place;
pub(crate) mod reconcile;

pub mod freeze;
pub mod lifecycle;
pub mod retention;
pub mod review;
pub mod scan;

pub mod compact;
pub mod correct;
pub mod destroy;
pub mod forget;
pub mod person;
pub mod promote;

pub mod export;
pub mod import;
pub mod view;

pub mod backup;

pub mod audit;
pub mod deliver;

pub mod epoch;
pub mod jobs;
pub mod members;
pub mod tokens;

pub use lacuna::Lacuna;
pub use lacuna_store::{blobs, keys, rows as store};
pub use lacuna_types as domain;
pub use lacuna_types::{Error, Result, decay, embed, error, hex, llm, policy, token_count as tokenise};
pub use service::{OPEN_BYTES_MAX_DEFAULT, OpenLoad, Parts};
