#![allow(unused_qualifications, reason = "the macro that describes parameters writes their full path")]

use axum::Extension;
use axum::extract::State;
use lacuna_core::Purposes;
use lacuna_core::permit::{Caller, permit};

use super::App;
use super::body::{InScope, Json};
use super::memories::ScopeParam;
use super::problem::Problems;
use crate::wire::failure::Result;
use crate::wire::{PurposeList, PurposeRequest, read_scope};

const PURPOSE_BYTES_MAX: usize = 16 << 10;

/// Sensitive categories that the vault's owner has closed to assistants and readers.
#[utoipa::path(
    get,
    path = "/v1/purposes",
    operation_id = "list_purposes",
    tag = "review",
    params(ScopeParam),
    responses((status = 200, description = "The closed categories.", body = PurposeList), Problems)
)]
pub(super) async fn list(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    InScope(scope): InScope,
) -> Result<axum::Json<PurposeList>> {
    let (closed, scope) = app.call_in(caller, scope, |core, grant| Purposes::of(core).closed(grant)).await?;
    Ok(axum::Json(PurposeList::of(closed, &scope)))
}

/// Close a category to assistants and readers, or open it again.
#[utoipa::path(
    put,
    path = "/v1/purposes",
    operation_id = "set_purpose",
    tag = "review",
    request_body = PurposeRequest,
    responses((status = 200, description = "The closed categories.", body = PurposeList), Problems)
)]
pub(super) async fn set(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<PurposeRequest, PURPOSE_BYTES_MAX>,
) -> Result<axum::Json<PurposeList>> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let closed = app.work(move |core| {
        let grant = permit(&caller, &scope)?;
        let closed = Purposes::of(core).set(&grant, request.category.0, request.closed)?;
        Ok(PurposeList::of(closed, &scope))
    });
    Ok(axum::Json(closed.await?))
}
