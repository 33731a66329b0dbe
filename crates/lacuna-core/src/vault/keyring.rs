//! The keys of one opened vault, and the only code that joins them with plaintext.

use std::sync::Arc;

use jiff::Timestamp;
use lacuna_seal::{
    Binding, ClassKey, Entropy, Field, FingerprintKey, MemoryKey, OpenError, RootKey, SealContext,
};
use lacuna_store::keys::{FIRST_KEY_VERSION, Kms, WrappedClassKey, WrappedMemoryKey, WrappedRoot};
use lacuna_store::rows::{Row, SealedSettings};
use lacuna_types::{Error, KeyClass, MemoryId, Plaintext, Result, Scope, VaultId, millis};
use zeroize::Zeroizing;

use crate::vault::frame::{Frame, FrameFields};
use crate::vault::root::{UnwrappedRoot, WrapKeys, is_held, root_context_in, root_of};
use crate::vault::stores::VaultStores;

const BOUND_TO_NOTHING: u8 = 0;
const BOUND_TO_SOURCES: u8 = 1;

pub(crate) struct Keyring {
    scope: Scope,
    vault: VaultId,
    key_version: u32,
    /// The wrap that the root was opened from.
    generation: u32,
    is_held: bool,
    root: RootKey,
    classes: Vec<OpenClass>,
    text_hash: FingerprintKey,
    confirm: FingerprintKey,
    query: FingerprintKey,
    month: FingerprintKey,
    scope_hash: FingerprintKey,
}

struct OpenClass {
    id: [u8; 16],
    class: KeyClass,
    key: ClassKey,
}

/// A memory's own key, unwrapped, with the class it was wrapped under.
pub(crate) struct OpenKey {
    class: KeyClass,
    key: MemoryKey,
}

/// The key of a memory that another memory's key depends on.
pub(crate) struct SourceKey {
    pub(crate) memory: MemoryId,
    pub(crate) key: Arc<OpenKey>,
}

/// Returns true when `key` depends on the keys of other memories.
pub(crate) fn is_bound(key: &WrappedMemoryKey) -> bool {
    key.binding != BOUND_TO_NOTHING
}

impl Keyring {
    /// Makes the root key of a new vault. Nothing is stored yet.
    pub(crate) fn make(scope: &Scope, kms: &Kms, entropy: &dyn Entropy) -> Result<(Self, WrappedRoot)> {
        let (_, key_version) = kms.user_key_for_new_vault(scope, entropy)?;
        let (epoch, epoch_key) = kms.current_epoch(entropy)?;
        let root = UnwrappedRoot::Bare(RootKey::make(entropy));
        let under = WrapKeys { key_version, epoch, epoch_key: &epoch_key };
        let stored = root.wrap(scope, kms, 1, &under, entropy)?;
        let UnwrappedRoot::Bare(root) = root else { unreachable!("it was made bare") };
        Ok((Self::with_root(scope, &stored, root), stored))
    }

    /// Unwraps the keys of a vault as the keystore has them; `None` where it has none. A vault that its person holds
    /// opens while it is unlocked here.
    pub(crate) fn of_vault(scope: &Scope, from: VaultStores<'_>) -> Result<Option<Self>> {
        let Some((root, stored)) = root_of(scope, from)? else { return Ok(None) };
        let root = root.into_key(scope, from.secrets)?;
        let mut keyring = Self::with_root(scope, &stored.root, root);
        keyring.open_classes(&stored.classes)?;
        Ok(Some(keyring))
    }

    /// Unwraps the class keys that this keyring does not have yet.
    pub(crate) fn open_classes(&mut self, stored: &[WrappedClassKey]) -> Result<()> {
        for stored in stored {
            if self.has_class(&stored.id) {
                continue;
            }
            let context = self.class_context(stored.id);
            let (key, code) = self.root.unwrap_class(&context, &stored.wrapped).map_err(damaged_key)?;
            let class = KeyClass::from_code(code).ok_or_else(|| Error::corrupt("an unknown key class"))?;
            self.classes.push(OpenClass { id: stored.id, class, key });
        }
        Ok(())
    }

    pub(crate) fn has_class(&self, id: &[u8; 16]) -> bool {
        self.classes.iter().any(|open| open.id == *id)
    }

