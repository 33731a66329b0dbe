//! `Idempotency-Key`: a POST that is sent twice is done once.
//!
//! The first answer is kept in RAM for a day and repeated for the same request. It is sealed under a key that is
//! derived from the request itself, of which nothing is kept: only a caller who knows the whole request can open
//! its answer. A restart discards all answers. Nodes that share a store also know each other's keys (`super::shared_keys`).

use std::collections::hash_map::Entry as MapEntry;
use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{CONTENT_TYPE, ETAG, LOCATION};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use lacuna_core::permit::{Acting, Caller};
use lacuna_core::vault::KEYED_KEPT;
use lacuna_seal::{Digest, Entropy, KEY_BYTES, SystemEntropy, Zeroizing, hmac_sha256};

use super::App;
use super::body::{Charged, receive};
use super::limits::READING_POSTS;
use super::observe::carried;
use super::shared_keys::{self, SharedClaim, SharedStanding};
use crate::codes;
use crate::wire::failure::{Failure, Result};

pub(super) static KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Header of an answer that repeats an earlier one.
pub(super) static REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

const KEY_BYTES_MAX: usize = 255;
/// The largest body that any route takes; each route has a limit of its own beneath.
const REQUEST_BYTES_MAX: usize = 64 << 20;
/// Bytes of a kept answer; of a larger one only the fact that it was given is kept.
const ANSWER_BYTES_MAX: usize = 1 << 20;
/// Known keys, of everybody and of one caller. One more, and the oldest is forgotten.
const KEYS_MAX: usize = 20_000;
const KEYS_OF_CALLER_MAX: usize = 2_000;
/// Bytes of all kept answers.
const KEPT_BYTES_MAX: usize = 64 << 20;
/// Pause before a retry while the first request is still being answered.
const IN_FLIGHT_PAUSE: Duration = Duration::from_secs(1);

/// Headers of an answer that are kept.
static HEADERS: [HeaderName; 3] = [CONTENT_TYPE, ETAG, LOCATION];

type Name = [u8; 32];

/// An answer as it is kept.
struct KeptAnswer {
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// Absent: the answer was too large.
    sealed: Option<Vec<u8>>,
}

/// One key of one caller.
struct KeyEntry {
    caller: Name,
    /// Digest of the request, under the secret of this process.
    print: Name,
    at: Instant,
    /// Absent while the request is being answered.
    kept: Option<KeptAnswer>,
}

impl KeyEntry {
    fn bytes(&self) -> usize {
        self.kept.as_ref().and_then(|kept| kept.sealed.as_ref()).map_or(0, Vec::len)
    }
}

#[derive(Default)]
struct Book {
    entries: HashMap<Name, KeyEntry>,
    /// Oldest first.
    order: VecDeque<Name>,
    /// Number of keys of each caller.
    of_callers: HashMap<Name, usize>,
    bytes: usize,
}

/// Decision about a request.
enum KeyDecision {
    First,
    Again(StatusCode, Vec<(HeaderName, HeaderValue)>, Option<Vec<u8>>),
    InFlight,
    Other,
    NoRoom,
}

impl Book {
    fn decide(&mut self, request: &RequestDigests, now: Instant) -> KeyDecision {
        self.expire(now);
        if let Some(entry) = self.entries.get(&request.name) {
            return match &entry.kept {
                _ if entry.print != request.print => KeyDecision::Other,
                None => KeyDecision::InFlight,
                Some(kept) => KeyDecision::Again(kept.status, kept.headers.clone(), kept.sealed.clone()),
            };
        }
        let of_caller = self.of_callers.get(&request.caller).copied().unwrap_or_default();
        let fits = of_caller < KEYS_OF_CALLER_MAX || self.forget_oldest(Some(&request.caller));
        if !fits || (self.entries.len() >= KEYS_MAX && !self.forget_oldest(None)) {
            return KeyDecision::NoRoom;
        }
        let entry = KeyEntry { caller: request.caller, print: request.print, at: now, kept: None };
        self.entries.insert(request.name, entry);
        self.order.push_back(request.name);
        *self.of_callers.entry(request.caller).or_default() += 1;
        KeyDecision::First
    }

    fn finish(&mut self, name: &Name, kept: KeptAnswer) {
        let Some(entry) = self.entries.get_mut(name) else { return };
        entry.kept = Some(kept);
        self.bytes += entry.bytes();
        while self.bytes > KEPT_BYTES_MAX && self.forget_oldest(None) {}
    }

