//! The primary of PostgreSQL dies and its replica takes over: two nodes go on, nothing acknowledged is lost, and nothing
//! forgotten is back.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::own_postgres::Machine;
use crate::support::{Home, Server};

const BEFORE: usize = 12;
const AFTER: usize = 12;
const RECOVERY_WAIT: Duration = Duration::from_secs(60);

/// Remembers, and answers with the id if the server said so.
fn remember(server: &Server, number: usize) -> Option<String> {
    let text = format!("The heron number {number} stands in pond {}.", number * 7);
    let answer = server.post("/v1/memories", &json!({"content": text}));
    (answer.status == 201).then(|| answer.json()["memory_id"].as_str().unwrap().to_owned())
}

fn ids(server: &Server) -> BTreeSet<String> {
    let listed = server.get("/v1/memories?limit=100").expect(200);
    let memories = listed["memories"].as_array().unwrap().clone();
    memories.iter().map(|memory| memory["memory_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn nodes_follow_a_promoted_replica_and_lose_nothing() {
    let Some(machine) = Machine::new() else { return };
    let (primary, replica) = machine.pair();
    let url = format!("postgres://lacuna@127.0.0.1:{},127.0.0.1:{}/postgres", primary.port, replica.port);
    let home = Home::new().with("LACUNA_STORE", &url).with("LACUNA_KEYS_BESIDE_DATA", "true");
    let nodes = [home.serve(&[]), home.serve(&[])];

    let mut kept: BTreeSet<String> =
        (0..BEFORE).filter_map(|number| remember(&nodes[number % 2], number)).collect();
    assert_eq!(kept.len(), BEFORE);
    let forgotten: Vec<String> = kept.iter().take(3).cloned().collect();
    for id in &forgotten {
        nodes[0].delete(&format!("/v1/memories/{id}")).expect(200);
        kept.remove(id);
    }
    drop(primary);
    // Nobody takes writes: the answer says so, and nothing is acknowledged that could be lost.
    assert_eq!(remember(&nodes[0], 1_000), None);
    let began = Instant::now();
    replica.admin("SELECT pg_promote()");
    let mut number = BEFORE;
    while number < BEFORE + AFTER {
        match remember(&nodes[number % 2], number) {
            Some(id) => {
                kept.insert(id);
                number += 1;
            }
            None => {
                assert!(began.elapsed() < RECOVERY_WAIT, "the nodes do not find the new primary");
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }
    println!("recovered and wrote {AFTER} memories in {:?}", began.elapsed());
    for node in &nodes {
        let there = ids(node);
        assert!(kept.is_subset(&there), "an acknowledged memory is gone");
        assert!(forgotten.iter().all(|id| !there.contains(id)), "a forgotten memory is back");
        // The one that was not acknowledged may have arrived or not.
        assert!(there.len() <= kept.len() + 1);
    }
}
