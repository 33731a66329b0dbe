//! Condensing turns of a conversation: summaries by picked sentences, facts by rules, and the check of every claim.

mod check;
mod extract;
mod runs;
mod sentences;
mod summarise;
mod turn;

pub use check::Sources;
pub use extract::extract;
pub use runs::runs;
pub use sentences::Rarity;
pub use summarise::summarise;
pub use turn::{Speaker, Turn};
