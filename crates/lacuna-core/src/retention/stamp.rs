//! The readable expiry of every row, by which the scheduler finds what is due, follows the rules and settings.
//!
//! A new memory is stamped when it is sealed. When a tenant's rules or an owner's settings change, the rows that
//! they concern are stamped anew, some at a time: whoever is interrupted goes on where it was, because a row
//! that is right already is passed over.

use std::sync::Arc;

use jiff::Timestamp;
use lacuna_seal::sha256;

use super::kept::VaultSettings;
use super::rules::write_rules;
use super::term::{Subject, Term, Terms};
use crate::audit::{AuditAction, AuditEntry};
use crate::index::Stored;
use crate::lacuna::{Act, COMMIT_ATTEMPTS_MAX, Lacuna};
use crate::vault::frame::Frame;
use crate::vault::{Held, OpenVault, Slot};
use lacuna_store::cbor::Writer;
use lacuna_store::rows::{Row, VaultHeader};
use lacuna_types::*;
use lacuna_types::{Error, Result};

/// Rows that are stamped in one commit.
const STAMPS_MAX: usize = 1_000;

/// A row whose expiry is not what it should be, and what it should be.
type Wrong = (MemoryId, Option<Timestamp>);

impl Lacuna {
    /// The terms of the memories in an opened vault.
    pub(crate) fn terms_in<R>(
        &self,
        open: &mut OpenVault,
        scope: &Scope,
        run: impl FnOnce(&mut OpenVault, &Terms<'_>) -> Result<R>,
    ) -> Result<R> {
        let settings = self.settings_in(open)?;
        let terms = Terms::new(&self.policy(&scope.org).retention, &settings.retention, &scope.holder);
        run(open, &terms)
    }

    /// As [`Self::terms_in`], for a caller who holds the writer lock and no vault.
    pub(crate) fn settings_of(&self, slot: &Slot) -> Result<Arc<VaultSettings>> {
        let settings = slot.update(self.sources(), |open| self.settings_in(open))?;
        Ok(settings.unwrap_or_default())
    }

    /// Gives every row of a vault the expiry that rules and settings ask for. Answers with how many had
    /// another one.
    pub fn restamp(&self, scope: &Scope) -> Result<usize> {
        let slot = self.slot(scope);
        let (mut stamped, mut conflicts) = (0, 0);
        loop {
            let _writer = slot.lock_writer();
            let wrong = slot.update(self.sources(), |open| self.wrong_stamps(open, scope))?;
            let Some((wrong, digest)) = wrong else { return Ok(0) };
            if wrong.is_empty() {
                self.note_stamped(&slot, scope, digest)?;
                return Ok(stamped);
            }
            match self.stamp(&slot, scope, &wrong) {
                Ok(count) => stamped += count,
                // Another process was faster: what is wrong now is looked for anew.
                Err(Error::Conflict(_)) if conflicts < COMMIT_ATTEMPTS_MAX => conflicts += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// As [`Self::restamp`], where rules or settings changed since the last time; other vaults stay closed.
    pub(crate) fn restamp_if_changed(&self, header: &VaultHeader) -> Result<u64> {
        let Some(kept) = self.settings_at_rest(header)? else { return Ok(0) };
        if kept.stamped == Some(self.digest(&header.scope, &kept)) || header.frozen_at.is_some() {
            return Ok(0);
        }
        Ok(self.restamp(&header.scope)? as u64)
    }

    /// Whether rows may stand under other rules or settings than those of today.
    pub(crate) fn is_stamped(&self, open: &mut OpenVault, scope: &Scope) -> Result<bool> {
        let settings = self.settings_in(open)?;
        Ok(settings.stamped == Some(self.digest(scope, &settings)))
    }

    fn wrong_stamps(&self, open: &mut OpenVault, scope: &Scope) -> Result<(Vec<Wrong>, [u8; 32])> {
        let settings = self.settings_in(open)?;
        let digest = self.digest(scope, &settings);
        if self.is_stamped(open, scope)? {
            return Ok((Vec::new(), digest));
        }
        let wrong = self.terms_in(open, scope, |open, terms| {
            let living = open.index.before(None).filter(|one| one.attributes.state != Lifecycle::Deleted);
            let stamps =
                living.map(|one| (one.id, one.attributes.expires_at, term_of(terms, &one).expires_at));
            let wrong = stamps.filter(|(_, stamped, right)| *stamped != right.map(millis));
            Ok(wrong.map(|(id, _, right)| (id, right)).take(STAMPS_MAX).collect())
        })?;
        Ok((wrong, digest))
    }

    fn stamp(&self, slot: &Slot, scope: &Scope, wrong: &[Wrong]) -> Result<usize> {
        let ids: Vec<MemoryId> = wrong.iter().map(|(id, _)| *id).collect();
        let mut act = Act::silent(scope, self.clock.now());
        act.record(AuditAction::RetentionStamp, "policy", &ids);
        let stamped = self.rewrite(slot, scope, &ids, |row, _| {
            let right = wrong.iter().find(|(id, _)| *id == row.id);
            row.expires_at = right.and_then(|(_, at)| *at);
            right.is_some()
        })?;
        if stamped.is_empty() {
            // What is in the open vault and not in the store: whoever reads next starts from the store.
            slot.discard();
            return Err(Error::Conflict("the vault"));
        }
        act.batch.puts = stamped.iter().map(|stamped| stamped.row.clone()).collect();
        let count = stamped.len();
        self.commit(slot, &act, |open| stamped.into_iter().for_each(|one| open.put(&one.row, one.frame)))?;
        Ok(count)
    }

    fn note_stamped(&self, slot: &Slot, scope: &Scope, digest: [u8; 32]) -> Result<()> {
        if self.settings_of(slot)?.stamped == Some(digest) {
            return Ok(());
        }
        let entry = AuditEntry::new(AuditAction::RetentionStamp, "policy", Vec::new());
        self.set(slot, scope, entry, |settings| settings.stamped = Some(digest))
    }

    /// Changes the settings of a vault in one commit. The caller holds the writer lock.
    pub(crate) fn set(
        &self,
        slot: &Slot,
        scope: &Scope,
        entry: AuditEntry,
        change: impl Fn(&mut VaultSettings),
    ) -> Result<()> {
        for _ in 0..COMMIT_ATTEMPTS_MAX {
            let mut act = Act::new(scope, self.clock.now(), entry.clone());
            let changed =
                slot.update(self.sources(), |open| self.change_settings(open, &mut act, &change))?;
            changed.ok_or(Error::NotFound("vault"))?;
            match self.commit(slot, &act, |open| open.settings.expire()) {
                Err(Error::Conflict(_)) => {}
                done => return done.map(drop),
            }
        }
        Err(Error::Conflict("the vault"))
    }

    fn digest(&self, scope: &Scope, settings: &VaultSettings) -> [u8; 32] {
        let mut bytes = Vec::new();
        let mut w = Writer(&mut bytes);
        write_rules(&self.policy(&scope.org).retention, &mut w);
        settings.retention.write(&mut w);
        sha256(&bytes)
    }
}

/// The term of a memory in an opened vault.
pub(crate) fn term_of(terms: &Terms<'_>, stored: &Stored<'_, Held>) -> Term {
    terms.of(&subject(stored))
}

/// Whether a memory in an opened vault goes when its session ends.
pub(crate) fn ends_with_session(terms: &Terms<'_>, stored: &Stored<'_, Held>) -> bool {
    terms.end_with_session(&subject(stored))
}

fn subject<'a>(stored: &Stored<'a, Held>) -> Subject<'a> {
    let held = stored.payload;
    Subject {
        id: stored.id,
        created_at: from_millis(stored.attributes.created_at).unwrap_or(held.updated_at),
        facets: &held.facets,
        gist: &held.gist,
        text: held.text.as_deref(),
    }
}

/// The term of a memory whose frame is open.
pub(crate) fn term_of_frame(terms: &Terms<'_>, row: &Row, frame: &Frame) -> Term {
    let (gist, text) = (frame.gist.as_str(), frame.text.as_deref());
    terms.of(&Subject { id: row.id, created_at: row.created_at, facets: &frame.facets, gist, text })
}
