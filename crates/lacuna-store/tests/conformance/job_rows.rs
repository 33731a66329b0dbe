//! What holds of the table of jobs, of settings, of brief tombstones and of what expires, in every store.

use jiff::SignedDuration;
use lacuna_store::rows::{Batch, JobClaim, JobEnd, JobRow, Row, SETTINGS_BYTES_MAX, SealedSettings, Store};
use lacuna_types::Lifecycle;

use crate::samples::*;
use crate::suite::assert_refused;

pub(crate) fn conformance(store: &dyn Store) {
    a_job_is_claimed_by_one(store);
    a_claim_that_ran_out_is_taken_over(store);
    a_run_ends_with_its_outcome(store);
    an_early_claim_does_not_wait(store);
    of_many_claims_one_holds(store);
    bad_job_words_are_refused(store);
    settings_are_replaced_whole(store);
    brief_tombstones_go_first(store);
    vaults_with_expiring_rows_are_found(store);
}

fn claim(name: &str, node: &str, at: i64, until: i64) -> JobClaim {
    JobClaim { name: name.into(), node: node.into(), at: time(at), until: time(until), early: false }
}

fn end(name: &str, node: &str, at: i64, due_at: i64) -> JobEnd {
    let outcome = "ok".to_owned();
    let (name, node) = (name.to_owned(), node.to_owned());
    JobEnd { name, node, ended_at: time(at), due_at: time(due_at), outcome, done: 7, failures: 0 }
}

fn job(store: &dyn Store, name: &str) -> Option<JobRow> {
    let jobs = store.jobs().unwrap();
    assert!(jobs.is_sorted_by_key(|job| job.name.clone()));
    jobs.into_iter().find(|job| job.name == name)
}

fn a_job_is_claimed_by_one(store: &dyn Store) {
    assert_eq!(job(store, "once"), None);
    assert!(!store.end_job(&end("once", "a", 1, 2)).unwrap());
    assert!(!store.renew_job(&claim("once", "a", 1, 2)).unwrap());
    assert_eq!(job(store, "once"), None);
    assert!(store.claim_job(&claim("once", "a", 10, 20)).unwrap());
    let expected = JobRow {
        name: "once".into(),
        due_at: time(10),
        claimed_by: Some("a".into()),
        claimed_until: Some(time(20)),
        began_at: Some(time(10)),
        ended_at: None,
        outcome: None,
        done: 0,
        failures: 0,
    };
    assert_eq!(job(store, "once"), Some(expected.clone()));
    // Not even the holder claims it twice.
    for node in ["a", "b"] {
        assert!(!store.claim_job(&claim("once", node, 19, 40)).unwrap());
    }
    assert_eq!(job(store, "once"), Some(expected));
}

fn a_claim_that_ran_out_is_taken_over(store: &dyn Store) {
    assert!(store.claim_job(&claim("taken", "a", 10, 20)).unwrap());
    assert!(store.renew_job(&claim("taken", "a", 15, 30)).unwrap());
    assert!(!store.renew_job(&claim("taken", "b", 15, 90)).unwrap());
    assert!(!store.claim_job(&claim("taken", "b", 29, 50)).unwrap());
    assert!(store.claim_job(&claim("taken", "b", 30, 50)).unwrap());
    // Whoever was too slow learns it, and changes nothing.
    assert!(!store.renew_job(&claim("taken", "a", 31, 90)).unwrap());
    assert!(!store.end_job(&end("taken", "a", 31, 90)).unwrap());
    let row = job(store, "taken").unwrap();
    assert_eq!((row.claimed_by.as_deref(), row.claimed_until), (Some("b"), Some(time(50))));
    assert_eq!((row.began_at, row.ended_at), (Some(time(30)), None));
}

fn a_run_ends_with_its_outcome(store: &dyn Store) {
    assert!(store.claim_job(&claim("ended", "a", 10, 20)).unwrap());
    let failed = JobEnd { outcome: "disk_full".into(), failures: 3, ..end("ended", "a", 12, 40) };
    assert!(store.end_job(&failed).unwrap());
    assert!(!store.end_job(&failed).unwrap());
    let row = job(store, "ended").unwrap();
    assert_eq!((row.claimed_by, row.claimed_until, row.due_at), (None, None, time(40)));
    assert_eq!((row.began_at, row.ended_at), (Some(time(10)), Some(time(12))));
    assert_eq!((row.outcome.as_deref(), row.done, row.failures), (Some("disk_full"), 7, 3));
    assert!(!store.claim_job(&claim("ended", "b", 39, 90)).unwrap());
    assert!(store.claim_job(&claim("ended", "b", 40, 90)).unwrap());
    // How the last run ended is there until the next one ends.
    assert_eq!(job(store, "ended").unwrap().outcome.as_deref(), Some("disk_full"));
    assert!(store.end_job(&JobEnd { done: u64::from(u32::MAX) + 1, ..end("ended", "b", 50, 60) }).unwrap());
    let row = job(store, "ended").unwrap();
    assert_eq!((row.outcome.as_deref(), row.done, row.failures), (Some("ok"), u64::from(u32::MAX) + 1, 0));
}

fn an_early_claim_does_not_wait(store: &dyn Store) {
    assert!(store.claim_job(&claim("early", "a", 10, 20)).unwrap());
    let early = |at| JobClaim { early: true, ..claim("early", "b", at, 99) };
    assert!(!store.claim_job(&early(15)).unwrap(), "a claim holds against an early one too");
    assert!(store.end_job(&end("early", "a", 16, 1_000)).unwrap());
    assert!(!store.claim_job(&claim("early", "b", 17, 99)).unwrap());
    assert!(store.claim_job(&early(17)).unwrap());
}

