//! What holds for every keystore.

use lacuna_store::keys::{
    CustodyKey, ERASURES_PAGE_MAX, KeyBatch, KeyFingerprint, KeyStore, LedgerExtent, LedgerLine, ReceiptMark,
    VaultKeys, WrappedMemoryKey,
};
use lacuna_store::rows::{BATCH_ROWS_MAX, SEALED_BYTES_MAX, VAULTS_PAGE_MAX};
use lacuna_types::{MemoryId, OrgId, VaultId};

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
    destroyed_keys_enter_the_ledger(keys);
    an_erased_memory_gets_no_key_again(keys);
    a_destroyed_vault_begins_anew(keys);
    the_ledger_is_handed_out_in_pages(keys);
    another_ledger_is_absorbed(keys);
    receipts_only_rise(keys);
    old_lines_are_dropped(keys);
    vaults_are_listed_in_pages(keys);
    the_extent_is_that_of_the_ledger(keys);
    the_first_fingerprint_of_a_name_stands(keys);
    keys_in_custody_stand_until_they_are_destroyed(keys);
}

pub(crate) fn vault(user: &str) -> VaultId {
    scope(user).vault_id()
}

/// A vault with its first root and two classes.
pub(crate) fn first(user: &str) -> KeyBatch {
    KeyBatch {
        root: Some((root(1), None)),
        classes: vec![class(1), class(2)],
        ..KeyBatch::new(vault(user), time(5))
    }
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
    let ids: Vec<_> = (0..100).map(id).collect();
    let erased = (keys.destroyed_at(vault).unwrap(), keys.erased(vault, &ids).unwrap());
    format!("{:?} {:?} {erased:?}", keys.vault_keys(vault).unwrap(), memory_keys(keys, vault, None))
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
    keys.commit(KeyBatch { destroys: vec![id(1)], ..KeyBatch::new(vault("nobody"), time(5)) }).unwrap();
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
        Err(lacuna_types::Error::NotFound("patience"))
    });
    assert_eq!((answer.unwrap_err().code(), visits), ("not_found", 1));
}

fn the_root_is_replaced_in_order(keys: &dyn KeyStore) {
    let replace =
        |new, old| KeyBatch { root: Some((root(new), old)), ..KeyBatch::new(vault("root"), time(5)) };
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
    let add = |classes| KeyBatch { classes, ..KeyBatch::new(vault("class"), time(5)) };
    assert_refused(keys, add(vec![class(3), class(2)]), "conflict");
    assert_refused(keys, add(vec![class(3), class(3)]), "conflict");
    keys.commit(add(vec![class(3)])).unwrap();
    assert_eq!(keys.vault_keys(vault("class")).unwrap().unwrap().classes, vec![class(1), class(2), class(3)]);
}

fn memory_keys_are_replaced_and_destroyed(keys: &dyn KeyStore) {
    let new = |memories| KeyBatch { memories, ..KeyBatch::new(vault("memory"), time(5)) };
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
    let rootless = KeyBatch { memories: vec![memory_key(1, 1)], ..KeyBatch::new(vault("needs"), time(5)) };
    assert_refused(keys, rootless, "invalid");
    keys.commit(first("needs")).unwrap();
    let classless = KeyBatch {
        memories: vec![memory_key(1, 1), memory_key(2, 9)],
        ..KeyBatch::new(vault("needs"), time(5))
    };
    assert_refused(keys, classless, "invalid");
}

