//! The view `personal`: store, retrieve, forget, export and destroy in the words of a specification of personal
//! memory.

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use jiff::Timestamp;
use lacuna_core::Lacuna;
use lacuna_core::erase::Forgotten;
use lacuna_core::forget::{Confirmed, Plan, Planned, PlannedMatch};
use lacuna_core::permit::{Caller, Forget, Grant, permit};
use lacuna_core::read::RecalledMemory;
use lacuna_core::write::Remembered;
use lacuna_types::request::{Mode, PlanChoice};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{VIEW_BYTES_MAX, VIEW_MEMORY_BYTES_MAX, check_own, only_stored, spelled, stored_status};
use crate::http::App;
use crate::http::body::Json;
use crate::http::problem::Problems;
use crate::wire::failure::{Failure, Result};
use crate::wire::{
    self, DestroyAnswer, ExportFormat, ExportRequest, ExportView, ForgetRequest, RememberRequest,
    SearchRequest, SourceBody, TimeRange,
};

/// Memories of one retrieval, as the document says.
const RETRIEVED_DEFAULT: usize = 10;

/// A memory to store. `user_id` is the caller.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PersonalStoreRequest)]
pub(in crate::http) struct PersonalStore {
    user_id: String,
    /// The caller's organisation; needs not be said.
    org_id: Option<String>,
    category: wire::Category,
    content_type: wire::ContentType,
    #[schema(min_length = 1)]
    content: String,
    session_id: Option<String>,
    /// Such as `slack`, `teams`, `email` or `web`.
    channel: Option<String>,
    source_msg_id: Option<String>,
    #[serde(default)]
    topic_tags: Vec<String>,
    /// From 0 to 1; judged from the text when absent.
    #[schema(minimum = 0, maximum = 1)]
    importance_score: Option<f32>,
    /// The `confirm` of an earlier answer that asked about this very text.
    confirm: Option<String>,
}

impl PersonalStore {
    fn into_remember(self) -> RememberRequest {
        let in_conversation = self.session_id.is_some() || self.channel.is_some();
        let kind = match in_conversation {
            true => lacuna_types::SourceType::UserMessage,
            false => lacuna_types::SourceType::ExplicitSave,
        };
        RememberRequest {
            content: self.content,
            category: Some(self.category),
            content_type: Some(self.content_type),
            tags: self.topic_tags,
            salience: self.importance_score,
            confirm: self.confirm,
            source: Some(SourceBody {
                r#type: Some(kind.into()),
                session_id: self.session_id,
                message_id: self.source_msg_id,
                channel: self.channel,
                ..SourceBody::default()
            }),
            ..RememberRequest::default()
        }
    }
}

/// A stored memory.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonalStored)]
pub(in crate::http) struct PersonalStored {
    memory_id: String,
    embedding_generated: bool,
    content_hash: String,
    created_at: Timestamp,
    /// `active` is found; anything else waits.
    state: wire::Lifecycle,
    #[serde(skip_serializing_if = "Option::is_none")]
    waits: Option<wire::Wait>,
}

impl From<Remembered> for PersonalStored {
    fn from(stored: Remembered) -> Self {
        Self {
            memory_id: stored.id.to_string(),
            embedding_generated: true,
            content_hash: wire::content_hash(&stored.content_sha256),
            created_at: stored.created_at,
            state: stored.state.into(),
            waits: stored.waits.map(wire::Wait),
        }
    }
}

/// Store a memory, in the words of the personal memory specification.
#[utoipa::path(
    post,
    path = "/v1/views/personal/store",
    operation_id = "personal_store",
    tag = "views",
    request_body = PersonalStore,
    responses(
        (status = 201, description = "It is stored, sealed and can be found.", body = PersonalStored),
        (status = 202, description = "It is stored and sealed, and waits.", body = PersonalStored),
        Problems
    )
)]
pub(in crate::http) async fn store(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<PersonalStore, VIEW_MEMORY_BYTES_MAX>,
) -> Result<(StatusCode, axum::Json<PersonalStored>)> {
    check_own(&caller, &request.user_id, request.org_id.as_deref())?;
    let drafts = vec![request.into_remember().into_draft()?];
    let scope = caller.personal_scope();
    let (outcomes, _) = app.call_in(caller, scope, |core, grant| core.remember(grant, drafts)).await?;
    let stored = only_stored(outcomes)?;
    Ok((stored_status(stored.state), axum::Json(stored.into())))
}

