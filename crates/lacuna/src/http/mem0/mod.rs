//! The door for mem0's clients, under `/mem0`: the paths of its platform (v1, v2, v3) and of its own server, over the
//! records of the caller's vault. Nothing is inferred by a language model: what was said is kept as it was said.

mod answers;
mod calls;
mod filters;

use axum::Extension;
use axum::body::Body;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use lacuna_core::permit::Caller;
use serde_json::{Map, Value};

use self::calls::Memories;
use super::App;
use super::body::{Pairs, read_whole};
use crate::codes;
use crate::wire::failure::{Failure, Result};
use crate::wire::json::read_json;

/// The path of the door.
pub(super) const PREFIX: &str = "/mem0/";
const BODY_BYTES_MAX: usize = 8 << 20;

/// A call of a client: the fields of its body and of its query string together.
pub(super) struct Mem0Call {
    method: Method,
    /// The parts of the path, without the version.
    path: Vec<String>,
    fields: Map<String, Value>,
}

/// Answers a call. The clients show `detail` of an error whose type is JSON.
pub(super) async fn answer(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    let answered = match Mem0Call::read(&app, request).await {
        Ok(call) => app.work(move |core| route(&Memories { core, caller: &caller }, &call)).await,
        Err(failure) => Err(failure),
    };
    match answered {
        Ok(answer) => axum::Json(answer).into_response(),
        Err(failure) => plain(failure.into_response()),
    }
}

fn plain(mut response: Response) -> Response {
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // A field that is wrong is a bad request to these clients.
    if response.status() == StatusCode::UNPROCESSABLE_ENTITY {
        *response.status_mut() = StatusCode::BAD_REQUEST;
    }
    response
}

impl Mem0Call {
    async fn read(app: &App, request: Request) -> Result<Self> {
        let (parts, body) = request.into_parts();
        let mut path: Vec<String> = Vec::new();
        let raw = parts.uri.path().trim_start_matches(PREFIX.trim_end_matches('/'));
        for part in raw.split('/').filter(|part| !part.is_empty()) {
            path.push(unescaped(part)?);
        }
        if path.first().is_some_and(|first| matches!(first.as_str(), "v1" | "v2" | "v3")) {
            path.remove(0);
        }
        let mut parts = parts;
        let Pairs(pairs) = Pairs::from_request_parts(&mut parts, &()).await?;
        let method = parts.method.clone();
        let (bytes, _room) =
            read_whole(app, Request::from_parts(parts, Body::new(body)), BODY_BYTES_MAX).await?;
        let mut fields: Map<String, Value> = match bytes.trim_ascii().is_empty() {
            true => Map::new(),
            false => read_json(&bytes)?,
        };
        for (name, value) in pairs {
            fields.entry(name).or_insert(Value::String(value));
        }
        Ok(Self { method, path, fields })
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    /// A number, which a query string writes as text.
    fn number(&self, name: &str) -> Option<f64> {
        let value = self.fields.get(name)?;
        value.as_f64().or_else(|| value.as_str()?.parse().ok())
    }

    fn count(&self, name: &str, default: usize) -> Result<usize> {
        match self.fields.get(name) {
            None | Some(Value::Null) => Ok(default),
            Some(_) => match self.number(name) {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "it was compared"
                )]
                Some(number) if (1.0..=1e6).contains(&number) => Ok(number as usize),
                _ => Err(Failure::invalid(name, "must be a whole number from 1 on")),
            },
        }
    }
}

/// Decodes `%2F` and the like in one part of a path.
fn unescaped(part: &str) -> Result<String> {
    let broken = || Failure::invalid("path", "is not UTF-8");
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next().ok_or_else(broken)?, rest.next().ok_or_else(broken)?];
        let digits = std::str::from_utf8(&digits).map_err(|_| broken())?;
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| broken())?);
    }
    String::from_utf8(bytes).map_err(|_| broken())
}

fn route(memories: &Memories<'_>, call: &Mem0Call) -> Result<Value> {
    let path: Vec<&str> = call.path.iter().map(String::as_str).collect();
    match (&call.method, path.as_slice()) {
        (&Method::GET, ["ping"]) => Ok(memories.ping()),
        (&Method::POST, ["memories", "add"]) => memories.add(call),
        (&Method::POST, ["memories", "search"] | ["search"]) => memories.search(call),
        // One path of the platform means both: what has messages is added.
        (&Method::POST, ["memories"]) if call.fields.contains_key("messages") => memories.add(call),
        (&Method::POST | &Method::GET, ["memories"]) => memories.list(call),
        (&Method::DELETE, ["memories"]) => memories.delete_all(call),
        (&Method::GET, ["memories", id]) => memories.get(id),
        (&Method::PUT, ["memories", id]) => memories.update(id, &call.fields),
        (&Method::DELETE, ["memories", id]) => memories.delete(id),
        (&Method::GET, ["memories", id, "history"]) => memories.history(id),
        (&Method::GET, ["entities"] | ["users"]) => memories.entities(call),
        (&Method::DELETE, ["entities", kind, name]) => memories.delete_entity(kind, name),
        (&Method::PUT, ["batch"]) => memories.update_batch(call),
        (&Method::DELETE, ["batch"]) => memories.delete_batch(call),
        (&Method::POST, ["reset"]) => memories.reset(),
        _ => Err(Failure::new(&codes::UNKNOWN_ROUTE, codes::UNKNOWN_ROUTE.meaning)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_path_are_decoded() {
        assert_eq!(unescaped("a%2Fb%20c%C3%A9").unwrap(), "a/b cé");
        for broken in ["%", "%2", "%zz", "%ff"] {
            assert!(unescaped(broken).is_err(), "{broken}");
        }
    }
}
