//! The monthly review: what a vault holds, what will go, and what its owner may want to decide about.
//!
//! The review of candidates, which wait before they become memories, is another one: see [`crate::govern::lifecycle`].

pub(crate) mod answer;
pub(crate) mod month;
pub(crate) mod prompt;
