//! What happens to the files: who may read them, what is refused, what erasing leaves.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lacuna_store::keys::{KeyBatch, KeyStore, SqliteKeys};
use lacuna_store::rows::{Batch, MemberChange, Row, SealedBody, SqliteOptions, SqliteStore, Store};
use lacuna_types::Revision;
use rusqlite::Connection;

use crate::samples::*;
use crate::{key_suite, suite};

const CANARY: &[u8] = b"canary-5f0c7f5b-sealed-bytes-that-must-not-stay";
/// How long a test waits for the writer to scrub the log on its own.
const SCRUB_PATIENCE: Duration = Duration::from_secs(20);

fn impatient() -> SqliteOptions {
    SqliteOptions { lock_wait: Duration::from_millis(50), ..SqliteOptions::default() }
}

fn open_code(path: &Path) -> &'static str {
    SqliteStore::open_with(path, impatient()).err().map_or("opened", |error| error.code())
}

#[test]
fn files_are_for_their_owner_only() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("a/b");
    let store = SqliteStore::open(data.join("data.db")).unwrap();
    put(&store, "ann", vec![row(1)]);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder.path().join("a")), mode(&data)), (0o700, 0o700));
    let files: Vec<_> = fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 3, "database, log and its index: {files:?}");
    assert!(files.iter().all(|file| mode(file) == 0o600), "{files:?}");
}

#[test]
fn what_is_not_ours_is_refused_and_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("text"), b"not a database, but long enough to look like one ".repeat(50)).unwrap();
    Connection::open(path("foreign")).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    drop(SqliteKeys::open(path("keys")).unwrap());
    drop(SqliteStore::open(path("newer")).unwrap());
    Connection::open(path("newer")).unwrap().pragma_update(None, "user_version", 99).unwrap();
    drop(SqliteStore::open(path("readonly")).unwrap());
    fs::set_permissions(path("readonly"), fs::Permissions::from_mode(0o400)).unwrap();
    let table = [
        ("text", "not_a_database"),
        ("foreign", "foreign_database"),
        ("keys", "foreign_database"),
        ("newer", "newer_database"),
        ("readonly", "read_only"),
    ];
    for (name, code) in table {
        let before = fs::read(path(name)).unwrap();
        assert_eq!(open_code(&path(name)), code, "{name}");
        assert_eq!(fs::read(path(name)).unwrap(), before, "{name} was changed");
        assert!(!path(&format!("{name}-wal")).exists(), "{name} got a log");
    }
    assert_eq!(open_code(folder.path()), "not_a_database");
    assert_eq!(open_code(&path("text").join("below")), "store_unavailable");
}

#[test]
fn a_file_of_the_first_release_is_migrated_and_keeps_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.db");
    put(&SqliteStore::open(&path).unwrap(), "ann", vec![row(1)]);
    let first_release = "
        ALTER TABLE vault DROP COLUMN rows_code; ALTER TABLE vault DROP COLUMN access_code;
        ALTER TABLE vault DROP COLUMN header_code; ALTER TABLE audit DROP COLUMN code;
        DROP TABLE member; ALTER TABLE vault DROP COLUMN frozen_at; ALTER TABLE vault DROP COLUMN audit_signature;
        DROP TABLE job; DROP TABLE setting; DROP INDEX memory_expiring; ALTER TABLE tombstone DROP COLUMN brief;
        DROP TABLE record; DROP TABLE ended; DROP INDEX memory_deleted;
        ALTER TABLE vault DROP COLUMN began_after; ALTER TABLE intent DROP COLUMN note;
        PRAGMA user_version = 1";
    Connection::open(&path).unwrap().execute_batch(first_release).unwrap();
    let store = SqliteStore::open(&path).unwrap();
    let add = MemberChange::Add { group: team("desk"), user: user("ann"), at: time(1) };
    store.commit(Batch { members: vec![add], ..batch(&store, "ann") }).unwrap();
    assert_eq!(store.memberships(&scope("ann").org, &user("ann")).unwrap(), vec![team("desk")]);
    assert_eq!(store.rows(scope("ann").vault_id(), &[id(1)]).unwrap(), vec![Some(row(1))]);
}

