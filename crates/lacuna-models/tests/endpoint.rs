//! The endpoint embedder against a real server on this machine that speaks the API, well and badly.
// A test server that cannot run is a failed test.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use lacuna_models::{ApiKey, EndpointConfig, endpoint_embedder, static_embedder};
use lacuna_types::embed::Purpose;
use lacuna_types::{Error, Result};
use serde_json::{Value, json};

const KEY: &str = "sk-canary-key-7f3a";
const TEXT: &str = "canary text: my sister cannot eat peanuts";

/// What the server does with one request; `Good` answers with real vectors.
#[derive(Clone)]
enum Reply {
    Good,
    Reversed,
    WithoutIndex,
    Status(u16),
    RetryAfter(u16, u32),
    Body(String),
    /// Replaces the first vector of a good answer.
    FirstVector(Value),
    OneTooMany,
    SameIndexTwice,
    /// A good answer followed by so many spaces, which JSON allows.
    Padded(usize),
    Hang,
    CloseAtOnce,
}

struct Server {
    url: String,
    requests: Arc<AtomicUsize>,
    seen: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Server {
    /// Answers with the replies in turn, and with the last one from then on.
    fn start(replies: &[Reply]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (requests, seen) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Vec::new())));
        let (replies, counter, log) = (replies.to_vec(), Arc::clone(&requests), Arc::clone(&seen));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(std::result::Result::ok) {
                let at = counter.fetch_add(1, Ordering::SeqCst).min(replies.len() - 1);
                let (reply, log) = (replies[at].clone(), Arc::clone(&log));
                thread::spawn(move || serve(stream, &reply, &log));
            }
        });
        Self { url, requests, seen }
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    fn config(&self) -> EndpointConfig {
        EndpointConfig {
            api_key: Some(ApiKey::new(KEY.into())),
            retries: 2,
            retry_pause: Duration::from_millis(1),
            batch_size: 100,
            ..EndpointConfig::new(&self.url, "test-model")
        }
    }

    fn embed(&self) -> Result<Vec<Vec<f32>>> {
        endpoint_embedder(self.config())?.embed(&[TEXT, "the train leaves at noon"], Purpose::Passage)
    }
}

fn serve(mut stream: TcpStream, reply: &Reply, log: &Mutex<Vec<(String, Value)>>) -> Option<()> {
    if matches!(reply, Reply::CloseAtOnce) {
        return None;
    }
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        reader.read_line(&mut head).ok().filter(|read| *read > 0)?;
    }
    let length =
        head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length?];
    reader.read_exact(&mut body).ok()?;
    let request: Value = serde_json::from_slice(&body).ok()?;
    log.lock().unwrap().push((head, request.clone()));
    if matches!(reply, Reply::Hang) {
        // Until the client gives up and closes.
        let _ = reader.read(&mut [0]);
        return None;
    }
    let (status, extra, body) = answer(reply, &request);
    let head = format!(
        "HTTP/1.1 {status} Test\r\nconnection: close\r\ncontent-length: {}\r\n{extra}\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(body.as_bytes()).ok()
}

