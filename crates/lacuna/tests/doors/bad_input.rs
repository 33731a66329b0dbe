//! Whatever is sent, the answer is a problem with a stable code, the data is untouched and the server alive.

use serde_json::json;

use crate::support::Home;

const JSON: &[(&str, &str)] = &[("content-type", "application/json")];
const MISSING: &str = "/v1/memories/mem_00000000000000000000000000000000";

struct Case {
    what: &'static str,
    method: &'static str,
    path: String,
    headers: &'static [(&'static str, &'static str)],
    body: Vec<u8>,
    status: u16,
    code: &'static str,
    field: Option<&'static str>,
}

fn post(what: &'static str, path: &str, body: impl Into<Vec<u8>>, status: u16, code: &'static str) -> Case {
    let (path, body) = (path.to_owned(), body.into());
    Case { what, method: "POST", path, headers: JSON, body, status, code, field: None }
}

fn get(what: &'static str, path: impl Into<String>, status: u16, code: &'static str) -> Case {
    Case { what, method: "GET", path: path.into(), headers: &[], body: Vec::new(), status, code, field: None }
}

impl Case {
    fn field(self, field: &'static str) -> Self {
        Self { field: Some(field), ..self }
    }
}

fn memory_cases() -> Vec<Case> {
    let memory = |what, body: &str, field| post(what, "/v1/memories", body, 422, "invalid").field(field);
    let tags: Vec<String> = (0..33).map(|n| n.to_string()).collect();
    vec![
        memory("no content", "{}", "content"),
        memory("empty content", r#"{"content":""}"#, "content"),
        memory("blank content", r#"{"content":" \n"}"#, "content"),
        memory("NUL in content", r#"{"content":"a\u0000b"}"#, "content"),
        memory("content of another type", r#"{"content":7}"#, "content"),
        memory("an unknown field", r#"{"content":"x","colour":"red"}"#, "colour"),
        memory("an unknown category", r#"{"content":"x","category":"hobby"}"#, "category"),
        memory("an unknown trust", r#"{"content":"x","source":{"trust":"total"}}"#, "source.trust"),
        memory("salience above 1", r#"{"content":"x","salience":1.5}"#, "salience"),
        memory("salience beyond f32", r#"{"content":"x","salience":1e300}"#, "salience"),
        memory("valence below -1", r#"{"content":"x","valence":-2}"#, "valence"),
        memory("a long gist", &json!({"content": "x", "gist": "g".repeat(281)}).to_string(), "gist"),
        memory("many tags", &json!({"content": "x", "tags": tags}).to_string(), "tags"),
        memory("a bad session", r#"{"content":"x","source":{"session_id":" s"}}"#, "session_id"),
        memory(
            "a bad source id",
            r#"{"content":"x","derived_from":[{"memory_id":"m","contribution":"primary"}]}"#,
            "memory_id",
        ),
        memory("not a time", r#"{"content":"x","created_at":"soon"}"#, "created_at"),
        memory("the future", r#"{"content":"x","created_at":"2999-01-01T00:00:00Z"}"#, "created_at"),
        memory(
            "an expiry in the past",
            r#"{"content":"x","expires_at":"2001-01-01T00:00:00Z"}"#,
            "expires_at",
        ),
        memory(
            "a transcript too long",
            &json!({"content": "x".repeat(1_000_001), "content_type": "transcript"}).to_string(),
            "content",
        ),
        post("half a JSON", "/v1/memories", "{\"content\":", 400, "malformed_json"),
        post("no JSON", "/v1/memories", "hello", 400, "malformed_json"),
        post("JSON and more", "/v1/memories", "{\"content\":\"x\"}{}", 400, "malformed_json"),
        post(
            "an infinite number",
            "/v1/memories",
            r#"{"content":"x","salience":1e999}"#,
            400,
            "malformed_json",
        ),
        post("nothing", "/v1/memories", "", 400, "malformed_json"),
        post("a list", "/v1/memories", "[1]", 422, "invalid"),
        post("not UTF-8", "/v1/memories", b"{\"content\":\"\xc3\x28\"}".as_slice(), 400, "invalid_utf8"),
        post("too large", "/v1/memories", vec![b' '; (8 << 20) + 1], 413, "too_large"),
        post("an empty batch", "/v1/memories/batch", r#"{"memories":[]}"#, 422, "invalid").field("memories"),
        post(
            "a batch too long",
            "/v1/memories/batch",
            json!({"memories": vec![json!({"content": "x"}); 2_001]}).to_string(),
            422,
            "invalid",
        )
        .field("memories"),
        Case { headers: &[], ..post("no type", "/v1/memories", "{}", 415, "unsupported_media_type") },
        Case {
            headers: &[("content-type", "text/plain")],
            ..post("another type", "/v1/memories", "{}", 415, "unsupported_media_type")
        },
    ]
}

fn search_cases() -> Vec<Case> {
    let search = |what, body: &str, field| post(what, "/v1/search", body, 422, "invalid").field(field);
    vec![
        search("an empty query", r#"{"query":" "}"#, "query"),
        search("NUL in the query", r#"{"query":"a\u0000"}"#, "query"),
        search("a long query", &json!({"query": "q".repeat(4_001)}).to_string(), "query"),
        search("no results wanted", r#"{"query":"x","max_results":0}"#, "max_results"),
        search("too many results wanted", r#"{"query":"x","max_results":101}"#, "max_results"),
        search("a negative count", r#"{"query":"x","max_results":-1}"#, "max_results"),
        search("similarity above 1", r#"{"query":"x","min_similarity":1.1}"#, "min_similarity"),
        search("an unreadable date", r#"{"query":"x","as_of":"next fishday"}"#, "as_of"),
        search("an unknown tier", r#"{"query":"x","tier_filter":["deep"]}"#, "tier_filter[0]"),
        search("an unknown field", r#"{"query":"x","limit":3}"#, "limit"),
    ]
}

fn path_cases() -> Vec<Case> {
    vec![
        get("a bad id", "/v1/memories/7", 422, "invalid").field("memory_id"),
        get("an id that is not UTF-8", "/v1/memories/%ff", 422, "invalid").field("path"),
        get("a missing id", MISSING, 404, "not_found"),
        Case { method: "DELETE", ..get("erasing a missing id", MISSING, 404, "not_found") },
        get("a bad cursor", "/v1/memories?cursor=zzz", 422, "invalid").field("cursor"),
        get("no page", "/v1/memories?limit=0", 422, "invalid").field("limit"),
        get("a huge page", "/v1/memories?limit=501", 422, "invalid").field("limit"),
        get("a limit in words", "/v1/memories?limit=ten", 422, "invalid").field("limit"),
        get("two limits", "/v1/memories?limit=1&limit=2", 422, "invalid").field("limit"),
        get("an unknown parameter", "/v1/memories?colour=red", 422, "invalid").field("colour"),
        get("an unknown category", "/v1/memories?category=x", 422, "invalid").field("category"),
        get("not a time", "/v1/memories?after=soon", 422, "invalid").field("after"),
        get("an unknown path", "/v2/memories", 404, "unknown_route"),
        get("a path too far", "/v1/memories/a/b", 404, "unknown_route"),
        Case { method: "PUT", ..get("another method", "/v1/memories", 405, "method_not_allowed") },
        Case { method: "PATCH", ..get("another method", MISSING, 405, "method_not_allowed") },
        post("a token without roles", "/v1/tokens", r#"{"user":"u","roles":[]}"#, 422, "invalid")
            .field("roles"),
        post("an unknown role", "/v1/tokens", r#"{"user":"u","roles":["god"]}"#, 422, "invalid")
            .field("roles[0]"),
        post("a bad user", "/v1/tokens", r#"{"user":"","roles":["user"]}"#, 422, "invalid").field("user"),
        Case { method: "DELETE", ..get("a bad token id", "/v1/tokens/7", 422, "invalid").field("token_id") },
    ]
}

#[test]
fn bad_requests_are_refused_by_code_and_field_and_change_nothing() {
    let home = Home::new();
    let server = home.serve(&[]);
    server.post("/v1/memories", &json!({"content": "the one memory"})).expect(201);
    let before = server.get("/v1/audit/verify").expect(200);
    for case in memory_cases().into_iter().chain(search_cases()).chain(path_cases()) {
        let answer = server.send(case.method, &case.path, case.headers, &case.body);
        let text = answer.text();
        assert_eq!(answer.status, case.status, "{}: {text}", case.what);
        let problem = answer.refused(case.status, case.code);
        assert_eq!(problem["field"].as_str(), case.field, "{}: {text}", case.what);
        assert!(text.len() < 2_000, "{}: an answer repeats what was sent", case.what);
        for word in ["title", "detail", "remedy"] {
            assert!(problem[word].as_str().is_some_and(|told| !told.is_empty()), "{}: {text}", case.what);
        }
    }
    assert_eq!(server.get("/v1/audit/verify").expect(200), before);
    let listed = server.get("/v1/memories").expect(200);
    assert_eq!(listed["memories"].as_array().unwrap().len(), 1);
    assert_eq!(listed["memories"][0]["gist"], "the one memory");
}

#[test]
fn bad_commands_are_refused_by_code_and_exit_code_and_change_nothing() {
    let home = Home::new();
    let id = home.remember("the one memory");
    let missing = &MISSING[13..];
    let cases: &[(&[&str], &[u8], i32, &str)] = &[
        (&["remember", ""], b"", 2, "invalid"),
        (&["remember", "x", "--salience", "2"], b"", 2, "invalid"),
        (&["remember", "x", "--salience", "NaN"], b"", 2, "invalid"),
        (&["remember", "x", "--salience", "much"], b"", 2, "usage"),
        (&["remember", "x", "--category", "hobby"], b"", 2, "usage"),
        (&["remember", "x", "--expires", "soon"], b"", 2, "usage"),
        (&["remember"], b"", 2, "usage"),
        (&["remember", "--tga"], b"", 2, "usage"),
        (&["remember", "x", "--salience", "-1"], b"", 2, "invalid"),
        (&["remember", "-"], b"", 2, "invalid"),
        (&["remember", "-"], b"\xff\xfe", 2, "invalid_utf8"),
        (&["remember", "-"], b"a\0b", 2, "invalid"),
        (&["recall", ""], b"", 2, "invalid"),
        (&["recall", "x", "--limit", "0"], b"", 2, "invalid"),
        (&["recall", "x", "--min-similarity", "7"], b"", 2, "invalid"),
        (&["recall", "x", "--min-similarity", "inf"], b"", 2, "invalid"),
        (&["recall", "x", "--as-of", "fishday"], b"", 2, "usage"),
        (&["memory", "list", "--cursor", "zzz"], b"", 2, "invalid"),
        (&["memory", "inspect", "7"], b"", 2, "invalid"),
        (&["memory", "inspect", missing], b"", 3, "not_found"),
        (&["memory", "delete", missing, "--yes"], b"", 3, "not_found"),
        (&["memory", "delete", &id], b"", 2, "needs_confirmation"),
        (&["memory", "delete", &id], b"y\n", 2, "needs_confirmation"),
        (&["token", "create", "--user", "u", "--role", "god"], b"", 2, "usage"),
        (&["token", "create", "--user", "", "--role", "user"], b"", 2, "invalid"),
        (&["token", "revoke", "7"], b"", 2, "invalid"),
        (&["sing"], b"", 2, "usage"),
        (&["memory", "list", "--org", " x"], b"", 7, "bad_config"),
        (&["memory", "list", "--embedder", "magic"], b"", 7, "bad_config"),
        (&["memory", "list", "--config", "/nonexistent"], b"", 7, "bad_config"),
        (&["serve", "--listen", "here"], b"", 7, "bad_config"),
    ];
    for (args, input, exit, code) in cases {
        let with_json: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let done = home.run_with_input(&with_json, input);
        let problem = done.problem();
        assert_eq!(problem["code"], *code, "{args:?}: {problem}");
        assert_eq!(done.code, *exit, "{args:?}: {problem}");
        assert!(done.stdout.is_empty(), "{args:?}: {}", done.stdout);
        // People get a sentence with the same code and what to do (clap words its own).
        let done = home.run_with_input(args, input);
        assert_eq!(done.code, *exit, "{args:?}");
        if *code != "usage" {
            assert!(
                done.stderr.contains(&format!("error[{code}]")) && done.stderr.contains("what to do"),
                "{args:?}"
            );
        }
    }
    assert_eq!(home.json(&["memory", "list"])["memories"].as_array().unwrap().len(), 1);
    home.run(&["audit", "verify"]).ok();
}

#[test]
fn an_unknown_setting_is_refused_by_name() {
    let home = Home::new().with("LACUNA_PASPHRASE", "hunter2");
    let done = home.run(&["memory", "list"]);
    assert_eq!(done.code, 7);
    assert!(done.stderr.contains("LACUNA_PASPHRASE") && !done.stderr.contains("hunter2"), "{}", done.stderr);
    assert!(!home.data().exists());
}

#[test]
fn text_of_memories_cannot_act_on_the_terminal() {
    let home = Home::new();
    let evil = "\u{1b}]0;owned\u{7}\u{1b}[2J pay the invoice \u{9b}31m\u{202e}";
    let done = home.run_with_input(&["remember", "-"], evil.as_bytes()).ok();
    let id = done.stdout.split_whitespace().find(|word| word.starts_with("mem_")).unwrap().to_owned();
    for args in [&["recall", "pay the invoice"][..], &["memory", "list"], &["memory", "inspect", &id]] {
        for json in [false, true] {
            let args: Vec<&str> = args.iter().copied().chain(json.then_some("--json")).collect();
            let shown = home.run(&args).ok().stdout;
            assert!(shown.contains("pay the invoice"), "{args:?}: {shown}");
            assert!(
                !shown.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}'),
                "{args:?}: {shown:?}"
            );
        }
    }
    let kept = evil.trim_end_matches('\u{202e}');
    assert_eq!(home.json(&["memory", "inspect", &id])["content"], kept, "only the override is taken out");
}
