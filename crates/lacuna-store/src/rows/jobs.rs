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
    pub name: String,
    pub due_at: Timestamp,
    /// Who runs it, if anybody does, and until when it is theirs. A claim that has run out is nobody's.
    pub claimed_by: Option<String>,
    pub claimed_until: Option<Timestamp>,
    /// When the last run began, and when the last one that ended did.
    pub began_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    /// `ok`, or the code of what failed.
    pub outcome: Option<String>,
    /// How many things the last run did.
    pub done: u64,
    /// How many runs failed since the last that did not.
    pub failures: u32,
}

/// Who wants to run which job, and until when it shall be theirs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobClaim {
    pub name: String,
    pub node: String,
    pub at: Timestamp,
    pub until: Timestamp,
    /// Whether it runs even though it is not due.
    pub early: bool,
}

/// How a run ended, and when the next one is due.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobEnd {
    pub name: String,
    pub node: String,
    pub ended_at: Timestamp,
    pub due_at: Timestamp,
    pub outcome: String,
    pub done: u64,
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
