//! The memory library of Lacuna. Modules stand in the order in which a memory travels.

pub mod domain;
pub mod error;

pub mod permit;

pub mod admit;

pub mod frame;
pub mod keys;

pub mod store;

pub mod embed;

pub mod audit;

pub use error::{Error, Result};
