//! Promote: a memory moves into the next wider scope; and demote, back into a narrower one.
//!
//! A memory has one scope at any time, and no transaction spans two vaults. So a move goes in three commits:
//! the vault that the memory leaves announces it; the memory is sealed anew under the other vault's keys;
//! then it leaves, which erases it (promotion) or archives it (demotion). A process that dies in between
//! leaves the announcement, inside the sealed frame, and whoever opens the vault next finishes the move. In
//! the meantime the memory may be found in both vaults, never in neither.

use std::sync::Arc;

use jiff::Timestamp;
use lacuna_store::keys::KeyBatch;
use lacuna_store::rows::{Row, SealedBody, VaultChange};
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::{AuditAction, AuditEntry, Subject};
use crate::erase::prepare::release_derivatives;
use crate::erase::without_receipt::erase;
use crate::gate::clean::check_name;
use crate::permit::{Grant, Promote, Remember};
use crate::vault::commit::{Act, Committed};
use crate::vault::frame::Frame;
use crate::vault::frozen::check_thawed;
use crate::vault::handle::VaultWriter;
use crate::vault::holds::check_not_held;
use crate::vault::keyring::{OpenKey, Place};
use crate::vault::open::OpenVault;
use crate::vault::purpose::GUARDED;
use crate::vault::seal::{FIRST_REVISION, seal_body};
use crate::vault::service::Service;
use crate::vault::unlock::Unlocker;

/// The result of a move.
#[derive(PartialEq, Eq)]
pub struct Moved {
    /// The memory where it is now. Ids belong to their vault, so it has a new one.
    pub id: MemoryId,
    /// The id that it had in the vault it came from.
    pub previous_id: MemoryId,
    /// The scope that it is in now.
    pub scope: Scope,
    /// The record of the move, with the first author.
    pub promotion: Promotion,
    /// Its state in the new scope: what waits for approval there is a candidate, as a direct write would be.
    pub state: Lifecycle,
}

/// A move between two vaults, both of whose writer locks are held.
struct Route<'a> {
    source: VaultWriter<'a>,
    target: VaultWriter<'a>,
}

/// A memory with all that a vault holds of it, opened.
struct OpenedMemory {
    row: Row,
    frame: Frame,
    /// The full text, if it is sealed apart.
    body: Option<Plaintext>,
}

/// Moves a memory into the next wider scope: its owner to a team they belong to, an administrator from a
/// team to the organisation.
pub(crate) fn promote(
    service: &Service,
    grant: &Grant<Promote>,
    id: MemoryId,
    target: &Grant<Remember>,
    justification: Option<&str>,
    lifted: bool,
) -> Result<Moved> {
    if target.caller() != grant.caller() {
        return Err(Error::Denied("both scopes must be granted to the same caller"));
    }
    match (&grant.scope().holder, &target.scope().holder) {
        (Holder::User(_), Holder::Team(_)) | (Holder::Team(_), Holder::Org) => {}
        _ => {
            let reason = "a memory is promoted from a user to a team, and from a team to the organisation";
            return Err(Error::invalid("to", reason));
        }
    }
    check_lifted(service, grant, id, lifted)?;
    begin_move(service, grant, id, target.scope(), justification)
}

/// Refuses to share what is guarded, unless the person who wrote it lifts that for this very memory.
fn check_lifted(service: &Service, grant: &Grant<Promote>, id: MemoryId, lifted: bool) -> Result<()> {
    let guarded = service.read(grant.scope(), |vault| {
        let facets = &vault.index.get(&id)?.payload.facets;
        let is_guarded = facets.privacy.sensitivity.iter().any(|kind| GUARDED.contains(kind));
        let owner = match &grant.scope().holder {
            Holder::User(owner) => Some(owner.clone()),
            _ => facets.history.author.clone(),
        };
        is_guarded.then(|| owner.as_ref() == Some(&grant.caller().user))
    })?;
    match guarded.flatten() {
        None => Ok(()),
        Some(true) if lifted => Ok(()),
        Some(true) => Err(Error::Refused {
            code: "sensitive_not_shared",
            reason: "it is about health, money, belief or biometrics, and is shared only when its author lifts that for this memory",
        }),
        Some(false) => {
            Err(Error::Denied("only its author may share what is about health, money, belief or biometrics"))
        }
    }
}

