use axum::Extension;
use axum::extract::State;
use lacuna_core::permit::Caller;

use super::App;
use super::body::Json;
use super::problem::Problems;
use crate::failure::Result;
use crate::wire::{SearchRequest, SearchResponse, read_scope};

/// A question has at most 4,000 characters; the rest is filters.
const SEARCH_BYTES_MAX: usize = 64 << 10;

/// Find memories by meaning and words.
#[utoipa::path(
    post,
    path = "/v1/search",
    tag = "memories",
    request_body = SearchRequest,
    responses((status = 200, description = "What was found, best first.", body = SearchResponse), Problems)
)]
pub(super) async fn search(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<SearchRequest, SEARCH_BYTES_MAX>,
) -> Result<axum::Json<SearchResponse>> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let query = request.into_query()?;
    let (recalled, scope) = app.call_in(caller, scope, move |core, grant| core.recall(grant, &query)).await?;
    Ok(axum::Json(SearchResponse::of(recalled, &scope)))
}
