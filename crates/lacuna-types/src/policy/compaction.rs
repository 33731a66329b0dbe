//! Thresholds of compaction.

/// The default of [`Thresholds::tokens_max`].
pub const TOKENS_MAX_DEFAULT: usize = 150_000;
/// The default of [`Thresholds::oldest_percent`].
pub const OLDEST_PERCENT_DEFAULT: usize = 70;
/// The default of [`Thresholds::session_messages_max`].
pub const SESSION_MESSAGES_MAX_DEFAULT: usize = 200;
/// The default of [`Thresholds::keep_last`].
pub const KEEP_LAST_DEFAULT: usize = 20;
/// The default of [`Thresholds::unread_days`].
pub const UNREAD_DAYS_DEFAULT: i64 = 90;
/// The longest time that a policy may name, in days.
pub const UNREAD_DAYS_MAX: i64 = 36_500;

/// The sizes and ages at which old turns are compacted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thresholds {
    /// More tokens than this in active turns, and the oldest are compacted.
    pub tokens_max: usize,
    /// The share of the turns that counts as the oldest, in percent.
    pub oldest_percent: usize,
    /// A session with more messages than this is compacted but for its last ones.
    pub session_messages_max: usize,
    /// The number of last messages of a session that stay as they are.
    pub keep_last: usize,
    /// Turns that nobody has read for this many days are compacted, whatever the size of the vault.
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