fn vaults_do_not_see_each_other(keys: &dyn KeyStore) {
    keys.commit(KeyBatch { memories: vec![memory_key(1, 1)], ..first("iso a") }).unwrap();
    let other = WrappedMemoryKey { wrapped: vec![0xbb; 9], ..memory_key(1, 1) };
    keys.commit(KeyBatch { memories: vec![other.clone()], ..first("iso b") }).unwrap();
    keys.commit(KeyBatch { destroys: vec![id(1)], ..KeyBatch::new(vault("iso a"), time(5)) }).unwrap();
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

fn destroy(user: &str, ids: &[MemoryId], at: i64) -> KeyBatch {
    KeyBatch { destroys: ids.to_vec(), ..KeyBatch::new(vault(user), time(at)) }
}

/// The lines of one vault.
fn lines(keys: &dyn KeyStore, vault: VaultId) -> Vec<LedgerLine> {
    let mut lines = keys.erasures(None, ERASURES_PAGE_MAX).unwrap();
    lines.retain(|line| line.vault == vault);
    lines
}

fn line(user: &str, memory: Option<MemoryId>, at: i64) -> LedgerLine {
    LedgerLine { vault: vault(user), memory, at: time(at) }
}

fn mark(org: &str, number: u64) -> ReceiptMark {
    ReceiptMark { org: OrgId::new(org).unwrap(), number }
}

fn destroyed_keys_enter_the_ledger(keys: &dyn KeyStore) {
    keys.commit(KeyBatch { memories: vec![memory_key(1, 1), memory_key(2, 1)], ..first("ledger") }).unwrap();
    assert_eq!(lines(keys, vault("ledger")), vec![]);
    // With or without a key, and only the first time counts.
    keys.commit(destroy("ledger", &[id(2), id(7)], 10)).unwrap();
    keys.commit(destroy("ledger", &[id(7)], 20)).unwrap();
    let expected = vec![line("ledger", Some(id(2)), 10), line("ledger", Some(id(7)), 10)];
    assert_eq!(lines(keys, vault("ledger")), expected);
    assert_eq!(keys.erased(vault("ledger"), &[id(7), id(1), id(2)]).unwrap(), vec![id(7), id(2)]);
    assert_eq!(keys.erased(vault("ledger elsewhere"), &[id(7)]).unwrap(), vec![]);
    assert_eq!(keys.destroyed_at(vault("ledger")).unwrap(), None);
}

fn an_erased_memory_gets_no_key_again(keys: &dyn KeyStore) {
    keys.commit(KeyBatch { memories: vec![memory_key(1, 1)], ..first("again") }).unwrap();
    keys.commit(destroy("again", &[id(1), id(2)], 10)).unwrap();
    let new = |user: &str, n| KeyBatch {
        memories: vec![memory_key(3, 1), memory_key(n, 1)],
        ..KeyBatch::new(vault(user), time(11))
    };
    assert_refused(keys, new("again", 1), "corrupt");
    assert_refused(keys, new("again", 2), "corrupt");
    // The same id in another vault is another memory.
    keys.commit(first("again elsewhere")).unwrap();
    keys.commit(new("again elsewhere", 1)).unwrap();
}

fn a_destroyed_vault_begins_anew(keys: &dyn KeyStore) {
    let (old, new) = (made_at(10), made_at(30));
    let key = |memory| WrappedMemoryKey { memory, ..memory_key(1, 1) };
    let some = |memories| KeyBatch { memories, ..first("anew") };
    keys.commit(some(vec![key(old), memory_key(9, 2)])).unwrap();
    assert_eq!(keys.destroy_vault(vault("anew"), time(20), Some(mark("anew", 4))).unwrap(), 5);
    assert_eq!(keys.vault_keys(vault("anew")).unwrap(), None);
    assert_eq!(memory_keys(keys, vault("anew"), None), vec![]);
    assert_eq!(lines(keys, vault("anew")), vec![line("anew", None, 20)]);
    assert_eq!(keys.destroyed_at(vault("anew")).unwrap(), Some(time(20)));
    assert_eq!(keys.last_receipt(&OrgId::new("anew").unwrap()).unwrap(), 4);
    // An id that does not say when it was made counts as old.
    assert_eq!(keys.erased(vault("anew"), &[new, old, id(9)]).unwrap(), vec![old, id(9)]);
    assert_refused(keys, some(vec![key(old)]), "corrupt");
    keys.commit(some(vec![key(new)])).unwrap();
    assert_eq!(memory_keys(keys, vault("anew"), None), vec![key(new)]);
    // Again, and with an earlier time than before: the ledger keeps the later one.
    assert_eq!(keys.destroy_vault(vault("anew"), time(15), None).unwrap(), 4);
    assert_eq!(keys.destroy_vault(vault("anew"), time(15), None).unwrap(), 0);
    assert_eq!(keys.destroyed_at(vault("anew")).unwrap(), Some(time(20)));
}

fn the_ledger_is_handed_out_in_pages(keys: &dyn KeyStore) {
    keys.commit(destroy("paged", &(1..=7).map(id).collect::<Vec<_>>(), 3)).unwrap();
    keys.destroy_vault(vault("paged"), time(4), None).unwrap();
    let all = keys.erasures(None, usize::MAX).unwrap();
    assert!(all.len() > 10 && all.is_sorted_by_key(LedgerLine::cursor));
    let mut paged: Vec<LedgerLine> = Vec::new();
    while let page @ [_, ..] = keys.erasures(paged.last().map(LedgerLine::cursor), 3).unwrap().as_slice() {
        assert!(page.len() <= 3);
        paged.extend_from_slice(page);
    }
    assert_eq!(paged, all);
    assert_eq!(keys.erasures(None, 0).unwrap(), vec![]);
}

fn another_ledger_is_absorbed(keys: &dyn KeyStore) {
    let (old, new) = (made_at(10), made_at(30));
    let key = |memory| WrappedMemoryKey { memory, ..memory_key(1, 1) };
    for user in ["absorb a", "absorb b", "absorb c"] {
        keys.commit(KeyBatch { memories: vec![key(old), key(new)], ..first(user) }).unwrap();
    }
    let foreign = [
        line("absorb a", Some(old), 40),
        line("absorb a", Some(id(5)), 40),
        line("absorb b", None, 20),
        line("absorb c", None, 50),
    ];
    // One key by itself, the older of two, and a whole vault with its root and two classes.
    assert_eq!(keys.absorb(&foreign, &[mark("absorb", 7)]).unwrap(), 1 + 1 + 5);
    assert_eq!(memory_keys(keys, vault("absorb a"), None), vec![key(new)]);
    assert_eq!(memory_keys(keys, vault("absorb b"), None), vec![key(new)]);
    assert_eq!(keys.vault_keys(vault("absorb c")).unwrap(), None);
    assert_eq!(keys.last_receipt(&OrgId::new("absorb").unwrap()).unwrap(), 7);
    assert_eq!(lines(keys, vault("absorb a")), foreign[..2]);
    // A second time it changes nothing, not even a vault that began anew.
    keys.commit(first("absorb c")).unwrap();
    assert_eq!(keys.absorb(&foreign, &[mark("absorb", 6)]).unwrap(), 0);
    assert!(keys.vault_keys(vault("absorb c")).unwrap().is_some());
    assert_eq!(keys.last_receipt(&OrgId::new("absorb").unwrap()).unwrap(), 7);
    let too_many = vec![line("absorb a", None, 1); ERASURES_PAGE_MAX + 1];
    assert_eq!(keys.absorb(&too_many, &[]).unwrap_err().code(), "invalid");
}

fn receipts_only_rise(keys: &dyn KeyStore) {
    let org = OrgId::new("Receipts").unwrap();
    assert_eq!(keys.last_receipt(&org).unwrap(), 0);
    for (number, expected) in [(3, 3), (2, 3), (9, 9)] {
        let batch = destroy("receipts", &[id(1)], 1);
        keys.commit(KeyBatch { receipt: Some(mark("Receipts", number)), ..batch }).unwrap();
        assert_eq!(keys.last_receipt(&org).unwrap(), expected);
    }
    let refused = KeyBatch { receipt: Some(mark("Receipts", 50)), root: None, ..first("receipts") };
    assert_refused(keys, refused, "invalid");
    assert_eq!(keys.last_receipt(&org).unwrap(), 9);
    let known = keys.receipts_known(None).unwrap();
    assert!(known.contains(&mark("Receipts", 9)) && known.is_sorted_by_key(|mark| mark.org.clone()));
    let rest = keys.receipts_known(Some(&known[0].org)).unwrap();
    assert_eq!(rest, known[1..]);
}

fn old_lines_are_dropped(keys: &dyn KeyStore) {
    // Older than every other line of the suite.
    keys.commit(destroy("old", &[id(1)], -900)).unwrap();
    keys.commit(destroy("old", &[id(2)], -800)).unwrap();
    keys.destroy_vault(vault("older"), time(-950), None).unwrap();
    assert_eq!(keys.forget_erasures(time(-800)).unwrap(), 2);
    assert_eq!(lines(keys, vault("old")), vec![line("old", Some(id(2)), -800)]);
    assert_eq!(lines(keys, vault("older")), vec![]);
    assert_eq!(keys.forget_erasures(time(-800)).unwrap(), 0);
}

fn the_extent_is_that_of_the_ledger(keys: &dyn KeyStore) {
    keys.commit(destroy("extent", &[id(1)], 9_000)).unwrap();
    let all = keys.erasures(None, usize::MAX).unwrap();
    let newest = all.iter().map(|line| line.at).max();
    assert_eq!(keys.ledger_extent().unwrap(), LedgerExtent { lines: all.len() as u64, newest });
    assert_eq!(newest, Some(time(9_000)));
}

fn the_first_fingerprint_of_a_name_stands(keys: &dyn KeyStore) {
    let print = |name: &str, byte| KeyFingerprint { name: name.to_owned(), print: [byte; 16] };
    assert_eq!(keys.fingerprints().unwrap(), vec![]);
    assert_eq!(keys.enter_fingerprint(&print("signing.key", 1)).unwrap(), print("signing.key", 1));
    assert_eq!(keys.enter_fingerprint(&print("signing.key", 2)).unwrap(), print("signing.key", 1));
    assert_eq!(keys.enter_fingerprint(&print("epoch-1.key", 3)).unwrap(), print("epoch-1.key", 3));
    assert_eq!(keys.fingerprints().unwrap(), vec![print("epoch-1.key", 3), print("signing.key", 1)]);
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
    let receipt = Some(mark("durable", 2));
    keys.commit(KeyBatch { receipt, ..destroy("durable", &[id(4)], 6) }).unwrap();
    let before = snapshot(&*keys, vault("durable"));
    drop(keys);
    let keys = open();
    assert_eq!(snapshot(&*keys, vault("durable")), before);
    assert_eq!(keys.last_receipt(&OrgId::new("durable").unwrap()).unwrap(), 2);
}

fn keys_in_custody_stand_until_they_are_destroyed(keys: &dyn KeyStore) {
    let key = |name: &str, byte| CustodyKey { name: name.to_owned(), wrapped: vec![byte; 90] };
    assert_eq!((keys.custody_key("signing.key").unwrap(), keys.custody_keys().unwrap()), (None, vec![]));
    keys.put_custody_key(&key("signing.key", 1)).unwrap();
    keys.put_custody_key(&key("signing.key", 2)).unwrap();
    keys.put_custody_key(&key("epoch-1.key", 3)).unwrap();
    assert_eq!(keys.custody_key("signing.key").unwrap(), Some(key("signing.key", 1)));
    assert_eq!(keys.custody_keys().unwrap(), vec![key("epoch-1.key", 3), key("signing.key", 1)]);
    for _ in 0..2 {
        keys.destroy_custody_key("epoch-1.key").unwrap();
    }
    assert_eq!(keys.custody_keys().unwrap(), vec![key("signing.key", 1)]);
    // Those who share it do not wait for each other.
    let shared = (keys.lock(false).unwrap(), keys.lock(false).unwrap());
    drop(shared);
    drop(keys.lock(true).unwrap());
}
