use axum::Extension;
use axum::extract::State;
use lacuna_core::permit::Caller;

use super::App;
use super::body::Json;
use super::problem::Problems;
use crate::memory_tool::{self, MemoryToolAnswer, MemoryToolCommand};
use crate::wire::failure::Result;

/// A file has at most 100,000 characters; a replacement names two texts.
pub(crate) const MEMORY_TOOL_BYTES_MAX: usize = 2 << 20;

/// Carry out one command of Anthropic's memory tool (`memory_20250818`) on the caller's own vault.
#[utoipa::path(
    post,
    path = "/v1/memory-tool",
    operation_id = "memory_tool",
    tag = "memories",
    request_body = MemoryToolCommand,
    responses((status = 200, description = "What the model is told, also when it is an error of the tool.", body = MemoryToolAnswer), Problems)
)]
pub(super) async fn memory_tool(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<MemoryToolCommand, MEMORY_TOOL_BYTES_MAX>,
) -> Result<axum::Json<MemoryToolAnswer>> {
    Ok(axum::Json(app.work(move |core| memory_tool::answer(core, &caller, request)).await?))
}