    fn remove(&mut self, name: &Name) {
        if let Some(entry) = self.entries.remove(name) {
            self.bytes -= entry.bytes();
            self.uncount(entry.caller);
        }
        self.order.retain(|listed| listed != name);
    }

    fn uncount(&mut self, caller: Name) {
        if let MapEntry::Occupied(mut count) = self.of_callers.entry(caller) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }

    fn expire(&mut self, now: Instant) {
        while let Some(name) = self.order.front().copied() {
            let old = self.entries.get(&name).is_none_or(|entry| now.duration_since(entry.at) >= KEYED_KEPT);
            if !old {
                return;
            }
            self.remove(&name);
        }
    }

    /// Forgets the oldest answered request; one that is still being answered would be done twice.
    fn forget_oldest(&mut self, of: Option<&Name>) -> bool {
        let answered = |name: &&Name| {
            let entry = self.entries.get(*name);
            entry.is_some_and(|entry| entry.kept.is_some() && of.is_none_or(|caller| entry.caller == *caller))
        };
        let oldest = self.order.iter().find(answered).copied();
        oldest.map(|name| self.remove(&name)).is_some()
    }
}

/// The keys and answers of the last day.
pub(super) struct Answers {
    secret: Zeroizing<[u8; KEY_BYTES]>,
    book: Mutex<Book>,
}

/// Digests that tell requests apart. The digest of the request itself is never kept.
pub(super) struct RequestDigests {
    pub(super) caller: Name,
    pub(super) name: Name,
    pub(super) print: Name,
    seal: Zeroizing<[u8; KEY_BYTES]>,
}

impl Answers {
    pub(super) fn new() -> Self {
        let mut secret = Zeroizing::new([0; KEY_BYTES]);
        SystemEntropy.fill(&mut *secret);
        Self { secret, book: Mutex::default() }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn digests(&self, caller: &Caller, key: &[u8], request: &Digest) -> RequestDigests {
        let mark = |digest: &Digest| -> Result<Name, Infallible> {
            Ok(hmac_sha256(&*self.secret, &[digest.as_bytes().as_slice()]))
        };
        let Ok(digests) = RequestDigests::new(caller, key, request, mark);
        digests
    }
}

impl RequestDigests {
    /// Makes the digests with `mark`, which knows a secret.
    pub(super) fn new<E>(
        caller: &Caller,
        key: &[u8],
        request: &Digest,
        mark: impl Fn(&Digest) -> Result<Name, E>,
    ) -> Result<Self, E> {
        let of = |domain: &str, parts: &[&[u8]]| mark(&Digest::of(domain, parts));
        // A service and the person whom it acts for do not get each other's answers.
        let Acting { user, service } = caller.acting();
        let service = service.unwrap_or_default();
        let who = of("caller", &[caller.org.as_str().as_bytes(), user.as_bytes(), service.as_bytes()])?;
        let name = of("key", &[&who, key])?;
        Ok(Self {
            caller: who,
            print: of("print", &[key, request.as_bytes()])?,
            seal: Zeroizing::new(of("seal", &[&who, key, request.as_bytes()])?),
            name,
        })
    }

    /// The nonce, then the sealed answer.
    pub(super) fn seal(&self, answer: &[u8]) -> Result<Vec<u8>> {
        let mut sealed = answer.to_vec();
        let key = RandomizedNonceKey::new(&AES_256_GCM, &*self.seal).map_err(defect)?;
        let nonce = key.seal_in_place_append_tag(Aad::from(self.name), &mut sealed).map_err(defect)?;
        Ok([nonce.as_ref().as_slice(), &sealed].concat())
    }

    pub(super) fn open(&self, sealed: Vec<u8>) -> Result<Vec<u8>> {
        let mut sealed = sealed;
        if sealed.len() < NONCE_LEN {
            return Err(defect(()));
        }
        let mut text = sealed.split_off(NONCE_LEN);
        let key = RandomizedNonceKey::new(&AES_256_GCM, &*self.seal).map_err(defect)?;
        let nonce = Nonce::try_assume_unique_for_key(&sealed).map_err(defect)?;
        let length = key.open_in_place(nonce, Aad::from(self.name), &mut text).map_err(defect)?.len();
        text.truncate(length);
        Ok(text)
    }
}

pub(super) fn defect(_: impl std::fmt::Debug) -> Failure {
    Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning)
}

