//! A page that shows the description, whole in one file: it loads nothing, from us or from anybody else, and can
//! be saved and read without a network.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use axum::response::IntoResponse;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

const PAGE: &str = include_str!("docs/page.html");
const STYLE: &str = include_str!("docs/page.css");
const SCRIPT: &str = include_str!("docs/page.js");

/// The page, and the header that limits the scripts that a browser runs in it.
#[derive(Clone)]
pub(super) struct DocsPage {
    html: Bytes,
    policy: Arc<str>,
}

impl DocsPage {
    /// Builds the page from a description in JSON.
    pub(super) fn of(description: &str) -> Self {
        // Inside a script element only this could end it early; in a string of JSON the escape means the same.
        let description = description.replace('<', "\\u003c");
        let html = PAGE.replace("/*STYLE*/", STYLE).replace("/*SCRIPT*/", SCRIPT);
        let html = html.replace("/*DESCRIPTION*/", &description);
        let hash = |text: &str| STANDARD.encode(lacuna_seal::sha256(text.as_bytes()));
        let policy = format!(
            "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; \
             form-action 'none'; frame-ancestors 'none'",
            hash(SCRIPT),
            hash(STYLE)
        );
        Self { html: html.into(), policy: policy.into() }
    }
}

/// This description as a page, to read without a network.
#[utoipa::path(
    get,
    path = "/docs/api",
    tag = "operation",
    responses((status = 200, description = "One HTML file that loads nothing.", body = String, content_type = "text/html; charset=utf-8"))
)]
pub(super) async fn docs(Extension(page): Extension<DocsPage>) -> impl IntoResponse {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (CONTENT_SECURITY_POLICY, page.policy.to_string()),
        (REFERRER_POLICY, "no-referrer".to_owned()),
    ];
    (headers, page.html)
}
