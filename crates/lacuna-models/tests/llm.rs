//! The clients of language models against a real server on this machine that speaks their APIs, well and badly.
// A test server that cannot run is a failed test.
#![allow(clippy::unwrap_used)]

#[path = "support/scripted_server.rs"]
mod scripted_server;

use std::time::Duration;

use lacuna_models::{ApiKey, LLM_ANSWER_BYTES_MAX, LlmConfig, LlmKind, llm};
use lacuna_types::llm::{Claim, ClaimKind, Condensed, ForgetProposal, SpokenTurn};
use lacuna_types::{Error, Result};
use serde_json::{Value, json};

use crate::scripted_server::{Reply, ScriptedServer, completion};

const KEY: &str = "sk-canary-key-91bd";
const TEXT: &str = "canary: the heron nests behind the mill";

fn config(server: &ScriptedServer, kind: LlmKind) -> LlmConfig {
    LlmConfig {
        api_key: Some(ApiKey::new(KEY.into())),
        retries: 2,
        retry_pause: Duration::from_millis(1),
        ..LlmConfig::new(kind, &server.url, "test-model")
    }
}

fn condense(server: &ScriptedServer, kind: LlmKind) -> Result<Condensed> {
    ask(config(server, kind))
}

fn propose(server: &ScriptedServer, kind: LlmKind) -> Result<ForgetProposal> {
    llm(config(server, kind))?.propose("forget the bird", &[TEXT, "The mill is old."])
}

fn ask(config: LlmConfig) -> Result<Condensed> {
    llm(config)?.condense(&[
        SpokenTurn { speaker: "Ana", text: TEXT },
        SpokenTurn { speaker: "Ben", text: "Since April." },
    ])
}

