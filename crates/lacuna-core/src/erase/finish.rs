//! Carrying an announced erasure through, here or for a process that died: keys, blobs, rows, probe, receipt.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use lacuna_store::blobs::{BlobName, StrayBlob};
use lacuna_store::keys::{KeyBatch, ReceiptMark};
use lacuna_store::rows::{PendingErasure, Row, SealedBody};
use lacuna_types::Result;
use lacuna_types::request::Mode;
use lacuna_types::*;

use crate::audit::{AuditAction, AuditEntry};
use crate::erase::prepare::{ERASE_MAX, loosen};
use crate::erase::probe::{ProbeTargets, probe};
use crate::erase::without_receipt::erase;
use crate::vault::commit::Act;
use crate::vault::handle::VaultWriter;
use crate::vault::open::OpenVault;
use crate::vault::receipt::{Receipt, SignedReceipt, announced_receipt, sign_into};
use crate::vault::service::Service;

/// A key without a record is left alone this long, because its record may be on its way.
pub(crate) const ORPHAN_KEY_AGE: SignedDuration = SignedDuration::from_hours(1);

/// Ends the erasures that were announced and not ended, here or by a process that died.
pub(crate) fn finish_intents(writer: &VaultWriter<'_>) -> Result<()> {
    finish_intents_seeking(writer, &mut ProbeTargets::default()).map(drop)
}

/// Does the same as [`finish_intents`], with probes that look for `sought`. Returns the receipts.
pub(crate) fn finish_intents_seeking(
    writer: &VaultWriter<'_>,
    sought: &mut ProbeTargets,
) -> Result<Vec<SignedReceipt>> {
    let intents = writer.service.store.intents(writer.scope().vault_id())?;
    let finished = intents.iter().map(|intent| finish(writer, intent, sought));
    let receipts = finished.filter_map(Result::transpose).collect::<Result<_>>()?;
    if !intents.is_empty() {
        // The keystore scrubs its log while the rest is done; nobody hears of an erasure before that has ended.
        writer.service.keys.settle()?;
    }
    Ok(receipts)
}

fn finish(
    writer: &VaultWriter<'_>,
    intent: &PendingErasure,
    sought: &mut ProbeTargets,
) -> Result<Option<SignedReceipt>> {
    let receipt = announced_receipt(writer.service, writer.scope(), intent)?;
    destroy_keys(writer.service, writer.scope(), intent, receipt.as_ref())?;
    let rows = writer.service.store.rows(writer.scope().vault_id(), &intent.memories)?;
    let since = written_since(&rows);
    sought.blobs = delete_blobs(writer.service, writer.scope(), rows)?;
    writer.update(|open| {
        intent.memories.iter().for_each(|memory| open.drop_memory(memory));
        Ok(())
    })?;
    // Before the probe: nothing may lead to what is gone, when it is looked for and when it is proved.
    loosen(writer, &intent.memories)?;
    let probes = match &receipt {
        Some(_) => probe(writer, &intent.memories, sought)?,
        None => Vec::new(),
    };
    let subjects = intent.memories.iter().map(|id| (*id).into()).collect();
    let entry = AuditEntry::new(AuditAction::MemoryDeleteDone, "system", subjects);
    let mut act = Act::new(writer.scope(), writer.service.clock.now(), entry);
    act.batch.removals = intent.memories.clone();
    // What was to leave no trace leaves one only until every node has heard of it.
    act.batch.brief = receipt.as_ref().is_some_and(|receipt| receipt.mode == Mode::Delete);
    act.batch.closes = vec![intent.id];
    // The rows go in the very commit that issues the receipt: there is no receipt while there are rows.
    let signed = receipt
        .map(|receipt| sign_into(writer.service, Receipt { probes, ..receipt }, since, &mut act))
        .transpose()?;
    writer.commit(&act, |_| ())?;
    if signed.as_ref().is_some_and(|signed| !signed.receipt.is_clean()) {
        tracing::error!("an erasure left something behind");
    }
    Ok(signed)
}

/// Keys first: from here on the texts are unreadable, even if we crash.
fn destroy_keys(
    service: &Service,
    scope: &Scope,
    intent: &PendingErasure,
    receipt: Option<&Receipt>,
) -> Result<()> {
    let mark = receipt.map(|receipt| ReceiptMark { org: scope.org.clone(), number: receipt.number });
    service.keys.commit(KeyBatch {
        destroys: intent.memories.clone(),
        receipt: mark,
        ..KeyBatch::new(scope.vault_id(), service.clock.now())
    })
}

