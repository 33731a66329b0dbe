//! Ending a session: its turns are archived as sealed transcripts, which fall with their turns and are made
//! anew without those that were forgotten.
//!
//! A session has ended when every turn of it is in a transcript. So a process that dies on the way leaves a
//! session that is not ended yet, and whoever ends it next goes on from there.

use jiff::{SignedDuration, Timestamp};
use lacuna_types::Result;
use lacuna_types::*;

use crate::audit::{AuditAction, AuditEntry, Subject};
use crate::erase::remake::Texts;
use crate::erase::transcript::{
    SEGMENT_TURNS_MAX, TurnLine, facets_of, fitting, is_archived, lines, transcript,
};
use crate::index::{Session, Stored};
use crate::keep::retention::sweep::sweep_session;
use crate::keep::session::SessionInfo;
use crate::keep::session::append::seal_growing;
use crate::keep::session::show::{bare_session, is_shown, named_sessions, session_info};
use crate::permit::{Acting, Grant, Remember};
use crate::vault::commit::Act;
use crate::vault::frozen::check_thawed;
use crate::vault::handle::VaultWriter;
use crate::vault::open::{Held, OpenVault};
use crate::vault::seal::SealedMemory;
use crate::vault::service::Service;
use crate::vault::working::resting_since;
use crate::write::number::turn;

const HOURS_PER_DAY: i64 = 24;

/// The result of ending a session.
#[derive(Clone, PartialEq, Debug)]
pub struct Ended {
    /// The session after its end.
    pub info: SessionInfo,
    /// The transcripts that were made now.
    pub archived: Vec<MemoryId>,
}

/// Ends a session: what was being said is sealed, what was for the session only is gone, and its turns are
/// archived. Ending it again is harmless; turns that come later are archived by a later end.
pub(crate) fn end_session(service: &Service, grant: &Grant<Remember>, id: &SessionId) -> Result<Ended> {
    let scope = grant.scope();
    let known = service.serve(scope, |open| session_info(service, open, id))?.flatten();
    let known = known.map_or_else(|| bare_session(service, scope, id), Ok)?;
    check_thawed(service, scope)?;
    seal_growing(service, scope, id)?;
    sweep_session(service, scope, id)?;
    let archived = archive_session(service, scope, id, grant.caller().acting())?;
    service.open_sessions.close(scope.vault_id(), id);
    let info = service.serve(scope, |open| session_info(service, open, id))?.flatten();
    let info = info.unwrap_or(SessionInfo { state: super::SessionState::Ended, ..known });
    Ok(Ended { info, archived })
}

/// Ends the sessions of a vault that nobody went on with for as long as the policy says. Answers with how
/// many. A frozen vault takes no transcripts: its sessions wait.
pub(crate) fn end_idle_sessions(service: &Service, scope: &Scope) -> Result<usize> {
    if check_thawed(service, scope).is_err() {
        return Ok(0);
    }
    let limit = resting_since(service, &scope.org);
    let vault = scope.vault_id();
    for (id, _, used_at) in service.open_sessions.sessions(vault) {
        if used_at < limit {
            seal_growing(service, scope, &id)?;
            service.open_sessions.close(vault, &id);
        }
    }
    let idle = service.read(scope, |open| {
        let mut idle = named_sessions(open);
        idle.retain(|place| place.last_at < limit && !waiting(open, &place.id).is_empty());
        idle
    })?;
    let mut ended = 0;
    for place in idle.unwrap_or_default() {
        if service.open_sessions.peek(vault, &place.id, |_| ()).is_none() {
            sweep_session(service, scope, &place.id)?;
            archive_session(service, scope, &place.id, "system".into())?;
            ended += 1;
        }
    }
    Ok(ended)
}

/// Archives the turns of a session that are in no transcript yet, one commit for each transcript.
fn archive_session(
    service: &Service,
    scope: &Scope,
    session: &SessionId,
    actor: Acting<'_>,
) -> Result<Vec<MemoryId>> {
    let reader = service.reader(scope);
    let writer = reader.lock();
    let parts = writer.update(|open| Ok(parts(open, session)))?;
    let mut archived = Vec::new();
    for part in parts.unwrap_or_default() {
        let mut rest = part.as_slice();
        while !rest.is_empty() {
            let (taken, transcript) = archive_some(&writer, session, rest, actor)?;
            rest = &rest[taken..];
            archived.extend(transcript);
        }
    }
    service.backlog.push(scope);
    Ok(archived)
}

