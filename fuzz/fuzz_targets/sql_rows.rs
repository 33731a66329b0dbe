//! Hostile values in the columns of the data store and of the keystore, read through every method that reads.
#![no_main]

#[path = "../src/database.rs"]
#[allow(dead_code, reason = "the program for seeds uses the rest")]
mod database;

use std::path::Path;
use std::sync::OnceLock;

use jiff::Timestamp;
use lacuna_store::rows::RecordKind;
use lacuna_store::{KeyStore, SqliteKeys, SqliteStore, Store};
use lacuna_types::{Group, MemoryId, OrgId, Revision, Scope, UserId};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((which, bytes)) = bytes.split_first() else { return };
    let (rows, keys) = templates();
    if which % 2 == 0 {
        rows.spoilt(bytes).map(read_rows);
    } else {
        keys.spoilt(bytes).map(read_keys);
    }
});

fn templates() -> &'static (database::Template, database::Template) {
    static TEMPLATES: OnceLock<(database::Template, database::Template)> = OnceLock::new();
    TEMPLATES.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("lacuna-fuzz-rows-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
        drop(database::install(&folder).expect("an installation can be made"));
        let of = |name: &str| {
            let path = folder.join(name);
            database::Template::of(&path, path.with_extension("spoilt")).expect("it is a database")
        };
        (of("lacuna.db"), of("keys/keystore.db"))
    })
}

fn scope() -> Scope {
    let anna = UserId::new("anna").expect("it is a name");
    Scope::personal(OrgId::new("acme").expect("it is a name"), anna)
}

fn read_rows(path: &Path) {
    let Ok(store) = SqliteStore::open(path) else { return };
    let (scope, now) = (scope(), Timestamp::UNIX_EPOCH);
    let (org, vault, anna) = (&scope.org, scope.vault_id(), UserId::new("anna").expect("it is a name"));
    let mut ids = Vec::new();
    let _ = store.changes(vault, Revision::ZERO, &mut |change| {
        if let lacuna_store::VaultChange::Put(row) = change {
            ids.push(row.id);
        }
        Ok(())
    });
    let _ = store.rows(vault, &ids);
    let _ = store.rows(vault, &[MemoryId::from_bytes([0; 16])]);
    let _ = (store.vault(vault), store.revision(vault), store.vaults(None, 10), store.intents(vault));
    let _ = (store.audit(vault, 0), store.token(&[0; 32]), store.tokens(org), store.access(org));
    let _ = (store.memberships(org, &anna), store.tombstones(vault, None), store.settings(vault));
    let _ = (store.soft_deleted(now, None, 10), store.expiring(now, None, 10), store.jobs());
    if let Some(desk) = Group::from_words("team", "desk") {
        let _ = store.members(org, &desk, None);
    }
    for kind in [RecordKind::Receipt, RecordKind::Notice, RecordKind::Destruction] {
        let _ =
            (store.records(org, kind, 0, 10), store.last_record(org, kind), store.due_records(kind, now, 10));
        let _ = store.vault_records(org, kind, vault, 0, 10);
    }
}

fn read_keys(path: &Path) {
    let Ok(keys) = SqliteKeys::open(path) else { return };
    let (scope, vault) = (scope(), scope().vault_id());
    let _ =
        (keys.vault_keys(vault), keys.destroyed_at(vault), keys.erased(vault, &[]), keys.erasures(None, 10));
    let _ = keys.memory_keys(vault, None, &mut |_| Ok(()));
    let _ = (keys.last_receipt(&scope.org), keys.receipts_known(None), keys.ledger_extent());
    let _ = (keys.fingerprints(), keys.vaults(None, 10));
}
