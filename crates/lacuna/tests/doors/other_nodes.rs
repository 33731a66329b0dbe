//! Requests of one person that reach different nodes. Two servers over one data folder share what nodes share, and hold by
//! themselves what nodes hold by themselves (`docs/operations.md`, "Several nodes").

use serde_json::{Value, json};

use crate::mcp::{calling, event, post, session};
use crate::support::{Answer, Home, Server};

fn write_with_key(server: &Server, text: &str) -> Answer {
    let headers = [("content-type", "application/json"), ("idempotency-key", "k-1")];
    server.send("POST", "/v1/memories", &headers, json!({"content": text}).to_string().as_bytes())
}

fn listed(server: &Server) -> usize {
    server.get("/v1/memories").expect(200)["memories"].as_array().unwrap().len()
}

/// On SQLite, which nodes do not share; `shared_keys` has PostgreSQL.
#[test]
fn an_idempotency_key_at_another_node_is_a_new_request_that_stores_no_second_copy() {
    let home = Home::new();
    let (one, other) = (home.serve(&[]), home.serve(&[]));
    let first = write_with_key(&one, "The heron stands in the pond.").expect(201);
    let again = write_with_key(&other, "The heron stands in the pond.");
    assert_eq!(again.header("idempotency-replayed"), None);
    assert_eq!(again.expect(201)["memory_id"], first["memory_id"], "the text was already there");
    assert_eq!((listed(&one), listed(&other)), (1, 1));
    // Only the node that knows the key can tell that another request has it.
    write_with_key(&other, "The heron has flown.").refused(422, "idempotency_reused");
    write_with_key(&home.serve(&[]), "The heron has flown.").expect(201);
    assert_eq!((listed(&one), listed(&other)), (2, 2));
}

#[test]
fn a_session_at_another_node_is_not_found_so_that_the_client_opens_a_new_one() {
    let home = Home::new();
    let (one, other) = (home.serve(&[]), home.serve(&[]));
    let first = session(&one);
    let in_first = [("mcp-session-id", first.as_str())];
    let fact = json!({"content": "The lamp oil is in the crypt", "said_by": "user"});
    event(&post(&one, &in_first, &calling("remember", &fact)));

    let recall = calling("recall", &json!({"query": "where is the lamp oil?"}));
    post(&other, &in_first, &recall).refused(404, "not_found");
    let listening = [("accept", "text/event-stream"), in_first[0]];
    other.send("GET", "/mcp", &listening, b"").refused(404, "not_found");
    other.send("DELETE", "/mcp", &in_first, b"").refused(404, "not_found");
    let second = session(&other);
    let found = event(&post(&other, &[("mcp-session-id", second.as_str())], &recall));
    assert!(found.to_string().contains("in the crypt"), "{found}");
    // The session of the first node lives on.
    let found = event(&post(&one, &in_first, &recall));
    assert!(found.to_string().contains("in the crypt"), "{found}");
}

#[test]
fn limits_are_counted_by_each_node() {
    let home = Home::new().with("LACUNA_LIMITS_WRITES_PER_MINUTE", "1");
    let nodes = [home.serve(&[]), home.serve(&[])];
    for (at, node) in nodes.iter().enumerate() {
        let write = |text: String| node.post("/v1/memories", &json!({"content": text}));
        write(format!("The boat of pier {at} is blue.")).expect(201);
        write(format!("The mast of pier {at} is red.")).refused(429, "rate_limited");
    }
}

#[test]
fn what_a_conversation_saw_lately_is_known_to_the_node_that_showed_it() {
    let home = Home::new();
    let tea = home.remember("The harbour master drinks smoked tea.");
    let (one, other) = (home.serve(&[]), home.serve(&[]));
    let turn = "Which tea does the harbour master like?";
    let asked = json!({"turn": turn, "session_id": "talk", "max_memories": 1});
    let shown = |node: &Server| -> Value { node.post("/v1/context", &asked).expect(200) };
    assert_eq!(shown(&one)["items"][0]["memory_id"], json!(tea));
    assert_eq!(shown(&one)["cooling"], 1);
    let elsewhere = shown(&other);
    assert_eq!((&elsewhere["items"][0]["memory_id"], &elsewhere["cooling"]), (&json!(tea), &json!(0)));
}

#[test]
fn a_tag_of_another_node_is_read_again() {
    let home = Home::new();
    let path = format!("/v1/memories/{}", home.remember("The boat is blue."));
    let (one, other) = (home.serve(&[]), home.serve(&[]));
    let answer = one.get(&path);
    let tag = answer.header("etag").unwrap();
    let with = |node: &Server, method: &str, name: &str| node.send(method, &path, &[(name, tag)], b"");
    assert_eq!(with(&one, "GET", "if-none-match").status, 304);
    assert_eq!(with(&other, "GET", "if-none-match").status, 200);
    with(&other, "DELETE", "if-match").refused(412, "precondition_failed");
    assert_eq!(listed(&other), 1);
}
