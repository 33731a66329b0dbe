//! Seal: an admitted memory gets a key of its own, and becomes bytes that only this key opens.

use std::collections::HashMap;

use jiff::Timestamp;
use lacuna_language::words::TermList;
use lacuna_store::blobs::BlobName;
use lacuna_store::keys::{KeyBatch, WrappedMemoryKey};
use lacuna_store::rows::{Row, SealedBody};
use lacuna_types::embed::ModelId;
use lacuna_types::*;
use lacuna_types::{Error, Result};
use zeroize::Zeroizing;

use crate::gate::Admitted;
use crate::index::quant::QuantVec;
use crate::vault::frame::{FRAME_TEXT_BYTES_MAX, Frame};
use crate::vault::handle::VaultWriter;
use crate::vault::keyring::{Keyring, OpenKey, Place, SourceKey};
use crate::vault::service::Service;
use crate::vault::settings::settings_in;
use crate::vault::stamp::term_of_frame;
use crate::vault::term::Terms;
use crate::vault::unlock::Unlocker;

/// Sealed texts up to this size stay in their row; larger ones become blobs.
const INLINE_BODY_BYTES_MAX: usize = 16 << 10;
pub(crate) const FIRST_REVISION: u32 = 1;

/// A memory on its way: admitted, indexed, not yet sealed.
pub(crate) struct Prepared {
    pub(crate) id: MemoryId,
    pub(crate) admitted: Admitted,
    pub(crate) terms: TermList,
    pub(crate) vector: (ModelId, QuantVec),
}

impl Prepared {
    fn class(&self) -> KeyClass {
        KeyClass::of(&self.admitted.facets.privacy.sensitivity)
    }
}

/// The row of one memory for the store, and its entry for the open index.
pub(crate) struct SealedMemory {
    pub(crate) row: Row,
    key: WrappedMemoryKey,
    pub(crate) frame: Frame,
}

impl VaultWriter<'_> {
    /// Key first: a record whose key was lost could never be read, a key without a record harms nobody.
    pub(crate) fn seal_keys_first(
        &self,
        prepared: Vec<Prepared>,
        now: Timestamp,
    ) -> Result<Vec<SealedMemory>> {
        let (service, scope) = (self.service, self.scope());
        let vault = scope.vault_id();
        let sealed = self.update(|open| {
            let settings = settings_in(service, open)?;
            let terms = Terms::new(&service.policy(&scope.org).retention, &settings.retention, &scope.holder);
            let mut batch = KeyBatch::new(vault, now);
            for class in prepared.iter().map(Prepared::class) {
                batch.classes.extend(open.keyring.ensure_class(class, &*service.entropy));
            }
            let mut unlocker = Unlocker::new(&open.keyring, &*service.keys, HashMap::new());
            let mut sealed = Vec::with_capacity(prepared.len());
            for prepared in prepared {
                let sources = unlocker.source_keys(&bound_to(&prepared.admitted.facets.derived_from))?;
                let (mut one, key) = seal(service, &open.keyring, vault, prepared, &sources, now)?;
                one.row.expires_at = term_of_frame(&terms, &one.row, &one.frame).expires_at;
                // What comes after it may be made of it.
                unlocker.know(one.row.id, key);
                sealed.push(one);
            }
            batch.memories = sealed.iter().map(|sealed| sealed.key.clone()).collect();
            Ok((sealed, batch))
        })?;
        let (sealed, batch) = sealed.ok_or(Error::Conflict("the vault"))?;
        service.keys.commit(batch).inspect_err(|_| {
            // A class key that was not stored must not be used again.
            self.discard();
        })?;
        Ok(sealed)
    }
}

fn seal(
    service: &Service,
    keyring: &Keyring,
    vault: VaultId,
    prepared: Prepared,
    sources: &[SourceKey],
    now: Timestamp,
) -> Result<(SealedMemory, OpenKey)> {
    let class = prepared.class();
    let Prepared { id, admitted, terms, vector } = prepared;
    let Admitted { content, facets, created_at, state, .. } = admitted;
    let (key, wrapped) = keyring.make_memory_key(id, class, sources, &*service.entropy)?;
    let place =
        Place { memory: id, created_at, key_version: keyring.key_version(), revision: FIRST_REVISION };
    let text_hash = keyring.text_hash(content.full_text());
    let (text, body) = match content.text {
        Some(long) if long.len() > FRAME_TEXT_BYTES_MAX => {
            (None, seal_body(service, keyring, &key, vault, &place, &long)?)
        }
        short => (short, SealedBody::None),
    };
    let frame = Frame {
        text_hash,
        has_body: body != SealedBody::None,
        text,
        gist: content.gist,
        details: content.details,
        terms: terms.to_bytes(),
        vectors: vec![(vector.0, vector.1.to_bytes())],
        facets,
    };
    let row = Row {
        id,
        state,
        created_at,
        updated_at: now,
        expires_at: None,
        key_version: place.key_version,
        frame_revision: FIRST_REVISION,
        frame: keyring.seal_frame(&key, &place, &frame, &*service.entropy),
        body,
    };
    Ok((SealedMemory { row, key: wrapped, frame }, key))
}

pub(crate) fn seal_body(
    service: &Service,
    keyring: &Keyring,
    key: &OpenKey,
    vault: VaultId,
    place: &Place,
    text: &str,
) -> Result<SealedBody> {
    let sealed = keyring.seal_body(key, place, text, &*service.entropy);
    let revision = place.revision;
    if sealed.len() <= INLINE_BODY_BYTES_MAX {
        return Ok(SealedBody::Inline { revision, sealed });
    }
    let bytes = sealed.len() as u64;
    service.blobs.put(vault, BlobName { memory: place.memory, revision }, sealed)?;
    Ok(SealedBody::Blob { revision, bytes })
}

/// The sources whose keys a derived memory's key depends on. What was only at hand while it was made does not
/// take part: such a memory may outlive it.
pub(crate) fn bound_to(lineage: &[Lineage]) -> Vec<MemoryId> {
    let mut sources: Vec<_> = lineage
        .iter()
        .filter(|link| link.contribution != Contribution::Context)
        .map(|link| link.source)
        .collect();
    sources.sort_unstable();
    sources.dedup();
    sources
}

/// The words a memory is found by: its full text and its details.
pub(crate) fn indexed_text(content: &Content) -> Zeroizing<String> {
    let details = content.details.iter().map(|detail| detail.content.len() + 1).sum::<usize>();
    let mut text = Zeroizing::new(String::with_capacity(content.full_text().len() + details));
    text.push_str(content.full_text());
    for detail in &content.details {
        text.push('\n');
        text.push_str(&detail.content);
    }
    text
}
