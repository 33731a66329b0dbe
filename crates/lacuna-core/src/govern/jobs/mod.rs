//! Work that comes round: what there is, how often, and who does it now.
//!
//! The table of jobs lies in the store, so that a job survives restarts and several nodes share it. Whoever runs
//! a job holds a claim that runs out unless it is renewed; a node that dies loses its jobs to the others.

pub(crate) mod run;
pub(crate) mod work;

use jiff::{SignedDuration, Timestamp};
use lacuna_store::rows::JobRow;
use lacuna_types::{Result, facet};

use crate::permit::{Grant, ManageJobs};
use crate::vault::service::Service;

facet!(
    /** Every job there is. */
    Job, "job", {
    Sweep = 1 "sweep",
    Purge = 2 "purge",
    Stamp = 3 "stamp",
    Review = 4 "review",
    Audit = 5 "audit",
    Epoch = 6 "epoch",
    Sessions = 7 "sessions",
    Compact = 8 "compact",
    Embed = 9 "embed",
    Rotate = 10 "rotate",
});

impl Job {
    /// A sentence that tells people about the job's work.
    pub fn about(self) -> &'static str {
        match self {
            Self::Sweep => "erases what was kept as long as it may be",
            Self::Purge => "erases what was hidden longer than it can be restored",
            Self::Stamp => "applies rules and settings to what is there, sets aside what has faded",
            Self::Review => "asks owners to look through what they keep",
            Self::Audit => "ages and signs audit chains, forgets old tombstones",
            Self::Sessions => "ends sessions that nobody went on with",
            Self::Compact => "summarises and archives old turns of conversations",
            Self::Embed => "gives memories that have none a vector of the model in use",
            Self::Rotate => "wraps vaults under the newest master key, and destroys older ones",
            Self::Epoch => "renews the epoch key, which blinds old copies of the keystore",
        }
    }

    /// Time from one run to the next; `None` for a job that runs only when somebody starts it.
    pub fn every(self, schedule: &Schedule) -> Option<SignedDuration> {
        match self {
            Self::Sweep | Self::Purge | Self::Rotate => Some(SignedDuration::from_hours(1)),
            // These open every vault to look into it, so they come round less often.
            Self::Sessions => Some(SignedDuration::from_hours(6)),
            Self::Stamp | Self::Review | Self::Audit | Self::Compact | Self::Embed => {
                Some(SignedDuration::from_hours(24))
            }
            Self::Epoch => schedule.epoch_days.map(|days| SignedDuration::from_hours(24 * i64::from(days))),
        }
    }
}

/// The settings that an operator may make for the jobs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Schedule {
    /// Days between two renewals of the epoch key; `None` leaves renewals to an operator.
    pub epoch_days: Option<u32>,
}

/// One job, and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobState {
    /// The job.
    pub job: Job,
    /// `None` for what only runs when somebody says so.
    pub every: Option<SignedDuration>,
    /// The next run; `None` when it never ran, or runs only when somebody starts it.
    pub due_at: Option<Timestamp>,
    /// The node that runs it at this moment.
    pub running_on: Option<String>,
    /// The beginning of the last run.
    pub began_at: Option<Timestamp>,
    /// The end of the last run.
    pub ended_at: Option<Timestamp>,
    /// The result of the last run, in a word.
    pub outcome: Option<String>,
    /// Count of the things that the last run did.
    pub done: u64,
    /// Failures in a row.
    pub failures: u32,
}

/// Every job and where it stands. Nothing of it says what any vault holds.
pub(crate) fn jobs(
    service: &Service,
    _grant: &Grant<ManageJobs>,
    schedule: &Schedule,
) -> Result<Vec<JobState>> {
    let rows = service.store.jobs()?;
    let now = service.clock.now();
    let state = |job: &Job| {
        let row = rows.iter().find(|row| row.name == job.as_str());
        JobState::of(*job, job.every(schedule), row, now)
    };
    Ok(Job::ALL.iter().map(state).collect())
}

impl JobState {
    fn of(job: Job, every: Option<SignedDuration>, row: Option<&JobRow>, now: Timestamp) -> Self {
        let held = row.filter(|row| row.claimed_until.is_some_and(|until| now < until));
        Self {
            job,
            every,
            due_at: row.filter(|_| every.is_some()).map(|row| row.due_at),
            running_on: held.and_then(|row| row.claimed_by.clone()),
            began_at: row.and_then(|row| row.began_at),
            ended_at: row.and_then(|row| row.ended_at),
            outcome: row.and_then(|row| row.outcome.clone()),
            done: row.map_or(0, |row| row.done),
            failures: row.map_or(0, |row| row.failures),
        }
    }
}