fn answer(reply: &Reply, request: &Value) -> (u16, String, String) {
    let texts: Vec<&str> = request["input"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let vectors = static_embedder().unwrap().embed(&texts, Purpose::Passage).unwrap();
    // Twice as long as they should be, so that normalising is seen.
    let long = |vector: &Vec<f32>| vector.iter().map(|value| value * 2.0).collect::<Vec<f32>>();
    let mut data: Vec<Value> = vectors
        .iter()
        .enumerate()
        .map(|(at, vector)| json!({"index": at, "embedding": long(vector)}))
        .collect();
    match reply {
        Reply::Reversed => data.reverse(),
        Reply::WithoutIndex => {
            data.iter_mut().for_each(|item| drop(item.as_object_mut().unwrap().remove("index")))
        }
        Reply::FirstVector(vector) => data[0]["embedding"] = vector.clone(),
        Reply::OneTooMany => data.push(data[0].clone()),
        Reply::SameIndexTwice => data[0]["index"] = json!(1),
        Reply::Status(status) => {
            return (*status, String::new(), format!("{{\"error\": \"echo {TEXT} {KEY}\"}}"));
        }
        Reply::RetryAfter(status, seconds) => {
            return (*status, format!("retry-after: {seconds}\r\n"), String::new());
        }
        Reply::Body(body) => return (200, String::new(), body.clone()),
        Reply::Good | Reply::Padded(_) | Reply::Hang | Reply::CloseAtOnce => {}
    }
    let padding = if let Reply::Padded(spaces) = reply { *spaces } else { 0 };
    let body = json!({"object": "list", "data": data, "model": "test-model"}).to_string();
    (200, String::new(), body + &" ".repeat(padding))
}

fn expected() -> Vec<Vec<f32>> {
    static_embedder().unwrap().embed(&[TEXT, "the train leaves at noon"], Purpose::Passage).unwrap()
}

fn assert_expected(vectors: &[Vec<f32>]) {
    assert_eq!(vectors.len(), 2);
    for (found, expected) in vectors.iter().flatten().zip(expected().iter().flatten()) {
        assert!((found - expected).abs() < 1e-5);
    }
}

/// The error, after checking that neither it nor its causes hold the text or the key.
fn failure(result: Result<Vec<Vec<f32>>>) -> Error {
    let error = result.expect_err("this server gives no vectors");
    let mut shown = format!("{error} {error:?}");
    let mut cause = std::error::Error::source(&error);
    while let Some(source) = cause {
        shown += &format!(" {source} {source:?}");
        cause = source.source();
    }
    assert!(!shown.contains("canary"), "{shown}");
    error
}

#[test]
fn vectors_come_back_in_order_and_of_unit_length() {
    for reply in [Reply::Good, Reply::Reversed, Reply::WithoutIndex, Reply::Padded(1000)] {
        let server = Server::start(&[reply]);
        assert_expected(&server.embed().unwrap());
        // The first request fits the calibration, the second holds the texts.
        assert_eq!(server.requests(), 2);
        let seen = server.seen.lock().unwrap();
        assert!(seen[1].0.starts_with("POST /v1/embeddings HTTP/1.1\r\n"));
        assert!(seen[1].0.to_lowercase().contains(&format!("authorization: bearer {KEY}")));
        assert_eq!(seen[1].1["model"], "test-model");
        assert_eq!(seen[1].1.get("dimensions"), None);
    }
}

#[test]
fn the_calibration_is_fitted_once_and_equals_that_of_the_same_model_at_home() {
    let server = Server::start(&[Reply::Good]);
    let embedder = endpoint_embedder(server.config()).unwrap();
    let (fitted, at_home) =
        (embedder.calibration(Purpose::Passage), static_embedder().unwrap().calibration(Purpose::Passage));
    assert!((fitted.midpoint - at_home.midpoint).abs() < 1e-3);
    embedder.embed(&[TEXT], Purpose::Query).unwrap();
    embedder.calibration(Purpose::Passage);
    assert_eq!(server.requests(), 2);
}

#[test]
fn texts_are_sent_in_batches() {
    let server = Server::start(&[Reply::Good]);
    let config = EndpointConfig { batch_size: 30, ..server.config() };
    let embedder = endpoint_embedder(config).unwrap();
    assert_eq!(embedder.embed(&[TEXT; 70], Purpose::Passage).unwrap().len(), 70);
    let sizes: Vec<usize> =
        server.seen.lock().unwrap().iter().map(|(_, body)| body["input"].as_array().unwrap().len()).collect();
    assert_eq!(sizes, [30, 30, 20, 30, 30, 10]);
    assert!(embedder.embed(&[], Purpose::Passage).unwrap().is_empty());
}

#[test]
fn a_passing_failure_is_tried_again() {
    let passing = [
        Reply::Status(429),
        Reply::Status(503),
        Reply::Status(408),
        Reply::RetryAfter(429, 0),
        Reply::CloseAtOnce,
    ];
    for reply in passing {
        let server = Server::start(&[reply, Reply::Good]);
        assert_expected(&server.embed().unwrap());
        assert_eq!(server.requests(), 3);
    }
}

#[test]
fn a_server_that_stays_down_is_given_up() {
    let server = Server::start(&[Reply::Status(500)]);
    assert_eq!(failure(server.embed()).code(), "embedder_unavailable");
    assert_eq!(server.requests(), 3);
}

#[test]
fn a_server_that_asks_for_a_long_pause_is_not_waited_for() {
    let server = Server::start(&[Reply::RetryAfter(503, 3600)]);
    assert_eq!(failure(server.embed()).code(), "embedder_unavailable");
    assert_eq!(server.requests(), 1);
}

#[test]
fn a_silent_server_times_out() {
    let server = Server::start(&[Reply::Hang]);
    let config = EndpointConfig { timeout: Duration::from_millis(50), retries: 1, ..server.config() };
    let result = endpoint_embedder(config).unwrap().embed(&[TEXT], Purpose::Query);
    let error = failure(result);
    assert_eq!((error.code(), server.requests()), ("embedder_unavailable", 2));
    assert!(error.to_string().contains("in time"), "{error}");
}

#[test]
fn nobody_listening_is_unavailable() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let config = EndpointConfig {
        retry_pause: Duration::from_millis(1),
        ..EndpointConfig::new(format!("http://{free}/v1"), "test-model")
    };
    let embedder = endpoint_embedder(config).unwrap();
    assert_eq!(failure(embedder.embed(&[TEXT], Purpose::Query)).code(), "embedder_unavailable");
    assert!(embedder.calibration(Purpose::Passage).similarity(0.1) < 0.1);
}

