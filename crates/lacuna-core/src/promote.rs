//! Promote: a memory moves into the next wider scope; and demote, back into a narrower one.
//!
//! A memory has one scope at any time, and no transaction spans two vaults. So a move goes in three commits:
//! the vault that the memory leaves announces it; the memory is sealed anew under the other vault's keys;
//! then it leaves, which erases it (promotion) or archives it (demotion). A process that dies in between
//! leaves the announcement, inside the sealed frame, and whoever opens the vault next finishes the move. In
//! the meantime the memory may be found in both vaults, never in neither.

use std::sync::{Arc, MutexGuard};

use jiff::Timestamp;
use zeroize::Zeroizing;

use crate::audit::{AuditAction, AuditEntry, Subject};
use crate::lacuna::{Act, Committed, Lacuna};
use crate::permit::{Grant, Promote, Remember};
use crate::seal::FIRST_REVISION;
use crate::vault::frame::Frame;
use crate::vault::{OpenKey, OpenVault, Place, Slot, Unlocker};
use lacuna_store::keys::KeyBatch;
use lacuna_store::rows::{Body, Change, Row};
use lacuna_types::*;
use lacuna_types::{Error, Result};

/// What a move did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moved {
    /// The memory where it is now. Ids belong to their vault, so it has a new one.
    pub id: MemoryId,
    /// What it was called where it came from.
    pub previous_id: MemoryId,
    pub scope: Scope,
    pub promotion: Promotion,
}

/// A move between two vaults, both of whose writer locks are held.
struct Route<'a> {
    source: &'a Scope,
    source_slot: &'a Slot,
    target: &'a Scope,
    target_slot: &'a Slot,
}

/// A memory with all that a vault holds of it, opened.
struct Opened {
    row: Row,
    frame: Frame,
    /// The full text, if it is sealed apart.
    body: Option<Zeroizing<String>>,
}

impl Lacuna {
    /// Moves a memory into the next wider scope: its owner to a team they belong to, an administrator from a
    /// team to the organisation.
    pub fn promote(
        &self,
        grant: &Grant<Promote>,
        id: MemoryId,
        target: &Grant<Remember>,
        justification: Option<&str>,
    ) -> Result<Moved> {
        if target.caller() != grant.caller() {
            return Err(Error::Denied("both scopes must be granted to the same caller"));
        }
        match (&grant.scope().holder, &target.scope().holder) {
            (Holder::User(_), Holder::Team(_)) | (Holder::Team(_), Holder::Org) => {}
            _ => {
                let reason =
                    "a memory is promoted from a user to a team, and from a team to the organisation";
                return Err(Error::invalid("to", reason));
            }
        }
        self.begin_move(grant, id, target.scope(), justification)
    }

    /// Makes a new memory in a narrower scope and archives the old one: from the organisation to a team that
    /// has members, or from a team back to whoever wrote it. Administrators alone do this.
    pub fn demote(
        &self,
        grant: &Grant<Promote>,
        id: MemoryId,
        to: Holder,
        justification: Option<&str>,
    ) -> Result<Moved> {
        let target = Scope { org: grant.scope().org.clone(), holder: to };
        match (&grant.scope().holder, &target.holder) {
            (Holder::Org, Holder::Team(team)) => {
                let members = self.store.members(&target.org, &Group::Team(team.clone()), None)?;
                members.first().ok_or(Error::NotFound("vault"))?;
            }
            (Holder::Team(_), Holder::User(_)) => {}
            _ => {
                let reason =
                    "a memory is demoted from the organisation to a team, and from a team to its author";
                return Err(Error::invalid("to", reason));
            }
        }
        self.begin_move(grant, id, &target, justification)
    }

    fn begin_move(
        &self,
        grant: &Grant<Promote>,
        id: MemoryId,
        target: &Scope,
        justification: Option<&str>,
    ) -> Result<Moved> {
        let justification = checked_justification(justification)?;
        let source = grant.scope();
        // Whoever asks again after a failure gets the answer that they missed.
        if let Some(moved) = self.finish_move(source, id)?.filter(|moved| moved.scope == *target) {
            return Ok(moved);
        }
        self.between(source, target, |route| {
            self.check_thawed(route.source)?;
            self.check_thawed(route.target)?;
            let opened = self.open_whole(route, id)?.ok_or(Error::NotFound("memory"))?;
            check_movable(&opened)?;
            let by = grant.caller().user.clone();
            let promotion = Promotion { justification, ..provenance(&opened, route, by, self.clock.now()) };
            check_author(target, &promotion)?;
            self.carry_out(route, opened, promotion)
        })
    }

