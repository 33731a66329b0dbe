//! The monthly review: what a vault holds, what will go, and what its owner may want to decide about.
//!
//! The review of candidates, which wait before they become memories, is another one: see [`crate::lifecycle`].

pub(crate) mod answer;
pub(crate) mod month;
pub(crate) mod prompt;

pub use answer::{Answer, Answered};
pub use month::{
    EXPIRING_SOON_DAYS, Month, MonthPage, Part, PartCount, REVIEW_PAGE_MAX, Reason, Recommendation,
    ReviewItem,
};
