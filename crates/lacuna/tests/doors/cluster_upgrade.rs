//! A rolling upgrade: nodes of an older release are replaced one after the other in the middle of load, so that both releases
//! serve the same people for a while.

use std::path::PathBuf;

use crate::cluster::{Cluster, Load, LoadReport, NODES};

/// Variable that names the program of the older release. It cannot be built from this tree, so most runs are without it.
const OLDER: &str = "LACUNA_TEST_OLDER";
/// Writes of each person with every mixture of the two releases.
const WRITES_BETWEEN: usize = 12;

#[test]
fn nodes_of_two_releases_serve_the_same_people() {
    let Some(older) = std::env::var_os(OLDER) else {
        eprintln!("skipped: {OLDER} names no program of an older release");
        return;
    };
    let Some(cluster) = Cluster::start_as(PathBuf::from(older)) else { return };
    let report = Load::during(&cluster, |load| {
        for node in 0..NODES {
            load.wait_for_writes(WRITES_BETWEEN);
            cluster.upgrade(node);
        }
        load.wait_for_writes(WRITES_BETWEEN);
    });
    let LoadReport { kept, forgotten, reads, refused, .. } = report;
    eprintln!("| {kept} kept, {forgotten} forgotten, {reads} searches | 0 lost | 0 back | {refused:?} |");
    for code in refused.keys() {
        assert_eq!(code, "gone", "two releases at once, and somebody was told {code}");
    }
}
