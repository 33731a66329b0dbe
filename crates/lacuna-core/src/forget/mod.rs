//! Forgetting: plan → confirm, for one id, a person, a topic or plain words; and the question whether it is forgotten.

pub(crate) mod confirm;
pub(crate) mod delete;
pub(crate) mod plan;
pub(crate) mod proposal;
pub(crate) mod purge;
pub(crate) mod token;
pub(crate) mod unread;
pub(crate) mod verify;
pub(crate) mod working;

pub use confirm::Confirmed;
pub use plan::{FORGET_IDS_MAX, Plan, Planned, PlannedFall, PlannedMatch, Request};
pub use proposal::ModelPart;
pub use unread::{ErasedBefore, UnreadText};
pub use verify::Verified;
