//! Records over HTTP: what programs put comes back as it was, and nothing reaches it from outside.

use serde_json::{Value, json};

use crate::support::{Home, Server};

fn put(server: &Server, path: &str, body: &Value) -> crate::support::Answer {
    let headers = [("content-type", "application/json")];
    server.send("PUT", path, &headers, body.to_string().as_bytes())
}

#[test]
fn a_record_is_put_read_changed_found_and_erased() {
    let home = Home::new();
    let server = home.serve(&[]);
    let raw = br#"{"value": {"b": 1.0, "a": "tulips on the table", "n": 12345678901234567890}, "metadata": {"app": "x"}}"#;
    let headers = [("content-type", "application/json")];
    let first = server.send("PUT", "/v1/records/users/ava/prefs", &headers, raw).expect(200);
    assert!(first["record_id"].as_str().unwrap().starts_with("rec_"));
    let shown = server.get("/v1/records/users/ava/prefs");
    assert!(shown.text().contains(r#"{"b": 1.0, "a": "tulips on the table", "n": 12345678901234567890}"#));
    assert_eq!(shown.json()["namespace"], json!(["users", "ava"]));
    let escaped = server.get("/v1/records/users%2Fava%2Fprefs").expect(200);
    assert_eq!(escaped["key"], "prefs");

    let second =
        put(&server, "/v1/records/users/ava/prefs", &json!({"value": {"a": "roses"}, "ttl_seconds": 60}));
    let second = second.expect(200);
    assert_eq!((&second["record_id"], &second["created_at"]), (&first["record_id"], &first["created_at"]));
    assert!(second["expires_at"].is_string() && second["is_new"] == false);
    put(&server, "/v1/records/users/a~1b/k", &json!({"value": [1, 2]})).expect(200);

    let search = |body: Value| server.post("/v1/records/search", &body).expect(200);
    let found = search(json!({"namespace_prefix": ["users"], "query": "flowers"}));
    assert_eq!((found["total"].as_u64(), found["records"].as_array().unwrap().len()), (Some(2), 2));
    let found = search(json!({"value_filter": {"a": {"$in": ["roses", "lilies"]}}}));
    assert_eq!(found["records"][0]["record_id"], first["record_id"]);
    assert_eq!(search(json!({"filter": {"app": "x"}}))["total"], 0, "the new value came without metadata");
    let namespaces = server.post("/v1/records/namespaces", &json!({"prefix": ["users"]})).expect(200);
    assert_eq!(namespaces["namespaces"], json!([["users", "a/b"], ["users", "ava"]]));

    let longer = json!({"namespace": ["users", "ava"], "key": "prefs"});
    assert!(server.post("/v1/records/ttl", &longer).expect(200)["expires_at"].is_null());
    let erased = server.delete("/v1/records/users/ava/prefs").expect(200);
    assert_eq!(erased["receipts"][0]["counts"]["keys_destroyed"], 1);
    server.get("/v1/records/users/ava/prefs").refused(404, "not_found");
    server.delete("/v1/records/users/ava/prefs").refused(404, "not_found");
    let erased = server.post("/v1/records/erase", &json!({"namespace_prefix": ["users"]})).expect(200);
    assert_eq!(erased["receipts"].as_array().unwrap().len(), 1);
    assert_eq!(search(json!({}))["total"], 0);
}

#[test]
fn a_refusal_says_what_was_found_and_where() {
    let home = Home::new();
    let server = home.serve(&[]);
    let secret = format!("ghp_{}", "a8Kd93jLmQ0xZr5TyWv2Bn7Cp4Hs6Ef1Gu9I");
    let body = json!({"records": [
        {"namespace": ["a"], "key": "1", "value": "plain"},
        {"namespace": ["a"], "key": "2", "value": {"note": format!("see {secret} for it")}},
    ]});
    let refused = server.post("/v1/records/batch", &body).refused(422, "secret_found");
    assert_eq!(refused["field"], "records[1]");
    assert!(!refused.to_string().contains(&secret) && refused["gate"]["redactions"][0]["rule"].is_string());
    assert_eq!(server.post("/v1/records/search", &json!({})).expect(200)["total"], 0, "all or none");
    let health = json!({"value": {"note": "I was diagnosed with diabetes."}});
    put(&server, "/v1/records/a/3", &health).refused(422, "explicit_consent_required");
    let consent = json!({"category": "health", "purpose": "my own notes"});
    put(&server, "/v1/consents", &consent).expect(200);
    put(&server, "/v1/records/a/3", &health).expect(200);
    for (path, body, field) in [
        ("/v1/records/a", json!({"value": 1}), "path"),
        ("/v1/records/a/k", json!({"value": 1, "ttl_seconds": -1}), "ttl_seconds"),
        ("/v1/records/a/k", json!({"value": 1, "metadata": [1]}), "metadata"),
        ("/v1/records/a/k", json!({"value": 1, "colour": 1}), "colour"),
    ] {
        assert_eq!(put(&server, path, &body).refused(422, "invalid")["field"], field, "{path} {body}");
    }
    let filter = json!({"value_filter": {"a": {"$near": 1}}});
    assert_eq!(server.post("/v1/records/search", &filter).refused(422, "invalid")["field"], "value_filter");
}

#[test]
fn records_of_others_look_like_none_and_agents_erase_nothing() {
    let home = Home::new();
    let mut server = home.serve(&[]);
    let secret = |user: &str, role: &str| home.token(user, role, &[])["secret"].as_str().unwrap().to_owned();
    let (anna, ben, agent) = (secret("anna", "user"), secret("ben", "user"), secret("anna", "agent"));
    put(server.bearing(&anna), "/v1/records/a/k", &json!({"value": "saffron"})).expect(200);
    server.bearing(&ben);
    let foreign = server.get("/v1/records/a/k").without_id();
    assert_eq!(foreign, server.get("/v1/records/a/nothing").without_id());
    server.get("/v1/records/a/k?scope=user:anna").refused(404, "not_found");
    assert!(!server.post("/v1/records/search", &json!({"query": "saffron"})).text().contains("saffron"));
    server.delete("/v1/records/a/k").refused(404, "not_found");
    put(server.bearing(&agent), "/v1/records/a/k", &json!({"value": "sage"})).expect(200);
    assert_eq!(server.delete("/v1/records/a/k").status, 403);
    assert_eq!(server.get("/v1/records/a/k").expect(200)["value"], "sage");
}

#[test]
fn nothing_of_a_record_is_on_the_disk_before_or_after() {
    let home = Home::new();
    let server = home.serve(&[]);
    let word = "quincunxial";
    let body = json!({"value": {"w": word}, "metadata": {"m": word}});
    put(&server, &format!("/v1/records/{word}/{word}"), &body).expect(200);
    put(&server, &format!("/v1/records/{word}/{word}"), &json!({"value": format!("{word} again")}))
        .expect(200);
    server.stop();
    let mut looked_at = 0;
    let mut folders = vec![home.data()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let found = bytes.windows(word.len()).any(|window| window == word.as_bytes());
            assert!(!found, "{} holds it", path.display());
            looked_at += 1;
        }
    }
    assert!(looked_at > 2);
}

#[test]
fn the_expiry_of_a_memory_can_be_changed() {
    let home = Home::new();
    let server = home.serve(&[]);
    let stored = server.post("/v1/memories", &json!({"content": "The ferry leaves at nine."})).expect(201);
    let id = stored["memory_id"].as_str().unwrap();
    let set = |at: Value| server.post("/v1/memories/expiry", &json!({"memory_ids": [id], "expires_at": at}));
    set(json!("2200-01-01T00:00:00Z")).expect(204);
    let shown = server.get(&format!("/v1/memories/{id}")).expect(200);
    assert_eq!(shown["expires_at"], "2200-01-01T00:00:00Z");
    assert_eq!(set(json!("2001-01-01T00:00:00Z")).refused(422, "invalid")["field"], "expires_at");
    set(Value::Null).expect(204);
    assert!(server.get(&format!("/v1/memories/{id}")).expect(200)["expires_at"].is_null());
}
