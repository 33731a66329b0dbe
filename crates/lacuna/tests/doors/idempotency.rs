//! `Idempotency-Key`: what is sent twice is done once.

use std::io::Write;
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::support::{Answer, Home, Server, contents};

const CANARY: &str = "canary-51d2-gentian";

fn post(server: &Server, path: &str, key: &str, body: &Value) -> Answer {
    let headers = [("content-type", "application/json"), ("idempotency-key", key)];
    server.send("POST", path, &headers, body.to_string().as_bytes())
}

fn repeats(server: &Server, answer: &Value) -> Value {
    let id = answer["memory_id"].as_str().unwrap();
    server.get(&format!("/v1/memories/{id}")).expect(200)["repeats"].clone()
}

#[test]
fn the_same_request_gets_the_first_answer_again_and_another_one_is_refused() {
    let home = Home::new();
    let server = home.serve(&[]);
    let body = json!({"content": "the heron stands in the pond"});
    let first = post(&server, "/v1/memories", "k-1", &body);
    assert_eq!((first.status, first.header("idempotency-replayed")), (201, None));
    let again = post(&server, "/v1/memories", "k-1", &body);
    assert_eq!((again.status, again.header("idempotency-replayed")), (201, Some("true")));
    assert_eq!((again.text(), again.header("content-type")), (first.text(), first.header("content-type")));
    assert!(again.header("x-request-id") != first.header("x-request-id"));
    assert_eq!(repeats(&server, &first.json()), 0, "it was done once");

    let other = json!({"content": "the heron has flown"});
    post(&server, "/v1/memories", "k-1", &other).refused(422, "idempotency_reused");
    post(&server, "/v1/sessions", "k-1", &json!({})).refused(422, "idempotency_reused");
    // Without a key, or with another one, it is another request.
    post(&server, "/v1/memories", "k-2", &body).expect(201);
    assert_eq!(repeats(&server, &first.json()), 1);
    let long = "k".repeat(256);
    for bad in ["", "two words", long.as_str()] {
        post(&server, "/v1/memories", bad, &body).refused(422, "invalid");
    }
}

#[test]
fn keys_are_each_callers_own_and_a_failure_may_be_tried_again() {
    let home = Home::new();
    let tokens =
        ["anna", "ben"].map(|user| home.token(user, "user", &[])["secret"].as_str().unwrap().to_owned());
    let mut server = home.serve(&[]);
    let body = json!({"content": "only mine"});
    let annas = post(server.bearing(&tokens[0]), "/v1/memories", "k", &body).expect(201);
    let bens = post(server.bearing(&tokens[1]), "/v1/memories", "k", &body);
    assert_eq!(bens.header("idempotency-replayed"), None);
    assert_ne!(bens.expect(201)["memory_id"], annas["memory_id"]);
    server
        .send("POST", "/v1/memories", &[("idempotency-key", "m")], b"")
        .refused(415, "unsupported_media_type");

    let frozen = json!({"frozen": true});
    let freeze = |server: &Server, body: &Value| {
        server.send("PUT", "/v1/vault", &[("content-type", "application/json")], body.to_string().as_bytes())
    };
    freeze(&server, &frozen).expect(200);
    let later = json!({"content": "when it thaws"});
    post(&server, "/v1/memories", "t", &later).refused(409, "frozen");
    freeze(&server, &json!({"frozen": false})).expect(200);
    post(&server, "/v1/memories", "t", &later).expect(201);
    post(&server, "/v1/sessions", "s", &json!({})).expect(200);
    // No token, no answer: not even one that is kept.
    let anonymous = home.serve(&[]);
    post(&anonymous, "/v1/memories", "k", &body).refused(401, "unauthenticated");
}

#[test]
fn many_at_once_and_one_who_leaves_early_are_still_one() {
    let home = Home::new();
    let server = home.serve(&[]);
    let memories: Vec<Value> =
        (0..40).map(|n| json!({"content": format!("heron number {n} stands alone")})).collect();
    let batch = json!({"memories": memories});
    let answers: Vec<Answer> = std::thread::scope(|scope| {
        let sent: Vec<_> =
            (0..8).map(|_| scope.spawn(|| post(&server, "/v1/memories/batch", "b", &batch))).collect();
        sent.into_iter().map(|sent| sent.join().unwrap()).collect()
    });
    let firsts =
        answers.iter().filter(|one| one.status == 201 && one.header("idempotency-replayed").is_none());
    assert_eq!(firsts.count(), 1);
    for answer in answers {
        match answer.status {
            201 => {}
            _ => drop(answer.refused(409, "idempotency_in_flight")),
        }
    }
    let done = post(&server, "/v1/memories/batch", "b", &batch).expect(201);
    assert_eq!(repeats(&server, &done["memories"][0]), 0);

    let body = json!({"content": "sent and left"}).to_string();
    let mut stream = TcpStream::connect(server.authority()).unwrap();
    let head = format!(
        "POST /v1/memories HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nIdempotency-Key: left\r\nContent-Length: {}\r\n\r\n{body}",
        server.authority(),
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    drop(stream);
    let retried = (0..1_000).find_map(|_| {
        let answer = post(&server, "/v1/memories", "left", &json!({"content": "sent and left"}));
        (answer.status == 201).then_some(answer)
    });
    assert_eq!(repeats(&server, &retried.unwrap().json()), 0);
}

/// Kept answers are in RAM alone: no file holds a key, a request or an answer, and a restart forgets them.
#[test]
fn nothing_of_it_is_on_disk_and_a_restart_forgets_it() {
    let home = Home::new();
    let server = home.serve(&[]);
    let body = json!({"content": CANARY});
    let first = post(&server, "/v1/memories", CANARY, &body).expect(201);
    assert_eq!(server.stop(), 0);
    for (path, bytes) in contents(&home.data()) {
        let holds = bytes.windows(CANARY.len()).any(|part| part == CANARY.as_bytes());
        assert!(!holds, "{}", path.display());
    }
    let server = home.serve(&[]);
    let again = post(&server, "/v1/memories", CANARY, &body);
    assert_eq!(again.header("idempotency-replayed"), None);
    again.expect(201);
    assert_eq!(repeats(&server, &first), 1, "the core finds that it is the same text");
}
