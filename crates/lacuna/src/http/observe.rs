//! Around every request: an id, a time limit, a log line and metrics, none of which hold content.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use lacuna_seal::{Entropy, SystemEntropy};
use tracing::Instrument;

use crate::codes;
use crate::failure::Failure;
use crate::wire::hex;

static REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// An id that a caller chose is kept up to this length.
const REQUEST_ID_BYTES_MAX: usize = 64;
/// From the first byte of a request to the answer.
const REQUEST_TIME_MAX: Duration = Duration::from_secs(60);

pub(super) async fn observe(request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = given_id(&request).unwrap_or_else(make_id);
    let method = request.method().clone();
    // The pattern and never the path: ids are nobody's business here.
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let span = tracing::info_span!("request", id = id.to_str().unwrap_or_default());

    let answer = tokio::time::timeout(REQUEST_TIME_MAX, next.run(request));
    let timed_out = |_| Failure::new(&codes::TIMEOUT, codes::TIMEOUT.meaning).into_response();
    let mut response = answer.instrument(span.clone()).await.unwrap_or_else(timed_out);
    response.headers_mut().insert(REQUEST_ID.clone(), id);

    let (status, took) = (response.status().as_u16(), started.elapsed());
    span.in_scope(|| tracing::info!(%method, route, status, ms = took.as_secs_f64() * 1_000.0, "answered"));
    let labels = [("method", method.to_string()), ("route", route), ("status", status.to_string())];
    metrics::counter!("lacuna_http_requests_total", &labels).increment(1);
    metrics::histogram!("lacuna_http_request_seconds", &labels[..2]).record(took);
    response
}

fn given_id(request: &Request) -> Option<HeaderValue> {
    let given = request.headers().get(&REQUEST_ID)?;
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    let fits = (1..=REQUEST_ID_BYTES_MAX).contains(&given.len()) && given.as_bytes().iter().all(allowed);
    fits.then(|| given.clone())
}

/// Unique within a process by its number, and across processes by chance.
fn make_id() -> HeaderValue {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut random = [0u8; 8];
    SystemEntropy.fill(&mut random);
    let text = format!("{}-{}", hex(&random), COUNT.fetch_add(1, Ordering::Relaxed));
    HeaderValue::from_str(&text).expect("hex digits and a number are a header value")
}
