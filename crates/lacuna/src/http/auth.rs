//! Authentication. It runs before any body is read.

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName};
use axum::middleware::Next;
use axum::response::Response;
use lacuna_core::govern::TOKEN_PREFIX;
use lacuna_core::permit::Caller;
use zeroize::Zeroizing;

use super::conditional::TagKey;
use super::observe::note_caller;
use super::oidc::{Claimed, SignOn};
use super::{App, Openness};
use crate::codes;
use crate::wire::failure::{Failure, Result};

const SCHEME: &str = "bearer";
/// Names by which a machine calls itself.
const LOOPBACK_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
/// The port that a host header may leave out.
const HTTP_PORT: u16 = 80;

pub(super) async fn authenticate(
    State(app): State<App>,
    mut request: Request,
    next: Next,
) -> Result<Response> {
    let (caller, tags) = caller(&app, request.headers()).await?;
    note_caller(&caller);
    request.extensions_mut().insert(caller);
    request.extensions_mut().insert(tags);
    Ok(next.run(request).await)
}

/// The caller, and the key of the tags of their answers.
async fn caller(app: &App, headers: &HeaderMap) -> Result<(Caller, TagKey)> {
    if let Some(header) = headers.get(AUTHORIZATION) {
        let token = header.to_str().ok().and_then(bearer).ok_or_else(unauthenticated)?;
        if !token.starts_with(TOKEN_PREFIX)
            && let Some(sign_on) = &app.0.sign_on
        {
            return signed_on(app, sign_on, &token).await;
        }
        let tags = TagKey::of(token.as_bytes());
        let known = app.call(move |service| service.tokens().authenticate(&token)).await?;
        return known.map(|caller| (caller, tags)).ok_or_else(unauthenticated);
    }
    if app.0.openness == Openness::TokensOnly {
        return Err(unauthenticated());
    }
    let org = app.0.local.org.clone();
    if app.call(move |service| service.tokens().exist(&org)).await? {
        return Err(unauthenticated());
    }
    refuse_web_pages(headers, app.0.address.port())?;
    // Memberships may have changed since the server started.
    let Caller { org, user, roles, .. } = app.0.local.clone();
    let caller = app.call(move |service| service.members().caller_for(org, user, roles)).await?;
    Ok((caller, app.0.local_tags.clone()))
}

/// A caller whom the sign-on service vouches for.
async fn signed_on(app: &App, sign_on: &SignOn, token: &str) -> Result<(Caller, TagKey)> {
    let now = app.0.service.clock().now();
    let Claimed { org, user, roles } = sign_on.claimed(token, now).await?.ok_or_else(unauthenticated)?;
    let caller = app.call(move |service| service.members().caller_for(org, user, roles)).await?;
    // Such tokens change every few minutes, and tags should not change with them.
    Ok((caller, app.0.local_tags.clone()))
}

fn bearer(header: &str) -> Option<Zeroizing<String>> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case(SCHEME).then(|| Zeroizing::new(token.trim().to_owned()))
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
