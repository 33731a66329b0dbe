//! Authentication. It runs before any body is read.

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderName};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use lacuna_core::govern::TOKEN_PREFIX;
use lacuna_core::permit::Caller;
use lacuna_types::{OrgId, Role, UserId};
use zeroize::Zeroizing;

use super::conditional::TagKey;
use super::observe::note_caller;
use super::oidc::{Claimed, ProtectedResource, ResourceMetadata, SignOn, SignOnAnswer, SignOnAttempt};
use super::person_header::named_person;
use super::route_hint::LACUNA_NODE;
use super::{App, Openness, mem0, unknown_route};
use crate::codes;
use crate::wire::failure::{Failure, Result};

const SCHEME: &str = "bearer";
/// The scheme and the header of mem0's clients, under their own paths only.
const MEM0_SCHEME: &str = "token";
const MEM0_HEADER: &str = "x-api-key";
/// Names by which a machine calls itself.
const LOOPBACK_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
/// The port that a host header may leave out.
const HTTP_PORT: u16 = 80;

pub(super) async fn authenticate(
    State(app): State<App>,
    mut request: Request,
    next: Next,
) -> Result<Response> {
    let is_mem0 = request.uri().path().starts_with(mem0::PREFIX);
    let (caller, tags) = match caller(&app, request.headers(), is_mem0).await {
        Ok(known) => known,
        Err(failure) => return refuse(&app, failure),
    };
    let caller = match named_person(request.headers())? {
        None => caller,
        Some(person) => app.call(move |core| core.tokens().act_for(caller, person)).await?,
    };
    note_caller(&caller);
    let node = app.0.route_hint.as_ref().and_then(|hint| hint.node_for(&caller));
    request.extensions_mut().insert(caller);
    request.extensions_mut().insert(tags);
    let mut response = next.run(request).await;
    response.headers_mut().extend(node.map(|node| (LACUNA_NODE.clone(), node)));
    Ok(response)
}

/// A refusal; to a caller without a valid token it names the service that signs some, if there is one.
fn refuse(app: &App, failure: Failure) -> Result<Response> {
    let Some(resource) = resource(app).filter(|_| failure.code == &codes::UNAUTHENTICATED) else {
        return Err(failure);
    };
    let mut response = failure.into_response();
    response.headers_mut().insert(WWW_AUTHENTICATE, resource.challenge.clone());
    Ok(response)
}

/// The metadata of this server as a protected resource, for MCP clients.
pub(super) async fn resource_metadata(State(app): State<App>) -> Result<axum::Json<ResourceMetadata>> {
    match resource(&app) {
        Some(resource) => Ok(axum::Json(resource.metadata.clone())),
        None => Err(unknown_route().await),
    }
}

/// This server as its clients know it, where the operator says so.
fn resource(app: &App) -> Option<&ProtectedResource> {
    app.0.sign_on.as_ref().and_then(SignOn::resource)
}

/// The caller, and the key of the tags of their answers.
async fn caller(app: &App, headers: &HeaderMap, is_mem0: bool) -> Result<(Caller, TagKey)> {
    if let Some(token) = token(headers, is_mem0) {
        return bearer_of(app, token.ok_or_else(unauthenticated)?).await;
    }
    if app.0.openness == Openness::TokensOnly {
        return Err(unauthenticated());
    }
    let Caller { org, user, roles, .. } = app.0.local.clone();
    let caller = app.call(move |service| service.tokens().without_token(org, user, roles)).await?;
    let caller = caller.ok_or_else(unauthenticated)?;
    refuse_web_pages(headers, app.0.address.port())?;
    Ok((caller, app.0.local_tags.clone()))
}

/// The caller whom a token speaks for: one of ours, or one of the sign-on service.
async fn bearer_of(app: &App, token: Zeroizing<String>) -> Result<(Caller, TagKey)> {
    if !token.starts_with(TOKEN_PREFIX)
        && let Some(sign_on) = &app.0.sign_on
    {
        return signed_on(app, sign_on, &token).await;
    }
    let tags = TagKey::of(token.as_bytes());
    let known = app.call(move |service| service.tokens().authenticate(&token)).await?;
    known.map(|caller| (caller, tags)).ok_or_else(unauthenticated)
}

impl App {
    /// Returns the caller whom a token speaks for, as it stands now.
    pub(crate) async fn caller_of_token(&self, token: Zeroizing<String>) -> Result<Caller> {
        Ok(bearer_of(self, token).await?.0)
    }

    /// Begins a sign-in on the page of the sign-on service, where one is set up.
    pub(crate) fn begin_sign_on(&self) -> Option<SignOnAttempt> {
        self.0.sign_on.as_ref().and_then(SignOn::begin)
    }

    /// Returns true when people can sign in on the page of the sign-on service.
    pub(crate) fn has_sign_on_page(&self) -> bool {
        self.0.sign_on.as_ref().is_some_and(SignOn::has_page)
    }

