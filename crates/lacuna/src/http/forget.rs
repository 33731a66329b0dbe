#![allow(unused_qualifications, reason = "the macro that describes parameters writes their full path")]

use axum::Extension;
use axum::extract::State;
use lacuna_core::permit::Caller;

use super::App;
use super::body::{Id, InScope, Json, Pairs};
use super::memories::ScopeParam;
use super::page::{AfterParams, BY_NUMBER, PageQuery};
use super::problem::Problems;
use crate::wire::failure::Result;
use crate::wire::{
    ConfirmRequest, CorrectRequest, CorrectedView, ForgetRequest, ForgottenView, PlanView, ReceiptList,
    ReceiptView, VerifiedView, VerifyRequest, read_number, read_scope,
};

/// A request names at most 1,000 ids; a token holds the request.
const FORGET_BYTES_MAX: usize = 256 << 10;

/// Plan a request to forget. Nothing changes until it is confirmed.
#[utoipa::path(
    post,
    path = "/v1/forget",
    operation_id = "plan_forget",
    tag = "forget",
    request_body = ForgetRequest,
    responses((status = 200, description = "The plan, or a question to answer first.", body = PlanView), Problems)
)]
pub(super) async fn plan(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<ForgetRequest, FORGET_BYTES_MAX>,
) -> Result<axum::Json<PlanView>> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let request = request.into_core()?;
    let (planned, scope) =
        app.call_in(caller, scope, move |core, grant| core.plan_forget(grant, &request)).await?;
    Ok(axum::Json(PlanView::of(planned, &scope)))
}

/// Carry out a plan: all of it, only the direct matches, or a chosen part. The answer carries the signed
/// receipts.
#[utoipa::path(
    post,
    path = "/v1/forget/confirm",
    operation_id = "confirm_forget",
    tag = "forget",
    request_body = ConfirmRequest,
    responses((status = 200, description = "It is forgotten, or wants a second yes.", body = ForgottenView), Problems)
)]
pub(super) async fn confirm(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<ConfirmRequest, FORGET_BYTES_MAX>,
) -> Result<axum::Json<ForgottenView>> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let choice = request.choice()?;
    let (confirmed, scope) = app
        .call_in(caller, scope, move |core, grant| core.confirm_forget(grant, &request.token, &choice))
        .await?;
    Ok(axum::Json(ForgottenView::of(confirmed, &scope)))
}

/// Correct a wrong memory: the new text replaces the old one, which is erased.
#[utoipa::path(
    post,
    path = "/v1/correct",
    operation_id = "correct",
    tag = "forget",
    request_body = CorrectRequest,
    responses((status = 200, description = "What became of it.", body = CorrectedView), Problems)
)]
pub(super) async fn correct(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<CorrectRequest, FORGET_BYTES_MAX>,
) -> Result<axum::Json<CorrectedView>> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let (what, draft) = request.into_core()?;
    let (corrected, scope) =
        app.call_in(caller, scope, move |core, grant| core.correct(grant, &what, draft)).await?;
    Ok(axum::Json(CorrectedView::of(corrected, &scope)?))
}

/// Check for memories about a subject, and for receipts that prove it was forgotten.
#[utoipa::path(
    post,
    path = "/v1/forgotten",
    operation_id = "verify_forgotten",
    tag = "forget",
    request_body = VerifyRequest,
    responses((status = 200, description = "What is known about it.", body = VerifiedView), Problems)
)]
pub(super) async fn verify(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<VerifyRequest, FORGET_BYTES_MAX>,
) -> Result<axum::Json<VerifiedView>> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let (verified, scope) =
        app.call_in(caller, scope, move |core, grant| core.verify_forgotten(grant, &request.about)).await?;
    Ok(axum::Json(VerifiedView::of(verified, &scope)))
}

/// The receipts of a vault, oldest first, with the key that verifies them.
#[utoipa::path(
    get,
    path = "/v1/receipts",
    operation_id = "list_receipts",
    tag = "forget",
    params(AfterParams),
    responses((status = 200, description = "The receipts.", body = ReceiptList), Problems)
)]
pub(super) async fn receipts(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Pairs(pairs): Pairs,
) -> Result<axum::Json<ReceiptList>> {
    let page = PageQuery::read(pairs, BY_NUMBER)?;
    let scope = page.scope(&caller)?;
    let after = page.after_number()?;
    let ((receipts, key), scope) = app
        .call_in(caller, scope, move |core, grant| Ok((core.receipts(grant, after)?, core.verifying_key()?)))
        .await?;
    Ok(axum::Json(ReceiptList::of(receipts, key, &scope)))
}

/// One receipt.
#[utoipa::path(
    get,
    path = "/v1/receipts/{receipt}",
    operation_id = "get_receipt",
    tag = "forget",
    params(("receipt" = String, Path, description = "`DEL-2026-000123`, or its number"), ScopeParam),
    responses((status = 200, description = "The receipt.", body = ReceiptView), Problems)
)]
pub(super) async fn receipt(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Id(name): Id,
    InScope(scope): InScope,
) -> Result<axum::Json<ReceiptView>> {
    let number = read_number("receipt", &name)?;
    let (receipt, _) = app.call_in(caller, scope, move |core, grant| core.receipt(grant, number)).await?;
    Ok(axum::Json(ReceiptView::from(receipt)))
}
