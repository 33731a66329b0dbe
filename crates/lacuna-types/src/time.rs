//! Clocks, and times as they are stored.

use std::sync::Mutex;

use jiff::{SignedDuration, Timestamp};

/// The source of the current time. Decay, expiry and idle sealing are tested by moving one.
pub trait Clock: Send + Sync {
    /// Now, truncated to the millisecond: the resolution in which times are stored and sealed.
    fn now(&self) -> Timestamp;
}

/// The machine's own clock.
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place where time enters")]
    fn now(&self) -> Timestamp {
        truncate_to_millis(Timestamp::now())
    }
}

/// A clock that moves only when it is told to.
pub struct ManualClock(Mutex<Timestamp>);

impl ManualClock {
    /// A clock that stands at `start`.
    pub fn at(start: Timestamp) -> Self {
        Self(Mutex::new(truncate_to_millis(start)))
    }

    /// Moves the clock on.
    pub fn advance(&self, by: SignedDuration) {
        let mut now = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        *now += by;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// A timestamp as it is stored: milliseconds since the epoch.
pub fn millis(at: Timestamp) -> i64 {
    at.as_millisecond()
}

/// Reads a stored time back; `None` when the number lies outside the calendar.
pub fn from_millis(millis: i64) -> Option<Timestamp> {
    Timestamp::from_millisecond(millis).ok()
}

fn truncate_to_millis(at: Timestamp) -> Timestamp {
    from_millis(at.as_millisecond()).unwrap_or(Timestamp::UNIX_EPOCH)
}
