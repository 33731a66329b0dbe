//! Figures for Prometheus: about the process, never about a user.

use axum::extract::State;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

use super::App;
use crate::codes;
use crate::failure::{Failure, Result};

/// Bounds of the buckets of request times, in seconds.
const SECONDS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 5.0, 30.0];

/// Collects from now on. Once per process.
pub(crate) fn install() -> Result<PrometheusHandle> {
    let broken =
        |error: metrics_exporter_prometheus::BuildError| Failure::new(&codes::INTERNAL, error.to_string());
    PrometheusBuilder::new().set_buckets(&SECONDS).map_err(broken)?.install_recorder().map_err(broken)
}

/// Figures in the Prometheus text format.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "operation",
    responses((status = 200, description = "Counters and gauges, without anything about users.", body = String, content_type = "text/plain"))
)]
pub(super) async fn metrics(State(app): State<App>) -> String {
    let shared = &app.0;
    let load = shared.service.open_load();
    metrics::gauge!("lacuna_open_vaults").set(load.vaults as f64);
    metrics::gauge!("lacuna_open_bytes").set(load.bytes as f64);
    metrics::gauge!("lacuna_backlog_vaults").set(shared.service.upkeep().backlog_len() as f64);
    shared.metrics.render()
}
