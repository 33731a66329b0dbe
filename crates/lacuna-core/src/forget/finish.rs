//! Carrying an announced erasure through, here or for a process that died: keys, blobs, rows, probe, receipt.

use jiff::{SignedDuration, Timestamp};

use super::erase::ERASE_MAX;
use super::probe::Sought;
use super::receipt::{Receipt, SignedReceipt};
use crate::audit::{AuditAction, AuditEntry};
use crate::lacuna::{Act, Lacuna};
use crate::vault::Slot;
use lacuna_store::blobs::BlobName;
use lacuna_store::keys::{KeyBatch, ReceiptMark};
use lacuna_store::rows::{Body, Intent, Row};
use lacuna_types::Result;
use lacuna_types::request::Mode;
use lacuna_types::*;

/// A key without a record is left alone this long, because its record may be on its way.
pub const ORPHAN_KEY_AGE: SignedDuration = SignedDuration::from_hours(1);

impl Lacuna {
    /// Ends the erasures that were announced and not ended, here or by a process that died.
    /// The caller holds the writer lock.
    pub(crate) fn finish_intents(&self, slot: &Slot, scope: &Scope) -> Result<()> {
        self.finish_intents_seeking(slot, scope, &mut Sought::default()).map(drop)
    }

    /// As [`Self::finish_intents`]; the probes look for what is `sought`. Answers with the receipts.
    pub(super) fn finish_intents_seeking(
        &self,
        slot: &Slot,
        scope: &Scope,
        sought: &mut Sought,
    ) -> Result<Vec<SignedReceipt>> {
        let intents = self.store.intents(scope.vault_id())?;
        let finished = intents.iter().map(|intent| self.finish(slot, scope, intent, sought));
        finished.filter_map(Result::transpose).collect()
    }

    fn finish(
        &self,
        slot: &Slot,
        scope: &Scope,
        intent: &Intent,
        sought: &mut Sought,
    ) -> Result<Option<SignedReceipt>> {
        let receipt = self.announced_receipt(scope, intent)?;
        self.destroy_keys(scope, intent, receipt.as_ref())?;
        let rows = self.store.rows(scope.vault_id(), &intent.memories)?;
        let since = written_since(&rows);
        sought.blobs = self.delete_blobs(scope, rows)?;
        slot.update(self.sources(), |open| {
            intent.memories.iter().for_each(|memory| open.drop_memory(memory));
            Ok(())
        })?;
        // Before the probe: nothing may lead to what is gone, when it is looked for and when it is proved.
        self.loosen(slot, scope, &intent.memories)?;
        let probes = match &receipt {
            Some(_) => self.probe(slot, scope, &intent.memories, sought)?,
            None => Vec::new(),
        };
        let subjects = intent.memories.iter().map(|id| (*id).into()).collect();
        let entry = AuditEntry::new(AuditAction::MemoryDeleteDone, "system", subjects);
        let mut act = Act::new(scope, self.clock.now(), entry);
        act.batch.removals = intent.memories.clone();
        // What was to leave no trace leaves one only until every node has heard of it.
        act.batch.brief = receipt.as_ref().is_some_and(|receipt| receipt.mode == Mode::Delete);
        act.batch.closes = vec![intent.id];
        // The rows go in the very commit that issues the receipt: there is no receipt while there are rows.
        let signed = receipt
            .map(|receipt| self.sign_into(Receipt { probes, ..receipt }, since, &mut act))
            .transpose()?;
        self.commit(slot, &act, |_| ())?;
        if signed.as_ref().is_some_and(|signed| !signed.receipt.is_clean()) {
            tracing::error!("an erasure left something behind");
        }
        Ok(signed)
    }

    /// Keys first: from here on the texts are unreadable, even if we crash.
    fn destroy_keys(&self, scope: &Scope, intent: &Intent, receipt: Option<&Receipt>) -> Result<()> {
        let mark = receipt.map(|receipt| ReceiptMark { org: scope.org.clone(), number: receipt.number });
        self.keys.commit(KeyBatch {
            destroys: intent.memories.clone(),
            receipt: mark,
            ..KeyBatch::new(scope.vault_id(), self.clock.now())
        })
    }

