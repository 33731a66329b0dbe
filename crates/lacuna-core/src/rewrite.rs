//! Changing what is sealed: frames are opened, edited and sealed anew under the key that the memory has.

use crate::lacuna::Lacuna;
use crate::vault::frame::Frame;
use crate::vault::{Place, Slot, Unlocker};
use lacuna_store::rows::{Body, Row};
use lacuna_types::Result;
use lacuna_types::{MemoryId, Scope};

/// A row with its new frame, sealed and open.
pub(crate) struct Rewritten {
    pub(crate) row: Row,
    pub(crate) frame: Frame,
}

impl Lacuna {
    /// Seals the frames of `ids` anew as `edit` changes them; `edit` answers whether it did. What was erased
    /// meanwhile has no row or no key any more, and stays erased. The caller holds the writer lock, and
    /// commits the rows.
    pub(crate) fn rewrite(
        &self,
        slot: &Slot,
        scope: &Scope,
        ids: &[MemoryId],
        mut edit: impl FnMut(&mut Row, &mut Frame) -> bool,
    ) -> Result<Vec<Rewritten>> {
        let vault = scope.vault_id();
        let rows = self.store.rows(vault, ids)?;
        let rewritten = slot.update(self.sources(), |open| {
            let mut rewritten = Vec::with_capacity(ids.len());
            let mut keys = Unlocker::fetching(&open.keyring, &*self.keys, ids)?;
            let mut buffer = Default::default();
            for mut row in rows.into_iter().flatten() {
                let Some(key) = keys.key(row.id)? else { continue };
                let mut frame = open.keyring.open_frame(&key, &row, &mut buffer)?;
                if !edit(&mut row, &mut frame) {
                    continue;
                }
                row.frame_revision += 1;
                let place = Place::of(&row, row.frame_revision);
                row.frame = open.keyring.seal_frame(&key, &place, &frame, &*self.entropy);
                row.body = Body::Unchanged;
                rewritten.push(Rewritten { row, frame });
            }
            Ok(rewritten)
        })?;
        Ok(rewritten.unwrap_or_default())
    }
}
