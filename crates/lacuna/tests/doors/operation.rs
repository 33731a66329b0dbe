//! What whoever runs it relies on: health, ids, metrics, logs without content, a clean stop, epochs.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use serde_json::json;

use crate::support::Home;

const CANARY: &str = "canary-7c1f-heliotrope";

/// The soft and the hard limit of a process's core dumps, as the system shows them.
fn core_limits(pid: u32) -> (String, String) {
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max core file size")).unwrap();
    let mut words = line.split_whitespace().map(str::to_owned);
    (words.next().unwrap(), words.next().unwrap())
}

#[test]
fn no_core_dump_is_written_unless_the_operator_allows_it() {
    let home = Home::new();
    assert_eq!(core_limits(home.serve(&[]).pid()).0, "0");
    let home = home.with("LACUNA_ALLOW_CORE_DUMPS", "true");
    let (soft, hard) = core_limits(home.serve(&[]).pid());
    assert_eq!(soft, hard);
}

#[test]
fn metrics_and_logs_hold_no_content_no_id_and_no_token() {
    let home = Home::new();
    let token = home.token("anna", "user", &[])["secret"].as_str().unwrap().to_owned();
    let mut child = home
        .command(&["serve", "--listen", "127.0.0.1:0", "--json"])
        .env("LACUNA_LOG", "trace")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let url =
        serde_json::from_str::<serde_json::Value>(&line).unwrap()["listening"].as_str().unwrap().to_owned();
    let mut stderr = child.stderr.take().unwrap();
    let log = std::thread::spawn(move || {
        let mut log = String::new();
        stderr.read_to_string(&mut log).unwrap();
        log
    });

    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let bearer = format!("Bearer {token}");
    let mut ids = Vec::new();
    for (path, body) in [
        ("/v1/memories", json!({"content": CANARY, "tags": [CANARY]})),
        ("/v1/memories", json!({"content": CANARY, "colour": CANARY})),
        ("/v1/memories", json!({"content": CANARY, "salience": CANARY})),
        ("/v1/search", json!({"query": CANARY})),
    ] {
        let mut answer = agent
            .post(format!("{url}{path}"))
            .header("authorization", &bearer)
            .content_type("application/json")
            .send(body.to_string())
            .unwrap();
        let answer = answer.body_mut().read_to_string().unwrap();
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        ids.extend(answer["memory_id"].as_str().map(str::to_owned));
    }
    agent.get(format!("{url}/v1/memories/{}", ids[0])).header("authorization", &bearer).call().unwrap();
    let metrics = agent.get(format!("{url}/metrics")).call().unwrap().body_mut().read_to_string().unwrap();
    std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    child.wait().unwrap();
    let log = log.join().unwrap();

    assert!(log.contains("/v1/search"), "the log says nothing: {log}");
    assert!(
        metrics.contains("lacuna_http_requests_total") && metrics.contains("lacuna_open_vaults 1"),
        "{metrics}"
    );
    for (name, text) in [("log", &log), ("metrics", &metrics)] {
        for secret in [CANARY, "heliotrope", &token, &ids[0]] {
            assert!(!text.contains(secret), "the {name} holds {secret}");
        }
    }
}

#[test]
fn every_answer_has_a_request_id_and_keeps_a_good_one() {
    let home = Home::new();
    let server = home.serve(&[]);
    let given = server.send("GET", "/healthz", &[("x-request-id", "job-42.a")], b"");
    assert_eq!(given.header("x-request-id"), Some("job-42.a"));
    let long = "x".repeat(65);
    for bad in ["a b", long.as_str()] {
        let made = server.send("GET", "/nothing", &[("x-request-id", bad)], b"");
        assert!(made.header("x-request-id").is_some_and(|id| id != bad && !id.is_empty()));
    }
}

#[test]
fn stopping_ends_well_and_what_was_acknowledged_stays() {
    let home = Home::new();
    let server = home.serve(&[]);
    server.post("/v1/memories", &json!({"content": "acknowledged"})).expect(201);
    assert_eq!(server.stop(), 0);
    assert_eq!(home.json(&["recall", "acknowledged"])["memories"][0]["content"], "acknowledged");
}

