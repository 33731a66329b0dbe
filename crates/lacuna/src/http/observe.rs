//! Around every request: an id, a time limit, a log line, metrics and a trace, none of which hold content.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{CACHE_CONTROL, CONNECTION, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use lacuna_core::permit::Caller;
use lacuna_seal::{Entropy, SystemEntropy};
use tracing::Instrument;

use super::App;
use super::leftover::Leftover;
use crate::codes;
use crate::traces::{SpanKind, TracePosition};
use crate::wire::failure::Failure;
use crate::wire::hex;

pub(super) static REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Bytes of an id that a caller chose.
const REQUEST_ID_BYTES_MAX: usize = 64;

/// The request that a task answers.
#[derive(Clone)]
struct CurrentRequest {
    id: HeaderValue,
    /// Position in a trace, if traces are sent.
    position: Option<TracePosition>,
    /// Known once it is authenticated.
    caller: Arc<OnceLock<Caller>>,
}

tokio::task_local! {
    static CURRENT: CurrentRequest;
}

/// The id of the request under way, if there is one.
pub(super) fn current_id() -> Option<String> {
    CURRENT.try_with(|current| current.id.to_str().unwrap_or_default().to_owned()).ok()
}

/// Position of the request under way in its trace.
pub(super) fn current_position() -> Option<TracePosition> {
    CURRENT.try_with(|current| current.position.clone()).ok().flatten()
}

/// Caller of the request under way, once it is known.
pub(super) fn current_caller() -> Option<Caller> {
    CURRENT.try_with(|current| current.caller.get().cloned()).ok().flatten()
}

/// Notes the caller of the request under way.
pub(super) fn note_caller(caller: &Caller) {
    // A request is authenticated once; outside of one there is nothing to note.
    let _ = CURRENT.try_with(|current| drop(current.caller.set(caller.clone())));
}

/// Lets another task answer for the request under way: its id and its place in the log go along.
pub(super) fn carried<F: Future>(work: F) -> impl Future<Output = F::Output> {
    let (current, span) = (CURRENT.try_with(CurrentRequest::clone).ok(), tracing::Span::current());
    let carried = async move {
        match current {
            Some(current) => CURRENT.scope(current, work).await,
            None => work.await,
        }
    };
    carried.instrument(span)
}

pub(super) async fn observe(State(app): State<App>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let (request, leftover) = Leftover::lend(request);
    let id = given_id(&request).unwrap_or_else(make_id);
    let method = request.method().clone();
    // The pattern and never the path, which holds ids.
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let position = app.0.traces.as_ref().and_then(|_| position_of(&request));
    let began = app.0.service.clock().now();
    let span =
        tracing::info_span!("request", id = id.to_str().unwrap_or_default(), trace = tracing::field::Empty);
    if let Some(position) = &position {
        span.record("trace", position.trace_id());
    }

    let timed_out = |_| Failure::new(&codes::TIMEOUT, codes::TIMEOUT.meaning).into_response();
    let answer =
        async { tokio::time::timeout(app.0.request_time, next.run(request)).await.unwrap_or_else(timed_out) };
    let mut response = CURRENT
        .scope(CurrentRequest { id: id.clone(), position: position.clone(), caller: Arc::default() }, answer)
        .instrument(span.clone())
        .await;
    let goes_on = leftover.drop_rest().await;
    let headers = response.headers_mut();
    if !goes_on {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    headers.insert(REQUEST_ID.clone(), id);
    // A forgotten memory must not live on in a cache.
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.entry(X_CONTENT_TYPE_OPTIONS).or_insert(HeaderValue::from_static("nosniff"));

    let (status, took) = (response.status().as_u16(), started.elapsed());
    span.in_scope(|| tracing::info!(%method, route, status, ms = took.as_secs_f64() * 1_000.0, "answered"));
    if let (Some(traces), Some(position)) = (&app.0.traces, position) {
        let work = SpanKind::Request { method: label_of(&method), route: route.clone(), status };
        traces.note(position, work, began, took);
    }
    let labels = [("method", label_of(&method)), ("route", route), ("status", status.to_string())];
    metrics::counter!("lacuna_http_requests_total", &labels).increment(1);
    metrics::histogram!("lacuna_http_request_seconds", &labels[..2]).record(took);
    response
}

fn position_of(request: &Request) -> Option<TracePosition> {
    TracePosition::of_request(request.headers().get("traceparent").and_then(|value| value.to_str().ok()))
}

/// Label of a method. Unknown methods share one, since each would otherwise make a figure of its own.
fn label_of(method: &axum::http::Method) -> String {
    let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    let word = method.as_str();
    if known.contains(&word) { word.to_owned() } else { "other".to_owned() }
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
