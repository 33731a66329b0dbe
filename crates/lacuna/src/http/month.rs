#![allow(unused_qualifications, reason = "the macro that describes parameters writes their full path")]

use axum::Extension;
use axum::extract::State;
use lacuna_core::govern::Part;
use lacuna_core::permit::Caller;
use lacuna_core::read::LIST_PAGE_DEFAULT;
use lacuna_types::MemoryId;
use utoipa::IntoParams;

use super::App;
use super::body::{InScope, Json, Pairs, once};
use super::memories::ScopeParam;
use super::page::{BY_ITEM, PageQuery};
use super::problem::Problems;
use crate::wire::failure::Result;
use crate::wire::{AnswerRequest, AnsweredView, MonthPageView, MonthView, read_scope};

/// Bytes of an answer that names every memory of a large review by its id.
const ANSWER_BYTES_MAX: usize = 4 << 20;

/// The monthly review: an overview of the vault, coming deletions, and memories worth a decision.
#[utoipa::path(
    get,
    path = "/v1/review/month",
    operation_id = "review_month",
    tag = "retention",
    params(ScopeParam),
    responses((status = 200, description = "The vault at a glance.", body = MonthView), Problems)
)]
pub(super) async fn show(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    InScope(scope): InScope,
) -> Result<axum::Json<MonthView>> {
    let (month, scope) = app.call_in(caller, scope, |core, grant| core.review_month(grant)).await?;
    Ok(axum::Json(MonthView::of(month, &scope)))
}

/// Parameters of a review's list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the parameters that `PageQuery` reads")]
pub(super) struct ItemParams {
    /// A category of sensitivity, `conversations` or `other`; all of them when absent.
    part: Option<String>,
    /// The `next` of the page before.
    after: Option<String>,
    /// Memories on one page; 50 when absent.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<usize>,
    /// The vault: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when absent.
    scope: Option<String>,
}

/// The memories of the monthly review, without the content of categories that their owner hides.
#[utoipa::path(
    get,
    path = "/v1/review/month/memories",
    operation_id = "list_review_month",
    tag = "retention",
    params(ItemParams),
    responses((status = 200, description = "One page.", body = MonthPageView), Problems)
)]
pub(super) async fn list(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Pairs(pairs): Pairs,
) -> Result<axum::Json<MonthPageView>> {
    let mut part = None;
    let page = PageQuery::read_with(pairs, BY_ITEM, |name, value| match name {
        "part" => once(name, &mut part, value.to_owned()).map(|()| true),
        _ => Ok(false),
    })?;
    let scope = page.scope(&caller)?;
    let part = part.as_deref().map(str::parse::<Part>).transpose()?;
    let after = page.start.as_deref().map(str::parse::<MemoryId>).transpose()?;
    let limit = page.limit_or(LIST_PAGE_DEFAULT);
    let (page, scope) =
        app.call_in(caller, scope, move |core, grant| core.review_items(grant, part, after, limit)).await?;
    Ok(axum::Json(MonthPageView::of(page, &scope)))
}

/// Answer the monthly review: keep all, keep or erase a part or some memories, or apply the defaults.
#[utoipa::path(
    post,
    path = "/v1/review/month",
    operation_id = "answer_review_month",
    tag = "retention",
    request_body = AnswerRequest,
    responses((status = 200, description = "What it did.", body = AnsweredView), Problems)
)]
pub(super) async fn answer(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<AnswerRequest, ANSWER_BYTES_MAX>,
) -> Result<axum::Json<AnsweredView>> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let (seen, answer) = request.into_core()?;
    let (answered, scope) =
        app.call_in(caller, scope, move |core, grant| core.answer_review(grant, &seen, &answer)).await?;
    Ok(axum::Json(AnsweredView::of(answered, &scope)))
}