/// Failure of a request that is being answered already.
pub(super) fn in_flight() -> Failure {
    let failure = Failure::new(&codes::IDEMPOTENCY_IN_FLIGHT, codes::IDEMPOTENCY_IN_FLIGHT.meaning);
    Failure { retry_after: Some(IN_FLIGHT_PAUSE), ..failure }
}

/// Takes the key back when the request ends without an answer to keep.
struct KeyClaim {
    answers: Arc<Answers>,
    name: Option<Name>,
}

impl KeyClaim {
    fn keep(mut self, kept: KeptAnswer) {
        if let Some(name) = self.name.take() {
            self.answers.book().finish(&name, kept);
        }
    }
}

impl Drop for KeyClaim {
    fn drop(&mut self) {
        if let Some(name) = self.name.take() {
            self.answers.book().remove(&name);
        }
    }
}

/// Tests whether POSTs to this route take a key.
pub(super) fn takes_key(route: &str) -> bool {
    !READING_POSTS.contains(&route)
}

pub(super) async fn once(State(app): State<App>, request: Request, next: Next) -> Result<Response> {
    let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    let writes = request.method() == Method::POST && takes_key(route);
    let Some(key) = request.headers().get(&KEY).filter(|_| writes).cloned() else {
        return Ok(next.run(request).await);
    };
    if !(1..=KEY_BYTES_MAX).contains(&key.len()) || !key.as_bytes().iter().all(u8::is_ascii_graphic) {
        return Err(Failure::invalid("Idempotency-Key", "must be 1 to 255 visible characters"));
    }
    let caller = request.extensions().get::<Caller>().cloned();
    let caller = caller.ok_or_else(|| Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning))?;
    let keeps_answer = shared_keys::keeps_answer(route, &key);
    let (mut parts, body) = request.into_parts();
    let (body, room) = receive(&app, Some(&caller), body, REQUEST_BYTES_MAX).await?;
    let kind = parts.headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    let digest = Digest::of("lacuna/request", &[parts.uri.to_string().as_bytes(), kind, &body]);
    let answers = app.0.answers.clone();
    let digests = answers.digests(&caller, key.as_bytes(), &digest);
    let decision = answers.book().decide(&digests, Instant::now());
    match decision {
        KeyDecision::First => {}
        KeyDecision::Again(status, headers, sealed) => return replay(&digests, status, headers, sealed),
        KeyDecision::InFlight => return Err(in_flight()),
        KeyDecision::Other => {
            return Err(Failure::new(&codes::IDEMPOTENCY_REUSED, codes::IDEMPOTENCY_REUSED.meaning));
        }
        KeyDecision::NoRoom => return Err(Failure::new(&codes::OVERLOADED, codes::OVERLOADED.meaning)),
    }
    let claim = KeyClaim { answers, name: Some(digests.name) };
    parts.extensions.insert(Charged);
    let request = Request::from_parts(parts, Body::from(body));
    // In a task of its own: a caller who leaves or runs out of time finds the answer when they ask again.
    let work = carried(async move {
        let shared = match shared_keys::claim(&app, &caller, &key, digest, keeps_answer).await? {
            SharedStanding::Ours(shared) => shared,
            SharedStanding::Answered(response) => return Ok(response),
        };
        let response = shared_keys::hold(shared.as_deref(), next.run(request)).await;
        drop(room);
        keep(response, claim, &digests, shared).await
    });
    let done = tokio::spawn(work).await;
    done.unwrap_or_else(|_| Err(Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning)))
}

/// Keeps an answer. A failed request changed nothing, and may be tried again under the same key.
async fn keep(
    response: Response,
    claim: KeyClaim,
    digests: &RequestDigests,
    shared: Option<Box<SharedClaim>>,
) -> Result<Response> {
    if !response.status().is_success() {
        if let Some(shared) = shared {
            shared.failed().await;
        }
        return Ok(response);
    }
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await;
    let bytes = bytes.map_err(|_| Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning))?;
    if let Some(shared) = shared {
        shared.done(parts.status, &bytes).await;
    }
    let fits = bytes.len() <= ANSWER_BYTES_MAX;
    let sealed = if fits { Some(digests.seal(&bytes)?) } else { None };
    let headers = HEADERS.iter().filter_map(|name| Some((name.clone(), parts.headers.get(name)?.clone())));
    claim.keep(KeptAnswer { status: parts.status, headers: headers.collect(), sealed });
    Ok(Response::from_parts(parts, Body::from(bytes)))
}

