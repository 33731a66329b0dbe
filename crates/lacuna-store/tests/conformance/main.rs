//! One suite for every store and every keystore, and what is particular to each of them.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking and may say why it skips"
)]

mod anchor_home;
mod audit_rows;
mod blobs;
mod bucket;
mod contention;
mod faults;
mod job_rows;
mod key_suite;
mod keyed_rows;
mod model;
#[path = "../../../lacuna-core/tests/support/own_postgres.rs"]
#[allow(dead_code, reason = "each crate of tests uses a part")]
mod own_postgres;
mod pooler;
mod postgres;
#[path = "../../../lacuna-core/tests/support/postgres_database.rs"]
mod postgres_database;
mod samples;
#[path = "../../../lacuna-core/tests/support/seaweed.rs"]
#[allow(dead_code, reason = "each crate of tests uses a part")]
mod seaweed;
mod sqlite_files;
mod suite;
mod tls;

use lacuna_store::keys::{RamKeys, SqliteKeys};
use lacuna_store::rows::{RamStore, SqliteStore};

#[test]
fn ram_store_conforms() {
    suite::conformance(&RamStore::new());
}

#[test]
fn sqlite_store_conforms() {
    let folder = tempfile::tempdir().unwrap();
    suite::conformance(&SqliteStore::open(folder.path().join("data.db")).unwrap());
}

#[test]
fn sqlite_store_survives_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.db");
    suite::reopening(&|| Box::new(SqliteStore::open(&path).unwrap()));
}

#[test]
fn ram_keys_conform() {
    key_suite::conformance(&RamKeys::new());
}

#[test]
fn sqlite_keys_conform() {
    let folder = tempfile::tempdir().unwrap();
    key_suite::conformance(&SqliteKeys::open(folder.path().join("keys.db")).unwrap());
}

#[test]
fn sqlite_keys_survive_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.db");
    key_suite::reopening(&|| Box::new(SqliteKeys::open(&path).unwrap()));
}
