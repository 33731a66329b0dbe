use jiff::Timestamp;
use lacuna_core::index::{Filter, Session, Tag};
use lacuna_types::{Lifecycle, Result, SessionId, millis};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::words;

/// From `after` (inclusive) to `before` (exclusive).
#[derive(Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TimeRange)]
pub(crate) struct TimeRange {
    pub(crate) after: Option<Timestamp>,
    pub(crate) before: Option<Timestamp>,
}

/// Filters for memories, as every door collects them.
#[derive(Default)]
pub(crate) struct Filters {
    pub(crate) categories: Vec<words::Category>,
    pub(crate) tiers: Vec<words::Tier>,
    pub(crate) lanes: Vec<words::Lane>,
    /// Memories whose secondary lane is among `lanes` are meant as well.
    pub(crate) secondary_lanes: bool,
    pub(crate) tags: Vec<String>,
    pub(crate) session_id: Option<String>,
    pub(crate) range: TimeRange,
    pub(crate) include_archived: bool,
    /// Only memories in these states, in place of active ones.
    pub(crate) states: Vec<words::Lifecycle>,
}

impl Filters {
    pub(crate) fn into_core(self) -> Result<Filter> {
        let session = self.session_id.as_deref().map(SessionId::new).transpose()?;
        let states = match self.states.is_empty() {
            false => self.states.into_iter().map(|word| word.0).collect(),
            true if self.include_archived => vec![Lifecycle::Active, Lifecycle::Archived],
            true => Vec::new(),
        };
        Ok(Filter {
            states,
            categories: self.categories.into_iter().map(|word| word.0).collect(),
            tiers: self.tiers.into_iter().map(|word| word.0).collect(),
            lanes: self.lanes.into_iter().map(|word| word.0).collect(),
            secondary_lanes: self.secondary_lanes,
            from: self.range.after.map(millis),
            until: self.range.before.map(millis),
            all_tags: self.tags.iter().map(|tag| Tag::of(tag)).collect(),
            sessions: session.iter().map(Session::key).collect(),
            ..Filter::default()
        })
    }
}