fn of_many_claims_one_holds(store: &dyn Store) {
    let claimed = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|threads| {
        for node in 0..8 {
            let claimed = &claimed;
            threads.spawn(move || {
                if store.claim_job(&claim("crowd", &format!("node-{node}"), 10, 20)).unwrap() {
                    claimed.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(claimed.into_inner(), 1);
}

fn bad_job_words_are_refused(store: &dyn Store) {
    let fine = time(1) + SignedDuration::from_micros(1);
    let long = "x".repeat(65);
    let claims = [
        claim("", "a", 1, 2),
        claim("Sweep", "a", 1, 2),
        claim("bad", "a b", 1, 2),
        claim("bad", &long, 1, 2),
        JobClaim { until: fine, ..claim("bad", "a", 1, 2) },
    ];
    for bad in claims {
        assert_eq!(store.claim_job(&bad).unwrap_err().code(), "invalid");
        assert_eq!(store.renew_job(&bad).unwrap_err().code(), "invalid");
    }
    let ends = [
        JobEnd { outcome: "it broke: /etc".into(), ..end("bad", "a", 1, 2) },
        JobEnd { due_at: fine, ..end("bad", "a", 1, 2) },
    ];
    for bad in ends {
        assert_eq!(store.end_job(&bad).unwrap_err().code(), "invalid");
    }
    assert_eq!(job(store, "bad"), None);
}

fn settings_are_replaced_whole(store: &dyn Store) {
    let vault = scope("settings").vault_id();
    assert_eq!(store.settings(vault).unwrap(), None);
    put(store, "settings", vec![row(1)]);
    assert_eq!(store.settings(vault).unwrap(), None);
    let set = |revision, byte| SealedSettings { revision, sealed: vec![byte; 300] };
    for (revision, byte) in [(1, 0xa), (2, 0xb)] {
        let settings = Some(set(revision, byte));
        store.commit(Batch { settings: settings.clone(), ..batch(store, "settings") }).unwrap();
        assert_eq!(store.settings(vault).unwrap(), settings);
    }
    // What says nothing of settings leaves them.
    put(store, "settings", vec![row(2)]);
    assert_eq!(store.settings(vault).unwrap(), Some(set(2, 0xb)));
    assert_eq!(store.settings(scope("settings elsewhere").vault_id()).unwrap(), None);
    let large = SealedSettings { revision: 3, sealed: vec![0; SETTINGS_BYTES_MAX + 1] };
    assert_refused(store, Batch { settings: Some(large), ..batch(store, "settings") }, "invalid");
    let refused = Batch { settings: Some(set(3, 0xc)), closes: vec![1; 20_000], ..batch(store, "settings") };
    assert_refused(store, refused, "invalid");
    assert_eq!(store.settings(vault).unwrap(), Some(set(2, 0xb)));
    store.destroy(vault).unwrap();
    assert_eq!(store.settings(vault).unwrap(), None);
}

fn brief_tombstones_go_first(store: &dyn Store) {
    let vault = scope("brief").vault_id();
    put(store, "brief", (1..=4).map(row).collect());
    for (n, at, brief) in [(1, 10, true), (2, 10, false), (3, 30, true), (4, 40, false)] {
        let removed = Batch { removals: vec![id(n)], at: time(at), brief, ..batch(store, "brief") };
        store.commit(removed).unwrap();
    }
    let stones = || store.tombstones(vault, None).unwrap().iter().map(|stone| stone.id).collect::<Vec<_>>();
    let brief: Vec<_> = store.tombstones(vault, None).unwrap().iter().map(|stone| stone.brief).collect();
    assert_eq!(brief, [true, false, true, false]);
    store.commit(Batch { forget_brief_before: Some(time(10)), ..batch(store, "brief") }).unwrap();
    assert_eq!(stones(), [1, 2, 3, 4].map(id));
    store.commit(Batch { forget_brief_before: Some(time(30)), ..batch(store, "brief") }).unwrap();
    assert_eq!(stones(), [2, 3, 4].map(id));
    store.commit(Batch { forget_tombstones_before: Some(time(40)), ..batch(store, "brief") }).unwrap();
    assert_eq!(stones(), [4].map(id));
}

fn vaults_with_expiring_rows_are_found(store: &dyn Store) {
    let expires = |n, at| Row { expires_at: Some(time(at)), ..row(n) };
    // Earlier than every other row of the suite.
    put(store, "expiring a", vec![expires(1, -500), expires(2, -400), row(3)]);
    put(store, "expiring b", vec![Row { state: Lifecycle::Archived, ..expires(1, -300) }]);
    put(store, "expiring c", vec![Row { state: Lifecycle::Deleted, ..expires(1, -500) }]);
    put(store, "expiring d", vec![Row { expires_at: None, ..row(1) }]);
    let mut both = [scope("expiring a").vault_id(), scope("expiring b").vault_id()];
    both.sort();
    let found = |before, after, limit| store.expiring(time(before), after, limit).unwrap();
    assert_eq!(found(-500, None, 9), vec![]);
    assert_eq!(found(-499, None, 9), vec![scope("expiring a").vault_id()]);
    assert_eq!(found(-200, None, 9), both);
    assert_eq!(found(-200, None, 1), both[..1]);
    assert_eq!(found(-200, Some(both[0]), 9), both[1..]);
}
