//! Requests under an `Idempotency-Key` in the store that nodes share.

use std::sync::Barrier;
use std::thread;

use jiff::SignedDuration;
use lacuna_store::rows::{
    KEYED_ANSWER_BYTES_MAX, KEYED_ANSWERS_OF_CALLER_MAX, KEYED_OF_CALLER_MAX, KeyedClaim, KeyedEnd,
    KeyedOutcome, KeyedStanding, PostgresStore, RamStore, Store,
};
use lacuna_types::OrgId;
use postgres::{Client, NoTls};

use crate::postgres_database::Database;
use crate::samples::*;

const LEASE_SECONDS: i64 = 60;
const KEPT_SECONDS: i64 = 1_000;
const SEALED: &[u8] = b"sealed answer";

fn claim(mark: u8, holder: u8, at: i64) -> KeyedClaim {
    KeyedClaim {
        org: OrgId::new("acme").unwrap(),
        mark: [mark; 32],
        caller: [1; 32],
        print: [7; 32],
        holder: [holder; 16],
        at: time(at),
        until: time(at + LEASE_SECONDS),
        kept_since: time(at - KEPT_SECONDS),
    }
}

fn end(claim: &KeyedClaim, outcome: KeyedOutcome) -> KeyedEnd {
    KeyedEnd { org: claim.org.clone(), mark: claim.mark, holder: claim.holder, outcome }
}

fn done(claim: &KeyedClaim) -> KeyedEnd {
    end(claim, KeyedOutcome::Done(Some(SEALED.to_vec())))
}

fn answered() -> KeyedStanding {
    KeyedStanding::Done(Some(SEALED.to_vec()))
}

fn store(database: &Database) -> PostgresStore {
    PostgresStore::open(&database.url()).unwrap()
}

#[test]
fn a_request_is_one_nodes_and_its_answer_is_everybodys() {
    let Some(database) = Database::make("keyed") else { return };
    let (one, other) = (store(&database), store(&database));
    let first = claim(1, 1, 10);
    assert_eq!(one.claim_keyed(&first).unwrap(), KeyedStanding::Claimed);
    let again = claim(1, 2, 20);
    assert_eq!(other.claim_keyed(&again).unwrap(), KeyedStanding::UnderWay);
    let another = KeyedClaim { print: [8; 32], ..claim(1, 3, 20) };
    assert_eq!(other.claim_keyed(&another).unwrap(), KeyedStanding::Other);
    // Another caller's mark, and the same mark in another organisation, are other requests.
    let elsewhere = KeyedClaim { org: OrgId::new("other").unwrap(), ..claim(1, 4, 20) };
    assert_eq!(other.claim_keyed(&elsewhere).unwrap(), KeyedStanding::Claimed);
    // Only the holder ends it.
    assert!(!other.end_keyed(&done(&again)).unwrap());
    assert!(one.end_keyed(&done(&first)).unwrap());
    assert!(!one.renew_keyed(&first).unwrap());
    assert_eq!(other.claim_keyed(&claim(1, 5, 30)).unwrap(), answered());
    assert_eq!(other.claim_keyed(&another).unwrap(), KeyedStanding::Other);

    let failed = claim(2, 1, 40);
    assert_eq!(one.claim_keyed(&failed).unwrap(), KeyedStanding::Claimed);
    assert!(one.end_keyed(&end(&failed, KeyedOutcome::Failed)).unwrap());
    assert_eq!(other.claim_keyed(&claim(2, 2, 41)).unwrap(), KeyedStanding::Claimed);
    let unkept = claim(3, 1, 42);
    assert_eq!(one.claim_keyed(&unkept).unwrap(), KeyedStanding::Claimed);
    assert!(one.end_keyed(&end(&unkept, KeyedOutcome::Done(None))).unwrap());
    assert_eq!(other.claim_keyed(&claim(3, 2, 43)).unwrap(), KeyedStanding::Done(None));
}

