#![allow(unused_qualifications, reason = "the macro that describes parameters writes their full path")]

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use lacuna_core::permit::{Caller, ForgetPerson, Grant, permit};

use super::App;
use super::body::{Id, Json, Pairs};
use super::page::{AfterParams, BY_NUMBER, PageQuery};
use super::problem::Problems;
use crate::wire::failure::Result;
use crate::wire::{
    NoticeList, PersonBatchView, PersonConfirmRequest, PersonForgottenView, PersonPlanRequest,
    PersonRequestList, PersonRequestView, read_digest, read_number,
};

/// A person has at most 64 names and identifiers.
const PERSON_BYTES_MAX: usize = 64 << 10;

fn operator(caller: &Caller) -> lacuna_types::Result<Grant<ForgetPerson>> {
    permit(caller, &caller.org_scope())
}

/// Open a person's request to be forgotten. Its deadlines run from here; the request does not store who the
/// person is.
#[utoipa::path(
    post,
    path = "/v1/people/requests",
    operation_id = "open_person_request",
    tag = "people",
    request_body = PersonPlanRequest,
    responses((status = 201, description = "The request.", body = PersonRequestView), Problems)
)]
pub(super) async fn open(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<PersonPlanRequest, PERSON_BYTES_MAX>,
) -> Result<(StatusCode, axum::Json<PersonRequestView>)> {
    let person = request.person.into_core()?;
    let view = app
        .call(move |core| {
            let request = core.open_person_request(&operator(&caller)?, &person)?;
            Ok(PersonRequestView::of(request, core.clock().now()))
        })
        .await?;
    Ok((StatusCode::CREATED, axum::Json(view)))
}

/// The organisation's requests, oldest first, with the time left and overdue ones marked.
#[utoipa::path(
    get,
    path = "/v1/people/requests",
    operation_id = "list_person_requests",
    tag = "people",
    responses((status = 200, description = "The requests.", body = PersonRequestList), Problems)
)]
pub(super) async fn list(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
) -> Result<axum::Json<PersonRequestList>> {
    let requests = app
        .call(move |core| {
            let requests = core.person_requests(&operator(&caller)?, 0)?;
            let now = core.clock().now();
            Ok(requests.into_iter().map(|request| PersonRequestView::of(request, now)).collect())
        })
        .await?;
    Ok(axum::Json(PersonRequestList { requests }))
}

/// Look for the person of a request through every vault. The answer holds counts, never content.
#[utoipa::path(
    post,
    path = "/v1/people/requests/{request}/plan",
    operation_id = "plan_person",
    tag = "people",
    params(("request" = String, Path, description = "`REQ-2026-000123`, or its number")),
    request_body = PersonPlanRequest,
    responses((status = 200, description = "What would go.", body = PersonBatchView), Problems)
)]
pub(super) async fn plan(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Id(request): Id,
    Json(body): Json<PersonPlanRequest, PERSON_BYTES_MAX>,
) -> Result<axum::Json<PersonBatchView>> {
    let (number, person) = (read_number("request", &request)?, body.person.into_core()?);
    let view = app
        .call(move |core| {
            let batch = core.plan_person(&operator(&caller)?, number, &person)?;
            Ok(PersonBatchView::of(batch, core.clock().now()))
        })
        .await?;
    Ok(axum::Json(view))
}

/// Erase a planned batch in every vault, with receipts, and complete the request.
#[utoipa::path(
    post,
    path = "/v1/people/requests/{request}/confirm",
    operation_id = "confirm_person",
    tag = "people",
    params(("request" = String, Path, description = "`REQ-2026-000123`, or its number")),
    request_body = PersonConfirmRequest,
    responses((status = 200, description = "It is forgotten.", body = PersonForgottenView), Problems)
)]
pub(super) async fn confirm(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Id(request): Id,
    Json(body): Json<PersonConfirmRequest, PERSON_BYTES_MAX>,
) -> Result<axum::Json<PersonForgottenView>> {
    let (number, digest, signature) =
        (read_number("request", &request)?, read_digest(&body.digest)?, body.signature()?);
    let person = body.person.into_core()?;
    let view = app
        .call(move |core| {
            let done = core.confirm_person(&operator(&caller)?, number, &person, &digest, signature)?;
            Ok(PersonForgottenView::of(done, core.clock().now()))
        })
        .await?;
    Ok(axum::Json(view))
}

/// Erasures in a vault at the request of a person mentioned in it.
#[utoipa::path(
    get,
    path = "/v1/notices",
    operation_id = "list_notices",
    tag = "people",
    params(AfterParams),
    responses((status = 200, description = "The notices, without content.", body = NoticeList), Problems)
)]
pub(super) async fn notices(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Pairs(pairs): Pairs,
) -> Result<axum::Json<NoticeList>> {
    let page = PageQuery::read(pairs, BY_NUMBER)?;
    let scope = page.scope(&caller)?;
    let after = page.after_number()?;
    let (notices, scope) = app.call_in(caller, scope, move |core, grant| core.notices(grant, after)).await?;
    Ok(axum::Json(NoticeList::of(notices, &scope)))
}
