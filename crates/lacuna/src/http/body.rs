//! Reading requests: JSON bodies, query strings and path parts, each with one kind of refusal.

use std::future::poll_fn;
use std::pin::Pin;
use std::str::FromStr;

use axum::body::{Body, HttpBody};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use lacuna_core::Lacuna;
use lacuna_core::permit::Caller;
use lacuna_types::Scope;
use serde::de::DeserializeOwned;

use super::App;
use super::admission::Room;
use super::limits::charge;
use crate::codes;
use crate::wire::failure::{Failure, Result};
use crate::wire::json::read_json;
use crate::wire::read_scope;

/// Bytes of a too large body that are read and dropped before the connection is closed.
const DROPPED_BYTES_MAX: usize = 64 << 20;

/// Bytes that are parsed where they arrive. Larger bodies take a worker: a thread that parses for seconds would
/// keep all other connections waiting.
const PARSED_AT_ONCE_MAX: usize = 64 << 10;

/// A JSON body of at most `MAX` bytes.
pub(super) struct Json<T, const MAX: usize>(pub(super) T);

impl<T: DeserializeOwned + Send + 'static, const MAX: usize> FromRequest<App> for Json<T, MAX> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Result<Self> {
        if !declares_json(&request) {
            let reason = codes::UNSUPPORTED_MEDIA_TYPE.meaning;
            return Err(Failure::new(&codes::UNSUPPORTED_MEDIA_TYPE, reason));
        }
        let (bytes, room) = read_whole(app, request, MAX).await?;
        if bytes.len() <= PARSED_AT_ONCE_MAX {
            return read_json(&bytes).map(Self);
        }
        let parse = move |_: &Lacuna| {
            let _room = room;
            read_json(&bytes).map(Self)
        };
        app.work(parse).await
    }
}

fn declares_json(request: &Request) -> bool {
    let declared = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = declared.and_then(|value| value.split(';').next()).map(str::trim);
    essence.is_some_and(|essence| essence.eq_ignore_ascii_case("application/json"))
}

/// Marks a request whose body was counted when it first arrived.
#[derive(Clone)]
pub(super) struct Charged;

/// Reads the body of a request, of at most `max` bytes, and counts it against its caller's day.
pub(crate) async fn read_whole(app: &App, request: Request, max: usize) -> Result<(Vec<u8>, Room)> {
    let charged = request.extensions().get::<Charged>().is_some();
    let caller = request.extensions().get::<Caller>().filter(|_| !charged).cloned();
    receive(app, caller.as_ref(), request.into_body(), max).await
}

/// Reads a body of at most `max` bytes, in the time that bodies have.
pub(super) async fn receive(
    app: &App,
    caller: Option<&Caller>,
    body: Body,
    max: usize,
) -> Result<(Vec<u8>, Room)> {
    let mut room = app.0.admission.room();
    let received = tokio::time::timeout(app.0.body_time, collect(&mut room, body, max)).await;
    let bytes = received.map_err(|_| Failure::new(&codes::BODY_TIMEOUT, codes::BODY_TIMEOUT.meaning))??;
    if let Some(caller) = caller {
        charge(app, caller, bytes.len())?;
    }
    Ok((bytes, room))
}

/// Collects a body. The rest of a too large body is read and dropped, up to a limit: a client that is still
/// sending would otherwise meet a closed connection instead of the answer.
async fn collect(room: &mut Room, mut body: Body, max: usize) -> Result<Vec<u8>> {
    let mut kept = Vec::new();
    let mut seen = 0usize;
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let unreadable = |_| Failure::new(&codes::UNREADABLE_BODY, codes::UNREADABLE_BODY.meaning);
        let Ok(bytes) = frame.map_err(unreadable)?.into_data() else { continue };
        seen += bytes.len();
        if seen <= max {
            room.take(bytes.len())?;
            kept.extend_from_slice(&bytes);
        } else if seen > max + DROPPED_BYTES_MAX {
            break;
        }
    }
    if seen > max {
        return Err(Failure::new(&codes::TOO_LARGE, format!("the body is larger than {max} bytes")));
    }
    Ok(kept)
}

/// The pairs of a query string, in order.
pub(super) struct Pairs(pub(super) Vec<(String, String)>);

