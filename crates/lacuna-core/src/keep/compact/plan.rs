//! Plans the turns that are due for compaction, in portions. Nothing here reads a vault or the clock.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use lacuna_types::policy::Thresholds;
use lacuna_types::*;

/// Turns of one portion, among which topics are found. Each topic is one commit.
pub(crate) const PORTION_TURNS_MAX: usize = 512;

/// An active turn, as far as the plan needs to know it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct CompactionCandidate {
    pub(crate) id: MemoryId,
    pub(crate) session: SessionId,
    pub(crate) turn: u32,
    pub(crate) created_at: Timestamp,
    /// The moment at which it was last stored or read; the time that it bears may be older.
    pub(crate) used_at: Timestamp,
    pub(crate) tokens: usize,
    pub(crate) kin: Kin,
}

/// Turns are condensed together only with their like. What is held under a key of its own stays apart, so
/// that the rest does not come to be held as tightly; and a page or a tool does not pull down the trust of
/// what was said.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Kin {
    pub(crate) class: KeyClass,
    pub(crate) foreign: bool,
    /// The author, in a vault that several people share.
    pub(crate) author: Option<UserId>,
}

/// The caller's choice of turns.
pub(crate) enum CompactionChoice<'a> {
    /// Whatever the thresholds say.
    Due,
    /// Everything that fits, whatever the thresholds say. Without a moment, the last turns of a session stay.
    All { session: Option<&'a SessionId>, before: Option<Timestamp> },
}

/// Turns of one session and week that are condensed together, topic by topic.
#[derive(PartialEq, Debug)]
pub(crate) struct Portion {
    pub(crate) session: SessionId,
    /// As ISO 8601 writes it: `2026-W12`.
    pub(crate) week: String,
    pub(crate) turns: Vec<MemoryId>,
}

/// The portions that are due, oldest first. `turns` may come in any order.
pub(crate) fn portions(
    mut turns: Vec<CompactionCandidate>,
    asked: &CompactionChoice<'_>,
    thresholds: &Thresholds,
    now: Timestamp,
) -> Vec<Portion> {
    turns.sort_by(|one, other| {
        (one.created_at, one.turn, one.id).cmp(&(other.created_at, other.turn, other.id))
    });
    let picked = match asked {
        CompactionChoice::Due => due(&turns, thresholds, now),
        CompactionChoice::All { session, before } => {
            asked_for(&turns, *session, *before, thresholds.keep_last)
        }
    };
    let mut groups: BTreeMap<(String, &SessionId, &Kin), Vec<&CompactionCandidate>> = BTreeMap::new();
    for turn in turns.iter().filter(|turn| picked.contains(&turn.id)) {
        groups.entry((week(turn.created_at), &turn.session, &turn.kin)).or_default().push(turn);
    }
    groups.into_iter().flat_map(|((week, session, _), turns)| portioned(&week, session, &turns)).collect()
}

/// The turns that are due by the thresholds.
fn due(turns: &[CompactionCandidate], thresholds: &Thresholds, now: Timestamp) -> BTreeSet<MemoryId> {
    let mut picked = BTreeSet::new();
    if turns.iter().map(|turn| turn.tokens).sum::<usize>() > thresholds.tokens_max {
        let mut by_use: Vec<&CompactionCandidate> = turns.iter().collect();
        // Stable, so that what was used at one moment goes in the order in which it was said.
        by_use.sort_by_key(|turn| turn.used_at);
        let oldest = turns.len() * thresholds.oldest_percent / 100;
        picked.extend(by_use.iter().take(oldest).map(|turn| turn.id));
    }
    for session in by_session(turns).values().filter(|turns| turns.len() > thresholds.session_messages_max) {
        picked.extend(but_the_last(session, thresholds.keep_last));
    }
    let unread_since = now - SignedDuration::from_hours(24 * thresholds.unread_days);
    picked.extend(turns.iter().filter(|turn| turn.used_at < unread_since).map(|turn| turn.id));
    picked
}

fn asked_for(
    turns: &[CompactionCandidate],
    session: Option<&SessionId>,
    before: Option<Timestamp>,
    keep_last: usize,
) -> BTreeSet<MemoryId> {
    let wanted = |turn: &&CompactionCandidate| session.is_none_or(|session| turn.session == *session);
    match before {
        Some(before) => {
            turns.iter().filter(wanted).filter(|turn| turn.created_at < before).map(|turn| turn.id).collect()
        }
        None => {
            let sessions = by_session(turns.iter().filter(wanted));
            sessions.values().flat_map(|turns| but_the_last(turns, keep_last)).collect()
        }
    }
}

