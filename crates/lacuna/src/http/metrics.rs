//! Figures for Prometheus: about the process, never about a user.

use axum::extract::State;
use axum::http::HeaderMap;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

use super::App;
use super::auth::refuse_foreign_host;
use super::problem::Problem;
use crate::codes;
use crate::wire::failure::{Failure, Result};

/// Bounds of the buckets of request times, in seconds.
const SECONDS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 5.0, 30.0];

/// Collects from now on. Once per process.
pub(crate) fn install() -> Result<PrometheusHandle> {
    let broken =
        |error: metrics_exporter_prometheus::BuildError| Failure::new(&codes::INTERNAL, error.to_string());
    let handle =
        PrometheusBuilder::new().set_buckets(&SECONDS).map_err(broken)?.install_recorder().map_err(broken)?;
    describe();
    Ok(handle)
}

/// The line `HELP` of each figure.
fn describe() {
    use metrics::{describe_counter, describe_gauge, describe_histogram};
    describe_counter!("lacuna_http_requests_total", "Requests by method, route pattern and status.");
    describe_histogram!("lacuna_http_request_seconds", "Time from the head of a request to its answer.");
    describe_counter!("lacuna_connections_evicted_total", "Idle connections that were closed to make room.");
    describe_counter!("lacuna_spans_dropped_total", "Spans of traces that could not be sent.");
    describe_gauge!("lacuna_open_vaults", "Vaults that are open in RAM.");
    describe_gauge!("lacuna_open_bytes", "RAM that open vaults take, in bytes.");
    describe_gauge!("lacuna_backlog_vaults", "Vaults that await recovery or better vectors.");
}

/// Figures in the Prometheus text format.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "operation",
    responses(
        (status = 200, description = "Counters and gauges, without anything about users.", body = String, content_type = "text/plain"),
        (status = 421, description = "The server was called by a name that is not its own.", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn metrics(State(app): State<App>, headers: HeaderMap) -> Result<String> {
    let shared = &app.0;
    if shared.is_local_only {
        refuse_foreign_host(&headers, shared.address.port())?;
    }
    let load = shared.service.open_load();
    metrics::gauge!("lacuna_open_vaults").set(load.vaults as f64);
    metrics::gauge!("lacuna_open_bytes").set(load.bytes as f64);
    metrics::gauge!("lacuna_backlog_vaults").set(shared.service.upkeep().backlog_len() as f64);
    Ok(shared.metrics.render())
}
