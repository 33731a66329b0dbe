//! Sessions: conversations that are remembered turn by turn as they go on, and archived when they end.
//!
//! A turn is an ordinary memory: it goes through the gate, is sealed at once, is found, fades and is forgotten
//! as others are. So a session has no row of its own. What is known of it is read from its turns, and what has
//! not become a turn yet lives in RAM.

pub(crate) mod append;
pub(crate) mod desk;
pub(crate) mod number;
pub(crate) mod show;
pub(crate) mod transcript;
pub(crate) mod working;

use jiff::Timestamp;

pub use append::{Appended, Grown, NewTurn, Piece};
pub(crate) use desk::Desk;
pub(crate) use number::{Numbering, TurnState};
pub use show::{SessionCursor, SessionPage, SessionShown};
pub use transcript::Ended;

use crate::vault::Held;
use lacuna_types::*;

/// Turns in one append.
pub const TURNS_PER_APPEND_MAX: usize = 1_000;
/// Turns of one session.
pub const TURNS_PER_SESSION_MAX: u32 = 100_000;
/// Characters of one turn; longer is refused.
pub const TURN_CHARS_MAX: usize = 100_000;
/// Pieces of a turn that is sent while it is spoken.
pub const PIECES_MAX: usize = 10_000;
/// Sessions of one vault that RAM holds something of.
pub const SESSIONS_OPEN_MAX: usize = 256;
/// What the working memory of one session holds, in memories and in bytes of their texts; beyond either the oldest
/// goes.
pub const WORKING_ITEMS_MAX: usize = 256;
pub const WORKING_BYTES_MAX: usize = 128 << 10;
/// Turns and sessions on one page, by default and at most.
pub const SESSION_PAGE_DEFAULT: usize = 100;
pub const SESSION_PAGE_MAX: usize = 500;

facet!(
    /** Who says a turn. */
    Speaker, "role", {
    User = 1 "user",
    Assistant = 2 "assistant",
    Tool = 3 "tool",
});

impl Speaker {
    pub fn source(self) -> SourceType {
        match self {
            Speaker::User => SourceType::UserMessage,
            Speaker::Assistant => SourceType::AiInference,
            Speaker::Tool => SourceType::ToolOutput,
        }
    }

    /// Who said what came from such a source.
    pub fn of(source: SourceType) -> Self {
        match source {
            SourceType::UserMessage | SourceType::ExplicitSave => Speaker::User,
            SourceType::AiInference => Speaker::Assistant,
            SourceType::ToolOutput => Speaker::Tool,
        }
    }
}

facet!(
    /** Whether a session goes on. */
    SessionState, "session_state", {
    Open = 1 "open",
    Ended = 2 "ended",
});

/// A session as its owner sees it on a list.
#[derive(Clone, PartialEq, Debug)]
pub struct SessionInfo {
    pub id: SessionId,
    pub state: SessionState,
    pub began_at: Timestamp,
    /// When something was last said in it.
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

/// Whether a memory is a turn of the session.
fn is_turn_of(held: &Held, session: &SessionId) -> bool {
    let facets = &held.facets;
    facets.source.session.as_ref() == Some(session)
        && facets.source.turn.is_some()
        && facets.category == Category::Conversation
        && facets.content_type == ContentType::Transcript
        && facets.tier == Tier::Episodic
}

/// Whether a memory is a transcript of which every turn is still there to be found by itself. One that outlived
/// some of its turns says what nothing else says, and is looked at like any other memory.
pub(crate) fn repeats_its_turns(held: &Held) -> bool {
    let sources = held.facets.derived_from.len();
    held.facets.history.segment.is_some_and(|segment| segment.turns as usize <= sources)
}