fn by_session<'a>(
    turns: impl IntoIterator<Item = &'a CompactionCandidate>,
) -> HashMap<&'a SessionId, Vec<&'a CompactionCandidate>> {
    let mut sessions: HashMap<&SessionId, Vec<&CompactionCandidate>> = HashMap::new();
    for turn in turns {
        sessions.entry(&turn.session).or_default().push(turn);
    }
    sessions
}

fn but_the_last(turns: &[&CompactionCandidate], keep: usize) -> Vec<MemoryId> {
    turns[..turns.len().saturating_sub(keep)].iter().map(|turn| turn.id).collect()
}

/// Portions of about equal size, none above the bound.
fn portioned(week: &str, session: &SessionId, turns: &[&CompactionCandidate]) -> Vec<Portion> {
    let count = turns.len().div_ceil(PORTION_TURNS_MAX).max(1);
    let portion = |turns: &[&CompactionCandidate]| Portion {
        session: session.clone(),
        week: week.to_owned(),
        turns: turns.iter().map(|turn| turn.id).collect(),
    };
    turns.chunks(turns.len().div_ceil(count).max(1)).map(portion).collect()
}

/// The ISO week of a moment, in UTC.
pub(crate) fn week(at: Timestamp) -> String {
    let date = at.to_zoned(TimeZone::UTC).date().iso_week_date();
    format!("{}-W{:02}", date.year(), date.week())
}

/// A fact that another may repeat.
#[derive(Clone, Copy)]
pub(crate) struct Fact {
    /// A mark of its text.
    pub(crate) text: u64,
    pub(crate) is_derived: bool,
    pub(crate) created_at: Timestamp,
    pub(crate) id: MemoryId,
}

impl Fact {
    /// The highest of those that say the same stays: what was said before what was made, then the most recent.
    fn rank(&self) -> (bool, Timestamp, MemoryId) {
        (!self.is_derived, self.created_at, self.id)
    }
}