/// Archives as many of `turns` as one transcript takes. Answers with how many it has dealt with.
fn archive_some(
    writer: &VaultWriter<'_>,
    session: &SessionId,
    turns: &[MemoryId],
    actor: Acting<'_>,
) -> Result<(usize, Option<MemoryId>)> {
    let now = writer.service.clock.now();
    let lines = writer.update(|open| Ok(lines(writer.service, open, turns, &Texts::new())))?;
    let mut lines = lines.unwrap_or_default();
    let fitting = fitting(&lines);
    let taken = match lines.get(fitting) {
        Some(next) => turns.iter().position(|id| *id == next.id).unwrap_or(turns.len()),
        None => turns.len(),
    };
    lines.truncate(fitting);
    if lines.is_empty() {
        return Ok((taken.max(1), None));
    }
    let expires_at = transcript_expiry(writer.service, writer.scope(), &lines, now);
    let facets = facets_of(session, &lines, expires_at);
    let prepared = transcript(writer.service, lines, facets, now)?;
    let id = prepared.id;
    let sealed = writer.seal_keys_first(vec![prepared], now)?;
    let bytes = sealed.iter().map(|sealed| sealed.row.frame.len() as u64).sum();
    let entry = AuditEntry::new(AuditAction::SessionEnd, actor, vec![Subject::from(id)]);
    let mut act = Act::new(writer.scope(), now, AuditEntry { bytes, ..entry });
    act.batch.puts = sealed.iter().map(|sealed| sealed.row.clone()).collect();
    writer.commit(&act, |open| {
        for SealedMemory { row, frame } in sealed {
            open.put(&row, frame);
        }
    })?;
    Ok((taken, Some(id)))
}

/// Until when a transcript is kept: as the policy says, and what is held shortly no longer than its turns.
fn transcript_expiry(
    service: &Service,
    scope: &Scope,
    lines: &[TurnLine],
    now: Timestamp,
) -> Option<Timestamp> {
    let days = service.policy(&scope.org).transcript_days;
    let expiry = now.checked_add(SignedDuration::from_hours(days * HOURS_PER_DAY)).ok();
    let held_shortly =
        |tier: RetentionTier| matches!(tier, RetentionTier::Sensitive | RetentionTier::Ephemeral);
    let retained = lines.iter().map(|line| &line.facets.retention);
    let soonest = retained.filter(|kept| held_shortly(kept.tier)).filter_map(|kept| kept.expires_at);
    expiry.into_iter().chain(soonest).min()
}

/// The turns of a session that are in no transcript yet, in their order.
fn waiting(open: &OpenVault, session: &SessionId) -> Vec<MemoryId> {
    let turns = open.index.turns(Session::key(session), 0);
    let turns = turns.filter_map(|(_, id)| turn(open, session, &id));
    let waits =
        |stored: &Stored<'_, Held>| is_shown(stored.attributes.state) && !is_archived(open, stored.id);
    turns.filter(waits).map(|stored| stored.id).collect()
}

/// The turns that wait, in parts of which each becomes a transcript. What has a key class of its own, such as
/// health, is in no transcript with anything else.
fn parts(open: &OpenVault, session: &SessionId) -> Vec<Vec<MemoryId>> {
    let mut by_class: Vec<(KeyClass, Vec<MemoryId>)> = Vec::new();
    for id in waiting(open, session) {
        let Some(stored) = open.index.get(&id) else { continue };
        let class = KeyClass::of(&stored.payload.facets.privacy.sensitivity);
        match by_class.iter_mut().find(|(known, _)| *known == class) {
            Some((_, ids)) => ids.push(id),
            None => by_class.push((class, vec![id])),
        }
    }
    by_class.iter().flat_map(|(_, ids)| ids.chunks(SEGMENT_TURNS_MAX)).map(<[_]>::to_vec).collect()
}
