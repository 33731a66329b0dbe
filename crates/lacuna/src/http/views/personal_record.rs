//! The view `personal`: the record of one memory, and the audit log, in the words of the specification.

#![allow(unused_qualifications, reason = "the macro that describes parameters writes their full path")]

use axum::Extension;
use axum::extract::State;
use jiff::Timestamp;
use lacuna_core::permit::{Caller, permit};
use lacuna_types::{Memory, MemoryId, Scope};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use super::audit_words::{memories, operation, performed_by};
use super::personal::{audit_id, last_accessed};
use super::spelled;
use crate::http::App;
use crate::http::body::{Id, Pairs};
use crate::http::page::{BY_NAME, PageQuery};
use crate::http::problem::Problems;
use crate::wire::failure::Result;
use crate::wire::{self, content_hash};

/// The record of one memory, opened for its owner. Its vector stays sealed.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonalRecord)]
pub(in crate::http) struct PersonalRecord {
    memory_id: String,
    user_id: String,
    org_id: String,
    category: wire::Category,
    content_type: wire::ContentType,
    content: String,
    content_hash: String,
    source: PersonalSource,
    metadata: PersonalMetadata,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Always null: a deleted memory has no record.
    deleted_at: Option<Timestamp>,
}

/// The origin of a memory.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonalSource)]
pub(in crate::http) struct PersonalSource {
    session_id: Option<String>,
    channel: Option<String>,
    message_id: Option<String>,
    timestamp: Timestamp,
}

/// Figures of a memory.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonalMetadata)]
pub(in crate::http) struct PersonalMetadata {
    topic_tags: Vec<String>,
    importance_score: f32,
    access_count: u32,
    last_accessed: Timestamp,
    /// The memories that it was made of.
    compacted_from: Vec<String>,
    /// The moment at which its time is over, if one was asked for.
    ttl: Option<Timestamp>,
}

impl PersonalRecord {
    fn of(memory: Memory, scope: &Scope) -> Self {
        let facets = memory.facets;
        let sources: Vec<MemoryId> = facets.derived_from.iter().map(|lineage| lineage.source).collect();
        let text = memory.content.into_full_text();
        Self {
            memory_id: memory.id.to_string(),
            user_id: scope.holder.name().to_owned(),
            org_id: scope.org.as_str().to_owned(),
            category: facets.category.into(),
            content_type: facets.content_type.into(),
            content_hash: content_hash(&lacuna_seal::sha256(text.expose().as_bytes())),
            content: text.into_exposed(),
            source: PersonalSource {
                session_id: facets.source.session.map(|session| session.as_str().to_owned()),
                channel: facets.source.channel,
                message_id: facets.source.message,
                timestamp: memory.created_at,
            },
            metadata: PersonalMetadata {
                topic_tags: facets.tags,
                importance_score: facets.vitality.salience,
                access_count: facets.vitality.rehearsals,
                last_accessed: last_accessed(&facets.vitality),
                compacted_from: spelled(&sources),
                ttl: facets.retention.expires_at,
            },
            created_at: memory.created_at,
            updated_at: memory.updated_at,
            deleted_at: None,
        }
    }
}

/// One memory as the record that the personal memory specification describes.
#[utoipa::path(
    get,
    path = "/v1/views/personal/memories/{memory_id}",
    operation_id = "personal_record",
    tag = "views",
    params(("memory_id" = String, Path, description = "`mem_` and 32 hex digits")),
    responses((status = 200, description = "The record.", body = PersonalRecord), Problems)
)]
pub(in crate::http) async fn record(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Id(id): Id,
) -> Result<axum::Json<PersonalRecord>> {
    let id: MemoryId = id.parse()?;
    let scope = caller.personal_scope();
    let (memory, scope) = app.call_in(caller, scope, move |core, grant| core.get(grant, id)).await?;
    Ok(axum::Json(PersonalRecord::of(memory, &scope)))
}

/// Position at which a log goes on.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the parameter that `PageQuery` reads")]
pub(super) struct LogParams {
    /// Only entries with a higher number.
    after: Option<u64>,
}

/// Operations on the caller's memory.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonalAudit)]
pub(in crate::http) struct PersonalAudit {
    entries: Vec<PersonalAuditEntry>,
    /// Pass it as `after` to read on; absent at the end of the chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_after: Option<u64>,
}

/// One operation. It holds no content.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonalAuditEntry)]
pub(in crate::http) struct PersonalAuditEntry {
    audit_id: String,
    user_id: String,
    memory_ids: Vec<String>,
    /// `store`, `retrieve`, `update`, `forget`, `export`, `destroy` or `compact`.
    operation: &'static str,
    /// Words of ours that say more, such as the rules that struck.
    detail: Vec<String>,
    /// `user`, `system` or `admin`.
    performed_by: &'static str,
    performed_at: Timestamp,
}

/// The audit log of the caller's own memory, oldest first, a page at a time.
#[utoipa::path(
    get,
    path = "/v1/views/personal/audit",
    operation_id = "personal_audit",
    tag = "views",
    params(LogParams),
    responses((status = 200, description = "One page.", body = PersonalAudit), Problems)
)]
pub(in crate::http) async fn audit(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Pairs(pairs): Pairs,
) -> Result<axum::Json<PersonalAudit>> {
    let after = PageQuery::read(pairs, BY_NAME)?.after_number()?;
    let log = app.call(move |core| {
        let page = core.read_audit(&permit(&caller, &caller.personal_scope())?, after)?;
        let next_after = page.last().map(|(row, _)| row.seq);
        let entries = page.into_iter().filter_map(|(row, entry)| {
            Some(PersonalAuditEntry {
                audit_id: audit_id(row.seq),
                user_id: caller.user.as_str().to_owned(),
                memory_ids: spelled(&memories(&entry)),
                operation: operation(&entry)?,
                performed_by: performed_by(&entry, &caller),
                performed_at: row.at,
                detail: entry.notes,
            })
        });
        Ok(PersonalAudit { entries: entries.collect(), next_after })
    });
    Ok(axum::Json(log.await?))
}
