//! The memory library of Lacuna: the vault, and the operations on it. Modules stand in the order in which a memory
//! travels, and each uses only those before it.

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
pub mod govern;

mod lacuna;
mod upkeep;

pub use lacuna::Lacuna;
pub use lacuna_types::{Error, Result};
pub use upkeep::{Members, Tokens, Upkeep};
pub use vault::{OPEN_BYTES_MAX_DEFAULT, OpenLoad, Parts};
