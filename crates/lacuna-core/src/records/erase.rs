//! Erasing records: one by its name, or all that meet a condition; keys first, and with a receipt.

use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::AuditAction;
use crate::erase::carry_out::{Forgotten, PART_MAX, Task, erase_with_receipt};
use crate::erase::finish::finish_intents;
use crate::erase::prepare::ErasureRequest;
use crate::erase::probe::ProbeTargets;
use crate::permit::{Forget, Grant};
use crate::read::condition::{Condition, described};
use crate::records::RecordName;
use crate::records::list::{RecordQuery, meeting};
use crate::vault::handle::VaultWriter;
use crate::vault::receipt::Cause;
use crate::vault::service::Service;

/// Records that one call erases.
pub const ERASED_RECORDS_MAX: usize = 100_000;

pub(super) fn erase(service: &Service, grant: &Grant<Forget>, name: &RecordName) -> Result<Forgotten> {
    let reader = service.reader(grant.scope());
    let writer = reader.lock();
    finish_intents(&writer)?;
    let found = writer.update(|open| {
        let found = match name {
            RecordName::Place(place) => open.record_at(place),
            RecordName::Id(id) => open.record_with_id(*id),
        };
        Ok(found.map(|(stored, _)| stored.id))
    })?;
    let id = found.flatten().ok_or(Error::NotFound("record"))?;
    erase_ids(&writer, grant, &[id])
}

pub(super) fn erase_all(
    service: &Service,
    grant: &Grant<Forget>,
    prefix: &[String],
    condition: Option<&Condition>,
) -> Result<(Vec<MemoryId>, Forgotten)> {
    let reader = service.reader(grant.scope());
    let writer = reader.lock();
    finish_intents(&writer)?;
    let now = millis(service.clock.now());
    let found = writer.update(|open| {
        let query = RecordQuery { prefix: prefix.to_vec(), ..RecordQuery::default() };
        let mut ids = Vec::new();
        for id in meeting(service, open, &query, now)? {
            let stored = open.index.get(&id).and_then(|stored| {
                let record = stored.payload.facets.history.record.as_deref()?;
                Some((record.id, condition.is_none_or(|one| one.holds(&described(&stored)))))
            });
            ids.extend(stored.filter(|(_, holds)| *holds).map(|(public, _)| (public, id)));
        }
        Ok(ids)
    })?;
    let found = found.unwrap_or_default();
    if found.len() > ERASED_RECORDS_MAX {
        let reason = format!("meets more than {ERASED_RECORDS_MAX} records: narrow it");
        return Err(Error::invalid("filter", reason));
    }
    let (public, ids): (Vec<MemoryId>, Vec<MemoryId>) = found.into_iter().unzip();
    if ids.is_empty() {
        return Ok((public, Forgotten::default()));
    }
    Ok((public, erase_ids(&writer, grant, &ids)?))
}

/// Nothing is erased unless the caller may erase all of it.
fn erase_ids(writer: &VaultWriter<'_>, grant: &Grant<Forget>, ids: &[MemoryId]) -> Result<Forgotten> {
    writer.update(|open| {
        let covers = |id: &MemoryId| {
            let stored = open.index.get(id);
            stored.is_none_or(|stored| grant.covers(stored.payload.facets.history.author.as_ref()))
        };
        match ids.iter().all(covers) {
            true => Ok(()),
            false => Err(Error::Denied("only its author or an administrator may erase it")),
        }
    })?;
    let actor = grant.caller().user.as_str();
    let mut done = Forgotten::default();
    for ids in ids.chunks(PART_MAX) {
        let task = Task::by_ids(actor, AuditAction::MemoryDelete, Cause::Request, ids.len());
        let wanted = ErasureRequest { holds_back: true, ..ErasureRequest::whole(ids) };
        done.add(erase_with_receipt(writer, &wanted, &task, ProbeTargets::default())?);
    }
    Ok(done)
}
