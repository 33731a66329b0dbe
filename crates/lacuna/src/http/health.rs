use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::App;
use super::problem::Problem;
use crate::codes;
use crate::wire::failure::{Failure, Result};

#[derive(Serialize, ToSchema)]
pub(super) struct Health {
    status: &'static str,
    version: &'static str,
}

fn well(status: &'static str) -> axum::Json<Health> {
    axum::Json(Health { status, version: env!("CARGO_PKG_VERSION") })
}

/// Liveness: the process runs.
#[utoipa::path(
    get,
    path = "/healthz",
    tag = "operation",
    responses((status = 200, description = "It does.", body = Health))
)]
pub(super) async fn healthz() -> axum::Json<Health> {
    well("alive")
}

/// Readiness: the stores answer, and the server is not about to stop.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "operation",
    responses(
        (status = 200, description = "It is.", body = Health),
        (status = 503, description = "It is not.", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn readyz(State(app): State<App>) -> Result<axum::Json<Health>> {
    if app.0.admission.is_draining() {
        return Err(Failure::new(&codes::DRAINING, codes::DRAINING.meaning));
    }
    app.probe(|service| service.check()).await?;
    Ok(well("ready"))
}
