//! ETags: what has not changed is not sent again, and what has changed is not overwritten.

use serde_json::json;

use crate::support::{Answer, Home, Server};

fn conditional(server: &Server, method: &str, path: &str, header: &str, tag: &str, body: &str) -> Answer {
    let headers = [("content-type", "application/json"), (header, tag)];
    server.send(method, path, &headers, body.as_bytes())
}

fn tag(server: &Server, path: &str) -> String {
    let answer = server.get(path);
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.header("etag").unwrap().to_owned()
}

#[test]
fn what_has_not_changed_is_not_sent_again() {
    let home = Home::new();
    let server = home.serve(&[]);
    let stored = server.post("/v1/memories", &json!({"content": "the heron"})).expect(201);
    let memory = format!("/v1/memories/{}", stored["memory_id"].as_str().unwrap());
    for path in [memory.as_str(), "/v1/memories", "/v1/vault", "/v1/retention", "/v1/policy", "/v1/sessions"]
    {
        let current = tag(&server, path);
        for known in [current.clone(), format!("W/{current}"), format!("\"x\", {current}"), "*".to_owned()] {
            let answer = conditional(&server, "GET", path, "if-none-match", &known, "");
            assert_eq!((answer.status, answer.text().as_str()), (304, ""), "{path} {known}");
            assert_eq!(answer.header("etag"), Some(current.as_str()));
        }
        assert_eq!(conditional(&server, "GET", path, "if-none-match", "\"x\"", "").status, 200);
    }
    let before = tag(&server, "/v1/memories");
    server.post("/v1/memories", &json!({"content": "another heron"})).expect(201);
    assert_eq!(conditional(&server, "GET", "/v1/memories", "if-none-match", &before, "").status, 200);
    // What is erased is gone, whatever somebody still holds.
    let known = tag(&server, &memory);
    server.delete(&memory).expect(200);
    conditional(&server, "GET", &memory, "if-none-match", &known, "").refused(404, "not_found");
}

#[test]
fn what_has_changed_is_not_erased_or_overwritten() {
    let home = Home::new();
    let server = home.serve(&[]);
    let stored = server.post("/v1/memories", &json!({"content": "the heron"})).expect(201);
    let id = stored["memory_id"].as_str().unwrap();
    let memory = format!("/v1/memories/{id}");
    let seen = tag(&server, &memory);
    server.post("/v1/memories/pin", &json!({"memory_ids": [id], "pinned": true})).expect(204);
    conditional(&server, "DELETE", &memory, "if-match", &seen, "").refused(412, "precondition_failed");
    let weak = format!("W/{}", tag(&server, &memory));
    conditional(&server, "DELETE", &memory, "if-match", &weak, "").refused(412, "precondition_failed");
    server.get(&memory).expect(200);
    let now = tag(&server, &memory);
    conditional(&server, "DELETE", &memory, "if-match", &now, "").expect(200);
    conditional(&server, "DELETE", &memory, "if-match", &now, "").refused(404, "not_found");

    let seen = tag(&server, "/v1/vault");
    let freeze = |tag: &str, frozen: bool| {
        conditional(&server, "PUT", "/v1/vault", "if-match", tag, &json!({"frozen": frozen}).to_string())
    };
    freeze(&seen, true).expect(200);
    freeze(&seen, false).refused(412, "precondition_failed");
    freeze("*", false).expect(200);

    let seen = tag(&server, "/v1/retention");
    let set = |tag: &str, days: u32| {
        conditional(&server, "PUT", "/v1/retention", "if-match", tag, &json!({"max_days": days}).to_string())
    };
    set(&seen, 300).expect(200);
    set(&seen, 200).refused(412, "precondition_failed");
    assert_eq!(server.get("/v1/retention").expect(200)["max_days"], 300);
}

#[test]
fn a_tag_is_the_same_after_a_restart_for_the_same_token_and_another_for_another() {
    let home = Home::new();
    let tokens = [(); 2].map(|()| home.token("anna", "user", &[])["secret"].as_str().unwrap().to_owned());
    let mut server = home.serve(&[]);
    let stored =
        server.bearing(&tokens[0]).post("/v1/memories", &json!({"content": "the heron"})).expect(201);
    let memory = format!("/v1/memories/{}", stored["memory_id"].as_str().unwrap());
    let first = tag(&server, &memory);
    assert_ne!(tag(server.bearing(&tokens[1]), &memory), first);
    drop(server);
    let mut server = home.serve(&[]);
    assert_eq!(tag(server.bearing(&tokens[0]), &memory), first);
}