/// Facts that say the same word for word: all of them but one.
pub(crate) fn duplicates(facts: impl Iterator<Item = Fact>) -> Vec<MemoryId> {
    let mut first: HashMap<u64, Fact> = HashMap::new();
    let mut others = Vec::new();
    for fact in facts {
        match first.get_mut(&fact.text) {
            Some(known) if known.rank() < fact.rank() => others.push(std::mem::replace(known, fact).id),
            Some(_) => others.push(fact.id),
            None => drop(first.insert(fact.text, fact)),
        }
    }
    others.sort_unstable();
    others
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400;
    /// A Monday.
    const START: i64 = 1_767_571_200;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(START + seconds).unwrap_or_default()
    }

    fn turn(session: &str, number: u32, seconds: i64) -> CompactionCandidate {
        let id = MemoryId::from_bytes(
            ((u128::from(session.as_bytes()[0]) << 32) + u128::from(number)).to_be_bytes(),
        );
        CompactionCandidate {
            id,
            session: SessionId::new(session).unwrap_or_else(|_| unreachable!()),
            turn: number,
            created_at: at(seconds),
            used_at: at(seconds),
            tokens: 10,
            kin: Kin { class: KeyClass::General, foreign: false, author: None },
        }
    }

    fn session(name: &str, count: u32, start: i64) -> Vec<CompactionCandidate> {
        (0..count).map(|n| turn(name, n, start + i64::from(n))).collect()
    }

    fn ids(portions: &[Portion]) -> Vec<MemoryId> {
        portions.iter().flat_map(|portion| portion.turns.clone()).collect()
    }

    #[test]
    fn nothing_is_due_below_the_thresholds() {
        let turns = session("a", 200, 0);
        assert_eq!(portions(turns, &CompactionChoice::Due, &Thresholds::default(), at(DAY)), []);
    }

    #[test]
    fn a_long_session_keeps_its_last_turns_and_others_keep_all() {
        let turns: Vec<_> = session("a", 201, 0).into_iter().chain(session("b", 30, 500)).collect();
        let due = portions(turns.clone(), &CompactionChoice::Due, &Thresholds::default(), at(DAY));
        let expected: Vec<_> = turns[..181].iter().map(|turn| turn.id).collect();
        assert_eq!(ids(&due), expected);
        assert_eq!(due.len(), 1, "a week of one session is looked at as a whole");
        let long = portions(session("a", 1_300, 0), &CompactionChoice::Due, &Thresholds::default(), at(DAY));
        assert!(long.len() == 3 && long.iter().all(|portion| portion.turns.len() <= PORTION_TURNS_MAX));
    }

    #[test]
    fn too_many_tokens_send_the_oldest_share() {
        let mut turns = session("a", 100, 0);
        turns[3].tokens = 150_000;
        turns.reverse();
        let due = portions(turns, &CompactionChoice::Due, &Thresholds::default(), at(DAY));
        assert_eq!(ids(&due).len(), 70);
        assert_eq!(ids(&due)[0], turn("a", 0, 0).id);
    }

    #[test]
    fn the_oldest_are_those_that_were_not_used_for_longest() {
        let mut turns = session("a", 10, 0);
        turns[0].tokens = 150_000;
        // Stored last, though it was said first.
        turns[0].used_at = at(DAY);
        let due = portions(turns.clone(), &CompactionChoice::Due, &Thresholds::default(), at(DAY));
        assert_eq!(ids(&due), turns[1..8].iter().map(|turn| turn.id).collect::<Vec<_>>());
    }

    #[test]
    fn what_nobody_has_read_for_long_is_due_and_what_was_read_is_not() {
        let mut turns = session("a", 4, 0);
        turns[1].used_at = at(50 * DAY);
        let due = portions(turns.clone(), &CompactionChoice::Due, &Thresholds::default(), at(91 * DAY));
        assert_eq!(ids(&due), [turns[0].id, turns[2].id, turns[3].id]);
        assert_eq!(portions(turns, &CompactionChoice::Due, &Thresholds::default(), at(90 * DAY)), []);
    }

    #[test]
    fn portions_are_of_one_week_one_session_and_one_kind() {
        let mut turns: Vec<_> =
            session("a", 6, 7 * DAY - 3).into_iter().chain(session("b", 2, 7 * DAY)).collect();
        turns[4].kin.class = KeyClass::Sensitive(Sensitivity::Health);
        let asked = CompactionChoice::All { session: None, before: Some(at(30 * DAY)) };
        let found = portions(turns.clone(), &asked, &Thresholds::default(), at(30 * DAY));
        let shape: Vec<_> = found
            .iter()
            .map(|portion| (portion.week.as_str(), portion.session.as_str(), portion.turns.len()))
            .collect();
        assert_eq!(
            shape,
            [("2026-W02", "a", 3), ("2026-W03", "a", 2), ("2026-W03", "a", 1), ("2026-W03", "b", 2)]
        );
    }

    #[test]
    fn a_caller_names_a_session_or_a_moment_and_the_last_turns_stay_unless_it_is_a_moment() {
        let turns: Vec<_> = session("a", 25, 0).into_iter().chain(session("b", 25, DAY)).collect();
        let only = turns[0].session.clone();
        let thresholds = Thresholds::default();
        let asked = CompactionChoice::All { session: Some(&only), before: None };
        assert_eq!(ids(&portions(turns.clone(), &asked, &thresholds, at(DAY))).len(), 5);
        let asked = CompactionChoice::All { session: Some(&only), before: Some(at(10)) };
        assert_eq!(ids(&portions(turns.clone(), &asked, &thresholds, at(DAY))).len(), 10);
        let asked = CompactionChoice::All { session: None, before: Some(at(DAY + 5)) };
        assert_eq!(ids(&portions(turns, &asked, &thresholds, at(DAY))).len(), 30);
    }

    #[test]
    fn of_equal_facts_the_most_recent_original_stays() {
        let id = |n: u8| MemoryId::from_bytes([n; 16]);
        let fact =
            |text, is_derived, seconds, n| Fact { text, is_derived, created_at: at(seconds), id: id(n) };
        let facts = [fact(7, false, 2, 1), fact(8, true, 0, 2), fact(7, false, 9, 3), fact(7, true, 30, 4)];
        assert_eq!(duplicates(facts.into_iter()), [id(1), id(4)]);
    }
}