impl<S: Sync> FromRequestParts<S> for Pairs {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        let pairs = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
        pairs.map(|Query(pairs)| Self(pairs)).map_err(|_| Failure::invalid("query string", "cannot be read"))
    }
}

/// The one variable part of a path.
pub(super) struct Id(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let part = Path::<String>::from_request_parts(parts, state).await;
        part.map(|Path(id)| Self(id)).map_err(|_| Failure::invalid("path", "is not UTF-8"))
    }
}

/// The variable parts of a path that has several, in their order.
pub(super) struct Ids<const N: usize>(pub(super) [String; N]);

impl<S: Send + Sync, const N: usize> FromRequestParts<S> for Ids<N> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let named = Path::<Vec<String>>::from_request_parts(parts, state).await.ok();
        let parts = named.and_then(|Path(parts)| parts.try_into().ok());
        parts.map(Self).ok_or_else(|| Failure::invalid("path", "is not UTF-8"))
    }
}

/// The vault that `?scope=` names, of a call that takes no other parameter.
pub(super) struct InScope(pub(super) Scope);

impl<S: Send + Sync> FromRequestParts<S> for InScope {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let Pairs(pairs) = Pairs::from_request_parts(parts, state).await?;
        let mut scope = None;
        for (name, value) in pairs {
            match name.as_str() {
                "scope" => once(&name, &mut scope, value)?,
                _ => return Err(Failure::invalid(name, "is not a parameter of this call")),
            }
        }
        let caller = parts.extensions.get::<Caller>();
        let caller = caller.ok_or_else(|| Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning))?;
        Ok(Self(read_scope(scope.as_deref(), caller)?))
    }
}

/// Fills a parameter that may not repeat.
pub(super) fn once<T>(name: &str, slot: &mut Option<T>, value: T) -> Result<()> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(Failure::invalid(name, "must be given once")),
    }
}

/// Reads a parameter; the error states the rule.
pub(super) fn parse<T: FromStr>(name: &str, value: &str, rule: &str) -> Result<T> {
    value.parse().map_err(|_| Failure::invalid(name, rule))
}

/// Reads a parameter that is a number.
pub(super) fn whole_number<T: FromStr>(name: &str, value: &str) -> Result<T> {
    parse(name, value, "must be a whole number")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::RememberRequest;

    fn refusal(json: &[u8]) -> (&'static str, Option<String>, String) {
        let Err(failure) = read_json::<RememberRequest>(json) else { panic!("{json:?} was read") };
        (failure.code.name, failure.field, failure.detail)
    }

    #[test]
    fn bad_json_is_refused_by_code_and_field_without_repeating_values() {
        let cases: &[(&[u8], &str, Option<&str>)] = &[
            (b"", "malformed_json", None),
            (b"{", "malformed_json", None),
            (br#"{"content":"x"} x"#, "malformed_json", None),
            (b"{\"content\":\"\xff\"}", "invalid_utf8", None),
            (b" [\"x\"]", "invalid", None),
            (br#"{"content":"x","colour":"SECRET"}"#, "invalid", Some("colour")),
            (br#"{"content":"x","salience":"SECRET"}"#, "invalid", Some("salience")),
            (br#"{"content":"x","category":"SECRET"}"#, "invalid", Some("category")),
            (br#"{"content":"x","tags":["a",{"b":"SECRET"}]}"#, "invalid", Some("tags[1]")),
            (br#"{"content":"x","source":{"trust":"SECRET"}}"#, "invalid", Some("source.trust")),
            (br#"{"content":"x","created_at":"SECRET"}"#, "invalid", Some("created_at")),
            (br#"{"content":"x","content":"y"}"#, "invalid", Some("content")),
            (br#"{"content":"x","salience":1e999}"#, "malformed_json", None),
        ];
        for (json, code, field) in cases {
            let (found, found_field, detail) = refusal(json);
            let shown = String::from_utf8_lossy(json);
            assert_eq!(found, *code, "{shown}: {detail}");
            assert_eq!(found_field.as_deref(), *field, "{shown}: {detail}");
            assert!(!detail.contains("SECRET"), "{detail}");
        }
    }
}