/// A question to one's own memory.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PersonalRetrieveRequest)]
pub(in crate::http) struct PersonalRetrieve {
    user_id: String,
    org_id: Option<String>,
    #[schema(min_length = 1, max_length = 4000)]
    query: String,
    #[serde(default)]
    category_filter: Vec<wire::Category>,
    /// Memories at most; 10 when absent.
    #[schema(minimum = 1, maximum = 100)]
    max_results: Option<usize>,
    /// From 0 to 1. No floor when absent: the best are always shown.
    #[schema(minimum = 0, maximum = 1)]
    min_similarity: Option<f32>,
    #[serde(default)]
    time_range: TimeRange,
}

/// Found memories, best first.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonalRetrieved)]
pub(in crate::http) struct PersonalRetrieved {
    memories: Vec<PersonalMemory>,
    total_searched: usize,
    query_time_ms: f64,
}

/// One found memory.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonalMemory)]
pub(in crate::http) struct PersonalMemory {
    memory_id: String,
    category: wire::Category,
    content_type: wire::ContentType,
    content: String,
    similarity_score: f32,
    topic_tags: Vec<String>,
    /// Retrievals before this one.
    access_count: u32,
    last_accessed: Timestamp,
    created_at: Timestamp,
}

impl From<RecalledMemory> for PersonalMemory {
    fn from(found: RecalledMemory) -> Self {
        let facets = &found.memory.facets;
        Self {
            memory_id: found.memory.id.to_string(),
            category: facets.category.into(),
            content_type: facets.content_type.into(),
            similarity_score: found.similarity,
            topic_tags: facets.tags.clone(),
            access_count: facets.vitality.rehearsals,
            last_accessed: last_accessed(&facets.vitality),
            created_at: found.memory.created_at,
            content: found.memory.content.into_full_text().into_exposed(),
        }
    }
}

/// The last reading or rehearsal, or the moment of writing.
pub(super) fn last_accessed(vitality: &lacuna_types::Vitality) -> Timestamp {
    vitality.read_at.map_or(vitality.rehearsed_at, |at| at.max(vitality.rehearsed_at))
}

/// Retrieve memories by meaning and words. What is found counts as accessed.
#[utoipa::path(
    post,
    path = "/v1/views/personal/retrieve",
    operation_id = "personal_retrieve",
    tag = "views",
    request_body = PersonalRetrieve,
    responses((status = 200, description = "What was found, best first.", body = PersonalRetrieved), Problems)
)]
pub(in crate::http) async fn retrieve(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<PersonalRetrieve, VIEW_BYTES_MAX>,
) -> Result<axum::Json<PersonalRetrieved>> {
    check_own(&caller, &request.user_id, request.org_id.as_deref())?;
    let search = SearchRequest {
        query: request.query,
        max_results: Some(request.max_results.unwrap_or(RETRIEVED_DEFAULT)),
        min_similarity: request.min_similarity,
        category_filter: request.category_filter,
        time_range: request.time_range,
        rehearse: true,
        ..SearchRequest::default()
    };
    let query = search.into_query()?;
    let scope = caller.personal_scope();
    let (found, _) = app.call_in(caller, scope, move |core, grant| core.recall(grant, &query)).await?;
    Ok(axum::Json(PersonalRetrieved {
        total_searched: found.total_searched,
        query_time_ms: found.took.as_secs_f64() * 1_000.0,
        memories: found.hits.into_iter().map(PersonalMemory::from).collect(),
    }))
}

/// Memories to forget: exactly one of the ways to name them.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PersonalTarget)]
pub(in crate::http) struct PersonalTarget {
    #[schema(max_items = 1000)]
    memory_ids: Option<Vec<String>>,
    session_id: Option<String>,
    query: Option<String>,
    /// With `query`. Matches of a search are always shown and confirmed, whatever it says.
    #[expect(dead_code, reason = "a guess is confirmed whatever the caller says")]
    confirm_matches: Option<bool>,
    /// Everything before this moment.
    before: Option<Timestamp>,
    #[schema(max_items = 32)]
    topic_tags: Option<Vec<String>>,
}

