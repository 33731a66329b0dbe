//! Sessions on the command line: start, append, show, list, end.

use std::path::Path;

use clap::{Args, Subcommand};
use lacuna_core::keep::{Appended, NewTurn, SESSION_PAGE_DEFAULT};
use lacuna_core::permit::{Grant, Remember};
use lacuna_core::vault::TURNS_PER_APPEND_MAX;
use lacuna_types::SessionId;

use super::args::{ScopeArgs, words};
use super::batch::LineSource;
use super::output::{Output, fields, minute, table};
use super::short_id::short;
use super::{settle, short_id};
use crate::assemble::{Installation, assemble};
use crate::codes;
use crate::config::Config;
use crate::wire::failure::{Failure, Result};
use crate::wire::json::read_json;
use crate::wire::{
    self, AppendedView, EndedView, OutcomeView, SessionPageView, SessionShownView, SessionView, TurnBody,
    read_session_cursor, read_turn_cursor,
};

#[derive(Subcommand)]
pub(super) enum SessionCommand {
    /// Start a session, or see where one goes on. A session without turns is kept by a server only.
    Start {
        /// Your own name for it [default: one is made].
        session: Option<String>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Append a turn, or many of them from standard input.
    Append(AppendArgs),
    /// Read a session back, in the order of its turns.
    Show {
        /// Its name, or the beginning of it.
        session: String,
        /// The cursor that the last page ended with.
        #[arg(long)]
        cursor: Option<String>,
        /// Turns on one page [default: 100].
        #[arg(long, value_name = "COUNT")]
        limit: Option<usize>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Sessions, the last used first.
    List {
        /// The cursor that the last page ended with.
        #[arg(long)]
        cursor: Option<String>,
        /// Sessions on one page [default: 100].
        #[arg(long, value_name = "COUNT")]
        limit: Option<usize>,
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// End a session: archive its turns as a sealed transcript. Ending it again is harmless.
    End {
        /// Its name, or the beginning of it.
        session: String,
        #[command(flatten)]
        scope: ScopeArgs,
    },
}

#[derive(Args)]
pub(super) struct AppendArgs {
    session: String,
    /// Text of the turn; `-` reads turns from standard input, one JSON object on each line: {"role", "text"}.
    text: Option<String>,
    /// Speaker of the turn.
    #[arg(long, value_name = "ROLE", default_value = "user", value_parser = words::<wire::Speaker, _>(wire::Speaker::all()))]
    role: wire::Speaker,
    /// The tool whose output it is.
    #[arg(long)]
    tool: Option<String>,
    /// The number that the first turn is to get: what is sent again with it is not doubled.
    #[arg(long, value_name = "TURN")]
    expect: Option<u32>,
    #[command(flatten)]
    scope: ScopeArgs,
}

pub(super) fn run(config: &Config, command: SessionCommand, output: &Output) -> Result<()> {
    match command {
        SessionCommand::Start { session, scope } => {
            let id = session.as_deref().map(SessionId::new).transpose()?;
            let installation = assemble(config)?;
            let grant = installation.grant(scope.as_deref())?;
            let info = installation.service.start_session(&grant, id)?;
            output.show(&SessionView::of(info, grant.scope()), |view| told(view, Vec::new()))
        }
        SessionCommand::Append(args) => append(config, args, output),
        SessionCommand::Show { session, cursor, limit, scope } => {
            let from = read_turn_cursor(cursor.as_deref())?;
            let installation = assemble(config)?;
            let id = short_id::session_id(&installation, scope.as_deref(), &session)?;
            let grant = installation.grant(scope.as_deref())?;
            let limit = limit.unwrap_or(SESSION_PAGE_DEFAULT);
            let shown = installation.service.session(&grant, &id, from, limit)?;
            installation.service.upkeep().flush_reads()?;
            output.show(&SessionShownView::of(shown, grant.scope()), conversation)
        }
        SessionCommand::List { cursor, limit, scope } => {
            let after = cursor.as_deref().map(read_session_cursor).transpose()?;
            let installation = assemble(config)?;
            let grant = installation.grant(scope.as_deref())?;
            let limit = limit.unwrap_or(SESSION_PAGE_DEFAULT);
            let page = installation.service.sessions(&grant, after.as_ref(), limit)?;
            output.show(&SessionPageView::of(page, grant.scope()), listed)
        }
        SessionCommand::End { session, scope } => {
            let installation = assemble(config)?;
            let id = short_id::session_id(&installation, scope.as_deref(), &session)?;
            let grant = installation.grant(scope.as_deref())?;
            let ended = installation.service.end_session(&grant, &id)?;
            settle::settle(&installation, output);
            output.show(&EndedView::of(ended, grant.scope()), |ended| {
                let archived = ended.archived.iter().map(|id| ("archived as", id.clone()));
                told(&ended.session, archived.collect())
            })
        }
    }
}

fn append(config: &Config, args: AppendArgs, output: &Output) -> Result<()> {
    let id = SessionId::new(&args.session)?;
    let text = args.text.filter(|text| text != "-");
    let installation = assemble(config)?;
    let grant = installation.grant(args.scope.as_deref())?;
    let mut expected = args.expect;
    let appended = match text {
        Some(text) => {
            let turn = NewTurn { tool: args.tool, ..NewTurn::new(args.role.0, text) };
            send(&installation, &grant, &id, vec![turn], &mut expected, output)?
        }
        None => append_lines(&installation, &grant, &id, expected, output)?,
    };
    settle::settle(&installation, output);
    if output.is_json() {
        return Ok(());
    }
    output.show(&appended, AppendedTotal::told)
}

/// Counts of a whole append.
#[derive(Default, serde::Serialize)]
struct AppendedTotal {
    stored: u64,
    asked: u64,
    refused: u64,
    next_turn: u32,
}

impl AppendedTotal {
    fn add(&mut self, view: &AppendedView) {
        for turn in &view.turns {
            match turn.outcome {
                OutcomeView::Stored(_) => self.stored += 1,
                OutcomeView::Asked(_) => self.asked += 1,
                OutcomeView::Refused(_) => self.refused += 1,
            }
        }
        self.next_turn = view.next_turn;
    }

    fn told(&self) -> String {
        let mut rows = vec![("appended", self.stored.to_string())];
        rows.extend((self.asked > 0).then(|| ("asked", format!("{}, see --json", self.asked))));
        rows.extend((self.refused > 0).then(|| ("refused", format!("{}, see --json", self.refused))));
        rows.push(("next turn", self.next_turn.to_string()));
        fields(rows)
    }
}

/// Appends turns from standard input, one JSON object on each line, a thousand at a time.
fn append_lines(
    installation: &Installation,
    grant: &Grant<Remember>,
    id: &SessionId,
    mut expected: Option<u32>,
    output: &Output,
) -> Result<AppendedTotal> {
    let mut source = LineSource::open(Path::new("-"))?;
    let mut total = AppendedTotal::default();
    let (mut turns, mut number) = (Vec::new(), 0u64);
    while let Some(line) = source.line()? {
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let turn: TurnBody = read_json(&line).map_err(|failure| at_line(number, failure))?;
        if turn.piece.is_some() || turn.partial {
            let failure = Failure::invalid("piece", "a command appends whole turns");
            return Err(at_line(number, failure));
        }
        turns.push(NewTurn::from(turn));
        if turns.len() == TURNS_PER_APPEND_MAX {
            let part = send(installation, grant, id, std::mem::take(&mut turns), &mut expected, output)?;
            total.join(&part);
        }
    }
    if !turns.is_empty() {
        total.join(&send(installation, grant, id, turns, &mut expected, output)?);
    }
    Ok(total)
}

impl AppendedTotal {
    fn join(&mut self, part: &Self) {
        self.stored += part.stored;
        self.asked += part.asked;
        self.refused += part.refused;
        self.next_turn = part.next_turn;
    }
}

/// One append. What comes after it is expected to follow.
fn send(
    installation: &Installation,
    grant: &Grant<Remember>,
    id: &SessionId,
    turns: Vec<NewTurn>,
    expected: &mut Option<u32>,
    output: &Output,
) -> Result<AppendedTotal> {
    let count = turns.len() as u32;
    let appended: Appended = installation.service.append_turns(grant, id, turns, *expected)?;
    *expected = expected.map(|_| appended.first + count);
    let view = AppendedView::of(appended, id, grant.scope());
    if output.is_json() {
        output.json_line(&view)?;
    }
    let mut total = AppendedTotal::default();
    total.add(&view);
    Ok(total)
}

fn at_line(number: u64, failure: Failure) -> Failure {
    let detail = format!("line {number}: {}", failure.detail);
    let code = if failure.code == &codes::INTERNAL { &codes::INVALID } else { failure.code };
    Failure { public: detail.clone(), detail, code, ..failure }
}

fn told(view: &SessionView, more: Vec<(&'static str, String)>) -> String {
    let mut rows = vec![
        ("session", view.session_id.clone()),
        ("state", view.state.to_string()),
        ("began", minute(view.began_at)),
        ("turns", view.turn_count.to_string()),
        ("next turn", view.next_turn.to_string()),
    ];
    rows.extend(more);
    fields(rows)
}

fn listed(page: &SessionPageView) -> String {
    if page.sessions.is_empty() {
        return "there are no sessions".to_owned();
    }
    let rows = page.sessions.iter().map(|session| {
        [
            session.session_id.clone(),
            session.state.to_string(),
            session.turn_count.to_string(),
            minute(session.last_at),
        ]
    });
    let table = table(["session", "state", "turns", "last said"], rows);
    match &page.next_cursor {
        Some(cursor) => format!("{table}\n\nmore: lacuna session list --cursor {cursor}"),
        None => table,
    }
}

fn conversation(shown: &SessionShownView) -> String {
    let rows = shown.turns.iter().map(|turn| {
        [turn.turn.to_string(), turn.role.to_string(), turn.text.clone(), short(&turn.memory_id)]
    });
    let table = table(["turn", "role", "said", "id"], rows);
    let head = told(&shown.session, Vec::new());
    match &shown.next_cursor {
        Some(cursor) => {
            let id = &shown.session.session_id;
            format!("{head}\n\n{table}\n\nmore: lacuna session show {id} --cursor {cursor}")
        }
        None => format!("{head}\n\n{table}"),
    }
}
