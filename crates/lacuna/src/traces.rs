//! Traces for OpenTelemetry, as OTLP over HTTP in its JSON form: the route, its status and its duration. They
//! hold no path, no id, no user and no content.
//!
//! A thread sends spans in batches. Spans that it cannot send are dropped and counted, so no request waits for
//! it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use lacuna_models::http_agent;
use lacuna_seal::{Entropy, SystemEntropy};
use serde_json::{Value, json};
use ureq::Agent;

use crate::wire::{hex, unhex};

/// Spans that wait to be sent. More are dropped.
const WAITING_MAX: usize = 4_096;
/// Spans in one request, and the time that the first of them waits for others.
const BATCH_MAX: usize = 512;
const BATCH_WAIT: Duration = Duration::from_secs(1);
/// Limit for one request to the collector.
const SEND_TIME: Duration = Duration::from_secs(5);
const KIND_INTERNAL: u8 = 1;
const KIND_SERVER: u8 = 2;
const STATUS_ERROR: u8 = 2;

/// Position of one piece of work in its trace.
#[derive(Clone)]
pub(crate) struct TracePosition {
    trace: [u8; 16],
    span: [u8; 8],
    parent: Option<[u8; 8]>,
}

impl TracePosition {
    /// Position of a request: in the trace that `traceparent` names, or in one of its own. `None` if the sender
    /// does not want it recorded.
    pub(crate) fn of_request(traceparent: Option<&str>) -> Option<Self> {
        match traceparent.and_then(read_parent) {
            Some((_, _, false)) => None,
            Some((trace, parent, true)) => Some(Self { trace, span: random(), parent: Some(parent) }),
            None => Some(Self { trace: random(), span: random(), parent: None }),
        }
    }

    /// Position of a part of that work.
    pub(crate) fn part(&self) -> Self {
        Self { trace: self.trace, span: random(), parent: Some(self.span) }
    }

    /// The trace's id for the log, so that its lines are found from a trace.
    pub(crate) fn trace_id(&self) -> String {
        hex(&self.trace)
    }
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SystemEntropy.fill(&mut bytes);
    bytes
}

/// Reads `00-` the trace `-` the span `-` flags, as W3C writes it. Anything else is no parent.
fn read_parent(text: &str) -> Option<([u8; 16], [u8; 8], bool)> {
    let [version, trace, span, flags] = text.split('-').collect::<Vec<_>>().try_into().ok()?;
    let lower = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    if version != "00" || ![trace, span, flags].into_iter().all(lower) {
        return None;
    }
    let trace: [u8; 16] = unhex(trace)?.try_into().ok()?;
    let span: [u8; 8] = unhex(span)?.try_into().ok()?;
    let [flags]: [u8; 1] = unhex(flags)?.try_into().ok()?;
    (trace != [0; 16] && span != [0; 8]).then_some((trace, span, flags & 1 == 1))
}

/// Kind of work that a span measures, with its result.
pub(crate) enum SpanKind {
    Request { method: String, route: String, status: u16 },
    Core,
}

struct TraceSpan {
    position: TracePosition,
    work: SpanKind,
    began: Timestamp,
    took: Duration,
}

/// Queue of spans, and the thread that sends them.
pub(crate) struct Traces {
    sender: Option<SyncSender<TraceSpan>>,
    thread: Option<JoinHandle<()>>,
}

impl Traces {
    pub(crate) fn start(url: &str) -> std::io::Result<Arc<Self>> {
        let (sender, receiver) = sync_channel(WAITING_MAX);
        let agent = http_agent(url, SEND_TIME);
        let url = url.to_owned();
        let thread = std::thread::Builder::new().name("traces".into());
        let thread = thread.spawn(move || send_all(&agent, &url, &receiver))?;
        Ok(Arc::new(Self { sender: Some(sender), thread: Some(thread) }))
    }

