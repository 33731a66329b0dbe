use axum::Extension;
use axum::extract::State;
use lacuna_core::permit::{Caller, permit};

use super::App;
use super::body::Json;
use super::problem::Problems;
use crate::wire::failure::Result;
use crate::wire::{ContextRequest, ContextResponse};

/// A turn has at most 32,000 characters; the rest is filters.
const CONTEXT_BYTES_MAX: usize = 256 << 10;

/// Memories that fit a turn of a conversation, as a section for a prompt.
#[utoipa::path(
    post,
    path = "/v1/context",
    tag = "memories",
    request_body = ContextRequest,
    responses((status = 200, description = "The section, as text and as data.", body = ContextResponse), Problems)
)]
pub(super) async fn context(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<ContextRequest, CONTEXT_BYTES_MAX>,
) -> Result<axum::Json<ContextResponse>> {
    let answer = app.call(move |core| {
        let (scopes, why_own) = request.scopes(core, &caller)?;
        let grants =
            scopes.iter().map(|scope| permit(&caller, scope)).collect::<lacuna_types::Result<Vec<_>>>()?;
        let context = core.context(&grants, &request.into_turn()?)?;
        Ok(ContextResponse::of(context, why_own))
    });
    Ok(axum::Json(answer.await?))
}
