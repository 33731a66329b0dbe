//! What sessions under way hold in RAM, and only there.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use zeroize::Zeroizing;

use super::working::Working;
use super::{PIECES_MAX, Piece, SESSIONS_OPEN_MAX, Speaker, TURN_CHARS_MAX};
use crate::permit::Caller;
use lacuna_types::*;
use lacuna_types::{Error, Result};

/// Every session that is under way in this process, by its vault.
#[derive(Default)]
pub(crate) struct Desk(Mutex<HashMap<VaultId, VaultDesk>>);

struct VaultDesk {
    /// Whose policy says how long a session may rest.
    org: OrgId,
    sessions: HashMap<SessionId, OpenSession>,
}

/// A session that is under way in this process.
pub(super) struct OpenSession {
    pub(super) began_at: Timestamp,
    pub(super) used_at: Timestamp,
    /// Turns below this number were given already.
    pub(super) next_turn: u32,
    growing: Option<Growing>,
    pub(super) working: Working,
}

/// A turn that is still being said.
pub(super) struct Growing {
    pub(super) speaker: Speaker,
    pub(super) tool: Option<String>,
    pub(super) caller: Caller,
    /// Never joined before the end: a text that grows leaves copies of itself behind.
    pieces: Vec<Zeroizing<String>>,
    chars: usize,
}

impl Growing {
    pub(super) fn text(&self) -> Zeroizing<String> {
        let bytes = self.pieces.iter().map(|piece| piece.len()).sum();
        let mut text = Zeroizing::new(String::with_capacity(bytes));
        self.pieces.iter().for_each(|piece| text.push_str(piece));
        text
    }

    fn add(&mut self, piece: &Piece) -> Result<usize> {
        let place = self.pieces.len();
        if piece.number.is_some_and(|number| (number as usize) < place) {
            // Sent again: it is there already.
            return Ok(place);
        }
        if piece.number.is_some_and(|number| number as usize > place) {
            return Err(Error::invalid("piece", format!("the next piece is {place}")));
        }
        self.chars += piece.text.chars().count();
        if self.chars > TURN_CHARS_MAX || place >= PIECES_MAX {
            let reason = format!("a turn takes {TURN_CHARS_MAX} characters in {PIECES_MAX} pieces at most");
            return Err(Error::invalid("text", reason));
        }
        self.pieces.push(Zeroizing::new(piece.text.clone()));
        Ok(place + 1)
    }
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, HashMap<VaultId, VaultDesk>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the session here, or goes on with it. `look` sees it.
    pub(super) fn use_session<R>(
        &self,
        scope: &Scope,
        session: &SessionId,
        now: Timestamp,
        look: impl FnOnce(&mut OpenSession) -> R,
    ) -> Result<R> {
        let mut desk = self.lock();
        let at = desk.entry(scope.vault_id());
        let VaultDesk { sessions, .. } =
            at.or_insert_with(|| VaultDesk { org: scope.org.clone(), sessions: HashMap::new() });
        if !sessions.contains_key(session) {
            make_room(sessions)?;
            sessions.insert(session.clone(), OpenSession::new(now));
        }
        let open = sessions.get_mut(session).ok_or(Error::NotFound("session"))?;
        open.used_at = open.used_at.max(now);
        Ok(look(open))
    }

    /// What `look` sees of the session, if it is open here.
    pub(super) fn peek<R>(
        &self,
        vault: VaultId,
        session: &SessionId,
        look: impl FnOnce(&OpenSession) -> R,
    ) -> Option<R> {
        self.lock().get(&vault)?.sessions.get(session).map(look)
    }

    /// The sessions of a vault that are open here: since when, and when they were last used.
    pub(super) fn sessions(&self, vault: VaultId) -> Vec<(SessionId, Timestamp, Timestamp)> {
        let desk = self.lock();
        let sessions = desk.get(&vault).into_iter().flat_map(|desk| &desk.sessions);
        sessions.map(|(id, open)| (id.clone(), open.began_at, open.used_at)).collect()
    }

