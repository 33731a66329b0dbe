//! The clients of language models against a real server on this machine that speaks their APIs, well and badly.
// A test server that cannot run is a failed test.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use lacuna_models::{ApiKey, LLM_ANSWER_BYTES_MAX, LlmConfig, LlmKind, llm};
use lacuna_types::llm::{Claim, ClaimKind, Condensed, SpokenTurn};
use lacuna_types::{Error, Result};
use serde_json::{Value, json};

const KEY: &str = "sk-canary-key-91bd";
const TEXT: &str = "canary: the heron nests behind the mill";

#[derive(Clone)]
enum Reply {
    /// The model's text, in the wrapping of the API that was asked.
    Says(String),
    Status(u16),
    Body(String),
    Hang,
}

struct Server {
    url: String,
    seen: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Server {
    /// Answers with the replies in turn, and with the last one from then on.
    fn start(replies: &[Reply]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (replies, log) = (replies.to_vec(), Arc::clone(&seen));
        thread::spawn(move || {
            for (number, stream) in listener.incoming().map_while(std::result::Result::ok).enumerate() {
                let (reply, log) = (replies[number.min(replies.len() - 1)].clone(), Arc::clone(&log));
                thread::spawn(move || serve(stream, &reply, &log));
            }
        });
        Self { url, seen }
    }

    fn says(answer: &Value) -> Self {
        Self::start(&[Reply::Says(answer.to_string())])
    }

    fn config(&self, kind: LlmKind) -> LlmConfig {
        LlmConfig {
            api_key: Some(ApiKey::new(KEY.into())),
            retries: 2,
            retry_pause: Duration::from_millis(1),
            ..LlmConfig::new(kind, &self.url, "test-model")
        }
    }

    fn condense(&self, kind: LlmKind) -> Result<Condensed> {
        ask(self.config(kind))
    }

    fn requests(&self) -> Vec<(String, Value)> {
        self.seen.lock().unwrap().clone()
    }
}

fn ask(config: LlmConfig) -> Result<Condensed> {
    llm(config)?.condense(&[
        SpokenTurn { speaker: "Ana", text: TEXT },
        SpokenTurn { speaker: "Ben", text: "Since April." },
    ])
}

fn serve(mut stream: TcpStream, reply: &Reply, log: &Mutex<Vec<(String, Value)>>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        reader.read_line(&mut head).ok().filter(|read| *read > 0)?;
    }
    let length =
        head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length?];
    reader.read_exact(&mut body).ok()?;
    log.lock().unwrap().push((head.clone(), serde_json::from_slice(&body).ok()?));
    let (status, body) = match reply {
        Reply::Says(text) if head.contains("/chat/completions") => {
            (200, json!({"choices": [{"message": {"role": "assistant", "content": text}}]}).to_string())
        }
        Reply::Says(text) => (200, json!({"content": [{"type": "text", "text": text}]}).to_string()),
        Reply::Status(status) => (*status, format!("{{\"error\": \"{TEXT} {KEY}\"}}")),
        Reply::Body(body) => (200, body.clone()),
        Reply::Hang => {
            // Until the client gives up and closes.
            let _ = reader.read(&mut [0]);
            return None;
        }
    };
    let head =
        format!("HTTP/1.1 {status} Test\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(body.as_bytes()).ok()
}

