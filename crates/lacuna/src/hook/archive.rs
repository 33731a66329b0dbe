//! Archiving a transcript: its turns are appended to their session in batches, and a mark moves behind each
//! batch. A hook that dies in between has stored whole batches; the next one sends the unmarked batch again under
//! the same numbers, and the core does not store it twice.

use std::path::Path;

use jiff::Timestamp;
use lacuna_core::forget::{ErasedBefore, UnreadText};
use lacuna_core::keep::NewTurn;
use lacuna_core::permit::{Grant, ReadAudit, Remember};
use lacuna_core::vault::TURNS_PER_APPEND_MAX;
use lacuna_core::write::Outcome;
use lacuna_types::{Error, SessionId, Wait};

use super::line::TranscriptParser;
use super::lines::{LineRead, TranscriptLines};
use super::mark::{ReadMark, ReadPosition};
use super::{Deadline, Done};
use crate::assemble::Installation;
use crate::codes;
use crate::wire::failure::{Failure, Result};

/// Turns of one batch: one commit, the turns in RAM, and the work under way when the time is over.
const BATCH_TURNS: usize = 16;
const BATCH_BYTES: usize = 64 << 10;
/// Turns that one hook stores at most; the next hook goes on. An opened vault holds them in RAM.
const RUN_TURNS_MAX: usize = 2_000;
const RUN_BYTES_MAX: usize = 4 << 20;
/// Bytes before the mark that are read again, to learn which tools gave the answers behind it.
const LOOK_BACK_BYTES: u64 = 1 << 20;

/// Stores the turns of the transcript that are not stored yet, until it ends or the time is over.
pub(crate) fn archive(
    installation: &Installation,
    data: &Path,
    session: &SessionId,
    transcript: &Path,
    deadline: Deadline,
    done: &mut Done,
) -> Result<()> {
    let grant = installation.grant::<Remember>(None)?;
    let unreadable = |error: std::io::Error| {
        Failure::new(&codes::INPUT_UNREADABLE, format!("the transcript {}: {error}", transcript.display()))
    };
    let mut mark = ReadMark::take(&ReadMark::path(data, session, transcript))?;
    let began_at = installation.service.start_session(&grant, Some(session.clone()))?.began_at;
    let service = &installation.service;
    let erased = service.erased_before(installation.grant(None)?, &installation.grant::<ReadAudit>(None)?)?;
    let stale = Stale { erased, began_at };
    let (place, known) = begin(installation, &grant, session, mark.place)?;
    let parser = looked_back(transcript, place.offset).map_err(unreadable)?;
    let lines = TranscriptLines::open(transcript, place.offset).map_err(unreadable)?;
    let mut run = ArchiveRun { installation, grant, session, lines, parser, place, known, stale };
    let (mut turns, mut bytes) = (0, 0);
    loop {
        let batch = run.read(done).map_err(unreadable)?;
        turns += batch.turns.len();
        bytes += batch.bytes;
        run.append(batch.turns, done)?;
        mark.save(ReadPosition { offset: run.lines.offset(), next_turn: run.place.next_turn })?;
        if batch.is_last {
            return Ok(());
        }
        if deadline.is_over() || turns >= RUN_TURNS_MAX || bytes >= RUN_BYTES_MAX {
            done.unfinished = true;
            return Ok(());
        }
    }
}

/// Finds the place to go on from, and the number of turns from there that are stored already. Without a mark the
/// session tells, whose turns are numbered as in the transcript.
fn begin(
    installation: &Installation,
    grant: &Grant<Remember>,
    session: &SessionId,
    marked: Option<ReadPosition>,
) -> Result<(ReadPosition, u32)> {
    let stored = installation.service.start_session(grant, Some(session.clone()))?.next_turn;
    Ok(match marked {
        // The core would not give these numbers: everything that had them is gone.
        Some(place) if place.next_turn > stored + TURNS_PER_APPEND_MAX as u32 => {
            (ReadPosition { next_turn: stored, ..place }, 0)
        }
        Some(place) => (place, 0),
        None => (ReadPosition { offset: 0, next_turn: 1 }, stored - 1),
    })
}

/// Returns a parser that has seen the calls shortly before `offset`.
fn looked_back(transcript: &Path, offset: u64) -> std::io::Result<TranscriptParser> {
    let mut parser = TranscriptParser::default();
    let from = offset.saturating_sub(LOOK_BACK_BYTES);
    let mut lines = TranscriptLines::open(transcript, from)?;
    if from > 0 {
        // The offset most likely lies in the middle of a line.
        lines.read()?;
    }
    while lines.offset() < offset {
        match lines.read()? {
            LineRead::Line(line) => drop(parser.turns(line)),
            LineRead::TooLong => {}
            LineRead::End => break,
        }
    }
    Ok(parser)
}

