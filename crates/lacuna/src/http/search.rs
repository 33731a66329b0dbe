use axum::Extension;
use axum::extract::State;
use lacuna_core::permit::{Caller, permit};

use super::App;
use super::body::Json;
use super::problem::Problems;
use crate::failure::Result;
use crate::wire::{AuditVerified, SearchRequest, SearchResponse};

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
    let query = request.into_query()?;
    let recalled =
        app.call(move |service| service.recall(&permit(&caller, &caller.personal_scope())?, &query)).await?;
    Ok(axum::Json(recalled.into()))
}

/// Walk the caller's audit chain from its first entry to its last.
#[utoipa::path(
    get,
    path = "/v1/audit/verify",
    tag = "audit",
    responses((status = 200, description = "The chain holds.", body = AuditVerified), Problems)
)]
pub(super) async fn verify_audit(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
) -> Result<axum::Json<AuditVerified>> {
    let report =
        app.call(move |service| service.verify_audit(&permit(&caller, &caller.personal_scope())?)).await?;
    Ok(axum::Json(report.into()))
}
