//! Sessions over HTTP and on the command line: one conversation, told through both doors.

use serde_json::{Value, json};

use crate::support::{Home, Server};

fn turns(server: &Server, session: &str) -> Vec<String> {
    let shown = server.get(&format!("/v1/sessions/{session}")).expect(200);
    let said = |turn: &Value| format!("{} {} {}", turn["turn"], turn["role"].as_str().unwrap(), turn["text"]);
    shown["turns"].as_array().unwrap().iter().map(said).collect()
}

#[test]
fn a_conversation_is_appended_streamed_read_back_and_ended() {
    let home = Home::new();
    let server = home.serve(&[]);
    let made = server.post("/v1/sessions", &json!({})).expect(200);
    assert_eq!((&made["next_turn"], &made["state"]), (&json!(1), &json!("open")));
    let id = made["session_id"].as_str().unwrap();
    let path = format!("/v1/sessions/{id}/turns");
    let said = json!({"expected_turn": 1, "turns": [
        {"role": "user", "text": "Which paint holds on wet wood?"},
        {"role": "tool", "text": "Shelf 4: primer, 12 tins.", "tool": "inventory"},
    ]});
    let first = server.post(&path, &said).expect(201);
    assert_eq!((&first["next_turn"], &first["turns"][1]["turn"]), (&json!(3), &json!(2)));
    let again = server.post(&path, &said).expect(201);
    assert_eq!(again["turns"][0]["memory_id"], first["turns"][0]["memory_id"]);
    let other = json!({"expected_turn": 1, "turns": [{"role": "user", "text": "Something else."}]});
    server.post(&path, &other).refused(409, "conflict");

    let piece = |text: &str, number: u32, partial: bool| json!({"turns": [{"role": "assistant", "text": text, "piece": number, "partial": partial}]});
    let growing = server.post(&path, &piece("Use the ", 0, true)).expect(201);
    assert_eq!((&growing["pieces"], &growing["next_turn"]), (&json!(1), &json!(3)));
    server.post(&path, &piece("primer.", 1, false)).expect(201);
    assert_eq!(turns(&server, id)[2], "3 assistant \"Use the primer.\"");

    let page = server.get(&format!("/v1/sessions/{id}?limit=2")).expect(200);
    assert_eq!(page["turns"].as_array().unwrap().len(), 2);
    let cursor = page["next_cursor"].as_str().unwrap();
    let rest = server.get(&format!("/v1/sessions/{id}?limit=2&cursor={cursor}")).expect(200);
    assert_eq!((rest["turns"].as_array().unwrap().len(), &rest["next_cursor"]), (1, &Value::Null));

    let ended = server.post(&format!("/v1/sessions/{id}/end"), &Value::Null).expect(200);
    assert_eq!((&ended["state"], ended["archived"].as_array().unwrap().len()), (&json!("ended"), 1));
    let transcript = ended["archived"][0].as_str().unwrap();
    let sealed = server.get(&format!("/v1/memories/{transcript}")).expect(200);
    assert!(sealed["content"].as_str().unwrap().contains("Use the primer."));
    let listed = server.get("/v1/sessions").expect(200);
    assert_eq!(listed["sessions"][0]["session_id"], json!(id));
    server.get("/v1/sessions/nobody").refused(404, "not_found");
}

#[test]
fn working_memory_is_known_to_its_session_and_gone_with_it() {
    let home = Home::new();
    let server = home.serve(&[]);
    let note = json!({"content": "The guest at table nine wants the bill in Norwegian crowns.",
        "tier": "working", "source": {"session_id": "dinner"}});
    let held = server.post("/v1/memories", &note).expect(201);
    assert_eq!(held["tier"], json!("working"));
    let ask = |session: Value| {
        let found = server.post("/v1/search", &json!({"query": "who pays in crowns?", "session": session}));
        let found = found.expect(200);
        found["memories"].as_array().unwrap().iter().map(|memory| memory["tier"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(ask(json!("dinner")), [json!("working")]);
    assert!(ask(Value::Null).is_empty() && ask(json!("lunch")).is_empty());
    let homeless = json!({"content": "No session.", "tier": "working"});
    assert_eq!(server.post("/v1/memories", &homeless).refused(422, "invalid")["field"], json!("tier"));
    server.post("/v1/sessions/dinner/end", &Value::Null).expect(200);
    assert!(ask(json!("dinner")).is_empty());
    assert_eq!(server.stop(), 0);
    let files = crate::support::contents(&home.data());
    let leaked = files.iter().any(|(_, bytes)| bytes.windows(9).any(|window| window == b"Norwegian"));
    assert!(!leaked, "working memory reached the disk");
}

#[test]
fn the_command_line_appends_lines_and_shows_what_was_said() {
    let home = Home::new();
    let lines = b"{\"role\":\"user\",\"text\":\"The barometer falls.\"}\n\n{\"role\":\"assistant\",\"text\":\"Reef the sails.\"}\n";
    home.run_with_input(&["session", "append", "watch", "-"], lines).ok();
    home.run(&["session", "append", "watch", "The wind turns.", "--expect", "3"]).ok();
    home.run(&["session", "append", "watch", "The wind turns.", "--expect", "3"]).ok();
    let shown = home.json(&["session", "show", "watch"]);
    assert_eq!((shown["turns"].as_array().unwrap().len(), &shown["next_turn"]), (3, &json!(4)));
    assert_eq!(shown["turns"][1]["role"], json!("assistant"));
    let bad = home.run_with_input(&["session", "append", "watch", "-", "--json"], b"{\"role\":\"ghost\"}\n");
    assert!(bad.problem()["detail"].as_str().unwrap().starts_with("line 1:"));
    let ended = home.json(&["session", "end", "watch"]);
    assert_eq!(ended["archived"].as_array().unwrap().len(), 1);
    let table = home.run(&["session", "list"]).ok().stdout;
    assert!(table.contains("watch") && table.contains("ended"), "{table}");
}