    pub(crate) fn note(&self, position: TracePosition, work: SpanKind, began: Timestamp, took: Duration) {
        let Some(sender) = &self.sender else { return };
        if sender.try_send(TraceSpan { position, work, began, took }).is_err() {
            metrics::counter!("lacuna_spans_dropped_total").increment(1);
        }
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        // The thread sends the rest once the queue is closed.
        drop(self.sender.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn send_all(agent: &Agent, url: &str, receiver: &Receiver<TraceSpan>) {
    while let Ok(first) = receiver.recv() {
        let mut batch = vec![first];
        let full_at = Instant::now() + BATCH_WAIT;
        let mut over = false;
        while batch.len() < BATCH_MAX {
            match receiver.recv_timeout(full_at.saturating_duration_since(Instant::now())) {
                Ok(span) => batch.push(span),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    over = true;
                    break;
                }
            }
        }
        let sent = send(agent, url, &batch);
        if !sent {
            metrics::counter!("lacuna_spans_dropped_total").increment(batch.len() as u64);
            tracing::debug!(spans = batch.len(), "the collector of traces does not take them");
        }
        // A stopping server does not wait for a collector that is gone.
        if over && !sent {
            return;
        }
    }
}

fn send(agent: &Agent, url: &str, batch: &[TraceSpan]) -> bool {
    let answer = agent.post(url).content_type("application/json").send(document(batch).to_string());
    answer.is_ok_and(|answer| answer.status().is_success())
}

fn document(batch: &[TraceSpan]) -> Value {
    let spans: Vec<Value> = batch.iter().map(span).collect();
    json!({"resourceSpans": [{
        "resource": {"attributes": [
            text("service.name", "lacuna"),
            text("service.version", env!("CARGO_PKG_VERSION")),
        ]},
        "scopeSpans": [{"scope": {"name": "lacuna"}, "spans": spans}],
    }]})
}

fn span(span: &TraceSpan) -> Value {
    let began = span.began.as_nanosecond();
    let ended = began + i128::try_from(span.took.as_nanos()).unwrap_or(i128::MAX / 2);
    let (name, kind, attributes, failed) = match &span.work {
        SpanKind::Core => ("core".to_owned(), KIND_INTERNAL, Vec::new(), false),
        SpanKind::Request { method, route, status } => {
            let attributes = vec![
                text("http.request.method", method),
                text("http.route", route),
                json!({"key": "http.response.status_code", "value": {"intValue": status.to_string()}}),
            ];
            (format!("{method} {route}"), KIND_SERVER, attributes, *status >= 500)
        }
    };
    let mut value = json!({
        "traceId": hex(&span.position.trace),
        "spanId": hex(&span.position.span),
        "name": name,
        "kind": kind,
        "startTimeUnixNano": began.to_string(),
        "endTimeUnixNano": ended.to_string(),
        "attributes": attributes,
        "status": if failed { json!({"code": STATUS_ERROR}) } else { json!({}) },
    });
    if let Some(parent) = &span.position.parent {
        value["parentSpanId"] = hex(parent).into();
    }
    value
}

fn text(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_is_read_as_it_is_written_and_nonsense_starts_a_trace_of_its_own() {
        let given = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let position = TracePosition::of_request(Some(given)).unwrap();
        assert_eq!(position.trace_id(), "0af7651916cd43dd8448eb211c80319c");
        assert_eq!(position.parent.map(|parent| hex(&parent)).as_deref(), Some("b7ad6b7169203331"));
        assert!(
            TracePosition::of_request(Some(&given.replace("-01", "-00"))).is_none(),
            "its sender keeps none"
        );
        let bad =
            ["", "00-x-y-01", &given.to_uppercase(), &given.replace("00-", "ff-"), &format!("{given}-more")];
        for text in bad {
            let position = TracePosition::of_request(Some(text)).unwrap();
            assert!(
                position.parent.is_none() && position.trace_id() != "0af7651916cd43dd8448eb211c80319c",
                "{text}"
            );
        }
    }
}
