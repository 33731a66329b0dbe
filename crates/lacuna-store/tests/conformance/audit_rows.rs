//! Signed heads, codes and aged entries, as every store keeps them.

use lacuna_store::rows::{AgedEntry, Batch, HeaderCodes, SealedSettings, Store};

use crate::samples::*;

pub(crate) fn conformance(store: &dyn Store) {
    the_head_is_kept_with_its_signature(store);
    codes_are_kept_and_replaced_with_every_commit(store);
    the_bytes_of_an_old_entry_go(store);
    only_an_entry_that_is_there_can_age(store);
}

fn the_head_is_kept_with_its_signature(store: &dyn Store) {
    let header = || store.vault(scope("signed").vault_id()).unwrap().unwrap();
    let signed = |seq: u64| Batch {
        audit: vec![audit_row(seq)],
        audit_signature: Some([seq as u8; 64]),
        ..batch(store, "signed")
    };
    put(store, "signed", vec![row(1)]);
    assert_eq!(header().audit_signature, None);
    store.commit(signed(1)).unwrap();
    assert_eq!(header().audit_signature, Some([1; 64]));
    put(store, "signed", vec![row(2)]);
    assert_eq!(header().audit_signature, Some([1; 64]), "the head did not move");
    store.commit(signed(2)).unwrap();
    assert_eq!((header().audit.seq, header().audit_signature), (2, Some([2; 64])));
    let listed = store.vaults(None, 1_000).unwrap();
    assert!(listed.contains(&header()));
}

fn codes_are_kept_and_replaced_with_every_commit(store: &dyn Store) {
    let header = || store.vault(scope("coded").vault_id()).unwrap().unwrap();
    let codes = |n: u8, access| Some(HeaderCodes { rows: [n; 32], access, header: [n + 1; 32] });
    let commit = |codes, settings| {
        store.commit(Batch { codes, settings, ..batch(store, "coded") }).unwrap();
    };
    for codes in [codes(1, None), codes(3, Some([9; 32])), codes(5, None), None] {
        commit(codes, None);
        assert_eq!(header().codes, codes);
        assert!(store.vaults(None, 1_000).unwrap().contains(&header()));
    }
    assert_eq!(header().settings_revision, 0);
    commit(None, Some(SealedSettings { revision: 7, sealed: vec![1] }));
    commit(None, None);
    assert_eq!(header().settings_revision, 7, "the settings stay");
    assert!(store.vaults(None, 1_000).unwrap().contains(&header()));
    let snapshot = store.changes(scope("coded").vault_id(), Default::default(), &mut |_| Ok(())).unwrap();
    assert_eq!(snapshot, Some(header()));
}

fn the_bytes_of_an_old_entry_go(store: &dyn Store) {
    let vault = scope("aged").vault_id();
    store.commit(Batch { audit: (1..=3).map(audit_row).collect(), ..batch(store, "aged") }).unwrap();
    store.commit(Batch { audit: vec![audit_row(1)], ..batch(store, "beside") }).unwrap();
    let aged = vec![AgedEntry { seq: 1, digest: vec![9; 34] }, AgedEntry { seq: 3, digest: vec![8; 34] }];
    store.commit(Batch { aged, audit: vec![audit_row(4)], ..batch(store, "aged") }).unwrap();
    let mut expected: Vec<_> = (1..=4).map(audit_row).collect();
    expected[0].entry = vec![9; 34];
    expected[2].entry = vec![8; 34];
    assert_eq!(store.audit(vault, 0).unwrap(), expected);
    assert_eq!(store.audit(scope("beside").vault_id(), 0).unwrap(), vec![audit_row(1)]);
}

fn only_an_entry_that_is_there_can_age(store: &dyn Store) {
    let vault = scope("ageless").vault_id();
    store.commit(Batch { audit: vec![audit_row(1)], ..batch(store, "ageless") }).unwrap();
    for seq in [0, 2] {
        let aged = vec![AgedEntry { seq: 1, digest: vec![9; 34] }, AgedEntry { seq, digest: vec![9; 34] }];
        let refused = store.commit(Batch { aged, audit: vec![audit_row(2)], ..batch(store, "ageless") });
        assert_eq!(refused.unwrap_err().code(), "not_found");
    }
    assert_eq!(store.audit(vault, 0).unwrap(), vec![audit_row(1)]);
}
