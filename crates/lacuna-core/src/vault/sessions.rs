//! The sessions under way, kept in RAM only.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use lacuna_types::*;
use lacuna_types::{Error, Result};
use zeroize::Zeroizing;

use crate::permit::Caller;
use crate::vault::open::Held;
use crate::vault::working::Working;

/// Every session that is under way in this process, by its vault.
#[derive(Default)]
pub(crate) struct OpenSessions(Mutex<HashMap<VaultId, VaultSessions>>);

struct VaultSessions {
    /// The organisation whose policy says how long a session may rest.
    org: OrgId,
    sessions: HashMap<SessionId, OpenSession>,
}

/// A session that is under way in this process.
pub(crate) struct OpenSession {
    pub(crate) began_at: Timestamp,
    pub(crate) used_at: Timestamp,
    /// Turns below this number were given already.
    pub(crate) next_turn: u32,
    growing: Option<Growing>,
    pub(crate) working: Working,
}

/// A turn that is still being said.
pub(crate) struct Growing {
    pub(crate) speaker: Speaker,
    pub(crate) tool: Option<String>,
    pub(crate) caller: Caller,
    /// Never joined before the end: a text that grows leaves copies of itself behind.
    pieces: Vec<Plaintext>,
    chars: usize,
}

impl Growing {
    pub(crate) fn text(&self) -> Zeroizing<String> {
        let bytes = self.pieces.iter().map(|piece| piece.expose().len()).sum();
        let mut text = Zeroizing::new(String::with_capacity(bytes));
        self.pieces.iter().for_each(|piece| text.push_str(piece.expose()));
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
        self.chars += piece.text.expose().chars().count();
        if self.chars > TURN_CHARS_MAX || place >= PIECES_MAX {
            let reason = format!("a turn takes {TURN_CHARS_MAX} characters in {PIECES_MAX} pieces at most");
            return Err(Error::invalid("text", reason));
        }
        self.pieces.push(piece.text.duplicate());
        Ok(place + 1)
    }
}

impl OpenSessions {
    fn lock(&self) -> MutexGuard<'_, HashMap<VaultId, VaultSessions>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the session here, or goes on with it. `look` sees it.
    pub(crate) fn use_session<R>(
        &self,
        scope: &Scope,
        session: &SessionId,
        now: Timestamp,
        look: impl FnOnce(&mut OpenSession) -> R,
    ) -> Result<R> {
        let mut vaults = self.lock();
        let at = vaults.entry(scope.vault_id());
        let VaultSessions { sessions, .. } =
            at.or_insert_with(|| VaultSessions { org: scope.org.clone(), sessions: HashMap::new() });
        if !sessions.contains_key(session) {
            make_room(sessions)?;
            sessions.insert(session.clone(), OpenSession::new(now));
        }
        let open = sessions.get_mut(session).ok_or(Error::NotFound("session"))?;
        open.used_at = open.used_at.max(now);
        Ok(look(open))
    }

    /// Applies `look` to the session, if it is open here.
    pub(crate) fn peek<R>(
        &self,
        vault: VaultId,
        session: &SessionId,
        look: impl FnOnce(&OpenSession) -> R,
    ) -> Option<R> {
        self.lock().get(&vault)?.sessions.get(session).map(look)
    }

    /// The sessions of a vault that are open here: since when, and when they were last used.
    pub(crate) fn sessions(&self, vault: VaultId) -> Vec<(SessionId, Timestamp, Timestamp)> {
        let vaults = self.lock();
        let sessions = vaults.get(&vault).into_iter().flat_map(|of_vault| &of_vault.sessions);
        sessions.map(|(id, open)| (id.clone(), open.began_at, open.used_at)).collect()
    }

