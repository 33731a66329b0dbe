//! What holds for every keystore.

use lacuna_core::domain::{MemoryId, VaultId};
use lacuna_core::keys::{KeyBatch, KeyStore, VaultKeys, WrappedMemoryKey};
use lacuna_core::store::{BATCH_ROWS_MAX, SEALED_BYTES_MAX, VAULTS_PAGE_MAX};

use crate::samples::*;

pub(crate) fn conformance(keys: &dyn KeyStore) {
    an_unknown_vault_has_no_keys(keys);
    keys_come_back_as_they_went_in(keys);
    the_root_is_replaced_in_order(keys);
    classes_are_added_once(keys);
    memory_keys_are_replaced_and_destroyed(keys);
    keys_need_their_root_and_class(keys);
    vaults_do_not_see_each_other(keys);
    limits_are_held(keys);
    vaults_are_listed_in_pages(keys);
}

pub(crate) fn vault(user: &str) -> VaultId {
    scope(user).vault_id()
}

/// A vault with its first root and two classes.
pub(crate) fn first(user: &str) -> KeyBatch {
    KeyBatch { root: Some((root(1), None)), classes: vec![class(1), class(2)], ..KeyBatch::new(vault(user)) }
}

pub(crate) fn memory_keys(
    keys: &dyn KeyStore,
    vault: VaultId,
    only: Option<&[MemoryId]>,
) -> Vec<WrappedMemoryKey> {
    let mut seen = Vec::new();
    keys.memory_keys(vault, only, &mut |key| {
        seen.push(key);
        Ok(())
    })
    .unwrap();
    seen.sort_by_key(|key| key.memory);
    seen
}

pub(crate) fn snapshot(keys: &dyn KeyStore, vault: VaultId) -> String {
    format!("{:?} {:?}", keys.vault_keys(vault).unwrap(), memory_keys(keys, vault, None))
}

fn assert_refused(keys: &dyn KeyStore, batch: KeyBatch, code: &str) {
    let vault = batch.vault;
    let before = snapshot(keys, vault);
    let error = keys.commit(batch).expect_err("must be refused");
    assert_eq!(error.code(), code, "{error}");
    assert_eq!(snapshot(keys, vault), before);
}

fn an_unknown_vault_has_no_keys(keys: &dyn KeyStore) {
    assert_eq!(keys.vault_keys(vault("nobody")).unwrap(), None);
    assert_eq!(memory_keys(keys, vault("nobody"), None), vec![]);
    assert_eq!(memory_keys(keys, vault("nobody"), Some(&[id(1)])), vec![]);
    keys.commit(KeyBatch { destroys: vec![id(1)], ..KeyBatch::new(vault("nobody")) }).unwrap();
    assert_eq!(keys.vault_keys(vault("nobody")).unwrap(), None);
}

fn keys_come_back_as_they_went_in(keys: &dyn KeyStore) {
    let memories: Vec<_> = (1..=3).map(|n| memory_key(n, 1 + (n % 2) as u8)).collect();
    keys.commit(KeyBatch { memories: memories.clone(), ..first("in") }).unwrap();
    let expected = VaultKeys { root: root(1), classes: vec![class(1), class(2)] };
    assert_eq!(keys.vault_keys(vault("in")).unwrap(), Some(expected));
    assert_eq!(memory_keys(keys, vault("in"), None), memories);
    assert_eq!(
        memory_keys(keys, vault("in"), Some(&[id(3), id(99), id(1)])),
        vec![memories[0].clone(), memories[2].clone()]
    );
    assert_eq!(memory_keys(keys, vault("in"), Some(&[])), vec![]);
    let mut visits = 0;
    let answer = keys.memory_keys(vault("in"), None, &mut |_| {
        visits += 1;
        Err(lacuna_core::Error::NotFound("patience"))
    });
    assert_eq!((answer.unwrap_err().code(), visits), ("not_found", 1));
}

fn the_root_is_replaced_in_order(keys: &dyn KeyStore) {
    let replace = |new, old| KeyBatch { root: Some((root(new), old)), ..KeyBatch::new(vault("root")) };
    assert_refused(keys, replace(2, Some(1)), "conflict");
    keys.commit(first("root")).unwrap();
    assert_refused(keys, replace(1, None), "conflict");
    assert_refused(keys, replace(3, Some(2)), "conflict");
    assert_refused(keys, replace(3, Some(1)), "invalid");
    keys.commit(replace(2, Some(1))).unwrap();
    let stored = keys.vault_keys(vault("root")).unwrap().unwrap();
    assert_eq!((stored.root, stored.classes.len()), (root(2), 2));
    assert_refused(keys, replace(2, Some(1)), "conflict");
}

