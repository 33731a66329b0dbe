//! The views: requests and answers in the words of the five documents, with the examples that they give.

use serde_json::{Value, json};

use crate::support::{Home, Server};

fn server(home: &Home) -> Server {
    home.serve(&[])
}

fn store(server: &Server, category: &str, kind: &str, content: &str, tags: &[&str]) -> String {
    let request = json!({"user_id": "anna", "category": category, "content_type": kind, "content": content,
        "topic_tags": tags, "importance_score": 0.85, "session_id": "ses_abc123", "channel": "slack", "source_msg_id": "msg_abc123"});
    let stored = server.post("/v1/views/personal/store", &request).expect(201);
    assert_eq!(stored["embedding_generated"], true);
    assert!(stored["content_hash"].as_str().unwrap().starts_with("sha256:"));
    stored["memory_id"].as_str().unwrap().to_owned()
}

/// The four categories of the specification, with its own examples.
#[test]
fn personal_memory_is_stored_and_retrieved_in_the_documents_words() {
    let home = Home::new();
    let server = server(&home);
    store(
        &server,
        "conversation",
        "transcript",
        "User asked about Q3 pipeline risk on 2026-04-12",
        &["pipeline", "Q3", "risk"],
    );
    store(&server, "work_pattern", "pattern", "User typically reviews reports Monday morning", &[]);
    let bullets = store(&server, "preference", "preference", "Prefers bullet points over prose", &["style"]);
    store(&server, "learned_context", "fact", "User manages 3 direct reports on the EMEA sales team", &[]);
    let asked = json!({"user_id": "anna", "org_id": "local", "query": "How should reports be formatted, bullet points or prose?",
        "category_filter": ["preference"], "max_results": 10, "time_range": {"after": "2020-01-01T00:00:00Z"}});
    let found = server.post("/v1/views/personal/retrieve", &asked).expect(200);
    let first = &found["memories"][0];
    assert_eq!(
        (&first["memory_id"], &first["content"]),
        (&json!(bullets), &json!("Prefers bullet points over prose"))
    );
    assert_eq!((&first["topic_tags"], &first["access_count"]), (&json!(["style"]), &json!(0)));
    assert!(found["total_searched"].as_u64().unwrap() >= 4 && found["query_time_ms"].is_number());
    assert_eq!(found["memories"].as_array().unwrap().len(), 1, "only preferences");
    // Nothing is that similar, and the floor is the caller's.
    let strict = json!({"user_id": "anna", "query": "submarine", "min_similarity": 0.99});
    assert_eq!(server.post("/v1/views/personal/retrieve", &strict).expect(200)["memories"], json!([]));

    let record = server.get(&format!("/v1/views/personal/memories/{bullets}")).expect(200);
    for (field, value) in
        [("user_id", "anna"), ("org_id", "local"), ("category", "preference"), ("content_type", "preference")]
    {
        assert_eq!(record[field], value);
    }
    assert_eq!(record["source"]["session_id"], "ses_abc123");
    assert_eq!(
        (&record["source"]["channel"], &record["source"]["message_id"]),
        (&json!("slack"), &json!("msg_abc123"))
    );
    assert_eq!(record["metadata"]["topic_tags"], json!(["style"]));
    assert!(record["metadata"]["last_accessed"].is_string() && record["metadata"]["ttl"].is_null());
    assert_eq!((&record["deleted_at"], &record["metadata"]["compacted_from"]), (&Value::Null, &json!([])));

    let log = server.get("/v1/views/personal/audit").expect(200);
    let operations: Vec<&str> =
        log["entries"].as_array().unwrap().iter().map(|entry| entry["operation"].as_str().unwrap()).collect();
    assert!(operations.contains(&"store") && operations.contains(&"retrieve"), "{operations:?}");
    assert!(!log.to_string().contains("bullet points"), "no content");
}

#[test]
fn nobody_names_another_user_or_organisation() {
    let home = Home::new();
    let server = server(&home);
    let foreign =
        json!({"user_id": "ben", "category": "preference", "content_type": "preference", "content": "x"});
    server.post("/v1/views/personal/store", &foreign).refused(403, "denied");
    server
        .post("/v1/views/personal/retrieve", &json!({"user_id": "anna", "org_id": "other", "query": "x"}))
        .refused(403, "denied");
    server.post("/v1/views/personal/destroy", &json!({"user_id": "ben"})).refused(403, "denied");
    let write = json!({"userId": "ben", "content": "x", "source": {"type": "user_message"}});
    server.post("/v1/views/safety/memories", &write).refused(403, "denied");
}

