//! Start a session and append to it: whole turns, many at a time, or one turn piece by piece as it is said.

use std::cell::Cell;

use jiff::Timestamp;
use lacuna_seal::Entropy;
use lacuna_types::hex::hex;
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::gate::clean::check_name;
use crate::keep::session::refer::rehearse_referred;
use crate::keep::session::show::session_info;
use crate::keep::session::{SessionInfo, SessionState};
use crate::permit::{Grant, Remember, permit};
use crate::vault::Piece;
use crate::vault::frozen::check_thawed;
use crate::vault::service::Service;
use crate::vault::sessions::{Growing, Speaker, TURN_CHARS_MAX, TURNS_PER_APPEND_MAX};
use crate::write::number::Numbering;
use crate::write::outcome::Outcome;
use crate::write::remember::{Manner, remember_in};

/// Turns of one append by which memories are brought to mind, the last ones.
const REFERRING_TURNS_MAX: usize = 8;
/// Random bytes in the id of a session that we name.
const SESSION_ID_BYTES: usize = 16;

/// A turn on its way in. No `Debug`: it holds what was said.
pub struct NewTurn {
    /// The speaker.
    pub speaker: Speaker,
    /// The words of the turn.
    pub text: Plaintext,
    /// The tool whose output it is.
    pub tool: Option<String>,
    /// The caller's own id of the message.
    pub message: Option<String>,
    /// The moment at which it was said; `None` for now.
    pub at: Option<Timestamp>,
    /// True when it quotes a file, a web page or another source from outside.
    pub from_external_content: bool,
    /// The token with which an earlier answer asked for confirmation of this very text.
    pub confirm: Option<String>,
}

impl NewTurn {
    /// A turn that is said now, without any of the optional fields.
    pub fn new(speaker: Speaker, text: impl Into<Plaintext>) -> Self {
        Self {
            speaker,
            text: text.into(),
            tool: None,
            message: None,
            at: None,
            from_external_content: false,
            confirm: None,
        }
    }

    /// A second copy of it, for a caller that sends it again after a conflict.
    pub fn duplicate(&self) -> Self {
        Self {
            speaker: self.speaker,
            text: self.text.duplicate(),
            tool: self.tool.clone(),
            message: self.message.clone(),
            at: self.at,
            from_external_content: self.from_external_content,
            confirm: self.confirm.clone(),
        }
    }

    fn draft(self, session: &SessionId) -> Draft {
        let kind = self.speaker.source();
        let source = Source {
            session: Some(session.clone()),
            message: self.message,
            tool: self.tool,
            from_external_content: self.from_external_content,
            // The gate lowers it to what such a source deserves.
            ..Source::new(kind, Trust::High)
        };
        Draft {
            text: self.text,
            category: Some(Category::Conversation),
            content_type: Some(ContentType::Transcript),
            tier: Some(Tier::Episodic),
            source: Some(source),
            // As times are stored: a finer one would not come back as it was.
            created_at: self.at.and_then(|at| from_millis(millis(at))),
            confirm: self.confirm,
            ..Draft::default()
        }
    }
}

/// The result of one append.
#[derive(Clone, PartialEq, Debug)]
pub struct Appended {
    /// The number of the first turn; the others follow it.
    pub first: u32,
    /// The outcome of each turn. One that was refused, or is asked about, keeps its number.
    pub outcomes: Vec<Outcome>,
    /// The number that the next turn gets.
    pub next_turn: u32,
}

/// The outcome of appending a piece of a turn.
#[derive(Clone, PartialEq, Debug)]
pub enum Grown {
    /// The turn goes on. It is in RAM only, and lost with the process.
    Growing { turn: u32, pieces: usize },
    /// The turn is complete, and was taken or refused like any other.
    Sealed(Box<Appended>),
}

/// Starts a session, under the caller's id or one of ours. One that is there already goes on.
pub(crate) fn start_session(
    service: &Service,
    grant: &Grant<Remember>,
    id: Option<SessionId>,
) -> Result<SessionInfo> {
    let scope = grant.scope();
    check_thawed(service, scope)?;
    if let Some(id) = &id {
        check_name(service.rules.scanner(), "session_id", id.as_str())?;
    }
    let id = id.map_or_else(|| make_session_id(&*service.entropy), Ok)?;
    let now = service.clock.now();
    let began_at = service.open_sessions.use_session(scope, &id, now, |open| open.began_at)?;
    let known = service.serve(scope, |open| session_info(service, open, &id))?.flatten();
    Ok(known.unwrap_or(SessionInfo {
        id,
        state: SessionState::Open,
        began_at,
        last_at: now,
        turns: 0,
        next_turn: 1,
        transcripts: Vec::new(),
        mark: 0,
    }))
}

