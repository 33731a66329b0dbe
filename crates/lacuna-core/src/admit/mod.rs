//! The gate: what may become a memory, in which words, under which rules.
//!
//! One path for every door: shape → secrets → sanitise by trust → classify → consent → lifecycle.

pub mod attribute;
pub mod classify;
pub mod identify;
pub mod instructions;
pub mod sanitise;
pub mod secrets;
mod shape;
pub mod unmask;

pub use shape::{Admitted, SALIENCE_DEFAULT, admit};
pub(crate) use shape::{at_most, score};
