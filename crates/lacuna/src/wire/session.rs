use jiff::Timestamp;
use lacuna_core::keep::{
    Appended, Ended, Grown, NewTurn, SessionCursor, SessionInfo, SessionPage, SessionShown,
};
use lacuna_core::vault::{Piece, TURNS_PER_APPEND_MAX};
use lacuna_types::{Error, Memory, Result, Scope, SessionId, from_millis, millis};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::cursor::wrong_cursor;
use super::json::bounded_list;
use super::scope::shown;
use super::{OutcomeView, base64url, unbase64url, words};

const TIME_BYTES: usize = 8;

/// A session to start, or to go on with.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SessionRequest)]
pub(crate) struct SessionRequest {
    /// The caller's own name for it; one is made when absent.
    #[schema(min_length = 1, max_length = 128)]
    pub(crate) session_id: Option<String>,
    /// The vault that it is remembered in; the caller's own when absent.
    pub(crate) scope: Option<String>,
}

/// Turns to append, in their order.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = AppendRequest)]
pub(crate) struct AppendRequest {
    /// From 1 to 1,000; a turn that is sent in pieces comes alone.
    #[serde(deserialize_with = "bounded_list::<TURNS_PER_APPEND_MAX, _, _>")]
    #[schema(min_items = 1, max_items = 1000)]
    pub(crate) turns: Vec<TurnBody>,
    /// The number that the first of them is to get. An append that is sent again with it is not doubled; when
    /// another text has the number, it is a conflict.
    pub(crate) expected_turn: Option<u32>,
    /// The vault that the session is remembered in; the caller's own when absent.
    pub(crate) scope: Option<String>,
}

/// One turn, or a piece of one that is still being said.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewTurn)]
pub(crate) struct TurnBody {
    pub(crate) role: words::Speaker,
    #[schema(min_length = 1, max_length = 100_000)]
    pub(crate) text: String,
    /// The tool whose output it is.
    pub(crate) tool: Option<String>,
    pub(crate) message_id: Option<String>,
    /// Time at which it was said, if not now.
    pub(crate) at: Option<Timestamp>,
    /// True if it quotes a file, a web page or something else from outside.
    #[serde(default)]
    pub(crate) from_external_content: bool,
    /// The token of an earlier answer that asked about this very text.
    pub(crate) confirm: Option<String>,
    /// The position of a piece among those of its turn, from 0.
    pub(crate) piece: Option<u32>,
    /// True if more pieces of the turn follow. The turn is stored with its last one.
    #[serde(default)]
    pub(crate) partial: bool,
}

/// Kind of an append.
pub(crate) enum Append {
    Turns(Vec<NewTurn>),
    Piece(Piece),
}

impl AppendRequest {
    pub(crate) fn into_core(self) -> Result<Append> {
        let is_piece = |turn: &TurnBody| turn.piece.is_some() || turn.partial;
        if !self.turns.iter().any(is_piece) {
            return Ok(Append::Turns(self.turns.into_iter().map(NewTurn::from).collect()));
        }
        let only: [TurnBody; 1] = self
            .turns
            .try_into()
            .map_err(|_| Error::invalid("turns", "a turn that is sent in pieces comes alone"))?;
        let [turn] = only;
        if self.expected_turn.is_some() {
            return Err(Error::invalid("expected_turn", "a piece has its place by its number"));
        }
        let TurnBody { role, text, tool, piece: number, partial, .. } = turn;
        Ok(Append::Piece(Piece { speaker: role.0, tool, text: text.into(), number, last: !partial }))
    }
}

impl From<TurnBody> for NewTurn {
    fn from(body: TurnBody) -> Self {
        Self {
            tool: body.tool,
            message: body.message_id,
            at: body.at,
            from_external_content: body.from_external_content,
            confirm: body.confirm,
            ..Self::new(body.role.0, body.text)
        }
    }
}

/// Result of an append.
#[derive(Serialize, ToSchema)]
#[schema(as = Appended)]
pub(crate) struct AppendedView {
    pub(crate) session_id: String,
    pub(crate) scope: String,
    /// Results of each turn; empty while a turn is unfinished.
    pub(crate) turns: Vec<AppendedTurn>,
    /// The number that the next turn gets.
    pub(crate) next_turn: u32,
    /// Pieces held of an unfinished turn. They are in RAM only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pieces: Option<usize>,
}