    /// Adds a piece to the turn that is being said, or begins one. Answers with how many pieces it has.
    pub(super) fn grow(
        &self,
        scope: &Scope,
        session: &SessionId,
        now: Timestamp,
        caller: &Caller,
        piece: &Piece,
    ) -> Result<usize> {
        self.use_session(scope, session, now, |open| {
            let growing = open.growing.get_or_insert_with(|| Growing {
                speaker: piece.speaker,
                tool: piece.tool.clone(),
                caller: caller.clone(),
                pieces: Vec::new(),
                chars: 0,
            });
            growing.add(piece)
        })?
    }

    /// Whether somebody is saying a turn.
    pub(super) fn speaker(&self, vault: VaultId, session: &SessionId) -> Option<Speaker> {
        self.peek(vault, session, |open| open.growing.as_ref().map(|growing| growing.speaker))?
    }

    /// Takes the turn that is being said, to seal it.
    pub(super) fn take_growing(&self, vault: VaultId, session: &SessionId) -> Option<Growing> {
        self.lock().get_mut(&vault)?.sessions.get_mut(session)?.growing.take()
    }

    /// Puts back a turn that could not be sealed.
    pub(super) fn put_back(&self, vault: VaultId, session: &SessionId, growing: Growing) {
        if let Some(open) = self.lock().get_mut(&vault).and_then(|desk| desk.sessions.get_mut(session)) {
            open.growing.get_or_insert(growing);
        }
    }

    /// Drops what is held of a session, which zeroes it.
    pub(super) fn close(&self, vault: VaultId, session: &SessionId) {
        let mut desk = self.lock();
        if let Some(VaultDesk { sessions, .. }) = desk.get_mut(&vault) {
            sessions.remove(session);
            if sessions.is_empty() {
                desk.remove(&vault);
            }
        }
    }

    /// Runs `look` on the working memory of every session of a vault.
    pub(super) fn each_working(&self, vault: VaultId, mut look: impl FnMut(&SessionId, &mut Working)) {
        let mut desk = self.lock();
        let sessions = desk.get_mut(&vault).into_iter().flat_map(|desk| &mut desk.sessions);
        sessions.for_each(|(id, open)| look(id, &mut open.working));
    }

    /// Drops the working memory of a session, which goes on without it.
    pub(super) fn clear_working(&self, vault: VaultId, session: &SessionId) {
        if let Some(open) = self.lock().get_mut(&vault).and_then(|desk| desk.sessions.get_mut(session)) {
            open.working = Working::default();
        }
    }

    /// Drops the sessions that were last used before the moment that `limit` names for their organisation. A turn
    /// that is still being said waits for the end of its session, which seals it.
    pub(crate) fn drop_idle(&self, limit: impl Fn(&OrgId) -> Timestamp) {
        let mut desk = self.lock();
        for VaultDesk { org, sessions } in desk.values_mut() {
            let limit = limit(org);
            sessions.retain(|_, open| open.used_at >= limit || open.growing.is_some());
        }
        desk.retain(|_, desk| !desk.sessions.is_empty());
    }

    /// Drops all that is held of a vault.
    pub(crate) fn close_vault(&self, vault: VaultId) {
        self.lock().remove(&vault);
    }
}

impl OpenSession {
    fn new(now: Timestamp) -> Self {
        Self { began_at: now, used_at: now, next_turn: 0, growing: None, working: Working::default() }
    }

    /// Whether nothing would be lost with it.
    fn is_bare(&self) -> bool {
        self.growing.is_none() && self.working.is_empty()
    }
}

/// Lets go of the longest unused session that holds nothing, when there is no room for another one.
fn make_room(sessions: &mut HashMap<SessionId, OpenSession>) -> Result<()> {
    if sessions.len() < SESSIONS_OPEN_MAX {
        return Ok(());
    }
    let bare = sessions.iter().filter(|(_, open)| open.is_bare());
    let oldest = bare.min_by_key(|(_, open)| open.used_at).map(|(id, _)| id.clone());
    let oldest = oldest.ok_or(Error::Refused {
        code: "too_many_sessions",
        reason: "too many sessions of this vault are under way: end some of them",
    })?;
    sessions.remove(&oldest);
    Ok(())
}
