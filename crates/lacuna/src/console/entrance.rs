//! Signing in by a link or a token, signing out, and the choice of a language.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Redirect, Response};
use lacuna_core::SignIns;
use maud::html;
use zeroize::Zeroizing;

use super::form::SentForm;
use super::guard::{Visitor, cookie, cookie_name, current};
use super::language::{LANGUAGE_COOKIE, PageLanguage};
use super::layout::{bare_page, notice};
use super::session::{Credential, Visits};
use crate::http::App;
use crate::wire::failure::Result;

/// Seconds for which a browser keeps the choice of a language: a year.
const LANGUAGE_SECONDS: u32 = 365 * 24 * 60 * 60;

/// The entrance: how to sign in here.
pub(super) fn page(app: &App, language: PageLanguage, wrong: Option<&str>) -> Html<String> {
    let texts = language.texts();
    let body = html! {
        @if let Some(wrong) = wrong { (notice("bad", wrong)) }
        p class="lead" { (texts.entrance_lead) }
        @if app.is_local_only() {
            section class="card" {
                h2 { (texts.entrance_local) }
                p { (texts.entrance_local_how) }
                pre { code { "lacuna open" } }
            }
        }
        @if app.has_sign_on_page() {
            section class="card" {
                h2 { (texts.entrance_sign_on) }
                p { (texts.entrance_sign_on_how) }
                p { a class="button" href="/console/sign-on" { (texts.entrance_sign_on_do) } }
            }
        }
        section class="card" {
            h2 { (texts.entrance_token) }
            form method="post" action="/console/sign-in" {
                label for="token" { (texts.token) }
                input id="token" name="token" type="password" autocomplete="off" spellcheck="false" required;
                p class="hint" { (texts.entrance_token_how) }
                button { (texts.sign_in) }
            }
        }
    };
    bare_page(language, texts.entrance_title, &body)
}

pub(super) async fn show(State(app): State<App>, headers: HeaderMap) -> Html<String> {
    page(&app, PageLanguage::of(&headers), None)
}

/// Follows a one-time link of `lacuna open`.
pub(super) async fn enter(
    State(app): State<App>,
    Extension(visits): Extension<Arc<Visits>>,
    Path(token): Path<String>,
    headers: HeaderMap,
) -> Result<Response> {
    let language = PageLanguage::of(&headers);
    let texts = language.texts();
    let followed = app.call(move |core| SignIns::of(core).follow(&token)).await;
    let now = app.core().clock().now();
    // Whoever serves other machines cannot know which of several nodes has taken a link before.
    let link = followed.ok().filter(|link| app.is_local_only() && visits.use_link(link, now));
    let Some(link) = link else {
        return Ok(
            (StatusCode::FORBIDDEN, page(&app, language, Some(texts.entrance_link_over))).into_response()
        );
    };
    let secret = visits.begin(Credential::of_link(&link.caller), now);
    Ok(([(SET_COOKIE, session_cookie(&app, &secret))], welcome(language)).into_response())
}

/// The page that leads on to the memory. It is no redirect: a browser that came from elsewhere would not send a strict
/// cookie along with one.
pub(super) fn welcome(language: PageLanguage) -> Html<String> {
    let texts = language.texts();
    let body = html! {
        meta http-equiv="refresh" content="0; url=/";
        p { (texts.signed_in) }
        p { a class="button" href="/" { (texts.continue_here) } }
    };
    bare_page(language, texts.signed_in_title, &body)
}

/// Signs in with a token.
pub(super) async fn sign_in(
    State(app): State<App>,
    Extension(visits): Extension<Arc<Visits>>,
    request: Request,
) -> Result<Response> {
    let language = PageLanguage::of(request.headers());
    let form = SentForm::read(&app, request).await?;
    let token = Zeroizing::new(form.text("token").unwrap_or_default().to_owned());
    let credential = Credential::Token(token);
    if current(&app, credential.clone()).await.is_err() {
        let wrong = page(&app, language, Some(language.texts().entrance_token_wrong));
        return Ok((StatusCode::UNAUTHORIZED, wrong).into_response());
    }
    let secret = visits.begin(credential, app.core().clock().now());
    Ok(([(SET_COOKIE, session_cookie(&app, &secret))], Redirect::to("/")).into_response())
}

pub(super) async fn sign_out(
    State(app): State<App>,
    Extension(visits): Extension<Arc<Visits>>,
    headers: HeaderMap,
    _form: SentForm,
) -> Response {
    let name = cookie_name(&app);
    if let Some(secret) = cookie(&headers, &name) {
        visits.end(secret);
    }
    let gone = format!("{name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");
    ([(SET_COOKIE, gone)], Redirect::to("/console/sign-in")).into_response()
}

pub(super) async fn choose_language(Extension(visitor): Extension<Arc<Visitor>>, form: SentForm) -> Response {
    let chosen = form.text("language").and_then(PageLanguage::from_code).unwrap_or(visitor.language);
    let cookie = format!(
        "{LANGUAGE_COOKIE}={}; Path=/; Max-Age={LANGUAGE_SECONDS}; HttpOnly; SameSite=Strict",
        chosen.code()
    );
    ([(SET_COOKIE, cookie)], Redirect::to("/")).into_response()
}

/// The cookie of a visit. It lasts as long as the browser, and off loopback it never travels in the clear.
pub(super) fn session_cookie(app: &App, secret: &str) -> String {
    let secure = if app.is_local_only() { "" } else { "; Secure" };
    format!("{}={secret}; Path=/; HttpOnly; SameSite=Strict{secure}", cookie_name(app))
}