/// One turn of an append. One that was refused, or is asked about, keeps its number.
#[derive(Serialize, ToSchema)]
#[schema(as = AppendedTurn)]
pub(crate) struct AppendedTurn {
    pub(crate) turn: u32,
    #[serde(flatten)]
    pub(crate) outcome: OutcomeView,
}

impl AppendedView {
    pub(crate) fn of(appended: Appended, session: &SessionId, scope: &Scope) -> Self {
        let turns = (appended.first..).zip(appended.outcomes);
        let turns = turns.map(|(turn, one)| AppendedTurn { turn, outcome: OutcomeView::of(one, scope) });
        Self {
            session_id: session.to_string(),
            scope: shown(scope),
            turns: turns.collect(),
            next_turn: appended.next_turn,
            pieces: None,
        }
    }

    pub(crate) fn of_piece(grown: Grown, session: &SessionId, scope: &Scope) -> Self {
        match grown {
            Grown::Sealed(appended) => Self::of(*appended, session, scope),
            Grown::Growing { turn, pieces } => Self {
                session_id: session.to_string(),
                scope: shown(scope),
                turns: Vec::new(),
                next_turn: turn,
                pieces: Some(pieces),
            },
        }
    }
}

/// A conversation.
#[derive(Serialize, ToSchema)]
#[schema(as = Session)]
pub(crate) struct SessionView {
    pub(crate) session_id: String,
    /// The vault that it is remembered in.
    pub(crate) scope: String,
    pub(crate) state: words::SessionState,
    pub(crate) began_at: Timestamp,
    /// Time of its last turn.
    pub(crate) last_at: Timestamp,
    /// Number of turns shown.
    pub(crate) turn_count: u32,
    pub(crate) next_turn: u32,
    /// The memories that hold its sealed transcripts.
    pub(crate) transcripts: Vec<String>,
}

impl SessionView {
    pub(crate) fn of(info: SessionInfo, scope: &Scope) -> Self {
        Self {
            session_id: info.id.to_string(),
            scope: shown(scope),
            state: info.state.into(),
            began_at: info.began_at,
            last_at: info.last_at,
            turn_count: info.turns,
            next_turn: info.next_turn,
            transcripts: info.transcripts.iter().map(ToString::to_string).collect(),
        }
    }
}

/// One page of a list of sessions, the last used first.
#[derive(Serialize, ToSchema)]
#[schema(as = SessionPage)]
pub(crate) struct SessionPageView {
    /// The vault that was listed.
    pub(crate) scope: String,
    pub(crate) sessions: Vec<SessionView>,
    /// Pass it as `cursor` to get the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_cursor: Option<String>,
}

impl SessionPageView {
    pub(crate) fn of(page: SessionPage, scope: &Scope) -> Self {
        Self {
            scope: shown(scope),
            sessions: page.sessions.into_iter().map(|info| SessionView::of(info, scope)).collect(),
            next_cursor: page.next.as_ref().map(write_session_cursor),
        }
    }
}

/// A session with some of its turns, in their order.
#[derive(Serialize, ToSchema)]
#[schema(as = SessionShown)]
pub(crate) struct SessionShownView {
    #[serde(flatten)]
    pub(crate) session: SessionView,
    pub(crate) turns: Vec<TurnView>,
    /// Pass it as `cursor` to get the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_cursor: Option<String>,
}

/// A turn as it was said, and as the gate let it in.
#[derive(Serialize, ToSchema)]
#[schema(as = Turn)]
pub(crate) struct TurnView {
    pub(crate) turn: u32,
    pub(crate) role: words::Speaker,
    pub(crate) text: String,
    pub(crate) at: Timestamp,
    pub(crate) memory_id: String,
    pub(crate) state: words::Lifecycle,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<String>,
}

