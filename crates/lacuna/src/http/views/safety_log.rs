//! The view `safety`: the audit log with the names of actions that the specification has.

use std::collections::HashMap;

use axum::Extension;
use axum::extract::State;
use jiff::Timestamp;
use lacuna_core::Lacuna;
use lacuna_core::audit::AuditEntry;
use lacuna_core::index::Filter;
use lacuna_core::permit::{Caller, Recall, permit};
use lacuna_core::read::LIST_PAGE_MAX;
use lacuna_types::{Lifecycle, MemoryId, SourceType, Tier};
use serde::Serialize;
use utoipa::ToSchema;

use super::audit_words::{action, memories, note};
use super::personal::audit_id;
use super::personal_record::LogParams;
use crate::http::App;
use crate::http::body::Pairs;
use crate::http::page::{BY_NAME, PageQuery};
use crate::http::problem::Problems;
use crate::wire;
use crate::wire::failure::Result;

/// Actions on the caller's memory.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SafetyAudit)]
pub(in crate::http) struct SafetyAudit {
    entries: Vec<SafetyAuditEntry>,
    /// Pass it as `after` to read on; absent at the end of the chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_after: Option<u64>,
}

/// One action. It holds no content.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SafetyAuditEntry)]
pub(in crate::http) struct SafetyAuditEntry {
    id: String,
    timestamp: Timestamp,
    /// `memory_write`, `memory_read`, `memory_delete`, `memory_bulk_delete`, `memory_ttl_cleanup`,
    /// `secret_redacted` or `poisoning_attempt_blocked`.
    action: &'static str,
    user_id: String,
    memory_ids: Vec<String>,
    metadata: SafetyMetadata,
}

/// Further facts about an action.
#[derive(Serialize, ToSchema)]
#[schema(as = SafetyMetadata)]
pub(in crate::http) struct SafetyMetadata {
    /// Read from the memory itself, which is sealed: unknown once it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    tier: Option<wire::Tier>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<wire::SourceType>,
    count: usize,
    /// Sealed bytes written.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// The operation, or the rule that struck.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

type Known = HashMap<MemoryId, (Tier, SourceType)>;

/// The audit log of the caller's own memory, oldest first, a page at a time.
#[utoipa::path(
    get,
    path = "/v1/views/safety/audit",
    operation_id = "safety_audit",
    tag = "views",
    params(LogParams),
    responses((status = 200, description = "One page.", body = SafetyAudit), Problems)
)]
pub(in crate::http) async fn audit(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Pairs(pairs): Pairs,
) -> Result<axum::Json<SafetyAudit>> {
    let after = PageQuery::read(pairs, BY_NAME)?.after_number()?;
    let log = app.call(move |core| {
        let page = core.read_audit(&permit(&caller, &caller.personal_scope())?, after)?;
        let known = facets(core, &caller)?;
        let next_after = page.last().map(|(row, _)| row.seq);
        let entries = page.into_iter().filter_map(|(row, entry)| {
            Some(SafetyAuditEntry {
                id: audit_id(row.seq),
                timestamp: row.at,
                action: action(&entry)?,
                user_id: caller.user.as_str().to_owned(),
                memory_ids: super::spelled(&memories(&entry)),
                metadata: metadata(&entry, &known),
            })
        });
        Ok(SafetyAudit { entries: entries.collect(), next_after })
    });
    Ok(axum::Json(log.await?))
}

fn metadata(entry: &AuditEntry, known: &Known) -> SafetyMetadata {
    let facets = memories(entry).iter().find_map(|id| known.get(id).copied());
    let reason = note(entry, "by").map(str::to_owned);
    SafetyMetadata {
        tier: facets.map(|(tier, _)| tier.into()),
        source: facets.map(|(_, source)| source.into()),
        count: entry.subjects.len(),
        size: (entry.bytes > 0).then_some(entry.bytes),
        reason: reason.or_else(|| entry.notes.first().cloned()),
    }
}

/// Tier and source of every memory there is. Whoever may read the log and not the memories learns neither.
fn facets(core: &Lacuna, caller: &Caller) -> lacuna_types::Result<Known> {
    let Ok(grant) = permit::<Recall>(caller, &caller.personal_scope()) else { return Ok(Known::new()) };
    let filter = Filter { states: vec![Lifecycle::Active, Lifecycle::Archived], ..Filter::default() };
    let (mut known, mut after) = (Known::new(), None);
    loop {
        let page = core.list(&grant, &filter, after, LIST_PAGE_MAX)?;
        known.extend(page.memories.iter().map(|one| (one.id, (one.facets.tier, one.facets.source.kind))));
        after = page.next;
        if after.is_none() {
            return Ok(known);
        }
    }
}
