use serde_json::{Value, json};

use crate::support::Home;

fn lines(count: usize) -> String {
    lines_from(0, count)
}

fn lines_from(first: usize, count: usize) -> String {
    (first..first + count)
        .map(|n| json!({"content": format!("fact number {n} about item{n}")}).to_string() + "\n")
        .collect()
}

fn searched(home: &Home) -> Value {
    home.json(&["recall", "item7"])["total_searched"].clone()
}

#[test]
fn a_thousand_in_one_call_over_http() {
    let home = Home::new();
    let server = home.serve(&[]);
    let memories: Vec<_> = (0..1_000).map(|n| json!({"content": format!("fact {n} item{n}")})).collect();
    let stored = server.post("/v1/memories/batch", &json!({"memories": memories})).expect(201);
    assert_eq!(stored["memories"].as_array().unwrap().len(), 1_000);
    let found = server.post("/v1/search", &json!({"query": "item777", "max_results": 1})).expect(200);
    assert_eq!(found["memories"][0]["content"], "fact 777 item777");
    assert_eq!(found["total_searched"], 1_000);
}

#[test]
fn a_batch_is_stored_whole_or_not_at_all_over_http() {
    let home = Home::new();
    let server = home.serve(&[]);
    let batch = json!({"memories": [{"content": "good"}, {"content": "bad", "salience": 2}]});
    let problem = server.post("/v1/memories/batch", &batch).refused(422, "invalid");
    assert_eq!(problem["field"], "salience");
    assert!(problem["detail"].as_str().unwrap().contains("memory 1"), "{problem}");
    assert_eq!(server.get("/v1/memories").expect(200)["memories"], json!([]));
}

#[test]
fn lines_from_a_file_and_from_standard_input() {
    let home = Home::new();
    let file = home.path("memories.jsonl");
    std::fs::write(&file, lines(1_500)).unwrap();
    let done = home.run(&["remember", "--batch", file.to_str().unwrap()]).ok();
    assert_eq!(done.stdout.trim(), "remembered 1500 memories");
    let done =
        home.run_with_input(&["remember", "--batch", "-", "--json"], lines_from(1_499, 3).as_bytes()).ok();
    let outcomes: Vec<Value> = done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(outcomes.iter().all(|outcome| outcome["memory_id"].as_str().unwrap().starts_with("mem_")));
    let repeats: Vec<_> = outcomes.iter().map(|outcome| outcome["repeats"].as_u64().unwrap()).collect();
    assert_eq!(repeats, [1, 0, 0], "the first of them was known already");
    assert_eq!(searched(&home), 1_502);
}

#[test]
fn a_bad_line_is_named_and_what_came_before_it_is_stored() {
    let (good, more) = (lines(4), lines_from(4, 4));
    let long = format!("{{\"content\":\"{}\"}}", "x".repeat(9 << 20));
    let cases: &[(&str, &[u8], &str)] = &[
        ("not JSON", b"{\"content\": \n", "malformed_json"),
        ("an unknown field", b"{\"content\":\"x\",\"colour\":1}\n", "invalid"),
        ("refused by the core", b"{\"content\":\"x\",\"salience\":7}\n", "invalid"),
        ("empty text", b"{\"content\":\" \"}\n", "invalid"),
        ("not UTF-8", b"{\"content\":\"\xff\"}\n", "invalid_utf8"),
        ("a line without end", long.as_bytes(), "too_large"),
    ];
    for (what, bad, code) in cases {
        let home = Home::new();
        let mut input = good.as_bytes().to_vec();
        // An empty line counts, and is passed over.
        input.push(b'\n');
        input.extend_from_slice(bad);
        input.extend_from_slice(more.as_bytes());
        let done = home.run_with_input(&["remember", "--batch", "-", "--json"], &input);
        let problem = done.problem();
        assert_eq!((done.code, problem["code"].as_str()), (2, Some(*code)), "{what}: {problem}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("line 6") && detail.contains("4 memories were stored"), "{what}: {detail}");
        assert_eq!(searched(&home), 4, "{what}");

        // Without the bad line it goes on where it stopped.
        let mended: Vec<u8> = [good.as_bytes(), b"\n", more.as_bytes()].concat();
        home.run_with_input(&["remember", "--batch", "-", "--from-line", "6"], &mended).ok();
        assert_eq!(searched(&home), 8, "{what}");
    }
}

#[test]
fn a_file_that_is_not_there_leaves_no_trace() {
    let home = Home::new();
    let done = home.run(&["remember", "--batch", "/nonexistent.jsonl", "--json"]);
    assert_eq!((done.code, done.problem()["code"].as_str()), (1, Some("input_unreadable")));
    assert!(!home.data().exists());
}