/// Turns from before a forgetting that may speak of what went: they must not be sealed after it.
struct Stale<'a> {
    erased: ErasedBefore<'a>,
    /// Start of the session: the time of turns that have none.
    began_at: Timestamp,
}

impl Stale<'_> {
    fn is(&self, turn: &NewTurn, session: &SessionId) -> bool {
        let at = turn.at.unwrap_or(self.began_at);
        // In doubt it stays out.
        self.erased.may_hold(&UnreadText { text: turn.text.expose(), at, session }).unwrap_or(true)
    }
}

struct TurnBatch {
    turns: Vec<NewTurn>,
    bytes: usize,
    is_last: bool,
}

struct ArchiveRun<'a> {
    installation: &'a Installation,
    grant: Grant<Remember>,
    session: &'a SessionId,
    lines: TranscriptLines,
    parser: TranscriptParser,
    place: ReadPosition,
    /// Turns that are stored already and only counted.
    known: u32,
    stale: Stale<'a>,
}

impl ArchiveRun<'_> {
    /// Reads lines until a batch is full.
    fn read(&mut self, done: &mut Done) -> std::io::Result<TurnBatch> {
        let mut batch = TurnBatch { turns: Vec::new(), bytes: 0, is_last: false };
        while batch.turns.len() < BATCH_TURNS && batch.bytes < BATCH_BYTES {
            let turns = match self.lines.read()? {
                LineRead::End => {
                    batch.is_last = true;
                    break;
                }
                LineRead::TooLong => None,
                LineRead::Line(line) => self.parser.turns(line),
            };
            done.skipped += usize::from(turns.is_none());
            for turn in turns.unwrap_or_default() {
                self.take(turn, &mut batch, done);
            }
        }
        Ok(batch)
    }

    /// Adds a turn to a batch, unless it is stored already or too old. The turn keeps its number either way.
    fn take(&mut self, turn: NewTurn, batch: &mut TurnBatch, done: &mut Done) {
        if self.known > 0 {
            self.known -= 1;
            self.place.next_turn += 1;
        } else if self.stale.is(&turn, self.session) {
            done.left_out += 1;
            self.place.next_turn += u32::from(batch.turns.is_empty());
        } else {
            batch.bytes += turn.text.expose().len();
            batch.turns.push(turn);
        }
    }

    /// Stores a batch under the numbers that its turns have in the transcript. One line can hold more turns than
    /// one append takes.
    fn append(&mut self, turns: Vec<NewTurn>, done: &mut Done) -> Result<()> {
        for part in turns.chunks(BATCH_TURNS) {
            match self.send(part, done) {
                // One turn that the core refuses must not block the others, now and for ever.
                Err(Error::Invalid { .. }) => self.send_each(part, done)?,
                sent => sent?,
            }
        }
        Ok(())
    }

    fn send_each(&mut self, turns: &[NewTurn], done: &mut Done) -> Result<()> {
        for turn in turns {
            match self.send(std::slice::from_ref(turn), done) {
                Err(Error::Invalid { field: "text", .. }) => {
                    done.refused += 1;
                    self.place.next_turn += 1;
                }
                sent => sent?,
            }
        }
        Ok(())
    }

    fn send(&mut self, turns: &[NewTurn], done: &mut Done) -> lacuna_types::Result<()> {
        let service = &self.installation.service;
        let now = service.clock().now();
        // The core refuses a turn whose clock runs ahead of ours.
        let not_ahead = |turn: &NewTurn| NewTurn { at: turn.at.filter(|at| *at <= now), ..turn.duplicate() };
        // The turns stay here: each attempt sends a copy of its own.
        let copies = || turns.iter().map(not_ahead).collect();
        let expected = Some(self.place.next_turn);
        let appended = match service.append_turns(&self.grant, self.session, copies(), expected) {
            // Another writer appended to this session: go on behind it.
            Err(Error::Conflict(_)) => service.append_turns(&self.grant, self.session, copies(), None)?,
            appended => appended?,
        };
        self.place.next_turn = appended.first + appended.outcomes.len() as u32;
        for outcome in &appended.outcomes {
            match outcome {
                Outcome::Stored(stored) if stored.waits == Some(Wait::Consent) => done.held += 1,
                Outcome::Asked(asked) if asked.held.is_some() => done.held += 1,
                Outcome::Stored(stored) => {
                    done.turns += 1;
                    done.held += usize::from(stored.held.is_some());
                }
                Outcome::Asked(_) | Outcome::Refused(_) => done.refused += 1,
            }
        }
        Ok(())
    }
}
