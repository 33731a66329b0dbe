use lacuna_core::govern::{DestroyPlan, Destruction};
use lacuna_types::Scope;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::receipt::ReceiptView;
use super::scope::shown;

/// Without a token: a plan. With the token of that plan: the destruction of the whole vault, for good.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DestroyRequest)]
pub(crate) struct DestroyRequest {
    /// The vault; the caller's own when absent.
    pub(crate) scope: Option<String>,
    /// The `token` of a plan for the vault as it is now.
    pub(crate) token: Option<String>,
}

/// A plan, or the result.
#[derive(Serialize, ToSchema)]
#[schema(as = DestroyAnswer)]
pub(crate) struct DestroyAnswer {
    pub(crate) scope: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plan: Option<DestroyPlanView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) destroyed: Option<DestructionView>,
}

/// Content of the vault that would be destroyed, and the token that confirms it within 15 minutes.
#[derive(Serialize, ToSchema)]
#[schema(as = DestroyPlan)]
pub(crate) struct DestroyPlanView {
    pub(crate) token: String,
    pub(crate) expires_at: String,
    pub(crate) memories: u64,
    pub(crate) blobs: u64,
}

/// Result of a destruction. The organisation's audit keeps two entries about it.
#[derive(Serialize, ToSchema)]
#[schema(as = Destruction)]
pub(crate) struct DestructionView {
    pub(crate) number: u64,
    pub(crate) vault_id: String,
    pub(crate) began_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) done_at: Option<String>,
    pub(crate) records: u64,
    pub(crate) vectors: u64,
    pub(crate) blobs: u64,
    pub(crate) keys: u64,
    /// The proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) receipt: Option<ReceiptView>,
}

impl DestroyAnswer {
    pub(crate) fn planned(plan: DestroyPlan, scope: &Scope) -> Self {
        let plan = DestroyPlanView {
            token: plan.token,
            expires_at: plan.expires_at.to_string(),
            memories: plan.memories,
            blobs: plan.blobs,
        };
        Self { scope: shown(scope), plan: Some(plan), destroyed: None }
    }

    pub(crate) fn done(done: Destruction, scope: &Scope) -> Self {
        let destroyed = DestructionView {
            number: done.number,
            vault_id: done.vault.to_string(),
            began_at: done.began_at.to_string(),
            done_at: done.done_at.map(|at| at.to_string()),
            records: done.counts.records,
            vectors: done.counts.vectors,
            blobs: done.counts.blobs,
            keys: done.counts.keys,
            receipt: done.receipt.map(ReceiptView::from),
        };
        Self { scope: shown(scope), plan: None, destroyed: Some(destroyed) }
    }
}
