//! Views: the operations of Lacuna in the words of five public documents about memory for assistants. Each view
//! translates requests and answers, and decides nothing: it calls the operations that the other routes call.
//!
//! `docs/seeds.md` answers every requirement of the five documents, and names each deliberate difference.

pub(super) mod audit_words;
pub(super) mod forgetting;
pub(super) mod forgetting_log;
pub(super) mod governance;
pub(super) mod governance_log;
pub(super) mod persona;
pub(super) mod persona_document;
pub(super) mod personal;
pub(super) mod personal_record;
pub(super) mod safety;
pub(super) mod safety_log;

use lacuna_core::permit::Caller;
use lacuna_core::write::Remembered;
use lacuna_types::{Lifecycle, MemoryId};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::App;
use crate::codes;
use crate::wire::failure::{Failure, Result};

/// Bytes of one memory in a view: a long text with every character escaped.
const VIEW_MEMORY_BYTES_MAX: usize = 8 << 20;
/// Bytes of a request that holds no text to store.
const VIEW_BYTES_MAX: usize = 64 << 10;

/// The routes of all views.
pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(personal::store))
        .routes(routes!(personal::retrieve))
        .routes(routes!(personal::forget))
        .routes(routes!(personal::export))
        .routes(routes!(personal::destroy))
        .routes(routes!(personal_record::record))
        .routes(routes!(personal_record::audit))
        .routes(routes!(forgetting::request))
        .routes(routes!(forgetting::answer))
        .routes(routes!(forgetting::forget_memory))
        .routes(routes!(forgetting::forget_entity))
        .routes(routes!(forgetting::verify))
        .routes(routes!(forgetting_log::deletions))
        .routes(routes!(forgetting_log::subject_access))
        .routes(routes!(persona::atoms))
        .routes(routes!(persona::atom))
        .routes(routes!(persona::redact))
        .routes(routes!(persona_document::show))
        .routes(routes!(persona_document::validate_document))
        .routes(routes!(persona_document::import))
        .routes(routes!(safety::write))
        .routes(routes!(safety::format))
        .routes(routes!(safety::detect))
        .routes(routes!(safety::delete))
        .routes(routes!(safety_log::audit))
        .routes(routes!(governance::record))
        .routes(routes!(governance::promote_scope))
        .routes(routes!(governance::transition))
        .routes(routes!(governance::resolve))
        .routes(routes!(governance_log::reads))
}

/// Refuses a request that names another user or another organisation than the caller's: no document lets anybody
/// act in somebody else's memory, the owner of the installation included.
fn check_own(caller: &Caller, user_id: &str, org_id: Option<&str>) -> Result<()> {
    if user_id != caller.user.as_str() {
        return Err(denied("user_id must be the caller: nobody reaches another user's memory"));
    }
    match org_id {
        Some(org) if org != caller.org.as_str() => Err(denied("org_id must be the caller's organisation")),
        _ => Ok(()),
    }
}

fn denied(reason: &'static str) -> Failure {
    Failure::from(lacuna_types::Error::Denied(reason))
}

/// The one outcome of a call that stored one memory.
fn only_stored(mut outcomes: Vec<lacuna_core::write::Outcome>) -> Result<Remembered> {
    let only = outcomes.pop().ok_or_else(|| Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning))?;
    Failure::of_gate(only)
}

/// 201 for a memory that is found from now on, 202 for one that waits.
fn stored_status(state: Lifecycle) -> axum::http::StatusCode {
    match state {
        Lifecycle::Active => axum::http::StatusCode::CREATED,
        _ => axum::http::StatusCode::ACCEPTED,
    }
}

/// Memory ids as every answer spells them.
fn spelled(ids: &[MemoryId]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}
