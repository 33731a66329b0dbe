#![allow(unused_qualifications, reason = "the macro that describes parameters writes their full path")]

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use lacuna_core::keep::SESSION_PAGE_DEFAULT;
use lacuna_core::permit::Caller;
use lacuna_types::SessionId;
use utoipa::IntoParams;

use super::App;
use super::body::{Id, InScope, Json, Pairs};
use super::memories::ScopeParam;
use super::page::{BY_CURSOR, PageQuery};
use super::problem::Problems;
use crate::wire::failure::Result;
use crate::wire::{
    Append, AppendRequest, AppendedView, EndedView, SessionPageView, SessionRequest, SessionShownView,
    SessionView, read_scope, read_session_cursor, read_turn_cursor,
};

const SESSION_BYTES_MAX: usize = 16 << 10;
/// Bytes of a thousand turns, most of them short.
const APPEND_BYTES_MAX: usize = 64 << 20;

/// Start a session, under the caller's own name or a generated one. An existing session goes on.
#[utoipa::path(
    post,
    path = "/v1/sessions",
    operation_id = "start_session",
    tag = "sessions",
    request_body = SessionRequest,
    responses((status = 200, description = "The session, and the number that its next turn gets.", body = SessionView), Problems)
)]
pub(super) async fn start(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<SessionRequest, SESSION_BYTES_MAX>,
) -> Result<axum::Json<SessionView>> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let id = request.session_id.as_deref().map(SessionId::new).transpose()?;
    let (info, scope) = app.call_in(caller, scope, move |core, grant| core.start_session(grant, id)).await?;
    Ok(axum::Json(SessionView::of(info, &scope)))
}

/// Append turns to a session, or a piece of an unfinished turn. Each goes through the gate and is sealed at once.
#[utoipa::path(
    post,
    path = "/v1/sessions/{session_id}/turns",
    operation_id = "append_turns",
    tag = "sessions",
    params(("session_id" = String, Path, description = "The name of the session")),
    request_body = AppendRequest,
    responses((status = 201, description = "What became of each turn, in the order given.", body = AppendedView), Problems)
)]
pub(super) async fn append(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Id(id): Id,
    Json(request): Json<AppendRequest, APPEND_BYTES_MAX>,
) -> Result<(StatusCode, axum::Json<AppendedView>)> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let id = SessionId::new(&id)?;
    let expected = request.expected_turn;
    let append = request.into_core()?;
    let call = move |core: &lacuna_core::Lacuna, grant: &_| {
        let scope = lacuna_core::permit::Grant::scope(grant);
        Ok(match append {
            Append::Turns(turns) => {
                AppendedView::of(core.append_turns(grant, &id, turns, expected)?, &id, scope)
            }
            Append::Piece(piece) => {
                AppendedView::of_piece(core.append_piece(grant, &id, &piece)?, &id, scope)
            }
        })
    };
    let (appended, _) = app.call_in(caller, scope, call).await?;
    Ok((StatusCode::CREATED, axum::Json(appended)))
}

/// Position at which a list of sessions or of turns goes on.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the parameters that `PageQuery` reads")]
pub(super) struct PageParams {
    /// The `next_cursor` of the page before.
    cursor: Option<String>,
    /// Items on one page; 100 when absent.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<usize>,
    /// The vault: `user`, `team:NAME`, `org` or `deployment:NAME`; the caller's own when absent.
    scope: Option<String>,
}

/// Sessions, the last used first, a page at a time.
#[utoipa::path(
    get,
    path = "/v1/sessions",
    operation_id = "list_sessions",
    tag = "sessions",
    params(PageParams),
    responses((status = 200, description = "One page.", body = SessionPageView), Problems)
)]
pub(super) async fn list(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Pairs(pairs): Pairs,
) -> Result<axum::Json<SessionPageView>> {
    let page = PageQuery::read(pairs, BY_CURSOR)?;
    let scope = page.scope(&caller)?;
    let after = page.start.as_deref().map(read_session_cursor).transpose()?;
    let limit = page.limit_or(SESSION_PAGE_DEFAULT);
    let (page, scope) =
        app.call_in(caller, scope, move |core, grant| core.sessions(grant, after.as_ref(), limit)).await?;
    Ok(axum::Json(SessionPageView::of(page, &scope)))
}

/// A session with its turns in their order, a page at a time.
#[utoipa::path(
    get,
    path = "/v1/sessions/{session_id}",
    operation_id = "show_session",
    tag = "sessions",
    params(("session_id" = String, Path, description = "The name of the session"), PageParams),
    responses((status = 200, description = "The session and one page of its turns.", body = SessionShownView), Problems)
)]
pub(super) async fn show(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Id(id): Id,
    Pairs(pairs): Pairs,
) -> Result<axum::Json<SessionShownView>> {
    let page = PageQuery::read(pairs, BY_CURSOR)?;
    let scope = page.scope(&caller)?;
    let id = SessionId::new(&id)?;
    let from = read_turn_cursor(page.start.as_deref())?;
    let limit = page.limit_or(SESSION_PAGE_DEFAULT);
    let (shown, scope) =
        app.call_in(caller, scope, move |core, grant| core.session(grant, &id, from, limit)).await?;
    Ok(axum::Json(SessionShownView::of(shown, &scope)))
}

/// End a session: its working memory is gone, and its turns are archived as sealed transcripts. Ending it again is
/// harmless, and turns that come later are archived by a later end.
#[utoipa::path(
    post,
    path = "/v1/sessions/{session_id}/end",
    operation_id = "end_session",
    tag = "sessions",
    params(("session_id" = String, Path, description = "The name of the session"), ScopeParam),
    responses((status = 200, description = "It has ended.", body = EndedView), Problems)
)]
pub(super) async fn end(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Id(id): Id,
    InScope(scope): InScope,
) -> Result<axum::Json<EndedView>> {
    let id = SessionId::new(&id)?;
    let (ended, scope) = app.call_in(caller, scope, move |core, grant| core.end_session(grant, &id)).await?;
    Ok(axum::Json(EndedView::of(ended, &scope)))
}
