#![allow(unused_qualifications, reason = "the macro that describes parameters writes their full path")]

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use lacuna_core::permit::{Caller, permit};
use lacuna_core::read::LIST_PAGE_DEFAULT;
use lacuna_types::{Lifecycle, MemoryId};
use utoipa::IntoParams;

use super::App;
use super::body::{Id, InScope, Json, Pairs, once, parse};
use super::conditional::{Expected, IfMatchParam};
use super::page::{BY_CURSOR, PageQuery};
use super::problem::Problems;
use crate::codes;
use crate::wire::failure::{Failure, Result};
use crate::wire::{
    self, Filters, ForgottenView, MemoryPage, MemoryView, RememberBatch, RememberRequest, RememberedBatch,
    RememberedView, into_drafts, read_cursor, read_scope,
};

/// One memory: the longest transcript, with every character escaped.
const MEMORY_BYTES_MAX: usize = 8 << 20;
const BATCH_BYTES_MAX: usize = 64 << 20;

/// Remember one text.
#[utoipa::path(
    post,
    path = "/v1/memories",
    operation_id = "remember",
    tag = "memories",
    request_body = RememberRequest,
    responses(
        (status = 201, description = "It is stored, sealed and can be found.", body = RememberedView),
        (status = 202, description = "It is stored and sealed, and waits: `waits` has the reason.", body = RememberedView),
        Problems
    )
)]
pub(super) async fn remember(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<RememberRequest, MEMORY_BYTES_MAX>,
) -> Result<(StatusCode, axum::Json<RememberedView>)> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let drafts = vec![request.into_draft()?];
    let (mut remembered, scope) =
        app.call_in(caller, scope, |core, grant| core.remember(grant, drafts)).await?;
    let only = remembered.pop().ok_or_else(|| Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning))?;
    let stored = Failure::of_gate(only)?;
    let status = match stored.state {
        Lifecycle::Active => StatusCode::CREATED,
        _ => StatusCode::ACCEPTED,
    };
    Ok((status, axum::Json(RememberedView::of(stored, &scope))))
}

/// Remember up to 2,000 texts. The texts that pass the gate are stored in one commit, all of them or none.
#[utoipa::path(
    post,
    path = "/v1/memories/batch",
    tag = "memories",
    request_body = RememberBatch,
    responses((status = 201, description = "What became of each, in the order given.", body = RememberedBatch), Problems)
)]
pub(super) async fn remember_batch(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(batch): Json<RememberBatch, BATCH_BYTES_MAX>,
) -> Result<(StatusCode, axum::Json<RememberedBatch>)> {
    let scope = read_scope(batch.scope.as_deref(), &caller)?;
    let drafts = into_drafts(batch.memories)?;
    let (remembered, scope) = app.call_in(caller, scope, |core, grant| core.remember(grant, drafts)).await?;
    Ok((StatusCode::CREATED, axum::Json(RememberedBatch::of(remembered, &scope))))
}

/// Vault of a call.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the parameter that `InScope` reads")]
pub(super) struct ScopeParam {
    /// `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own vault when absent.
    scope: Option<String>,
}

/// Filters of a list. Names that repeat are joined.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the parameters that `PageQuery` and `read_list` read")]
pub(super) struct ListParams {
    /// The `next_cursor` of the page before.
    cursor: Option<String>,
    /// Memories on one page; 50 when absent.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<usize>,
    /// May repeat.
    #[param(required = false)]
    category: Vec<wire::Category>,
    /// May repeat.
    #[param(required = false)]
    tier: Vec<wire::Tier>,
    /// May repeat.
    #[param(required = false)]
    lane: Vec<wire::Lane>,
    /// May repeat: only memories with all of them.
    #[param(required = false)]
    tag: Vec<String>,
    session_id: Option<String>,
    /// Created at this time or later.
    after: Option<jiff::Timestamp>,
    /// Created before this time.
    before: Option<jiff::Timestamp>,
    include_archived: Option<bool>,
    /// May repeat: only memories in these states, such as `deleted` for those that can be restored.
    #[param(required = false)]
    state: Vec<wire::Lifecycle>,
    /// The vault to list: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when absent.
    scope: Option<String>,
}

