use axum::Extension;
use axum::extract::State;
use lacuna_core::permit::Caller;

use super::App;
use super::body::Json;
use super::problem::Problems;
use crate::wire::failure::Result;
use crate::wire::{DestroyAnswer, DestroyRequest, read_scope};

const DESTROY_BYTES_MAX: usize = 16 << 10;

/// Plan the destruction of a vault, or carry out the plan: every key, blob, vector and row goes for good.
#[utoipa::path(
    post,
    path = "/v1/destroy",
    operation_id = "destroy",
    tag = "review",
    request_body = DestroyRequest,
    responses((status = 200, description = "The plan, or the result.", body = DestroyAnswer), Problems)
)]
pub(super) async fn destroy(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<DestroyRequest, DESTROY_BYTES_MAX>,
) -> Result<axum::Json<DestroyAnswer>> {
    let scope = read_scope(request.scope.as_deref(), &caller)?;
    let Some(token) = request.token else {
        let (plan, scope) = app.call_in(caller, scope, |core, grant| core.plan_destroy(grant)).await?;
        return Ok(axum::Json(DestroyAnswer::planned(plan, &scope)));
    };
    let (done, scope) = app.call_in(caller, scope, move |core, grant| core.destroy(grant, &token)).await?;
    Ok(axum::Json(DestroyAnswer::done(done, &scope)))
}
