//! Sessions: conversations that are remembered turn by turn as they go on, and archived when they end.
//!
//! A turn is an ordinary memory: it goes through the gate, is sealed at once, is found, fades and is forgotten
//! as others are. So a session has no row of its own. What is known of it is read from its turns, and what has
//! not become a turn yet lives in RAM.

pub(crate) mod append;
pub(crate) mod refer;
pub(crate) mod show;
pub(crate) mod transcript;

use jiff::Timestamp;
use lacuna_types::*;

/// Turns or sessions on one page, by default.
pub const SESSION_PAGE_DEFAULT: usize = 100;
/// Turns or sessions on one page, at most.
pub const SESSION_PAGE_MAX: usize = 500;

facet!(
    /** The state of a session. */
    SessionState, "session_state", {
    Open = 1 "open",
    Ended = 2 "ended",
});

/// A session as its owner sees it on a list.
#[derive(Clone, PartialEq, Debug)]
pub struct SessionInfo {
    /// The session's id.
    pub id: SessionId,
    /// Open or ended.
    pub state: SessionState,
    /// The moment of its first turn.
    pub began_at: Timestamp,
    /// The moment of its last turn.
    pub last_at: Timestamp,
    /// Turns that are shown.
    pub turns: u32,
    /// The number that the next turn gets.
    pub next_turn: u32,
    /// Its sealed transcripts.
    pub transcripts: Vec<MemoryId>,
    /// Changes whenever a shown turn comes or goes.
    pub mark: u64,
}
