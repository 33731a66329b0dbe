//! What a newcomer does first.

use serde_json::json;

use crate::support::Home;

const FACT: &str = "Anna does not eat peanuts";
const QUESTION: &str = "which food must I keep away from Anna?";

#[test]
fn remember_recall_by_a_paraphrase_inspect_erase_on_the_command_line() {
    let home = Home::new().without("LACUNA_EMBEDDER");
    for other in ["The deploy key rotates every Monday", "My sister lives in Porto", "Tea at four, no sugar"]
    {
        home.remember(other);
    }
    let id = home.remember(FACT);
    let found = home.json(&["recall", QUESTION]);
    assert_eq!(found["memories"][0]["memory_id"], id.as_str(), "{found}");
    assert_eq!(found["memories"][0]["content"], FACT);
    assert_eq!(found["total_searched"], 4);
    assert_eq!(found["models"].as_array().unwrap().len(), 2, "the sentence vectors are there: {found}");

    let shown = home.json(&["memory", "inspect", &id]);
    assert_eq!(shown["content"], FACT);
    assert!(shown["content_hash"].as_str().unwrap().starts_with("sha256:"));
    let table = home.run(&["recall", QUESTION]).ok();
    // A table shows the last twelve digits.
    assert!(table.stdout.contains(FACT) && table.stdout.contains(&id[id.len() - 12..]), "{}", table.stdout);

    home.run(&["memory", "delete", &id, "--yes"]).ok();
    let gone = home.run(&["memory", "inspect", &id, "--json"]);
    assert_eq!((gone.code, gone.problem()["code"].as_str()), (3, Some("not_found")));
    let found = home.json(&["recall", QUESTION]);
    assert!(!found.to_string().contains("peanuts"), "{found}");
    home.run(&["audit", "verify"]).ok();
    home.run(&["doctor"]).ok();
}

#[test]
fn the_same_over_http() {
    let home = Home::new();
    let server = home.serve(&[]);
    let request = json!({"content": FACT, "tags": ["food"], "salience": 0.9, "category": "learned_context"});
    let stored = server.post("/v1/memories", &request).expect(201);
    let id = stored["memory_id"].as_str().unwrap().to_owned();
    assert_eq!(stored["embedding_generated"], true);
    assert!(stored["created_at"].is_string());

    let query = json!({"query": "peanuts allergic", "explain": true});
    let found = server.post("/v1/search", &query).expect(200);
    let first = &found["memories"][0];
    assert_eq!(first["memory_id"], id.as_str());
    assert_eq!(first["tags"], json!(["food"]));
    assert!(first["similarity_score"].is_number() && first["explanation"]["words"].is_number());
    assert!(found["query_time_ms"].is_number() && found["total_searched"] == 1);

    let path = format!("/v1/memories/{id}");
    let shown = server.get(&path).expect(200);
    assert_eq!(shown["content"], FACT);
    assert_eq!(shown["content_hash"], stored["content_hash"]);
    assert!((shown["salience"].as_f64().unwrap() - 0.9).abs() < 1e-6);

    // The command line sees what the server wrote, while it runs.
    assert_eq!(home.json(&["memory", "inspect", &id])["content"], FACT);

    let erased = server.delete(&path).expect(200);
    assert_eq!(erased["memory_ids"], json!([id]));
    assert_eq!(erased["receipts"][0]["counts"]["keys_destroyed"], 1);
    server.get(&path).refused(404, "not_found");
    server.delete(&path).refused(404, "not_found");
    let verified = server.get("/v1/audit/verify").expect(200);
    let entries = &home.json(&["audit", "list"])["entries"];
    let actions = entries.as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap());
    let acts: Vec<_> = actions.filter(|action| *action != "memory_read").collect();
    assert_eq!(acts, ["memory_write", "memory_delete", "memory_delete_done", "receipt"]);
    assert_eq!(verified["entries"], entries.as_array().unwrap().len());
    assert_eq!(server.stop(), 0);
}

#[test]
fn lists_go_page_by_page_newest_first_and_can_be_narrowed() {
    let home = Home::new();
    let server = home.serve(&[]);
    let memories: Vec<_> = (0..7)
        .map(|n| {
            let created_at = format!("2026-01-0{}T00:00:00Z", n + 1);
            let tag = if n % 2 == 0 { "even" } else { "odd" };
            json!({"content": format!("note {n}"), "tags": [tag], "created_at": created_at})
        })
        .collect();
    server.post("/v1/memories/batch", &json!({"memories": memories})).expect(201);

    let mut seen = Vec::new();
    let mut path = "/v1/memories?limit=3".to_owned();
    loop {
        let page = server.get(&path).expect(200);
        let gists = page["memories"].as_array().unwrap().iter();
        seen.extend(gists.map(|memory| memory["gist"].as_str().unwrap().to_owned()));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/v1/memories?limit=3&cursor={cursor}");
    }
    let expected: Vec<_> = (0..7).rev().map(|n| format!("note {n}")).collect();
    assert_eq!(seen, expected);

    let count = |path: &str| server.get(path).expect(200)["memories"].as_array().unwrap().len();
    assert_eq!(count("/v1/memories?tag=even"), 4);
    assert_eq!(count("/v1/memories?tag=even&tag=odd"), 0);
    assert_eq!(count("/v1/memories?after=2026-01-03T00:00:00Z&before=2026-01-05T00:00:00Z"), 2);
    assert_eq!(count("/v1/memories?category=conversation"), 0);
}