#[test]
fn a_node_that_died_holds_a_request_no_longer_than_its_lease() {
    let Some(database) = Database::make("keyed_lease") else { return };
    let store = store(&database);
    let dead = claim(1, 1, 10);
    assert_eq!(store.claim_keyed(&dead).unwrap(), KeyedStanding::Claimed);
    let renewed = KeyedClaim { until: time(50 + LEASE_SECONDS), ..dead.clone() };
    assert!(store.renew_keyed(&renewed).unwrap());
    assert_eq!(store.claim_keyed(&claim(1, 2, 49 + LEASE_SECONDS)).unwrap(), KeyedStanding::UnderWay);
    let next = claim(1, 2, 50 + LEASE_SECONDS);
    assert_eq!(store.claim_keyed(&next).unwrap(), KeyedStanding::Claimed);
    // Had it only slept, its answer comes too late.
    assert!(!store.renew_keyed(&renewed).unwrap());
    assert!(!store.end_keyed(&done(&dead)).unwrap());
    assert!(store.end_keyed(&done(&next)).unwrap());
}

#[test]
fn of_many_claims_at_once_one_holds() {
    let Some(database) = Database::make("keyed_race") else { return };
    let store = store(&database);
    let start = Barrier::new(8);
    let claimed: usize = thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|holder| {
                let (store, start) = (&store, &start);
                scope.spawn(move || {
                    start.wait();
                    (0..20).filter(|mark| is_claimed(store, *mark, holder)).count()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(claimed, 20);
}

fn is_claimed(store: &dyn Store, mark: u8, holder: u8) -> bool {
    store.claim_keyed(&claim(mark, holder, 10)).unwrap() == KeyedStanding::Claimed
}

#[test]
fn an_erasure_takes_every_kept_answer_of_its_organisation_and_those_to_come() {
    let Some(database) = Database::make("keyed_erasure") else { return };
    let store = store(&database);
    put(&store, "ann", vec![row(1), row(2)]);
    let elsewhere = KeyedClaim { org: OrgId::new("other").unwrap(), ..claim(3, 3, 10) };
    let (kept, under_way) = (claim(1, 1, 10), claim(2, 2, 10));
    for one in [&kept, &under_way, &elsewhere] {
        assert_eq!(store.claim_keyed(one).unwrap(), KeyedStanding::Claimed);
    }
    store.end_keyed(&done(&kept)).unwrap();
    store.end_keyed(&done(&elsewhere)).unwrap();
    put(&store, "ann", vec![row(3)]);
    assert_eq!(store.claim_keyed(&claim(1, 4, 20)).unwrap(), answered(), "a write erases nothing");

    remove(&store, "ann", &[id(1)]);
    store.end_keyed(&done(&under_way)).unwrap();
    for mark in [1, 2] {
        assert_eq!(store.claim_keyed(&claim(mark, 4, 20)).unwrap(), KeyedStanding::Done(None), "{mark}");
    }
    let elsewhere = KeyedClaim { at: time(20), holder: [4; 16], ..elsewhere };
    assert_eq!(store.claim_keyed(&elsewhere).unwrap(), answered());

    // A vault that is destroyed takes them as well.
    let later = claim(4, 1, 30);
    assert_eq!(store.claim_keyed(&later).unwrap(), KeyedStanding::Claimed);
    store.end_keyed(&done(&later)).unwrap();
    store.destroy(scope("ann").vault_id()).unwrap();
    assert_eq!(store.claim_keyed(&claim(4, 2, 31)).unwrap(), KeyedStanding::Done(None));
    assert_eq!(store.claim_keyed(&elsewhere).unwrap(), answered());
}

#[test]
fn number_and_age_of_requests_are_bounded() {
    let Some(database) = Database::make("keyed_bounds") else { return };
    let store = store(&database);
    let marked = |number: usize| {
        let mut one = claim(0, 1, i64::try_from(number).unwrap());
        one.mark[..8].copy_from_slice(&(number as u64).to_be_bytes());
        KeyedClaim { until: one.at + SignedDuration::from_hours(1), kept_since: time(-10), ..one }
    };
    let bens = KeyedClaim { caller: [2; 32], mark: [99; 32], ..marked(0) };
    assert_eq!(store.claim_keyed(&bens).unwrap(), KeyedStanding::Claimed);
    store.end_keyed(&done(&bens)).unwrap();
    for number in [0, 1, 2] {
        assert_eq!(store.claim_keyed(&marked(number)).unwrap(), KeyedStanding::Claimed);
    }
    for number in [0, 2] {
        store.end_keyed(&done(&marked(number))).unwrap();
    }
    // All but the last one that has a place, as the store would have written them.
    let many = format!(
        "INSERT INTO lacuna.keyed_request (org, mark, caller, print, began_at, answer)
         SELECT org, overlay(mark PLACING int8send(number) FROM 1), caller, print,
                began_at + (number - 2) * 1000, answer
         FROM lacuna.keyed_request, generate_series(3, {}) AS number WHERE mark = $1",
        KEYED_OF_CALLER_MAX - 1
    );
    let mut client = Client::connect(&database.url(), NoTls).unwrap();
    client.execute(&many, &[&marked(2).mark.as_slice()]).unwrap();
    let last = marked(KEYED_OF_CALLER_MAX);
    assert_eq!(store.claim_keyed(&last).unwrap(), KeyedStanding::Claimed);
    store.end_keyed(&done(&last)).unwrap();
    let again = |number: usize| KeyedClaim { holder: [9; 16], ..marked(number) };
    assert_eq!(store.claim_keyed(&again(1)).unwrap(), KeyedStanding::UnderWay);
    assert_eq!(store.claim_keyed(&again(2)).unwrap(), KeyedStanding::Done(None), "its answer went before");
    let newest_bare = KEYED_OF_CALLER_MAX - KEYED_ANSWERS_OF_CALLER_MAX - 1;
    assert_eq!(store.claim_keyed(&again(newest_bare)).unwrap(), KeyedStanding::Done(None));
    assert_eq!(store.claim_keyed(&again(newest_bare + 1)).unwrap(), answered());
    assert_eq!(store.claim_keyed(&KeyedClaim { holder: [9; 16], ..bens }).unwrap(), answered());
    assert_eq!(store.claim_keyed(&again(0)).unwrap(), KeyedStanding::Claimed, "the oldest was pushed out");

    // One that is older than requests are kept is as if it had not been, before the sweep and after.
    let late = claim(200, 1, 5_000);
    let old = KeyedClaim { mark: marked(3).mark, ..claim(0, 5, 3 + KEPT_SECONDS + 1) };
    assert_eq!(store.claim_keyed(&late).unwrap(), KeyedStanding::Claimed);
    assert_eq!(store.claim_keyed(&old).unwrap(), KeyedStanding::Claimed);
    assert!(store.forget_keyed(time(4_000)).unwrap() > 1_000);
    assert_eq!(store.forget_keyed(time(4_000)).unwrap(), 0);
    assert_eq!(store.claim_keyed(&claim(200, 2, 5_001)).unwrap(), KeyedStanding::UnderWay);

    let long = KeyedOutcome::Done(Some(vec![0; KEYED_ANSWER_BYTES_MAX + 1]));
    assert_eq!(store.end_keyed(&end(&late, long)).unwrap_err().code(), "invalid");
}

#[test]
fn requests_of_another_organisation_are_hidden() {
    let Some(database) = Database::make("keyed_orgs") else { return };
    let store = store(&database);
    for org in ["acme", "other"] {
        let org = OrgId::new(org).unwrap();
        assert_eq!(
            store.claim_keyed(&KeyedClaim { org, ..claim(1, 1, 10) }).unwrap(),
            KeyedStanding::Claimed
        );
    }
    let mut client = Client::connect(&database.url(), NoTls).unwrap();
    let mut seen = |settings: &str| -> Vec<String> {
        let mut transaction = client.transaction().unwrap();
        transaction.batch_execute(&format!("SET LOCAL ROLE lacuna_app; {settings}")).unwrap();
        let rows = transaction.query("SELECT org FROM lacuna.keyed_request", &[]).unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    };
    assert_eq!(seen(""), [""; 0]);
    assert_eq!(seen("SET LOCAL app.org = 'acme'"), ["acme"]);
}

#[test]
fn a_store_of_one_node_claims_everything_and_keeps_nothing() {
    let store = RamStore::new();
    assert!(!store.shares_keyed());
    for holder in [1, 2] {
        assert_eq!(store.claim_keyed(&claim(1, holder, 10)).unwrap(), KeyedStanding::Claimed);
    }
}