/// Makes a new memory in a narrower scope and archives the old one: from the organisation to a team that
/// has members, or from a team back to its author. Administrators alone do this.
pub(crate) fn demote(
    service: &Service,
    grant: &Grant<Promote>,
    id: MemoryId,
    to: Holder,
    justification: Option<&str>,
) -> Result<Moved> {
    let target = Scope { org: grant.scope().org.clone(), holder: to };
    match (&grant.scope().holder, &target.holder) {
        (Holder::Org, Holder::Team(team)) => {
            let members = service.store.members(&target.org, &Group::Team(team.clone()), None)?;
            members.first().ok_or(Error::NotFound("vault"))?;
        }
        (Holder::Team(_), Holder::User(_)) => {}
        _ => {
            let reason = "a memory is demoted from the organisation to a team, and from a team to its author";
            return Err(Error::invalid("to", reason));
        }
    }
    begin_move(service, grant, id, &target, justification)
}

fn begin_move(
    service: &Service,
    grant: &Grant<Promote>,
    id: MemoryId,
    target: &Scope,
    justification: Option<&str>,
) -> Result<Moved> {
    let justification = checked_justification(service, justification)?;
    let source = grant.scope();
    // Whoever asks again after a failure gets the answer that they missed.
    if let Some(moved) = finish_move(service, source, id)?.filter(|moved| moved.scope == *target) {
        return Ok(moved);
    }
    between(service, source, target, |route| {
        check_thawed(service, route.source.scope())?;
        check_thawed(service, route.target.scope())?;
        let opened = open_whole(service, route, id)?.ok_or(Error::NotFound("memory"))?;
        if opened.frame.facets.is_record() {
            return Err(Error::NotFound("memory"));
        }
        let by = grant.caller().user.clone();
        let promotion = Promotion { justification, ..provenance(&opened, route, by, service.clock.now()) };
        check_movable(&opened, is_demotion(&promotion))?;
        check_not_held(&route.source, [&id])?;
        check_author(target, &promotion)?;
        let may_approve = grant.caller().roles.contains(&Role::Admin);
        carry_out(service, route, opened, promotion, may_approve)
    })
}

/// Finishes every move that was announced and not ended, here or by a process that died.
pub(crate) fn finish_moves(service: &Service, scope: &Scope) -> Result<()> {
    let moving = service.read(scope, |vault| -> Vec<MemoryId> {
        let all = vault.index.before(None);
        all.filter(|stored| stored.payload.facets.history.moving.is_some()).map(|stored| stored.id).collect()
    })?;
    moving.unwrap_or_default().into_iter().try_for_each(|id| finish_move(service, scope, id).map(drop))
}

/// Finishes the move of one memory, if it is on its way.
pub(crate) fn finish_move(service: &Service, source: &Scope, id: MemoryId) -> Result<Option<Moved>> {
    let target = service.read(source, |vault| {
        let moving = vault.index.get(&id)?.payload.facets.history.moving.as_ref()?;
        Some(moving.current_scope.clone())
    })?;
    let Some(holder) = target.flatten() else { return Ok(None) };
    let target = Scope { org: source.org.clone(), holder };
    between(service, source, &target, |route| {
        // Another thread may have been faster while we waited for the locks.
        let Some(opened) = open_whole(service, route, id)? else { return Ok(None) };
        let Some(moving) = opened.frame.facets.history.moving.as_deref() else { return Ok(None) };
        if has_arrived(service, &target, arrival_id(id, moving, &target))? {
            return leave(service, route, id, moving.duplicate()).map(Some);
        }
        // Announced anew, so that the memory arrives under a young id: nobody takes a key that has no
        // record yet for one whose record never came.
        let promotion = Promotion { promoted_at: service.clock.now(), ..moving.duplicate() };
        // Whoever moved it to the organisation was an administrator; of others nobody knows any more.
        let may_approve = target.holder == Holder::Org;
        carry_out(service, route, opened, promotion, may_approve).map(Some)
    })
}

