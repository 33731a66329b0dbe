//! Ending a session: its turns are archived as sealed transcripts, which fall with their turns and are made
//! anew without those that were forgotten.
//!
//! A session has ended when every turn of it is in a transcript. So a process that dies on the way leaves a
//! session that is not ended yet, and whoever ends it next goes on from there.

use std::collections::HashMap;
use std::fmt::Write as _;

use jiff::{SignedDuration, Timestamp};
use zeroize::Zeroizing;

use super::number::turn;
use super::show::{is_shown, named_sessions};
use super::{SessionInfo, Speaker};
use crate::admit::{Admitted, Report};
use crate::audit::{AuditAction, AuditEntry, Subject};
use crate::forget::remake::Texts;
use crate::freeze::check_thawed;
use crate::index::{QuantVec, Session, Stored, TermList};
use crate::permit::{Grant, Remember};
use crate::retention::sweep::sweep_session;
use crate::service::{Act, Service, VaultWriter};
use crate::service::{Prepared, Sealed};
use crate::session::append::seal_growing;
use crate::session::show::{bare_session, session_info};
use crate::session::working::resting_since;
use crate::vault::{Held, OpenVault};
use lacuna_types::embed::Purpose;
use lacuna_types::*;
use lacuna_types::{Error, Result};

/// Turns in one transcript: what it was made of is listed in it.
const SEGMENT_TURNS_MAX: usize = LINEAGE_MAX;
const HOURS_PER_DAY: i64 = 24;

/// What ending a session came to.
#[derive(Clone, PartialEq, Debug)]
pub struct Ended {
    pub info: SessionInfo,
    /// The transcripts that were made now.
    pub archived: Vec<MemoryId>,
}

/// A turn as its transcript shows it.
struct Line {
    id: MemoryId,
    turn: u32,
    speaker: Speaker,
    at: Timestamp,
    text: Zeroizing<String>,
    facets: Facets,
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
    let archived = archive_session(service, scope, id, grant.caller().user.as_str())?;
    service.desk.close(scope.vault_id(), id);
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
    for (id, _, used_at) in service.desk.sessions(vault) {
        if used_at < limit {
            seal_growing(service, scope, &id)?;
            service.desk.close(vault, &id);
        }
    }
    let idle = service.read(scope, |open| {
        let mut idle = named_sessions(open);
        idle.retain(|place| place.last_at < limit && !waiting(open, &place.id).is_empty());
        idle
    })?;
    let mut ended = 0;
    for place in idle.unwrap_or_default() {
        if service.desk.peek(vault, &place.id, |_| ()).is_none() {
            sweep_session(service, scope, &place.id)?;
            archive_session(service, scope, &place.id, "system")?;
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
    actor: &str,
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
    actor: &str,
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
        for Sealed { row, frame, .. } in sealed {
            open.put(&row, frame);
        }
    })?;
    Ok((taken, Some(id)))
}

/// Until when a transcript is kept: as the policy says, and what is held shortly no longer than its turns.
fn transcript_expiry(service: &Service, scope: &Scope, lines: &[Line], now: Timestamp) -> Option<Timestamp> {
    let days = service.policy(&scope.org).transcript_days;
    let expiry = now.checked_add(SignedDuration::from_hours(days * HOURS_PER_DAY)).ok();
    let held_shortly =
        |tier: RetentionTier| matches!(tier, RetentionTier::Sensitive | RetentionTier::Ephemeral);
    let retained = lines.iter().map(|line| &line.facets.retention);
    let soonest = retained.filter(|kept| held_shortly(kept.tier)).filter_map(|kept| kept.expires_at);
    expiry.into_iter().chain(soonest).min()
}

/// A transcript without the turns that went. `texts` and `renamed` tell of those of which a part was cut.
pub(crate) fn remade_transcript(
    service: &Service,
    open: &OpenVault,
    stored: &Stored<'_, Held>,
    left: &[Lineage],
    texts: &Texts,
    renamed: &HashMap<MemoryId, MemoryId>,
    now: Timestamp,
) -> Result<Prepared> {
    let ids: Vec<MemoryId> = left.iter().map(|link| link.source).collect();
    let mut lines = lines(service, open, &ids, texts);
    let old = &stored.payload.facets;
    let session = old.source.session.as_ref().ok_or(Error::NotFound("session"))?;
    let mut facets = facets_of(session, &lines, old.retention.expires_at);
    for line in &mut lines {
        line.id = renamed.get(&line.id).copied().unwrap_or(line.id);
    }
    facets.history.author.clone_from(&old.history.author);
    facets.history.supersedes = vec![stored.id];
    facets.history.remade_at = Some(now);
    let mut prepared = transcript(service, lines, facets, now)?;
    prepared.admitted.created_at = from_millis(stored.attributes.created_at).unwrap_or(now);
    prepared.admitted.state = stored.attributes.state;
    Ok(prepared)
}

/// The turns with their texts, in their order. One that cannot be opened is left out: it is no reason to
/// keep the others from being archived, or from being forgotten.
fn lines(service: &Service, open: &OpenVault, ids: &[MemoryId], texts: &Texts) -> Vec<Line> {
    let whole = |id: &MemoryId| open.whole(&[*id], service.sources()).ok()?.pop()?;
    let line = |id: &MemoryId| {
        let memory = whole(id)?;
        let text = match texts.get(id) {
            Some(text) => text.clone(),
            None => Zeroizing::new(memory.content.full_text().to_owned()),
        };
        let Memory { facets, created_at: at, .. } = memory;
        let speaker = Speaker::of(facets.source.kind);
        Some(Line { id: *id, turn: facets.source.turn?, speaker, at, text, facets })
    };
    let mut lines: Vec<Line> = ids.iter().filter_map(line).collect();
    lines.sort_by_key(|line| (line.turn, line.id));
    lines
}