#[test]
fn a_renewed_epoch_opens_everything_and_an_old_keystore_opens_nothing() {
    let home = Home::new();
    home.remember("before the renewal");
    let keys = home.data().join("keystore/keystore.db");
    let old = std::fs::read(&keys).unwrap();
    let renewed = home.json(&["keys", "renew-epoch"]);
    assert_eq!((&renewed["epoch"], &renewed["destroyed"]), (&json!(2), &json!(1)));
    assert_eq!(home.json(&["recall", "renewal"])["memories"][0]["content"], "before the renewal");
    std::fs::write(&keys, old).unwrap();
    let done = home.run(&["recall", "renewal", "--json"]);
    assert_eq!(done.problem()["code"], "missing_key", "{}", done.stderr);
}

#[test]
fn audit_and_tokens_can_be_listed_and_the_configuration_file_is_read() {
    let home = Home::new().without("LACUNA_EMBEDDER");
    std::fs::create_dir_all(home.data()).unwrap();
    std::fs::write(home.data().join("lacuna.toml"), "embedder = 'static'\nuser = 'carla'\n").unwrap();
    home.remember("x");
    let entries = home.json(&["audit", "list"]);
    assert_eq!(entries["entries"][0]["action"], "memory_write");
    assert_eq!(entries["entries"][0]["actor"], "carla");
    assert_eq!(entries["entries"].as_array().unwrap().len(), 1, "the static model needs no second vector");
    home.token("dora", "reader", &["--label", "kitchen"]);
    let table = home.run(&["token", "list"]).ok();
    assert!(table.stdout.contains("dora") && table.stdout.contains("kitchen"), "{}", table.stdout);
    assert_eq!(home.json(&["memory", "list", "--as", "erik"])["memories"], json!([]));
}

#[test]
fn an_endpoint_that_is_down_costs_its_meaning_and_nothing_else() {
    let home = Home::new()
        .with("LACUNA_EMBEDDER", "endpoint")
        .with("LACUNA_ENDPOINT_URL", "http://127.0.0.1:9/v1")
        .with("LACUNA_ENDPOINT_MODEL", "some-model");
    let done = home.run(&["remember", "the heron stands in the pond"]).ok();
    assert!(done.stderr.contains("note[embedder_unavailable]"), "{}", done.stderr);
    let found = home.json(&["recall", "heron pond"]);
    assert_eq!(found["memories"][0]["content"], "the heron stands in the pond");
    let doctor = home.run(&["doctor", "--json"]);
    assert_eq!(doctor.code, 1);
    let checks = doctor.json()["checks"].as_array().unwrap().clone();
    let mark = |name: &str| checks.iter().find(|check| check["check"] == name).unwrap()["mark"].clone();
    assert_eq!(
        (mark("instant model"), mark("main model"), mark("backlog")),
        (json!("ok"), json!("fail"), json!("warn"))
    );
}

/// `cargo xtask test` starts a server and names it; a plain `cargo test` passes this by.
#[test]
fn the_same_doors_stand_before_postgresql() {
    let Ok(url) = std::env::var("LACUNA_TEST_POSTGRES") else {
        println!("skipped: LACUNA_TEST_POSTGRES is not set; `cargo xtask test` sets it");
        return;
    };
    // The database outlives the test, so that its tenant must be its own.
    let org = format!("doors-{}", std::process::id());
    let home = Home::new().with("LACUNA_STORE", &url).with("LACUNA_ORG", &org);
    let refused = home.run(&["recall", "heron"]);
    assert!(refused.code != 0 && refused.stderr.contains("keys_beside_data"), "{}", refused.stderr);
    let home = home.with("LACUNA_KEYS_BESIDE_DATA", "true");
    let server = home.serve(&[]);
    let stored = server.post("/v1/memories", &json!({"content": "the heron stands in the pond"})).expect(201);
    let id = stored["memory_id"].as_str().unwrap();
    assert_eq!(home.json(&["recall", "heron"])["memories"][0]["memory_id"], id);
    home.run(&["memory", "delete", id, "--yes"]).ok();
    server.get(&format!("/v1/memories/{id}")).refused(404, "not_found");
    // The server's account of the tests is a superuser.
    let report = home.json(&["doctor"]);
    let checks = report["checks"].as_array().unwrap();
    for name in ["login role of the data", "login role of the keys"] {
        let check = checks.iter().find(|check| check["check"] == name).unwrap();
        assert_eq!(check["mark"], "warn", "{check}");
        assert!(check["found"].as_str().unwrap().contains("is a superuser"), "{check}");
        assert!(check["hint"].as_str().unwrap().contains("docs/operations.md"), "{check}");
    }
    assert_eq!(server.stop(), 0);
}
