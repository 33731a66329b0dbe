//! Compaction: old turns make room for summaries and facts that say where they come from.
//!
//! The turns that are due are planned from a few thresholds, cut into runs about one subject, and condensed: by
//! picking sentences, or by a model whose every claim is checked. The commit that stores the condensed pieces
//! archives the turns; they leave the search, not the vault.

pub(crate) mod condense;
pub(crate) mod plan;
pub(crate) mod run;
pub(crate) mod store;
