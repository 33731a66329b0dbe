use lacuna_core::govern::RemovedUser;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::receipt::ReceiptView;

/// The end of a person's access and memory. What they wrote in shared vaults stays.
#[derive(Serialize, ToSchema)]
#[schema(as = UserRemoved)]
pub(crate) struct UserRemovedView {
    pub(crate) user: String,
    pub(crate) tokens_revoked: usize,
    pub(crate) memberships_ended: usize,
    /// Memories that were destroyed with the person's vault.
    pub(crate) memories: u64,
    /// The proof of the destruction; absent when there was no vault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) receipt: Option<ReceiptView>,
}

impl UserRemovedView {
    pub(crate) fn of(user: String, removed: RemovedUser) -> Self {
        let memories = removed.destroyed.as_ref().map_or(0, |destroyed| destroyed.counts.records);
        let receipt = removed.destroyed.and_then(|destroyed| destroyed.receipt).map(ReceiptView::from);
        Self {
            user,
            tokens_revoked: removed.tokens,
            memberships_ended: removed.memberships,
            memories,
            receipt,
        }
    }
}

/// People to make and to remove, in order.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = UserBulkRequest)]
pub(crate) struct UserBulkRequest {
    /// At most 200.
    pub(crate) users: Vec<UserChange>,
}

/// One person, and what is to become of them.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = UserChange)]
pub(crate) struct UserChange {
    pub(crate) user: String,
    pub(crate) action: UserVerb,
}

/// `provision` makes a person, `remove` destroys their vault.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = UserVerb)]
pub(crate) enum UserVerb {
    Provision,
    Remove,
}

/// An answer for each person, in the order of the request.
#[derive(Serialize, ToSchema)]
#[schema(as = UserBulkAnswer)]
pub(crate) struct UserBulkAnswer {
    pub(crate) users: Vec<UserOutcome>,
}

/// The person is as asked, or `code` and `detail` say why not.
#[derive(Serialize, ToSchema)]
#[schema(as = UserOutcome)]
pub(crate) struct UserOutcome {
    pub(crate) user: String,
    pub(crate) done: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) removed: Option<UserRemovedView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<String>,
}