fn replay(
    digests: &RequestDigests,
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    sealed: Option<Vec<u8>>,
) -> Result<Response> {
    let Some(sealed) = sealed else {
        let reason = "it was done, and its answer was too large to be kept";
        return Err(Failure::new(&codes::IDEMPOTENCY_IN_FLIGHT, reason));
    };
    let opened = digests.open(sealed)?;
    let mut response = (status, Bytes::from(opened)).into_response();
    response.headers_mut().remove(CONTENT_TYPE);
    response.headers_mut().extend(headers);
    response.headers_mut().insert(REPLAYED.clone(), HeaderValue::from_static("true"));
    Ok(response)
}

#[cfg(test)]
mod tests {
    use lacuna_types::{OrgId, UserId};

    use super::*;

    fn digests(answers: &Answers, user: &str, key: &str, body: &str) -> RequestDigests {
        let caller = Caller::new(OrgId::new("acme").unwrap(), UserId::new(user).unwrap(), vec![]);
        answers.digests(&caller, key.as_bytes(), &Digest::of("test", &[body.as_bytes()]))
    }

    fn done(digests: &RequestDigests, text: &str) -> KeptAnswer {
        let sealed = Some(digests.seal(text.as_bytes()).unwrap());
        KeptAnswer { status: StatusCode::CREATED, headers: Vec::new(), sealed }
    }

    #[test]
    fn a_key_is_one_callers_and_one_requests_for_a_day() {
        let (answers, now) = (Answers::new(), Instant::now());
        let first = digests(&answers, "anna", "k", "body");
        let mut book = answers.book();
        assert!(matches!(book.decide(&first, now), KeyDecision::First));
        assert!(matches!(book.decide(&first, now), KeyDecision::InFlight));
        assert!(matches!(book.decide(&digests(&answers, "anna", "k", "other"), now), KeyDecision::Other));
        assert!(matches!(book.decide(&digests(&answers, "ben", "k", "other"), now), KeyDecision::First));
        book.finish(&first.name, done(&first, "answer"));
        let almost = now + KEYED_KEPT - Duration::from_secs(1);
        assert!(matches!(book.decide(&first, almost), KeyDecision::Again(StatusCode::CREATED, _, Some(_))));
        assert!(matches!(book.decide(&first, now + KEYED_KEPT), KeyDecision::First));
    }

    #[test]
    fn a_kept_answer_opens_for_the_same_request_only_and_shows_nothing_by_itself() {
        let answers = Answers::new();
        let (first, other) = (digests(&answers, "anna", "k", "body"), digests(&answers, "anna", "k", "bodx"));
        let sealed = done(&first, "heliotrope").sealed.unwrap();
        assert!(!sealed.windows(4).any(|part| part == b"heli"));
        assert!(other.open(sealed.clone()).is_err());
        assert_eq!(first.open(sealed).unwrap(), b"heliotrope");
    }

    #[test]
    fn one_caller_pushes_out_only_their_own_keys_and_never_one_in_flight() {
        let (answers, now) = (Answers::new(), Instant::now());
        let mut book = answers.book();
        let bens = digests(&answers, "ben", "k", "b");
        assert!(matches!(book.decide(&bens, now), KeyDecision::First));
        book.finish(&bens.name, done(&bens, "x"));
        let annas: Vec<RequestDigests> = (0..=KEYS_OF_CALLER_MAX)
            .map(|number| digests(&answers, "anna", &number.to_string(), "b"))
            .collect();
        for digests in &annas[..KEYS_OF_CALLER_MAX] {
            assert!(matches!(book.decide(digests, now), KeyDecision::First));
        }
        let last = &annas[KEYS_OF_CALLER_MAX];
        assert!(matches!(book.decide(last, now), KeyDecision::NoRoom), "all of hers are in flight");
        book.finish(&annas[7].name, done(&annas[7], "x"));
        assert!(matches!(book.decide(last, now), KeyDecision::First));
        assert!(matches!(book.decide(&bens, now), KeyDecision::Again(..)));
        assert!(!book.entries.contains_key(&annas[7].name) && book.bytes > 0);
        assert_eq!(book.entries.len(), book.order.len());
        let of_anna = book.of_callers[&last.caller];
        assert_eq!(
            (of_anna, book.of_callers.values().sum::<usize>()),
            (KEYS_OF_CALLER_MAX, book.entries.len())
        );
        book.expire(now + KEYED_KEPT);
        assert!(book.of_callers.is_empty() && book.bytes == 0);
    }
}
