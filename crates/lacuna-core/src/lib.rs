//! The memory library of Lacuna. Modules stand in the order in which a memory travels.

pub mod domain;
pub mod error;

pub mod blobs;
pub mod embed;
pub mod keys;
pub mod store;

pub use error::{Error, Result};