impl SessionShownView {
    pub(crate) fn of(shown: SessionShown, scope: &Scope) -> Self {
        Self {
            session: SessionView::of(shown.info, scope),
            turns: shown.turns.into_iter().map(TurnView::from).collect(),
            next_cursor: shown.next.map(|turn| turn.to_string()),
        }
    }
}

impl From<Memory> for TurnView {
    fn from(memory: Memory) -> Self {
        let memory_id = memory.public_id().to_string();
        let source = memory.facets.source;
        Self {
            turn: source.turn.unwrap_or_default(),
            role: lacuna_core::vault::Speaker::of(source.kind).into(),
            text: memory.content.into_full_text().into_exposed(),
            at: memory.created_at,
            memory_id,
            state: memory.state.into(),
            tool: source.tool,
        }
    }
}

/// A session that has ended.
#[derive(Serialize, ToSchema)]
#[schema(as = SessionEnded)]
pub(crate) struct EndedView {
    #[serde(flatten)]
    pub(crate) session: SessionView,
    /// The transcripts that were made now; none when it had ended before.
    pub(crate) archived: Vec<String>,
}

impl EndedView {
    pub(crate) fn of(ended: Ended, scope: &Scope) -> Self {
        Self {
            session: SessionView::of(ended.info, scope),
            archived: ended.archived.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Cursor, opaque to callers: base64url of the time of the last session on the page, and its name.
fn write_session_cursor(cursor: &SessionCursor) -> String {
    let mut bytes = millis(cursor.last_at).to_be_bytes().to_vec();
    bytes.extend_from_slice(cursor.id.as_str().as_bytes());
    base64url(&bytes)
}

pub(crate) fn read_session_cursor(text: &str) -> Result<SessionCursor> {
    let parse = || {
        let bytes = unbase64url(text)?;
        let (time, id) = bytes.split_first_chunk::<TIME_BYTES>()?;
        let id = SessionId::new(std::str::from_utf8(id).ok()?).ok()?;
        Some(SessionCursor { last_at: from_millis(i64::from_be_bytes(*time))?, id })
    };
    parse().ok_or_else(wrong_cursor)
}

/// Reads the turn that a page begins with; the first one when there is no cursor.
pub(crate) fn read_turn_cursor(text: Option<&str>) -> Result<u32> {
    text.map_or(Ok(1), |text| text.parse().map_err(|_| wrong_cursor()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_come_back_and_anything_else_is_refused() {
        let last_at = "2026-04-12T09:15:00.123Z".parse().unwrap();
        let cursor = SessionCursor { last_at, id: SessionId::new("ses_42 ü").unwrap() };
        let text = write_session_cursor(&cursor);
        assert_eq!(read_session_cursor(&text).unwrap(), cursor);
        for bad in ["", "x", "!!", "AAAAAAAAAAA", &text[..10]] {
            assert!(matches!(read_session_cursor(bad), Err(Error::Invalid { field: "cursor", .. })), "{bad}");
        }
        assert_eq!(read_turn_cursor(None).unwrap(), 1);
        assert!(read_turn_cursor(Some("later")).is_err());
    }

    #[test]
    fn a_piece_comes_alone_and_by_its_number() {
        let read = |json: &str| serde_json::from_str::<AppendRequest>(json).unwrap().into_core();
        let whole = r#"{"turns":[{"role":"user","text":"a"},{"role":"tool","text":"b","tool":"read"}]}"#;
        assert!(matches!(read(whole), Ok(Append::Turns(turns)) if turns.len() == 2));
        let piece = r#"{"turns":[{"role":"assistant","text":"a","piece":0,"partial":true}]}"#;
        assert!(matches!(read(piece), Ok(Append::Piece(Piece { number: Some(0), last: false, .. }))));
        let last = r#"{"turns":[{"role":"assistant","text":"b","piece":1}]}"#;
        assert!(matches!(read(last), Ok(Append::Piece(Piece { last: true, .. }))));
        let two = r#"{"turns":[{"role":"user","text":"a","piece":0},{"role":"user","text":"b"}]}"#;
        assert!(read(two).is_err());
        let numbered = r#"{"turns":[{"role":"user","text":"a","piece":0}],"expected_turn":1}"#;
        assert!(read(numbered).is_err());
    }
}
