use axum::Extension;
use axum::extract::State;
use lacuna_core::permit::{Caller, permit};

use super::App;
use super::body::Json;
use super::problem::Problems;
use crate::wire::failure::Result;
use crate::wire::{Meant, SearchRequest, SearchResponse, read_meant};

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
    let answer = app.work(move |core| {
        let Meant { scope, why_own } = read_meant(core, request.scope.as_deref(), &caller, &request.query)?;
        let grant = permit(&caller, &scope)?;
        let recalled = core.recall(&grant, &request.into_query()?)?;
        Ok(SearchResponse::of(recalled, &scope, why_own))
    });
    Ok(axum::Json(answer.await?))
}
