//! After a failure at any operation, a store is as before that operation or as after it, never between.

use std::sync::Arc;

use lacuna_store::keys::{FaultyKeys, KeyBatch, KeyStore, RamKeys, SqliteKeys};
use lacuna_store::rows::{
    Batch, FaultTiming, Faults, FaultyStore, MemberChange, PendingErasure, RamStore, Row, SealedBody,
    SqliteStore, Store,
};
use lacuna_types::Revision;

use crate::samples::*;
use crate::{key_suite, suite};

fn script() -> Vec<Batch> {
    let batch = |expected| Batch::new(scope("script"), time(0), Revision(expected));
    let body = SealedBody::Inline { revision: 1, sealed: vec![3; 50] };
    vec![
        Batch { puts: vec![row(1), Row { body, ..row(2) }], audit: vec![audit_row(1)], ..batch(0) },
        Batch { puts: vec![Row { body: SealedBody::Unchanged, frame: vec![9], ..row(2) }], ..batch(1) },
        Batch {
            opens: vec![PendingErasure { id: 2, memories: vec![id(1)], note: vec![7] }],
            audit: vec![audit_row(2)],
            ..batch(2)
        },
        Batch { removals: vec![id(1)], closes: vec![2], audit: vec![audit_row(3)], ..batch(3) },
        Batch { members: vec![add_ann()], audit: vec![audit_row(4)], ..batch(4) },
    ]
}

fn add_ann() -> MemberChange {
    MemberChange::Add { group: team("desk"), user: user("ann"), at: time(1) }
}

fn store_survives(open: &dyn Fn() -> Arc<dyn Store>) {
    let vault = scope("script").vault_id();
    let clean = open();
    let mut states = vec![suite::snapshot(&*clean, vault)];
    for batch in script() {
        clean.commit(batch).unwrap();
        states.push(suite::snapshot(&*clean, vault));
    }
    for failing in 0..script().len() {
        for when in [FaultTiming::Before, FaultTiming::After] {
            let (inner, faults) = (open(), Faults::none());
            let faulty = FaultyStore::new(inner.clone(), faults.clone());
            faults.fail(failing as u64 + 1, when);
            for (number, batch) in script().into_iter().enumerate() {
                let answer = faulty.commit(batch.clone());
                assert_eq!(answer.is_err(), number == failing);
                let took_effect = answer.is_ok() || when == FaultTiming::After;
                assert_eq!(suite::snapshot(&*inner, vault), states[number + usize::from(took_effect)]);
                // The revision tells whether to do it again; doing it twice would be refused.
                match inner.revision(vault).unwrap() == batch.expected {
                    true => drop(inner.commit(batch).unwrap()),
                    false => assert_eq!(inner.commit(batch).unwrap_err().code(), "conflict"),
                }
            }
            assert_eq!(suite::snapshot(&*inner, vault), states[script().len()]);
        }
    }
}

fn key_script() -> Vec<KeyBatch> {
    let batch = || KeyBatch::new(key_suite::vault("script"), time(5));
    vec![
        key_suite::first("script"),
        KeyBatch { memories: vec![memory_key(1, 1), memory_key(2, 2)], ..batch() },
        KeyBatch { root: Some((root(2), Some(1))), ..batch() },
        KeyBatch { destroys: vec![id(1)], classes: vec![class(3)], ..batch() },
    ]
}

fn keys_survive(open: &dyn Fn() -> Arc<dyn KeyStore>) {
    let vault = key_suite::vault("script");
    let clean = open();
    let mut states = vec![key_suite::snapshot(&*clean, vault)];
    for batch in key_script() {
        clean.commit(batch).unwrap();
        states.push(key_suite::snapshot(&*clean, vault));
    }
    for failing in 0..key_script().len() {
        for when in [FaultTiming::Before, FaultTiming::After] {
            let (inner, faults) = (open(), Faults::none());
            let faulty = FaultyKeys::new(inner.clone(), faults.clone());
            faults.die(failing as u64 + 1, when);
            for (number, batch) in key_script().into_iter().enumerate() {
                assert_eq!(faulty.commit(batch).is_err(), number >= failing);
            }
            let last = failing + usize::from(when == FaultTiming::After);
            assert_eq!(key_suite::snapshot(&*inner, vault), states[last]);
            faults.heal();
            key_script().into_iter().skip(last).for_each(|batch| faulty.commit(batch).unwrap());
            assert_eq!(key_suite::snapshot(&*inner, vault), states[key_script().len()]);
        }
    }
}

#[test]
fn ram_survives_faults() {
    store_survives(&|| Arc::new(RamStore::new()));
    keys_survive(&|| Arc::new(RamKeys::new()));
}

#[test]
fn sqlite_survives_faults() {
    let folder = tempfile::tempdir().unwrap();
    let count = std::cell::Cell::new(0);
    let path = || {
        count.set(count.get() + 1);
        folder.path().join(format!("{}.db", count.get()))
    };
    store_survives(&|| Arc::new(SqliteStore::open(path()).unwrap()));
    keys_survive(&|| Arc::new(SqliteKeys::open(path()).unwrap()));
}