    /// Adds a piece to the turn that is being said, or begins one. Answers with how many pieces it has.
    pub(crate) fn grow(
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

    /// Returns the speaker of the turn that is being said, if there is one.
    pub(crate) fn speaker(&self, vault: VaultId, session: &SessionId) -> Option<Speaker> {
        self.peek(vault, session, |open| open.growing.as_ref().map(|growing| growing.speaker))?
    }

    /// Takes the turn that is being said, to seal it.
    pub(crate) fn take_growing(&self, vault: VaultId, session: &SessionId) -> Option<Growing> {
        self.lock().get_mut(&vault)?.sessions.get_mut(session)?.growing.take()
    }

    /// Puts back a turn that could not be sealed.
    pub(crate) fn put_back(&self, vault: VaultId, session: &SessionId, growing: Growing) {
        if let Some(open) =
            self.lock().get_mut(&vault).and_then(|of_vault| of_vault.sessions.get_mut(session))
        {
            open.growing.get_or_insert(growing);
        }
    }

    /// Drops what is held of a session, which zeroes it.
    pub(crate) fn close(&self, vault: VaultId, session: &SessionId) {
        let mut vaults = self.lock();
        if let Some(VaultSessions { sessions, .. }) = vaults.get_mut(&vault) {
            sessions.remove(session);
            if sessions.is_empty() {
                vaults.remove(&vault);
            }
        }
    }

    /// Runs `look` on the working memory of every session of a vault.
    pub(crate) fn each_working(&self, vault: VaultId, mut look: impl FnMut(&SessionId, &mut Working)) {
        let mut vaults = self.lock();
        let sessions = vaults.get_mut(&vault).into_iter().flat_map(|of_vault| &mut of_vault.sessions);
        sessions.for_each(|(id, open)| look(id, &mut open.working));
    }

    /// Drops the working memory of a session, which goes on without it.
    pub(crate) fn clear_working(&self, vault: VaultId, session: &SessionId) {
        if let Some(open) =
            self.lock().get_mut(&vault).and_then(|of_vault| of_vault.sessions.get_mut(session))
        {
            open.working = Working::default();
        }
    }

    /// Drops the sessions that were last used before the moment that `limit` names for their organisation. A turn
    /// that is still being said waits for the end of its session, which seals it.
    pub(crate) fn drop_idle(&self, limit: impl Fn(&OrgId) -> Timestamp) {
        let mut vaults = self.lock();
        for VaultSessions { org, sessions } in vaults.values_mut() {
            let limit = limit(org);
            sessions.retain(|_, open| open.used_at >= limit || open.growing.is_some());
        }
        vaults.retain(|_, of_vault| !of_vault.sessions.is_empty());
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

    /// Returns true when dropping it loses nothing.
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

/// Turns in one append.
pub const TURNS_PER_APPEND_MAX: usize = 1_000;

/// Turns of one session.
pub(crate) const TURNS_PER_SESSION_MAX: u32 = 100_000;

/// Characters of one turn; longer is refused.
pub(crate) const TURN_CHARS_MAX: usize = 100_000;

/// Pieces of a turn that is sent while it is spoken.
pub(crate) const PIECES_MAX: usize = 10_000;

/// Sessions of one vault that RAM holds something of.
pub(crate) const SESSIONS_OPEN_MAX: usize = 256;

/// The most memories in the working memory of one session; beyond it the oldest is dropped.
pub const WORKING_ITEMS_MAX: usize = 256;

/// The most bytes of text in the working memory of one session; beyond it the oldest memory is dropped.
pub const WORKING_BYTES_MAX: usize = 128 << 10;

facet!(
    /** The speaker of a turn. */
    Speaker, "role", {
    User = 1 "user",
    Assistant = 2 "assistant",
    Tool = 3 "tool",
});

impl Speaker {
    /// Returns the source type of a turn by this speaker.
    pub fn source(self) -> SourceType {
        match self {
            Speaker::User => SourceType::UserMessage,
            Speaker::Assistant => SourceType::AiInference,
            Speaker::Tool => SourceType::ToolOutput,
        }
    }

    /// Returns the speaker of a text from this source.
    pub fn of(source: SourceType) -> Self {
        match source {
            SourceType::UserMessage | SourceType::ExplicitSave => Speaker::User,
            SourceType::AiInference => Speaker::Assistant,
            SourceType::ToolOutput => Speaker::Tool,
        }
    }
}

/// Returns true when a memory is a turn of the session.
pub(crate) fn is_turn_of(held: &Held, session: &SessionId) -> bool {
    let facets = &held.facets;
    facets.source.session.as_ref() == Some(session)
        && facets.source.turn.is_some()
        && facets.category == Category::Conversation
        && facets.content_type == ContentType::Transcript
        && facets.tier == Tier::Episodic
}

/// Returns true when a memory is a transcript and each of its turns can still be found by itself. A transcript that
/// outlived some of its turns is searched like any other memory, because nothing else holds their text.
pub(crate) fn repeats_its_turns(held: &Held) -> bool {
    let sources = held.facets.derived_from.len();
    held.facets.history.segment.is_some_and(|segment| segment.turns as usize <= sources)
}

/// A part of a turn that is still being said. No `Debug`: it holds what was said.
pub struct Piece {
    /// The speaker of the turn.
    pub speaker: Speaker,
    /// The name of the tool, when a tool speaks.
    pub tool: Option<String>,
    /// The words of this part.
    pub text: Plaintext,
    /// Its place among the pieces of the turn, from zero, so that one that is sent again is not said twice.
    pub number: Option<u32>,
    /// True when the turn ends with it.
    pub last: bool,
}
