//! The cooldown: memories shown lately in a conversation are not shown again at every turn.
//!
//! It is in RAM only and bounded: a session that is idle for an hour begins anew, and a node that restarts may show
//! a memory again.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use lacuna_types::{MemoryId, SessionId, VaultId};

/// Sessions that are remembered; the longest unused one makes room.
pub(crate) const SESSIONS_MAX: usize = 4_096;
/// A session that was not heard of for this long begins anew.
pub(crate) const SESSION_IDLE: SignedDuration = SignedDuration::from_hours(1);

/// A conversation over a vault.
pub(crate) type Talk = (VaultId, SessionId);

#[derive(Default)]
pub(crate) struct Cooldowns {
    talks: Mutex<HashMap<Talk, Heard>>,
}

struct Heard {
    turn: u32,
    used_at: Timestamp,
    /// The turn at which each memory was last shown.
    shown: HashMap<MemoryId, u32>,
}

impl Cooldowns {
    /// Begins the next turn. Answers with what was shown within the last `cooldown` turns.
    pub(crate) fn begin(&self, talk: &Talk, cooldown: u32, now: Timestamp) -> HashSet<MemoryId> {
        let mut talks = self.lock();
        if !talks.get(talk).is_some_and(|heard| is_awake(heard, now)) {
            make_room(&mut talks, now);
            talks.insert(talk.clone(), Heard { turn: 0, used_at: now, shown: HashMap::new() });
        }
        let Some(heard) = talks.get_mut(talk) else { return HashSet::new() };
        heard.turn = heard.turn.saturating_add(1);
        heard.used_at = now;
        let turn = heard.turn;
        heard.shown.retain(|_, shown_at| turn - *shown_at <= cooldown);
        heard.shown.keys().copied().collect()
    }

    /// Notes what this turn shows.
    pub(crate) fn note(&self, talk: &Talk, shown: impl IntoIterator<Item = MemoryId>) {
        if let Some(heard) = self.lock().get_mut(talk) {
            let turn = heard.turn;
            heard.shown.extend(shown.into_iter().map(|id| (id, turn)));
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Talk, Heard>> {
        self.talks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_awake(heard: &Heard, now: Timestamp) -> bool {
    now.duration_since(heard.used_at) <= SESSION_IDLE
}

fn make_room(talks: &mut HashMap<Talk, Heard>, now: Timestamp) {
    talks.retain(|_, heard| is_awake(heard, now));
    if talks.len() >= SESSIONS_MAX {
        let oldest = talks.iter().min_by_key(|(_, heard)| heard.used_at).map(|(talk, _)| talk.clone());
        oldest.inspect(|talk| drop(talks.remove(talk)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn talk(name: &str) -> Talk {
        (VaultId::from_bytes([1; 16]), SessionId::new(name).unwrap())
    }

    fn id(n: u8) -> MemoryId {
        MemoryId::from_bytes([n; 16])
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_776_000_000 + seconds).unwrap()
    }

    #[test]
    fn what_was_shown_rests_for_the_cooldown_in_its_own_session() {
        let cooldowns = Cooldowns::default();
        let rests = |cooldown| cooldowns.begin(&talk("a"), cooldown, at(0)).contains(&id(1));
        assert!(!rests(2));
        cooldowns.note(&talk("a"), [id(1)]);
        assert!(rests(2) && rests(2) && !rests(2));
        cooldowns.note(&talk("a"), [id(1)]);
        assert!(!rests(0));
        cooldowns.note(&talk("a"), [id(1)]);
        assert!(cooldowns.begin(&talk("b"), 2, at(0)).is_empty());
    }

    #[test]
    fn an_idle_session_begins_anew_and_the_number_of_sessions_is_bounded() {
        let cooldowns = Cooldowns::default();
        cooldowns.begin(&talk("a"), 9, at(0));
        cooldowns.note(&talk("a"), [id(1)]);
        assert!(cooldowns.begin(&talk("a"), 9, at(3_600)).contains(&id(1)));
        assert!(cooldowns.begin(&talk("a"), 9, at(7_201)).is_empty());
        for n in 0..SESSIONS_MAX as i64 + 20 {
            cooldowns.begin(&talk(&format!("s{n}")), 9, at(7_300 + n / 100));
        }
        assert_eq!(cooldowns.lock().len(), SESSIONS_MAX);
        assert!(!cooldowns.lock().contains_key(&talk("a")));
    }
}
