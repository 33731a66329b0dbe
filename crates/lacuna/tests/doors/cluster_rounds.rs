//! What one of three nodes forgot, no other answers, not even once.

use crate::cluster::{Cluster, NODES};

/// Rounds of forgetting at one node and asking the others, and how many with `LACUNA_LONG=1`; `LACUNA_TEST_ROUNDS` sets
/// another number.
const ROUNDS: usize = 100;
const LONG_ROUNDS: usize = 10_000;
const PEOPLE: [&str; 2] = ["anna", "ben"];

/// Rounds of one person; answers with how many searches showed something forgotten.
fn rounds_of(cluster: &Cluster, person: &str, rounds: usize) -> usize {
    let words = "lantern in the crypt";
    let mut stale = 0;
    for round in 0..rounds {
        let [writer, eraser, asked] = [0, 1, 2].map(|place| round + place * (1 + round % 2));
        let id = cluster.remember(writer, person, &format!("The lantern number {round} hangs in the crypt."));
        for node in 0..NODES {
            assert!(cluster.found(node, person, words).contains(&id), "round {round}: not found");
        }
        cluster.forget(eraser, person, &id);
        // The other one first, while the news is fresh.
        for node in [asked, writer, eraser] {
            stale += usize::from(cluster.found(node, person, words).contains(&id));
        }
    }
    stale
}

#[test]
fn what_one_of_three_nodes_forgot_no_other_answers() {
    let Some(cluster) = Cluster::start() else { return };
    let rounds = if std::env::var_os("LACUNA_LONG").is_some() { LONG_ROUNDS } else { ROUNDS };
    let rounds = std::env::var("LACUNA_TEST_ROUNDS").map_or(rounds, |number| number.parse().unwrap());
    let stale: usize = std::thread::scope(|threads| {
        let share = rounds.div_ceil(PEOPLE.len());
        let cluster = &cluster;
        let people = PEOPLE.map(|person| threads.spawn(move || rounds_of(cluster, person, share)));
        people.into_iter().map(|person| person.join().unwrap()).sum()
    });
    eprintln!("| forgotten at one node, asked for at all three | {rounds} rounds | {stale} stale |");
    assert_eq!(stale, 0, "a node answered what another one forgot");
}