/// Appends turns to a session, all that the gate lets in or none. `expected` is the number that the first
/// is to get: an append that is sent again with it is answered as the first time, and writes nothing.
pub(crate) fn append_turns(
    service: &Service,
    grant: &Grant<Remember>,
    session: &SessionId,
    turns: Vec<NewTurn>,
    expected: Option<u32>,
) -> Result<Appended> {
    if turns.is_empty() || turns.len() > TURNS_PER_APPEND_MAX {
        let reason = format!("one append takes 1 to {TURNS_PER_APPEND_MAX} turns");
        return Err(Error::invalid("turns", reason));
    }
    // What was being said before them comes before them.
    seal_growing(service, grant.scope(), session)?;
    append(service, grant, session, turns, expected)
}

/// Appends a part of a turn. The turn is sealed with its last piece, when something else is said, or when
/// the session ends.
pub(crate) fn append_piece(
    service: &Service,
    grant: &Grant<Remember>,
    session: &SessionId,
    piece: &Piece,
) -> Result<Grown> {
    let scope = grant.scope();
    let vault = scope.vault_id();
    check_thawed(service, scope)?;
    if service.open_sessions.speaker(vault, session).is_some_and(|speaker| speaker != piece.speaker) {
        seal_growing(service, scope, session)?;
    }
    let pieces = service.open_sessions.grow(scope, session, service.clock.now(), grant.caller(), piece)?;
    if !piece.last {
        let turn = next_turn(service, scope, session)?;
        return Ok(Grown::Growing { turn, pieces });
    }
    let sealed = seal_growing(service, scope, session)?.ok_or(Error::Conflict("the session"))?;
    Ok(Grown::Sealed(Box::new(sealed)))
}

/// Seals the turn that is being said, if there is one, in the name of the user who began it.
pub(crate) fn seal_growing(
    service: &Service,
    scope: &Scope,
    session: &SessionId,
) -> Result<Option<Appended>> {
    let vault = scope.vault_id();
    let Some(growing) = service.open_sessions.take_growing(vault, session) else { return Ok(None) };
    let sealed = seal_grown(service, scope, session, &growing);
    if sealed.is_err() {
        service.open_sessions.put_back(vault, session, growing);
    }
    sealed.map(Some)
}

fn seal_grown(service: &Service, scope: &Scope, session: &SessionId, growing: &Growing) -> Result<Appended> {
    let grant = permit::<Remember>(&growing.caller, scope)?;
    let turn = NewTurn::new(growing.speaker, growing.text());
    let turn = NewTurn { tool: growing.tool.clone(), ..turn };
    append(service, &grant, session, vec![turn], None)
}

fn append(
    service: &Service,
    grant: &Grant<Remember>,
    session: &SessionId,
    turns: Vec<NewTurn>,
    expected: Option<u32>,
) -> Result<Appended> {
    let too_long = |turn: &NewTurn| turn.text.expose().chars().count() > TURN_CHARS_MAX;
    if turns.iter().any(too_long) {
        let reason = format!("a turn takes at most {TURN_CHARS_MAX} characters");
        return Err(Error::invalid("text", reason));
    }
    let scope = grant.scope();
    let now = service.clock.now();
    let floor = service.open_sessions.use_session(scope, session, now, |open| open.next_turn)?;
    let count = turns.len() as u32;
    let session = session.clone();
    let numbering = Numbering { session, expected, count, floor, given: Cell::new(0) };
    let said = user_words(&turns);
    let drafts = turns.into_iter().map(|turn| turn.draft(&numbering.session)).collect();
    let manner = Manner { numbering: Some(numbering), ..Manner::default() };
    let (outcomes, _) = remember_in(service, grant, drafts, &manner)?;
    let numbering = manner.numbering.ok_or(Error::Conflict("the session"))?;
    let first = match numbering.given.get() {
        // Nothing was let in, so that nothing was numbered.
        0 => expected.map_or_else(|| next_turn(service, scope, &numbering.session), Ok)?,
        given => given,
    };
    rehearse_referred(service, grant, &numbering.session, &said);
    let next = first + count;
    let next_turn = service.open_sessions.use_session(scope, &numbering.session, now, |open| {
        open.next_turn = open.next_turn.max(next);
        open.next_turn
    })?;
    Ok(Appended { first, outcomes, next_turn })
}

/// The words of the user in turns that are said now. What was said at another time brings nothing to mind today.
fn user_words(turns: &[NewTurn]) -> Vec<Plaintext> {
    let is_said_now =
        |turn: &&NewTurn| turn.speaker == Speaker::User && turn.at.is_none() && !turn.from_external_content;
    turns
        .iter()
        .rev()
        .filter(is_said_now)
        .take(REFERRING_TURNS_MAX)
        .map(|turn| turn.text.duplicate())
        .collect()
}

fn next_turn(service: &Service, scope: &Scope, session: &SessionId) -> Result<u32> {
    let given = service.open_sessions.peek(scope.vault_id(), session, |open| open.next_turn).unwrap_or(0);
    let stored = service.read(scope, |open| crate::write::number::next_turn(open, session))?.unwrap_or(1);
    Ok(stored.max(given))
}

fn make_session_id(entropy: &dyn Entropy) -> Result<SessionId> {
    let mut random = [0u8; SESSION_ID_BYTES];
    entropy.fill(&mut random);
    SessionId::new(&format!("ses_{}", hex(&random)))
}
