//! mem0's own clients, unchanged but for their host. `cargo xtask test` installs them.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Answer, Home, Server};

const PYTHON_STORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doors/mem0_story.py");
const NODE_STORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doors/mem0_story.mjs");

fn tools() -> Option<PathBuf> {
    let folder = std::env::var_os("LACUNA_TEST_ADAPTER_TOOLS").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: no packages for the adapters; `cargo xtask test` installs them");
    }
    folder
}

/// Runs a client's story against a server with tokens.
fn story(program: &str, script: &str) {
    let Some(tools) = tools() else { return };
    let home = Home::new().quiet_mem0();
    let server = home.serve(&[]);
    let token = home.token("ava", "user", &[])["secret"].as_str().unwrap().to_owned();
    let modules = tools.join("node/node_modules");
    let home = home.with("NODE_PATH", modules.to_str().unwrap());
    let done = home.program(&tools.join(program), &[script, &format!("{}/mem0", server.url), &token]);
    assert_eq!(done.code, 0, "{}\n{}", done.stdout, done.stderr);
    assert!(done.stdout.contains("done"), "{}\n{}", done.stdout, done.stderr);
    // It leaves receipts, and a chain that holds.
    let mut server = server;
    let verified = server.bearing(&token).get("/v1/audit/verify").expect(200);
    assert!(verified["entries"].as_u64().unwrap() > 10, "{verified}");
}

#[test]
fn the_python_client_works_unchanged() {
    story("python/bin/python", PYTHON_STORY);
}

#[test]
fn the_npm_client_works_unchanged() {
    story("node/node_modules/node/bin/node", NODE_STORY);
}

fn call(server: &Server, method: &str, path: &str, token: &str, body: &Value) -> Answer {
    let token = format!("Token {token}");
    let headers = [("content-type", "application/json"), ("authorization", token.as_str())];
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    server.send(method, &format!("/mem0{path}"), &headers, &body)
}

#[test]
fn every_path_of_both_servers_answers_and_only_with_a_token() {
    let home = Home::new();
    let server = home.serve(&[]);
    let token = home.token("ava", "user", &[])["secret"].as_str().unwrap().to_owned();
    let ask = |method: &str, path: &str, body: Value| call(&server, method, path, &token, &body);
    assert_eq!(ask("GET", "/v1/ping/", Value::Null).expect(200)["status"], "ok");
    let mut ids = Vec::new();
    for path in ["/v3/memories/add/", "/v1/memories/", "/memories"] {
        let body = json!({"messages": [{"role": "user", "content": "I like the quiet carriage."}], "user_id": "ada"});
        let added = ask("POST", path, body).expect(200);
        ids.push(added["results"][0]["id"].as_str().unwrap().to_owned());
    }
    ids.dedup();
    assert_eq!(ids.len(), 3, "equal texts are three memories");
    for path in ["/v3/memories/search/", "/v2/memories/search/", "/v1/memories/search/", "/search"] {
        let body = json!({"query": "Where do I sit?", "filters": {"user_id": "ada"}, "top_k": 2});
        assert_eq!(ask("POST", path, body).expect(200)["results"].as_array().unwrap().len(), 2, "{path}");
    }
    for (method, path) in
        [("POST", "/v3/memories/"), ("POST", "/v2/memories/"), ("GET", "/memories?user_id=ada")]
    {
        let body = if method == "POST" { json!({"filters": {"user_id": "ada"}}) } else { Value::Null };
        assert_eq!(ask(method, path, body).expect(200)["count"], 3, "{path}");
    }
    let id = &ids[0];
    ask("PUT", &format!("/memories/{id}"), json!({"data": "I like the loud carriage."})).expect(200);
    let history = ask("GET", &format!("/v1/memories/{id}/history/"), Value::Null);
    assert!(!history.text().contains("quiet"), "an erased text is nowhere: {}", history.text());
    assert_eq!(history.json()[1]["event"], "UPDATE");
    let entities = ask("GET", "/entities", Value::Null).expect(200);
    assert_eq!(
        entities["results"][0],
        json!({"id": "ada", "name": "ada", "type": "user", "total_memories": 3,
        "created_at": entities["results"][0]["created_at"], "updated_at": entities["results"][0]["updated_at"]})
    );
    let refused = ask("DELETE", "/v1/memories/", Value::Null);
    assert_eq!((refused.status, refused.header("content-type")), (400, Some("application/json")));
    let health = json!({"messages": "I was diagnosed with diabetes.", "user_id": "ada"});
    let refused = ask("POST", "/v3/memories/add/", health).expect(400);
    assert_eq!(refused["code"], "explicit_consent_required");
    let reset = ask("POST", "/reset", Value::Null).expect(200);
    assert_eq!(reset["receipts"][0]["counts"]["keys_destroyed"], 3);
    assert_eq!(ask("GET", &format!("/memories/{id}"), Value::Null).status, 404);
    assert_eq!(ask("GET", "/v1/nowhere/", Value::Null).status, 404);

    // The server of one's own has another header, which opens nothing else.
    let key = [("x-api-key", token.as_str())];
    assert_eq!(server.send("GET", "/mem0/memories?user_id=ada", &key, b"").status, 200);
    assert_eq!(server.send("GET", "/v1/memories", &key, b"").status, 401);
    let scheme = format!("Token {token}");
    assert_eq!(server.send("GET", "/v1/memories", &[("authorization", scheme.as_str())], b"").status, 401);
    assert_eq!(call(&server, "GET", "/v1/ping/", "lac_wrong", &Value::Null).status, 401);
    assert_eq!(server.send("GET", "/mem0/v1/ping/", &[], b"").status, 401);
    let other = home.token("ben", "user", &[])["secret"].as_str().unwrap().to_owned();
    assert_eq!(call(&server, "GET", "/memories?user_id=ada", &other, &Value::Null).expect(200)["count"], 0);
}
