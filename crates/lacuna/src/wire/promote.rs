use lacuna_core::transfer::Moved;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::memory::PromotionView;
use super::scope::shown;
use super::words;

/// Target of a move.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = MoveRequest)]
pub(crate) struct MoveRequest {
    /// `team:NAME` or `org` to promote; `team:NAME` or `user:NAME` to demote.
    pub(crate) to: String,
    /// Its present scope: `user`, `team:NAME` or `org`; the caller's own vault when absent.
    pub(crate) scope: Option<String>,
    /// The reason, in at most 500 characters. It is sealed with the memory and stands in no log and no audit
    /// entry.
    pub(crate) justification: Option<String>,
    /// Its author's yes to sharing a memory about health, money, belief or biometrics; without it, such a one stays.
    #[serde(default)]
    pub(crate) lift_sensitivity: bool,
}

/// Result of a move.
#[derive(Serialize, ToSchema)]
#[schema(as = Moved)]
pub(crate) struct MovedView {
    /// Its id in the new scope.
    pub(crate) memory_id: String,
    pub(crate) scope: String,
    /// Its id in the old scope.
    pub(crate) previous_id: String,
    pub(crate) promotion: PromotionView,
    /// `active`; `candidate` if it waits for approval, as a direct write there would; `approved` during a grace period.
    pub(crate) state: words::Lifecycle,
}

impl From<Moved> for MovedView {
    fn from(moved: Moved) -> Self {
        Self {
            memory_id: moved.id.to_string(),
            scope: shown(&moved.scope),
            previous_id: moved.previous_id.to_string(),
            promotion: moved.promotion.into(),
            state: words::Lifecycle(moved.state),
        }
    }
}