#[test]
fn every_target_of_forget_works_and_a_search_is_confirmed_first() {
    let home = Home::new();
    let server = server(&home);
    let forget = |target: Value| {
        server.post("/v1/views/personal/forget", &json!({"user_id": "anna", "target": target})).expect(200)
    };
    let one = store(&server, "learned_context", "fact", "The heron stands in the pond at dusk.", &["birds"]);
    let done = forget(json!({"memory_ids": [one]}));
    assert_eq!((&done["deleted_count"], &done["memory_ids"]), (&json!(1), &json!([one])));
    assert!(
        done["audit_id"].as_str().unwrap().starts_with("aud_")
            && done["receipts"][0].as_str().unwrap().starts_with("DEL-")
    );
    store(&server, "learned_context", "fact", "The boat house has a green door.", &["boats"]);
    assert_eq!(forget(json!({"topic_tags": ["boats"]}))["deleted_count"], 1);
    store(&server, "learned_context", "fact", "The orchard has nine apple trees.", &[]);
    assert_eq!(forget(json!({"session_id": "ses_abc123"}))["deleted_count"], 1);
    store(&server, "learned_context", "fact", "The lighthouse keeper is called Olaf.", &[]);
    let asked = forget(json!({"query": "lighthouse keeper", "confirm_matches": true}));
    assert_eq!((&asked["deleted_count"], asked["matches"].as_array().unwrap().len()), (&json!(0), 1));
    let confirmed = json!({"user_id": "anna", "confirmation_token": asked["confirmation_token"]});
    assert_eq!(server.post("/v1/views/personal/forget", &confirmed).expect(200)["deleted_count"], 1);
    store(&server, "learned_context", "fact", "The ferry leaves at noon.", &[]);
    assert_eq!(forget(json!({"before": "2999-01-01T00:00:00Z"}))["deleted_count"], 1);
    let none = json!({"user_id": "anna", "target": {}});
    assert_eq!(server.post("/v1/views/personal/forget", &none).refused(422, "invalid")["field"], "target");
}

#[test]
fn export_and_destroy_answer_as_the_document_says() {
    let home = Home::new();
    let server = server(&home);
    store(&server, "conversation", "summary", "User asked about Q3 pipeline risk...", &["pipeline", "Q3"]);
    let link = server
        .post(
            "/v1/views/personal/export",
            &json!({"user_id": "anna", "format": "json", "include_metadata": true}),
        )
        .expect(201);
    assert_eq!(link["record_count"], 1);
    let export = server.get(link["download_url"].as_str().unwrap()).expect(200);
    let conversation = &export["categories"]["conversation"];
    assert_eq!(
        (&export["export_version"], &export["user_id"], &conversation["count"]),
        (&json!("1.0"), &json!("anna"), &json!(1))
    );
    assert_eq!(conversation["records"][0]["topic_tags"], json!(["pipeline", "Q3"]));
    let asked = server.post("/v1/views/personal/destroy", &json!({"user_id": "anna"})).expect(200);
    assert_eq!((&asked["destroyed"], &asked["records_found"]), (&json!(false), &json!(1)));
    let token = asked["confirmation_token"].clone();
    server
        .post("/v1/views/personal/destroy", &json!({"user_id": "anna", "confirmation_token": "dst_00"}))
        .refused(422, "invalid");
    let gone = server
        .post("/v1/views/personal/destroy", &json!({"user_id": "anna", "confirmation_token": token}))
        .expect(200);
    assert_eq!(
        (&gone["destroyed"], &gone["records_deleted"], &gone["vectors_deleted"]),
        (&json!(true), &json!(1), &json!(1))
    );
    assert!(gone["audit_id"].is_string());
    let after = server
        .post("/v1/views/personal/retrieve", &json!({"user_id": "anna", "query": "pipeline"}))
        .expect(200);
    assert_eq!(after["memories"], json!([]));
}