/// A transcript that is ready to be sealed. It is found by its gist alone, which says nothing of what was
/// said: whoever looks for that finds the turns.
fn transcript(service: &Service, lines: Vec<Line>, mut facets: Facets, now: Timestamp) -> Result<Prepared> {
    let primary = |line: &Line| Lineage { source: line.id, contribution: Contribution::Primary };
    facets.derived_from = lines.iter().map(primary).collect();
    let gist = gist(&lines);
    let vector = service.models.instant.embed(&[&gist], Purpose::Passage)?.pop();
    let vector = QuantVec::from_f32(&vector.ok_or_else(|| Error::corrupt("the model gave no vector"))?)?;
    let terms = TermList::of(&gist, None);
    let content = Content { gist, details: Vec::new(), text: Some(rendered(&lines)) };
    let state = Lifecycle::Archived;
    let admitted = Admitted { content, facets, created_at: now, state, report: Report::default() };
    let id = MemoryId::make(&*service.clock, &*service.entropy);
    Ok(Prepared { id, admitted, terms, vector: (service.models.instant.model().clone(), vector) })
}

/// Whether a turn is in a transcript.
pub(super) fn is_archived(open: &OpenVault, id: MemoryId) -> bool {
    open.derivatives(id).any(|made| open.index.get(&made).is_some_and(|stored| is_transcript(&stored)))
}

/// The transcripts of a session, the oldest first.
pub(super) fn transcripts(open: &OpenVault, session: &SessionId) -> Vec<MemoryId> {
    let turns = open.index.turns(Session::key(session), 0);
    let mut made: Vec<MemoryId> = turns
        .flat_map(|(_, id)| open.derivatives(id))
        .filter(|id| open.index.get(id).is_some_and(|stored| is_transcript(&stored)))
        .collect();
    made.sort_unstable();
    made.dedup();
    made
}

fn is_transcript(stored: &Stored<'_, Held>) -> bool {
    stored.payload.facets.history.segment.is_some() && stored.attributes.state != Lifecycle::Deleted
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

/// How many of the lines one transcript takes: at least one, and no more than its text may hold.
fn fitting(lines: &[Line]) -> usize {
    let mut chars = 0;
    let fits = |line: &&Line| {
        chars += line.text.chars().count() + line.header().len() + 2;
        chars <= TRANSCRIPT_CHARS_MAX
    };
    lines.iter().take_while(fits).count().max(usize::from(!lines.is_empty()))
}

fn gist(lines: &[Line]) -> String {
    match (lines.first(), lines.last()) {
        (Some(first), Some(last)) if first.turn != last.turn => {
            format!("Transcript of a session, turns {} to {}", first.turn, last.turn)
        }
        (Some(only), _) => format!("Transcript of a session, turn {}", only.turn),
        _ => "Transcript of a session".to_owned(),
    }
}

impl Line {
    fn header(&self) -> String {
        format!("#{} {} {}", self.turn, self.speaker, self.at)
    }
}

/// The turns one after the other, each under a line that says which it is.
fn rendered(lines: &[Line]) -> String {
    let size = lines.iter().map(|line| line.text.len() + line.header().len() + 3).sum();
    // Reserved at once: a text that grows leaves copies of what it held.
    let mut text = String::with_capacity(size);
    for line in lines {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "{}\n{}", line.header(), line.text.as_str());
    }
    text
}

/// What holds for all the turns together: the least trust, the tightest privacy, every category.
fn facets_of(session: &SessionId, lines: &[Line], expires_at: Option<Timestamp>) -> Facets {
    let of = || lines.iter().map(|line| &line.facets);
    let least = of().min_by_key(|facets| facets.source.trust);
    let (kind, trust) = least
        .map_or((SourceType::AiInference, Trust::Low), |facets| (facets.source.kind, facets.source.trust));
    let source = Source {
        session: Some(session.clone()),
        from_external_content: of().any(|facets| facets.source.from_external_content),
        ..Source::new(kind, trust)
    };
    let tightest = of().max_by_key(|facets| facets.privacy.class.strictness());
    let mut sensitivity: Vec<Sensitivity> =
        of().flat_map(|facets| &facets.privacy.sensitivity).copied().collect();
    sensitivity.sort_unstable();
    sensitivity.dedup();
    let privacy = Privacy {
        class: tightest.map_or(PrivacyClass::GuestPii, |facets| facets.privacy.class),
        basis: tightest.map_or(ConsentBasis::ServiceDelivery, |facets| facets.privacy.basis),
        sensitivity,
    };
    let turns = || lines.iter().map(|line| line.turn);
    let segment = Segment {
        first: turns().min().unwrap_or(0),
        last: turns().max().unwrap_or(0),
        turns: lines.len() as u32,
    };
    Facets {
        category: Category::Conversation,
        content_type: ContentType::Transcript,
        tier: Tier::Episodic,
        kind: PersonaKind::Episodic,
        lane: Lane::Profile,
        secondary_lanes: Vec::new(),
        tags: Vec::new(),
        entities: Vec::new(),
        source,
        derived_from: Vec::new(),
        privacy,
        retention: Retention { tier: RetentionTier::LongTerm, expires_at, pinned: false, kept_at: None },
        vitality: Vitality {
            salience: of().map(|facets| facets.vitality.salience).fold(0.0, f32::max),
            valence: 0.0,
            decay: DecayProfile::default(),
            rehearsals: 0,
            rehearsed_at: lines.iter().map(|line| line.at).max().unwrap_or(Timestamp::UNIX_EPOCH),
            peaks: Vec::new(),
        },
        history: History { segment: Some(segment), ..History::default() },
    }
}