#[test]
fn https_to_a_server_without_tls_is_unavailable_and_sends_nothing() {
    let server = Server::start(&[Reply::Good]);
    let config = EndpointConfig { url: server.url.replace("http:", "https:"), retries: 0, ..server.config() };
    let result = endpoint_embedder(config).unwrap().embed(&[TEXT], Purpose::Query);
    assert_eq!(failure(result).code(), "embedder_unavailable");
    assert!(server.seen.lock().unwrap().is_empty());
}

#[test]
fn a_refusal_is_for_the_operator_and_not_repeated() {
    for status in [400, 401, 403, 404, 422, 307] {
        let server = Server::start(&[Reply::Status(status)]);
        assert_eq!(failure(server.embed()).code(), "embedder_misconfigured", "{status}");
        assert_eq!(server.requests(), 1);
    }
}

#[test]
fn a_bad_answer_is_never_passed_on() {
    let echo = format!("{{\"data\": \"{TEXT}\"}}");
    let table = [
        ("garbage", Reply::Body("<html>canary</html>".into())),
        ("empty", Reply::Body(String::new())),
        ("an echo of the text", Reply::Body(echo)),
        ("not a number", Reply::Body("{\"data\": [{\"index\": 0, \"embedding\": [NaN]}]}".into())),
        ("too few", Reply::Body("{\"data\": []}".into())),
        ("too many", Reply::OneTooMany),
        ("an index twice", Reply::SameIndexTwice),
        ("infinite", Reply::FirstVector(json!([1e39, 0.0]))),
        ("null", Reply::FirstVector(json!([null, 0.0]))),
        ("zero", Reply::FirstVector(json!([0.0, 0.0]))),
        ("no numbers", Reply::FirstVector(json!([]))),
        ("other dimensions", Reply::FirstVector(json!([0.6, 0.8]))),
        ("oversized", Reply::Padded(40 << 20)),
    ];
    for (name, reply) in table {
        let server = Server::start(&[reply]);
        assert_eq!(failure(server.embed()).code(), "embedder_unavailable", "{name}");
        assert_eq!(server.requests(), 1, "{name}");
    }
}

#[test]
fn the_asked_dimensions_are_sent_and_must_be_given() {
    let server = Server::start(&[Reply::Good]);
    let embedder = |dimensions| {
        endpoint_embedder(EndpointConfig { dimensions: Some(dimensions), ..server.config() }).unwrap()
    };
    let fitting = embedder(512);
    assert_eq!(fitting.model().as_str(), "endpoint:test-model#512");
    assert_eq!(fitting.embed(&[TEXT], Purpose::Passage).unwrap()[0].len(), 512);
    assert_eq!(server.seen.lock().unwrap()[0].1["dimensions"], 512);
    assert_eq!(failure(embedder(128).embed(&[TEXT], Purpose::Passage)).code(), "embedder_misconfigured");
}

#[test]
fn a_bad_setting_is_refused_before_anything_is_sent() {
    let good = || EndpointConfig::new("https://api.example.com/v1", "m");
    let at = |url: &str| EndpointConfig::new(url, "m");
    let table = [
        ("plain http elsewhere", at("http://api.example.com/v1")),
        ("plain http to a private address", at("http://10.0.0.7/v1")),
        ("a name that only looks local", at("http://localhost.example.com/v1")),
        ("no scheme", at("api.example.com/v1")),
        ("another scheme", at("file:///etc/passwd")),
        ("no URL", at("https://exa mple/v1")),
        ("a password in the address", at("https://user:secret@api.example.com/v1")),
        ("no model", EndpointConfig::new("https://api.example.com/v1", "")),
        ("a long model name", EndpointConfig::new("https://api.example.com/v1", "m".repeat(200))),
        ("no batch", EndpointConfig { batch_size: 0, ..good() }),
        ("a huge batch", EndpointConfig { batch_size: 100_000, ..good() }),
        ("endless retries", EndpointConfig { retries: 1_000, ..good() }),
        ("no time", EndpointConfig { timeout: Duration::ZERO, ..good() }),
        ("no dimensions", EndpointConfig { dimensions: Some(0), ..good() }),
        ("a key with a line break", EndpointConfig { api_key: Some(ApiKey::new("a\nb".into())), ..good() }),
    ];
    for (name, config) in table {
        let error = endpoint_embedder(config).err().unwrap_or_else(|| panic!("{name} was accepted"));
        assert_eq!(error.code(), "embedder_misconfigured", "{name}");
        assert!(!error.to_string().contains("secret"), "{name}");
    }
    for url in ["https://api.example.com/v1/", "http://localhost:8080/v1/embeddings", "http://[::1]:1/v1"] {
        endpoint_embedder(at(url)).unwrap_or_else(|error| panic!("{url}: {error}"));
    }
}
