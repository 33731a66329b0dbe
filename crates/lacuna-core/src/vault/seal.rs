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
use crate::vault::frame::{FRAME_TEXT_BYTES_MAX, Frame, FrameFields};
use crate::vault::handle::VaultWriter;
use crate::vault::keyring::{Keyring, OpenKey, Place, SourceKey};
use crate::vault::service::Service;
use crate::vault::settings::settings_in;
use crate::vault::stamp::term_of_frame;
use crate::vault::term::{RetentionTerm, Terms};
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
    fn to_seal(&self) -> ToSeal<'_> {
        let (model, vector) = &self.vector;
        ToSeal { id: self.id, admitted: &self.admitted, terms: &self.terms, vector: (model, vector) }
    }
}

/// A memory to be sealed, borrowed: when another process is faster, its holder still has it and tries again.
pub(crate) struct ToSeal<'a> {
    pub(crate) id: MemoryId,
    pub(crate) admitted: &'a Admitted,
    pub(crate) terms: &'a TermList,
    pub(crate) vector: (&'a ModelId, &'a QuantVec),
}

impl ToSeal<'_> {
    fn class(&self) -> KeyClass {
        KeyClass::of(&self.admitted.facets.privacy.sensitivity)
    }
}

/// The row of one memory for the store, with the parts of its frame that are neither words nor facets.
pub(crate) struct SealedRow {
    pub(crate) row: Row,
    /// The end of its time, and the reason.
    pub(crate) term: RetentionTerm,
    key: WrappedMemoryKey,
    terms: Vec<u8>,
    vectors: Vec<(ModelId, Vec<u8>)>,
    text_hash: [u8; 32],
}

impl SealedRow {
    /// Joins the row with the memory that it was sealed from.
    pub(crate) fn with(self, admitted: Admitted) -> SealedMemory {
        let Self { row, terms, vectors, text_hash, .. } = self;
        let Admitted { content: Content { gist, details, text }, facets, .. } = admitted;
        let has_body = row.body != SealedBody::None;
        let text = text.filter(|_| !has_body);
        SealedMemory {
            row,
            frame: Frame { gist, details, facets, terms, vectors, text_hash, has_body, text },
        }
    }
}

/// The row of one memory for the store, and its entry for the open index.
pub(crate) struct SealedMemory {
    pub(crate) row: Row,
    pub(crate) frame: Frame,
}

impl VaultWriter<'_> {
    /// Seals memories of which the caller needs no more than their rows and frames.
    pub(crate) fn seal_keys_first(
        &self,
        prepared: Vec<Prepared>,
        now: Timestamp,
    ) -> Result<Vec<SealedMemory>> {
        let to_seal: Vec<_> = prepared.iter().map(Prepared::to_seal).collect();
        let rows = self.seal_rows_keys_first(&to_seal, now)?;
        Ok(rows.into_iter().zip(prepared).map(|(row, prepared)| row.with(prepared.admitted)).collect())
    }

    /// Key first: a record whose key was lost could never be read, a key without a record harms nobody.
    pub(crate) fn seal_rows_keys_first(
        &self,
        to_seal: &[ToSeal<'_>],
        now: Timestamp,
    ) -> Result<Vec<SealedRow>> {
        let (service, scope) = (self.service, self.scope());
        let vault = scope.vault_id();
        let sealed = self.update(|open| {
            let settings = settings_in(service, open)?;
            let terms = settings.terms(&service.policy(&scope.org).retention, &scope.holder);
            let mut batch = KeyBatch::new(vault, now);
            for class in to_seal.iter().map(ToSeal::class) {
                batch.classes.extend(open.keyring.ensure_class(class, &*service.entropy));
            }
            let mut unlocker = Unlocker::new(&open.keyring, &*service.keys, HashMap::new());
            let mut sealed: Vec<SealedRow> = Vec::with_capacity(to_seal.len());
            for one in to_seal {
                let sources = unlocker.source_keys(&bound_to(&one.admitted.facets.derived_from))?;
                let sealing = Sealing { service, keyring: &open.keyring, terms: &terms, now };
                let (one, key) = sealing.seal(one, &sources)?;
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

/// The parts that all memories of one call are sealed with.
struct Sealing<'a> {
    service: &'a Service,
    keyring: &'a Keyring,
    terms: &'a Terms<'a>,
    now: Timestamp,
}

impl Sealing<'_> {
    fn seal(&self, to_seal: &ToSeal<'_>, sources: &[SourceKey]) -> Result<(SealedRow, OpenKey)> {
        let (service, keyring, class) = (self.service, self.keyring, to_seal.class());
        let Admitted { content, facets, created_at, state, .. } = to_seal.admitted;
        let (key, wrapped) = keyring.make_memory_key(to_seal.id, class, sources, &*service.entropy)?;
        let place = Place {
            memory: to_seal.id,
            created_at: *created_at,
            key_version: keyring.key_version(),
            revision: FIRST_REVISION,
        };
        let text_hash = keyring.text_hash(content.full_text().expose());
        let (text, body) = match &content.text {
            Some(long) if long.expose().len() > FRAME_TEXT_BYTES_MAX => {
                (None, seal_body(service, keyring, &key, keyring.vault(), &place, long.expose())?)
            }
            short => (short.as_ref(), SealedBody::None),
        };
        let terms = to_seal.terms.to_bytes();
        let (model, vector) = to_seal.vector;
        let vectors = vec![(model.clone(), vector.to_bytes())];
        let frame = FrameFields {
            gist: &content.gist,
            details: &content.details,
            facets,
            terms: &terms,
            vectors: &vectors,
            text_hash: &text_hash,
            has_body: body != SealedBody::None,
            text,
        };
        let mut row = Row {
            id: to_seal.id,
            state: *state,
            created_at: *created_at,
            updated_at: self.now,
            expires_at: None,
            key_version: place.key_version,
            frame_revision: FIRST_REVISION,
            frame: keyring.seal_frame(&key, &place, frame, &*service.entropy),
            body,
        };
        let term = term_of_frame(self.terms, &row, frame);
        row.expires_at = term.expires_at;
        Ok((SealedRow { row, term, key: wrapped, terms, vectors, text_hash }, key))
    }
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
    let details = content.details.iter().map(|detail| detail.content.expose().len() + 1).sum::<usize>();
    let mut text = Zeroizing::new(String::with_capacity(content.full_text().expose().len() + details));
    text.push_str(content.full_text().expose());
    for detail in &content.details {
        text.push('\n');
        text.push_str(detail.content.expose());
    }
    text
}
