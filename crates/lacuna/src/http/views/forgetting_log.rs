//! The view `forgetting`: the log of deletions, and the answer to a request for access, in the words of the paper.

use axum::Extension;
use axum::extract::State;
use jiff::Timestamp;
use lacuna_core::Lacuna;
use lacuna_core::permit::{Caller, permit};
use lacuna_core::transfer::{Format, Wanted};
use lacuna_core::vault::{Cause, Named, SignedReceipt};
use lacuna_types::hex::hex;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use zeroize::Zeroizing;

use super::personal_record::LogParams;
use crate::codes;
use crate::http::App;
use crate::http::body::Pairs;
use crate::http::page::{BY_NAME, PageQuery};
use crate::http::problem::Problems;
use crate::wire::failure::{Failure, Result};

/// Bytes of an export that is answered at once; a larger one is streamed by its link.
const ACCESS_BYTES_MAX: u64 = 16 << 20;

/// Deletions, oldest first.
#[derive(Serialize, ToSchema)]
#[schema(as = DeletionLog)]
pub(in crate::http) struct DeletionLog {
    deletions: Vec<DeletionRecord>,
    /// Pass it as `after` to read on; absent when there is no further page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_after: Option<u64>,
}

/// Proof of one deletion. It never says what was deleted.
#[derive(Serialize, ToSchema)]
#[schema(as = DeletionRecord)]
pub(in crate::http) struct DeletionRecord {
    /// As people quote it: `DEL-2026-000123`.
    id: String,
    deleted_at: Timestamp,
    /// `user_request`, `retention` or `person_request`.
    deletion_type: &'static str,
    /// `single`, `entity`, `category` or `all`.
    scope_type: &'static str,
    /// Hashes of what was named, under a key of the vault.
    scope_hash: Vec<String>,
    memory_count: u32,
    cascade_count: u32,
    user_confirmed: bool,
    /// The number of a person's request that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_reference: Option<String>,
}

impl From<&SignedReceipt> for DeletionRecord {
    fn from(signed: &SignedReceipt) -> Self {
        let receipt = &signed.receipt;
        Self {
            id: receipt.reference(),
            deleted_at: receipt.at,
            deletion_type: match receipt.cause {
                Cause::Purge | Cause::Retention => "retention",
                Cause::Person => "person_request",
                Cause::Request | Cause::Destruction | Cause::Correction | Cause::Deferred => "user_request",
            },
            scope_type: match receipt.named {
                Named::Ids | Named::LastSaid => "single",
                Named::Subject | Named::Query => "entity",
                Named::Everything => "all",
                _ => "category",
            },
            scope_hash: receipt.scope_hashes.iter().map(|hash| hex(hash)).collect(),
            memory_count: receipt.counts.direct + receipt.counts.indirect,
            cascade_count: receipt.counts.fell + receipt.counts.rebuilt,
            user_confirmed: !matches!(receipt.cause, Cause::Purge | Cause::Retention),
            request_reference: receipt.request.map(|number| format!("REQ-{number:06}")),
        }
    }
}

/// The log of deletions in the caller's own memory.
#[utoipa::path(
    get,
    path = "/v1/views/forgetting/deletions",
    operation_id = "forgetting_deletions",
    tag = "views",
    params(LogParams),
    responses((status = 200, description = "One page.", body = DeletionLog), Problems)
)]
pub(in crate::http) async fn deletions(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Pairs(pairs): Pairs,
) -> Result<axum::Json<DeletionLog>> {
    let after = PageQuery::read(pairs, BY_NAME)?.after_number()?;
    let scope = caller.personal_scope();
    let (receipts, _) = app.call_in(caller, scope, move |core, grant| core.receipts(grant, after)).await?;
    let next_after = receipts.last().map(|signed| signed.receipt.number);
    let deletions = receipts.iter().map(DeletionRecord::from).collect();
    Ok(axum::Json(DeletionLog { deletions, next_after }))
}

/// Everything that is stored about the caller.
#[derive(Serialize, ToSchema)]
#[schema(as = SubjectAccess)]
pub(in crate::http) struct SubjectAccess {
    export_date: String,
    user_id: String,
    memories: Vec<SubjectMemory>,
    /// Memories about health that are left out: `/v1/exports` includes them on request.
    health_left_out: u64,
    deletion_history: Vec<SubjectDeletion>,
    /// The rules and the owner's settings, as every export has them.
    retention_settings: Value,
}

/// One memory of an answer to a request for access.
#[derive(Serialize, ToSchema)]
#[schema(as = SubjectMemory)]
pub(in crate::http) struct SubjectMemory {
    id: String,
    content: String,
    created: String,
    /// Sensitive categories; empty for none.
    category: Vec<String>,
}

/// One deletion, without what was deleted.
#[derive(Serialize, ToSchema)]
#[schema(as = SubjectDeletion)]
pub(in crate::http) struct SubjectDeletion {
    date: String,
    r#type: String,
    count: u64,
}

/// Everything that is stored about the caller, with the history of deletions and the settings.
#[utoipa::path(
    get,
    path = "/v1/views/forgetting/export",
    operation_id = "forgetting_export",
    tag = "views",
    responses((status = 200, description = "The answer to a request for access.", body = SubjectAccess), Problems)
)]
pub(in crate::http) async fn subject_access(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
) -> Result<axum::Json<SubjectAccess>> {
    Ok(axum::Json(app.work(move |core| gather(core, &caller)).await?))
}

/// Makes the export that every door makes, and says it in the words of the paper.
fn gather(core: &Lacuna, caller: &Caller) -> Result<SubjectAccess> {
    let grant = permit(caller, &caller.personal_scope())?;
    let wanted = Wanted::everything_but_health(Format::Json);
    let (bytes, _) = core.measure_export(&grant, &wanted)?;
    if bytes > ACCESS_BYTES_MAX {
        let reason =
            format!("the export is larger than {ACCESS_BYTES_MAX} bytes: make a link at /v1/exports");
        return Err(Failure::new(&codes::TOO_LARGE, reason));
    }
    let mut file = Zeroizing::new(Vec::new());
    core.export(&grant, &wanted, &mut *file, &mut |_| {})?;
    let broken = |_| Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning);
    let mut export: Value = serde_json::from_slice(&file).map_err(broken)?;
    Ok(SubjectAccess {
        export_date: text(&export["exported_at"]),
        user_id: text(&export["user_id"]),
        memories: records(&export).map(memory).collect(),
        health_left_out: export["health_left_out"].as_u64().unwrap_or(0),
        deletion_history: items(&export["deletion_history"]).map(deletion).collect(),
        retention_settings: export["retention_settings"].take(),
    })
}

fn records(export: &Value) -> impl Iterator<Item = &Value> {
    let categories = export["categories"].as_object().into_iter().flat_map(|all| all.values());
    categories.flat_map(|category| items(&category["records"]))
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn memory(record: &Value) -> SubjectMemory {
    SubjectMemory {
        id: text(&record["memory_id"]),
        content: text(&record["content"]),
        created: text(&record["created_at"]),
        category: items(&record["sensitivity"]).map(text).collect(),
    }
}

fn deletion(entry: &Value) -> SubjectDeletion {
    let (date, r#type) = (text(&entry["at"]), text(&entry["type"]));
    SubjectDeletion { date, r#type, count: entry["count"].as_u64().unwrap_or(0) }
}