/// The error, after checking that neither it nor its causes hold the text or the key.
fn failure(result: Result<Condensed>) -> Error {
    let error = result.err().expect("this server gives no answer");
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
fn both_apis_are_spoken_and_their_answers_read() {
    let answer = json!({
        "summary": "A heron nests behind the mill.",
        "facts": [
            {"text": "The heron nests behind the mill.", "turns": [1], "kind": "fact"},
            {"text": "Ben likes herons.", "turns": [2, 1], "kind": "preference"},
            {"text": "No turn says this.", "kind": "surmise"},
        ],
    });
    for kind in [LlmKind::OpenAi, LlmKind::Anthropic] {
        let server = Server::says(&answer);
        let condensed = server.condense(kind).unwrap();
        assert_eq!(condensed.summary, "A heron nests behind the mill.");
        let claim =
            |text: &str, kind, turns: &[usize]| Claim { text: text.into(), kind, turns: turns.to_vec() };
        let expected = [
            claim("The heron nests behind the mill.", ClaimKind::Fact, &[0]),
            claim("Ben likes herons.", ClaimKind::Preference, &[1, 0]),
            claim("No turn says this.", ClaimKind::Fact, &[]),
        ];
        assert_eq!(condensed.claims, expected);
        let (head, body) = server.requests().remove(0);
        let head = head.to_lowercase();
        let (path, auth) = match kind {
            LlmKind::OpenAi => ("post /v1/chat/completions http", format!("authorization: bearer {KEY}")),
            LlmKind::Anthropic => ("post /v1/messages http", format!("x-api-key: {KEY}")),
        };
        assert!(head.starts_with(path) && head.contains(&auth), "{head}");
        assert_eq!(
            (head.contains("anthropic-version: "), body["model"].as_str()),
            (kind == LlmKind::Anthropic, Some("test-model"))
        );
        let shown = body["messages"].as_array().unwrap().last().unwrap();
        assert!(shown["role"] == "user" && shown["content"].as_str().unwrap().contains(TEXT));
    }
}

#[test]
fn json_between_other_words_is_found_and_missing_fields_are_empty() {
    let fenced = Server::start(&[Reply::Says("Here it is:\n```json\n{\"summary\": \"ok\"}\n```".into())]);
    let condensed = fenced.condense(LlmKind::OpenAi).unwrap();
    assert!(condensed.summary == "ok" && condensed.claims.is_empty());
    let empty = Server::says(&json!({})).condense(LlmKind::Anthropic).unwrap();
    assert!(empty.summary.is_empty() && empty.claims.is_empty());
}

#[test]
fn what_passes_is_tried_again_and_what_stays_is_given_up() {
    let server =
        Server::start(&[Reply::Status(529), Reply::Status(429), Reply::Says("{\"summary\": \"ok\"}".into())]);
    assert_eq!(server.condense(LlmKind::Anthropic).unwrap().summary, "ok");
    let down = Server::start(&[Reply::Status(500)]);
    assert_eq!(failure(down.condense(LlmKind::OpenAi)).code(), "llm_unavailable");
    assert_eq!(down.requests().len(), 3);
}

#[test]
fn a_silent_model_times_out() {
    let server = Server::start(&[Reply::Hang]);
    let config =
        LlmConfig { timeout: Duration::from_millis(50), retries: 0, ..server.config(LlmKind::OpenAi) };
    let error = failure(ask(config));
    assert!(error.code() == "llm_unavailable" && error.to_string().contains("in time"), "{error}");
}

#[test]
fn a_bad_answer_is_never_passed_on() {
    let table = [
        ("garbage", Reply::Body("<html>canary</html>".into())),
        ("empty", Reply::Body(String::new())),
        ("no choice", Reply::Body("{\"choices\": []}".into())),
        ("no text", Reply::Body("{\"choices\": [{\"message\": {\"content\": null}}]}".into())),
        ("prose", Reply::Says(TEXT.into())),
        ("half an object", Reply::Says("{\"summary\": \"canary".into())),
        ("braces the wrong way round", Reply::Says("} canary {".into())),
        ("numbers for words", Reply::Says("{\"summary\": 7}".into())),
        ("oversized", Reply::Says(" ".repeat(LLM_ANSWER_BYTES_MAX as usize))),
    ];
    for (name, reply) in table {
        let server = Server::start(&[reply]);
        assert_eq!(failure(server.condense(LlmKind::OpenAi)).code(), "llm_unavailable", "{name}");
        assert_eq!(server.requests().len(), 1, "{name}");
    }
}

#[test]
fn a_refusal_is_for_the_operator() {
    for status in [400, 401, 403, 404, 307] {
        let server = Server::start(&[Reply::Status(status)]);
        assert_eq!(failure(server.condense(LlmKind::Anthropic)).code(), "llm_misconfigured", "{status}");
    }
}

#[test]
fn a_bad_setting_is_refused_before_anything_is_sent() {
    let at = |url: &str| LlmConfig::new(LlmKind::OpenAi, url, "m");
    let good = || at("https://api.example.com/v1");
    let table = [
        ("plain http elsewhere", at("http://api.example.com/v1")),
        ("another scheme", at("file:///etc/passwd")),
        ("a password in the address", at("https://user:secret@api.example.com/v1")),
        ("no model", LlmConfig::new(LlmKind::OpenAi, "https://api.example.com/v1", "")),
        ("endless retries", LlmConfig { retries: 1_000, ..good() }),
        ("no time", LlmConfig { timeout: Duration::ZERO, ..good() }),
        ("a key with a line break", LlmConfig { api_key: Some(ApiKey::new("a\nb".into())), ..good() }),
    ];
    for (name, config) in table {
        let error = llm(config).err().unwrap_or_else(|| panic!("{name} was accepted"));
        assert!(
            error.code() == "llm_misconfigured" && !error.to_string().contains("secret"),
            "{name}: {error}"
        );
    }
    for url in
        ["https://api.example.com/v1/", "http://localhost:8080/v1/chat/completions", "http://[::1]:1/v1"]
    {
        llm(at(url)).unwrap_or_else(|error| panic!("{url}: {error}"));
    }
}
