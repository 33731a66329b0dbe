//! Rows, batches and keys to test with.

use jiff::Timestamp;
use lacuna_store::keys::{WrappedClassKey, WrappedMemoryKey, WrappedRoot};
use lacuna_store::rows::{
    AuditRow, Batch, Record, RecordKind, Row, SealedBody, Store, TokenRow, VaultChange,
};
use lacuna_types::{Group, Lifecycle, MemoryId, OrgId, Revision, Scope, UserId, VaultId};

pub(crate) fn scope(user: &str) -> Scope {
    Scope::personal(OrgId::new("acme").unwrap(), UserId::new(user).unwrap())
}

pub(crate) fn time(seconds: i64) -> Timestamp {
    Timestamp::from_millisecond(1_700_000_000_000 + seconds * 1_000 + 7).unwrap()
}

pub(crate) fn id(n: u64) -> MemoryId {
    let mut bytes = [0x5a; 16];
    bytes[8..].copy_from_slice(&n.to_be_bytes());
    MemoryId::from_bytes(bytes)
}

/// An id that says when it was made.
pub(crate) fn made_at(seconds: i64) -> MemoryId {
    MemoryId::derive(time(seconds), &[])
}

pub(crate) fn row(n: u64) -> Row {
    Row {
        id: id(n),
        state: Lifecycle::Active,
        created_at: time(n as i64),
        updated_at: time(n as i64 + 1),
        expires_at: n.is_multiple_of(2).then(|| time(1_000_000)),
        key_version: 1,
        frame_revision: 1,
        frame: vec![n as u8; 40],
        body: SealedBody::None,
    }
}

/// A batch for the vault of `user` at the revision that the store has.
pub(crate) fn batch(store: &dyn Store, user: &str) -> Batch {
    let scope = scope(user);
    let expected = store.revision(scope.vault_id()).unwrap();
    Batch::new(scope, time(0), expected)
}

pub(crate) fn put(store: &dyn Store, user: &str, rows: Vec<Row>) -> Revision {
    store.commit(Batch { puts: rows, ..batch(store, user) }).unwrap()
}

pub(crate) fn remove(store: &dyn Store, user: &str, ids: &[MemoryId]) -> Revision {
    store.commit(Batch { removals: ids.to_vec(), ..batch(store, user) }).unwrap()
}

pub(crate) fn audit_row(seq: u64) -> AuditRow {
    AuditRow {
        seq,
        at: time(seq as i64),
        entry: vec![seq as u8; 20],
        hash: [seq as u8; 32],
        code: Some([seq as u8; 32]),
    }
}

pub(crate) fn record(kind: RecordKind, number: u64) -> Record {
    Record {
        org: OrgId::new("acme").unwrap(),
        kind,
        number,
        vault: Some(scope("ann").vault_id()),
        at: time(1),
        due_at: Some(time(1_000_000)),
        done_at: None,
        doc: vec![number as u8; 30],
    }
}

pub(crate) fn token(n: u8) -> TokenRow {
    TokenRow {
        id: [n; 16],
        hash: [n; 32],
        org: OrgId::new("acme").unwrap(),
        user: "ann".into(),
        roles: vec!["reader".into(), "writer".into()],
        label: "the laptop".into(),
        created_at: time(i64::from(n)),
        expires_at: Some(time(9_999)),
        revoked_at: None,
    }
}

pub(crate) fn team(name: &str) -> Group {
    Group::from_words("team", name).unwrap()
}

pub(crate) fn deployment(name: &str) -> Group {
    Group::from_words("deployment", name).unwrap()
}

pub(crate) fn user(name: &str) -> UserId {
    UserId::new(name).unwrap()
}

/// All changes since a revision, and the revision of the snapshot.
pub(crate) fn changes(store: &dyn Store, vault: VaultId, since: Revision) -> (Vec<VaultChange>, Revision) {
    let mut seen = Vec::new();
    let revision = store
        .changes(vault, since, &mut |change| {
            seen.push(change);
            Ok(())
        })
        .unwrap()
        .map_or(Revision::ZERO, |header| header.revision);
    (seen, revision)
}

pub(crate) fn root(generation: u32) -> WrappedRoot {
    WrappedRoot { generation, key_version: 3, epoch: 4, holder: 0, wrapped: vec![generation as u8; 60] }
}

pub(crate) fn class(n: u8) -> WrappedClassKey {
    WrappedClassKey { id: [n; 16], wrapped: vec![n; 61] }
}

pub(crate) fn memory_key(n: u64, class: u8) -> WrappedMemoryKey {
    WrappedMemoryKey { memory: id(n), class: [class; 16], binding: 0, wrapped: vec![n as u8; 62] }
}
