//! Servers die in the middle of load: a node, PostgreSQL, OpenBao, SeaweedFS. Nothing acknowledged is lost, nothing forgotten
//! is back, and whoever is refused meanwhile is told that something is unavailable.

use std::time::{Duration, Instant};

use crate::cluster::{Cluster, Load, LoadReport, NODES, Victim};

/// Deaths of each server, and in a long run.
const DEATHS: usize = 1;
const LONG_DEATHS: usize = 10;
/// Writes of each person before a death and after it.
const WRITES_BETWEEN: usize = 4;
/// Time for which a server is gone.
const OUTAGE: Duration = Duration::from_secs(2);

/// Kills a server in the middle of load, and starts it again a while later, so many times. Nodes die in turn.
fn deaths(cluster: &Cluster, victim: Victim, count: usize) -> (LoadReport, Duration) {
    let mut longest = Duration::ZERO;
    let report = Load::during(cluster, |load| {
        for number in 0..count {
            let victim = if victim == Victim::Node(0) { Victim::Node(number % NODES) } else { victim };
            load.wait_for_writes(WRITES_BETWEEN);
            cluster.kill(victim);
            std::thread::sleep(OUTAGE);
            cluster.start_again(victim);
            let began = Instant::now();
            load.wait_for_writes(1);
            longest = longest.max(began.elapsed());
        }
        load.wait_for_writes(WRITES_BETWEEN);
    });
    (report, longest)
}

#[test]
fn deaths_in_the_middle_of_load_lose_nothing_and_bring_nothing_back() {
    let Some(cluster) = Cluster::start() else { return };
    let count = if std::env::var_os("LACUNA_LONG").is_some() { LONG_DEATHS } else { DEATHS };
    for (victim, name, codes) in [
        (Victim::Node(0), "a node", &["gone"][..]),
        (Victim::Postgres, "PostgreSQL", &["store_unavailable", "audit_unavailable"]),
        (Victim::OpenBao, "OpenBao", &["kms_unavailable"]),
        (Victim::SeaweedFs, "SeaweedFS", &["blobs_unavailable"]),
    ] {
        let (report, longest) = deaths(&cluster, victim, count);
        let LoadReport { kept, forgotten, reads, refused, .. } = report;
        eprintln!(
            "| {name} | {count} | {kept} kept, {forgotten} forgotten, {reads} searches | 0 | 0 | {} ms | {refused:?} |",
            longest.as_millis()
        );
        for code in refused.keys() {
            assert!(codes.contains(&code.as_str()), "{name} died, and somebody was told {code}");
        }
    }
}
