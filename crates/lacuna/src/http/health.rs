use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::App;
use super::problem::Problem;
use crate::failure::Result;

#[derive(Serialize, ToSchema)]
pub(super) struct Health {
    status: &'static str,
    version: &'static str,
}

fn well(status: &'static str) -> axum::Json<Health> {
    axum::Json(Health { status, version: env!("CARGO_PKG_VERSION") })
}

/// Whether the process lives.
#[utoipa::path(
    get,
    path = "/healthz",
    tag = "operation",
    responses((status = 200, description = "It does.", body = Health))
)]
pub(super) async fn healthz() -> axum::Json<Health> {
    well("alive")
}

/// Whether the stores answer.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "operation",
    responses(
        (status = 200, description = "They do.", body = Health),
        (status = 503, description = "They do not.", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn readyz(State(app): State<App>) -> Result<axum::Json<Health>> {
    app.call(|service| service.check()).await?;
    Ok(well("ready"))
}