/// Destroys the keys and the blobs of what was announced, in a vault that is locked. The rest waits until it is open.
pub(crate) fn destroy_announced(writer: &VaultWriter<'_>) -> Result<()> {
    let (service, scope) = (writer.service, writer.scope());
    let intents = service.store.intents(scope.vault_id())?;
    for intent in &intents {
        let receipt = announced_receipt(service, scope, intent)?;
        destroy_keys(service, scope, intent, receipt.as_ref())?;
        delete_blobs(service, scope, service.store.rows(scope.vault_id(), &intent.memories)?)?;
    }
    if intents.is_empty() { Ok(()) } else { service.keys.settle() }
}

fn delete_blobs(service: &Service, scope: &Scope, rows: Vec<Option<Row>>) -> Result<Vec<BlobName>> {
    let vault = scope.vault_id();
    let mut deleted = Vec::new();
    for row in rows.into_iter().flatten() {
        if let SealedBody::Blob { revision, .. } = row.body {
            let name = BlobName { memory: row.id, revision };
            service.blobs.delete(vault, name)?;
            deleted.push(name);
        }
    }
    Ok(deleted)
}

pub(crate) fn finish_erasures(writer: &VaultWriter<'_>) -> Result<()> {
    finish_intents(writer)?;
    let unreadable = writer.update(|open| Ok(open.orphans.iter().copied().collect::<Vec<_>>()))?;
    for ids in unreadable.unwrap_or_default().chunks(ERASE_MAX) {
        // What they were made of is erased, so nobody reads them again: their rows go too.
        erase(writer, "system", ids)?;
    }
    Ok(())
}

/// Destroys the keys whose record never came.
pub(crate) fn destroy_stray_keys(writer: &VaultWriter<'_>) -> Result<usize> {
    let service = writer.service;
    let strays = writer.update(|open| stray_keys(service, open))?.unwrap_or_default();
    if !strays.is_empty() {
        service.keys.commit(KeyBatch {
            destroys: strays.clone(),
            ..KeyBatch::new(writer.scope().vault_id(), service.clock.now())
        })?;
    }
    Ok(strays.len())
}

/// The keys of an open vault that belong to no row, and are not so young that their row may be on its way.
pub(crate) fn stray_keys(service: &Service, open: &OpenVault) -> Result<Vec<MemoryId>> {
    let vault = open.keyring.vault();
    let mut keys = Vec::new();
    service.keys.memory_keys(vault, None, &mut |key| {
        keys.push(key.memory);
        Ok(())
    })?;
    let oldest_kept = service.clock.now() - ORPHAN_KEY_AGE;
    keys.retain(|memory| memory.made_at().is_some_and(|made| made < oldest_kept));
    keys.retain(|memory| open.index.get(memory).is_none() && !open.damaged.contains(memory));
    // The few that the open vault does not know are looked up where it counts.
    let rows = service.store.rows(vault, &keys)?;
    Ok(keys.into_iter().zip(rows).filter(|(_, row)| row.is_none()).map(|(memory, _)| memory).collect())
}

/// Removes the blobs whose record never came. A record that is on its way has a young file.
pub(crate) fn delete_stray_blobs(writer: &VaultWriter<'_>) -> Result<usize> {
    let strays = stray_blobs(writer.service, writer.scope())?;
    strays.iter().try_for_each(|stray| writer.service.blobs.remove_stray(stray))?;
    Ok(strays.len())
}

/// The files among a vault's blobs that belong to no row.
pub(crate) fn stray_blobs(service: &Service, scope: &Scope) -> Result<Vec<StrayBlob>> {
    let vault = scope.vault_id();
    let oldest_kept = service.clock.now() - ORPHAN_KEY_AGE;
    let mut held = HashSet::new();
    let names = service.blobs.list(vault)?;
    for names in names.chunks(ERASE_MAX) {
        let mut ids: Vec<MemoryId> = names.iter().map(|name| name.memory).collect();
        ids.dedup();
        for row in service.store.rows(vault, &ids)?.into_iter().flatten() {
            if let SealedBody::Blob { revision, .. } = row.body {
                held.insert((row.id, revision));
            }
        }
    }
    service.blobs.strays(vault, oldest_kept, |name| held.contains(&(name.memory, name.revision)))
}

/// Returns the earliest time at which one of the memories, or a source it was made anew from, was written. `None`
/// when one of the rows no longer exists.
fn written_since(rows: &[Option<Row>]) -> Option<Timestamp> {
    let since = |row: &Option<Row>| {
        let row = row.as_ref()?;
        Some(row.id.made_at().map_or(row.created_at, |made| made.min(row.created_at)))
    };
    rows.iter().map(since).collect::<Option<Vec<_>>>()?.into_iter().min()
}
