//! A hundred conversations at once: what one append takes while sessions end, vectors are renewed and the vault grows
//! past its ceiling, what all of it takes in RAM, and whether every turn is there afterwards.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use lacuna_core::Lacuna;
use lacuna_core::keep::{NewTurn, SESSION_PAGE_MAX};
use lacuna_core::permit::{Recall, Remember};
use lacuna_core::vault::{Models, Speaker};
use lacuna_core::write::Outcome;
use lacuna_types::SessionId;
use lacuna_types::policy::Policy;

use super::measure::{Latency, resident_bytes};
use super::sentences;
use super::service::{USER, grant, service_under};
use crate::Result;

/// Turns of one append: a question and its answer.
const TURNS_PER_APPEND: usize = 2;
const SEED: u64 = 4_711;
/// Turns appended between two rounds of the jobs.
const JOBS_EVERY: Duration = Duration::from_secs(5);
const BACKLOG_PATIENCE: Duration = Duration::from_millis(50);

pub(super) struct Talking {
    pub(super) people: usize,
    pub(super) turns: usize,
    pub(super) append: Latency,
    pub(super) slowest: Duration,
    pub(super) took: Duration,
    /// Counters of the system before the first and after the last turn.
    pub(super) resident_before: usize,
    pub(super) resident_after: usize,
    /// Turns that were stored, held in working memory, or refused by the gate; nothing else happened to one.
    pub(super) stored: usize,
    pub(super) held: usize,
    pub(super) refused: usize,
    /// Turns that are read back, and those that the transcripts name.
    pub(super) read_back: usize,
    pub(super) archived: usize,
    pub(super) jobs: Jobs,
}

/// The work of the jobs while turns were appended.
#[derive(Default)]
pub(super) struct Jobs {
    /// Sessions that rested too long.
    pub(super) ended: usize,
    /// Turns that summaries and facts took the place of in the search.
    pub(super) compacted: usize,
}

/// Appends so many turns over the sessions of so many people, in turn, while the jobs run beside it and the default
/// policy's ceiling archives what matters least. Afterwards every session is ended and read back.
pub(super) fn talking(people: usize, turns: usize, sessions: usize, folder: &Path) -> Result<Talking> {
    let models = Models::only(lacuna_models::static_embedder()?);
    let service = Arc::new(service_under(folder, models, Policy::default())?);
    service.upkeep().warm_up()?;
    let names: Vec<(String, SessionId)> = (0..sessions)
        .map(|number| Ok((talker(number % people), SessionId::new(&format!("talk-{number}"))?)))
        .collect::<lacuna_types::Result<_>>()?;
    let resident_before = resident_bytes()?;
    let stop = Arc::new(AtomicBool::new(false));
    let jobs = start_jobs(&service, people, &stop)?;
    let started = Instant::now();
    let mut tally = Tally::default();
    let mut times = Vec::with_capacity(turns / TURNS_PER_APPEND);
    for append in 0..turns / TURNS_PER_APPEND {
        let (user, session) = &names[append % names.len()];
        let said = said(append);
        let began = Instant::now();
        let appended = service.append_turns(&grant::<Remember>(user)?, session, said, None)?;
        times.push(began.elapsed());
        appended.outcomes.iter().for_each(|outcome| tally.count(outcome));
    }
    let took = started.elapsed();
    let resident_after = resident_bytes()?;
    stop.store(true, Ordering::Release);
    let jobs = jobs.join().map_err(|_| "the jobs died")??;
    let (mut read_back, mut archived) = (0, 0);
    for (user, session) in &names {
        let (read, named) = end_and_read(&service, user, session)?;
        read_back += read;
        archived += named;
    }
    let slowest = times.iter().copied().max().unwrap_or_default();
    Ok(Talking {
        people,
        turns: times.len() * TURNS_PER_APPEND,
        append: Latency::of(times),
        slowest,
        took,
        resident_before,
        resident_after,
        stored: tally.stored,
        held: tally.held,
        refused: tally.refused,
        read_back,
        archived,
        jobs,
    })
}

#[derive(Default)]
struct Tally {
    stored: usize,
    held: usize,
    refused: usize,
}

impl Tally {
    fn count(&mut self, outcome: &Outcome) {
        use lacuna_types::Tier;
        match outcome {
            Outcome::Stored(memory) if memory.tier == Tier::Working => self.held += 1,
            Outcome::Stored(_) => self.stored += 1,
            Outcome::Asked(_) | Outcome::Refused(_) => self.refused += 1,
        }
    }
}

fn talker(number: usize) -> String {
    match number {
        0 => USER.to_owned(),
        other => format!("talker-{other}"),
    }
}

fn said(append: usize) -> Vec<NewTurn> {
    let asked = NewTurn::new(Speaker::User, sentences::question(SEED, append));
    let answered = NewTurn::new(Speaker::Assistant, sentences::memory(SEED, append));
    vec![asked, answered]
}

/// The work that a server does beside: vectors, unfinished work, sessions that rest, compaction, the purge and the sweep.
fn start_jobs(
    service: &Arc<Lacuna>,
    people: usize,
    stop: &Arc<AtomicBool>,
) -> Result<thread::JoinHandle<lacuna_types::Result<Jobs>>> {
    let (service, stop) = (service.clone(), stop.clone());
    let scopes: Vec<_> = (0..people)
        .map(|number| Ok(grant::<Recall>(&talker(number))?.scope().clone()))
        .collect::<Result<_>>()?;
    Ok(thread::spawn(move || {
        let (mut jobs, mut last) = (Jobs::default(), Instant::now());
        while !stop.load(Ordering::Acquire) {
            service
                .upkeep()
                .work_backlog(BACKLOG_PATIENCE, &mut |_| ControlFlow::Continue(()))
                .transpose()?;
            if last.elapsed() >= JOBS_EVERY {
                for scope in &scopes {
                    jobs.ended += service.upkeep().end_idle_sessions(scope)?;
                    jobs.compacted +=
                        service.upkeep().compact_due(scope, &mut |_| ControlFlow::Continue(()))?;
                }
                service.upkeep().purge()?;
                service.upkeep().sweep(&mut |_| ControlFlow::Continue(()))?;
                last = Instant::now();
            }
        }
        Ok(jobs)
    }))
}

/// Ends a session. Answers with the turns that are read back, and those that its transcripts hold.
fn end_and_read(service: &Lacuna, user: &str, session: &SessionId) -> Result<(usize, usize)> {
    let ended = service.end_session(&grant::<Remember>(user)?, session)?;
    let reader = grant::<Recall>(user)?;
    let mut archived = 0;
    for transcript in &ended.info.transcripts {
        let memory = service.get(&reader, *transcript)?;
        archived += memory.facets.history.segment.map_or(0, |segment| segment.turns as usize);
    }
    let (mut read, mut from) = (0, Some(1));
    while let Some(first) = from {
        let page = service.session(&reader, session, first, SESSION_PAGE_MAX)?;
        read += page.turns.len();
        from = page.next;
    }
    Ok((read, archived))
}
