//! The audit by every door: reads are in it, a file of it holds without the house, and a report counts.

use serde_json::json;

use crate::support::Home;

fn entries(home: &Home) -> Vec<serde_json::Value> {
    home.json(&["audit", "list"])["entries"].as_array().unwrap().clone()
}

#[test]
fn what_a_command_or_the_server_showed_is_recorded_before_it_ends() {
    let home = Home::new();
    let id = home.remember("the heron stands in the pond");
    home.json(&["recall", "heron"]);
    home.json(&["memory", "inspect", &id]);
    home.json(&["memory", "list"]);
    let server = home.serve(&[]);
    server.post("/v1/search", &json!({"query": "heron"})).expect(200);
    assert_eq!(server.stop(), 0);
    let notes: Vec<_> = entries(&home).iter().map(|entry| entry["notes"][0].clone()).collect();
    assert_eq!(notes[1..], ["by:recall", "by:get", "by:list", "by:recall"]);
    assert!(!home.run(&["audit", "list", "--json"]).ok().stdout.contains("heron"));
}

#[test]
fn a_file_of_the_audit_is_verified_without_the_data_folder() {
    let home = Home::new();
    home.remember("the heron stands in the pond");
    home.json(&["recall", "heron"]);
    let verified = home.json(&["audit", "verify"]);
    let file = home.data().join("../audit.jsonl");
    let path = file.to_str().unwrap();
    let written = home.json(&["audit", "export", path]);
    assert_eq!((&written["last"], &written["key"]), (&json!(2), &verified["key"]));

    let elsewhere = Home::new();
    let key = verified["key"].as_str().unwrap();
    let checked = elsewhere.json(&["audit", "verify", path, "--key", key]);
    assert_eq!((&checked["entries"], &checked["head"]), (&json!(2), &verified["head"]));
    assert!(!elsewhere.data().exists(), "nothing was made to verify a file");

    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains("heron"));
    std::fs::write(&file, text.replace("\"actor\":\"", "\"actor\":\"x")).unwrap();
    let refused = elsewhere.run(&["audit", "verify", path, "--key", key, "--json"]);
    assert_eq!((refused.code, &refused.problem()["code"]), (8, &json!("corrupt")));

    // The server hands out the same, in parts if asked.
    let server = home.serve(&[]);
    let part = server.get("/v1/audit/export?after=1");
    assert_eq!(part.header("content-type"), Some("application/x-ndjson"));
    std::fs::write(&file, part.text()).unwrap();
    assert_eq!(elsewhere.json(&["audit", "verify", path, "--key", key])["first"], 2);
    server.get("/v1/audit/export?after=99").refused(422, "invalid");
    server.get("/v1/audit/report?format=pdf").refused(422, "invalid");
}

#[test]
fn a_head_that_was_written_down_must_still_be_in_the_chain() {
    let home = Home::new();
    home.remember("the heron stands in the pond");
    let head = home.json(&["audit", "verify"])["head"].as_str().unwrap().to_owned();
    home.remember("the pond freezes in January");
    home.run(&["audit", "verify", "--head", &format!("1:{head}")]).ok();
    let gone = home.run(&["audit", "verify", "--head", &format!("9:{head}"), "--json"]);
    assert_eq!(gone.problem()["code"], "corrupt");
    let bad = home.run(&["audit", "verify", "--head", "x", "--json"]);
    assert_eq!(bad.problem()["field"], "head");
}

#[test]
fn a_report_counts_what_happened_and_holds_no_content() {
    let home = Home::new();
    let id = home.remember("the heron stands in the pond");
    home.json(&["recall", "heron"]);
    home.run(&["memory", "delete", &id, "--yes"]).ok();
    let report = home.json(&["audit", "report", "--from", "1d"]);
    assert_eq!((&report["concerns"]["writes"], &report["concerns"]["reads"]), (&json!(1), &json!(1)));
    assert_eq!(report["actions"]["memory_write"], 1);
    assert_eq!(report["memories_read"], 1);
    let markdown = home.run(&["audit", "report"]).ok().stdout;
    assert!(markdown.starts_with("# Audit of user:") && markdown.contains("| writes | 1 |"), "{markdown}");
    assert!(!markdown.contains("heron"));

    let empty = home.json(&["audit", "report", "--from", "2020-01-01", "--to", "2020-02-01"]);
    assert_eq!((&empty["entries"], &empty["actions"]), (&json!(0), &json!({})));
    let backwards = home.run(&["audit", "report", "--from", "2020-02-01", "--to", "2020-01-01", "--json"]);
    assert_eq!(backwards.problem()["code"], "invalid");
    let server = home.serve(&[]);
    let told = server.get("/v1/audit/report?format=markdown");
    assert_eq!(told.header("content-type"), Some("text/markdown; charset=utf-8"));
    assert_eq!(server.get("/v1/audit/report").expect(200)["actions"], report["actions"]);
    let kept = home.json(&["audit", "keep"]);
    assert_eq!((&kept["aged"], &kept["checkpoint"]), (&json!(0), &json!(true)));
}