    fn with_root(scope: &Scope, stored: &WrappedRoot, root: RootKey) -> Self {
        let text_hash = root.derive_fingerprint_key("text");
        let confirm = root.derive_fingerprint_key("confirm");
        let month = root.derive_fingerprint_key("month");
        let scope_hash = root.derive_fingerprint_key("scope");
        let query = root.derive_fingerprint_key("query");
        Self {
            vault: scope.vault_id(),
            scope: scope.clone(),
            key_version: stored.key_version,
            generation: stored.generation,
            is_held: is_held(stored),
            root,
            classes: Vec::new(),
            text_hash,
            confirm,
            month,
            scope_hash,
            query,
        }
    }

    pub(crate) fn vault(&self) -> VaultId {
        self.vault
    }

    /// Makes the key of `class` if the vault has none; the wrapped key must be stored before it is used.
    pub(crate) fn ensure_class(&mut self, class: KeyClass, entropy: &dyn Entropy) -> Option<WrappedClassKey> {
        if self.classes.iter().any(|open| open.class == class) {
            return None;
        }
        let mut id = [0u8; 16];
        entropy.fill(&mut id);
        let key = ClassKey::make(entropy);
        let wrapped = self.root.wrap_class(&key, class.code(), &self.class_context(id), entropy);
        self.classes.push(OpenClass { id, class, key });
        Some(WrappedClassKey { id, wrapped })
    }

    /// A fresh key for one memory, open and wrapped. Without every key of `sources` it never opens again.
    pub(crate) fn make_memory_key(
        &self,
        memory: MemoryId,
        class: KeyClass,
        sources: &[SourceKey],
        entropy: &dyn Entropy,
    ) -> Result<(OpenKey, WrappedMemoryKey)> {
        let open = OpenKey { class, key: MemoryKey::make(entropy) };
        let stored = self.wrap_memory_key(memory, &open, sources, entropy)?;
        Ok((open, stored))
    }

    /// Wraps a memory's key so that it opens together with the keys of `sources`, and no others.
    pub(crate) fn wrap_memory_key(
        &self,
        memory: MemoryId,
        open: &OpenKey,
        sources: &[SourceKey],
        entropy: &dyn Entropy,
    ) -> Result<WrappedMemoryKey> {
        let parent = self.classes.iter().find(|parent| parent.class == open.class);
        let parent = parent.ok_or_else(|| Error::corrupt("a key class that was never made"))?;
        let context = self.memory_key_context(memory, open.class);
        let class = parent.id;
        if sources.is_empty() {
            let wrapped = parent.key.wrap_memory(&open.key, Binding::Alone, &context, entropy);
            return Ok(WrappedMemoryKey { memory, class, binding: BOUND_TO_NOTHING, wrapped });
        }
        let ids: Vec<[u8; 16]> = sources.iter().map(|source| *source.memory.as_bytes()).collect();
        let keys: Vec<&MemoryKey> = sources.iter().map(|source| &source.key.key).collect();
        let list = parent.key.seal_sources(&ids, &context, entropy);
        let key = parent.key.wrap_memory(&open.key, Binding::Sources(&keys), &context, entropy);
        Ok(WrappedMemoryKey { memory, class, binding: BOUND_TO_SOURCES, wrapped: join_bound(&list, &key) })
    }

    /// The memories that a key depends on, in the order in which [`Self::open_memory_key`] wants their keys.
    pub(crate) fn sources_of(&self, stored: &WrappedMemoryKey) -> Result<Vec<MemoryId>> {
        if stored.binding == BOUND_TO_NOTHING {
            return Ok(Vec::new());
        }
        let parent = self.parent_of(stored)?;
        let context = self.memory_key_context(stored.memory, parent.class);
        let (list, _) = split_bound(stored)?;
        let sources = parent.key.open_sources(&context, list).map_err(|_| does_not_open(stored))?;
        Ok(sources.into_iter().map(MemoryId::from_bytes).collect())
    }

    pub(crate) fn open_memory_key(
        &self,
        stored: &WrappedMemoryKey,
        sources: &[SourceKey],
    ) -> Result<OpenKey> {
        let parent = self.parent_of(stored)?;
        let context = self.memory_key_context(stored.memory, parent.class);
        let keys: Vec<&MemoryKey> = sources.iter().map(|source| &source.key.key).collect();
        let (binding, wrapped) = match stored.binding {
            BOUND_TO_NOTHING => (Binding::Alone, stored.wrapped.as_slice()),
            _ => (Binding::Sources(&keys), split_bound(stored)?.1),
        };
        let key = parent.key.unwrap_memory(binding, &context, wrapped).map_err(|_| does_not_open(stored))?;
        Ok(OpenKey { class: parent.class, key })
    }

