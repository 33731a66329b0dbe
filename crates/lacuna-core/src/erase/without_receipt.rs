//! Erasing without a receipt: the text is said elsewhere, or nobody can read it any more.

use lacuna_types::Result;
use lacuna_types::*;

use crate::audit::AuditAction;
use crate::erase::prepare::{ErasureRequest, carry_out_erasure, prepare_erasure};
use crate::vault::commit::Act;
use crate::vault::handle::VaultWriter;

/// Erases some memories and what was made of them, without a receipt: what they said is said elsewhere, or
/// nobody can read it any more.
pub(crate) fn erase(writer: &VaultWriter<'_>, actor: &str, ids: &[MemoryId]) -> Result<u64> {
    let erasure = prepare_erasure(writer, &ErasureRequest::whole(ids))?;
    let mut act = Act::silent(writer.scope(), writer.service.clock.now());
    act.record(AuditAction::MemoryDelete, actor, ids);
    carry_out_erasure(writer, erasure, act)
}

pub(crate) fn author_of(writer: &VaultWriter<'_>, id: MemoryId) -> Result<Option<UserId>> {
    let author = writer.update(|open| {
        Ok(open.index.get(&id).and_then(|stored| stored.payload.facets.history.author.clone()))
    })?;
    Ok(author.flatten())
}
