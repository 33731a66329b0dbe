//! Memories as resources: each by its id, and a profile that clients can attach to a conversation.

use lacuna_core::permit::permit;
use lacuna_types::{Lane, MemoryId};
use rmcp::ErrorData;
use rmcp::model::{
    ErrorCode, ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};

use super::call::Call;
use super::graph;
use super::tools::recall::bring_to_mind;
use crate::wire::failure::{Failure, Result};
use crate::wire::{self, ContextRequest, MemoryView, read_cursor, read_scope, write_cursor};

pub(super) const PROFILE: &str = "lacuna://profile";
const MEMORY: &str = "lacuna://memory/";
/// Memories on one page of the list.
const PAGE: usize = 50;
/// Tokens of the profile.
const PROFILE_TOKENS: usize = 2_000;
const PROFILE_MEMORIES: usize = 50;

pub(super) async fn list(
    call: &Call,
    cursor: Option<String>,
    with_graph: bool,
) -> Result<ListResourcesResult> {
    let first = cursor.is_none();
    let after = cursor.as_deref().map(read_cursor).transpose()?;
    let page = call
        .work(move |core, caller| {
            let scope = read_scope(None, caller)?;
            Ok(core.list(&permit(caller, &scope)?, &Default::default(), after, PAGE)?)
        })
        .await?;
    let mut resources = Vec::new();
    if first {
        resources.push(profile());
        let graph = || Resource::new(graph::RESOURCE, "knowledge-graph").with_mime_type("application/json");
        resources.extend(with_graph.then(graph));
    }
    resources.extend(page.memories.into_iter().map(|memory| {
        let uri = format!("{MEMORY}{}", memory.id);
        Resource::new(uri, memory.content.gist.expose()).with_mime_type("application/json")
    }));
    let mut result = ListResourcesResult::with_all_items(resources);
    result.next_cursor = page.next.map(write_cursor);
    Ok(result)
}

fn profile() -> Resource {
    Resource::new(PROFILE, "profile")
        .with_title("What is remembered about the user")
        .with_description("The memories of the profile lane that matter most, as a section for a prompt.")
        .with_mime_type("text/markdown")
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    let memory = ResourceTemplate::new("lacuna://memory/{memory_id}", "memory")
        .with_title("One memory")
        .with_description("A memory with its full text and everything that is known about it.")
        .with_mime_type("application/json");
    vec![memory]
}

pub(super) async fn read(call: &Call, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let contents = match uri.strip_prefix(MEMORY) {
        Some(id) => memory(call, uri, id).await,
        None if uri == PROFILE => who(call).await,
        None if uri == graph::RESOURCE => graph::whole(call)
            .await
            .map(|text| ResourceContents::text(text, uri).with_mime_type("application/json")),
        None => return Err(missing(uri)),
    };
    let contents = contents.map_err(|failure| match failure.code.status {
        404 | 422 => missing(uri),
        _ => protocol_error(&failure),
    })?;
    Ok(ReadResourceResult::new(vec![contents]))
}

async fn memory(call: &Call, uri: &str, id: &str) -> Result<ResourceContents> {
    let id: MemoryId = id.parse()?;
    let view = call
        .work(move |core, caller| {
            let scope = read_scope(None, caller)?;
            Ok(MemoryView::of(core.get(&permit(caller, &scope)?, id)?, &scope))
        })
        .await?;
    let text = serde_json::to_string_pretty(&view).unwrap_or_default();
    Ok(ResourceContents::text(text, uri).with_mime_type("application/json"))
}

async fn who(call: &Call) -> Result<ResourceContents> {
    let request = ContextRequest {
        lane_filter: vec![wire::Lane(Lane::Profile)],
        max_tokens: Some(PROFILE_TOKENS),
        max_memories: Some(PROFILE_MEMORIES),
        ..ContextRequest::default()
    };
    let text = bring_to_mind(call, request).await?.text;
    Ok(ResourceContents::text(text, PROFILE).with_mime_type("text/markdown"))
}

/// Error for every resource that is not there: missing, foreign, erased and misspelt look the same.
fn missing(uri: &str) -> ErrorData {
    ErrorData::new(ErrorCode::RESOURCE_NOT_FOUND, format!("there is no resource {uri}"), None)
}

/// A failure as an error of the protocol, where the protocol has no other place for it.
pub(super) fn protocol_error(failure: &Failure) -> ErrorData {
    let code =
        if failure.code.status >= 500 { ErrorCode::INTERNAL_ERROR } else { ErrorCode::INVALID_REQUEST };
    let data = serde_json::json!({"code": failure.code.name, "remedy": failure.code.mcp_remedy()});
    ErrorData::new(code, failure.public.clone(), Some(data))
}