/// The dialogue of the paper: a request, the list, a letter, and the reference.
#[test]
fn forgetting_is_a_dialogue_with_letters_and_a_reference() {
    let home = Home::new();
    home.run(&["consent", "give", "health"]).ok();
    let server = server(&home);
    for text in [
        "I was diagnosed with diabetes in March.",
        "My diabetes medication changed in April.",
        "I prefer tea to coffee.",
    ] {
        server.post("/v1/memories", &json!({"content": text})).expect(201);
    }
    let asked = server
        .post("/v1/views/forgetting/request", &json!({"request": "Forget everything about my diabetes"}))
        .expect(200);
    let text = asked["text"].as_str().unwrap();
    assert!(text.starts_with("I found 2 memories related to"), "{text}");
    assert!(text.contains("Direct mentions: 2 memories\n- "), "{text}");
    let letters: Vec<&str> =
        asked["options"].as_array().unwrap().iter().map(|one| one["letter"].as_str().unwrap()).collect();
    assert_eq!(letters, ["A", "C", "D"]);
    let token = asked["confirmation_token"].as_str().unwrap();
    let cancelled = server
        .post("/v1/views/forgetting/answer", &json!({"confirmation_token": token, "choice": "D"}))
        .expect(200);
    assert_eq!(
        (&cancelled["deleted"], cancelled["text"].as_str()),
        (&json!(0), Some("Nothing was deleted."))
    );
    let done = server
        .post("/v1/views/forgetting/answer", &json!({"confirmation_token": token, "choice": "A"}))
        .expect(200);
    let text = done["text"].as_str().unwrap();
    assert!(
        text.starts_with("Done. I've deleted 2 memories.")
            && text.contains("(save this for compliance records)"),
        "{text}"
    );
    let reference = done["references"][0].as_str().unwrap();
    assert!(reference.starts_with("DEL-"));

    let verified = server
        .post(
            "/v1/views/forgetting/verify",
            &json!({"question": "Do you remember anything about my diabetes?"}),
        )
        .expect(200);
    let text = verified["text"].as_str().unwrap();
    assert!(
        text.starts_with("I have no memories related to this. My records show a deletion request"),
        "{text}"
    );
    assert!(
        text.contains(reference) && text.ends_with("but I don't have details about what was deleted."),
        "{text}"
    );

    let log = server.get("/v1/views/forgetting/deletions").expect(200);
    let entry = &log["deletions"][0];
    assert_eq!(
        (&entry["deletion_type"], &entry["scope_type"], &entry["memory_count"]),
        (&json!("user_request"), &json!("entity"), &json!(2))
    );
    assert_eq!(
        (&entry["user_confirmed"], entry["scope_hash"].as_array().unwrap().is_empty()),
        (&json!(true), false)
    );
    assert!(!log.to_string().contains("diabetes"));

    let access = server.get("/v1/views/forgetting/export").expect(200);
    assert_eq!((&access["user_id"], access["memories"].as_array().unwrap().len()), (&json!("anna"), 1));
    assert!(access["deletion_history"].as_array().unwrap().iter().any(|one| one["count"] == 2), "{access}");
    assert!(access["retention_settings"].is_object());
}

/// The five sentences of the paper are understood, or asked back about; none is refused.
#[test]
fn the_papers_own_sentences_are_taken() {
    let home = Home::new();
    let server = server(&home);
    for sentence in [
        "Forget everything about my diabetes",
        "Delete all memories mentioning my ex-wife",
        "I don't want you to remember my address",
        "Clear all health information",
        "Forget our conversation from yesterday",
        "Forget about John",
        "Forget my salary, but you can remember I work at Acme Corp",
    ] {
        let asked = server.post("/v1/views/forgetting/request", &json!({"request": sentence})).expect(200);
        assert!(!asked["text"].as_str().unwrap().is_empty(), "{sentence}");
    }
}

