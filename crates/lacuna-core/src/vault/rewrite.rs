//! Changing what is sealed: frames are opened, edited and sealed anew under the key that the memory has.

use lacuna_store::rows::{Row, SealedBody};
use lacuna_types::*;
use lacuna_types::{MemoryId, Result};

use crate::vault::frame::Frame;
use crate::vault::handle::VaultWriter;
use crate::vault::keyring::Place;
use crate::vault::service::Service;
use crate::vault::unlock::Unlocker;

/// A row with its new frame, sealed and open.
pub(crate) struct Rewritten {
    pub(crate) row: Row,
    pub(crate) frame: Frame,
}

impl VaultWriter<'_> {
    /// Seals the frames of `ids` anew as `edit` changes them; `edit` answers whether it did. What was erased
    /// meanwhile has no row or no key any more, and stays erased. The caller commits the rows.
    pub(crate) fn rewrite(
        &self,
        ids: &[MemoryId],
        mut edit: impl FnMut(&mut Row, &mut Frame) -> bool,
    ) -> Result<Vec<Rewritten>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let service = self.service;
        let rows = service.store.rows(self.scope().vault_id(), ids)?;
        let rewritten = self.update(|open| {
            let mut rewritten = Vec::with_capacity(ids.len());
            let mut keys = Unlocker::fetching(&open.keyring, &*service.keys, ids)?;
            let mut buffer = Default::default();
            for mut row in rows.into_iter().flatten() {
                let Some(key) = keys.key(row.id)? else { continue };
                let mut frame = open.keyring.open_frame(&key, &row, &mut buffer)?;
                if !edit(&mut row, &mut frame) {
                    continue;
                }
                row.frame_revision += 1;
                let place = Place::of(&row, row.frame_revision);
                row.frame = open.keyring.seal_frame(&key, &place, frame.fields(), &*service.entropy);
                row.body = SealedBody::Unchanged;
                rewritten.push(Rewritten { row, frame });
            }
            Ok(rewritten)
        })?;
        Ok(rewritten.unwrap_or_default())
    }
}

/// The rows of some memories as they stand, in another state.
pub(crate) fn with_state(
    service: &Service,
    scope: &Scope,
    ids: &[MemoryId],
    state: Lifecycle,
) -> Result<Vec<Row>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows = service.store.rows(scope.vault_id(), ids)?.into_iter().flatten();
    Ok(rows.map(|row| Row { state, body: SealedBody::Unchanged, ..row }).collect())
}
