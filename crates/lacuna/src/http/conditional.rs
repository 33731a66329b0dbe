//! Conditional requests: unchanged answers are not sent again, and changed data is not overwritten.
//!
//! A tag is a code over the answer, keyed by the caller's own token: it is the same on every node and after a
//! restart, and says nothing to a person who sees it in somebody's log.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, Request};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_MATCH, IF_NONE_MATCH};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use lacuna_seal::{Digest, hmac_sha256};
use lacuna_types::Scope;
use serde::Serialize;
use utoipa::IntoParams;

use super::App;
use crate::codes;
use crate::wire::failure::{Failure, Result};
use crate::wire::hex;

/// Bytes of a tag; half of a code is enough to tell answers apart.
const TAG_BYTES: usize = 16;
/// Locks for changes that check first; changes to one scope share one.
const STRIPES: usize = 64;

/// Key of a caller's tags.
#[derive(Clone)]
pub(super) struct TagKey([u8; 32]);

impl TagKey {
    /// Derives the key from the secret by which the caller proves themselves.
    pub(super) fn of(secret: &[u8]) -> Self {
        Self(*Digest::of("lacuna/etag", &[secret]).as_bytes())
    }

    fn tag(&self, answer: &[u8]) -> String {
        format!("\"{}\"", hex(&hmac_sha256(&self.0, &[answer])[..TAG_BYTES]))
    }
}

/// Tags answers to reads, and answers "not modified" to a caller who has the same answer already.
pub(super) async fn tag(request: Request, next: Next) -> Result<Response> {
    let key = request.extensions().get::<TagKey>().cloned().filter(|_| request.method() == Method::GET);
    let known = listed(request.headers(), &IF_NONE_MATCH);
    let response = next.run(request).await;
    let is_json = response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    let Some(key) = key.filter(|_| response.status() == StatusCode::OK && is_json) else {
        return Ok(response);
    };
    let (mut parts, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await;
    let bytes = bytes.map_err(|_| Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning))?;
    let tag = key.tag(&bytes);
    let value = HeaderValue::from_str(&tag).expect("hex digits in quotes are a header value");
    parts.headers.insert(ETAG, value.clone());
    // A weak tag means the same here: tags differ if one byte differs.
    let same = |given: &String| given == "*" || given.trim_start_matches("W/") == tag;
    if known.iter().any(same) {
        return Ok((StatusCode::NOT_MODIFIED, [(ETAG, value)]).into_response());
    }
    parts.headers.remove(CONTENT_LENGTH);
    Ok(Response::from_parts(parts, Body::from(bytes)))
}

fn listed(headers: &HeaderMap, name: &HeaderName) -> Vec<String> {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(|tag| tag.trim().to_owned()).collect()
}

/// Guard of a change.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "it describes the header that `Expected` reads")]
pub(super) struct IfMatchParam {
    /// The `ETag` of an earlier answer: if the data has changed since, nothing is done and the answer is 412.
    #[param(rename = "If-Match", required = false)]
    if_match: Option<String>,
}

/// Expectation of a change: the tags of `If-Match`, or none.
pub(super) struct Expected {
    tags: Vec<String>,
    key: TagKey,
}

impl FromRequestParts<App> for Expected {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self> {
        let key = parts.extensions.get::<TagKey>().cloned();
        let key = key.ok_or_else(|| Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning))?;
        Ok(Self { tags: listed(&parts.headers, &IF_MATCH), key })
    }
}

impl Expected {
    pub(super) fn anything(&self) -> bool {
        self.tags.is_empty()
    }

    /// Compares with `current`, the answer to a GET.
    pub(super) fn check(&self, current: &impl Serialize) -> Result<()> {
        let answer = serde_json::to_vec(current);
        let answer = answer.map_err(|_| Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning))?;
        let tag = self.key.tag(&answer);
        if self.tags.iter().any(|given| given == "*" || *given == tag) {
            return Ok(());
        }
        Err(Failure::new(&codes::PRECONDITION_FAILED, codes::PRECONDITION_FAILED.meaning))
    }
}

/// Lets one change of a scope check and act before the next one checks.
pub(super) struct ScopeLocks([Mutex<()>; STRIPES]);

impl ScopeLocks {
    pub(super) fn new() -> Self {
        Self(std::array::from_fn(|_| Mutex::new(())))
    }

    pub(super) fn take(&self, scope: &Scope) -> MutexGuard<'_, ()> {
        let mut hasher = DefaultHasher::new();
        (scope.org.as_str(), scope.holder.to_string()).hash(&mut hasher);
        let stripe = (hasher.finish() % STRIPES as u64) as usize;
        self.0[stripe].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_differ_by_token_and_by_answer_and_weak_ones_do_not_guard_a_change() {
        let (key, other) = (TagKey::of(b"a"), TagKey::of(b"b"));
        let tag = key.tag(b"1");
        assert_eq!(tag, key.tag(b"1"));
        assert!(tag != key.tag(b"2") && tag != other.tag(b"1"));
        let expected = |tags: &[&str]| Expected {
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            key: TagKey::of(b"a"),
        };
        assert!(expected(&["\"x\"", &tag]).check(&1).is_ok() && expected(&["*"]).check(&1).is_ok());
        for wrong in ["\"x\"", &format!("W/{tag}"), ""] {
            assert_eq!(expected(&[wrong]).check(&1).unwrap_err().code.name, "precondition_failed");
        }
    }
}
