//! The view `governance`: lifecycle, scopes, lanes and intent in the words of a plan for memory in an organisation.

#![allow(unused_qualifications, reason = "the macro that describes parameters writes their full path")]

use axum::Extension;
use axum::extract::State;
use jiff::Timestamp;
use lacuna_core::permit::{Caller, permit};
use lacuna_core::read::{Query, Understood};
use lacuna_types::policy::IntentScope;
use lacuna_types::{Error, Holder, Memory, MemoryId, Scope};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{VIEW_BYTES_MAX, denied};
use crate::http::App;
use crate::http::body::{Id, Json, Pairs, once};
use crate::http::problem::Problems;
use crate::wire::failure::{Failure, Result};
use crate::wire::{self, PromotionView, read_scope};

/// A scope of the plan: `user-private`, `team:NAME` or `org-wide`.
pub(super) fn read_plan_scope(text: Option<&str>, caller: &Caller) -> Result<Scope> {
    let ours = match text {
        None | Some("user-private") => return Ok(caller.personal_scope()),
        Some("org-wide") => "org",
        Some(other) => other,
    };
    Ok(read_scope(Some(ours), caller)?)
}

/// The plan's word for a scope.
pub(super) fn plan_scope(holder: &Holder) -> String {
    match holder {
        Holder::User(_) => "user-private".to_owned(),
        Holder::Org => "org-wide".to_owned(),
        group => group.to_string(),
    }
}

/// Vault of a record.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the parameter that `record` reads")]
pub(in crate::http) struct PlanScopeParam {
    /// `user-private`, `team:NAME` or `org-wide`; the caller's own when absent.
    scope: Option<String>,
}

/// A record with its state, its one scope and its lanes.
#[derive(Serialize, ToSchema)]
#[schema(as = GovernedRecord)]
pub(in crate::http) struct GovernedRecord {
    record_id: String,
    tenant_id: String,
    lifecycle_state: wire::Lifecycle,
    /// `user-private`, `team:NAME` or `org-wide`; exactly one.
    scope: String,
    primary_lane: wire::Lane,
    secondary_lanes: Vec<wire::Lane>,
    content: String,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Its move from another scope into this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    promotion: Option<PromotionView>,
}

impl GovernedRecord {
    fn of(memory: Memory, scope: &Scope) -> Self {
        let facets = memory.facets;
        Self {
            record_id: memory.id.to_string(),
            tenant_id: scope.org.as_str().to_owned(),
            lifecycle_state: memory.state.into(),
            scope: plan_scope(&scope.holder),
            primary_lane: facets.lane.into(),
            secondary_lanes: facets.secondary_lanes.into_iter().map(wire::Lane).collect(),
            content: memory.content.into_full_text().into_exposed(),
            created_at: memory.created_at,
            updated_at: memory.updated_at,
            promotion: facets.history.promotion.map(|promotion| PromotionView::from(*promotion)),
        }
    }
}

/// One record as the plan describes it.
#[utoipa::path(
    get,
    path = "/v1/views/governance/records/{memory_id}",
    operation_id = "governance_record",
    tag = "views",
    params(("memory_id" = String, Path, description = "`mem_` and 32 hex digits"), PlanScopeParam),
    responses((status = 200, description = "The record.", body = GovernedRecord), Problems)
)]
pub(in crate::http) async fn record(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Id(id): Id,
    Pairs(pairs): Pairs,
) -> Result<axum::Json<GovernedRecord>> {
    let id: MemoryId = id.parse()?;
    let mut scope = None;
    for (name, value) in pairs {
        match name.as_str() {
            "scope" => once(&name, &mut scope, value)?,
            _ => return Err(Failure::invalid(name, "is not a parameter of this call")),
        }
    }
    let scope = read_plan_scope(scope.as_deref(), &caller)?;
    let (memory, scope) = app.call_in(caller, scope, move |core, grant| core.get(grant, id)).await?;
    Ok(axum::Json(GovernedRecord::of(memory, &scope)))
}

/// A move of one record into a wider scope.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PromoteScopeRequest)]
pub(in crate::http) struct PromoteScope {
    record_id: String,
    /// `team:NAME` or `org-wide`.
    target_scope: String,
    /// The caller.
    actor_id: String,
    justification: Option<String>,
    /// Its present scope: `user-private` when absent.
    current_scope: Option<String>,
    /// The person's yes to moving a memory about health, belief, biometrics or money; without it, such a one stays.
    #[serde(default)]
    lift_sensitivity: bool,
}

/// Result of a move.
#[derive(Serialize, ToSchema)]
#[schema(as = ScopePromoted)]
pub(in crate::http) struct ScopePromoted {
    success: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    promotion: Option<PromotionView>,
}

