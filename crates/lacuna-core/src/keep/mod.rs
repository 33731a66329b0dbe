//! Keeping: sessions, retention and compaction.

pub(crate) mod compact;
pub(crate) mod retention;
pub(crate) mod session;

pub use compact::run::{CompactRequest, Compacted, CompactionPlan};
pub use retention::preview::Preview;
pub use session::append::{Appended, Grown, NewTurn};
pub use session::show::{SessionCursor, SessionPage, SessionShown};
pub use session::transcript::Ended;
pub use session::{SESSION_PAGE_DEFAULT, SESSION_PAGE_MAX, SessionInfo, SessionState};
