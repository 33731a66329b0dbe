//! Reading back a session, and listing sessions. Both are read from the turns of the opened vault.

use jiff::Timestamp;
use lacuna_language::words::stable_hash;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::erase::transcript::{is_archived, transcripts};
use crate::index::{Session, Stored};
use crate::keep::session::{SESSION_PAGE_MAX, SessionInfo, SessionState};
use crate::permit::{Grant, Recall};
use crate::vault::open::{Held, OpenVault};
use crate::vault::purpose::closed_to;
use crate::vault::reads::{Read, note_read};
use crate::vault::service::Service;
use crate::write::number::{next_turn, turn};

/// A place in a list of sessions: the last one that was shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionCursor {
    /// The moment of its last turn.
    pub last_at: Timestamp,
    /// The session's id.
    pub id: SessionId,
}

/// One page of a list of sessions, the last used first.
#[derive(Clone, PartialEq, Debug)]
pub struct SessionPage {
    /// The sessions on the page.
    pub sessions: Vec<SessionInfo>,
    /// The cursor of the next page; `None` on the last one.
    pub next: Option<SessionCursor>,
}

/// A session with some of its turns, in their order.
#[derive(PartialEq)]
pub struct SessionShown {
    /// The session, as on a list.
    pub info: SessionInfo,
    /// The turns on the page.
    pub turns: Vec<Memory>,
    /// The turn that the next page begins with; `None` on the last one.
    pub next: Option<u32>,
}

/// The sessions of a vault, the last used first.
pub(crate) fn sessions(
    service: &Service,
    grant: &Grant<Recall>,
    after: Option<&SessionCursor>,
    limit: usize,
) -> Result<SessionPage> {
    check_limit(limit)?;
    let scope = grant.scope();
    let told = service.serve(scope, named_sessions)?.unwrap_or_default();
    let mut all = with_desk(service, scope, told);
    all.sort_by(|one, other| other.last_at.cmp(&one.last_at).then_with(|| one.id.cmp(&other.id)));
    let is_after = |place: &SessionCursor| {
        after.is_none_or(|last| (last.last_at, &place.id) > (place.last_at, &last.id))
    };
    let mut rest = all.into_iter().filter(is_after);
    let places: Vec<SessionCursor> = rest.by_ref().take(limit).collect();
    let more = rest.next().is_some();
    let infos = service.serve(scope, |open| {
        places.iter().map(|place| session_info(service, open, &place.id)).collect::<Vec<_>>()
    })?;
    let infos = infos.unwrap_or_else(|| vec![None; places.len()]);
    let sessions = places.iter().zip(infos).map(|(place, info)| info.unwrap_or_else(|| bare(place)));
    let sessions = sessions.collect();
    Ok(SessionPage { sessions, next: places.last().filter(|_| more).cloned() })
}

/// A session and its turns from number `from` on.
pub(crate) fn session(
    service: &Service,
    grant: &Grant<Recall>,
    id: &SessionId,
    from: u32,
    limit: usize,
) -> Result<SessionShown> {
    check_limit(limit)?;
    let scope = grant.scope();
    let closed = closed_to(service, grant)?;
    let found = service.serve(scope, |open| -> Result<Option<SessionShown>> {
        let Some(info) = session_info(service, open, id) else { return Ok(None) };
        let mut turns = shown_turns(open, id, from).filter(|stored| !closed.hides(&stored.payload.facets));
        let ids: Vec<MemoryId> = turns.by_ref().take(limit).map(|stored| stored.id).collect();
        let next = turns.next().and_then(|stored| stored.payload.facets.source.turn);
        let turns = open.whole(&ids, service.sources())?.into_iter().flatten().collect();
        Ok(Some(SessionShown { info, turns, next }))
    })?;
    let shown = match found.transpose()?.flatten() {
        Some(shown) => shown,
        None => SessionShown { info: bare_session(service, scope, id)?, turns: Vec::new(), next: None },
    };
    let seen = shown.turns.iter().map(|turn| turn.id).collect();
    note_read(service, &Read::of(grant, "session", seen))?;
    Ok(shown)
}

