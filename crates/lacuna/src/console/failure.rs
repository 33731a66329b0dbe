//! Failures as pages: what happened and what to do, in the reader's language.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::html;

use super::entrance;
use super::language::PageLanguage;
use super::layout::bare_page;
use crate::codes;
use crate::http::{App, ToldFailure};

/// The page of a failure. Whoever is not signed in sees the entrance.
pub(super) fn page(app: &App, told: &ToldFailure, language: PageLanguage, status: StatusCode) -> Response {
    if told.code == &codes::UNAUTHENTICATED {
        return (status, entrance::page(app, language, None)).into_response();
    }
    let texts = language.texts();
    let (title, remedy) = match told.code.name {
        "not_found" | "unknown_route" => (texts.failure_not_found, texts.failure_not_found_do),
        "denied" => (texts.failure_denied, texts.failure_denied_do),
        "foreign_host" | "foreign_origin" | "stale_form" => (texts.failure_stale, texts.failure_stale_do),
        "plan_changed" | "conflict" => (texts.failure_changed, texts.failure_changed_do),
        "rate_limited" | "overloaded" | "quota_exceeded" => (texts.failure_busy, texts.failure_busy_do),
        "frozen" => (texts.failure_frozen, texts.failure_frozen_do),
        _ if status.is_client_error() => (texts.failure_input, texts.failure_input_do),
        _ => (texts.failure_server, texts.failure_server_do),
    };
    let body = html! {
        p { (remedy) }
        // The details are those of the API, in English: they name the field at fault.
        p class="hint" lang="en" { (told.detail) " (" code { (told.code.name) } ")" }
        p { a class="button" href="/" { (texts.back_to_start) } }
    };
    (status, bare_page(language, title, &body)).into_response()
}