    fn parent_of(&self, stored: &WrappedMemoryKey) -> Result<&OpenClass> {
        let parent = self.classes.iter().find(|open| open.id == stored.class);
        parent.ok_or_else(|| Error::corrupt("a memory's key names an unknown class key"))
    }

    pub(crate) fn seal_frame(
        &self,
        key: &OpenKey,
        place: &Place,
        frame: FrameFields<'_>,
        entropy: &dyn Entropy,
    ) -> Vec<u8> {
        key.key.seal(&self.content_context(key, place, Field::Frame), &frame.encode(), entropy)
    }

    pub(crate) fn seal_body(
        &self,
        key: &OpenKey,
        place: &Place,
        text: &str,
        entropy: &dyn Entropy,
    ) -> Vec<u8> {
        key.key.seal(&self.content_context(key, place, Field::Body), text.as_bytes(), entropy)
    }

    /// Opens a row's frame into `buffer`, which is used again from row to row.
    pub(crate) fn open_frame(
        &self,
        key: &OpenKey,
        row: &Row,
        buffer: &mut Zeroizing<Vec<u8>>,
    ) -> Result<Frame> {
        let context = self.content_context(key, &Place::of(row, row.frame_revision), Field::Frame);
        key.key
            .open_into(&context, &row.frame, buffer)
            .map_err(|_| Error::corrupt(format!("the frame of {} does not open", row.id)))?;
        Frame::decode(buffer)
    }

    pub(crate) fn open_body(&self, key: &OpenKey, place: &Place, sealed: &[u8]) -> Result<Plaintext> {
        let damaged = || Error::corrupt(format!("the text of {} does not open", place.memory));
        let context = self.content_context(key, place, Field::Body);
        let bytes = key.key.open(&context, sealed).map_err(|_| damaged())?;
        str::from_utf8(&bytes).map(Plaintext::from).map_err(|_| damaged())
    }

    pub(crate) fn text_hash(&self, text: &str) -> [u8; 32] {
        self.text_hash.fingerprint(&[text.as_bytes()])
    }

    /// Returns a keyed mark by which the audit recognises a question again without knowing its words.
    pub(crate) fn query_mark(&self, question: &str) -> [u8; 32] {
        self.query.fingerprint(&[question.trim().as_bytes()])
    }

    /// Returns the seed of a context's boundary, which nobody outside can guess.
    pub(crate) fn boundary_seed(&self, now: Timestamp) -> [u8; 32] {
        let key = self.root.derive_fingerprint_key("context-boundary");
        key.fingerprint(&[&millis(now).to_be_bytes()])
    }

    /// The key of the tokens with which a caller confirms what the gate asked.
    pub(crate) fn confirm_key(&self) -> &FingerprintKey {
        &self.confirm
    }

    /// Seals what a link to an export says. Nothing is stored for a link, so only the vault's keys know it.
    pub(crate) fn seal_link(&self, link: &[u8], entropy: &dyn Entropy) -> Vec<u8> {
        self.key_for("export-link").seal(&self.context_of(Field::Link), link, entropy)
    }

    /// `None` when it was not sealed here.
    pub(crate) fn open_link(&self, sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        self.key_for("export-link").open(&self.context_of(Field::Link), sealed).ok()
    }

    /// Seals what a link says that signs its owner in. Nothing is stored for it.
    pub(crate) fn seal_sign_in(&self, link: &[u8], entropy: &dyn Entropy) -> Vec<u8> {
        self.key_for("sign-in").seal(&self.context_of(Field::Link), link, entropy)
    }

    /// `None` when it was not sealed here.
    pub(crate) fn open_sign_in(&self, sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        self.key_for("sign-in").open(&self.context_of(Field::Link), sealed).ok()
    }

    /// Seals what a token of a plan says: the words of a request to forget are the owner's as much as a memory.
    pub(crate) fn seal_plan(&self, plan: &[u8], entropy: &dyn Entropy) -> Vec<u8> {
        self.key_for("plan").seal(&self.context_of(Field::Plan), plan, entropy)
    }

    /// `None` when it was not sealed here.
    pub(crate) fn open_plan(&self, sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        self.key_for("plan").open(&self.context_of(Field::Plan), sealed).ok()
    }