#[test]
fn a_damaged_file_is_corrupt_and_not_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.db");
    put(&SqliteStore::open(&path).unwrap(), "ann", (0..50).map(row).collect());
    let mut bytes = fs::read(&path).unwrap();
    let length = bytes.len();
    bytes[4096..length].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    let answer = SqliteStore::open(&path).and_then(|store| store.vault(scope("ann").vault_id()));
    assert_eq!(answer.unwrap_err().code(), "corrupt");
}

#[test]
fn a_held_file_is_locked_for_a_while_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.db");
    let store = SqliteStore::open_with(&path, impatient()).unwrap();
    put(&store, "ann", vec![row(1)]);
    let before = suite::snapshot(&store, scope("ann").vault_id());

    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = store.commit(Batch { puts: vec![row(2)], ..batch(&store, "ann") }).unwrap_err();
    assert_eq!(refused.code(), "locked");
    assert_eq!(suite::snapshot(&store, scope("ann").vault_id()), before);
    other.execute_batch("ROLLBACK").unwrap();
    put(&store, "ann", vec![row(2)]);
    drop(store);

    let greedy = "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE";
    other.execute_batch(greedy).unwrap();
    assert_eq!(open_code(&path), "locked");
    drop(other);
    assert_eq!(open_code(&path), "opened");
}

#[test]
fn a_full_disk_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.db");
    let tight = SqliteOptions { pages_max: Some(80), ..SqliteOptions::default() };
    let store = SqliteStore::open_with(&path, tight).unwrap();
    let vault = scope("ann").vault_id();
    put(&store, "ann", vec![row(1)]);
    let before = suite::snapshot(&store, vault);

    let huge = Row { body: SealedBody::Inline { revision: 1, sealed: vec![1; 1_000_000] }, ..row(2) };
    let refused =
        store.commit(Batch { puts: vec![row(3), huge.clone()], ..batch(&store, "ann") }).unwrap_err();
    assert_eq!(refused.code(), "disk_full");
    assert_eq!(suite::snapshot(&store, vault), before);
    put(&store, "ann", vec![row(3)]);
    drop(store);
    // With more room the same write works.
    put(&SqliteStore::open(&path).unwrap(), "ann", vec![huge]);
}

/// The files that still hold the canary. They are read twice: a checkpoint may move it from one that is yet to be
/// read to one that was read already.
fn holding_canary(folder: &Path) -> Vec<PathBuf> {
    let files = || fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files()
        .chain(files())
        .filter(|file| fs::read(file).unwrap().windows(CANARY.len()).any(|bytes| bytes == CANARY))
        .collect()
}

fn wait_until_scrubbed(folder: &Path) {
    let started = Instant::now();
    while !holding_canary(folder).is_empty() {
        assert!(started.elapsed() < SCRUB_PATIENCE, "{:?}", holding_canary(folder));
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn canary_row(n: u64) -> Row {
    let body = SealedBody::Inline { revision: 1, sealed: CANARY.repeat(200) };
    Row { frame: CANARY.to_vec(), body, ..row(n) }
}

#[test]
fn erased_and_replaced_rows_leave_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("data.db")).unwrap();
    put(&store, "ann", (0..30).map(canary_row).collect());
    assert!(!holding_canary(folder.path()).is_empty());
    remove(&store, "ann", &(0..29).map(id).collect::<Vec<_>>());
    assert!(!holding_canary(folder.path()).is_empty());
    put(&store, "ann", vec![row(29)]);
    wait_until_scrubbed(folder.path());
}

