#![allow(unused_qualifications, reason = "the macro that describes parameters writes their full path")]

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use lacuna_core::Lacuna;
use lacuna_core::permit::{Caller, Grant, Review, permit};
use lacuna_core::read::LIST_PAGE_DEFAULT;
use lacuna_types::MemoryId;
use utoipa::IntoParams;

use super::App;
use super::body::{InScope, Json, Pairs};
use super::conditional::{Expected, IfMatchParam};
use super::memories::ScopeParam;
use super::page::{BY_CURSOR, PageQuery};
use super::problem::Problems;
use crate::wire::failure::{Failure, Result};
use crate::wire::{
    FreezeRequest, PolicyView, ReviewPage, ReviewRequest, Reviewed, StateRequest, VaultStateView,
    read_cursor, read_scope,
};

/// Bytes of a thousand decisions, each with the longest text that a memory keeps.
const REVIEW_BYTES_MAX: usize = 16 << 20;
const STATE_BYTES_MAX: usize = 1 << 20;

/// Parameters of a review list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the parameters that `PageQuery` reads")]
pub(super) struct ReviewParams {
    /// The `next_cursor` of the page before.
    cursor: Option<String>,
    /// Memories on one page; 50 when absent.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<usize>,
    /// The vault: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when absent.
    scope: Option<String>,
}

/// Memories that wait for confirmation or approval, each with its reason.
#[utoipa::path(
    get,
    path = "/v1/review",
    operation_id = "list_review",
    tag = "review",
    params(ReviewParams),
    responses((status = 200, description = "One page, newest first.", body = ReviewPage), Problems)
)]
pub(super) async fn list(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Pairs(pairs): Pairs,
) -> Result<axum::Json<ReviewPage>> {
    let page = PageQuery::read(pairs, BY_CURSOR)?;
    let scope = page.scope(&caller)?;
    let after = page.start.as_deref().map(read_cursor).transpose()?;
    let limit = page.limit_or(LIST_PAGE_DEFAULT);
    let (page, _) = app
        .call_in(caller, scope, move |core, grant| {
            ReviewPage::read(core, grant, core.candidates(grant, after, limit)?)
        })
        .await?;
    Ok(axum::Json(page))
}

/// Accept, edit, anonymise or reject memories that wait.
#[utoipa::path(
    post,
    path = "/v1/review",
    operation_id = "review",
    tag = "review",
    request_body = ReviewRequest,
    responses((status = 200, description = "What each decision did.", body = Reviewed), Problems)
)]
pub(super) async fn decide(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<ReviewRequest, REVIEW_BYTES_MAX>,
) -> Result<axum::Json<Reviewed>> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    if request.accept_all {
        if !request.decisions.is_empty() {
            return Err(Failure::invalid("accept_all", "comes without decisions"));
        }
        let accept = |core: &Lacuna, grant: &Grant<Review>| Reviewed::accepting_all(core, grant, false, None);
        let (reviewed, _) = app.call_in(caller, scope, accept).await?;
        return Ok(axum::Json(reviewed));
    }
    let decisions = request.decisions.into_iter().map(|body| body.into_core()).collect::<Result<Vec<_>>>()?;
    let (decided, scope) =
        app.call_in(caller, scope, move |core, grant| core.decide(grant, decisions)).await?;
    Ok(axum::Json(Reviewed::of(decided, &scope)))
}

/// Hide, restore or archive memories: all of them, or none.
#[utoipa::path(
    post,
    path = "/v1/memories/state",
    operation_id = "set_state",
    tag = "review",
    request_body = StateRequest,
    responses((status = 204, description = "They are in that state."), Problems)
)]
pub(super) async fn set_state(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<StateRequest, STATE_BYTES_MAX>,
) -> Result<StatusCode> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let ids =
        request.memory_ids.iter().map(|id| id.parse()).collect::<lacuna_types::Result<Vec<MemoryId>>>()?;
    app.call_in(caller, scope, move |core, grant| core.set_state(grant, &ids, request.state.0)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// State of the vault: open or frozen for writes.
#[utoipa::path(
    get,
    path = "/v1/vault",
    operation_id = "vault_state",
    tag = "review",
    params(ScopeParam),
    responses((status = 200, description = "Its state.", body = VaultStateView), Problems)
)]
pub(super) async fn vault_state(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    InScope(scope): InScope,
) -> Result<axum::Json<VaultStateView>> {
    let (since, scope) = app.call_in(caller, scope, |core, grant| core.frozen_since(grant)).await?;
    Ok(axum::Json(VaultStateView::of(since, &scope)))
}

/// Stop writes to the vault while reads go on, or let it take writes again.
#[utoipa::path(
    put,
    path = "/v1/vault",
    operation_id = "freeze",
    tag = "review",
    params(IfMatchParam),
    request_body = FreezeRequest,
    responses((status = 200, description = "Its state.", body = VaultStateView), Problems)
)]
pub(super) async fn freeze(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    expected: Expected,
    Json(request): Json<FreezeRequest, STATE_BYTES_MAX>,
) -> Result<axum::Json<VaultStateView>> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let locks = app.clone();
    let state = app.work(move |core| {
        let grant = permit(&caller, &scope)?;
        let _lock = locks.0.scope_locks.take(&scope);
        if !expected.anything() {
            let since = core.frozen_since(&permit(&caller, &scope)?)?;
            expected.check(&VaultStateView::of(since, &scope))?;
        }
        let since = match request.frozen {
            true => Some(core.freeze(&grant)?),
            false => core.thaw(&grant).map(|()| None)?,
        };
        Ok(VaultStateView::of(since, &scope))
    });
    Ok(axum::Json(state.await?))
}

/// The rules of the caller's organisation.
#[utoipa::path(
    get,
    path = "/v1/policy",
    operation_id = "policy",
    tag = "review",
    responses((status = 200, description = "The policy in force.", body = PolicyView), Problems)
)]
pub(super) async fn policy(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
) -> Result<axum::Json<PolicyView>> {
    Ok(axum::Json(app.call(move |core| Ok(PolicyView::from(core.policy(&caller.org)))).await?))
}
