//! Web pages of other origins: none, unless an operator names them. A named page still needs a token.

use std::time::Duration;

use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, ETAG, IF_MATCH, IF_NONE_MATCH, RETRY_AFTER};
use axum::http::{HeaderName, HeaderValue, Method};
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::idempotency::{KEY, REPLAYED};
use super::observe::REQUEST_ID;
use super::person_header::LACUNA_USER;

/// Time for which a browser may remember the permission.
const REMEMBERED: Duration = Duration::from_secs(600);

/// Headers for browsers, if any page may call at all. Cookies are never allowed: Lacuna keeps nothing in one.
pub(super) fn layer(origins: &[String]) -> Option<CorsLayer> {
    let origins: Vec<HeaderValue> = origins.iter().filter_map(|origin| origin.parse().ok()).collect();
    if origins.is_empty() {
        return None;
    }
    let sent: [HeaderName; 7] = [
        AUTHORIZATION,
        CONTENT_TYPE,
        IF_MATCH,
        IF_NONE_MATCH,
        KEY.clone(),
        LACUNA_USER.clone(),
        REQUEST_ID.clone(),
    ];
    let shown: [HeaderName; 4] = [ETAG, RETRY_AFTER, REPLAYED.clone(), REQUEST_ID.clone()];
    let layer = CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::DELETE])
        .allow_headers(sent)
        .expose_headers(shown)
        .max_age(REMEMBERED);
    Some(layer)
}
