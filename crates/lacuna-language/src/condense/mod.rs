//! Condensing turns of a conversation: summaries by picked sentences, facts by rules, and the check of every claim.

mod check;
mod extract;
mod rejected;
mod runs;
mod sentences;
mod summarise;
mod topics;
mod turn;

pub use check::Sources;
pub use extract::extract;
pub use sentences::Rarity;
pub use summarise::summarise;
pub use topics::{TOPIC_TURNS_MAX, TOPICS_MAX, topics};
pub use turn::{Speaker, Turn};
