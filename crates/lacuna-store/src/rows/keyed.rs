//! Requests that came under an `Idempotency-Key`, for nodes that share a store: which are under way, and which are done.
//!
//! Names are keyed marks, and an answer is sealed under a key that is made of the request itself: the store learns neither a
//! key of a client nor a word of a request.

use jiff::Timestamp;
use lacuna_types::{Error, OrgId, Result};

use super::check::whole_millis;

/// Requests of one caller that are kept; one more, and the oldest that is done goes.
pub const KEYED_OF_CALLER_MAX: usize = 2_000;
/// Requests of one caller whose answers are kept; one more, and the oldest of these answers goes.
pub const KEYED_ANSWERS_OF_CALLER_MAX: usize = 200;
/// Bytes of a sealed answer.
pub const KEYED_ANSWER_BYTES_MAX: usize = 64 << 10;

/// A node's claim to answer a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyedClaim {
    /// The organisation of the caller.
    pub org: OrgId,
    /// The mark of caller and key.
    pub mark: [u8; 32],
    /// The mark of the caller.
    pub caller: [u8; 32],
    /// The mark of the whole request.
    pub print: [u8; 32],
    /// A random name of this claim.
    pub holder: [u8; 16],
    /// The time of the claim.
    pub at: Timestamp,
    /// The end of the claim, unless it is renewed: a node that dies does not hold it for ever.
    pub until: Timestamp,
    /// A request of before this moment is as if it had not been.
    pub kept_since: Timestamp,
}

/// The standing of a request when a node asks for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KeyedStanding {
    /// It is the asking node's to answer.
    Claimed,
    /// Another claim holds.
    UnderWay,
    /// It was answered, with the sealed answer if that is kept.
    Done(Option<Vec<u8>>),
    /// Another request had the same key.
    Other,
}

/// The end of a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyedEnd {
    /// The organisation of the caller.
    pub org: OrgId,
    /// The mark of caller and key.
    pub mark: [u8; 32],
    /// The name of the claim.
    pub holder: [u8; 16],
    /// The end of the request.
    pub outcome: KeyedOutcome,
}

/// The end of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KeyedOutcome {
    /// It failed, changed nothing, and may come again under its key.
    Failed,
    /// It was done; the sealed answer, at most [`KEYED_ANSWER_BYTES_MAX`], where it is kept.
    Done(Option<Vec<u8>>),
}

pub(super) fn check_keyed_claim(claim: &KeyedClaim) -> Result<()> {
    [claim.at, claim.until, claim.kept_since].into_iter().try_for_each(whole_millis)
}

pub(super) fn check_keyed_end(end: &KeyedEnd) -> Result<()> {
    match &end.outcome {
        KeyedOutcome::Done(Some(sealed)) if sealed.len() > KEYED_ANSWER_BYTES_MAX => {
            Err(Error::invalid("answer", format!("must be at most {KEYED_ANSWER_BYTES_MAX} bytes")))
        }
        _ => Ok(()),
    }
}
