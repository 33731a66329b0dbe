#![allow(unused_qualifications, reason = "the macro that describes parameters writes their full path")]

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use lacuna_core::ManagedMemories;
use lacuna_core::permit::{Caller, permit};
use lacuna_core::read::{Condition, LIST_PAGE_DEFAULT};
use lacuna_core::write::Corrected;
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
    self, CorrectedView, Filters, ForgottenView, MemoryPage, MemoryView, RememberBatch, RememberRequest,
    RememberedBatch, RememberedView, ReplaceRequest, into_drafts, read_condition, read_cursor, read_scope,
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
    /// True finds memories by their secondary lanes as well.
    secondary_lanes: Option<bool>,
    /// May repeat: only memories with all of them.
    #[param(required = false)]
    tag: Vec<String>,
    session_id: Option<String>,
    /// Created at this time or later.
    after: Option<jiff::Timestamp>,
    /// Created before this time.
    before: Option<jiff::Timestamp>,
    include_archived: Option<bool>,
    /// True adds the full texts, as many as fit on a page of 8 MiB.
    full: Option<bool>,
    /// A condition on `metadata`, as JSON: `{"project": "halcyon", "score": {"$gte": 4}}`.
    filter: Option<String>,
    /// May repeat: only memories in these states, such as `deleted` for those that can be restored.
    #[param(required = false)]
    state: Vec<wire::Lifecycle>,
    /// The vault to list: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when absent.
    scope: Option<String>,
}

/// A list, as it was asked for.
struct ListQuery {
    page: PageQuery,
    filters: Filters,
    condition: Option<Condition>,
    full: bool,
}

fn read_list(pairs: Vec<(String, String)>) -> Result<ListQuery> {
    let mut filters = Filters::default();
    let (mut archived, mut full, mut secondary, mut condition) = (None, None, None, None);
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
            "secondary_lanes" => once(name, &mut secondary, parse(name, value, "must be true or false")?)?,
            "full" => once(name, &mut full, parse(name, value, "must be true or false")?)?,
            "filter" => once(name, &mut condition, parse(name, value, "must be JSON")?)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    filters.include_archived = archived.unwrap_or(false);
    filters.secondary_lanes = secondary.unwrap_or(false);
    let condition = read_condition("filter", condition.as_ref())?;
    Ok(ListQuery { page, filters, condition, full: full.unwrap_or(false) })
}

fn word<T: std::str::FromStr<Err = String>>(name: &str, value: &str) -> Result<T> {
    value.parse().map_err(|rule: String| Failure::invalid(name, rule))
}

/// Memories, newest first, a page at a time; with their full texts on request.
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
    let ListQuery { page, filters, condition, full } = read_list(pairs)?;
    let scope = page.scope(&caller)?;
    let after = page.start.as_deref().map(read_cursor).transpose()?;
    let limit = page.limit_or(LIST_PAGE_DEFAULT);
    let filter = filters.into_core()?;
    let listed = app.work(move |core| {
        let (managed, grant) = (ManagedMemories::of(core), permit(&caller, &scope)?);
        let filter = (&filter, condition.as_ref());
        Ok(match full {
            true => MemoryPage::whole(managed.list_whole(&grant, filter, after, limit)?, &scope),
            false => MemoryPage::of(managed.list(&grant, filter, after, limit)?, &scope),
        })
    });
    Ok(axum::Json(listed.await?))
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

/// Put a new text in the place of a memory. The old text is erased: its key is destroyed, and the answer names the
/// receipt. The memory keeps its id, and everything that the call does not name.
#[utoipa::path(
    put,
    path = "/v1/memories/{memory_id}",
    operation_id = "replace_memory",
    tag = "memories",
    params(("memory_id" = String, Path, description = "`mem_` and 32 hex digits"), ScopeParam, IfMatchParam),
    request_body = ReplaceRequest,
    responses(
        (status = 200, description = "The new text stands, and the old one is erased.", body = CorrectedView),
        (status = 202, description = "The new text waits for a review, as a memory of its own. Nothing was replaced.", body = CorrectedView),
        Problems
    )
)]
pub(super) async fn replace(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    expected: Expected,
    Id(id): Id,
    InScope(scope): InScope,
    Json(request): Json<ReplaceRequest, MEMORY_BYTES_MAX>,
) -> Result<(StatusCode, axum::Json<CorrectedView>)> {
    let id: MemoryId = id.parse()?;
    let with = request.into_core()?;
    let locks = app.clone();
    let replaced = app.work(move |core| {
        let grant = permit(&caller, &scope)?;
        let _lock = locks.0.scope_locks.take(&scope);
        if !expected.anything() {
            let memory = core.get(&permit(&caller, &scope)?, id)?;
            expected.check(&MemoryView::of(memory, &scope))?;
        }
        let corrected = ManagedMemories::of(core).replace(&grant, id, with)?;
        let status = match corrected {
            Corrected::Done { .. } => StatusCode::OK,
            _ => StatusCode::ACCEPTED,
        };
        Ok((status, CorrectedView::of(corrected, &scope)?))
    });
    let (status, view) = replaced.await?;
    Ok((status, axum::Json(view)))
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
