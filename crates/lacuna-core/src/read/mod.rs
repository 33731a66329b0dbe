//! Reading: recall, context, intent, and finding what a request to forget means.

pub(crate) mod behind;
pub(crate) mod browse;
pub(crate) mod condition;
pub(crate) mod context;
pub(crate) mod find;
pub(crate) mod intent;
pub(crate) mod label;
pub(crate) mod limits;
pub(crate) mod recall;
pub(crate) mod working;

pub use browse::{
    KnownName, KnownTopic, NAMES_SHOWN_MAX, NameLink, Overview, RELATIVES_MAX, Relatives, TOPICS_SHOWN_MAX,
    TimelineFilter,
};
pub use condition::{CONDITION_DEPTH_MAX, CONDITIONS_MAX, Condition};
pub use context::rank::Mark;
pub use context::{Context, Item, RESTING_MAX, TURN_CHARS_MAX, Turn};
pub use intent::Understood;
pub use label::source_label;
pub use limits::{EPISODIC_RESULTS_DEFAULT, SEMANTIC_RESULTS_DEFAULT, TierLimits};
pub use recall::{
    Cursor, LIST_BYTES_MAX, LIST_PAGE_DEFAULT, LIST_PAGE_MAX, Page, Query, RECALL_RESULTS_MAX,
    RECENCY_WEIGHT_DEFAULT, Recalled, RecalledMemory, WholeMemory, WholePage,
};