#[test]
fn namesakes_are_told_apart_and_one_entity_or_memory_is_forgotten() {
    let home = Home::new();
    let server = server(&home);
    for text in [
        "My brother John lives in Leeds.",
        "My brother John called on Sunday.",
        "John Smith from work sent the budget.",
        "Mira plays the cello.",
    ] {
        server.post("/v1/memories", &json!({"content": text})).expect(201);
    }
    let asked =
        server.post("/v1/views/forgetting/request", &json!({"request": "Forget about John"})).expect(200);
    assert!(asked["people"].as_array().is_some_and(|people| people.len() >= 2), "{asked}");
    assert!(asked["text"].as_str().unwrap().contains("several people of that name"));
    let entity = json!({"entity_name": "Mira", "entity_type": "person", "scope": "any_mention"});
    let asked = server.post("/v1/views/forgetting/forget-entity", &entity).expect(200);
    let answer = json!({"confirmation_token": asked["confirmation_token"], "choice": "A"});
    assert_eq!(server.post("/v1/views/forgetting/answer", &answer).expect(200)["deleted"], 1);
    let id =
        server.post("/v1/memories", &json!({"content": "The hens lay six eggs."})).expect(201)["memory_id"]
            .clone();
    let done = server
        .post("/v1/views/forgetting/forget-memory", &json!({"memory_id": id, "reason": "user_request"}))
        .expect(200);
    assert_eq!(
        (&done["deleted"], &done["cascaded"], &done["regenerated"]),
        (&json!(1), &json!(0), &json!(0))
    );
}

/// Trust labels, past context, secrets and the names of actions, as the safety specification spells them.
#[test]
fn safety_labels_sources_and_names_actions_as_its_document_does() {
    let home = Home::new();
    let server = server(&home);
    let write = |content: &str, source: Value, tier: &str| {
        server.post(
            "/v1/views/safety/memories",
            &json!({"userId": "anna", "content": content, "source": source, "tier": tier, "tags": ["desk"]}),
        )
    };
    write(
        "The desk moves to the third floor.",
        json!({"type": "user_message", "sessionId": "s1", "messageId": "m1"}),
        "semantic",
    )
    .expect(201);
    write("We talked about the third floor.", json!({"type": "user_message", "sessionId": "s1"}), "episodic")
        .expect(201);
    let quoted = json!({"type": "tool_output", "toolName": "web_fetch", "sessionId": "s1", "fromExternalContent": true});
    write("A page says that the third floor closes.", quoted, "episodic").expect(201);
    // A fact from a file waits for the person's word, and is labelled once they gave it.
    let held = write(
        "The third floor has 40 desks.",
        json!({"type": "tool_output", "toolName": "read"}),
        "semantic",
    )
    .expect(202);
    assert_eq!(held["state"], "candidate");
    let accept = json!({"decisions": [{"memory_id": held["id"], "decision": "accept"}]});
    server.post("/v1/review", &accept).expect(200);
    let shown = server
        .post(
            "/v1/views/safety/format",
            &json!({"query": "third floor", "maxTotalTokens": 4000, "recencyWeight": 0.3}),
        )
        .expect(200);
    let text = shown["text"].as_str().unwrap();
    assert!(text.lines().any(|line| line == "• The desk moves to the third floor."), "{text}");
    assert!(text.lines().any(|line| line == "[Past context]: We talked about the third floor."), "{text}");
    assert!(
        text.lines()
            .any(|line| line
                == "[Past context, from external content]: A page says that the third floor closes."),
        "{text}"
    );
    assert!(text.lines().any(|line| line == "• The third floor has 40 desks. [from file]"), "{text}");

    let cases = [
        ("key sk-Zk3vQ9xT7bLm2Rw8Yp5Nc4Hd6Jf1GsA0uEiOqVtXyBzCnMkP".to_owned(), "definite"),
        ("AKIAABCDEFGHIJKLMNOP is the key".to_owned(), "definite"),
        ("ghp_Zk3vQ9xT7bLm2Rw8Yp5Nc4Hd6Jf1GsA0uEiO".to_owned(), "definite"),
        ("password: hunter2secret".to_owned(), "probable"),
    ];
    for (text, level) in cases {
        let found = server.post("/v1/views/safety/detect-secrets", &json!({"content": text})).expect(200);
        let has = &found[format!("has{}{}Secrets", level[..1].to_uppercase(), &level[1..])];
        assert_eq!(has, true, "{text}: {found}");
        assert!(!found.to_string().contains("hunter2secret"));
    }
    let log = server.get("/v1/views/safety/audit").expect(200);
    let entries = log["entries"].as_array().unwrap();
    let write = entries.iter().find(|entry| entry["action"] == "memory_write").unwrap();
    assert_eq!(
        (&write["metadata"]["tier"], &write["metadata"]["source"]),
        (&json!("semantic"), &json!("user_message"))
    );
    assert!(entries.iter().any(|entry| entry["action"] == "memory_read"));
    assert!(!log.to_string().contains("third floor"));
}

