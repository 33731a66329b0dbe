//! The whole story over real servers: remember, recall, forget, rotate, fail over, put an old snapshot back, destroy.

use std::time::Instant;

use serde_json::{Value, json};

use crate::cluster::{Cluster, Load, NODES, REPLICA, Victim, eventually, large_text};

const SPARE_KEY: &str = "The spare key is under the third stone.";
const SNAPSHOT: &str = "snapshot";
const ROTATIONS: u32 = 3;
const WRITES_BETWEEN: usize = 3;

/// A text that is too large for a row.
fn log_of_the_ferry() -> String {
    format!("The log of the ferry says: {}", large_text())
}

#[test]
fn a_company_remembers_forgets_rotates_fails_over_restores_and_ends() {
    let Some(cluster) = Cluster::start() else { return };
    let [key, log] = remember_and_recall(&cluster);
    cluster.take_snapshot(SNAPSHOT);
    forget(&cluster, &[key.clone(), log.clone()]);
    replace_nodes_under_load(&cluster);
    rotate_under_load(&cluster);
    fail_over_under_load(&cluster);
    put_the_snapshot_back(&cluster, &[key, log]);
    destroy(&cluster);
}

/// What one node stored, the others find, by other words and in full.
fn remember_and_recall(cluster: &Cluster) -> [String; 2] {
    let key = cluster.remember(0, "anna", SPARE_KEY);
    let log = cluster.remember(1, "anna", &log_of_the_ferry());
    cluster.remember(2, "anna", "The boat is moored at pier nine.");
    let hint = |node: usize| {
        let answer = cluster.call(node, "anna", "GET", "/v1/memories", &Value::Null);
        answer.header("lacuna-node").unwrap().to_owned()
    };
    for node in 0..NODES {
        assert_eq!(hint(node), hint(0), "every node knows the same one for anna");
        assert!(cluster.found(node, "anna", "where is the spare key?").contains(&key));
        let whole =
            cluster.call(node, "anna", "GET", &format!("/v1/memories/{log}"), &Value::Null).expect(200);
        assert!(whole["content"] == log_of_the_ferry(), "node {node}");
        assert!(cluster.found(node, "ben", "where is the spare key?").is_empty(), "another person's");
    }
    [key, log]
}

fn forget(cluster: &Cluster, ids: &[String]) {
    for (node, id) in ids.iter().enumerate() {
        cluster.forget(node, "anna", id);
    }
    nobody_has(cluster, ids);
}

fn nobody_has(cluster: &Cluster, ids: &[String]) {
    for node in 0..NODES {
        for words in ["where is the spare key?", "the log of the ferry"] {
            let found = cluster.found(node, "anna", words);
            assert!(ids.iter().all(|id| !found.contains(id)), "node {node} shows what was forgotten");
        }
        for id in ids {
            let path = format!("/v1/memories/{id}");
            cluster.call(node, "anna", "GET", &path, &Value::Null).refused(404, "not_found");
        }
    }
}

/// As an upgrade does: each node drains and ends, and another one takes its place.
fn replace_nodes_under_load(cluster: &Cluster) {
    let report = Load::during(cluster, |load| {
        for node in 0..NODES {
            load.wait_for_writes(WRITES_BETWEEN);
            cluster.stop_node(node);
            cluster.start_again(Victim::Node(node));
        }
        load.wait_for_writes(WRITES_BETWEEN);
    });
    eprintln!("{NODES} nodes replaced under load: {report:?}");
    // Whoever meets the node that goes asks another one.
    let known = ["gone", "draining"];
    assert!(report.refused.keys().all(|code| known.contains(&code.as_str())), "{report:?}");
}

fn rotate_under_load(cluster: &Cluster) {
    let began = Instant::now();
    let report = Load::during(cluster, |load| {
        for version in 2..2 + ROTATIONS {
            load.wait_for_writes(WRITES_BETWEEN);
            let rotated = cluster.operator.json(&["keys", "rotate"]);
            assert_eq!((&rotated["version"], &rotated["skipped"]), (&json!(version), &json!([])));
        }
        load.wait_for_writes(WRITES_BETWEEN);
    });
    eprintln!("{ROTATIONS} rotations of the master key under load, in {:?}: {report:?}", began.elapsed());
    assert!(report.refused.is_empty(), "somebody was refused during a rotation: {report:?}");
}

fn fail_over_under_load(cluster: &Cluster) {
    let report = Load::during(cluster, |load| {
        load.wait_for_writes(WRITES_BETWEEN);
        let began = Instant::now();
        cluster.kill(Victim::Postgres);
        cluster.promote_replica();
        load.wait_for_writes(1);
        eprintln!("failover: everybody writes again {:?} after the death of the primary", began.elapsed());
        load.wait_for_writes(WRITES_BETWEEN);
    });
    eprintln!("failover under load: {report:?}");
}

/// Snapshots of the whole server, keystore included, from before it was forgotten.
fn put_the_snapshot_back(cluster: &Cluster, forgotten: &[String]) {
    (0..NODES).for_each(|node| cluster.stop_node(node));
    cluster.stop_database(REPLICA);
    cluster.start_database(SNAPSHOT, 0);
    let refused = cluster.operator.run(&["--as", "anna", "recall", "spare key", "--json"]);
    assert_eq!(refused.problem()["code"], "rolled_back", "{}", refused.stderr);
    let doctor = cluster.operator.run(&["doctor", "--json"]);
    assert!(doctor.stdout.contains("rolled_back"), "{}", doctor.stdout);
    cluster.operator.run(&["keys", "accept-rollback"]).ok();
    for node in 0..NODES {
        cluster.start_again(Victim::Node(node));
    }
    nobody_has(cluster, forgotten);
    for node in 0..NODES {
        let boat = cluster.found(node, "anna", "where is the boat moored?");
        assert_eq!(boat.len(), 1, "what nobody forgot is there");
    }
}

/// The organisation's key is deleted in OpenBao: no node and no copy reads anything.
fn destroy(cluster: &Cluster) {
    let status = cluster.operator.json(&["keys", "status"]);
    let key = status["organisations"][0]["service_key"].as_str().unwrap();
    cluster.bao.lock().unwrap().delete_key(key);
    let query = json!({"query": "where is the boat moored?"});
    for node in 0..NODES {
        let ask = || cluster.call(node, "anna", "POST", "/v1/search", &query);
        eventually("the organisation is unreadable", || ask().status == 503);
        ask().refused(503, "kms_key_missing");
    }
    (0..NODES).for_each(|node| cluster.stop_node(node));
    // The copy that the failover left reads nothing either.
    cluster.stop_database(SNAPSHOT);
    cluster.start_database(REPLICA, 1);
    let refused = cluster.operator.run(&["--as", "anna", "recall", "boat", "--json"]);
    assert_eq!(refused.problem()["code"], "kms_key_missing", "{}", refused.stderr);
}
