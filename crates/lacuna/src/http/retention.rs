#![allow(unused_qualifications, reason = "the macro that describes parameters writes their full path")]

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use lacuna_core::Lacuna;
use lacuna_core::permit::{Caller, Grant, Recall, permit};
use lacuna_types::MemoryId;

use super::App;
use super::body::{InScope, Json};
use super::conditional::{Expected, IfMatchParam};
use super::memories::ScopeParam;
use super::problem::Problems;
use crate::wire::failure::Result;
use crate::wire::{JobList, PinRequest, PreviewView, RetentionRequest, RetentionView, read_scope};

/// Bytes of sixty-four names and a few numbers.
const SETTINGS_BYTES_MAX: usize = 256 << 10;
const PIN_BYTES_MAX: usize = 1 << 20;

/// Retention of the vault: its owner's settings, and the tenant's rules.
#[utoipa::path(
    get,
    path = "/v1/retention",
    operation_id = "retention",
    tag = "retention",
    params(ScopeParam),
    responses((status = 200, description = "Settings and rules.", body = RetentionView), Problems)
)]
pub(super) async fn show(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    InScope(scope): InScope,
) -> Result<axum::Json<RetentionView>> {
    let (view, _) = app.call_in(caller, scope, current).await?;
    Ok(axum::Json(view))
}

fn current(core: &Lacuna, grant: &Grant<Recall>) -> lacuna_types::Result<RetentionView> {
    let settings = core.retention(grant)?;
    let scope = grant.scope();
    Ok(RetentionView::of(&settings, &core.policy(&scope.org).retention, scope))
}

/// Set the vault's retention. Replaces all settings. If memories go at once by it, `goes` must state their
/// number: ask for the preview first.
#[utoipa::path(
    put,
    path = "/v1/retention",
    operation_id = "set_retention",
    tag = "retention",
    params(IfMatchParam),
    request_body = RetentionRequest,
    responses((status = 200, description = "What it does.", body = PreviewView), Problems)
)]
pub(super) async fn set(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    expected: Expected,
    Json(request): Json<RetentionRequest, SETTINGS_BYTES_MAX>,
) -> Result<axum::Json<PreviewView>> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let goes = request.goes;
    let settings = request.into_core()?;
    let locks = app.clone();
    let preview = app.work(move |core| {
        let grant = permit(&caller, &scope)?;
        let _lock = locks.0.scope_locks.take(&scope);
        if !expected.anything() {
            expected.check(&current(core, &permit(&caller, &scope)?)?)?;
        }
        Ok(PreviewView::of(core.set_retention(&grant, settings, goes)?, &scope))
    });
    Ok(axum::Json(preview.await?))
}

/// Preview of settings: the memories that would go. Nothing is changed.
#[utoipa::path(
    post,
    path = "/v1/retention/preview",
    operation_id = "preview_retention",
    tag = "retention",
    request_body = RetentionRequest,
    responses((status = 200, description = "What it would do.", body = PreviewView), Problems)
)]
pub(super) async fn preview(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<RetentionRequest, SETTINGS_BYTES_MAX>,
) -> Result<axum::Json<PreviewView>> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let settings = request.into_core()?;
    let (preview, scope) =
        app.call_in(caller, scope, move |core, grant| core.preview_retention(grant, &settings)).await?;
    Ok(axum::Json(PreviewView::of(preview, &scope)))
}

/// Pin memories, so that no retention time erases them, or unpin them: all of them, or none.
#[utoipa::path(
    post,
    path = "/v1/memories/pin",
    operation_id = "pin",
    tag = "retention",
    request_body = PinRequest,
    responses((status = 204, description = "They are pinned, or not."), Problems)
)]
pub(super) async fn pin(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<PinRequest, PIN_BYTES_MAX>,
) -> Result<StatusCode> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let ids = request.memory_ids.iter().map(|id| id.parse());
    let ids = ids.collect::<lacuna_types::Result<Vec<MemoryId>>>()?;
    app.call_in(caller, scope, move |core, grant| core.pin(grant, &ids, request.pinned)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The jobs of the scheduler: last run, result, next run, and the node that runs each now.
#[utoipa::path(
    get,
    path = "/v1/admin/jobs",
    operation_id = "jobs",
    tag = "admin",
    responses((status = 200, description = "Every job.", body = JobList), Problems)
)]
pub(super) async fn jobs(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
) -> Result<axum::Json<JobList>> {
    let schedule = app.0.schedule;
    let states = app.call(move |core| core.jobs(&permit(&caller, &caller.org_scope())?, &schedule)).await?;
    Ok(axum::Json(JobList::of(states)))
}
