//! Erasing: what an erasure takes with it, carried out step by step: prepare → announce → finish → probe → receipt.

pub(crate) mod carry_out;
pub(crate) mod cascade;
pub(crate) mod dangling;
pub(crate) mod deferred;
pub(crate) mod finish;
pub(crate) mod prepare;
pub(crate) mod probe;
pub(crate) mod rebuild;
pub(crate) mod remake;
pub(crate) mod trace;
pub(crate) mod transcript;
pub(crate) mod withhold;
pub(crate) mod without_receipt;

pub use carry_out::Forgotten;
pub use deferred::Deferred;