    /// Finishes every move that was announced and not ended, here or by a process that died.
    pub(crate) fn finish_moves(&self, scope: &Scope) -> Result<()> {
        let moving = self.read(scope, |vault| -> Vec<MemoryId> {
            let all = vault.index.before(None);
            all.filter(|stored| stored.payload.facets.history.moving.is_some())
                .map(|stored| stored.id)
                .collect()
        })?;
        moving.unwrap_or_default().into_iter().try_for_each(|id| self.finish_move(scope, id).map(drop))
    }

    /// Finishes the move of one memory, if it is on its way.
    pub(crate) fn finish_move(&self, source: &Scope, id: MemoryId) -> Result<Option<Moved>> {
        let moving = self.read(source, |vault| {
            vault.index.get(&id).and_then(|stored| stored.payload.facets.history.moving.clone())
        })?;
        let Some(moving) = moving.flatten() else { return Ok(None) };
        let target = Scope { org: source.org.clone(), holder: moving.current_scope.clone() };
        self.between(source, &target, |route| {
            // Another thread may have been faster while we waited for the locks.
            let Some(opened) = self.open_whole(route, id)? else { return Ok(None) };
            let Some(moving) = opened.frame.facets.history.moving.clone() else { return Ok(None) };
            if self.has_arrived(&target, arrival_id(id, &moving, &target))? {
                return self.leave(route, id, *moving).map(Some);
            }
            // Announced anew, so that the memory arrives under a young id: nobody takes a key that has no
            // record yet for one whose record never came.
            let promotion = Promotion { promoted_at: self.clock.now(), ..*moving };
            self.carry_out(route, opened, promotion).map(Some)
        })
    }

