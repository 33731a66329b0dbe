//! The description of the API, made from the handlers themselves.

#![allow(unused_qualifications, reason = "the macro that describes parameters writes their full path")]

use axum::Extension;
use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::{IntoParams, OpenApi};

use super::body::{Pairs, once};
use super::problem::{Problem, Problems};
use super::{examples, generators, headers, older, shapes};
use crate::wire::failure::{Failure, Result};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Lacuna",
        description = "Private memory for AI assistants that can prove it forgot.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    servers((url = "/", description = "The server that gives this description.")),
    components(schemas(Problem)),
    security(("token" = []), ()),
    tags(
        (name = "memories", description = "Remember, recall, list and erase, in one vault at a time."),
        (name = "records", description = "JSON values of programs, kept word for word under places."),
        (name = "sessions", description = "Conversations: turns, transcripts and working memory."),
        (name = "forget", description = "Plan, confirm and prove that something is forgotten; correct what is wrong."),
        (name = "people", description = "Requests of people to be forgotten, for administrators."),
        (name = "review", description = "What waits for somebody's word, states, freezing, and the rules."),
        (name = "retention", description = "How long memories are kept, and the monthly review."),
        (name = "admin", description = "What runs by itself, for administrators."),
        (name = "exports", description = "Take everything along, and bring it in again."),
        (name = "audit", description = "What was done, and that nobody changed the record."),
        (name = "members", description = "Who belongs to which team or deployment, for administrators."),
        (name = "tokens", description = "API tokens, for administrators."),
        (name = "holds", description = "Legal holds, by two operators; a person sees those on their own vault."),
        (name = "protection", description = "A passphrase of the person over their own vault; unlocking and locking it."),
        (name = "views", description = "The same operations in the words of five documents about memory (docs/seeds.md)."),
        (name = "users", description = "People, for a directory that makes and removes them."),
        (name = "operation", description = "Health, figures and this description; no token needed."),
    )
)]
struct ApiFrame;

/// The description without its paths.
pub(super) fn frame() -> utoipa::openapi::OpenApi {
    let mut api = ApiFrame::openapi();
    let scheme =
        Http::builder().scheme(HttpAuthScheme::Bearer).description(Some("A token of `lacuna token create`."));
    let components = api.components.get_or_insert_default();
    components.add_security_scheme("token", SecurityScheme::Http(scheme.build()));
    api
}

/// The description as it is served.
#[derive(Clone)]
pub(super) struct OpenApiDocument {
    newest: Bytes,
    /// The same in the words of OpenAPI 3.0.
    older: Bytes,
}

impl OpenApiDocument {
    pub(super) fn of(api: &utoipa::openapi::OpenApi) -> Self {
        let mut api = serde_json::to_value(api).expect("a description is JSON");
        plain_paths(&mut api);
        generators::settle(&mut api);
        shapes::add(&mut api);
        headers::add(&mut api);
        examples::add(&mut api);
        Self { older: older::rewritten(&api).to_string().into(), newest: api.to_string().into() }
    }

    pub(super) fn text(&self) -> &str {
        std::str::from_utf8(&self.newest).unwrap_or_default()
    }
}

/// Describes a path of any length as one parameter: a client that escapes its `/` is understood as well.
fn plain_paths(api: &mut serde_json::Value) {
    let Some(paths) = api.get_mut("paths").and_then(serde_json::Value::as_object_mut) else { return };
    for (path, operations) in std::mem::take(paths) {
        paths.insert(path.replace("{*", "{"), operations);
    }
}

/// Parameters of the description.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the parameter that `openapi_json` reads")]
pub(super) struct DescriptionParams {
    /// `3.0` for generators that read no newer words; `3.1` when absent.
    version: Option<String>,
}

/// This description.
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "operation",
    params(DescriptionParams),
    responses((status = 200, description = "OpenAPI 3.1, or 3.0 on request.", body = serde_json::Value), Problems)
)]
pub(super) async fn openapi_json(
    Extension(document): Extension<OpenApiDocument>,
    Pairs(pairs): Pairs,
) -> Result<impl IntoResponse> {
    let mut version = None;
    for (name, value) in pairs {
        match name.as_str() {
            "version" => once(&name, &mut version, value)?,
            _ => return Err(Failure::invalid(name, "is not a parameter of this call")),
        }
    }
    let text = match version.as_deref() {
        None | Some("3.1") => document.newest,
        Some("3.0") => document.older,
        Some(_) => return Err(Failure::invalid("version", "must be 3.0 or 3.1")),
    };
    Ok(([(CONTENT_TYPE, "application/json")], text))
}
