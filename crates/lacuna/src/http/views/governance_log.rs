//! The view `governance`: who retrieved what, without the question and without the content.

use axum::Extension;
use axum::extract::State;
use jiff::Timestamp;
use lacuna_core::audit::{AuditAction, AuditEntry};
use lacuna_core::permit::{Caller, permit};
use serde::Serialize;
use utoipa::ToSchema;

use super::audit_words::{memories, note};
use super::governance::plan_scope;
use super::spelled;
use crate::http::App;
use crate::http::body::Pairs;
use crate::http::page::{AfterParams, BY_NUMBER, PageQuery};
use crate::http::problem::Problems;
use crate::wire::failure::Result;

/// Retrievals, oldest first.
#[derive(Serialize, ToSchema)]
#[schema(as = ReadLog)]
pub(in crate::http) struct GovernedReads {
    reads: Vec<GovernedRead>,
    /// Pass it as `after` to read on; absent at the end of the chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_after: Option<u64>,
}

/// One retrieval.
#[derive(Serialize, ToSchema)]
#[schema(as = ReadLogEntry)]
pub(in crate::http) struct GovernedRead {
    reader_id: String,
    tenant_id: String,
    retrieved_at: Timestamp,
    /// `all`, or the lanes that were asked for.
    lanes_accessed: Vec<String>,
    scopes_accessed: Vec<String>,
    record_ids: Vec<String>,
    /// A keyed hash of the question; absent for a read without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    query_fingerprint: Option<String>,
    result_count: usize,
}

/// Retrievals from a vault: readers and records, a page at a time.
#[utoipa::path(
    get,
    path = "/v1/views/governance/reads",
    operation_id = "governance_reads",
    tag = "views",
    params(AfterParams),
    responses((status = 200, description = "One page.", body = GovernedReads), Problems)
)]
pub(in crate::http) async fn reads(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Pairs(pairs): Pairs,
) -> Result<axum::Json<GovernedReads>> {
    let page = PageQuery::read(pairs, BY_NUMBER)?;
    let scope = page.scope(&caller)?;
    let after = page.after_number()?;
    let log = app.call(move |core| {
        let page = core.read_audit(&permit(&caller, &scope)?, after)?;
        let next_after = page.last().map(|(row, _)| row.seq);
        let retrievals = page.into_iter().filter(|(_, entry)| entry.action == AuditAction::MemoryRead);
        let reads = retrievals.map(|(row, entry)| {
            let mut read = read(&entry, row.at);
            read.tenant_id = scope.org.as_str().to_owned();
            read.scopes_accessed = vec![plan_scope(&scope.holder)];
            read
        });
        Ok(GovernedReads { reads: reads.collect(), next_after })
    });
    Ok(axum::Json(log.await?))
}

fn read(entry: &AuditEntry, at: Timestamp) -> GovernedRead {
    let lanes = note(entry, "lanes").unwrap_or("all");
    GovernedRead {
        reader_id: entry.actor.clone(),
        tenant_id: String::new(),
        retrieved_at: at,
        lanes_accessed: lanes.split(',').map(str::to_owned).collect(),
        scopes_accessed: Vec::new(),
        record_ids: spelled(&memories(entry)),
        query_fingerprint: note(entry, "query").map(str::to_owned),
        result_count: entry.subjects.len(),
    }
}