/// Move a record into the next wider scope, with its history.
#[utoipa::path(
    post,
    path = "/v1/views/governance/promote_scope",
    operation_id = "governance_promote_scope",
    tag = "views",
    request_body = PromoteScope,
    responses((status = 200, description = "Whether it was moved, and why not.", body = ScopePromoted), Problems)
)]
pub(in crate::http) async fn promote_scope(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<PromoteScope, VIEW_BYTES_MAX>,
) -> Result<axum::Json<ScopePromoted>> {
    if request.actor_id != caller.user.as_str() {
        return Err(denied("actor_id must be the caller"));
    }
    let id: MemoryId = request.record_id.parse()?;
    let source = read_plan_scope(request.current_scope.as_deref(), &caller)?;
    let target = read_plan_scope(Some(&request.target_scope), &caller)?;
    let moved = app
        .call(move |core| {
            let (from, to) = (permit(&caller, &source)?, permit(&caller, &target)?);
            core.promote(&from, id, &to, request.justification.as_deref(), request.lift_sensitivity)
        })
        .await;
    let answer = match moved {
        Ok(moved) => ScopePromoted {
            success: true,
            reason: None,
            record_id: Some(moved.id.to_string()),
            promotion: Some(moved.promotion.into()),
        },
        // Whoever may not see it learns nothing from the reason.
        Err(failure) if failure.code.status < 500 && failure.code.status != 404 => {
            ScopePromoted { success: false, reason: Some(failure.public), record_id: None, promotion: None }
        }
        Err(failure) => return Err(failure),
    };
    Ok(axum::Json(answer))
}

/// A move of one record to another state.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TransitionRequest)]
pub(in crate::http) struct Transition {
    record_id: String,
    lifecycle_state: wire::Lifecycle,
    /// `user-private`, `team:NAME` or `org-wide`; the caller's own when absent.
    scope: Option<String>,
}

/// The state that a record is in now.
#[derive(Serialize, ToSchema)]
#[schema(as = Transitioned)]
pub(in crate::http) struct Transitioned {
    record_id: String,
    lifecycle_state: wire::Lifecycle,
}

/// Move a record to another state, as the plan's table of transitions allows.
#[utoipa::path(
    post,
    path = "/v1/views/governance/transition",
    operation_id = "governance_transition",
    tag = "views",
    request_body = Transition,
    responses((status = 200, description = "It is in that state.", body = Transitioned), Problems)
)]
pub(in crate::http) async fn transition(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<Transition, VIEW_BYTES_MAX>,
) -> Result<axum::Json<Transitioned>> {
    let id: MemoryId = request.record_id.parse()?;
    let scope = read_plan_scope(request.scope.as_deref(), &caller)?;
    let state = request.lifecycle_state;
    app.call_in(caller, scope, move |core, grant| core.set_state(grant, &[id], state.0)).await?;
    Ok(axum::Json(Transitioned { record_id: request.record_id, lifecycle_state: state }))
}

/// A question whose intent is wanted.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ResolveRequest)]
pub(in crate::http) struct Resolve {
    /// Such as "What's our launch date?"
    #[schema(min_length = 1, max_length = 4000)]
    query: String,
}

/// The lane and the scope that a question means.
#[derive(Serialize, ToSchema)]
#[schema(as = ResolvedIntent)]
pub(in crate::http) struct ResolvedIntent {
    #[serde(skip_serializing_if = "Option::is_none")]
    lane: Option<wire::Lane>,
    /// `user-private`, `team` or `org-wide`.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<&'static str>,
    /// True when the person should be asked what they mean.
    ask_user: bool,
    /// The phrases that it follows from.
    because: Vec<String>,
    /// Questions to ask next, such as whether to look in a team's knowledge.
    broaden: Vec<String>,
}

impl From<Understood> for ResolvedIntent {
    fn from(understood: Understood) -> Self {
        Self {
            lane: understood.lane.map(wire::Lane),
            scope: understood.reach.map(|reach| match reach {
                IntentScope::Private => "user-private",
                IntentScope::Team => "team",
                IntentScope::Org => "org-wide",
            }),
            ask_user: understood.ask,
            because: understood.because,
            broaden: understood.broaden,
        }
    }
}

/// Say which lane and which scope a question means. Nothing is merged: it is the caller who asks there.
#[utoipa::path(
    post,
    path = "/v1/views/governance/resolve",
    operation_id = "governance_resolve",
    tag = "views",
    request_body = Resolve,
    responses((status = 200, description = "The intent.", body = ResolvedIntent), Problems)
)]
pub(in crate::http) async fn resolve(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<Resolve, VIEW_BYTES_MAX>,
) -> Result<axum::Json<ResolvedIntent>> {
    let query = Query { intent: Some(true), limit: 1, ..Query::new(request.query) };
    let scope = caller.personal_scope();
    let (found, _) = app.call_in(caller, scope, move |core, grant| core.recall(grant, &query)).await?;
    let nothing = || Failure::from(Error::NotFound("intent"));
    Ok(axum::Json(found.understood.map(ResolvedIntent::from).ok_or_else(nothing)?))
}
