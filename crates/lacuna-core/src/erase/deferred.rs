//! Erasures that a legal hold defers: the request is recorded, its memories are hidden at once, and they are erased,
//! with a receipt that says so, when the hold has ended.

use jiff::Timestamp;
use lacuna_store::cbor::{CborReader, CborWriter};
use lacuna_store::rows::{RECORDS_PAGE_MAX, Record, RecordChange, RecordKind};
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::{AuditAction, AuditEntry};
use crate::erase::carry_out::{Forgotten, PART_MAX, Task, erase_with_receipt};
use crate::erase::finish::finish_intents;
use crate::erase::prepare::{ErasureRequest, hide_instead, prepare_erasure};
use crate::erase::probe::ProbeTargets;
use crate::permit::Acting;
use crate::vault::commit::{Act, retrying};
use crate::vault::handle::VaultWriter;
use crate::vault::holds::{Holds, held, held_among, holds_on};
use crate::vault::receipt::Cause;
use crate::vault::secrets::PassedOver;
use crate::vault::service::Service;

const FIELDS: u64 = 2;

/// Memories whose erasure waits for the end of a hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deferred {
    /// The number of the recorded request.
    pub number: u64,
    /// The memories. They are hidden, and found by nobody.
    pub memories: Vec<MemoryId>,
    /// The holds that keep them, as people quote them.
    pub holds: Vec<String>,
    /// The moment at which the last of the holds ends by itself.
    pub until: Timestamp,
}

impl Deferred {
    pub(crate) fn add(&mut self, more: Self) {
        self.memories.extend(more.memories);
        self.until = self.until.max(more.until);
    }
}

/// Takes what a hold keeps out of a request: it is hidden and recorded, and `done` says so. Returns the rest of the
/// request, or `None` when nothing of it is held.
pub(crate) fn without_held(
    writer: &VaultWriter<'_>,
    wanted: &ErasureRequest,
    task: &Task<'_>,
    done: &mut Forgotten,
) -> Result<Option<ErasureRequest>> {
    let holds = holds_on(writer.service, writer.scope())?;
    let named: Vec<MemoryId> = wanted.named().collect();
    let kept = held_among(writer, &holds, &named)?;
    if kept.is_empty() {
        return Ok(None);
    }
    // A part of a text cannot be taken out later, when the text may have changed.
    if kept.iter().any(|id| !wanted.ids.contains(id)) || !wanted.anonymous.is_empty() {
        return Err(held());
    }
    let is_asked_for = !matches!(task.cause, Cause::Retention | Cause::Purge);
    if is_asked_for {
        done.deferred = Some(defer(writer, task.actor, &kept, &holds)?);
    }
    let ids = wanted.ids.iter().copied().filter(|id| !kept.contains(id)).collect();
    let ErasureRequest { released_as, holds_back, falls, restorable, .. } = *wanted;
    let cuts = wanted.cuts.clone();
    Ok(Some(ErasureRequest { ids, cuts, anonymous: Vec::new(), released_as, holds_back, falls, restorable }))
}

/// Hides memories and records the request, in one commit.
fn defer(writer: &VaultWriter<'_>, actor: Acting<'_>, ids: &[MemoryId], holds: &Holds) -> Result<Deferred> {
    let scope = writer.scope();
    let until = holds.until().ok_or_else(held)?;
    retrying(|| {
        let now = writer.service.clock.now();
        let number = writer.service.store.last_record(&scope.org, RecordKind::Deferral)? + 1;
        let wanted = ErasureRequest { restorable: true, ..ErasureRequest::whole(ids) };
        let erasure = prepare_erasure(writer, &wanted)?;
        let mut act = Act::silent(scope, now);
        let entry =
            AuditEntry::new(AuditAction::ErasureDefer, actor, ids.iter().map(|id| (*id).into()).collect());
        act.entries.push(AuditEntry { notes: holds.references(), ..entry });
        act.batch.records.push(RecordChange::Add(Record {
            org: scope.org.clone(),
            kind: RecordKind::Deferral,
            number,
            vault: Some(scope.vault_id()),
            at: now,
            due_at: Some(until),
            done_at: None,
            // The person is recorded; the service that asked for them stands in the audit entry.
            doc: encode(actor.user, ids),
        }));
        hide_instead(writer, erasure, Lifecycle::Deleted, act)?;
        Ok(Deferred { number, memories: ids.to_vec(), holds: holds.references(), until })
    })
}