/// A request to forget. `query` answers with matches and a `confirmation_token`; sent again with it, they go.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PersonalForgetRequest)]
pub(in crate::http) struct PersonalForget {
    user_id: String,
    org_id: Option<String>,
    #[serde(default)]
    target: PersonalTarget,
    confirmation_token: Option<String>,
}

/// The memories that went, or the matches to confirm.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonalForgotten)]
pub(in crate::http) struct PersonalForgotten {
    deleted_count: usize,
    memory_ids: Vec<String>,
    /// The entry of the audit that announced it; absent while nothing went.
    #[serde(skip_serializing_if = "Option::is_none")]
    audit_id: Option<String>,
    /// Receipts, as people quote them.
    receipts: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmation_token: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    matches: Vec<PersonalMatch>,
}

/// A match of a search that waits for a confirmation.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonalMatch)]
pub(in crate::http) struct PersonalMatch {
    memory_id: String,
    content: String,
    created_at: Timestamp,
}

impl From<PlannedMatch> for PersonalMatch {
    fn from(planned: PlannedMatch) -> Self {
        Self {
            memory_id: planned.memory.id.to_string(),
            created_at: planned.memory.created_at,
            content: planned.memory.content.gist.into_exposed(),
        }
    }
}

impl PersonalForgotten {
    fn nothing() -> Self {
        Self {
            deleted_count: 0,
            memory_ids: Vec::new(),
            audit_id: None,
            receipts: Vec::new(),
            confirmation_token: None,
            matches: Vec::new(),
        }
    }

    fn to_confirm(plan: Plan) -> Self {
        let matches = plan.matches.into_iter().map(PersonalMatch::from).collect();
        Self { confirmation_token: plan.token, matches, ..Self::nothing() }
    }

    fn done(done: &Forgotten) -> Self {
        let ids: Vec<_> = done.memories.iter().chain(&done.fell).copied().collect();
        Self {
            deleted_count: ids.len(),
            memory_ids: spelled(&ids),
            audit_id: Some(audit_id(done.audit_seq)),
            receipts: done.receipts.iter().map(|signed| signed.receipt.reference()).collect(),
            ..Self::nothing()
        }
    }
}

/// An entry of a vault's audit chain by its number.
pub(super) fn audit_id(seq: u64) -> String {
    format!("aud_{seq}")
}

/// Carries out a plan, with every confirmation that it needs.
pub(super) fn confirm(
    core: &Lacuna,
    grant: &Grant<Forget>,
    mut token: String,
    choice: &PlanChoice,
) -> lacuna_types::Result<Forgotten> {
    loop {
        match core.confirm_forget(grant, &token, choice)? {
            Confirmed::Done(done) => return Ok(*done),
            Confirmed::Again { token: next, .. } => token = next,
        }
    }
}

/// Forget memories. What is named exactly goes at once; what a search finds is shown first.
#[utoipa::path(
    post,
    path = "/v1/views/personal/forget",
    operation_id = "personal_forget",
    tag = "views",
    request_body = PersonalForget,
    responses((status = 200, description = "What went, or what to confirm.", body = PersonalForgotten), Problems)
)]
pub(in crate::http) async fn forget(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<PersonalForget, VIEW_BYTES_MAX>,
) -> Result<axum::Json<PersonalForgotten>> {
    check_own(&caller, &request.user_id, request.org_id.as_deref())?;
    let target = request.target;
    let is_guess = target.query.is_some();
    let wanted = ForgetRequest {
        memory_ids: target.memory_ids,
        session_id: target.session_id,
        query: target.query,
        before: target.before,
        tags: target.topic_tags,
        mode: Some(Mode::Hard.into()),
        ..ForgetRequest::default()
    };
    let token = request.confirmation_token;
    let wanted = token.is_none().then(|| wanted.into_core()).transpose()?;
    let answer = app.work(move |core| {
        let grant = permit::<Forget>(&caller, &caller.personal_scope())?;
        let token = match (token, wanted) {
            (Some(token), _) => token,
            (None, Some(wanted)) => match core.plan_forget(&grant, &wanted)? {
                Planned::Plan(plan) if is_guess => return Ok(PersonalForgotten::to_confirm(*plan)),
                Planned::Plan(plan) => match plan.token {
                    Some(token) => token,
                    None => return Ok(PersonalForgotten::nothing()),
                },
                Planned::Unclear(_) | Planned::WhichOne(_) => {
                    return Err(Failure::invalid("target", "is not clear: name memory_ids"));
                }
            },
            (None, None) => return Err(Failure::invalid("target", "is missing")),
        };
        Ok(PersonalForgotten::done(&confirm(core, &grant, token, &PlanChoice::All)?))
    });
    Ok(axum::Json(answer.await?))
}