    /// The person whom the sign-on service vouches for in its answer to the attempt that `kept` belongs to.
    pub(crate) async fn finish_sign_on(
        &self,
        answer: SignOnAnswer,
        kept: &str,
    ) -> Result<Option<(OrgId, UserId, Vec<Role>)>> {
        let Some(sign_on) = &self.0.sign_on else { return Ok(None) };
        let claimed = sign_on.finish(answer, kept, self.0.service.clock().now()).await?;
        Ok(claimed.map(|Claimed { org, user, roles }| (org, user, roles)))
    }

    /// Notes the caller of the request under way, for the log and for fair shares of the workers.
    pub(crate) fn note_caller(caller: &Caller) {
        note_caller(caller);
    }

    /// Refuses a name that is not this machine's own, where only this machine calls.
    pub(crate) fn check_host(&self, headers: &HeaderMap) -> Result<()> {
        if self.0.is_local_only { refuse_foreign_host(headers, self.0.address.port()) } else { Ok(()) }
    }
}

/// A caller whom the sign-on service vouches for.
async fn signed_on(app: &App, sign_on: &SignOn, token: &str) -> Result<(Caller, TagKey)> {
    let now = app.0.service.clock().now();
    let Claimed { org, user, roles } = sign_on.claimed(token, now).await?.ok_or_else(unauthenticated)?;
    let caller = app.call(move |service| service.members().caller_for(org, user, roles)).await?;
    // Such tokens change every few minutes, and tags should not change with them.
    Ok((caller, app.0.local_tags.clone()))
}

/// The token of a request; `Some(None)` when there is one that cannot be read.
fn token(headers: &HeaderMap, is_mem0: bool) -> Option<Option<Zeroizing<String>>> {
    if let Some(header) = headers.get(AUTHORIZATION) {
        return Some(header.to_str().ok().and_then(|header| bearer(header, is_mem0)));
    }
    let header = headers.get(MEM0_HEADER).filter(|_| is_mem0)?;
    Some(header.to_str().ok().map(|token| Zeroizing::new(token.trim().to_owned())))
}

fn bearer(header: &str, is_mem0: bool) -> Option<Zeroizing<String>> {
    let (scheme, token) = header.split_once(' ')?;
    let is_known = |known: &str| scheme.eq_ignore_ascii_case(known);
    (is_known(SCHEME) || is_mem0 && is_known(MEM0_SCHEME)).then(|| Zeroizing::new(token.trim().to_owned()))
}

fn unauthenticated() -> Failure {
    Failure::new(&codes::UNAUTHENTICATED, codes::UNAUTHENTICATED.meaning)
}

/// Refuses web pages. Loopback keeps other machines out, but not a web page in this machine's browser: a foreign
/// one, or one whose name was pointed at us.
fn refuse_web_pages(headers: &HeaderMap, port: u16) -> Result<()> {
    refuse_foreign_host(headers, port)?;
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let own_page = |origin: &str| {
        let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        host.is_some_and(|host| is_own(host, port))
    };
    let fetched_by = text(HeaderName::from_static("sec-fetch-site"));
    let same_site = fetched_by.is_none_or(|site| matches!(site, "same-origin" | "none"));
    if !same_site || text(ORIGIN).is_some_and(|origin| !own_page(origin)) {
        return Err(Failure::new(&codes::FOREIGN_ORIGIN, codes::FOREIGN_ORIGIN.meaning));
    }
    Ok(())
}

/// Refuses a name that is not this machine's own: a web page may have pointed its own name at us.
pub(super) fn refuse_foreign_host(headers: &HeaderMap, port: u16) -> Result<()> {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    match host.is_some_and(|host| is_own(host, port)) {
        true => Ok(()),
        false => Err(Failure::new(&codes::FOREIGN_HOST, codes::FOREIGN_HOST.meaning)),
    }
}

fn is_own(host: &str, port: u16) -> bool {
    let (name, given) = match host.rsplit_once(':') {
        // The colons of a bare IPv6 address are not followed by a port.
        Some((name, digits)) if !digits.ends_with(']') => (name, digits.parse().ok()),
        _ => (host, Some(HTTP_PORT)),
    };
    given == Some(port) && LOOPBACK_NAMES.iter().any(|own| own.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_names_with_our_port_are_our_own() {
        let cases = [
            ("localhost:7707", true),
            ("LOCALHOST:7707", true),
            ("127.0.0.1:7707", true),
            ("[::1]:7707", true),
            ("localhost:7708", false),
            ("localhost", false),
            ("[::1]", false),
            ("evil.example:7707", false),
            ("localhost.evil.example:7707", false),
            ("127.0.0.1:7707:7707", false),
            ("", false),
        ];
        for (host, expected) in cases {
            assert_eq!(is_own(host, 7707), expected, "{host}");
        }
        assert!(is_own("localhost", 80));
    }
}
