//! Imports by file and over HTTP: our own exports, those of other programs, and files that mean harm.

use std::fs;

use serde_json::{Value, json};

use crate::exports::last_line;
use crate::support::{Done, Home, contents};

/// The lines about records, and the sums behind them.
fn report(done: &Done) -> (Vec<Value>, Value) {
    let mut lines: Vec<Value> = done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let sums = lines.pop().unwrap();
    (lines, sums)
}

fn import(home: &Home, name: &str, content: &str, more: &[&str]) -> (Vec<Value>, Value) {
    let file = home.path(name);
    fs::write(&file, content).unwrap();
    let args: Vec<&str> = ["import", file.to_str().unwrap(), "--json"].iter().chain(more).copied().collect();
    report(&home.run(&args).ok())
}

/// Everything that is stored, from an export.
fn stored(home: &Home) -> Vec<Value> {
    let export: Value = serde_json::from_str(&home.run(&["export", "-"]).ok().stdout).unwrap();
    let categories = export["categories"].as_object().unwrap().values();
    categories.flat_map(|category| category["records"].as_array().unwrap().clone()).collect()
}

pub(crate) fn texts(home: &Home) -> Vec<String> {
    stored(home).iter().map(|record| record["content"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_export_comes_back_in_another_house() {
    let home = Home::new();
    home.remember("The ladder is at the neighbour's.");
    home.run(&[
        "remember",
        "Tea in the afternoon, never coffee.",
        "--category",
        "preference",
        "--tag",
        "tea",
    ])
    .ok();
    let file = home.path("memories.json");
    let path = file.to_str().unwrap();
    home.run(&["export", path]).ok();

    let other = Home::new();
    let dry = last_line(&other.run(&["import", path, "--dry-run", "--json"]).ok().stdout);
    assert_eq!((&dry["stored"], &dry["dry_run"]), (&json!(2), &json!(true)));
    assert!(texts(&other).is_empty(), "a dry run stores nothing");
    let (lines, sums) = report(&other.run(&["import", path, "--json"]).ok());
    assert_eq!((lines.len(), &sums["stored"]), (2, &json!(2)));
    assert!(lines.iter().all(|line| line["outcome"] == "stored" && line["changed"] == false));
    let again = last_line(&other.run(&["import", path, "--json"]).ok().stdout);
    assert_eq!((&again["stored"], &again["repeated"]), (&json!(0), &json!(2)));
    let refused = other.run(&["import", path, "--refuse", "--json"]);
    assert_eq!((refused.code, &refused.problem()["code"]), (5, &json!("already_there")));
    let told = Home::new().run(&["import", path, "--refuse"]).ok().stdout;
    assert!(told.contains("stored 2 memories from lacuna"), "{told}");
    assert!(other.run(&["recall", "what does Anna drink?"]).ok().stdout.contains("Tea in the afternoon"));
    let audit = other.json(&["audit", "list"]).to_string();
    assert_eq!(audit.matches("memory_import").count(), 1, "{audit}");
    other.run(&["audit", "verify"]).ok();
}

#[test]
fn mem0_memories_wait_for_a_word_of_their_owner() {
    let home = Home::new();
    let file = json!({"results": [
        {"id": "7a1e", "memory": "Keeps bees on the roof", "hash": "x", "metadata": null,
         "created_at": "2025-02-03T04:05:06.123456-08:00", "updated_at": null, "user_id": "anna",
         "categories": ["hobbies"]},
        {"id": "7a1f", "memory": "Works nights at the observatory", "created_at": null},
        {"id": "7a20", "memory": ""},
    ], "relations": []});
    let (lines, sums) = import(&home, "mem0.json", &file.to_string(), &[]);
    assert_eq!((&sums["from"], &sums["waiting"], lines.len()), (&json!("mem0"), &json!(2), 2));
    let records = stored(&home);
    let bees = records.iter().find(|record| record["content"] == "Keeps bees on the roof").unwrap();
    assert_eq!((&bees["state"], &bees["source"]["trust"]), (&json!("candidate"), &json!("low")));
    assert_eq!(bees["created_at"], "2025-02-03T12:05:06.123Z");
    assert_eq!((&bees["source"]["channel"], &bees["topic_tags"]), (&json!("mem0"), &json!(["hobbies"])));
    let (_, again) = import(&home, "mem0.json", &file.to_string(), &[]);
    assert_eq!((&again["stored"], &again["repeated"]), (&json!(0), &json!(2)));
    let list = json!([{"id": "9", "memory": "Paints gates"}, "Sings in a choir"]).to_string();
    assert_eq!(import(&home, "list.json", &list, &[]).1["stored"], 2);
}

fn chatgpt() -> Value {
    let node = |id: &str, parent: Option<&str>, role: &str, text: Value, at: f64| {
        json!({"id": id, "parent": parent, "children": [], "message": {"id": id, "author": {"role": role},
            "create_time": at, "content": {"content_type": "text", "parts": text}}})
    };
    json!([{"title": "Roofs", "id": "c1", "conversation_id": "c1", "create_time": 1735725600.5, "update_time": null,
        "current_node": "n4", "mapping": {
            "n0": {"id": "n0", "message": null, "parent": null, "children": ["n1"]},
            "n1": node("n1", Some("n0"), "system", json!(["You are helpful."]), 1735725600.0),
            "n2": node("n2", Some("n1"), "user", json!(["Which slate lasts longest?", {"asset": "picture"}]), 1735725601.25),
            "n3": node("n3", Some("n2"), "assistant", json!(["An answer that was replaced."]), 1735725602.0),
            "n4": node("n4", Some("n2"), "assistant", json!(["Welsh slate, as a rule."]), 1735725603.0),
    }}])
}

#[test]
fn conversations_with_chatgpt_become_turns() {
    let home = Home::new();
    let (lines, sums) = import(&home, "conversations.json", &chatgpt().to_string(), &[]);
    assert_eq!((&sums["from"], &sums["stored"], lines.len()), (&json!("chatgpt"), &json!(2), 2));
    let records = stored(&home);
    let question = records.iter().find(|record| record["content"] == "Which slate lasts longest?").unwrap();
    assert_eq!(question["created_at"], "2025-01-01T10:00:01.25Z");
    let source = &question["source"];
    assert_eq!((&source["type"], &source["trust"]), (&json!("user_message"), &json!("high")));
    assert_eq!(
        (&source["session_id"], &source["turn"], &source["message_id"]),
        (&json!("c1"), &json!(0), &json!("n2"))
    );
    let answer = records.iter().find(|record| record["content"] == "Welsh slate, as a rule.").unwrap();
    assert_eq!((&answer["source"]["type"], &answer["inferred"]), (&json!("ai_inference"), &json!(true)));
    assert_eq!(answer["source"]["turn"], 1);
    assert!(!texts(&home).iter().any(|text| text.contains("replaced") || text.contains("helpful")));
    assert_eq!(import(&home, "again.json", &chatgpt().to_string(), &[]).1["repeated"], 2);

    let saved = json!({"memories": [{"id": "m1", "content": "Prefers metric units", "created_at": "2025-05-05T10:00:00Z"}]});
    let (_, sums) = import(&home, "saved.json", &saved.to_string(), &["--from", "chatgpt"]);
    assert_eq!((&sums["stored"], &sums["waiting"]), (&json!(1), &json!(1)));
}

#[test]
fn conversations_with_claude_become_turns() {
    let home = Home::new();
    let file = json!([{"uuid": "u1", "name": "Bread", "created_at": "2025-06-01T08:00:00.000000Z", "account": {"uuid": "a"},
    "chat_messages": [
        {"uuid": "m1", "sender": "human", "text": "How long does rye need to rise?", "content": [],
         "created_at": "2025-06-01T08:00:05.500000Z", "attachments": [], "files": []},
        {"uuid": "m2", "sender": "assistant", "text": "", "created_at": "2025-06-01T08:00:09Z",
         "content": [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": "About twice as long as wheat."}]},
    ]}]);
    let (_, sums) = import(&home, "claude.json", &file.to_string(), &[]);
    assert_eq!((&sums["from"], &sums["stored"]), (&json!("claude"), &json!(2)));
    let texts = texts(&home);
    assert_eq!(texts, ["How long does rye need to rise?", "About twice as long as wheat."]);
    let kept = json!([{"conversations_memory": "Bakes on Sundays.", "project_memories": {"p": "The oven runs hot."}}]);
    assert_eq!(import(&home, "memories.json", &kept.to_string(), &[]).1["stored"], 2);
}

#[test]
fn the_graph_of_the_mcp_memory_server_becomes_facts() {
    let home = Home::new();
    let lines = [
        json!({"type": "entity", "name": "Ottoline_Vance", "entityType": "person",
            "observations": ["Restores clocks", "Lives above the mill"]}),
        json!({"type": "entity", "name": "The_Mill", "entityType": "place", "observations": []}),
        json!({"type": "relation", "from": "Ottoline_Vance", "to": "The_Mill", "relationType": "lives_at"}),
    ];
    let file: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let (_, sums) = import(&home, "memory.jsonl", &file, &[]);
    assert_eq!((&sums["from"], &sums["stored"]), (&json!("mcp-memory"), &json!(4)));
    let records = stored(&home);
    let clocks =
        records.iter().find(|record| record["content"] == "Ottoline Vance: Restores clocks").unwrap();
    assert_eq!(
        (&clocks["entities"][0]["name"], &clocks["inferred"]),
        (&json!("Ottoline Vance"), &json!(true))
    );
    assert!(texts(&home).contains(&"Ottoline Vance lives at The Mill".to_owned()));
    let graph = json!({"entities": [lines[0]], "relations": [lines[2]]}).to_string();
    assert_eq!(import(&home, "graph.json", &graph, &[]).1["repeated"], 3);
}

#[test]
fn a_folder_of_notes_is_read_as_a_whole() {
    let home = Home::new();
    let folder = home.path("notes");
    fs::create_dir_all(folder.join("inner")).unwrap();
    let note = "---\ntitle: Sourdough\ntags: [baking]\ncreated: 2025-03-02\n---\n\n# Sourdough\n\nThe starter lives in the \
                cellar.\n\n## Observations\n- [method] Feed it at dawn #starter\n\n## Relations\n- needs [[Rye flour]]\n";
    fs::write(folder.join("bread.md"), note).unwrap();
    fs::write(folder.join("inner/saws.md"), "# Saws\n- [fact] The long saw is blunt\n").unwrap();
    fs::write(folder.join("picture.png"), [0xff, 0xd8]).unwrap();
    let (_, sums) = report(&home.run(&["import", folder.to_str().unwrap(), "--json"]).ok());
    assert_eq!((&sums["from"], &sums["stored"]), (&json!("basic-memory"), &json!(4)));
    let records = stored(&home);
    let dawn = records.iter().find(|record| record["content"] == "Sourdough: Feed it at dawn").unwrap();
    assert_eq!(dawn["topic_tags"], json!(["baking", "starter", "method"]));
    assert_eq!(
        (&dawn["created_at"], &dawn["source"]["trust"]),
        (&json!("2025-03-02T00:00:00Z"), &json!("medium"))
    );
    assert!(texts(&home).contains(&"Sourdough needs Rye flour".to_owned()));
}

#[test]
fn a_fault_in_the_middle_is_told_with_what_was_stored_before_it() {
    let home = Home::new();
    let file = r#"{"results": [{"id": "1", "memory": "Keeps bees"}, {"id": "2", "memory": 7}]}"#;
    fs::write(home.path("bad.json"), file).unwrap();
    let refused = home.run(&["import", home.path("bad.json").to_str().unwrap(), "--json"]);
    let problem = refused.problem();
    assert_eq!(problem["code"], "invalid");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("results[1]") && detail.contains("stored before it: 1;"), "{detail}");
    assert_eq!(texts(&home), ["Keeps bees"]);
    for (content, code) in [("", "unknown_format"), ("hello", "unknown_format"), ("[1", "unknown_format")] {
        fs::write(home.path("bad.json"), content).unwrap();
        let refused = home.run(&["import", home.path("bad.json").to_str().unwrap(), "--json"]);
        assert_eq!(refused.problem()["code"], code, "{content}");
    }
    let missing = home.run(&["import", home.path("nowhere.json").to_str().unwrap(), "--json"]);
    assert_eq!(missing.problem()["code"], "input_unreadable");
}

#[test]
fn http_imports_and_tells_of_each_record() {
    let home = Home::new();
    let server = home.serve(&[]);
    server.post("/v1/memories", &json!({"content": "The ladder is at the neighbour's."})).expect(201);
    let made = server.post("/v1/exports", &json!({})).expect(201);
    let file = server.get(made["download_url"].as_str().unwrap()).bytes;

    let other = Home::new();
    let server = other.serve(&[]);
    let send = |query: &str, body: &[u8]| server.send("POST", &format!("/v1/import{query}"), &[], body);
    let dry = send("?dry_run=true", &file).expect(200);
    assert_eq!((&dry["dry_run"], &dry["stored"]), (&json!(true), &json!(1)));
    let done = send("", &file).expect(200);
    assert_eq!((&done["stored"], &done["records"][0]["outcome"]), (&json!(1), &json!("stored")));
    assert_eq!(send("", &file).expect(200)["repeated"], 1);
    send("?duplicates=refuse", &file).refused(409, "already_there");
    send("?duplicates=maybe", &file).refused(422, "invalid");
    send("?from=evernote", &file).refused(422, "invalid");
    send("", b"").refused(422, "unknown_format");
    send("", b"LACUNAST and more").refused(422, "export_passphrase");
    send("?scope=team:desk", &file).refused(404, "not_found");
    let too_large = vec![b' '; (16 << 20) + 1];
    send("", &too_large).refused(413, "too_large");
}

#[test]
fn an_encrypted_file_comes_in_over_http_with_its_passphrase() {
    let home = Home::new().with("LACUNA_EXPORT_PASSPHRASE", "seven grey gulls");
    home.remember("The ladder is at the neighbour's.");
    let path = home.path("sealed");
    home.run(&["export", path.to_str().unwrap(), "--encrypt"]).ok();
    let file = fs::read(&path).unwrap();

    let other = Home::new();
    let server = other.serve(&[]);
    let send = |passphrase: &str, query: &str| {
        let headers = [("lacuna-passphrase", passphrase)];
        server.send("POST", &format!("/v1/import{query}"), &headers, &file)
    };
    server.send("POST", "/v1/import", &[], &file).refused(422, "export_passphrase");
    let wrong = send("eight grey gulls", "");
    assert!(!String::from_utf8_lossy(&wrong.bytes).contains("gulls"));
    wrong.refused(422, "export_passphrase");
    assert_eq!(send("seven grey gulls", "?duplicates=refuse").expect(200)["stored"], 1);
    assert_eq!(send("seven grey gulls", "").expect(200)["repeated"], 1);
    server.stop();
    for (path, bytes) in contents(&other.data()) {
        assert!(!bytes.windows(5).any(|part| part == b"gulls"), "{}", path.display());
    }
}

/// As the server of the MCP project writes it: no line break after the last line.
#[test]
fn the_file_of_the_mcp_memory_server_is_read_to_its_last_line() {
    let home = Home::new();
    let file = concat!(
        r#"{"type":"entity","name":"Tilda Brandt","entityType":"person","observations":["sails a red boat","says \"ahoy\" 🚣"]}"#,
        "\n",
        r#"{"type":"entity","name":"Heron Ltd","entityType":"organisation","observations":[]}"#,
        "\n",
        r#"{"type":"relation","from":"Tilda Brandt","to":"Heron Ltd","relationType":"works_at"}"#,
    );
    let (_, sums) = import(&home, "memory.jsonl", file, &[]);
    assert_eq!((&sums["from"], &sums["stored"]), (&json!("mcp-memory"), &json!(4)));
    let waiting = home.json(&["review", "list"]).to_string();
    assert!(waiting.contains("Tilda Brandt works at Heron Ltd"), "{waiting}");
}

#[test]
fn only_persons_export_and_import() {
    let home = Home::new();
    let mut server = home.serve(&[]);
    for (role, status) in [("reader", 403), ("agent", 403), ("admin", 403), ("user", 201)] {
        let token = home.token("anna", role, &[])["secret"].as_str().unwrap().to_owned();
        server.bearing(&token);
        assert_eq!(server.post("/v1/exports", &json!({})).status, status, "{role}");
        let imported = server.send("POST", "/v1/import", &[], b"[{\"memory\": \"Keeps bees\"}]").status;
        assert_eq!(imported, if status == 201 { 200 } else { 403 }, "{role}");
    }
}

/// Files that the programs themselves made: mem0's history and LangGraph's table. `cargo xtask test` installs mem0.
#[test]
fn the_history_of_mem0_brings_the_last_text_of_what_was_not_deleted() {
    let Some(tools) = std::env::var_os("LACUNA_TEST_ADAPTER_TOOLS").map(std::path::PathBuf::from) else {
        eprintln!("skipped: no packages for the adapters; `cargo xtask test` installs them");
        return;
    };
    let home = Home::new().quiet_mem0();
    let file = home.path("history.db");
    let script = "
import sys
from mem0.memory.storage import SQLiteManager
history = SQLiteManager(sys.argv[1])
at = '2025-02-03T04:05:06.123456-08:00'
history.add_history('7a1e', None, 'Keeps bees on the balcony', 'ADD', created_at=at)
history.add_history('7a1e', 'Keeps bees on the balcony', 'Keeps bees on the roof', 'UPDATE', created_at=at, updated_at=at)
history.add_history('7a1f', None, 'Owes the baker forty crowns', 'ADD', created_at=at)
history.add_history('7a1f', 'Owes the baker forty crowns', None, 'DELETE', created_at=at, is_deleted=1)
history.close()
";
    let done = home.program(&tools.join("python/bin/python"), &["-c", script, file.to_str().unwrap()]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let path = file.to_str().unwrap();
    let dry = last_line(&home.run(&["import", path, "--dry-run", "--json"]).ok().stdout);
    assert_eq!((&dry["stored"], &dry["waiting"], &dry["from"]), (&json!(1), &json!(1), &json!("mem0")));
    home.run(&["import", path]).ok();
    assert_eq!(texts(&home), ["Keeps bees on the roof"]);
    let other = home.run(&["review", "accept", "--source", "import:chatgpt"]).ok().stdout;
    assert!(other.contains("nothing to accept"), "{other}");
    let accepted = home.json(&["review", "accept", "--source", "import:mem0"]);
    assert_eq!(accepted["decided"].as_array().unwrap().len(), 1);
    assert!(home.run(&["recall", "bees"]).ok().stdout.contains("roof"));
    assert_eq!(home.run(&["review", "accept", "--source", "mem0"]).code, 2);
    let empty = home.path("empty.db");
    rusqlite::Connection::open(&empty).unwrap().execute("create table t (a)", []).unwrap();
    let refused = home.run(&["import", empty.to_str().unwrap(), "--json"]);
    assert_eq!(refused.problem()["code"], "unknown_format");
}

#[test]
fn rows_of_langgraph_become_records_at_their_places() {
    let home = Home::new();
    let key = format!("AKIA{}", "QX7ZP4LM2WD9RT6B");
    let rows = [
        r#"{"prefix":"users.ada","key":"commute","value":{"text": "cycles along the canal", "n": 1.50},"created_at":"2026-01-02T03:04:05.678912+00:00","updated_at":"2026-02-02T03:04:05+00:00","expires_at":null,"ttl_minutes":null}"#.to_owned(),
        r#"{"prefix":"users","key":"soon","value":{"text":"a ticket"},"created_at":"2026-01-02T03:04:05+00:00","updated_at":"2026-01-02T03:04:05+00:00","expires_at":"2200-01-01T00:00:00+00:00","ttl_minutes":90000}"#.to_owned(),
        r#"{"prefix":"users","key":"late","value":{"text":"gone"},"created_at":null,"updated_at":null,"expires_at":"2001-01-01T00:00:00+00:00","ttl_minutes":1}"#.to_owned(),
        format!(r#"{{"prefix":"users","key":"bad","value":{{"text":"aws_access_key_id = {key}"}}}}"#),
    ];
    let (lines, sums) = import(&home, "store.jsonl", &rows.join("\n"), &[]);
    assert_eq!(
        (&sums["from"], &sums["stored"], &sums["refused"]),
        (&json!("langgraph"), &json!(2), &json!(2))
    );
    let codes: Vec<&Value> =
        lines.iter().filter(|line| line["outcome"] == "refused").map(|line| &line["code"]).collect();
    assert_eq!(codes, [&json!("invalid"), &json!("secret_found")]);
    let server = home.serve(&[]);
    let shown = server.get("/v1/records/users/ada/commute");
    assert!(shown.text().contains(r#"{"text": "cycles along the canal", "n": 1.50}"#), "{}", shown.text());
    let shown = shown.expect(200);
    assert_eq!(
        (&shown["created_at"], &shown["updated_at"]),
        (&json!("2026-01-02T03:04:05.678Z"), &json!("2026-02-02T03:04:05Z"))
    );
    assert_eq!(server.get("/v1/records/users/soon").expect(200)["expires_at"], "2200-01-01T00:00:00Z");
}
