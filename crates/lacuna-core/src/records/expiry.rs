//! The time to live of records, changed without touching what they say.

use jiff::Timestamp;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::audit::AuditAction;
use crate::permit::{Grant, Remember};
use crate::records::list::is_living;
use crate::records::put::{RECORD_PUTS_MAX, expiry};
use crate::vault::commit::{Act, retrying};
use crate::vault::frame::Frame;
use crate::vault::frozen::check_thawed;
use crate::vault::handle::VaultWriter;
use crate::vault::service::Service;
use crate::vault::stamp::{settings_of, term_of_frame};
use crate::write::record_shape;

pub(super) fn refresh(service: &Service, grant: &Grant<Remember>, places: &[RecordPlace]) -> Result<()> {
    if places.len() > RECORD_PUTS_MAX {
        return Err(Error::invalid("records", format!("one call takes at most {RECORD_PUTS_MAX} records")));
    }
    let now = service.clock.now();
    let lasting = service.serve(grant.scope(), |open| {
        let found = places.iter().filter_map(|place| open.record_at(place));
        let living =
            found.filter(|(stored, record)| is_living(stored, millis(now)) && record.ttl_ms.is_some());
        living.map(|(stored, _)| stored.id).collect::<Vec<_>>()
    })?;
    let lasting = lasting.unwrap_or_default();
    if lasting.is_empty() {
        return Ok(());
    }
    let reader = service.reader(grant.scope());
    let writer = reader.lock();
    change(&writer, grant, &lasting, now, |frame| {
        let ttl = frame.facets.history.record.as_ref().and_then(|record| record.ttl_ms);
        frame.facets.retention.expires_at = ttl.and_then(|ttl| expiry(now, ttl));
    })
}

pub(super) fn set_ttl(
    service: &Service,
    grant: &Grant<Remember>,
    place: &RecordPlace,
    ttl_ms: Option<u64>,
) -> Result<()> {
    record_shape::check_ttl(ttl_ms)?;
    let now = service.clock.now();
    let reader = service.reader(grant.scope());
    let writer = reader.lock();
    let found = writer.update(|open| {
        let found = open.record_at(place).filter(|(stored, _)| is_living(stored, millis(now)));
        let (stored, _) = found.ok_or(Error::NotFound("record"))?;
        match grant.covers(stored.payload.facets.history.author.as_ref()) {
            true => Ok(stored.id),
            false => Err(Error::Denied("only its author or an administrator may say how long")),
        }
    })?;
    let id = found.ok_or(Error::NotFound("record"))?;
    change(&writer, grant, &[id], now, |frame| {
        if let Some(record) = &mut frame.facets.history.record {
            record.ttl_ms = ttl_ms;
        }
        frame.facets.retention.expires_at = ttl_ms.and_then(|ttl| expiry(now, ttl));
    })
}

/// Changes frames and the ends of their time, all in one commit.
fn change(
    writer: &VaultWriter<'_>,
    grant: &Grant<Remember>,
    ids: &[MemoryId],
    now: Timestamp,
    change: impl Fn(&mut Frame),
) -> Result<()> {
    let (service, scope) = (writer.service, grant.scope());
    check_thawed(service, scope)?;
    let settings = settings_of(writer)?;
    let terms = settings.terms(&service.policy(&scope.org).retention, &scope.holder);
    retrying(|| {
        let mut act = Act::silent(scope, now);
        act.record(AuditAction::RetentionStamp, grant.caller().user.as_str(), ids);
        let changed = writer.rewrite(ids, |row, frame| {
            change(frame);
            row.expires_at = term_of_frame(&terms, row, frame.fields()).expires_at;
            true
        })?;
        act.batch.puts = changed.iter().map(|changed| changed.row.clone()).collect();
        writer.commit(&act, |open| changed.into_iter().for_each(|one| open.put(&one.row, one.frame)))?;
        Ok(())
    })
}