/// An export of everything that is remembered of the caller.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PersonalExportRequest)]
pub(in crate::http) struct PersonalExport {
    user_id: String,
    org_id: Option<String>,
    format: ExportFormat,
    /// All of them when empty.
    #[serde(default)]
    categories: Vec<wire::Category>,
    include_metadata: Option<bool>,
    /// True includes memories about health.
    #[serde(default)]
    include_health: bool,
}

/// Make a link to an export, good for 24 hours.
#[utoipa::path(
    post,
    path = "/v1/views/personal/export",
    operation_id = "personal_export",
    tag = "views",
    request_body = PersonalExport,
    responses((status = 201, description = "The link, and numbers of the export.", body = ExportView), Problems)
)]
pub(in crate::http) async fn export(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<PersonalExport, VIEW_BYTES_MAX>,
) -> Result<(StatusCode, axum::Json<ExportView>)> {
    check_own(&caller, &request.user_id, request.org_id.as_deref())?;
    let wanted = ExportRequest {
        format: request.format,
        categories: request.categories,
        include_metadata: request.include_metadata,
        include_health: request.include_health,
        ..ExportRequest::default()
    };
    let wanted = wanted.wanted();
    let scope = caller.personal_scope();
    let (link, scope) =
        app.call_in(caller, scope, move |core, grant| core.make_export_link(grant, &wanted)).await?;
    Ok((StatusCode::CREATED, axum::Json(ExportView::of(link, &scope))))
}

/// A request to destroy everything. Without a token it answers with one, and destroys nothing.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PersonalDestroyRequest)]
pub(in crate::http) struct PersonalDestroy {
    user_id: String,
    org_id: Option<String>,
    confirmation_token: Option<String>,
}

/// The destruction, or the token that confirms it.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonalDestroyed)]
pub(in crate::http) struct PersonalDestroyed {
    destroyed: bool,
    records_deleted: u64,
    vectors_deleted: u64,
    blobs_deleted: u64,
    /// The record of the destruction, which the organisation's audit keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    audit_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmation_token: Option<String>,
    /// Records that a confirmation would destroy.
    #[serde(skip_serializing_if = "Option::is_none")]
    records_found: Option<u64>,
}

impl From<DestroyAnswer> for PersonalDestroyed {
    fn from(answer: DestroyAnswer) -> Self {
        let (plan, done) = (answer.plan, answer.destroyed);
        Self {
            destroyed: done.is_some(),
            records_deleted: done.as_ref().map_or(0, |done| done.records),
            vectors_deleted: done.as_ref().map_or(0, |done| done.vectors),
            blobs_deleted: done.as_ref().map_or(0, |done| done.blobs),
            audit_id: done.as_ref().map(|done| format!("destruction_{}", done.number)),
            receipt: done.and_then(|done| done.receipt).map(|receipt| receipt.receipt),
            records_found: plan.as_ref().map(|plan| plan.memories),
            confirmation_token: plan.map(|plan| plan.token),
        }
    }
}

/// Destroy the caller's whole memory, for good.
#[utoipa::path(
    post,
    path = "/v1/views/personal/destroy",
    operation_id = "personal_destroy",
    tag = "views",
    request_body = PersonalDestroy,
    responses((status = 200, description = "The result, or the token that confirms it.", body = PersonalDestroyed), Problems)
)]
pub(in crate::http) async fn destroy(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<PersonalDestroy, VIEW_BYTES_MAX>,
) -> Result<axum::Json<PersonalDestroyed>> {
    check_own(&caller, &request.user_id, request.org_id.as_deref())?;
    let scope = caller.personal_scope();
    let answer = app.call_in(caller, scope, move |core, grant| match &request.confirmation_token {
        None => Ok(DestroyAnswer::planned(core.plan_destroy(grant)?, grant.scope())),
        Some(token) => Ok(DestroyAnswer::done(core.destroy(grant, token)?, grant.scope())),
    });
    let (answer, _) = answer.await?;
    Ok(axum::Json(answer.into()))
}
