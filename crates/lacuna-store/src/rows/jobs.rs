//! The table of jobs: which is due when, who runs it and until when their claim holds. It spans vaults and
//! holds no content.

use jiff::Timestamp;

use super::check::whole_millis;
use lacuna_types::{Error, Result};

/// The name of a job, of a node or of an outcome, in bytes.
pub const JOB_WORD_BYTES_MAX: usize = 64;

/// One job as the table has it. Before its first claim a job has no row, and is due.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobRow {
    /// The name of the job.
    pub name: String,
    /// The time of the next run.
    pub due_at: Timestamp,
    /// The node that runs it. A claim that has run out is nobody's.
    pub claimed_by: Option<String>,
    /// The end of the claim.
    pub claimed_until: Option<Timestamp>,
    /// The start of the last run.
    pub began_at: Option<Timestamp>,
    /// The end of the last run that ended.
    pub ended_at: Option<Timestamp>,
    /// `ok`, or the code of what failed.
    pub outcome: Option<String>,
    /// The number of things that the last run did.
    pub done: u64,
    /// Failed runs since the last that did not fail.
    pub failures: u32,
}

/// A node's claim to run a job until a moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobClaim {
    /// The name of the job.
    pub name: String,
    /// The node that wants to run it.
    pub node: String,
    /// The time of the claim.
    pub at: Timestamp,
    /// The end of the claim.
    pub until: Timestamp,
    /// True runs the job although it is not due.
    pub early: bool,
}

/// The end of a run, and the time of the next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobEnd {
    /// The name of the job.
    pub name: String,
    /// The node that ran it.
    pub node: String,
    /// The time of the end.
    pub ended_at: Timestamp,
    /// The time of the next run.
    pub due_at: Timestamp,
    /// `ok`, or the code of the failure.
    pub outcome: String,
    /// The number of things that the run did.
    pub done: u64,
    /// Failed runs since the last that did not fail.
    pub failures: u32,
}

pub(super) fn check_claim(claim: &JobClaim) -> Result<()> {
    check_word("job", &claim.name)?;
    check_word("node", &claim.node)?;
    whole_millis(claim.at)?;
    whole_millis(claim.until)
}

pub(super) fn check_end(end: &JobEnd) -> Result<()> {
    check_word("job", &end.name)?;
    check_word("node", &end.node)?;
    check_word("outcome", &end.outcome)?;
    whole_millis(end.ended_at)?;
    whole_millis(end.due_at)
}

fn check_word(field: &'static str, word: &str) -> Result<()> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-.".contains(&byte);
    if word.is_empty() || word.len() > JOB_WORD_BYTES_MAX || !word.bytes().all(plain) {
        let reason =
            format!("must be 1 to {JOB_WORD_BYTES_MAX} small letters, digits, dots, dashes or underscores");
        return Err(Error::invalid(field, reason));
    }
    Ok(())
}
