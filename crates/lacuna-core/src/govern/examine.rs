//! Looks through one vault for damage, and changes nothing.

use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::erase::finish::{stray_blobs, stray_keys};
use crate::vault::service::Service;

/// Memories whose texts are opened at a time.
const EXAMINE_CHUNK: usize = 64;

/// The state of one vault.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Examined {
    /// Memories that open, the text of each included.
    pub whole: usize,
    /// Memories that do not open, or whose text does not.
    pub damaged: Vec<MemoryId>,
    /// Keys that belong to no memory. The next recovery destroys them.
    pub stray_keys: usize,
    /// Files of blobs that belong to no memory. The next recovery removes them.
    pub stray_blobs: usize,
}

/// Opens every memory of a vault with its text, and counts what belongs to none. Nothing of what it reads is shown,
/// so it needs no grant.
pub(crate) fn examine(service: &Service, scope: &Scope) -> Result<Examined> {
    let opened = service.read(scope, |open| {
        let ids: Vec<MemoryId> = open.index.before(None).map(|stored| stored.id).collect();
        let damaged: Vec<MemoryId> = open.damaged.iter().copied().collect();
        Ok::<_, Error>((ids, damaged, stray_keys(service, open)?.len()))
    })?;
    let (ids, damaged, stray_keys) = opened.transpose()?.unwrap_or_default();
    let stray_blobs = stray_blobs(service, scope)?.len();
    let mut examined = Examined { whole: 0, damaged, stray_keys, stray_blobs };
    for ids in ids.chunks(EXAMINE_CHUNK) {
        let bodies = service.read(scope, |open| open.bodies(ids, service.sources()))?;
        let bodies = bodies.transpose()?.unwrap_or_default();
        // A memory that was erased meanwhile is no damage.
        let is_damage = |body: &Result<Plaintext>| !matches!(body, Ok(_) | Err(Error::NotFound(_)));
        let broken = bodies.iter().filter(|(_, body)| is_damage(body)).map(|(id, _)| *id);
        examined.whole += ids.len();
        let before = examined.damaged.len();
        examined.damaged.extend(broken);
        examined.whole -= examined.damaged.len() - before;
    }
    Ok(examined)
}