    /// Runs `work` under both writer locks, which are always taken in the same order.
    fn between<R>(
        &self,
        source: &Scope,
        target: &Scope,
        work: impl FnOnce(&Route<'_>) -> Result<R>,
    ) -> Result<R> {
        let (source_slot, target_slot) = (self.slot(source), self.slot(target));
        let (first, second) = if source.vault_id() < target.vault_id() {
            (&source_slot, &target_slot)
        } else {
            (&target_slot, &source_slot)
        };
        let _writers: [MutexGuard<'_, ()>; 2] = [first.lock_writer(), second.lock_writer()];
        work(&Route { source, source_slot: &source_slot, target, target_slot: &target_slot })
    }

    fn carry_out(&self, route: &Route<'_>, opened: Opened, promotion: Promotion) -> Result<Moved> {
        let previous_id = opened.row.id;
        let id = arrival_id(previous_id, &promotion, route.target);
        let opened = self.announce(route, opened, id, &promotion)?;
        self.arrive(route, opened, id, &promotion)
            .and_then(|()| self.leave(route, previous_id, promotion))
            .inspect_err(|_| self.backlog.push(route.source))
    }

    /// From this commit on the move will be finished, whatever happens to us.
    fn announce(
        &self,
        route: &Route<'_>,
        opened: Opened,
        arrival: MemoryId,
        promotion: &Promotion,
    ) -> Result<Opened> {
        let Opened { row, mut frame, body } = opened;
        frame.facets.history.moving = Some(Box::new(promotion.clone()));
        let entry = move_entry(promotion, row.id, arrival);
        let row = self.reseal(route, row, &frame, entry)?;
        Ok(Opened { row, frame, body })
    }

    /// Seals the memory under the other vault's keys. Key first, as for everything that is remembered.
    fn arrive(&self, route: &Route<'_>, opened: Opened, id: MemoryId, promotion: &Promotion) -> Result<()> {
        let (slot, vault) = (route.target_slot, route.target.vault_id());
        self.ensure_vault(slot, route.target)?;
        let previous_id = opened.row.id;
        let sealed = slot.update(self.sources(), |open| {
            let mut keys = KeyBatch::new(vault, promotion.promoted_at);
            let class = KeyClass::of(&opened.frame.facets.privacy.sensitivity);
            keys.classes.extend(open.keyring.ensure_class(class, &*self.entropy));
            let (key, wrapped) = open.keyring.make_memory_key(id, class, &[], &*self.entropy)?;
            keys.memories.push(wrapped);
            let place = Place {
                memory: id,
                created_at: opened.row.created_at,
                key_version: open.keyring.key_version(),
                revision: FIRST_REVISION,
            };
            let body = match &opened.body {
                None => Body::None,
                Some(text) => self.seal_body(&open.keyring, &key, vault, &place, text)?,
            };
            let frame = arrived(&opened, open.keyring.text_hash(opened.full_text()), route.target, promotion);
            let row = Row {
                id,
                updated_at: promotion.promoted_at,
                key_version: place.key_version,
                frame_revision: FIRST_REVISION,
                frame: open.keyring.seal_frame(&key, &place, &frame, &*self.entropy),
                body,
                ..opened.row
            };
            Ok((keys, row, frame))
        })?;
        let (keys, row, frame) = sealed.ok_or(Error::Conflict("the vault"))?;
        // A class key that was not stored must not be used again.
        self.keys.commit(keys).inspect_err(|_| slot.discard())?;
        let bytes = row.frame.len() as u64;
        let entry = AuditEntry { bytes, ..move_entry(promotion, id, previous_id) };
        self.put(slot, route.target, entry, row, frame)?;
        self.backlog.push(route.target);
        Ok(())
    }

    /// The memory has arrived, and goes from where it was.
    fn leave(&self, route: &Route<'_>, previous_id: MemoryId, promotion: Promotion) -> Result<Moved> {
        let id = arrival_id(previous_id, &promotion, route.target);
        let Some(row) = self.stored_row(route.source, previous_id)? else {
            return self.forget_arrived(route, id);
        };
        if is_demotion(&promotion) {
            self.archive(route, row)?;
        } else {
            self.release_derivatives(route.source_slot, route.source, row.id)?;
            self.erase(route.source_slot, route.source, promotion.promoted_by.as_str(), &[row.id])?;
        }
        Ok(Moved { id, previous_id, scope: route.target.clone(), promotion })
    }

    fn archive(&self, route: &Route<'_>, row: Row) -> Result<()> {
        let mut frame = self.open_frame(route, &row)?;
        frame.facets.history.moving = None;
        let entry = AuditEntry::new(AuditAction::MemoryMoveDone, "system", vec![row.id.into()]);
        self.reseal(route, Row { state: Lifecycle::Archived, ..row }, &frame, entry).map(drop)
    }

    /// Another node erased the memory while it was on its way: then it is erased where it arrived as well.
    fn forget_arrived(&self, route: &Route<'_>, id: MemoryId) -> Result<Moved> {
        if let Some(row) = self.stored_row(route.target, id)? {
            self.erase(route.target_slot, route.target, "system", &[row.id])?;
        }
        Err(Error::NotFound("memory"))
    }

    /// Whether the memory is in the vault, or was and has been erased there since.
    fn has_arrived(&self, target: &Scope, id: MemoryId) -> Result<bool> {
        if self.stored_row(target, id)?.is_some() {
            return Ok(true);
        }
        let mut erased = false;
        self.store.changes(target.vault_id(), Revision::ZERO, &mut |change| {
            erased |= change == Change::Gone(id);
            Ok(())
        })?;
        Ok(erased)
    }

    fn stored_row(&self, scope: &Scope, id: MemoryId) -> Result<Option<Row>> {
        let row = self.store.rows(scope.vault_id(), &[id])?.into_iter().next().flatten();
        // A deleted row is an erasure under way.
        Ok(row.filter(|row| row.state != Lifecycle::Deleted))
    }

    fn open_whole(&self, route: &Route<'_>, id: MemoryId) -> Result<Option<Opened>> {
        let Some(row) = self.stored_row(route.source, id)? else { return Ok(None) };
        let frame = self.open_frame(route, &row)?;
        let bodies = route.source_slot.update(self.sources(), |open| open.bodies(&[id], self.sources()))?;
        let body = bodies.and_then(|mut bodies| bodies.remove(&id)).map(Zeroizing::new);
        if body.is_none() && frame.has_body {
            return Err(Error::corrupt(format!("the text of {id} is missing")));
        }
        Ok(Some(Opened { row, frame, body }))
    }

    fn open_frame(&self, route: &Route<'_>, row: &Row) -> Result<Frame> {
        let frame = route.source_slot.update(self.sources(), |open| {
            open.keyring.open_frame(&*self.stored_key(open, row.id)?, row, &mut Default::default())
        })?;
        frame.ok_or(Error::NotFound("memory"))
    }

    /// Seals the changed frame of a memory of the vault that is left.
    fn reseal(&self, route: &Route<'_>, row: Row, frame: &Frame, about: AuditEntry) -> Result<Row> {
        let mut row = Row { frame_revision: row.frame_revision + 1, body: Body::Unchanged, ..row };
        let place = Place::of(&row, row.frame_revision);
        let sealed = route.source_slot.update(self.sources(), |open| {
            let key = self.stored_key(open, row.id)?;
            Ok(open.keyring.seal_frame(&key, &place, frame, &*self.entropy))
        })?;
        row.frame = sealed.ok_or(Error::NotFound("memory"))?;
        self.put(route.source_slot, route.source, about, row.clone(), frame.clone())?;
        Ok(row)
    }

    fn stored_key(&self, open: &OpenVault, id: MemoryId) -> Result<Arc<OpenKey>> {
        let key = Unlocker::fetching(&open.keyring, &*self.keys, &[id])?.key(id)?;
        key.ok_or_else(|| Error::corrupt(format!("the key of {id} is missing")))
    }

    fn put(
        &self,
        slot: &Slot,
        scope: &Scope,
        about: AuditEntry,
        row: Row,
        frame: Frame,
    ) -> Result<Committed> {
        let mut act = Act::new(scope, self.clock.now(), about);
        act.batch.puts = vec![row.clone()];
        self.commit(slot, &act, |open| open.put(&row, frame))
    }
}

/// Who wrote it first, and when, stays through every further move.
fn provenance(opened: &Opened, route: &Route<'_>, by: UserId, at: Timestamp) -> Promotion {
    let history = &opened.frame.facets.history;
    let (original_author, original_created_at) = match (&history.promotion, &route.source.holder) {
        (Some(earlier), _) => (earlier.original_author.clone(), earlier.original_created_at),
        (None, Holder::User(owner)) => (owner.clone(), opened.row.created_at),
        (None, _) => (history.author.clone().unwrap_or_else(|| by.clone()), opened.row.created_at),
    };
    Promotion {
        original_author,
        original_created_at,
        promoted_by: by,
        promoted_at: at,
        previous_scope: route.source.holder.clone(),
        current_scope: route.target.holder.clone(),
        justification: None,
    }
}

/// Only whoever wrote it gets a memory back into their own vault.
fn check_author(target: &Scope, promotion: &Promotion) -> Result<()> {
    match &target.holder {
        Holder::User(user) if *user != promotion.original_author => {
            Err(Error::invalid("to", "a team's memory is demoted to its author alone"))
        }
        _ => Ok(()),
    }
}

impl Opened {
    fn full_text(&self) -> &str {
        let sealed_apart = self.body.as_ref().map(|text| text.as_str());
        sealed_apart.or(self.frame.text.as_deref()).unwrap_or(&self.frame.gist)
    }
}

/// The frame as the vault at the end of the way holds it. Links to memories of the other vault stay behind.
fn arrived(opened: &Opened, text_hash: [u8; 32], target: &Scope, promotion: &Promotion) -> Frame {
    let mut frame = Frame { text_hash, ..opened.frame.clone() };
    frame.facets.derived_from.clear();
    frame.facets.history = History {
        author: target.holder.is_shared().then(|| promotion.original_author.clone()),
        promotion: Some(Box::new(promotion.clone())),
        attributes: opened.frame.facets.history.attributes.clone(),
        ..History::default()
    };
    frame
}

/// The id under which a memory arrives, which follows from where it comes from, where it goes and when.
fn arrival_id(id: MemoryId, promotion: &Promotion, target: &Scope) -> MemoryId {
    MemoryId::derive(promotion.promoted_at, &[id.as_bytes(), target.vault_id().as_bytes()])
}

fn is_demotion(promotion: &Promotion) -> bool {
    matches!((&promotion.previous_scope, &promotion.current_scope), (Holder::Org, _) | (_, Holder::User(_)))
}

/// The entry names the memory as its own vault does, and then as the other one does.
fn move_entry(promotion: &Promotion, here: MemoryId, there: MemoryId) -> AuditEntry {
    let action = if is_demotion(promotion) { AuditAction::MemoryDemote } else { AuditAction::MemoryPromote };
    let subjects = [here, there].map(Subject::from).to_vec();
    AuditEntry::new(action, promotion.promoted_by.as_str(), subjects)
}

fn check_movable(opened: &Opened) -> Result<()> {
    match opened.row.state {
        Lifecycle::Active => Ok(()),
        Lifecycle::Archived => Err(Error::invalid("memory_id", "is archived: only active memories move")),
        Lifecycle::Candidate | Lifecycle::Approved | Lifecycle::Deleted => Err(Error::NotFound("memory")),
    }
}

fn checked_justification(text: Option<&str>) -> Result<Option<Zeroizing<String>>> {
    let Some(text) = text else { return Ok(None) };
    let fits = text.chars().count() <= JUSTIFICATION_CHARS_MAX;
    if !fits || text.trim().is_empty() || text.contains('\0') {
        let reason = format!("must be 1 to {JUSTIFICATION_CHARS_MAX} characters without NUL");
        return Err(Error::invalid("justification", reason));
    }
    Ok(Some(Zeroizing::new(text.to_owned())))
}
