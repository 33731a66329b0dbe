//! Signing in on the page of the organisation's sign-on service: there with a redirect, back with a code.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query as UrlQuery, State};
use axum::http::header::{HeaderName, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};

use super::entrance::{self, session_cookie, welcome};
use super::guard::{cookie, cookie_name};
use super::language::PageLanguage;
use super::session::{Credential, SIGN_ON_MAX, Visits};
use crate::codes;
use crate::http::{App, SignOnAnswer};
use crate::wire::failure::{Failure, Result};

/// Seconds that somebody has on the provider's page.
const ATTEMPT_SECONDS: u32 = 600;

/// Sends the browser to the provider. The secrets of the attempt stay in a cookie that only comes back here; it is lax,
/// because the provider's page is another site.
pub(super) async fn begin(State(app): State<App>) -> Result<Response> {
    let attempt = app.begin_sign_on();
    let attempt = attempt.ok_or_else(|| Failure::new(&codes::UNKNOWN_ROUTE, codes::UNKNOWN_ROUTE.meaning))?;
    let kept = attempt_cookie(&app, &attempt.kept, ATTEMPT_SECONDS);
    Ok(([(SET_COOKIE, kept)], Redirect::to(&attempt.address)).into_response())
}

/// Takes the provider's answer. Whatever is wrong with it looks the same.
pub(super) async fn finish(
    State(app): State<App>,
    Extension(visits): Extension<Arc<Visits>>,
    UrlQuery(answer): UrlQuery<SignOnAnswer>,
    headers: HeaderMap,
) -> Result<Response> {
    let language = PageLanguage::of(&headers);
    let kept = cookie(&headers, &attempt_name(&app)).unwrap_or_default();
    let vouched = app.finish_sign_on(answer, kept).await?;
    let over = (SET_COOKIE, attempt_cookie(&app, "", 0));
    let Some((org, user, roles)) = vouched else {
        let wrong = entrance::page(&app, language, Some(language.texts().entrance_sign_on_failed));
        return Ok((StatusCode::FORBIDDEN, [over], wrong).into_response());
    };
    let now = app.core().clock().now();
    let credential = Credential::SignedOn { org, user, roles, until: now + SIGN_ON_MAX };
    let secret = visits.begin(credential, now);
    let cookies: AppendHeaders<[(HeaderName, String); 2]> =
        AppendHeaders([over, (SET_COOKIE, session_cookie(&app, &secret))]);
    Ok((cookies, welcome(language)).into_response())
}

fn attempt_name(app: &App) -> String {
    format!("{}_sign_on", cookie_name(app))
}

fn attempt_cookie(app: &App, value: &str, seconds: u32) -> String {
    let secure = if app.is_local_only() { "" } else { "; Secure" };
    format!(
        "{}={value}; Path=/console/sign-on; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}",
        attempt_name(app)
    )
}
