//! Hostile values in the columns of the anchor.
#![no_main]

#[path = "../src/database.rs"]
#[allow(dead_code, reason = "the program for seeds uses the rest")]
mod database;

use std::sync::OnceLock;

use lacuna_store::keys::{ANCHOR_FILE, Anchor};
use lacuna_types::{OrgId, Scope, UserId};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some(path) = template().spoilt(bytes) else { return };
    let folder = path.parent().expect("it is in a folder");
    let Ok(anchor) = Anchor::open(folder) else { return };
    let org = OrgId::new("acme").expect("it is a name");
    let scope = Scope::personal(org.clone(), UserId::new("anna").expect("it is a name"));
    let vault = scope.vault_id();
    let _ = (anchor.head(vault), anchor.heads(None, 10), anchor.erasures(None, 10), anchor.ledger_extent());
    let _ = (
        anchor.erased_in(vault),
        anchor.erased(vault, &[]),
        anchor.receipt(&org),
        anchor.booked_receipt(&org),
    );
    let _ = (anchor.receipts(None), anchor.tokens_required(&org), anchor.epoch(), anchor.rows_are_sealed());
});

fn template() -> &'static database::Template {
    static TEMPLATE: OnceLock<database::Template> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("lacuna-fuzz-anchor-{}", std::process::id()));
        let spoilt = folder.join("spoilt");
        std::fs::create_dir_all(&spoilt).expect("a temporary folder can be made");
        drop(database::install(&folder).expect("an installation can be made"));
        let path = folder.join("keys").join(ANCHOR_FILE);
        database::Template::of(&path, spoilt.join(ANCHOR_FILE)).expect("it is a database")
    })
}
