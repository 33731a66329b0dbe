//! Many writers at once.

use lacuna_store::rows::{Batch, RamStore, SqliteStore, Store};
use lacuna_types::{Error, Revision};

use crate::samples::*;

/// Every writer gets through by reading again after a conflict, and nothing is lost or doubled.
pub(crate) fn writers_take_turns(store: &dyn Store, writers: u64, commits: u64) {
    writers_on(&[store], writers, commits);
}

fn writers_on(stores: &[&dyn Store], writers: u64, commits: u64) {
    std::thread::scope(|threads| {
        for writer in 0..writers {
            let store = stores[writer as usize % stores.len()];
            threads.spawn(move || (0..commits).for_each(|n| commit_with_retries(store, writer * 1_000 + n)));
        }
    });
    let vault = scope("shared").vault_id();
    let total = writers * commits;
    for store in stores {
        let header = store.vault(vault).unwrap().unwrap();
        assert_eq!((header.revision, header.audit.seq), (Revision(total), total));
        assert_eq!(changes(*store, vault, Revision::ZERO).0.len() as u64, total);
        assert!(store.audit(vault, 0).unwrap().iter().map(|row| row.seq).eq(1..=total));
    }
}

fn commit_with_retries(store: &dyn Store, n: u64) {
    let vault = scope("shared").vault_id();
    loop {
        let header = store.vault(vault).unwrap();
        let (expected, seq) =
            header.map_or((Revision::ZERO, 0), |header| (header.revision, header.audit.seq));
        let batch = Batch {
            puts: vec![row(n)],
            audit: vec![audit_row(seq + 1)],
            ..Batch::new(scope("shared"), time(0), expected)
        };
        match store.commit(batch) {
            Ok(_) => return,
            Err(Error::Conflict(_)) => {}
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn ram_writers_take_turns() {
    writers_take_turns(&RamStore::new(), 8, 25);
}

#[test]
fn sqlite_writers_take_turns() {
    let folder = tempfile::tempdir().unwrap();
    writers_take_turns(&SqliteStore::open(folder.path().join("data.db")).unwrap(), 8, 25);
}

#[test]
fn two_stores_on_one_file_take_turns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.db");
    let (a, b) = (SqliteStore::open(&path).unwrap(), SqliteStore::open(&path).unwrap());
    writers_on(&[&a, &b], 4, 15);
}

#[test]
fn waiting_writers_share_a_transaction() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("data.db")).unwrap();
    let (writers, commits) = (8, 40);
    std::thread::scope(|threads| {
        for writer in 0..writers {
            let store = &store;
            threads.spawn(move || {
                (0..commits).for_each(|n| {
                    put(store, &format!("user {writer}"), vec![row(n)]);
                });
            });
        }
    });
    assert!(store.transactions() < writers * commits, "{} transactions", store.transactions());
    for writer in 0..writers {
        assert_eq!(store.revision(scope(&format!("user {writer}")).vault_id()).unwrap(), Revision(commits));
    }
}
