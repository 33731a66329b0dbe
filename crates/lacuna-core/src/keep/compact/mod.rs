//! Compaction: old turns make room for summaries and facts that say where they come from.
//!
//! What is due is planned from a few thresholds, cut into runs of turns about one thing, and condensed: by
//! picking sentences, or by a model whose every claim is checked. The turns are archived in the commit that
//! brings what was made of them; they leave the search, not the vault.

pub(crate) mod condense;
pub(crate) mod plan;
pub(crate) mod run;
pub(crate) mod store;