/// The description of a session, as its turns tell it; `None` when it has none.
pub(crate) fn session_info(service: &Service, open: &OpenVault, id: &SessionId) -> Option<SessionInfo> {
    let key = Session::key(id);
    let mut turns = open.index.turns(key, 0).filter_map(|(_, memory)| turn(open, id, &memory)).peekable();
    let said_at = |stored: &Stored<'_, Held>| from_millis(stored.attributes.created_at);
    let began_at = said_at(turns.peek()?)?;
    let (mut last_at, mut count, mut archived, mut mark) = (began_at, 0, true, 0u64);
    for stored in turns {
        last_at = last_at.max(said_at(&stored).unwrap_or(last_at));
        if is_shown(stored.attributes.state) {
            count += 1;
            mark = stable_hash(&[&mark.to_be_bytes(), &stored.id.as_bytes()[..]].concat());
            archived &= is_archived(open, stored.id);
        }
    }
    let vault = open.keyring.vault();
    let here = service.open_sessions.peek(vault, id, |open| (open.used_at, open.next_turn));
    let (used_at, given) = here.unwrap_or((last_at, 0));
    let goes_on = here.is_some() || !archived;
    Some(SessionInfo {
        id: id.clone(),
        state: if goes_on { SessionState::Open } else { SessionState::Ended },
        began_at,
        last_at: last_at.max(used_at),
        turns: count,
        next_turn: next_turn(open, id).max(given),
        transcripts: transcripts(open, id),
        mark,
    })
}

/// A session that is open here and has no turns yet.
pub(crate) fn bare_session(service: &Service, scope: &Scope, id: &SessionId) -> Result<SessionInfo> {
    let used = service
        .open_sessions
        .peek(scope.vault_id(), id, |open| (open.began_at, open.used_at, open.next_turn));
    let (began_at, last_at, given) = used.ok_or(Error::NotFound("session"))?;
    let place = SessionCursor { last_at, id: id.clone() };
    Ok(SessionInfo { began_at, next_turn: given.max(1), ..bare(&place) })
}

/// The sessions that the turns tell of, and those that are open here.
fn with_desk(service: &Service, scope: &Scope, told: Vec<SessionCursor>) -> Vec<SessionCursor> {
    let mut all = told;
    for (id, _, used_at) in service.open_sessions.sessions(scope.vault_id()) {
        match all.iter_mut().find(|known| known.id == id) {
            Some(known) => known.last_at = known.last_at.max(used_at),
            None => all.push(SessionCursor { last_at: used_at, id }),
        }
    }
    all
}

/// The sessions that have turns, and when something was last said in each.
pub(crate) fn named_sessions(open: &OpenVault) -> Vec<SessionCursor> {
    let mut sessions = Vec::new();
    for key in open.index.sessions() {
        let last = open.index.turns(key, 0).rev().find_map(|(_, id)| {
            let stored = open.index.get(&id)?;
            let session = stored.payload.facets.source.session.as_ref()?;
            turn(open, session, &id)?;
            Some((session.clone(), from_millis(stored.attributes.created_at)?))
        });
        sessions.extend(last.map(|(id, last_at)| SessionCursor { last_at, id }));
    }
    sessions
}

fn shown_turns<'a>(
    open: &'a OpenVault,
    session: &'a SessionId,
    from: u32,
) -> impl Iterator<Item = Stored<'a, Held>> {
    let turns = open.index.turns(Session::key(session), from);
    let turns = turns.filter_map(|(_, id)| turn(open, session, &id));
    turns.filter(|stored| is_shown(stored.attributes.state))
}

pub(crate) fn is_shown(state: Lifecycle) -> bool {
    matches!(state, Lifecycle::Active | Lifecycle::Archived)
}

fn bare(place: &SessionCursor) -> SessionInfo {
    SessionInfo {
        id: place.id.clone(),
        state: SessionState::Open,
        began_at: place.last_at,
        last_at: place.last_at,
        turns: 0,
        next_turn: 1,
        transcripts: Vec::new(),
        mark: 0,
    }
}

fn check_limit(limit: usize) -> Result<()> {
    match (1..=SESSION_PAGE_MAX).contains(&limit) {
        true => Ok(()),
        false => Err(Error::invalid("limit", format!("must be from 1 to {SESSION_PAGE_MAX}"))),
    }
}