#[test]
fn bulk_deletion_and_redaction_have_the_documents_names() {
    let home = Home::new();
    let server = server(&home);
    for number in 0..3 {
        server
            .post(
                "/v1/memories",
                &json!({"content": format!("Shelf {number} holds paint."), "tags": ["shelf"]}),
            )
            .expect(201);
    }
    let secret = format!("the key is ghp_{}", "a1B2c3".repeat(6));
    let stored = server
        .post(
            "/v1/views/safety/memories",
            &json!({"userId": "anna", "content": secret, "source": {"type": "explicit_save"}}),
        )
        .expect(201);
    assert_eq!(stored["redacted"], true);
    let shelf = json!({"user_id": "anna", "target": {"topic_tags": ["shelf"]}});
    assert_eq!(server.post("/v1/views/personal/forget", &shelf).expect(200)["deleted_count"], 3);
    let one = server.post("/v1/memories", &json!({"content": "The attic is dry."})).expect(201)["memory_id"]
        .clone();
    assert_eq!(
        server.post("/v1/views/safety/delete", &json!({"memoryId": one})).expect(200)["action"],
        "memory_delete"
    );
    let log = server.get("/v1/views/safety/audit").expect(200);
    let actions: Vec<&str> =
        log["entries"].as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    for action in ["memory_write", "secret_redacted", "memory_bulk_delete", "memory_delete"] {
        assert!(actions.contains(&action), "{action} of {actions:?}");
    }
}

/// The statement of the plan: "I work at PronterLabs." has a primary lane and stays in one scope.
#[test]
fn governance_tells_lifecycle_lanes_scopes_and_reads() {
    let home = Home::new();
    let server = server(&home);
    let id =
        server.post("/v1/memories", &json!({"content": "I work at PronterLabs."})).expect(201)["memory_id"]
            .as_str()
            .unwrap()
            .to_owned();
    let record = server.get(&format!("/v1/views/governance/records/{id}?scope=user-private")).expect(200);
    assert_eq!(
        (&record["lifecycle_state"], &record["scope"], &record["primary_lane"]),
        (&json!("active"), &json!("user-private"), &json!("profile"))
    );
    assert_eq!(record["tenant_id"], "local");
    for (query, lane, scope) in [
        ("What's my favourite desk?", "profile", "user-private"),
        ("What do I prefer?", "profile", "user-private"),
        ("What's our launch date?", "business", "team"),
        ("What are we working on?", "business", "team"),
        ("What does the company know?", "business", "org-wide"),
        ("What's in the docs about leave?", "documents", "org-wide"),
    ] {
        let meant = server.post("/v1/views/governance/resolve", &json!({"query": query})).expect(200);
        assert_eq!((&meant["lane"], &meant["scope"]), (&json!(lane), &json!(scope)), "{query}: {meant}");
    }
    let open = server
        .post("/v1/views/governance/resolve", &json!({"query": "What do you know about leave?"}))
        .expect(200);
    assert_eq!(open["ask_user"], true);

    home.run(&["team", "add", "desk", "anna"]).ok();
    let promote = json!({"record_id": id, "target_scope": "team:desk", "actor_id": "anna", "justification": "everybody asks"});
    let moved = server.post("/v1/views/governance/promote_scope", &promote).expect(200);
    assert_eq!(moved["success"], true, "{moved}");
    for field in [
        "original_author_id",
        "original_created_at",
        "promoted_by_id",
        "promoted_at",
        "previous_scope",
        "current_scope",
    ] {
        assert!(moved["promotion"][field].is_string(), "{field}");
    }
    let twice = json!({"record_id": moved["record_id"], "target_scope": "team:desk", "actor_id": "anna", "current_scope": "team:desk"});
    let refused = server.post("/v1/views/governance/promote_scope", &twice).expect(200);
    assert_eq!((&refused["success"], refused["reason"].is_string()), (&json!(false), true));
    server
        .post(
            "/v1/views/governance/promote_scope",
            &json!({"record_id": id, "target_scope": "org-wide", "actor_id": "ben"}),
        )
        .refused(403, "denied");

    let note =
        server.post("/v1/memories", &json!({"content": "The desk lamp is broken."})).expect(201)["memory_id"]
            .clone();
    for state in ["deleted", "active", "archived"] {
        let moved = server
            .post("/v1/views/governance/transition", &json!({"record_id": note, "lifecycle_state": state}))
            .expect(200);
        assert_eq!(moved["lifecycle_state"], state);
    }
    server.post("/v1/search", &json!({"query": "broken lamp"})).expect(200);
    let reads = server.get("/v1/views/governance/reads").expect(200);
    let read = reads["reads"].as_array().unwrap().last().unwrap();
    for field in ["reader_id", "tenant_id", "retrieved_at", "query_fingerprint"] {
        assert!(read[field].is_string(), "{field}");
    }
    assert_eq!(
        (&read["scopes_accessed"], read["lanes_accessed"].is_array()),
        (&json!(["user-private"]), true)
    );
    assert!(!reads.to_string().contains("lamp"));
}