/// Makes the deferred requests that one hold kept due now, because it was ended early.
pub(crate) fn make_due(service: &Service, org: &Scope) -> Result<()> {
    let now = service.clock.now();
    for record in open_deferrals(service, &org.org)? {
        let Some(scope) = scope_of(service, &record)? else { continue };
        let due_at = holds_on(service, &scope)?.until().unwrap_or(now);
        note(service, &scope, Record { due_at: Some(due_at), ..record }, None)?;
    }
    Ok(())
}

/// Erases what was deferred, where no hold stands any more. Answers with how many memories went.
pub(crate) fn carry_out_deferred(service: &Service, passed: &PassedOver) -> Result<u64> {
    let due = service.store.due_records(RecordKind::Deferral, service.clock.now(), RECORDS_PAGE_MAX)?;
    due.into_iter().map(|record| passed.unless_locked(carry_out(service, record))).sum()
}

fn carry_out(service: &Service, record: Record) -> Result<u64> {
    let now = service.clock.now();
    let Some(scope) = scope_of(service, &record)? else { return Ok(0) };
    let (actor, ids) = decode(&record)?;
    let erased = {
        let reader = service.reader(&scope);
        let writer = reader.lock();
        finish_intents(&writer)?;
        let holds = holds_on(service, &scope)?;
        if !held_among(&writer, &holds, &ids)?.is_empty() {
            drop(writer);
            return note(service, &scope, Record { due_at: holds.until(), ..record }, None).map(|()| 0);
        }
        erase_hidden(&writer, &actor, &ids)?
    };
    let count = erased.len() as u64;
    note(service, &scope, Record { done_at: Some(now), ..record }, Some(erased))?;
    Ok(count)
}

/// Erases those that are still there, and still hidden: a restored memory stays.
fn erase_hidden(writer: &VaultWriter<'_>, actor: &str, ids: &[MemoryId]) -> Result<Vec<MemoryId>> {
    let hidden = writer.update(|open| {
        let is_hidden = |id: &&MemoryId| {
            open.index.get(id).is_some_and(|stored| stored.attributes.state == Lifecycle::Deleted)
        };
        Ok(ids.iter().filter(is_hidden).copied().collect::<Vec<_>>())
    })?;
    let hidden = hidden.unwrap_or_default();
    for part in hidden.chunks(PART_MAX) {
        let task = Task::by_ids(actor, AuditAction::MemoryForget, Cause::Deferred, part.len());
        let wanted = ErasureRequest { holds_back: true, ..ErasureRequest::whole(part) };
        erase_with_receipt(writer, &wanted, &task, ProbeTargets::default())?;
    }
    Ok(hidden)
}

/// Writes a record as it now stands, with an entry when it was carried out.
fn note(service: &Service, scope: &Scope, record: Record, erased: Option<Vec<MemoryId>>) -> Result<()> {
    let reader = service.reader(scope);
    let writer = reader.lock();
    let mut act = Act::silent(scope, service.clock.now());
    if let Some(erased) = erased {
        let subjects = erased.into_iter().map(Into::into).collect();
        act.entries.push(AuditEntry::new(AuditAction::ErasureResume, "system", subjects));
    }
    act.batch.records = vec![RecordChange::Update(record)];
    writer.commit(&act, |_| ()).map(drop)
}

fn open_deferrals(service: &Service, org: &OrgId) -> Result<Vec<Record>> {
    let (mut found, mut after) = (Vec::new(), 0);
    loop {
        let page = service.store.records(org, RecordKind::Deferral, after, RECORDS_PAGE_MAX)?;
        let Some(last) = page.last() else { return Ok(found) };
        after = last.number;
        found.extend(page.into_iter().filter(|record| record.done_at.is_none()));
    }
}

/// The vault of a deferral; `None` when it was destroyed.
fn scope_of(service: &Service, record: &Record) -> Result<Option<Scope>> {
    let vault = record.vault.ok_or_else(damaged)?;
    Ok(service.store.vault(vault)?.map(|header| header.scope))
}

fn encode(actor: &str, ids: &[MemoryId]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut w = CborWriter(&mut bytes);
    w.array(FIELDS as usize);
    w.text(actor);
    w.list(ids, |w, id| w.bytes(id.as_bytes()));
    bytes
}

fn decode(record: &Record) -> Result<(String, Vec<MemoryId>)> {
    let read = |r: &mut CborReader<'_>| {
        let actor = r.text()?.to_owned();
        Some((actor, r.list(|r| r.array_of_bytes().map(MemoryId::from_bytes))?))
    };
    CborReader(&record.doc).record(FIELDS, read).ok_or_else(damaged)
}

fn damaged() -> Error {
    Error::corrupt("the record of a deferred erasure does not parse")
}
