//! Remember: admit → seal → store with its audit entry → index.

use jiff::Timestamp;
use zeroize::Zeroizing;

use crate::admit::{Admitted, admit};
use crate::audit::{AuditAction, AuditEntry};
use crate::blobs::BlobName;
use crate::domain::*;
use crate::embed::{ModelId, Purpose};
use crate::error::{Error, Result};
use crate::frame::{FRAME_TEXT_BYTES_MAX, Frame};
use crate::index::{QuantVec, TermList};
use crate::keys::{KeyBatch, WrappedMemoryKey};
use crate::lacuna::{Act, Lacuna};
use crate::permit::{Grant, Remember};
use crate::store::{Body, Row};
use crate::vault::{Keyring, OpenKey, Place, Slot, entry};

/// Memories in one call.
pub const REMEMBER_BATCH_MAX: usize = 2_000;
/// Sealed texts up to this size stay in their row; larger ones become blobs.
const INLINE_BODY_BYTES_MAX: usize = 16 << 10;
pub(crate) const FIRST_REVISION: u32 = 1;

/// What became of one draft.
#[derive(Clone, PartialEq, Debug)]
pub struct Remembered {
    pub id: MemoryId,
    pub created_at: Timestamp,
    /// SHA-256 of the full text, for the owner's eyes only: what is stored is keyed.
    pub content_sha256: [u8; 32],
    /// The model whose vector finds it from now on; a better one may follow in the background.
    pub embedded_by: ModelId,
    /// Whether the text was cut to fit.
    pub truncated: bool,
}

/// A draft on its way: admitted, indexed, not yet sealed.
struct Prepared {
    id: MemoryId,
    admitted: Admitted,
    class: KeyClass,
    terms: TermList,
    vector: (ModelId, QuantVec),
}

/// What will be stored of one memory, and what the open index will hold of it.
struct Sealed {
    row: Row,
    key: WrappedMemoryKey,
    frame: Frame,
}

impl Lacuna {
    /// Remembers every draft, or none of them.
    pub fn remember(&self, grant: &Grant<Remember>, drafts: Vec<Draft>) -> Result<Vec<Remembered>> {
        if drafts.is_empty() || drafts.len() > REMEMBER_BATCH_MAX {
            let reason = format!("one call takes 1 to {REMEMBER_BATCH_MAX} memories");
            return Err(Error::invalid("memories", reason));
        }
        let now = self.clock.now();
        let mut admitted = admit_all(drafts, now)?;
        name_author(&mut admitted, grant);
        let prepared = self.prepare(admitted)?;
        let answers = prepared.iter().map(|prepared| self.answer(prepared)).collect();

        let scope = grant.scope();
        let slot = self.slot(scope);
        let _writer = slot.lock_writer();
        self.ensure_vault(&slot, scope)?;
        let sealed = self.seal_and_store_keys(&slot, scope, prepared, now)?;
        self.store_sealed(&slot, grant, sealed, now)?;
        self.backlog.push(scope);
        self.vaults.make_room(scope.vault_id());
        Ok(answers)
    }

    fn prepare(&self, admitted: Vec<Admitted>) -> Result<Vec<Prepared>> {
        let texts: Vec<&str> = admitted.iter().map(|admitted| admitted.content.full_text()).collect();
        let vectors = self.models.instant.embed(&texts, Purpose::Passage)?;
        let model = self.models.instant.model();
        admitted
            .into_iter()
            .zip(vectors)
            .map(|(admitted, vector)| {
                Ok(Prepared {
                    id: MemoryId::make(&*self.clock, &*self.entropy),
                    class: KeyClass::of(&admitted.facets.privacy.sensitivity),
                    terms: TermList::of(&indexed_text(&admitted.content), None),
                    vector: (model.clone(), QuantVec::from_f32(&vector)?),
                    admitted,
                })
            })
            .collect()
    }

    fn answer(&self, prepared: &Prepared) -> Remembered {
        let text = prepared.admitted.content.full_text();
        Remembered {
            id: prepared.id,
            created_at: prepared.admitted.created_at,
            content_sha256: lacuna_seal::sha256(text.as_bytes()),
            embedded_by: prepared.vector.0.clone(),
            truncated: prepared.admitted.truncated,
        }
    }

    /// Key first: a record whose key was lost could never be read, a key without a record harms nobody.
    fn seal_and_store_keys(
        &self,
        slot: &Slot,
        scope: &Scope,
        prepared: Vec<Prepared>,
        now: Timestamp,
    ) -> Result<Vec<Sealed>> {
        let vault = scope.vault_id();
        let sealed = slot.update(self.sources(), |open| {
            let mut batch = KeyBatch::new(vault);
            for class in prepared.iter().map(|prepared| prepared.class) {
                batch.classes.extend(open.keyring.ensure_class(class, &*self.entropy));
            }
            let sealed = prepared
                .into_iter()
                .map(|prepared| self.seal(&open.keyring, vault, prepared, now))
                .collect::<Result<Vec<_>>>()?;
            batch.memories = sealed.iter().map(|sealed| sealed.key.clone()).collect();
            Ok((sealed, batch))
        })?;
        let (sealed, batch) = sealed.ok_or(Error::Conflict("the vault"))?;
        self.keys.commit(batch).inspect_err(|_| {
            // A class key that was not stored must not be used again.
            slot.discard();
        })?;
        Ok(sealed)
    }

