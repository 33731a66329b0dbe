//! Forget: announce it, destroy the key, then clear away what the key had sealed.

mod cascade;
mod clause;
mod dangling;
mod erase;
mod remake;
mod request;
pub mod words;

use jiff::SignedDuration;

pub(crate) use erase::{Erasure, Wanted};
pub use request::{About, Choice, Closeness, Mode, Reach, Reason, Span, Target, Wish};

use crate::audit::{AuditAction, AuditEntry};
use crate::blobs::BlobName;
use crate::domain::*;
use crate::error::{Error, Result};
use crate::keys::KeyBatch;
use crate::lacuna::{Act, Lacuna};
use crate::permit::{Forget, Grant};
use crate::store::{Body, Intent};
use crate::vault::Slot;

/// A key without a record is left alone this long, because its record may be on its way.
pub const ORPHAN_KEY_AGE: SignedDuration = SignedDuration::from_hours(1);

/// What an erasure did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Forgotten {
    pub id: MemoryId,
    /// The audit entry that announced it.
    pub audit_seq: u64,
}

impl Lacuna {
    /// Erases one memory for good. Missing, foreign and already erased look the same.
    pub fn delete(&self, grant: &Grant<Forget>, id: MemoryId) -> Result<Forgotten> {
        let scope = grant.scope();
        self.finish_move(scope, id)?;
        let slot = self.slot(scope);
        let _writer = slot.lock_writer();
        self.finish_intents(&slot, scope)?;
        let row = self.store.rows(scope.vault_id(), &[id])?.into_iter().next().flatten();
        let row = row.ok_or(Error::NotFound("memory"))?;
        if !grant.covers(self.author_of(&slot, id)?.as_ref()) {
            return Err(Error::Denied("only its author or an administrator may erase it"));
        }
        let audit_seq = self.erase(&slot, scope, grant.caller().user.as_str(), &[row.id])?;
        Ok(Forgotten { id, audit_seq })
    }

    /// Erases some memories and what was made of them. The caller holds the writer lock.
    pub(crate) fn erase(&self, slot: &Slot, scope: &Scope, actor: &str, ids: &[MemoryId]) -> Result<u64> {
        let erasure = self.prepare_erasure(slot, scope, &Wanted::whole(ids))?;
        let mut act = Act::silent(scope, self.clock.now());
        act.record(AuditAction::MemoryDelete, actor, ids);
        self.carry_out_erasure(slot, scope, erasure, act)
    }

    fn author_of(&self, slot: &Slot, id: MemoryId) -> Result<Option<UserId>> {
        let author = slot.update(self.sources(), |open| {
            Ok(open.index.get(&id).and_then(|stored| stored.payload.facets.history.author.clone()))
        })?;
        Ok(author.flatten())
    }

    /// Ends the erasures that were announced and not ended, here or by a process that died.
    /// The caller holds the writer lock.
    pub(crate) fn finish_intents(&self, slot: &Slot, scope: &Scope) -> Result<()> {
        for intent in self.store.intents(scope.vault_id())? {
            self.finish(slot, scope, &intent)?;
        }
        Ok(())
    }

    fn finish(&self, slot: &Slot, scope: &Scope, intent: &Intent) -> Result<()> {
        let vault = scope.vault_id();
        // Key first: from here on the text is unreadable, even if we crash.
        self.keys.commit(KeyBatch {
            destroys: intent.memories.clone(),
            ..KeyBatch::new(vault, self.clock.now())
        })?;
        for row in self.store.rows(vault, &intent.memories)?.into_iter().flatten() {
            if let Body::Blob { revision, .. } = row.body {
                self.blobs.delete(vault, BlobName { memory: row.id, revision })?;
            }
        }
        let subjects = intent.memories.iter().map(|id| (*id).into()).collect();
        let entry = AuditEntry::new(AuditAction::MemoryDeleteDone, "system", subjects);
        let mut act = Act::new(scope, self.clock.now(), entry);
        act.batch.removals = intent.memories.clone();
        act.batch.closes = vec![intent.id];
        self.commit(slot, &act, |open| intent.memories.iter().for_each(|memory| open.drop_memory(memory)))?;
        Ok(())
    }

    /// Finishes what a crash interrupted in one vault: announced moves and erasures, and keys whose record
    /// never came. Answers with the number of keys destroyed.
    pub fn recover(&self, scope: &Scope) -> Result<usize> {
        self.finish_moves(scope)?;
        let vault = scope.vault_id();
        let slot = self.slot(scope);
        let _writer = slot.lock_writer();
        self.finish_intents(&slot, scope)?;

        let orphans =
            slot.update(self.sources(), |open| Ok(open.orphans.iter().copied().collect::<Vec<_>>()))?;
        for ids in orphans.unwrap_or_default().chunks(erase::ERASE_MAX) {
            // What they were made of is erased, so nobody reads them again: their rows go too.
            self.erase(&slot, scope, "system", ids)?;
        }

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
        let orphans: Vec<_> =
            keys.into_iter().zip(rows).filter(|(_, row)| row.is_none()).map(|(memory, _)| memory).collect();
        if !orphans.is_empty() {
            self.keys
                .commit(KeyBatch { destroys: orphans.clone(), ..KeyBatch::new(vault, self.clock.now()) })?;
        }
        Ok(orphans.len())
    }
}