/// Runs `work` under both writer locks, which are always taken in the same order.
fn between<R>(
    service: &Service,
    source: &Scope,
    target: &Scope,
    work: impl FnOnce(&Route<'_>) -> Result<R>,
) -> Result<R> {
    let (source, target) = (service.reader(source), service.reader(target));
    let route = if source.scope().vault_id() < target.scope().vault_id() {
        let source = source.lock();
        Route { source, target: target.lock() }
    } else {
        let target = target.lock();
        Route { source: source.lock(), target }
    };
    work(&route)
}

fn carry_out(
    service: &Service,
    route: &Route<'_>,
    opened: OpenedMemory,
    promotion: Promotion,
    may_approve: bool,
) -> Result<Moved> {
    let previous_id = opened.row.id;
    let id = arrival_id(previous_id, &promotion, route.target.scope());
    let opened = announce(service, route, opened, id, &promotion)?;
    let state = state_on_arrival(service, route.target.scope(), &promotion, may_approve);
    arrive(service, route, opened, id, &promotion, state)
        .and_then(|()| leave(service, route, previous_id, promotion))
        .inspect_err(|_| service.backlog.push(route.source.scope()))
}

/// From this commit on the move will be finished, whatever happens to us.
fn announce(
    service: &Service,
    route: &Route<'_>,
    opened: OpenedMemory,
    arrival: MemoryId,
    promotion: &Promotion,
) -> Result<OpenedMemory> {
    let OpenedMemory { row, mut frame, body } = opened;
    frame.facets.history.moving = Some(Box::new(promotion.duplicate()));
    let entry = move_entry(promotion, row.id, arrival);
    let row = reseal(service, route, row, &frame, entry)?;
    Ok(OpenedMemory { row, frame, body })
}

/// Seals the memory under the other vault's keys. Key first, as for everything that is remembered.
fn arrive(
    service: &Service,
    route: &Route<'_>,
    opened: OpenedMemory,
    id: MemoryId,
    promotion: &Promotion,
    state: Lifecycle,
) -> Result<()> {
    let (writer, vault) = (&route.target, route.target.scope().vault_id());
    writer.ensure()?;
    let previous_id = opened.row.id;
    let sealed = writer.update(|open| {
        let mut keys = KeyBatch::new(vault, promotion.promoted_at);
        let class = KeyClass::of(&opened.frame.facets.privacy.sensitivity);
        keys.classes.extend(open.keyring.ensure_class(class, &*service.entropy));
        let (key, wrapped) = open.keyring.make_memory_key(id, class, &[], &*service.entropy)?;
        keys.memories.push(wrapped);
        let place = Place {
            memory: id,
            created_at: opened.row.created_at,
            key_version: open.keyring.key_version(),
            revision: FIRST_REVISION,
        };
        let body = match &opened.body {
            None => SealedBody::None,
            Some(text) => seal_body(service, &open.keyring, &key, vault, &place, text.expose())?,
        };
        let frame = arrived(
            &opened,
            open.keyring.text_hash(opened.full_text().expose()),
            route.target.scope(),
            promotion,
            state,
        );
        let row = Row {
            id,
            state,
            updated_at: promotion.promoted_at,
            key_version: place.key_version,
            frame_revision: FIRST_REVISION,
            frame: open.keyring.seal_frame(&key, &place, frame.fields(), &*service.entropy),
            body,
            ..opened.row
        };
        Ok((keys, row, frame))
    })?;
    let (keys, row, frame) = sealed.ok_or(Error::Conflict("the vault"))?;
    // A class key that was not stored must not be used again.
    service.keys.commit(keys).inspect_err(|_| writer.discard())?;
    let bytes = row.frame.len() as u64;
    let entry = AuditEntry { bytes, ..move_entry(promotion, id, previous_id) };
    put(writer, entry, row, frame)?;
    service.backlog.push(route.target.scope());
    Ok(())
}

/// The memory has arrived, and goes from where it was.
fn leave(service: &Service, route: &Route<'_>, previous_id: MemoryId, promotion: Promotion) -> Result<Moved> {
    let id = arrival_id(previous_id, &promotion, route.target.scope());
    let Some(row) = stored_row(service, route.source.scope(), previous_id)? else {
        return forget_arrived(service, route, id);
    };
    let arrived = stored_row(service, route.target.scope(), id)?;
    let state = arrived.map_or(Lifecycle::Deleted, |row| row.state);
    if is_demotion(&promotion) {
        archive(service, route, row)?;
    } else {
        release_derivatives(&route.source, row.id)?;
        erase(&route.source, promotion.promoted_by.as_str(), &[row.id])?;
    }
    Ok(Moved { id, previous_id, scope: route.target.scope().clone(), promotion, state })
}

fn archive(service: &Service, route: &Route<'_>, row: Row) -> Result<()> {
    let mut frame = open_frame(service, route, &row)?;
    frame.facets.history.moving = None;
    frame.facets.history.waits = None;
    let entry = AuditEntry::new(AuditAction::MemoryMoveDone, "system", vec![row.id.into()]);
    reseal(service, route, Row { state: Lifecycle::Archived, ..row }, &frame, entry).map(drop)
}

/// Another node erased the memory while it was on its way: then it is erased where it arrived as well.
fn forget_arrived(service: &Service, route: &Route<'_>, id: MemoryId) -> Result<Moved> {
    if let Some(row) = stored_row(service, route.target.scope(), id)? {
        erase(&route.target, "system", &[row.id])?;
    }
    Err(Error::NotFound("memory"))
}

/// Returns true when the memory is in the vault, or was and has been erased there since.
fn has_arrived(service: &Service, target: &Scope, id: MemoryId) -> Result<bool> {
    if stored_row(service, target, id)?.is_some() {
        return Ok(true);
    }
    let mut erased = false;
    service.store.changes(target.vault_id(), Revision::ZERO, &mut |change| {
        erased |= change == VaultChange::Gone(id);
        Ok(())
    })?;
    Ok(erased)
}

fn stored_row(service: &Service, scope: &Scope, id: MemoryId) -> Result<Option<Row>> {
    let row = service.store.rows(scope.vault_id(), &[id])?.into_iter().next().flatten();
    // A deleted row is an erasure under way.
    Ok(row.filter(|row| row.state != Lifecycle::Deleted))
}

fn open_whole(service: &Service, route: &Route<'_>, id: MemoryId) -> Result<Option<OpenedMemory>> {
    let Some(row) = stored_row(service, route.source.scope(), id)? else { return Ok(None) };
    let frame = open_frame(service, route, &row)?;
    let bodies = route.source.update(|open| open.bodies(&[id], service.sources()))?;
    let body = bodies.and_then(|mut bodies| bodies.remove(&id)).transpose()?;
    if body.is_none() && frame.has_body {
        return Err(Error::corrupt(format!("the text of {id} is missing")));
    }
    Ok(Some(OpenedMemory { row, frame, body }))
}

fn open_frame(service: &Service, route: &Route<'_>, row: &Row) -> Result<Frame> {
    let frame = route.source.update(|open| {
        open.keyring.open_frame(&*stored_key(service, open, row.id)?, row, &mut Default::default())
    })?;
    frame.ok_or(Error::NotFound("memory"))
}

/// Seals the changed frame of a memory of the vault that is left.
fn reseal(service: &Service, route: &Route<'_>, row: Row, frame: &Frame, about: AuditEntry) -> Result<Row> {
    let mut row = Row { frame_revision: row.frame_revision + 1, body: SealedBody::Unchanged, ..row };
    let place = Place::of(&row, row.frame_revision);
    let sealed = route.source.update(|open| {
        let key = stored_key(service, open, row.id)?;
        Ok(open.keyring.seal_frame(&key, &place, frame.fields(), &*service.entropy))
    })?;
    row.frame = sealed.ok_or(Error::NotFound("memory"))?;
    put(&route.source, about, row.clone(), frame.duplicate())?;
    Ok(row)
}

fn stored_key(service: &Service, open: &OpenVault, id: MemoryId) -> Result<Arc<OpenKey>> {
    let key = Unlocker::fetching(&open.keyring, &*service.keys, &[id])?.key(id)?;
    key.ok_or_else(|| Error::corrupt(format!("the key of {id} is missing")))
}

fn put(writer: &VaultWriter<'_>, about: AuditEntry, row: Row, frame: Frame) -> Result<Committed> {
    let mut act = Act::new(writer.scope(), writer.service.clock.now(), about);
    act.batch.puts = vec![row.clone()];
    writer.commit(&act, |open| open.put(&row, frame))
}

/// The provenance of a moved memory: its first author and first time stay through every further move.
fn provenance(opened: &OpenedMemory, route: &Route<'_>, by: UserId, at: Timestamp) -> Promotion {
    let history = &opened.frame.facets.history;
    let (original_author, original_created_at) = match (&history.promotion, &route.source.scope().holder) {
        (Some(earlier), _) => (earlier.original_author.clone(), earlier.original_created_at),
        (None, Holder::User(owner)) => (owner.clone(), opened.row.created_at),
        (None, _) => (history.author.clone().unwrap_or_else(|| by.clone()), opened.row.created_at),
    };
    Promotion {
        original_author,
        original_created_at,
        promoted_by: by,
        promoted_at: at,
        previous_scope: route.source.scope().holder.clone(),
        current_scope: route.target.scope().holder.clone(),
        justification: None,
    }
}

/// Checks that a memory goes back only into the vault of its author.
fn check_author(target: &Scope, promotion: &Promotion) -> Result<()> {
    match &target.holder {
        Holder::User(user) if *user != promotion.original_author => {
            Err(Error::invalid("to", "a team's memory is demoted to its author alone"))
        }
        _ => Ok(()),
    }
}

impl OpenedMemory {
    fn full_text(&self) -> &Plaintext {
        self.body.as_ref().or(self.frame.text.as_ref()).unwrap_or(&self.frame.gist)
    }
}

/// The state in which a memory arrives. A promoted one waits where a direct write of the same person would; one that
/// comes back was approved before.
fn state_on_arrival(
    service: &Service,
    target: &Scope,
    promotion: &Promotion,
    may_approve: bool,
) -> Lifecycle {
    let policy = service.policy(&target.org);
    match is_demotion(promotion) {
        true => Lifecycle::Active,
        false if policy.wants_approval(&target.holder) && !may_approve => Lifecycle::Candidate,
        false if policy.grace.is_zero() => Lifecycle::Active,
        false => Lifecycle::Approved,
    }
}

/// The frame as the vault at the end of the way holds it. Links to memories of the other vault stay behind.
fn arrived(
    opened: &OpenedMemory,
    text_hash: [u8; 32],
    target: &Scope,
    promotion: &Promotion,
    state: Lifecycle,
) -> Frame {
    let mut frame = Frame { text_hash, ..opened.frame.duplicate() };
    frame.facets.derived_from.clear();
    frame.facets.history = History {
        author: target.holder.is_shared().then(|| promotion.original_author.clone()),
        promotion: Some(Box::new(promotion.duplicate())),
        attributes: opened.frame.facets.history.attributes.clone(),
        waits: (state == Lifecycle::Candidate).then_some(Wait::Approval),
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

/// Only active memories move. What waits for approval can be sent back to its author, instead of being rejected.
fn check_movable(opened: &OpenedMemory, goes_back: bool) -> Result<()> {
    match opened.row.state {
        Lifecycle::Candidate if goes_back && opened.frame.facets.history.waits == Some(Wait::Approval) => {
            Ok(())
        }
        Lifecycle::Active => Ok(()),
        Lifecycle::Archived => Err(Error::invalid("memory_id", "is archived: only active memories move")),
        Lifecycle::Candidate | Lifecycle::Approved | Lifecycle::Deleted => Err(Error::NotFound("memory")),
    }
}

fn checked_justification(service: &Service, text: Option<&str>) -> Result<Option<Plaintext>> {
    let Some(text) = text else { return Ok(None) };
    let fits = text.chars().count() <= JUSTIFICATION_CHARS_MAX;
    if !fits || text.trim().is_empty() || text.contains('\0') {
        let reason = format!("must be 1 to {JUSTIFICATION_CHARS_MAX} characters without NUL");
        return Err(Error::invalid("justification", reason));
    }
    check_name(service.rules.scanner(), "justification", text)?;
    Ok(Some(Plaintext::from(text)))
}