    fn seal(&self, keyring: &Keyring, vault: VaultId, prepared: Prepared, now: Timestamp) -> Result<Sealed> {
        let Prepared { id, admitted, class, terms, vector } = prepared;
        let Admitted { content, facets, created_at, .. } = admitted;
        let (key, wrapped) = keyring.make_memory_key(id, class, &*self.entropy)?;
        let place =
            Place { memory: id, created_at, key_version: keyring.key_version(), revision: FIRST_REVISION };
        let text_hash = keyring.text_hash(content.full_text());
        let (text, body) = match content.text {
            Some(long) if long.len() > FRAME_TEXT_BYTES_MAX => {
                (None, self.seal_body(keyring, &key, vault, &place, &long)?)
            }
            short => (short, Body::None),
        };
        let frame = Frame {
            text_hash,
            has_body: body != Body::None,
            text,
            gist: content.gist,
            details: content.details,
            terms: terms.to_bytes(),
            vectors: vec![(vector.0, vector.1.to_bytes())],
            facets,
        };
        let row = Row {
            id,
            state: Lifecycle::Active,
            created_at,
            updated_at: now,
            expires_at: frame.facets.retention.expires_at,
            key_version: place.key_version,
            frame_revision: FIRST_REVISION,
            frame: keyring.seal_frame(&key, &place, &frame, &*self.entropy),
            body,
        };
        Ok(Sealed { row, key: wrapped, frame })
    }

    pub(crate) fn seal_body(
        &self,
        keyring: &Keyring,
        key: &OpenKey,
        vault: VaultId,
        place: &Place,
        text: &str,
    ) -> Result<Body> {
        let sealed = keyring.seal_body(key, place, text, &*self.entropy);
        let revision = place.revision;
        if sealed.len() <= INLINE_BODY_BYTES_MAX {
            return Ok(Body::Inline { revision, sealed });
        }
        let bytes = sealed.len() as u64;
        self.blobs.put(vault, BlobName { memory: place.memory, revision }, sealed)?;
        Ok(Body::Blob { revision, bytes })
    }

    fn store_sealed(
        &self,
        slot: &Slot,
        grant: &Grant<Remember>,
        sealed: Vec<Sealed>,
        now: Timestamp,
    ) -> Result<()> {
        let ids: Vec<_> = sealed.iter().map(|sealed| sealed.row.id.into()).collect();
        let bytes = sealed.iter().map(|sealed| sealed.row.frame.len() as u64).sum();
        let entry_for = AuditEntry::new(AuditAction::MemoryWrite, grant.caller().user.as_str(), ids);
        let mut act = Act::new(grant.scope(), now, AuditEntry { bytes, ..entry_for });
        act.batch.puts = sealed.iter().map(|sealed| sealed.row.clone()).collect();
        self.commit(slot, &act, |open| {
            for Sealed { row, frame, .. } in sealed {
                if entry(&row, frame).and_then(|entry| open.index.insert(entry)).is_err() {
                    open.damaged.insert(row.id);
                }
            }
        })?;
        Ok(())
    }
}

fn admit_all(drafts: Vec<Draft>, now: Timestamp) -> Result<Vec<Admitted>> {
    let single = drafts.len() == 1;
    let admit_one = |(number, draft)| {
        admit(draft, now).map_err(|error| match error {
            Error::Invalid { field, reason } if !single => {
                Error::Invalid { field, reason: format!("memory {number}: {reason}") }
            }
            other => other,
        })
    };
    drafts.into_iter().enumerate().map(admit_one).collect()
}

/// A vault that several people share says who wrote what.
fn name_author(admitted: &mut [Admitted], grant: &Grant<Remember>) {
    if grant.scope().holder.is_shared() {
        for admitted in admitted {
            admitted.facets.history.author = Some(grant.caller().user.clone());
        }
    }
}

/// The words a memory is found by: its full text and its details.
fn indexed_text(content: &Content) -> Zeroizing<String> {
    let details = content.details.iter().map(|detail| detail.content.len() + 1).sum::<usize>();
    let mut text = Zeroizing::new(String::with_capacity(content.full_text().len() + details));
    text.push_str(content.full_text());
    for detail in &content.details {
        text.push('\n');
        text.push_str(&detail.content);
    }
    text
}