fn classes_are_added_once(keys: &dyn KeyStore) {
    keys.commit(first("class")).unwrap();
    let add = |classes| KeyBatch { classes, ..KeyBatch::new(vault("class")) };
    assert_refused(keys, add(vec![class(3), class(2)]), "conflict");
    assert_refused(keys, add(vec![class(3), class(3)]), "conflict");
    keys.commit(add(vec![class(3)])).unwrap();
    assert_eq!(keys.vault_keys(vault("class")).unwrap().unwrap().classes, vec![class(1), class(2), class(3)]);
}

fn memory_keys_are_replaced_and_destroyed(keys: &dyn KeyStore) {
    let new = |memories| KeyBatch { memories, ..KeyBatch::new(vault("memory")) };
    keys.commit(first("memory")).unwrap();
    keys.commit(new((1..=4).map(|n| memory_key(n, 1)).collect())).unwrap();
    let replaced = WrappedMemoryKey { wrapped: vec![0xee; 70], ..memory_key(2, 2) };
    keys.commit(new(vec![replaced.clone()])).unwrap();
    keys.commit(KeyBatch { destroys: vec![id(1), id(77)], ..new(vec![memory_key(5, 2)]) }).unwrap();
    let left = vec![replaced, memory_key(3, 1), memory_key(4, 1), memory_key(5, 2)];
    assert_eq!(memory_keys(keys, vault("memory"), None), left);
    assert_refused(keys, KeyBatch { destroys: vec![id(3)], ..new(vec![memory_key(3, 1)]) }, "invalid");
    assert_refused(keys, new(vec![memory_key(6, 1), memory_key(6, 1)]), "invalid");
}

fn keys_need_their_root_and_class(keys: &dyn KeyStore) {
    let rootless = KeyBatch { root: None, ..first("needs") };
    assert_refused(keys, rootless, "invalid");
    let rootless = KeyBatch { memories: vec![memory_key(1, 1)], ..KeyBatch::new(vault("needs")) };
    assert_refused(keys, rootless, "invalid");
    keys.commit(first("needs")).unwrap();
    let classless =
        KeyBatch { memories: vec![memory_key(1, 1), memory_key(2, 9)], ..KeyBatch::new(vault("needs")) };
    assert_refused(keys, classless, "invalid");
}

fn vaults_do_not_see_each_other(keys: &dyn KeyStore) {
    keys.commit(KeyBatch { memories: vec![memory_key(1, 1)], ..first("iso a") }).unwrap();
    let other = WrappedMemoryKey { wrapped: vec![0xbb; 9], ..memory_key(1, 1) };
    keys.commit(KeyBatch { memories: vec![other.clone()], ..first("iso b") }).unwrap();
    keys.commit(KeyBatch { destroys: vec![id(1)], ..KeyBatch::new(vault("iso a")) }).unwrap();
    assert_eq!(memory_keys(keys, vault("iso a"), None), vec![]);
    assert_eq!(memory_keys(keys, vault("iso b"), None), vec![other]);
}

fn limits_are_held(keys: &dyn KeyStore) {
    let too_many = (0..=BATCH_ROWS_MAX as u64).map(id).collect();
    assert_refused(keys, KeyBatch { destroys: too_many, ..first("limits") }, "invalid");
    let oversized = WrappedMemoryKey { wrapped: vec![0; SEALED_BYTES_MAX + 1], ..memory_key(1, 1) };
    assert_refused(keys, KeyBatch { memories: vec![oversized], ..first("limits") }, "invalid");
    let most = (0..5_000).map(|n| memory_key(n, 1)).collect();
    keys.commit(KeyBatch { memories: most, ..first("limits") }).unwrap();
    assert_eq!(memory_keys(keys, vault("limits"), None).len(), 5_000);
}

fn vaults_are_listed_in_pages(keys: &dyn KeyStore) {
    let all = keys.vaults(None, VAULTS_PAGE_MAX).unwrap();
    assert!(all.len() >= 7 && all.is_sorted());
    let mut paged: Vec<VaultId> = Vec::new();
    while let page @ [_, ..] = keys.vaults(paged.last().copied(), 2).unwrap().as_slice() {
        assert!(page.len() <= 2);
        paged.extend_from_slice(page);
    }
    assert_eq!(paged, all);
}

/// What was committed is there after the keystore was closed and opened again.
pub(crate) fn reopening(open: &dyn Fn() -> Box<dyn KeyStore>) {
    let keys = open();
    keys.commit(KeyBatch { memories: vec![memory_key(1, 1)], ..first("durable") }).unwrap();
    let before = snapshot(&*keys, vault("durable"));
    drop(keys);
    assert_eq!(snapshot(&*open(), vault("durable")), before);
}
