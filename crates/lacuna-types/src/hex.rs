//! Bytes as hex digits, in one spelling: lower case, two digits a byte.

pub use lacuna_seal::{hex, unhex};