    /// Seals what the vault's owner has set, at one revision.
    pub(crate) fn seal_settings(&self, revision: u32, settings: &[u8], entropy: &dyn Entropy) -> Vec<u8> {
        self.key_for("settings").seal(&self.settings_context(revision), settings, entropy)
    }

    pub(crate) fn open_settings(&self, stored: &SealedSettings) -> Result<Zeroizing<Vec<u8>>> {
        let opened = self.key_for("settings").open(&self.settings_context(stored.revision), &stored.sealed);
        opened.map_err(|_| Error::corrupt("the settings of a vault do not open"))
    }

    fn settings_context(&self, revision: u32) -> SealContext<'_> {
        SealContext { revision, ..self.context_of(Field::Settings) }
    }

    /// The key of what belongs to the vault as a whole, one for each purpose.
    fn key_for(&self, purpose: &str) -> MemoryKey {
        MemoryKey::from_bytes(self.root.derive_fingerprint_key(purpose).fingerprint(&[]))
    }

    fn context_of(&self, field: Field) -> SealContext<'_> {
        SealContext { field, ..self.base_context() }
    }

    /// The key of the marks that bind a month's answers to what was shown.
    pub(crate) fn month_key(&self) -> &FingerprintKey {
        &self.month
    }

    /// Returns the hash of a named thing for a receipt: this vault can recognise it, nobody else can.
    pub(crate) fn scope_hash(&self, form: &str) -> [u8; 32] {
        self.scope_hash.fingerprint(&[form.as_bytes()])
    }

    pub(crate) fn key_version(&self) -> u32 {
        self.key_version
    }

    /// Returns true when the root opened with a secret of the vault's person.
    pub(crate) fn is_held(&self) -> bool {
        self.is_held
    }

    /// The number of the wrap that the root was opened from.
    pub(crate) fn generation(&self) -> u32 {
        self.generation
    }

    fn class_context(&self, id: [u8; 16]) -> SealContext<'_> {
        SealContext { memory: id, field: Field::ClassKey, ..self.base_context() }
    }

    fn memory_key_context(&self, memory: MemoryId, class: KeyClass) -> SealContext<'_> {
        SealContext {
            memory: *memory.as_bytes(),
            field: Field::MemoryKey,
            class: class.code(),
            ..self.base_context()
        }
    }

    fn content_context(&self, key: &OpenKey, place: &Place, field: Field) -> SealContext<'_> {
        SealContext {
            memory: *place.memory.as_bytes(),
            field,
            class: key.class.code(),
            revision: place.revision,
            created_at_millis: millis(place.created_at),
            key_version: place.key_version,
            ..self.base_context()
        }
    }

    /// Keys below the root depend on the root alone, which a new master key does not change: their context has the
    /// first version for good.
    fn base_context(&self) -> SealContext<'_> {
        root_context_in(&self.scope, self.vault, 0, FIRST_KEY_VERSION)
    }
}

/// The place of a sealed field; its seal authenticates it.
pub(crate) struct Place {
    pub(crate) memory: MemoryId,
    pub(crate) created_at: Timestamp,
    pub(crate) key_version: u32,
    pub(crate) revision: u32,
}

impl Place {
    pub(crate) fn of(row: &Row, revision: u32) -> Self {
        Self { memory: row.id, created_at: row.created_at, key_version: row.key_version, revision }
    }
}

/// A bound key at rest: the length of the sealed list of sources, the list, the wrapped key.
fn join_bound(list: &[u8], key: &[u8]) -> Vec<u8> {
    let length = u16::try_from(list.len()).expect("a lineage has at most LINEAGE_MAX sources");
    [&length.to_be_bytes(), list, key].concat()
}

fn split_bound(stored: &WrappedMemoryKey) -> Result<(&[u8], &[u8])> {
    let split = stored.wrapped.split_first_chunk::<2>();
    split
        .and_then(|(length, rest)| rest.split_at_checked(usize::from(u16::from_be_bytes(*length))))
        .ok_or_else(|| does_not_open(stored))
}

fn does_not_open(stored: &WrappedMemoryKey) -> Error {
    Error::corrupt(format!("the key of {} does not open", stored.memory))
}

fn damaged_key(_: OpenError) -> Error {
    Error::corrupt("a class key of the vault does not open")
}
