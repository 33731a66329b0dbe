//! Put: a record passes the gate word for word, takes its place, and the value that stood there is erased.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use lacuna_language::words::TermList;
use lacuna_types::embed::ModelId;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::{AuditAction, AuditEntry, Subject};
use crate::erase::prepare::{ErasureRequest, end_erasure, prepare_erasure};
use crate::gate::{Admitted, DraftOrigin, Gate};
use crate::index::quant::QuantVec;
use crate::permit::{Grant, Remember};
use crate::vault::commit::{Act, retrying};
use crate::vault::handle::VaultWriter;
use crate::vault::open::OpenVault;
use crate::vault::seal::{SealedMemory, SealedRow, ToSeal};
use crate::vault::service::Service;
use crate::write::outcome::Refused;
use crate::write::record::{AdmittedRecord, RecordPut, admit_record, spelled};
use crate::write::record_shape;
use crate::write::remember::gate;

/// Records that one call puts.
pub const RECORD_PUTS_MAX: usize = 1_000;
/// The result of putting records.
pub enum RecordsPut {
    /// Every one is kept; in the order given.
    Kept(Vec<RecordKept>),
    /// The gate refused this one, and nothing was kept.
    Refused {
        /// Its number in the call, from zero.
        number: usize,
        /// The reason.
        refused: Box<Refused>,
    },
}

/// A record that is kept.
#[derive(Clone, PartialEq, Debug)]
pub struct RecordKept {
    /// The id, which stays when the value changes.
    pub id: MemoryId,
    /// The time of the first write.
    pub created_at: Timestamp,
    /// The time of this write.
    pub updated_at: Timestamp,
    /// The time at which it is gone.
    pub expires_at: Option<Timestamp>,
    /// True when nothing stood at its place.
    pub is_new: bool,
}

/// A record that has passed the gate.
struct Arrival {
    admitted: Admitted,
    terms: TermList,
    vector: QuantVec,
    facet: RecordFacet,
    /// The memory that it becomes; anew with each attempt.
    memory: MemoryId,
    replaces: Option<MemoryId>,
    is_new: bool,
}

pub(super) fn put(service: &Service, grant: &Grant<Remember>, puts: Vec<RecordPut>) -> Result<RecordsPut> {
    if puts.is_empty() || puts.len() > RECORD_PUTS_MAX {
        return Err(Error::invalid("records", format!("one call takes 1 to {RECORD_PUTS_MAX} records")));
    }
    puts.iter().try_for_each(record_shape::check)?;
    let mut places = HashSet::new();
    if !puts.iter().all(|put| places.insert(spelled(&put.place))) {
        return Err(Error::invalid("records", "two of them have the same place"));
    }
    let now = service.clock.now();
    let gate = gate(service, grant, now)?;
    let mut arrivals = Vec::with_capacity(puts.len());
    for (number, put) in puts.into_iter().enumerate() {
        service.pause();
        match admit(service, grant, &gate, put)? {
            Ok(arrival) => arrivals.push(arrival),
            Err(refused) => return Ok(RecordsPut::Refused { number, refused: Box::new(refused) }),
        }
    }
    let (scope, reader) = (grant.scope(), service.reader(grant.scope()));
    let writer = reader.lock();
    writer.ensure()?;
    let stored = retrying(|| place_once(&writer, grant, &mut arrivals, now));
    writer.unpin();
    // After the attempts: a write that is stored is not tried again.
    let kept = stored.and_then(|(kept, gone)| end_erasure(&writer, &gone).map(|()| kept));
    service.backlog.push(scope);
    service.vaults.make_room(scope.vault_id());
    kept.map(RecordsPut::Kept)
}

/// Takes one record through the gate.
fn admit(
    service: &Service,
    grant: &Grant<Remember>,
    gate: &Gate<'_>,
    put: RecordPut,
) -> Result<Result<Arrival, Refused>> {
    let own = standing(grant, false);
    if put.consent_basis == Some(ConsentBasis::ExplicitConsent) && own.by_agent {
        return Err(Error::Denied("only a person may give consent"));
    }
    let admitted =
        admit_record(service, gate, put, |possible_confirmed| standing(grant, possible_confirmed))?;
    Ok(admitted.map(|AdmittedRecord { admitted, terms, vector, facet }| Arrival {
        admitted,
        terms,
        vector,
        memory: facet.id,
        facet,
        replaces: None,
        is_new: true,
    }))
}

fn standing(grant: &Grant<Remember>, possible_confirmed: bool) -> DraftOrigin {
    let caller = grant.caller();
    let is_person = caller.roles.contains(&Role::User) || caller.roles.contains(&Role::Admin);
    DraftOrigin {
        trust_max: if is_person { Trust::High } else { Trust::Medium },
        by_agent: !is_person,
        derived: false,
        may_approve: grant.scope().holder.is_shared() && caller.roles.contains(&Role::Admin),
        consented: false,
        possible_confirmed,
        was_stored: false,
        sensitivity: Vec::new(),
        external: false,
        split: Vec::new(),
    }
}