#[test]
fn a_reader_delays_scrubbing_and_does_not_prevent_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("data.db")).unwrap();
    put(&store, "ann", vec![canary_row(1), row(2)]);
    let mut visits = 0;
    let visit = &mut |_| {
        visits += 1;
        std::thread::scope(|threads| threads.spawn(|| remove(&store, "ann", &[id(1)])).join().unwrap());
        Ok(())
    };
    store.changes(scope("ann").vault_id(), Revision::ZERO, visit).unwrap();
    assert_eq!(visits, 2);
    wait_until_scrubbed(folder.path());
}

#[test]
fn destroyed_and_replaced_keys_leave_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let keys = SqliteKeys::open(folder.path().join("keys.db")).unwrap();
    let canary = |n| lacuna_store::keys::WrappedMemoryKey { wrapped: CANARY.to_vec(), ..memory_key(n, 1) };
    keys.commit(KeyBatch { memories: (0..500).map(canary).collect(), ..key_suite::first("ann") }).unwrap();
    assert!(!holding_canary(folder.path()).is_empty());
    let destroys = (0..499).map(id).collect();
    keys.commit(KeyBatch { destroys, ..KeyBatch::new(key_suite::vault("ann"), time(5)) }).unwrap();
    keys.commit(KeyBatch {
        memories: vec![memory_key(499, 1)],
        ..KeyBatch::new(key_suite::vault("ann"), time(5))
    })
    .unwrap();
    wait_until_scrubbed(folder.path());
}

#[test]
fn what_a_dead_process_left_in_the_log_is_scrubbed_on_opening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.db");
    let left = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&path).unwrap();
    put(&store, "ann", vec![canary_row(1)]);
    let pin = Connection::open(&path).unwrap();
    // A reader pins the log, so that the files can be copied as a crash would leave them.
    pin.execute_batch("BEGIN; SELECT count(*) FROM vault").unwrap();
    remove(&store, "ann", &[id(1)]);
    for file in ["data.db", "data.db-wal"] {
        fs::copy(folder.path().join(file), left.path().join(file)).unwrap();
    }
    assert!(!holding_canary(left.path()).is_empty());
    let store = SqliteStore::open(left.path().join("data.db")).unwrap();
    assert_eq!(holding_canary(left.path()), Vec::<PathBuf>::new(), "before anything is asked of it");
    assert_eq!(store.rows(scope("ann").vault_id(), &[id(1)]).unwrap(), vec![None]);
}

/// Again and again, because what leaves the log a moment later may be gone by the time it is looked for.
#[test]
fn a_destroyed_key_has_left_the_files_once_the_keystore_has_settled() {
    let folder = tempfile::tempdir().unwrap();
    let keys = SqliteKeys::open(folder.path().join("keys.db")).unwrap();
    let canary = |n| lacuna_store::keys::WrappedMemoryKey { wrapped: CANARY.to_vec(), ..memory_key(n, 1) };
    keys.commit(key_suite::first("ann")).unwrap();
    for n in 0..20 {
        let batch = KeyBatch::new(key_suite::vault("ann"), time(5));
        keys.commit(KeyBatch { memories: vec![canary(n)], ..batch.clone() }).unwrap();
        assert!(!holding_canary(folder.path()).is_empty());
        keys.commit(KeyBatch { destroys: vec![id(n)], ..batch }).unwrap();
        keys.settle().unwrap();
        assert_eq!(holding_canary(folder.path()), Vec::<PathBuf>::new(), "key {n}");
    }
}

#[test]
fn a_keystore_settles_although_a_reader_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.db");
    let keys = SqliteKeys::open(&path).unwrap();
    keys.commit(KeyBatch { memories: vec![memory_key(1, 1)], ..key_suite::first("ann") }).unwrap();
    let pin = Connection::open(&path).unwrap();
    pin.execute_batch("BEGIN; SELECT count(*) FROM root").unwrap();
    keys.commit(KeyBatch { destroys: vec![id(1)], ..KeyBatch::new(key_suite::vault("ann"), time(5)) })
        .unwrap();
    keys.settle().unwrap();
    drop(pin);
    keys.settle().unwrap();
    assert!(fs::metadata(folder.path().join("keys.db-wal")).unwrap().len() == 0);
}
