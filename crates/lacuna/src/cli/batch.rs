//! Many memories from JSON lines, a thousand at a time. Whatever was stored before a bad line stays stored.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use lacuna_core::permit::{Grant, Remember};
use lacuna_core::write::Outcome;
use serde::Serialize;

use super::output::{Output, counted};
use crate::assemble::Installation;
use crate::codes;
use crate::wire::failure::{Failure, Result};
use crate::wire::json::read_json;
use crate::wire::{OutcomeView, RememberRequest, into_drafts};

/// Lines that go to the core in one call.
const CHUNK_LINES: usize = 1_000;
/// A chunk ends early at this many bytes of JSON.
const CHUNK_BYTES: usize = 32 << 20;
/// One line: the longest transcript, with every character escaped.
const LINE_BYTES_MAX: usize = 8 << 20;

/// Input that is read line by line: a file or standard input.
pub(super) struct LineSource {
    reader: Box<dyn BufRead>,
    name: String,
    /// The size of a file, for the progress bar.
    bytes: Option<u64>,
}

impl LineSource {
    pub(super) fn open(path: &Path) -> Result<Self> {
        if path.as_os_str() == "-" {
            return Ok(Self {
                reader: Box::new(io::stdin().lock()),
                name: "standard input".into(),
                bytes: None,
            });
        }
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| unreadable(&name, &error))?;
        let bytes = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|meta| meta.len());
        Ok(Self { reader: Box::new(BufReader::new(file)), name, bytes })
    }

    /// The next line without its break; `None` at the end.
    pub(super) fn line(&mut self) -> Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let limit = LINE_BYTES_MAX as u64 + 1;
        let mut reader = self.reader.by_ref().take(limit);
        let read = reader.read_until(b'\n', &mut line).map_err(|error| unreadable(&self.name, &error))?;
        if line.len() > LINE_BYTES_MAX {
            let reason = format!("is longer than {LINE_BYTES_MAX} bytes");
            return Err(Failure::new(&codes::TOO_LARGE, reason));
        }
        Ok((read > 0).then_some(line))
    }
}

/// Counts of a whole batch.
#[derive(Default, Serialize)]
struct BatchTotals {
    stored: u64,
    /// Stored, and waiting for a review.
    waiting: u64,
    /// Not stored until they are confirmed.
    asked: u64,
    refused: u64,
}

impl BatchTotals {
    fn count(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Stored(memory) => {
                self.stored += 1;
                self.waiting += u64::from(memory.waits.is_some());
            }
            Outcome::Asked(_) => self.asked += 1,
            Outcome::Refused(_) => self.refused += 1,
        }
    }

    fn told(&self) -> String {
        let mut told = format!("remembered {}", counted(self.stored as usize, "memory", "memories"));
        let others = [
            (self.waiting, "of them waits for a review", "of them wait for a review"),
            (
                self.asked,
                "was not stored: it needs a confirmation, see --json",
                "were not stored: they need a confirmation, see --json",
            ),
            (self.refused, "was refused, see --json", "were refused, see --json"),
        ];
        for (count, one, many) in others.into_iter().filter(|(count, ..)| *count > 0) {
            told += &format!("; {}", counted(count as usize, one, many));
        }
        told
    }
}

struct Chunk {
    /// Each with the number of its line.
    requests: Vec<(u64, RememberRequest)>,
    bytes: u64,
}

pub(super) fn remember(
    installation: &Installation,
    grant: &Grant<Remember>,
    mut source: LineSource,
    from_line: u64,
    output: &Output,
) -> Result<()> {
    let bar = progress(source.bytes);
    let mut account = BatchTotals::default();
    let mut number = 0;
    let outcome = loop {
        let (chunk, fault) = read_chunk(&mut source, &mut number, from_line);
        let kept = store(installation, grant, chunk.requests, &mut account, output);
        bar.inc(chunk.bytes);
        match (kept, fault) {
            (Err(error), _) => break Err(error),
            (Ok(()), Some(fault)) => break fault,
            (Ok(()), None) => {}
        }
    };
    bar.finish_and_clear();
    outcome.map_err(|failure| with_account(failure, account.stored))?;
    if !output.is_json() {
        output.show(&account, BatchTotals::told)?;
    }
    Ok(())
}

/// Reads up to a chunk. The second part is `None` to go on, and otherwise says how the input ended.
fn read_chunk(
    source: &mut LineSource,
    number: &mut u64,
    from_line: u64,
) -> (Chunk, Option<Result<(), Failure>>) {
    let mut chunk = Chunk { requests: Vec::new(), bytes: 0 };
    while chunk.requests.len() < CHUNK_LINES && chunk.bytes < CHUNK_BYTES as u64 {
        *number += 1;
        let line = match source.line() {
            Ok(Some(line)) => line,
            Ok(None) => return (chunk, Some(Ok(()))),
            Err(failure) => return (chunk, Some(Err(at_line(*number, failure)))),
        };
        chunk.bytes += line.len() as u64;
        if *number < from_line || line.trim_ascii().is_empty() {
            continue;
        }
        match read_json(&line) {
            Ok(request) => chunk.requests.push((*number, request)),
            Err(failure) => return (chunk, Some(Err(at_line(*number, failure)))),
        }
    }
    (chunk, None)
}

/// All at once; if the core refuses one, one by one up to that one, so that its line is known.
fn store(
    installation: &Installation,
    grant: &Grant<Remember>,
    requests: Vec<(u64, RememberRequest)>,
    account: &mut BatchTotals,
    output: &Output,
) -> Result<()> {
    let Some((first, _)) = requests.first() else { return Ok(()) };
    let first = *first;
    let all = requests.iter().map(|(_, request)| request.clone()).collect();
    match commit(installation, grant, all, account, output) {
        Err(failure) if failure.code == &codes::INVALID => {}
        other => return other.map_err(|failure| at_line(first, failure)),
    }
    for (number, request) in requests {
        commit(installation, grant, vec![request], account, output)
            .map_err(|failure| at_line(number, failure))?;
    }
    Ok(())
}

fn commit(
    installation: &Installation,
    grant: &Grant<Remember>,
    requests: Vec<RememberRequest>,
    account: &mut BatchTotals,
    output: &Output,
) -> Result<()> {
    for outcome in installation.service.remember(grant, into_drafts(requests)?)? {
        account.count(&outcome);
        if output.is_json() {
            output.json_line(&OutcomeView::of(outcome, grant.scope()))?;
        }
    }
    Ok(())
}

fn at_line(number: u64, failure: Failure) -> Failure {
    let detail = format!("line {number}: {}; go on with --from-line {number}", failure.detail);
    Failure { public: detail.clone(), detail, ..failure }
}

fn with_account(failure: Failure, stored: u64) -> Failure {
    let before = counted(stored as usize, "memory was", "memories were");
    let detail = format!("{} ({before} stored before it)", failure.detail);
    Failure { public: detail.clone(), detail, ..failure }
}

fn unreadable(name: &str, error: &io::Error) -> Failure {
    Failure::new(&codes::INPUT_UNREADABLE, format!("{name} cannot be read: {error}"))
}

/// Shows itself on a terminal only.
fn progress(bytes: Option<u64>) -> ProgressBar {
    let bar = bytes.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    let template = match bytes {
        Some(_) => "{bar:30} {percent}% of {total_bytes} remembered, {eta} left",
        None => "{spinner} {bytes} remembered",
    };
    bar.with_style(ProgressStyle::with_template(template).expect("the template is correct"))
}