/// A conflict when another process wrote to the vault meanwhile: then it is planned anew.
fn place_once(
    writer: &VaultWriter<'_>,
    grant: &Grant<Remember>,
    arrivals: &mut Vec<Arrival>,
    now: Timestamp,
) -> Result<(Vec<RecordKept>, Vec<MemoryId>)> {
    writer.pin()?;
    let placed = writer.update(|open| {
        if open.header.frozen_at.is_some() {
            return Err(Error::frozen());
        }
        arrivals.iter_mut().try_for_each(|arrival| arrival.take_place(writer.service, grant, open, now))
    })?;
    placed.ok_or(Error::Conflict("the vault"))?;
    let model = writer.service.models.instant.model();
    let to_seal: Vec<_> = arrivals.iter().map(|arrival| arrival.to_seal(model)).collect();
    let sealed = writer.seal_rows_keys_first(&to_seal, now)?;
    let kept = arrivals.iter().zip(&sealed).map(|(arrival, sealed)| arrival.kept(sealed, now)).collect();
    let gone = commit(writer, grant, arrivals, sealed, now)?;
    Ok((kept, gone))
}

/// One commit brings the new values and announces the erasure of the old ones.
fn commit(
    writer: &VaultWriter<'_>,
    grant: &Grant<Remember>,
    arrivals: &mut Vec<Arrival>,
    sealed: Vec<SealedRow>,
    now: Timestamp,
) -> Result<Vec<MemoryId>> {
    let user = grant.caller().user.as_str();
    let replaced: Vec<MemoryId> = arrivals.iter().filter_map(|arrival| arrival.replaces).collect();
    let erasure = prepare_erasure(writer, &ErasureRequest::whole(&replaced))?;
    let mut act = Act::silent(grant.scope(), now);
    // Where two processes put a value at the same place, the second sees the first one's.
    act.as_planned = true;
    act.record(AuditAction::MemorySupersede, user, &replaced);
    let subjects = sealed.iter().map(|sealed| Subject::from(sealed.row.id)).collect();
    let bytes = sealed.iter().map(|sealed| sealed.row.frame.len() as u64).sum();
    act.entries.push(AuditEntry { bytes, ..AuditEntry::new(AuditAction::MemoryWrite, user, subjects) });
    act.batch.puts = sealed.iter().map(|sealed| sealed.row.clone()).collect();
    erasure.join(&mut act);
    let gone = erasure.gone.clone();
    writer.commit(&act, |open| {
        for (arrival, sealed) in arrivals.drain(..).zip(sealed) {
            let SealedMemory { row, frame } = sealed.with(arrival.admitted);
            open.put(&row, frame);
        }
        erasure.apply(open);
    })?;
    Ok(gone)
}

impl Arrival {
    /// Takes the place of the record that stands there.
    fn take_place(
        &mut self,
        service: &Service,
        grant: &Grant<Remember>,
        open: &OpenVault,
        now: Timestamp,
    ) -> Result<()> {
        self.memory = MemoryId::make(&*service.clock, &*service.entropy);
        let older = open.record_at(&self.facet.place);
        if let Some((stored, _)) = &older
            && !grant.covers(stored.payload.facets.history.author.as_ref())
        {
            return Err(Error::Denied("only its author or an administrator may change it"));
        }
        self.replaces = older.as_ref().map(|(stored, _)| stored.id);
        // One whose time is over makes room as if it had been swept.
        let older =
            older.filter(|(stored, _)| stored.attributes.expires_at.is_none_or(|at| millis(now) < at));
        self.is_new = older.is_none();
        let created_at = older.as_ref().and_then(|(stored, _)| from_millis(stored.attributes.created_at));
        self.admitted.created_at = created_at.unwrap_or(now);
        self.facet.id = older.as_ref().map_or(self.memory, |(_, record)| record.id);
        self.facet.written_at = written_at(older.map(|(_, record)| &record.written_at[..]), now);
        let history = &mut self.admitted.facets.history;
        history.author = grant.scope().holder.is_shared().then(|| grant.caller().user.clone());
        history.record = Some(Box::new(self.facet.duplicate()));
        self.admitted.facets.retention.expires_at = self.facet.ttl_ms.and_then(|ttl| expiry(now, ttl));
        Ok(())
    }

    fn to_seal<'a>(&'a self, model: &'a ModelId) -> ToSeal<'a> {
        ToSeal {
            id: self.memory,
            admitted: &self.admitted,
            terms: &self.terms,
            vector: (model, &self.vector),
        }
    }

    fn kept(&self, sealed: &SealedRow, now: Timestamp) -> RecordKept {
        RecordKept {
            id: self.facet.id,
            created_at: self.admitted.created_at,
            updated_at: now,
            expires_at: sealed.row.expires_at,
            is_new: self.is_new,
        }
    }
}

/// The end of a time to live that begins now.
pub(super) fn expiry(now: Timestamp, ttl_ms: u64) -> Option<Timestamp> {
    let span = SignedDuration::from_millis(i64::try_from(ttl_ms).ok()?);
    now.checked_add(span).ok()
}

/// The times of all writes; of many, the first one and the newest stay.
fn written_at(before: Option<&[Timestamp]>, now: Timestamp) -> Vec<Timestamp> {
    let mut times = before.unwrap_or_default().to_vec();
    if times.len() >= RECORD_CHANGES_MAX {
        times.drain(1..2 + times.len() - RECORD_CHANGES_MAX);
    }
    times.push(now);
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_write_and_the_newest_stay() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let mut times = written_at(None, at(0));
        for second in 1..200 {
            times = written_at(Some(&times), at(second));
        }
        assert_eq!(times.len(), RECORD_CHANGES_MAX);
        assert_eq!((times[0], times[1], times[RECORD_CHANGES_MAX - 1]), (at(0), at(137), at(199)));
    }
}
