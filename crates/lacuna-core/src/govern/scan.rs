//! Scan: secrets that slipped into what is already stored, found by today's rules.

use lacuna_language::secrets::Finding;
use lacuna_types::{MemoryId, Result};

use crate::permit::{Grant, Recall};
use crate::vault::models::Progress;
use crate::vault::service::Service;

/// Memories whose full texts are fetched at once.
const SCAN_CHUNK: usize = 256;

/// The secrets of one memory: by rule and place, never what they are.
#[derive(Debug)]
pub struct Leak {
    /// The memory that holds the secrets.
    pub id: MemoryId,
    /// Places are bytes of the full text.
    pub findings: Vec<Finding>,
}

/// Looks through the full text of every memory in the vault, in whatever state. `progress` hears how many
/// have been read, and may break off.
pub(crate) fn scan_stored(
    service: &Service,
    grant: &Grant<Recall>,
    progress: &mut Progress<'_>,
) -> Result<Vec<Leak>> {
    let scope = grant.scope();
    let ids = service.serve(scope, |open| -> Vec<MemoryId> {
        open.index.before(None).map(|stored| stored.id).collect()
    })?;
    let mut leaks = Vec::new();
    let mut read = 0;
    for chunk in ids.unwrap_or_default().chunks(SCAN_CHUNK) {
        let found = service.read(scope, |open| open.whole(chunk, service.sources()))?.transpose()?;
        for memory in found.unwrap_or_default().into_iter().flatten() {
            let findings = service.rules.scanner().scan(memory.content.full_text().expose());
            if !findings.is_empty() {
                leaks.push(Leak { id: memory.id, findings });
            }
        }
        read += chunk.len();
        if progress(read).is_break() {
            break;
        }
    }
    Ok(leaks)
}
