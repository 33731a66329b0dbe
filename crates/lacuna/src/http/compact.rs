use std::ops::ControlFlow;

use axum::Extension;
use axum::extract::State;
use lacuna_core::permit::{Caller, Forget};

use super::App;
use super::body::Json;
use super::problem::Problems;
use crate::wire::failure::Result;
use crate::wire::{CompactAnswer, CompactBody, read_scope};

const COMPACT_BYTES_MAX: usize = 16 << 10;

/// Summarise and archive old turns, or say which. Every summary names its sources.
#[utoipa::path(
    post,
    path = "/v1/compact",
    operation_id = "compact",
    tag = "memories",
    request_body = CompactBody,
    responses((status = 200, description = "The plan, or the result.", body = CompactAnswer), Problems)
)]
pub(super) async fn compact(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(body): Json<CompactBody, COMPACT_BYTES_MAX>,
) -> Result<axum::Json<CompactAnswer>> {
    let scope = read_scope(body.scope.as_deref(), &caller)?;
    let dry_run = body.dry_run;
    let request = body.into_core()?;
    if dry_run {
        let (plan, scope) = app
            .call_in::<Forget, _>(caller, scope, move |core, grant| core.compaction_plan(grant, &request))
            .await?;
        return Ok(axum::Json(CompactAnswer::planned(plan, &scope)));
    }
    let (done, scope) = app
        .call_in::<Forget, _>(caller, scope, move |core, grant| {
            core.compact(grant, &request, &mut |_| ControlFlow::Continue(()))
        })
        .await?;
    Ok(axum::Json(CompactAnswer::done(done, &scope)))
}