/// Point 8: the owner finds a hidden memory without its id, and brings it back.
#[test]
fn what_is_hidden_is_found_by_its_state_and_restored() {
    let home = Home::new();
    let id = home.remember("The spare key hangs in the boat house.");
    home.run(&["memory", "state", &id, "--to", "deleted"]).ok();
    let listed = |state: &str| home.json(&["memory", "list", "--state", state])["memories"].clone();
    assert_eq!(listed("deleted")[0]["memory_id"], json!(id));
    assert_eq!(home.json(&["memory", "list"])["memories"], json!([]));
    let server = server(&home);
    let hidden = server.get("/v1/memories?state=deleted").expect(200);
    assert_eq!(hidden["memories"][0]["memory_id"], json!(id));
    server.post("/v1/memories/state", &json!({"memory_ids": [id], "state": "active"})).expect(204);
    assert_eq!(server.get("/v1/memories?state=deleted").expect(200)["memories"], json!([]));
    assert_eq!(server.get("/v1/memories").expect(200)["memories"][0]["memory_id"], json!(id));
    server.get("/v1/memories?state=lost").refused(422, "invalid");
}

/// Section 5: a lane means the primary one; a caller opts in to secondary lanes, and nothing is merged by itself.
#[test]
fn a_lane_means_the_primary_one_unless_secondary_lanes_are_asked_for() {
    let home = Home::new();
    let server = server(&home);
    let draft =
        json!({"content": "I work at PronterLabs.", "lane": "profile", "secondary_lanes": ["business"]});
    let id = server.post("/v1/memories", &draft).expect(201)["memory_id"].clone();
    let found = |more: Value| {
        let mut asked = json!({"query": "Who works at PronterLabs?", "lane_filter": ["business"]});
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        server.post("/v1/search", &asked).expect(200)["memories"].clone()
    };
    assert_eq!(found(json!({})), json!([]));
    assert_eq!(found(json!({"secondary_lanes": true}))[0]["memory_id"], id);
    let context = |secondary: bool| {
        let turn = json!({"turn": "Who works at PronterLabs?", "lane_filter": ["business"], "secondary_lanes": secondary});
        server.post("/v1/context", &turn).expect(200)["items"].as_array().unwrap().len()
    };
    assert_eq!((context(false), context(true)), (0, 1));
    let listed = |more: &str| server.get(&format!("/v1/memories?lane=business{more}")).expect(200);
    assert_eq!(listed("")["memories"], json!([]));
    assert_eq!(listed("&secondary_lanes=true")["memories"][0]["memory_id"], id);
    let recalled = |more: &[&str]| {
        let args = [&["recall", "Who works at PronterLabs?", "--lane", "business"], more].concat();
        home.json(&args)["memories"].as_array().unwrap().len()
    };
    assert_eq!((recalled(&[]), recalled(&["--secondary-lanes"])), (0, 1));
}
