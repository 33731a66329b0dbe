//! The checks before every page, and the headers and the error page after it.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, HOST, ORIGIN, REFERRER_POLICY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use lacuna_core::permit::Caller;
use lacuna_types::Role;

use super::failure;
use super::language::PageLanguage;
use super::protection;
use super::session::{Credential, Visits};
use crate::codes;
use crate::http::{App, ToldFailure};
use crate::wire::failure::{Failure, Result};

/// No script and no style but our own files, nothing from anybody else, and no frame around us.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// The name by which the audit knows reads through these pages.
const CLIENT: &str = "console";
/// Seconds after the end of an idle visit at which its page gives way to the entrance.
const CURTAIN_SECONDS: u64 = 2;

/// A person who is signed in.
pub(super) struct Visitor {
    pub(super) caller: Caller,
    /// The secret that every form of this visit carries.
    pub(super) form_key: String,
    pub(super) language: PageLanguage,
}

impl Visitor {
    pub(super) fn is_admin(&self) -> bool {
        self.caller.roles.contains(&Role::Admin)
    }

    /// Returns true for somebody who has a vault of their own, and not counts only.
    pub(super) fn has_memory(&self) -> bool {
        self.caller.roles.iter().any(|role| *role != Role::Admin)
    }
}

/// Lets in whoever is signed in, and tells the handler who it is.
pub(super) async fn known(
    State(app): State<App>,
    Extension(visits): Extension<Arc<Visits>>,
    mut request: Request,
    next: Next,
) -> Result<Response> {
    let headers = request.headers();
    let now = app.core().clock().now();
    let secret = cookie(headers, &cookie_name(&app)).ok_or_else(signed_out)?;
    let (credential, form_key) = visits.resume(secret, now).ok_or_else(signed_out)?;
    let language = PageLanguage::of(headers);
    let caller = current(&app, credential).await?.through(CLIENT);
    App::note_caller(&caller);
    request.extensions_mut().insert(caller.clone());
    let visitor = Arc::new(Visitor { caller, form_key, language });
    request.extensions_mut().insert(Arc::clone(&visitor));
    let response = next.run(request).await;
    let told = response.extensions().get::<ToldFailure>();
    match told.is_some_and(|told| told.code == &codes::VAULT_LOCKED) {
        // Whoever meets a locked vault may unlock it there.
        true => Ok(protection::locked_page(&visitor)),
        false => Ok(response),
    }
}

fn signed_out() -> Failure {
    Failure::new(&codes::UNAUTHENTICATED, codes::UNAUTHENTICATED.meaning)
}

/// The caller of a credential, with the rights that they have now.
pub(super) async fn current(app: &App, credential: Credential) -> Result<Caller> {
    match credential {
        Credential::Token(token) => app.caller_of_token(token).await,
        Credential::SignedOn { until, .. } if until < app.core().clock().now() => Err(signed_out()),
        Credential::Link { org, user, roles } | Credential::SignedOn { org, user, roles, .. } => {
            app.call(move |core| core.members().caller_for(org, user, roles)).await
        }
    }
}

/// Refuses requests under foreign names and from other pages, and gives every answer the headers of a page.
pub(super) async fn dress(State(app): State<App>, request: Request, next: Next) -> Response {
    let language = PageLanguage::of(request.headers());
    let is_document = request.uri().path().starts_with("/docs");
    let checked = app.check_host(request.headers()).and_then(|()| own_page(&request));
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(failure) => axum::response::IntoResponse::into_response(failure),
    };
    if let Some(told) = response.extensions_mut().remove::<ToldFailure>() {
        response = failure::page(&app, &told, language, response.status());
    }
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    set(CONTENT_SECURITY_POLICY, POLICY);
    // Nothing goes to other sites. Our own forms need their origin, which no referrer at all would make "null".
    set(REFERRER_POLICY, "same-origin");
    set(HeaderName::from_static("x-frame-options"), "DENY");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if is_html(headers) && !is_document {
        // Whoever left the screen leaves no page on it; this needs no script.
        let refresh = format!("{}; url=/console/sign-in", app.console_idle().as_secs() + CURTAIN_SECONDS);
        if let Ok(refresh) = HeaderValue::from_str(&refresh) {
            headers.insert("refresh", refresh);
        }
    }
    response
}

fn is_html(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"))
}

/// Refuses a form that another page sent. Other ports of the same machine share our cookies, so that the whole origin
/// counts.
fn own_page(request: &Request) -> Result<()> {
    if request.method() == Method::GET || request.method() == Method::HEAD {
        return Ok(());
    }
    let text = |name: HeaderName| request.headers().get(name).and_then(|value| value.to_str().ok());
    let origin = text(ORIGIN).and_then(|origin| origin.split_once("://")).map(|(_, host)| host);
    let same = origin.is_some_and(|origin| text(HOST).is_some_and(|host| host.eq_ignore_ascii_case(origin)));
    let fetched = text(HeaderName::from_static("sec-fetch-site"));
    match same && fetched.is_none_or(|site| site == "same-origin") {
        true => Ok(()),
        false => Err(Failure::new(&codes::FOREIGN_ORIGIN, codes::FOREIGN_ORIGIN.meaning)),
    }
}

/// The name of our cookie. Servers on other ports of a machine share its cookies, so that each has a name of its own.
pub(super) fn cookie_name(app: &App) -> String {
    format!("lacuna_{}", app.port())
}

/// The value of a cookie, if there is exactly one of that name.
pub(super) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let texts = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut found = pairs.filter(|(known, _)| *known == name).map(|(_, value)| value);
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_read_by_its_whole_name_and_only_if_it_is_the_only_one() {
        let headers = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, HeaderValue::from_static(text));
            headers
        };
        assert_eq!(cookie(&headers("a=1; lacuna_7707=xy; b=2"), "lacuna_7707"), Some("xy"));
        assert_eq!(cookie(&headers("xlacuna_7707=xy"), "lacuna_7707"), None);
        assert_eq!(cookie(&headers("lacuna_7707=a; lacuna_7707=b"), "lacuna_7707"), None);
        assert_eq!(cookie(&HeaderMap::new(), "lacuna_7707"), None);
    }
}
