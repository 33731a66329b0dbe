//! The view `safety`: writes with their source, texts for a prompt with their labels, and the look for secrets, in
//! the words of a memory safety specification.

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use jiff::Timestamp;
use lacuna_core::permit::{Caller, permit};
use lacuna_core::read::RecalledMemory;
use lacuna_core::write::Remembered;
use lacuna_language::secrets::{Scanner, SecretLevel};
use lacuna_types::{MemoryId, SourceType, Tier, Trust};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{VIEW_BYTES_MAX, VIEW_MEMORY_BYTES_MAX, check_own, only_stored, stored_status};
use crate::http::App;
use crate::http::body::Json;
use crate::http::problem::Problems;
use crate::wire::failure::Result;
use crate::wire::{self, RememberRequest, SearchRequest, SourceBody};

/// A memory to write, with its source.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = SafetyWriteRequest)]
pub(in crate::http) struct SafetyWrite {
    user_id: String,
    #[schema(min_length = 1)]
    content: String,
    source: SafetySource,
    /// `episodic` or `semantic`; judged from the source when absent.
    tier: Option<wire::Tier>,
    expires_at: Option<Timestamp>,
    #[serde(default)]
    tags: Vec<String>,
    /// From 0 to 1; taken as the importance.
    #[schema(minimum = 0, maximum = 1)]
    confidence: Option<f32>,
    /// True refuses a text that holds a secret, instead of storing it without.
    #[serde(default)]
    fail_on_secret: bool,
    /// The `confirm` of an earlier answer: the person said yes to this very text.
    confirm: Option<String>,
}

/// The source of a memory.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = SafetySource)]
pub(in crate::http) struct SafetySource {
    r#type: wire::SourceType,
    session_id: Option<String>,
    message_id: Option<String>,
    /// Such as `read` or `web_fetch`.
    tool_name: Option<String>,
    /// May be lowered below the type's own trust, never raised.
    trust: Option<wire::Trust>,
    #[serde(default)]
    from_external_content: bool,
}

impl SafetyWrite {
    fn into_remember(self) -> RememberRequest {
        RememberRequest {
            content: self.content,
            tier: self.tier,
            expires_at: self.expires_at,
            tags: self.tags,
            salience: self.confidence,
            fail_on_secret: self.fail_on_secret,
            confirm: self.confirm,
            source: Some(SourceBody {
                r#type: Some(self.source.r#type),
                trust: self.source.trust,
                session_id: self.source.session_id,
                message_id: self.source.message_id,
                tool: self.source.tool_name,
                from_external_content: self.source.from_external_content,
                ..SourceBody::default()
            }),
            ..RememberRequest::default()
        }
    }
}

/// A written memory, without its content.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SafetyWritten)]
pub(in crate::http) struct SafetyWritten {
    id: String,
    user_id: String,
    tier: wire::Tier,
    /// `candidate` waits for the person's confirmation.
    state: wire::Lifecycle,
    /// True when secrets or markers were taken out.
    redacted: bool,
    truncated: bool,
    created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
}

impl SafetyWritten {
    fn of(stored: &Remembered, user: &str) -> Self {
        Self {
            id: stored.id.to_string(),
            user_id: user.to_owned(),
            tier: stored.tier.into(),
            state: stored.state.into(),
            redacted: !(stored.report.redactions.is_empty() && stored.report.changes.is_empty()),
            truncated: stored.report.truncated,
            created_at: stored.created_at,
            expires_at: stored.kept_until,
        }
    }
}

/// Write a memory with its source. A fact from a source that is not fully trusted waits for a confirmation.
#[utoipa::path(
    post,
    path = "/v1/views/safety/memories",
    operation_id = "safety_write",
    tag = "views",
    request_body = SafetyWrite,
    responses(
        (status = 201, description = "It is stored and can be found.", body = SafetyWritten),
        (status = 202, description = "It is stored, and waits.", body = SafetyWritten),
        Problems
    )
)]
pub(in crate::http) async fn write(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<SafetyWrite, VIEW_MEMORY_BYTES_MAX>,
) -> Result<(StatusCode, axum::Json<SafetyWritten>)> {
    check_own(&caller, &request.user_id, None)?;
    let user = request.user_id.clone();
    let drafts = vec![request.into_remember().into_draft()?];
    let scope = caller.personal_scope();
    let (outcomes, _) = app.call_in(caller, scope, |core, grant| core.remember(grant, drafts)).await?;
    let stored = only_stored(outcomes)?;
    Ok((stored_status(stored.state), axum::Json(SafetyWritten::of(&stored, &user))))
}

/// A question whose answer goes into a prompt.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = SafetyFormatRequest)]
pub(in crate::http) struct SafetyFormat {
    #[schema(min_length = 1, max_length = 4000)]
    query: String,
    /// Tokens of all texts together; 4,000 when absent.
    #[schema(minimum = 1, maximum = 100_000)]
    max_total_tokens: Option<usize>,
    /// Weight of recency, from 0 to 1; 0.3 when absent.
    #[schema(minimum = 0, maximum = 1)]
    recency_weight: Option<f32>,
}

/// Memories as lines of a prompt. At most 10 episodic and 20 semantic ones.
#[derive(Serialize, ToSchema)]
#[schema(as = SafetyFormatted)]
pub(in crate::http) struct SafetyFormatted {
    text: String,
    episodic: usize,
    semantic: usize,
}

