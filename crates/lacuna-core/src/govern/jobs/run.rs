//! Running one job: claim it, work, hold the claim meanwhile, give it back with how it went.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lacuna_store::rows::{JobClaim, JobEnd};
use lacuna_types::{Error, Result, millis};

use crate::govern::jobs::work::work;
use crate::govern::jobs::{Job, Schedule};
use crate::vault::secrets::PassedOver;
use crate::vault::service::Service;

/// Time for which a claim holds unless it is renewed. A node that dies with a claim keeps the job from the
/// others this long.
pub const CLAIM_HOLDS: SignedDuration = SignedDuration::from_mins(5);
/// Time between two renewals of a claim.
const RENEW_EVERY: Duration = Duration::from_secs(60);
/// The pause after a failure; it doubles with each further one.
pub const PAUSE_FIRST: SignedDuration = SignedDuration::from_mins(1);
pub(crate) const PAUSE_MAX: SignedDuration = SignedDuration::from_hours(6);
/// Doubling more often than this passes every maximum.
const DOUBLINGS_MAX: u32 = 16;

/// The outcome of a run that passed over locked vaults, and did the rest.
const OUTCOME_LOCKED: &str = "locked";

/// The outcome of an attempt to run a job.
#[derive(Debug)]
pub enum Ran {
    /// It is not due, or somebody else runs it.
    NotNow,
    /// It ended; so many things were done.
    Done(u64),
    /// It was told to stop before the end, and is due again.
    Stopped(u64),
    /// It failed, and is tried again after a pause.
    Failed(Error),
    /// Its claim ran out or was taken over: the node that holds it now goes on.
    Lost,
}

/// A claim while it is held, shared by the work and by what renews it.
struct HeldClaim<'a> {
    service: &'a Service,
    claim: JobClaim,
    /// Until when it is ours, in milliseconds. The past when somebody else has it.
    until: AtomicI64,
    ended: Mutex<bool>,
    rung: Condvar,
}

/// The result of a run's work.
struct Worked {
    done: Result<u64>,
    /// Vaults that were passed over because they are locked.
    locked: u64,
    stopped: bool,
}

/// Runs a job if it is due, or at once if it is `early`, unless somebody else runs it. `node` is who we are,
/// other than any other process; `stop` is asked now and then whether to leave the rest for later.
pub(crate) fn run_job(
    service: &Service,
    job: Job,
    node: &str,
    early: bool,
    schedule: &Schedule,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Ran> {
    let at = service.clock.now();
    let (name, node) = (job.as_str().to_owned(), node.to_owned());
    let claim = JobClaim { name, node, at, until: at + CLAIM_HOLDS, early };
    if !service.store.claim_job(&claim)? {
        return Ok(Ran::NotNow);
    }
    let held = HeldClaim::new(service, claim);
    let (mut done, passed) = (0, PassedOver::default());
    let worked = std::thread::scope(|threads| {
        threads.spawn(|| held.renew());
        // However the work ends, even by a panic, the other thread must hear of it.
        let _end = EndOfWork(&held);
        work(service, job, &passed, &mut |count| {
            done = count;
            if stop() || !held.is_ours() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    });
    if passed.count() > 0 {
        tracing::info!(
            job = job.as_str(),
            locked = passed.count(),
            "locked vaults wait until they are unlocked"
        );
    }
    let worked =
        Worked { done: worked.map(|count| count.max(done)), locked: passed.count(), stopped: stop() };
    give_back(service, job, &held, schedule, worked)
}

fn give_back(
    service: &Service,
    job: Job,
    held: &HeldClaim<'_>,
    schedule: &Schedule,
    worked: Worked,
) -> Result<Ran> {
    let now = service.clock.now();
    let failures = failures(service, job)?;
    let Worked { done: worked, locked, stopped } = worked;
    let every = job.every(schedule).unwrap_or(SignedDuration::ZERO);
    let (outcome, done, failures, pause) = match &worked {
        Ok(done) if stopped => ("stopped", *done, 0, SignedDuration::ZERO),
        Ok(done) if locked > 0 => (OUTCOME_LOCKED, *done, 0, every),
        Ok(done) => ("ok", *done, 0, every),
        Err(error) => (error.code(), 0, failures + 1, pause_after(failures)),
    };
    let (name, node) = (held.claim.name.clone(), held.claim.node.clone());
    let outcome = outcome.to_owned();
    let end = JobEnd { name, node, ended_at: now, due_at: now + pause, outcome, done, failures };
    if !service.store.end_job(&end)? {
        return Ok(Ran::Lost);
    }
    Ok(match worked {
        Ok(done) if stopped => Ran::Stopped(done),
        Ok(done) => Ran::Done(done),
        Err(error) => Ran::Failed(error),
    })
}

fn failures(service: &Service, job: Job) -> Result<u32> {
    let rows = service.store.jobs()?;
    Ok(rows.iter().find(|row| row.name == job.as_str()).map_or(0, |row| row.failures))
}

/// The pause of a job after so many failures in a row.
fn pause_after(failures: u32) -> SignedDuration {
    let doubled = PAUSE_FIRST * (1 << failures.min(DOUBLINGS_MAX));
    doubled.min(PAUSE_MAX)
}

impl<'a> HeldClaim<'a> {
    fn new(service: &'a Service, claim: JobClaim) -> Self {
        let until = AtomicI64::new(millis(claim.until));
        Self { service, claim, until, ended: Mutex::new(false), rung: Condvar::new() }
    }

    fn is_ours(&self) -> bool {
        millis(self.service.clock.now()) < self.until.load(Ordering::Acquire)
    }

    /// Renews the claim until the work ends. Where the store does not answer, the claim runs out by itself.
    fn renew(&self) {
        while !self.wait() {
            let at = self.service.clock.now();
            let until = at + CLAIM_HOLDS;
            match self.service.store.renew_job(&JobClaim { at, until, ..self.claim.clone() }) {
                Ok(true) => self.until.store(millis(until), Ordering::Release),
                Ok(false) => self.until.store(millis(Timestamp::MIN), Ordering::Release),
                Err(error) => tracing::warn!(code = error.code(), "the claim of a job was not renewed"),
            }
        }
    }

    /// Waits until it is time to renew, or until the work has ended.
    fn wait(&self) -> bool {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.rung.wait_timeout_while(ended, RENEW_EVERY, |ended| !*ended);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

struct EndOfWork<'a>(&'a HeldClaim<'a>);

impl Drop for EndOfWork<'_> {
    fn drop(&mut self) {
        *self.0.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.rung.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_and_end() {
        let minutes = |failures| pause_after(failures).as_mins();
        assert_eq!([0, 1, 2, 3].map(minutes), [1, 2, 4, 8]);
        assert_eq!((pause_after(9), pause_after(u32::MAX)), (PAUSE_MAX, PAUSE_MAX));
    }
}
