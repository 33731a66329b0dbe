//! Compaction: old turns make room for summaries and facts that say where they come from.
//!
//! What is due is planned from a few thresholds, cut into runs of turns about one thing, and condensed: by
//! picking sentences, or by a model whose every claim is checked. The turns are archived in the commit that
//! brings what was made of them; they leave the search, not the vault.

pub(crate) mod condense;
pub(crate) mod plan;
pub(crate) mod rebuild;
pub(crate) mod run;
pub(crate) mod store;

pub use lacuna_types::llm::{Claim, ClaimKind};
pub use lacuna_types::policy::{
    KEEP_LAST_DEFAULT, OLDEST_PERCENT_DEFAULT, SESSION_MESSAGES_MAX_DEFAULT, TOKENS_MAX_DEFAULT, Thresholds,
    UNREAD_DAYS_DEFAULT, UNREAD_DAYS_MAX,
};
pub(crate) use rebuild::{Left, rebuilt};
pub use run::{CompactRequest, Compacted, CompactionPlan};
