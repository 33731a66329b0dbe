//! The handle of a [`crate::Lacuna`] for requests that doors take under an `Idempotency-Key`, where nodes share a store.

use std::time::Duration;

use lacuna_seal::Digest;
use lacuna_store::rows::{KeyedClaim, KeyedEnd, KeyedOutcome, KeyedStanding};
use lacuna_types::{Error, OrgId, Result};

use crate::vault::service::Service;

/// Time for which a request is known by its key.
pub const KEYED_KEPT: Duration = Duration::from_secs(24 * 60 * 60);
/// Time for which a claim holds after it was made or renewed. It is longer than the minute by which the clocks of nodes may
/// differ, and the longest time for which a node that died holds a key.
pub const KEYED_LEASE: Duration = Duration::from_secs(3 * 60);

/// Requests under a key, as all nodes know them.
pub struct KeyedRequests<'a> {
    pub(crate) service: &'a Service,
}

/// The marks of one request.
#[derive(Clone, Copy)]
pub struct KeyedMarks {
    /// Of caller and key.
    pub name: [u8; 32],
    /// Of the caller.
    pub caller: [u8; 32],
    /// Of the whole request.
    pub print: [u8; 32],
}

/// A claim that this node holds.
#[derive(Clone)]
pub struct HeldRequest {
    org: OrgId,
    marks: KeyedMarks,
    holder: [u8; 16],
}

/// The standing of a request, as a node meets it.
pub enum RequestStanding {
    /// It is this node's to answer.
    Ours(HeldRequest),
    /// Another node answers it.
    UnderWay,
    /// It was answered; the sealed answer, if it is kept.
    Done(Option<Vec<u8>>),
    /// Another request had the same key.
    Other,
}

impl KeyedRequests<'_> {
    /// Returns true when nodes share what they know of requests.
    pub fn are_kept(&self) -> bool {
        self.service.store.shares_keyed()
    }

    /// Returns true when the organisation has a key to mark requests with; it has none before its first write.
    pub fn can_mark(&self, org: &OrgId) -> Result<bool> {
        match self.service.kms.code_key(org) {
            Err(Error::Misconfigured { code: "missing_key", .. }) => Ok(false),
            found => found.map(|_| true),
        }
    }

    /// The mark of a digest, under a key of the organisation.
    pub fn mark(&self, org: &OrgId, digest: &Digest) -> Result<[u8; 32]> {
        Ok(self.service.kms.code_key(org)?.fingerprint(&[b"keyed-request", digest.as_bytes()]))
    }

    /// Takes a request, unless another node has it or had it.
    pub fn claim(&self, org: &OrgId, marks: KeyedMarks) -> Result<RequestStanding> {
        let mut holder = [0; 16];
        self.service.entropy.fill(&mut holder);
        let held = HeldRequest { org: org.clone(), marks, holder };
        Ok(match self.service.store.claim_keyed(&self.claim_of(&held))? {
            KeyedStanding::Claimed => RequestStanding::Ours(held),
            KeyedStanding::UnderWay => RequestStanding::UnderWay,
            KeyedStanding::Done(sealed) => RequestStanding::Done(sealed),
            KeyedStanding::Other => RequestStanding::Other,
        })
    }

    /// Holds a request for another [`KEYED_LEASE`]. No when it is not this node's any more.
    pub fn renew(&self, held: &HeldRequest) -> Result<bool> {
        self.service.store.renew_keyed(&self.claim_of(held))
    }

    /// Notes that a request was done, with its sealed answer where that is kept.
    pub fn done(&self, held: &HeldRequest, sealed: Option<Vec<u8>>) -> Result<()> {
        self.end(held, KeyedOutcome::Done(sealed))
    }

    /// Gives a request back that failed: it may come again.
    pub fn failed(&self, held: &HeldRequest) -> Result<()> {
        self.end(held, KeyedOutcome::Failed)
    }

    fn end(&self, held: &HeldRequest, outcome: KeyedOutcome) -> Result<()> {
        let (org, mark) = (held.org.clone(), held.marks.name);
        self.service.store.end_keyed(&KeyedEnd { org, mark, holder: held.holder, outcome })?;
        Ok(())
    }

    fn claim_of(&self, held: &HeldRequest) -> KeyedClaim {
        let (at, KeyedMarks { name: mark, caller, print }) = (self.service.clock.now(), held.marks);
        KeyedClaim {
            org: held.org.clone(),
            mark,
            caller,
            print,
            holder: held.holder,
            at,
            until: at + KEYED_LEASE,
            kept_since: at - KEYED_KEPT,
        }
    }
}
