//! The table of jobs on the wire. It reveals nothing about the content of a vault.

use jiff::Timestamp;
use lacuna_core::govern::JobState;
use serde::Serialize;
use utoipa::ToSchema;

/// Every job, and its state.
#[derive(Serialize, ToSchema)]
#[schema(as = JobList)]
pub(crate) struct JobList {
    pub(crate) jobs: Vec<JobView>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Job)]
pub(crate) struct JobView {
    pub(crate) job: &'static str,
    /// Purpose of the job.
    pub(crate) about: &'static str,
    /// Hours between its runs; absent for a job that only an operator starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) every_hours: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) began_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ended_at: Option<Timestamp>,
    /// `ok`, `stopped`, `locked` if vaults were passed over that their person locked, or the code of the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) outcome: Option<String>,
    /// Items that the last run handled, and failed runs since the last success.
    pub(crate) done: u64,
    pub(crate) failures: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) due_at: Option<Timestamp>,
    /// The node that runs it at this moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) running_on: Option<String>,
}

impl JobList {
    pub(crate) fn of(states: Vec<JobState>) -> Self {
        Self { jobs: states.into_iter().map(JobView::from).collect() }
    }
}

impl From<JobState> for JobView {
    fn from(state: JobState) -> Self {
        Self {
            job: state.job.as_str(),
            about: state.job.about(),
            every_hours: state.every.map(|every| every.as_hours()),
            began_at: state.began_at,
            ended_at: state.ended_at,
            outcome: state.outcome,
            done: state.done,
            failures: state.failures,
            due_at: state.due_at,
            running_on: state.running_on,
        }
    }
}
