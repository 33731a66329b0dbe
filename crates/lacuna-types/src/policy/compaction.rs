//! Thresholds of compaction.

/// When a vault is compacted by itself, unless its policy says otherwise.
pub const TOKENS_MAX_DEFAULT: usize = 150_000;
pub const OLDEST_PERCENT_DEFAULT: usize = 70;
pub const SESSION_MESSAGES_MAX_DEFAULT: usize = 200;
pub const KEEP_LAST_DEFAULT: usize = 20;
pub const UNREAD_DAYS_DEFAULT: i64 = 90;
/// The longest time that a policy may name, in days.
pub const UNREAD_DAYS_MAX: i64 = 36_500;

/// From when on old turns make room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thresholds {
    /// More tokens than this in active turns, and the oldest are compacted.
    pub tokens_max: usize,
    /// How many percent of the turns are the oldest.
    pub oldest_percent: usize,
    /// A session with more messages than this is compacted but for its last ones.
    pub session_messages_max: usize,
    pub keep_last: usize,
    /// What nobody has read for so long is compacted, whatever the size of the vault.
    pub unread_days: i64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            tokens_max: TOKENS_MAX_DEFAULT,
            oldest_percent: OLDEST_PERCENT_DEFAULT,
            session_messages_max: SESSION_MESSAGES_MAX_DEFAULT,
            keep_last: KEEP_LAST_DEFAULT,
            unread_days: UNREAD_DAYS_DEFAULT,
        }
    }
}
