//! Forgetting as people and programs ask for it: a plan, a yes, a receipt that anybody can check.

use std::fs;

use serde_json::{Value, json};

use crate::support::Home;

const DENTIST: &str = "My dentist Dr. Okafor practises on Harbour Lane.";

fn keep_receipt(home: &Home, name: &str, receipt: &Value) -> String {
    let path = home.path(name);
    fs::write(&path, receipt.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn plain_words_on_the_command_line_and_a_receipt_that_holds_without_the_installation() {
    let home = Home::new();
    home.remember(DENTIST);
    home.remember("Dr. Okafor called about the appointment.");
    home.remember("The ferry to the island leaves at noon.");
    let unclear = home.run(&["forget", "maybe?", "--yes", "--json"]);
    assert_eq!((unclear.code, unclear.problem()["code"].as_str()), (2, Some("unclear_request")));
    let alone = home.run(&["forget", "everything about Dr. Okafor", "--json"]).ok().json();
    assert_eq!((alone["outcome"].as_str(), alone["direct"].as_u64()), (Some("plan"), Some(2)));

    let done = home.json(&["forget", "--confirm", alone["token"].as_str().unwrap()]);
    assert_eq!(done["memory_ids"].as_array().unwrap().len(), 2);
    let receipt = &done["receipts"][0];
    assert_eq!(receipt["counts"]["keys_destroyed"], 2);
    assert!(!receipt.to_string().contains("kafor"));
    let again = home.run(&["forget", "--confirm", alone["token"].as_str().unwrap(), "--json"]);
    assert_eq!((again.code, again.problem()["code"].as_str()), (5, Some("plan_changed")));

    let name = receipt["receipt"].as_str().unwrap();
    let shown = home.json(&["receipt", "show", name]);
    assert_eq!(&shown, receipt);
    let key = home.json(&["receipt", "key"]).as_str().unwrap().to_owned();
    let file = keep_receipt(&home, "receipt.json", receipt);
    // Somebody else, with nothing but the file and the key.
    let elsewhere = Home::new();
    elsewhere.run(&["receipt", "verify", &file, "--key", &key]).ok();
    assert!(!elsewhere.data().exists(), "a check needs no data folder");
    let foreign = elsewhere.run(&["receipt", "key", "--json"]).ok().json().as_str().unwrap().to_owned();
    assert_eq!(elsewhere.run(&["receipt", "verify", &file, "--key", &foreign]).code, 8);

    let known = home.json(&["memory", "verify-forgotten", "Do you remember anything about Dr. Okafor?"]);
    assert_eq!(
        (known["forgotten"].as_bool(), known["receipts"][0]["receipt"].as_str()),
        (Some(true), Some(name))
    );
    assert_eq!(home.json(&["memory", "list"])["memories"].as_array().unwrap().len(), 1);
    home.run(&["audit", "verify"]).ok();
}

/// Every field of a receipt file is covered by its signature, or follows from one that is.
#[test]
fn no_field_of_a_receipt_file_can_be_changed() {
    let home = Home::new();
    let id = home.remember(DENTIST);
    let receipt = home.json(&["memory", "delete", &id, "--yes"])["receipts"][0].clone();
    let verify = |name: &str, changed: &Value| {
        let file = keep_receipt(&home, name, changed);
        home.run(&["receipt", "verify", &file, "--json"]).code
    };
    assert_eq!(verify("true.json", &receipt), 0);
    for (name, value) in receipt.as_object().unwrap() {
        let mut changed = receipt.clone();
        changed[name] = match value {
            Value::Number(number) => json!(number.as_u64().unwrap() + 1),
            Value::String(text) if name == "mode" => json!(if text == "hard" { "soft" } else { "hard" }),
            Value::String(_) if name == "cause" => json!("purge"),
            Value::String(_) if name == "target" => json!("query"),
            Value::String(_) if name == "at" => json!("2020-01-01T00:00:00Z"),
            Value::String(text) => json!(text.chars().rev().collect::<String>()),
            Value::Array(list) if list.is_empty() => match name.as_str() {
                "backups" => json!([{"number": 1, "until": "2030-01-01T00:00:00Z"}]),
                _ => json!(["00".repeat(32)]),
            },
            Value::Array(_) => json!([]),
            Value::Object(_) => {
                let mut counts = value.clone();
                counts["direct"] = json!(77);
                counts
            }
            other => panic!("a receipt has no {other}"),
        };
        assert_ne!(verify("changed.json", &changed), 0, "{name} can be changed");
        let mut dropped = receipt.clone();
        dropped.as_object_mut().unwrap().remove(name);
        assert_ne!(verify("dropped.json", &dropped), 0, "{name} can be left out");
    }
    let mut added = receipt;
    added["remark"] = json!("and all is well");
    assert_ne!(verify("added.json", &added), 0);
}

#[test]
fn plan_confirm_correct_and_verify_over_http() {
    let home = Home::new();
    let server = home.serve(&[]);
    for text in [DENTIST, "I live in Bergen and I play the cello.", "The ferry leaves at noon."] {
        server.post("/v1/memories", &json!({"content": text})).expect(201);
    }
    server.post("/v1/forget", &json!({})).refused(422, "invalid");
    server.post("/v1/forget", &json!({"words": "a", "everything": true})).refused(422, "invalid");
    server.post("/v1/forget/confirm", &json!({"token": "fgt_00"})).refused(422, "invalid");
    let plan = server.post("/v1/forget", &json!({"entity": "Okafor"})).expect(200);
    let done = server.post("/v1/forget/confirm", &json!({"token": plan["token"]})).expect(200);
    assert_eq!(done["outcome"], "done");
    let name = done["receipts"][0]["receipt"].as_str().unwrap();
    assert_eq!(server.get(&format!("/v1/receipts/{name}")).expect(200), done["receipts"][0]);
    let list = server.get("/v1/receipts").expect(200);
    assert_eq!(list["receipts"].as_array().unwrap().len(), 1);
    let known = server.post("/v1/forgotten", &json!({"about": "Okafor"})).expect(200);
    assert_eq!(known["forgotten"], true);

    let corrected = server
        .post("/v1/correct", &json!({"about": "where I live", "content": "I live in Oslo."}))
        .expect(200);
    assert_eq!(
        (corrected["outcome"].as_str(), corrected["left_some"].as_bool()),
        (Some("corrected"), Some(true))
    );
    let receipt = corrected["receipt"].as_str().unwrap();
    let proof = server.get(&format!("/v1/receipts/{receipt}")).expect(200);
    assert_eq!((proof["cause"].as_str(), proof["counts"]["cut"].as_u64()), (Some("correction"), Some(1)));
    let texts = server.get("/v1/memories").expect(200).to_string();
    assert!(texts.contains("Oslo") && texts.contains("cello") && !texts.contains("Bergen"), "{texts}");

    let everything = server.post("/v1/forget", &json!({"everything": true})).expect(200);
    assert_eq!(everything["confirmations"], 2);
    let first = server.post("/v1/forget/confirm", &json!({"token": everything["token"]})).expect(200);
    assert_eq!(first["outcome"], "again");
    let second = server.post("/v1/forget/confirm", &json!({"token": first["token"]})).expect(200);
    assert_eq!(second["outcome"], "done");
    assert_eq!(server.get("/v1/memories").expect(200)["memories"], json!([]));
    assert_eq!(server.stop(), 0);
}

#[test]
fn what_leans_on_a_forgotten_person_is_offered_as_someone() {
    let home = Home::new();
    let server = home.serve(&[]);
    let turns =
        [(1, "Henrike from the bakery asked about the roof."), (2, "She wants it done before winter.")];
    for (turn, content) in turns {
        let body = json!({
            "content": content, "category": "conversation",
            "source": {"type": "user_message", "session_id": "ses_1", "turn": turn}
        });
        server.post("/v1/memories", &body).expect(201);
    }
    let plan = server.post("/v1/forget", &json!({"words": "forget everything about Henrike"})).expect(200);
    let done = server.post("/v1/forget/confirm", &json!({"token": plan["token"]})).expect(200);
    let waiting = server.get("/v1/review").expect(200);
    let offer = &waiting["anonymous"][0];
    assert_eq!(offer["memory_id"], done["held_back"][0]);
    assert_eq!(offer["content"], "Someone wants something done before winter.");
    let decision = json!({"memory_id": offer["memory_id"], "decision": "anonymise"});
    let decided = server.post("/v1/review", &json!({"decisions": [decision]})).expect(200);
    let decided = &decided["decided"][0];
    assert_eq!(
        (decided["decided"].as_str(), decided["state"].as_str()),
        (Some("anonymised"), Some("active"))
    );
    let memory = server.get(&format!("/v1/memories/{}", decided["into"].as_str().unwrap())).expect(200);
    assert_eq!(memory["content"], offer["content"]);
    let receipt = server.get(&format!("/v1/receipts/{}", decided["receipt"].as_str().unwrap())).expect(200);
    assert_eq!(receipt["counts"]["cut"], 1);
    drop(server);
    let refused = home.run(&["review", "anonymise", decided["into"].as_str().unwrap(), "--json"]);
    assert_eq!(refused.problem()["code"], "not_found");
}
