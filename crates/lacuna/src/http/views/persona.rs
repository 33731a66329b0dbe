//! The view `persona`: memories as the atoms of a persona schema.

#![allow(unused_qualifications, reason = "the macro that describes parameters writes their full path")]

use axum::Extension;
use axum::extract::State;
use jiff::Timestamp;
use lacuna_core::Lacuna;
use lacuna_core::forget::{Planned, Request};
use lacuna_core::index::Filter;
use lacuna_core::permit::{Caller, Forget, permit};
use lacuna_core::read::{LIST_PAGE_DEFAULT, LIST_PAGE_MAX};
use lacuna_types::request::{PlanChoice, Target};
use lacuna_types::{Error, Lifecycle, MemoryId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::VIEW_BYTES_MAX;
use super::personal::confirm;
use crate::http::App;
use crate::http::body::{Id, Json, Pairs, parse};
use crate::http::page::PageQuery;
use crate::http::problem::Problems;
use crate::persona::{Atom, atom_id};
use crate::wire::failure::{Failure, Result};
use crate::wire::{self, read_cursor, write_cursor};

/// Parameters of the list.
const LIST_PARAMETERS: &[&str] = &["cursor", "limit"];

/// Filters of a list of atoms.
#[derive(IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes the parameters that `atoms` reads")]
pub(in crate::http) struct AtomParams {
    /// The `nextCursor` of the page before.
    cursor: Option<String>,
    /// Atoms on one page; 50 when absent.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<usize>,
    privacy_class: Option<wire::PrivacyClass>,
    /// Only atoms of at least this salience now, from 0 to 1.
    min_salience: Option<f32>,
}

/// One page of atoms, newest first.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AtomPage)]
pub(in crate::http) struct AtomPage {
    memory: Vec<Atom>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// Memories as atoms, newest first, a page at a time.
#[utoipa::path(
    get,
    path = "/v1/views/persona/memory",
    operation_id = "persona_memory",
    tag = "views",
    params(AtomParams),
    responses((status = 200, description = "One page.", body = AtomPage), Problems)
)]
pub(in crate::http) async fn atoms(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Pairs(pairs): Pairs,
) -> Result<axum::Json<AtomPage>> {
    let (mut class, mut salience) = (None::<wire::PrivacyClass>, None::<f32>);
    let page = PageQuery::read_with(pairs, LIST_PARAMETERS, |name, value| {
        match name {
            "privacyClass" => {
                let word = value.parse().map_err(|rule: String| Failure::invalid(name, rule))?;
                crate::http::body::once(name, &mut class, word)?;
            }
            "minSalience" => {
                let least = parse(name, value, "must be a number from 0 to 1")?;
                crate::http::body::once(name, &mut salience, least)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let min_salience = salience.unwrap_or(0.0);
    if !(0.0..=1.0).contains(&min_salience) {
        return Err(Failure::invalid("minSalience", "must be a number from 0 to 1"));
    }
    let after = page.start.as_deref().map(read_cursor).transpose()?;
    let limit = page.limit_or(LIST_PAGE_DEFAULT);
    let filter = Filter { min_salience, ..Filter::default() };
    let scope = caller.personal_scope();
    let (found, _) =
        app.call_in(caller, scope, move |core, grant| core.list(grant, &filter, after, limit)).await?;
    let of_class =
        |memory: &lacuna_types::Memory| class.is_none_or(|class| memory.facets.privacy.class == class.0);
    let memory = found.memories.into_iter().filter(of_class).map(Atom::of).collect();
    Ok(axum::Json(AtomPage { memory, next_cursor: found.next.map(write_cursor) }))
}

/// Finds the memory that an id of the schema, or one of ours, names.
fn resolve(core: &Lacuna, caller: &Caller, id: &str) -> lacuna_types::Result<MemoryId> {
    if !id.starts_with("mem:") {
        return id.parse();
    }
    let grant = permit(caller, &caller.personal_scope())?;
    let filter = Filter { states: vec![Lifecycle::Active, Lifecycle::Archived], ..Filter::default() };
    let mut after = None;
    loop {
        let page = core.list(&grant, &filter, after, LIST_PAGE_MAX)?;
        if let Some(found) = page.memories.iter().find(|memory| atom_id(memory.id) == id) {
            return Ok(found.id);
        }
        after = page.next;
        if after.is_none() {
            return Err(Error::NotFound("memory"));
        }
    }
}

/// One memory as an atom, with its salience and brightness as they were formed.
#[utoipa::path(
    get,
    path = "/v1/views/persona/memory/{atom_id}",
    operation_id = "persona_atom",
    tag = "views",
    params(("atom_id" = String, Path, description = "`mem:` and 12 hex digits, or an id of ours")),
    responses((status = 200, description = "The atom.", body = Atom), Problems)
)]
pub(in crate::http) async fn atom(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Id(id): Id,
) -> Result<axum::Json<Atom>> {
    let memory = app.call(move |core| {
        let id = resolve(core, &caller, &id)?;
        core.get(&permit(&caller, &caller.personal_scope())?, id)
    });
    Ok(axum::Json(Atom::of(memory.await?)))
}

/// The redaction of one atom.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RedactRequest)]
pub(in crate::http) struct Redact {
    /// Why, in a word or two of the schema. It comes back in the answer, and is stored nowhere.
    #[schema(min_length = 1, max_length = 200)]
    reason: String,
    /// `soft`, `hard`, `archive` or `delete`; the policy decides when absent.
    mode: Option<wire::Mode>,
}

/// Reasons have at most this many characters.
const REASON_CHARS_MAX: usize = 200;

/// An atom that was redacted: for `hard` the tombstone that takes its place.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Tombstone)]
pub(in crate::http) struct RedactedAtom {
    id: String,
    redaction_status: &'static str,
    redacted_at: Timestamp,
    redaction_reason: String,
    /// The events of the redaction: receipts, which are signed.
    redaction_events: Vec<String>,
    /// Atoms that referred to it, and wait for a review.
    flagged_for_review: Vec<String>,
}

/// Redact one atom.
#[utoipa::path(
    post,
    path = "/v1/views/persona/memory/{atom_id}/redact",
    operation_id = "persona_redact",
    tag = "views",
    params(("atom_id" = String, Path, description = "`mem:` and 12 hex digits, or an id of ours")),
    request_body = Redact,
    responses((status = 200, description = "It is redacted.", body = RedactedAtom), Problems)
)]
pub(in crate::http) async fn redact(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Id(id): Id,
    Json(request): Json<Redact, VIEW_BYTES_MAX>,
) -> Result<axum::Json<RedactedAtom>> {
    if request.reason.trim().is_empty() || request.reason.chars().count() > REASON_CHARS_MAX {
        return Err(Failure::invalid("reason", format!("has 1 to {REASON_CHARS_MAX} characters")));
    }
    let done = app.call(move |core| {
        let id = resolve(core, &caller, &id)?;
        let grant = permit::<Forget>(&caller, &caller.personal_scope())?;
        let mode = request.mode.map(|mode| mode.0);
        let wanted = Request { mode, ..Request::new(Target::Ids(vec![id])) };
        let Planned::Plan(plan) = core.plan_forget(&grant, &wanted)? else {
            return Err(Error::NotFound("memory"));
        };
        let mode = plan.mode;
        let done = confirm(core, &grant, plan.token.ok_or(Error::NotFound("memory"))?, &PlanChoice::All)?;
        Ok(RedactedAtom {
            id: atom_id(id),
            redaction_status: match mode {
                lacuna_types::request::Mode::Archive => "archived",
                _ => "redacted",
            },
            redacted_at: core.clock().now(),
            redaction_reason: request.reason,
            redaction_events: done.receipts.iter().map(|signed| signed.receipt.reference()).collect(),
            flagged_for_review: done.held_back.iter().map(|id| atom_id(*id)).collect(),
        })
    });
    Ok(axum::Json(done.await?))
}
