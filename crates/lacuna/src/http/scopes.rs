use axum::Extension;
use axum::extract::State;
use lacuna_core::permit::{Caller, permit};
use lacuna_types::MemoryId;

use super::App;
use super::body::{Id, Json};
use super::problem::Problems;
use crate::wire::failure::Result;
use crate::wire::{MoveRequest, MovedView, ScopeList, read_scope, read_target};

const MOVE_BYTES_MAX: usize = 16 << 10;

/// The vaults that the caller may read: the words that `scope` takes.
#[utoipa::path(
    get,
    path = "/v1/scopes",
    operation_id = "list_scopes",
    tag = "memories",
    responses((status = 200, description = "The caller's own vault, and those that they share.", body = ScopeList), Problems)
)]
pub(super) async fn list(Extension(caller): Extension<Caller>) -> axum::Json<ScopeList> {
    axum::Json(ScopeList::of(&caller))
}

/// Move a memory into the next wider scope: a user's to a team, a team's to the organisation.
#[utoipa::path(
    post,
    path = "/v1/memories/{memory_id}/promote",
    operation_id = "promote_memory",
    tag = "memories",
    params(("memory_id" = String, Path, description = "`mem_` and 32 hex digits")),
    request_body = MoveRequest,
    responses((status = 200, description = "It is in the wider scope alone.", body = MovedView), Problems)
)]
pub(super) async fn promote(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Id(id): Id,
    Json(request): Json<MoveRequest, MOVE_BYTES_MAX>,
) -> Result<axum::Json<MovedView>> {
    let id: MemoryId = id.parse()?;
    let source = read_scope(request.scope.as_deref(), &caller)?;
    let target = read_target(&request.to, &caller)?;
    let moved = app
        .call(move |core| {
            let (from, to) = (permit(&caller, &source)?, permit(&caller, &target)?);
            core.promote(&from, id, &to, request.justification.as_deref(), request.lift_sensitivity)
        })
        .await?;
    Ok(axum::Json(moved.into()))
}

/// Make a new memory in a narrower scope and archive the old one. Administrators alone do this.
#[utoipa::path(
    post,
    path = "/v1/memories/{memory_id}/demote",
    operation_id = "demote_memory",
    tag = "memories",
    params(("memory_id" = String, Path, description = "`mem_` and 32 hex digits")),
    request_body = MoveRequest,
    responses((status = 200, description = "A new memory is in the narrower scope.", body = MovedView), Problems)
)]
pub(super) async fn demote(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Id(id): Id,
    Json(request): Json<MoveRequest, MOVE_BYTES_MAX>,
) -> Result<axum::Json<MovedView>> {
    let id: MemoryId = id.parse()?;
    let source = read_scope(request.scope.as_deref(), &caller)?;
    let to = read_target(&request.to, &caller)?.holder;
    let (moved, _) = app
        .call_in(caller, source, move |core, grant| {
            core.demote(grant, id, to, request.justification.as_deref())
        })
        .await?;
    Ok(axum::Json(moved.into()))
}
