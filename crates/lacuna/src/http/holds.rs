#![allow(unused_qualifications, reason = "the macro that describes parameters writes their full path")]

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use lacuna_core::LegalHolds;
use lacuna_core::permit::{Caller, permit};

use super::App;
use super::body::{Id, InScope, Json};
use super::memories::ScopeParam;
use super::problem::Problems;
use crate::wire::failure::Result;
use crate::wire::{HoldBody, HoldList, HoldView, read_number};

const HOLD_BYTES_MAX: usize = 16 << 10;

/// Legal holds on a vault that its owner may know of.
#[utoipa::path(
    get,
    path = "/v1/holds",
    operation_id = "list_own_holds",
    tag = "holds",
    params(ScopeParam),
    responses((status = 200, description = "The holds that stand.", body = HoldList), Problems)
)]
pub(super) async fn told(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    InScope(scope): InScope,
) -> Result<axum::Json<HoldList>> {
    let list = app.call_in(caller, scope, |core, grant| {
        Ok(HoldList::of(&LegalHolds::of(core).told(grant)?, core.clock().now()))
    });
    Ok(axum::Json(list.await?.0))
}

/// All legal holds of the organisation, for its operators.
#[utoipa::path(
    get,
    path = "/v1/admin/holds",
    operation_id = "list_holds",
    tag = "holds",
    responses((status = 200, description = "The holds, oldest first.", body = HoldList), Problems)
)]
pub(super) async fn list(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
) -> Result<axum::Json<HoldList>> {
    let scope = caller.org_scope();
    let list = app.call_in(caller, scope, |core, grant| {
        Ok(HoldList::of(&LegalHolds::of(core).list(grant)?, core.clock().now()))
    });
    Ok(axum::Json(list.await?.0))
}

/// Place a legal hold. It stands once another operator has confirmed it.
#[utoipa::path(
    post,
    path = "/v1/admin/holds",
    operation_id = "place_hold",
    tag = "holds",
    request_body = HoldBody,
    responses((status = 201, description = "It waits for the second operator.", body = HoldView), Problems)
)]
pub(super) async fn place(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<HoldBody, HOLD_BYTES_MAX>,
) -> Result<(StatusCode, axum::Json<HoldView>)> {
    let placed = app.work(move |core| {
        let grant = permit(&caller, &caller.org_scope())?;
        let hold = LegalHolds::of(core).place(&grant, request.into_core(&caller)?)?;
        Ok(HoldView::of(&hold, core.clock().now()))
    });
    Ok((StatusCode::CREATED, axum::Json(placed.await?)))
}

/// Confirm a hold that another operator placed: from here on it stands.
#[utoipa::path(
    post,
    path = "/v1/admin/holds/{hold}/confirm",
    operation_id = "confirm_hold",
    tag = "holds",
    params(("hold" = String, Path, description = "`HLD-2026-000003`, or its number")),
    responses((status = 200, description = "It stands.", body = HoldView), Problems)
)]
pub(super) async fn confirm(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Id(name): Id,
) -> Result<axum::Json<HoldView>> {
    let number = read_number("hold", &name)?;
    let scope = caller.org_scope();
    let hold = app.call_in(caller, scope, move |core, grant| {
        Ok(HoldView::of(&LegalHolds::of(core).confirm(grant, number)?, core.clock().now()))
    });
    Ok(axum::Json(hold.await?.0))
}

/// End a hold before its day. What was deferred because of it is erased by the next purge.
#[utoipa::path(
    post,
    path = "/v1/admin/holds/{hold}/end",
    operation_id = "end_hold",
    tag = "holds",
    params(("hold" = String, Path, description = "`HLD-2026-000003`, or its number")),
    responses((status = 200, description = "It has ended.", body = HoldView), Problems)
)]
pub(super) async fn end(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Id(name): Id,
) -> Result<axum::Json<HoldView>> {
    let number = read_number("hold", &name)?;
    let scope = caller.org_scope();
    let hold = app.call_in(caller, scope, move |core, grant| {
        Ok(HoldView::of(&LegalHolds::of(core).end(grant, number)?, core.clock().now()))
    });
    Ok(axum::Json(hold.await?.0))
}