fn read_list(pairs: Vec<(String, String)>) -> Result<(PageQuery, Filters)> {
    let mut filters = Filters::default();
    let mut archived = None;
    let time = |name: &str, value: &str| parse(name, value, "must be an RFC 3339 time");
    let page = PageQuery::read_with(pairs, BY_CURSOR, |name, value| {
        match name {
            "category" => filters.categories.push(word(name, value)?),
            "tier" => filters.tiers.push(word(name, value)?),
            "lane" => filters.lanes.push(word(name, value)?),
            "state" => filters.states.push(word(name, value)?),
            "tag" => filters.tags.push(value.to_owned()),
            "session_id" => once(name, &mut filters.session_id, value.to_owned())?,
            "after" => once(name, &mut filters.range.after, time(name, value)?)?,
            "before" => once(name, &mut filters.range.before, time(name, value)?)?,
            "include_archived" => once(name, &mut archived, parse(name, value, "must be true or false")?)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    filters.include_archived = archived.unwrap_or(false);
    Ok((page, filters))
}

fn word<T: std::str::FromStr<Err = String>>(name: &str, value: &str) -> Result<T> {
    value.parse().map_err(|rule: String| Failure::invalid(name, rule))
}

/// Memories, newest first, a page at a time and without their full texts.
#[utoipa::path(
    get,
    path = "/v1/memories",
    operation_id = "list_memories",
    tag = "memories",
    params(ListParams),
    responses((status = 200, description = "One page.", body = MemoryPage), Problems)
)]
pub(super) async fn list(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Pairs(pairs): Pairs,
) -> Result<axum::Json<MemoryPage>> {
    let (page, filters) = read_list(pairs)?;
    let scope = page.scope(&caller)?;
    let after = page.start.as_deref().map(read_cursor).transpose()?;
    let limit = page.limit_or(LIST_PAGE_DEFAULT);
    let filter = filters.into_core()?;
    let (page, scope) =
        app.call_in(caller, scope, move |core, grant| core.list(grant, &filter, after, limit)).await?;
    Ok(axum::Json(MemoryPage::of(page, &scope)))
}

/// One memory with its full text.
#[utoipa::path(
    get,
    path = "/v1/memories/{memory_id}",
    operation_id = "get_memory",
    tag = "memories",
    params(("memory_id" = String, Path, description = "`mem_` and 32 hex digits"), ScopeParam),
    responses((status = 200, description = "The memory.", body = MemoryView), Problems)
)]
pub(super) async fn get(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Id(id): Id,
    InScope(scope): InScope,
) -> Result<axum::Json<MemoryView>> {
    let id: MemoryId = id.parse()?;
    let (memory, scope) = app.call_in(caller, scope, move |core, grant| core.get(grant, id)).await?;
    Ok(axum::Json(MemoryView::of(memory, &scope)))
}

/// Erase one memory for good, together with its derivatives: keys first, then everything they had sealed. The
/// answer carries the signed receipt.
#[utoipa::path(
    delete,
    path = "/v1/memories/{memory_id}",
    operation_id = "erase_memory",
    tag = "memories",
    params(("memory_id" = String, Path, description = "`mem_` and 32 hex digits"), ScopeParam, IfMatchParam),
    responses((status = 200, description = "It is erased.", body = ForgottenView), Problems)
)]
pub(super) async fn erase(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    expected: Expected,
    Id(id): Id,
    InScope(scope): InScope,
) -> Result<axum::Json<ForgottenView>> {
    let id: MemoryId = id.parse()?;
    let locks = app.clone();
    let erased = app.work(move |core| {
        let grant = permit(&caller, &scope)?;
        let _lock = locks.0.scope_locks.take(&scope);
        if !expected.anything() {
            let memory = core.get(&permit(&caller, &scope)?, id)?;
            expected.check(&MemoryView::of(memory, &scope))?;
        }
        Ok(ForgottenView::done(core.delete(&grant, id)?, &scope))
    });
    Ok(axum::Json(erased.await?))
}
