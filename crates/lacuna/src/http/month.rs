#![allow(unused_qualifications, reason = "the macro that describes parameters writes their full path")]

use axum::Extension;
use axum::extract::State;
use lacuna_core::govern::Part;
use lacuna_core::permit::Caller;
use lacuna_core::read::LIST_PAGE_DEFAULT;
use lacuna_types::MemoryId;
use utoipa::IntoParams;

use super::App;
use super::body::{InScope, Json, Pairs, once, whole_number};
use super::memories::ScopeParam;
use super::problem::Problems;
use crate::wire::failure::{Failure, Result};
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
#[derive(Default, IntoParams)]
#[into_params(parameter_in = Query)]
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

impl ItemParams {
    fn read(pairs: Vec<(String, String)>) -> Result<Self> {
        let mut params = Self::default();
        for (name, value) in pairs {
            match name.as_str() {
                "part" => once(&name, &mut params.part, value)?,
                "after" => once(&name, &mut params.after, value)?,
                "limit" => once(&name, &mut params.limit, whole_number(&name, &value)?)?,
                "scope" => once(&name, &mut params.scope, value)?,
                _ => return Err(Failure::invalid(name, "is not a parameter of this list")),
            }
        }
        Ok(params)
    }
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
    let params = ItemParams::read(pairs)?;
    let scope = read_scope(params.scope.as_deref(), &caller)?;
    let part = params.part.as_deref().map(str::parse::<Part>).transpose()?;
    let after = params.after.as_deref().map(str::parse::<MemoryId>).transpose()?;
    let limit = params.limit.unwrap_or(LIST_PAGE_DEFAULT);
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