    fn delete_blobs(&self, scope: &Scope, rows: Vec<Option<Row>>) -> Result<Vec<BlobName>> {
        let vault = scope.vault_id();
        let mut deleted = Vec::new();
        for row in rows.into_iter().flatten() {
            if let Body::Blob { revision, .. } = row.body {
                let name = BlobName { memory: row.id, revision };
                self.blobs.delete(vault, name)?;
                deleted.push(name);
            }
        }
        Ok(deleted)
    }

    /// Finishes what a crash interrupted in one vault: announced moves and erasures, and keys whose record
    /// never came. Answers with the number of keys destroyed.
    pub fn recover(&self, scope: &Scope) -> Result<usize> {
        self.finish_moves(scope)?;
        let slot = self.slot(scope);
        let _writer = slot.lock_writer();
        self.finish_erasures(&slot, scope)?;
        self.destroy_stray_keys(&slot, scope)
    }

    /// As [`Self::recover`], for whoever comes by after every write. Looking for moves and stray keys goes
    /// through all of the vault while its writers wait: so it is done once in a while, when a key can have
    /// become a stray.
    pub(crate) fn recover_again(&self, scope: &Scope) -> Result<()> {
        let (slot, now) = (self.slot(scope), self.clock.now());
        if slot.was_recovered_since(now - ORPHAN_KEY_AGE) {
            let _writer = slot.lock_writer();
            return self.finish_erasures(&slot, scope);
        }
        self.recover(scope)?;
        slot.note_recovered(now);
        Ok(())
    }

    fn finish_erasures(&self, slot: &Slot, scope: &Scope) -> Result<()> {
        self.finish_intents(slot, scope)?;
        let unreadable =
            slot.update(self.sources(), |open| Ok(open.orphans.iter().copied().collect::<Vec<_>>()))?;
        for ids in unreadable.unwrap_or_default().chunks(ERASE_MAX) {
            // What they were made of is erased, so nobody reads them again: their rows go too.
            self.erase(slot, scope, "system", ids)?;
        }
        Ok(())
    }

    /// Destroys the keys whose record never came.
    fn destroy_stray_keys(&self, slot: &Slot, scope: &Scope) -> Result<usize> {
        let vault = scope.vault_id();
        let mut keys = Vec::new();
        self.keys.memory_keys(vault, None, &mut |key| {
            keys.push(key.memory);
            Ok(())
        })?;
        let oldest_kept = self.clock.now() - ORPHAN_KEY_AGE;
        keys.retain(|memory| memory.made_at().is_some_and(|made| made < oldest_kept));
        slot.update(self.sources(), |open| {
            keys.retain(|memory| open.index.get(memory).is_none() && !open.damaged.contains(memory));
            Ok(())
        })?;
        // The few that the open vault does not know are looked up where it counts.
        let rows = self.store.rows(vault, &keys)?;
        let strays: Vec<_> =
            keys.into_iter().zip(rows).filter(|(_, row)| row.is_none()).map(|(memory, _)| memory).collect();
        if !strays.is_empty() {
            self.keys
                .commit(KeyBatch { destroys: strays.clone(), ..KeyBatch::new(vault, self.clock.now()) })?;
        }
        Ok(strays.len())
    }
}

/// When the first of some memories was written, or what it was made anew from. `None` when one of them is no longer
/// there to be asked.
fn written_since(rows: &[Option<Row>]) -> Option<Timestamp> {
    let since = |row: &Option<Row>| {
        let row = row.as_ref()?;
        Some(row.id.made_at().map_or(row.created_at, |made| made.min(row.created_at)))
    };
    rows.iter().map(since).collect::<Option<Vec<_>>>()?.into_iter().min()
}
