//! Requests under an `Idempotency-Key` that all nodes know of, where they share a store.
//!
//! The store has marks under a key of the organisation. The answer of a write stands beside them for the other nodes, sealed under
//! a key that is made of the client's key and the whole request: no copy of the store opens it without both. It goes when
//! anything is erased in the organisation.

use std::pin::pin;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use lacuna_core::KeyedRequests;
use lacuna_core::permit::Caller;
use lacuna_core::vault::{HeldRequest, KeyedMarks, RequestStanding};
use lacuna_seal::Digest;
use lacuna_store::rows::KEYED_ANSWER_BYTES_MAX;

use super::App;
use super::idempotency::{REPLAYED, RequestDigests, defect, in_flight};
use crate::codes;
use crate::wire::failure::{Failure, Result};

/// Routes whose answers are kept for other nodes: ids, states and judgements of texts, no text and no secret.
const SHARED_ANSWERS: [&str; 5] = [
    "/v1/memories",
    "/v1/memories/batch",
    "/v1/sessions",
    "/v1/sessions/{session_id}/turns",
    "/v1/sessions/{session_id}/end",
];
/// The shortest key of a client under which an answer is kept: a random one of 22 characters has 128 bits and is not guessed.
const SECRET_KEY_BYTES_MIN: usize = 22;
/// Time between two renewals of a claim, a fraction of what it lasts.
const RENEWAL_PAUSE: Duration = Duration::from_secs(30);
/// Bytes of the status before a sealed answer.
const STATUS_BYTES: usize = 2;
/// Bytes that a seal adds: nonce and tag.
const SEAL_BYTES: usize = 28;

/// The standing of a request among the nodes.
pub(super) enum SharedStanding {
    /// This node answers it; without a claim where nodes share nothing.
    Ours(Option<Box<SharedClaim>>),
    /// Another node answered it.
    Answered(Response),
}

/// A claim of this node, which the others see.
pub(super) struct SharedClaim {
    app: App,
    held: HeldRequest,
    digests: RequestDigests,
    keeps_answer: bool,
}

/// Tests whether the answer of a route is kept for other nodes under a client's key.
pub(super) fn keeps_answer(route: &str, key: &HeaderValue) -> bool {
    SHARED_ANSWERS.contains(&route) && key.len() >= SECRET_KEY_BYTES_MIN
}

/// Takes a request for this node, unless another node has it or had it.
pub(super) async fn claim(
    app: &App,
    caller: &Caller,
    key: &HeaderValue,
    request: Digest,
    keeps_answer: bool,
) -> Result<SharedStanding> {
    if !KeyedRequests::of(app.core()).are_kept() {
        return Ok(SharedStanding::Ours(None));
    }
    let (caller, key) = (caller.clone(), key.clone());
    let asked = app.block(move |core| {
        let (requests, org) = (KeyedRequests::of(core), &caller.org);
        if !requests.can_mark(org)? {
            return Ok(None);
        }
        let mark = |digest: &Digest| requests.mark(org, digest);
        let digests = RequestDigests::new(&caller, key.as_bytes(), &request, mark)?;
        let marks = KeyedMarks { name: digests.name, caller: digests.caller, print: digests.print };
        Ok(Some((requests.claim(org, marks)?, digests)))
    });
    let Some((standing, digests)) = asked.await? else { return Ok(SharedStanding::Ours(None)) };
    match standing {
        RequestStanding::Ours(held) => {
            let app = app.clone();
            Ok(SharedStanding::Ours(Some(Box::new(SharedClaim { app, held, digests, keeps_answer }))))
        }
        RequestStanding::Done(Some(sealed)) => Ok(SharedStanding::Answered(repeated(&digests, sealed)?)),
        RequestStanding::Done(None) => {
            let reason = "it was done, and its answer is not kept for this node";
            Err(Failure::new(&codes::IDEMPOTENCY_IN_FLIGHT, reason))
        }
        RequestStanding::UnderWay => Err(in_flight()),
        RequestStanding::Other => {
            Err(Failure::new(&codes::IDEMPOTENCY_REUSED, codes::IDEMPOTENCY_REUSED.meaning))
        }
    }
}

/// Waits for work, and holds the claim meanwhile.
pub(super) async fn hold<T>(claim: Option<&SharedClaim>, work: impl Future<Output = T>) -> T {
    let Some(claim) = claim else { return work.await };
    let mut work = pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return done,
            () = tokio::time::sleep(RENEWAL_PAUSE) => claim.renew().await,
        }
    }
}

impl SharedClaim {
    async fn renew(&self) {
        let held = self.held.clone();
        let renewed = self.app.block(move |core| Ok(KeyedRequests::of(core).renew(&held)?)).await;
        if !matches!(renewed, Ok(true)) {
            tracing::warn!("a request under a key is not held any more: another node may do it as well");
        }
    }

    /// Notes that the request was done. The answer goes out either way: without the note the key is free again when the
    /// claim has run out.
    pub(super) async fn done(self, status: StatusCode, answer: &[u8]) {
        let Self { app, held, digests, keeps_answer } = self;
        let fits = answer.len() + STATUS_BYTES + SEAL_BYTES <= KEYED_ANSWER_BYTES_MAX;
        let whole = || [&status.as_u16().to_be_bytes(), answer].concat();
        let sealed = (keeps_answer && fits).then(|| digests.seal(&whole()).ok()).flatten();
        noted(app.block(move |core| Ok(KeyedRequests::of(core).done(&held, sealed)?)).await);
    }

    /// Gives the request back: it failed, and may come again.
    pub(super) async fn failed(self) {
        let Self { app, held, .. } = self;
        noted(app.block(move |core| Ok(KeyedRequests::of(core).failed(&held)?)).await);
    }
}

fn noted(outcome: Result<()>) {
    if let Err(failure) = outcome {
        tracing::warn!(code = failure.code.name, "the end of a request under a key could not be noted");
    }
}

fn repeated(digests: &RequestDigests, sealed: Vec<u8>) -> Result<Response> {
    let opened = digests.open(sealed)?;
    let (status, answer) = opened.split_first_chunk::<STATUS_BYTES>().ok_or_else(|| defect(()))?;
    let status = StatusCode::from_u16(u16::from_be_bytes(*status)).map_err(defect)?;
    let mut response = (status, Bytes::copy_from_slice(answer)).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert(REPLAYED.clone(), HeaderValue::from_static("true"));
    Ok(response)
}