/// The line of one memory: facts as bullets with the label of their trust, turns as past context.
fn line(found: &RecalledMemory) -> String {
    let facets = &found.memory.facets;
    // One line for one memory: a line break would let its text pose as another.
    let text = found.memory.content.full_text().expose().split_whitespace().collect::<Vec<_>>().join(" ");
    if facets.tier == Tier::Episodic {
        return match facets.source.from_external_content {
            true => format!("[Past context, from external content]: {text}"),
            false => format!("[Past context]: {text}"),
        };
    }
    // A person's yes makes it a fact; where it came from stays beside it.
    let source = &facets.source;
    let trust = source.trust.min(source.kind.trust(source.tool.as_deref()));
    format!("• {text}{}", trust_label(trust, source.kind))
}

/// The label beside a fact; none for the owner's own word.
fn trust_label(trust: Trust, kind: SourceType) -> &'static str {
    match (trust, kind) {
        (Trust::High, _) => "",
        (Trust::Medium, SourceType::ToolOutput) => " [from file]",
        (Trust::Medium, _) => " [told by somebody else]",
        (Trust::Low, SourceType::AiInference) => " [inferred - may be inaccurate]",
        (Trust::Low, _) => " [from web - may be inaccurate]",
    }
}

/// Find memories and write them as lines for a prompt, each with the label of its source.
#[utoipa::path(
    post,
    path = "/v1/views/safety/format",
    operation_id = "safety_format",
    tag = "views",
    request_body = SafetyFormat,
    responses((status = 200, description = "The lines.", body = SafetyFormatted), Problems)
)]
pub(in crate::http) async fn format(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<SafetyFormat, VIEW_BYTES_MAX>,
) -> Result<axum::Json<SafetyFormatted>> {
    let search = SearchRequest {
        query: request.query,
        max_tokens: request.max_total_tokens,
        recency_weight: request.recency_weight,
        ..SearchRequest::default()
    };
    let query = search.into_query()?;
    let scope = caller.personal_scope();
    let (found, _) = app.call_in(caller, scope, move |core, grant| core.recall(grant, &query)).await?;
    let episodic = found.hits.iter().filter(|hit| hit.memory.facets.tier == Tier::Episodic).count();
    let lines: Vec<String> = found.hits.iter().map(line).collect();
    Ok(axum::Json(SafetyFormatted { semantic: lines.len() - episodic, episodic, text: lines.join("\n") }))
}

/// A text to look for secrets in. Nothing of it is stored.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SafetyDetectRequest)]
pub(in crate::http) struct SafetyDetect {
    content: String,
}

/// Secrets of a text: where they stand, never what they are.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SafetyDetected)]
pub(in crate::http) struct SafetyDetected {
    has_definite_secrets: bool,
    has_probable_secrets: bool,
    has_possible_secrets: bool,
    findings: Vec<SafetyFinding>,
}

/// One secret.
#[derive(Serialize, ToSchema)]
#[schema(as = SafetyFinding)]
pub(in crate::http) struct SafetyFinding {
    /// `definite`, `probable` or `possible`.
    level: &'static str,
    /// The rule that found it.
    pattern: String,
    /// Bytes of the text, from and until.
    start: usize,
    end: usize,
}

/// Look for secrets in a text, without storing it.
#[utoipa::path(
    post,
    path = "/v1/views/safety/detect-secrets",
    operation_id = "safety_detect_secrets",
    tag = "views",
    request_body = SafetyDetect,
    responses((status = 200, description = "What was found, and where.", body = SafetyDetected), Problems)
)]
pub(in crate::http) async fn detect(
    State(app): State<App>,
    Json(request): Json<SafetyDetect, VIEW_BYTES_MAX>,
) -> Result<axum::Json<SafetyDetected>> {
    let found = app.work(move |_| Ok(Scanner::builtin().scan(&request.content))).await?;
    let has = |level| found.iter().any(|finding| finding.level == level);
    Ok(axum::Json(SafetyDetected {
        has_definite_secrets: has(SecretLevel::Definite),
        has_probable_secrets: has(SecretLevel::Probable),
        has_possible_secrets: has(SecretLevel::Possible),
        findings: found
            .iter()
            .map(|finding| SafetyFinding {
                level: finding.level.as_str(),
                pattern: finding.rule.to_string(),
                start: finding.span.start,
                end: finding.span.end,
            })
            .collect(),
    }))
}

/// A memory to delete.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = SafetyDeleteRequest)]
pub(in crate::http) struct SafetyDelete {
    memory_id: String,
}

/// The entry of a deletion.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SafetyDeleted)]
pub(in crate::http) struct SafetyDeleted {
    action: &'static str,
    user_id: String,
    memory_ids: Vec<String>,
    deleted_count: usize,
    receipts: Vec<String>,
    timestamp: Timestamp,
}

/// Delete one of the caller's own memories, for good.
#[utoipa::path(
    post,
    path = "/v1/views/safety/delete",
    operation_id = "safety_delete",
    tag = "views",
    request_body = SafetyDelete,
    responses((status = 200, description = "It is deleted.", body = SafetyDeleted), Problems)
)]
pub(in crate::http) async fn delete(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<SafetyDelete, VIEW_BYTES_MAX>,
) -> Result<axum::Json<SafetyDeleted>> {
    let id: MemoryId = request.memory_id.parse()?;
    let deleted = app.call(move |core| {
        let done = core.delete(&permit(&caller, &caller.personal_scope())?, id)?;
        let ids: Vec<MemoryId> = done.memories.iter().chain(&done.fell).copied().collect();
        Ok(SafetyDeleted {
            action: if ids.len() > 1 { "memory_bulk_delete" } else { "memory_delete" },
            user_id: caller.user.as_str().to_owned(),
            deleted_count: ids.len(),
            memory_ids: super::spelled(&ids),
            receipts: done.receipts.iter().map(|signed| signed.receipt.reference()).collect(),
            timestamp: core.clock().now(),
        })
    });
    Ok(axum::Json(deleted.await?))
}
