//! Memories as programs manage them, over HTTP and at the command line.

use serde_json::{Value, json};

use crate::support::{Answer, Home, Server};

fn put(server: &Server, path: &str, body: &Value) -> Answer {
    server.send("PUT", path, &[("content-type", "application/json")], body.to_string().as_bytes())
}

fn id_of(answer: &Value) -> String {
    answer["memory_id"].as_str().unwrap().to_owned()
}

#[test]
fn a_memory_is_replaced_under_its_id_and_found_by_its_fields() {
    let home = Home::new();
    let server = home.serve(&[]);
    let body = br#"{"content": "The museum opens at nine.", "metadata": {"project": "halcyon", "n": 1.50}}"#;
    let stored =
        server.send("POST", "/v1/memories", &[("content-type", "application/json")], body).expect(201);
    let path = format!("/v1/memories/{}", id_of(&stored));
    server.post("/v1/memories", &json!({"content": "The library has a cellar."})).expect(201);

    let replaced = put(&server, &path, &json!({"content": "The museum opens at ten."})).expect(200);
    assert_eq!((&replaced["outcome"], id_of(&replaced["memory"])), (&json!("corrected"), id_of(&stored)));
    let receipt = replaced["receipt"].as_str().unwrap();
    let receipt = server.get(&format!("/v1/receipts/{receipt}")).expect(200);
    assert_eq!(receipt["counts"]["keys_destroyed"], 1);
    let shown = server.get(&path);
    assert!(shown.text().contains(r#""metadata":{"project": "halcyon", "n": 1.50}"#), "{}", shown.text());
    let shown = shown.expect(200);
    assert_eq!((&shown["content"], &shown["supersedes"]), (&json!("The museum opens at ten."), &Value::Null));

    let filter = "%7B%22project%22%3A%22halcyon%22%7D";
    let listed = server.get(&format!("/v1/memories?full=true&filter={filter}")).expect(200);
    assert_eq!(listed["memories"].as_array().unwrap().len(), 1);
    assert_eq!(listed["memories"][0]["content"], "The museum opens at ten.");
    assert_eq!(id_of(&listed["memories"][0]), id_of(&stored));
    assert!(server.get("/v1/memories").expect(200)["memories"][0]["content"].is_null());
    let search =
        |filter: Value| server.post("/v1/search", &json!({"query": "opening hours", "filter": filter}));
    let found = search(json!({"n": {"$gt": 1}})).expect(200);
    assert_eq!(
        (found["memories"].as_array().unwrap().len(), id_of(&found["memories"][0])),
        (1, id_of(&stored))
    );
    assert!(search(json!({"n": 7})).expect(200)["memories"].as_array().unwrap().is_empty());

    for (path, field) in [
        ("/v1/memories?filter=7", "filter"),
        ("/v1/memories?filter=%7B", "filter"),
        ("/v1/memories?full=maybe", "full"),
    ] {
        assert_eq!(server.get(path).refused(422, "invalid")["field"], field, "{path}");
    }
    assert_eq!(search(json!({"n": {"$near": 1}})).refused(422, "invalid")["field"], "filter");
    let wrong = put(&server, &path, &json!({"content": "x", "metadata": [1]}));
    assert_eq!(wrong.refused(422, "invalid")["field"], "metadata");
    put(&server, "/v1/memories/mem_00000000000000000000000000000000", &json!({"content": "x"}))
        .refused(404, "not_found");
    let stale = [("content-type", "application/json"), ("if-match", "\"another\"")];
    let late = server.send("PUT", &path, &stale, br#"{"content": "The museum is closed."}"#);
    assert_eq!(late.status, 412, "{}", late.text());
    assert_eq!(server.delete(&path).expect(200)["memory_ids"], json!([stored["memory_id"]]));
    put(&server, &path, &json!({"content": "x"})).refused(404, "not_found");
}

#[test]
fn times_of_other_programs_are_taken_and_errors_name_what_was_sent() {
    let home = Home::new();
    let server = home.serve(&[]);
    let body = json!({"content": "The tram is late.", "created_at": "2026-01-02T03:04:05.678912+02:00"});
    let stored = server.post("/v1/memories", &body).expect(201);
    assert_eq!(stored["created_at"], "2026-01-02T01:04:05.678Z");
    let until =
        json!({"memory_ids": [stored["memory_id"]], "expires_at": "2200-01-01T00:00:00.123456-05:00"});
    server.post("/v1/memories/expiry", &until).expect(204);
    let shown = server.get(&format!("/v1/memories/{}", id_of(&stored))).expect(200);
    assert_eq!(shown["expires_at"], "2200-01-01T05:00:00.123Z");
    for (body, field) in [
        (json!({"content": ""}), "content"),
        (json!({"content": "x", "created_at": "yesterday"}), "created_at"),
        (json!({"content": "x", "metadata": 7}), "metadata"),
        (
            json!({"content": "x", "derived_from": [{"memory_id": "7", "contribution": "primary"}]}),
            "memory_id",
        ),
    ] {
        let refused = server.post("/v1/memories", &body).refused(422, "invalid");
        assert_eq!(refused["field"], field, "{body}: {refused}");
    }
}

#[test]
fn an_older_description_says_the_same() {
    let home = Home::new();
    let server = home.serve(&[]);
    let (newest, older) =
        (server.get("/openapi.json").expect(200), server.get("/openapi.json?version=3.0").expect(200));
    assert_eq!((&newest["openapi"], &older["openapi"]), (&json!("3.1.0"), &json!("3.0.3")));
    assert_eq!(newest["servers"][0]["url"], "/");
    let calls = |api: &Value| -> Vec<String> {
        let paths = api["paths"].as_object().unwrap();
        paths
            .values()
            .flat_map(|item| item.as_object().unwrap().values())
            .map(|one| one["operationId"].to_string())
            .collect()
    };
    assert_eq!(calls(&newest), calls(&older));
    let text = older.to_string();
    for newer in ["\"null\"", "propertyNames", "problem+json", "prefixItems", "\"const\"", "\"type\":["] {
        assert!(!text.contains(newer), "{newer}");
    }
    let declared: Vec<&Value> = newest["tags"].as_array().unwrap().iter().map(|tag| &tag["name"]).collect();
    for item in newest["paths"].as_object().unwrap().values() {
        for call in item.as_object().unwrap().values() {
            assert!(declared.contains(&&call["tags"][0]), "{} is not declared", call["tags"]);
        }
    }
    assert_eq!(server.get("/openapi.json?version=2").refused(422, "invalid")["field"], "version");
}

#[test]
fn the_command_line_replaces_lists_and_ends_a_memory() {
    let home = Home::new();
    let run = |args: &[&str]| home.json(args);
    let stored = run(&["remember", "The museum opens at nine.", "--metadata", r#"{"project": "halcyon"}"#]);
    let id = id_of(&stored);
    let replaced = run(&["memory", "replace", &id, "The museum opens at ten."]);
    assert_eq!(id_of(&replaced["memory"]), id);
    run(&["memory", "expire", &id, "--at", "2200-01-01"]);
    let page = run(&["memory", "list", "--full", "--where", r#"{"project": "halcyon"}"#]);
    assert_eq!(page["memories"][0]["content"], "The museum opens at ten.");
    assert_eq!(page["memories"][0]["expires_at"], "2200-01-01T00:00:00Z");
    let none = run(&["recall", "museum", "--where", r#"{"project": "osprey"}"#]);
    assert!(none["memories"].as_array().unwrap().is_empty());
}