/// The error, after checking that neither it nor its causes hold the text or the key.
fn failure<T>(result: Result<T>) -> Error {
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
        let server = ScriptedServer::says(&answer);
        let condensed = condense(&server, kind).unwrap();
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
fn a_proposal_is_asked_for_by_number_and_read_with_the_numbers_from_zero() {
    let answer = json!({"topic": "heron", "meant": [1, 0, -3, 9, 9_223_372_036_854_775_807_i64]});
    for kind in [LlmKind::OpenAi, LlmKind::Anthropic] {
        let server = ScriptedServer::says(&answer);
        let ForgetProposal { topic, meant } = propose(&server, kind).unwrap();
        assert_eq!((topic.as_str(), meant[0], meant[3]), ("heron", 0, 8));
        assert!(meant[1] > 1_000 && meant[2] > 1_000 && meant[4] > 1_000, "{meant:?}");
        let (_, body) = server.requests().remove(0);
        let shown = body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap();
        let (mark, rest) = shown.split_once('\n').unwrap();
        let data: Value = serde_json::from_str(rest.strip_suffix(mark).unwrap()).unwrap();
        let texts = json!([{"number": 1, "text": TEXT}, {"number": 2, "text": "The mill is old."}]);
        assert_eq!(data, json!({"request": "forget the bird", "texts": texts}));
    }
    let empty = propose(&ScriptedServer::says(&json!({})), LlmKind::OpenAi).unwrap();
    assert!(empty.topic.is_empty() && empty.meant.is_empty());
    for nonsense in ["canary", "{\"meant\": [\"one\"]}", "{\"topic\": 7}", "[1, 2]"] {
        let server = ScriptedServer::start(&[Reply::Says(nonsense.into())]);
        assert_eq!(failure(propose(&server, LlmKind::OpenAi)).code(), "llm_unavailable", "{nonsense}");
    }
}

fn formats(server: &ScriptedServer) -> Vec<Value> {
    server.requests().into_iter().map(|(_, body)| body["response_format"]["type"].clone()).collect()
}

#[test]
fn a_server_of_openais_api_gets_the_schema_of_the_answer_with_its_limits() {
    let server = ScriptedServer::says(&json!({"topic": "heron", "meant": [2]}));
    assert_eq!(propose(&server, LlmKind::OpenAi).unwrap().meant, [1]);
    assert!(condense(&server, LlmKind::OpenAi).unwrap().claims.is_empty());
    let schemas: Vec<Value> = server
        .requests()
        .into_iter()
        .map(|(_, body)| body["response_format"]["json_schema"]["schema"].clone())
        .collect();
    let numbers = |last: usize, length: usize| {
        let item = json!({"type": "integer", "minimum": 1, "maximum": last});
        json!({"type": "array", "maxItems": length, "items": item})
    };
    let proposal = json!({
        "type": "object",
        "required": ["meant", "topic"],
        "additionalProperties": false,
        "properties": {"topic": {"type": "string", "maxLength": 60}, "meant": numbers(2, 2)},
    });
    assert_eq!(schemas[0], proposal);
    let fact = &schemas[1]["properties"]["facts"]["items"]["properties"];
    assert_eq!(fact["turns"], numbers(2, 4));
    assert_eq!(fact["kind"]["enum"], json!(["fact", "preference", "pattern", "decision"]));
    let text_limits = [&schemas[1]["properties"]["summary"], &fact["text"]].map(|text| &text["maxLength"]);
    assert_eq!(text_limits, [&json!(1_500), &json!(240)]);
    assert_eq!(schemas[1]["properties"]["facts"]["maxItems"], 24);

    let none = llm(config(&server, LlmKind::OpenAi)).unwrap().propose("forget the bird", &[]).unwrap();
    assert_eq!(none.topic, "heron");
    let (_, body) = server.requests().remove(2);
    assert_eq!(body["response_format"]["json_schema"]["schema"]["required"], json!(["topic"]));
    propose(&server, LlmKind::Anthropic).unwrap();
    assert_eq!(server.requests()[3].1.get("response_format"), None);
}

#[test]
fn a_server_that_refuses_schemas_is_asked_without_one_and_only_once_with() {
    for refusal in [400, 422] {
        let says = Reply::Says("{\"topic\": \"heron\"}".into());
        let server = ScriptedServer::start(&[Reply::Status(refusal), says]);
        let model = llm(config(&server, LlmKind::OpenAi)).unwrap();
        for _ in 0..3 {
            assert_eq!(model.propose("forget the bird", &[TEXT]).unwrap().topic, "heron");
        }
        assert_eq!(formats(&server), ["json_schema", "json_object", "json_object", "json_object"]);
    }
}

#[test]
fn a_refusal_that_is_not_about_the_schema_leaves_it_in_use() {
    let says = || Reply::Says("{\"topic\": \"heron\"}".into());
    let server = ScriptedServer::start(&[Reply::Status(400), Reply::Status(400), says()]);
    let model = llm(config(&server, LlmKind::OpenAi)).unwrap();
    assert_eq!(failure(model.propose("forget the bird", &[TEXT])).code(), "llm_misconfigured");
    assert_eq!(model.propose("forget the bird", &[TEXT]).unwrap().topic, "heron");
    assert_eq!(formats(&server), ["json_schema", "json_object", "json_schema"]);

    let unknown_model = ScriptedServer::start(&[Reply::Status(404)]);
    assert_eq!(failure(propose(&unknown_model, LlmKind::OpenAi)).code(), "llm_misconfigured");
    assert_eq!(formats(&unknown_model), ["json_schema"]);
}

#[test]
fn an_answer_that_does_not_keep_to_the_schema_is_no_answer() {
    let cut = |text: &str| Reply::Body(completion(text, "length").to_string());
    let table = [
        ("nonsense", Reply::Says("the the the canary the".into())),
        ("another shape", Reply::Says("{\"meant\": {\"canary\": 1}}".into())),
        ("cut in a text", cut("{\"meant\": [1], \"topic\": \"canary")),
        ("cut in a list", cut("{\"topic\": \"canary\", \"meant\": [1, 1, 1,")),
        ("too long", Reply::Says(format!("{{\"topic\": \"{}\"}}", "canary ".repeat(40_000)))),
    ];
    for (name, reply) in table {
        let server = ScriptedServer::start(&[reply]);
        assert_eq!(failure(propose(&server, LlmKind::OpenAi)).code(), "llm_unavailable", "{name}");
        assert_eq!(formats(&server), ["json_schema"], "{name}: it is not asked again");
    }
}

#[test]
fn json_between_other_words_is_found_and_missing_fields_are_empty() {
    let fenced =
        ScriptedServer::start(&[Reply::Says("Here it is:\n```json\n{\"summary\": \"ok\"}\n```".into())]);
    let condensed = condense(&fenced, LlmKind::OpenAi).unwrap();
    assert!(condensed.summary == "ok" && condensed.claims.is_empty());
    let empty = condense(&ScriptedServer::says(&json!({})), LlmKind::Anthropic).unwrap();
    assert!(empty.summary.is_empty() && empty.claims.is_empty());
}

#[test]
fn what_passes_is_tried_again_and_what_stays_is_given_up() {
    let server = ScriptedServer::start(&[
        Reply::Status(529),
        Reply::Status(429),
        Reply::Says("{\"summary\": \"ok\"}".into()),
    ]);
    assert_eq!(condense(&server, LlmKind::Anthropic).unwrap().summary, "ok");
    let down = ScriptedServer::start(&[Reply::Status(500)]);
    assert_eq!(failure(condense(&down, LlmKind::OpenAi)).code(), "llm_unavailable");
    assert_eq!(down.requests().len(), 3);
}

#[test]
fn a_silent_model_times_out() {
    let server = ScriptedServer::start(&[Reply::Hang]);
    let config =
        LlmConfig { timeout: Duration::from_millis(50), retries: 0, ..config(&server, LlmKind::OpenAi) };
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
        let server = ScriptedServer::start(&[reply]);
        assert_eq!(failure(condense(&server, LlmKind::OpenAi)).code(), "llm_unavailable", "{name}");
        assert_eq!(server.requests().len(), 1, "{name}");
    }
}

#[test]
fn a_refusal_is_for_the_operator() {
    for status in [400, 401, 403, 404, 307] {
        let server = ScriptedServer::start(&[Reply::Status(status)]);
        assert_eq!(failure(condense(&server, LlmKind::Anthropic)).code(), "llm_misconfigured", "{status}");
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
