use std::collections::HashSet;
use std::sync::Arc;

use lacuna_types::{Category, Lane, Lifecycle, MemoryId, Tier};

use crate::index::{Attributes, Tag};

/// Conditions on the memories that a search may find. Empty lists admit everything, save that only active memories
/// are found unless other states are named.
#[derive(Clone, Default, Debug)]
pub struct Filter {
    /// Admitted states; only active memories when empty.
    pub states: Vec<Lifecycle>,
    /// Admitted categories.
    pub categories: Vec<Category>,
    /// Admitted tiers.
    pub tiers: Vec<Tier>,
    /// Admitted lanes.
    pub lanes: Vec<Lane>,
    /// Also look at the secondary lanes of a memory.
    pub secondary_lanes: bool,
    /// Created at or after this moment, in milliseconds.
    pub from: Option<i64>,
    /// Created before this moment.
    pub until: Option<i64>,
    /// Tags of which a memory must bear at least one.
    pub any_tags: Vec<Tag>,
    /// Tags of which a memory must bear all.
    pub all_tags: Vec<Tag>,
    /// Keys of admitted sessions: see [`Session::key`](crate::index::Session::key).
    pub sessions: Vec<u64>,
    /// The least salience of an admitted memory.
    pub min_salience: f32,
    /// True when records are admitted as well.
    pub records: bool,
    /// Admitted memories by their ids; all when absent.
    pub ids: Option<Arc<HashSet<MemoryId>>>,
    /// Marks of memories that are closed to the reader. Every read sets them; a caller's own are replaced.
    pub closed: Vec<Tag>,
    /// The mark that opens one of those to its author.
    pub closed_unless: Option<Tag>,
    /// Marks of memories that the reader's token is not for.
    pub without: Vec<Tag>,
}

impl Filter {
    pub(crate) fn admits<'a>(&self, memory: &Attributes, tags: impl FnOnce() -> &'a [Tag], now: i64) -> bool {
        self.shows(memory, now) && self.fits(memory, tags, now)
    }

    /// Returns true when a memory meets the conditions other than state and expiry.
    pub(crate) fn fits<'a>(&self, memory: &Attributes, tags: impl FnOnce() -> &'a [Tag], now: i64) -> bool {
        admits(&self.categories, &memory.category)
            && admits(&self.tiers, &memory.tier)
            && self.admits_lane(memory)
            && self.from.is_none_or(|from| memory.created_at >= from)
            && self.until.is_none_or(|until| memory.created_at < until)
            && (self.min_salience <= 0.0 || memory.fading.at(now) >= self.min_salience)
            && (self.sessions.is_empty()
                || memory.session.is_some_and(|session| self.sessions.contains(&session.key)))
            && (!self.looks_at_tags() || self.admits_tags(tags()))
    }

    fn looks_at_tags(&self) -> bool {
        let conditions = [&self.any_tags, &self.all_tags, &self.closed, &self.without];
        conditions.iter().any(|tags| !tags.is_empty())
    }

    /// Returns true when it sets no condition, so that a memory's visibility alone decides.
    pub(crate) fn is_default(&self) -> bool {
        self.states.is_empty()
            && self.categories.is_empty()
            && self.tiers.is_empty()
            && self.lanes.is_empty()
            && self.from.is_none()
            && self.until.is_none()
            && self.any_tags.is_empty()
            && self.all_tags.is_empty()
            && self.sessions.is_empty()
            && self.closed.is_empty()
            && self.without.is_empty()
            && self.min_salience <= 0.0
            && self.ids.is_none()
    }

    /// Returns true when a memory is visible to this search: in a state that it asks for, and not expired.
    pub(crate) fn shows(&self, memory: &Attributes, now: i64) -> bool {
        let state = match self.states[..] {
            [] => memory.state == Lifecycle::Active,
            _ => self.states.contains(&memory.state),
        };
        state && (self.records || !memory.is_record) && memory.expires_at.is_none_or(|at| now < at)
    }

    /// Returns true when a memory is among the admitted ones.
    pub(crate) fn names(&self, id: &MemoryId) -> bool {
        self.ids.as_ref().is_none_or(|ids| ids.contains(id))
    }

    fn admits_tags(&self, tags: &[Tag]) -> bool {
        (self.any_tags.is_empty() || self.any_tags.iter().any(|tag| tags.contains(tag)))
            && self.all_tags.iter().all(|tag| tags.contains(tag))
            && (!self.closed.iter().any(|tag| tags.contains(tag))
                || self.closed_unless.is_some_and(|tag| tags.contains(&tag)))
            && !self.without.iter().any(|tag| tags.contains(tag))
    }

    fn admits_lane(&self, memory: &Attributes) -> bool {
        admits(&self.lanes, &memory.lane)
            || self.secondary_lanes && self.lanes.iter().any(|&lane| memory.secondary_lanes.contains(lane))
    }
}

fn admits<T: PartialEq>(wanted: &[T], value: &T) -> bool {
    wanted.is_empty() || wanted.contains(value)
}
