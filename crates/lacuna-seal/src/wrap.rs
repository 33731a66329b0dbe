//! Wrapping: each key encrypts the next one down. A wrap sets the context's field itself, so a wrapped key of one
//! kind never passes for another kind.

use zeroize::Zeroizing;

use crate::context::{Field, SealContext};
use crate::entropy::Entropy;
use crate::envelope::{self, OpenError};
use crate::hkdf;
use crate::key::{ClassKey, EpochKey, KEY_BYTES, MemoryKey, RootKey, UserKey, UserSecret, WrappingKey};

const ROOT_ALONE_INFO: &[u8] = b"lacuna/wrap/root/alone/v1";
const ROOT_HELD_INFO: &[u8] = b"lacuna/wrap/root/held/v1";
const MEMORY_SOURCES_INFO: &[u8] = b"lacuna/wrap/memory/sources/v1";
/// A memory's id.
const SOURCE_BYTES: usize = 16;
/// The wrapping keys need no salt: their input is uniform already.
const NO_SALT: &[u8] = b"";

/// Further keys that a memory's key depends on, besides its class key.
#[derive(Clone, Copy)]
pub enum Binding<'a> {
    /// No further key.
    Alone,
    /// The keys of the memories that it was derived from, in an order that the caller can repeat. Without every
    /// one of them the wrap does not open, so forgetting a source also forgets its derivatives.
    Sources(&'a [&'a MemoryKey]),
}

impl UserKey {
    /// Encrypts a vault's root key. With `held` nobody opens it without the user's own secret, nor wraps it anew: vaults
    /// use [`HeldRoot`](crate::HeldRoot), whose outer wrap can be renewed meanwhile.
    pub fn wrap_root(
        &self,
        epoch: &EpochKey,
        held: Option<&UserSecret>,
        root: &RootKey,
        context: &SealContext<'_>,
        entropy: &dyn Entropy,
    ) -> Vec<u8> {
        let aad = SealContext { field: Field::Root, ..*context }.encode();
        envelope::seal(self.root_wrapping_key(epoch, held).bytes(), &aad, root.bytes(), entropy)
    }

    /// Decrypts a vault's root key with the same keys that wrapped it.
    pub fn unwrap_root(
        &self,
        epoch: &EpochKey,
        held: Option<&UserSecret>,
        context: &SealContext<'_>,
        wrapped: &[u8],
    ) -> Result<RootKey, OpenError> {
        let aad = SealContext { field: Field::Root, ..*context }.encode();
        let root = envelope::open_exact(self.root_wrapping_key(epoch, held).bytes(), &aad, wrapped)?;
        Ok(RootKey::from_bytes(*root))
    }

    fn root_wrapping_key(&self, epoch: &EpochKey, held: Option<&UserSecret>) -> WrappingKey {
        let secrets = [Some(self.bytes()), Some(epoch.bytes()), held.map(UserSecret::bytes)];
        let info = if held.is_some() { ROOT_HELD_INFO } else { ROOT_ALONE_INFO };
        mix(secrets.into_iter().flatten(), info)
    }
}

impl RootKey {
    /// Encrypts a class key together with its class code, so that nobody sees which classes a vault has. The
    /// opener does not know the code yet either: the context's class takes no part.
    pub fn wrap_class(
        &self,
        key: &ClassKey,
        class_code: u8,
        context: &SealContext<'_>,
        entropy: &dyn Entropy,
    ) -> Vec<u8> {
        let mut plaintext = Zeroizing::new([class_code; KEY_BYTES + 1]);
        plaintext[..KEY_BYTES].copy_from_slice(key.bytes());
        envelope::seal(self.bytes(), &class_aad(context), plaintext.as_slice(), entropy)
    }

    /// Decrypts a class key and its class code.
    pub fn unwrap_class(
        &self,
        context: &SealContext<'_>,
        wrapped: &[u8],
    ) -> Result<(ClassKey, u8), OpenError> {
        let plaintext =
            envelope::open_exact::<{ KEY_BYTES + 1 }>(self.bytes(), &class_aad(context), wrapped)?;
        let mut key = [0u8; KEY_BYTES];
        key.copy_from_slice(&plaintext[..KEY_BYTES]);
        Ok((ClassKey::from_bytes(key), plaintext[KEY_BYTES]))
    }
}

fn class_aad(context: &SealContext<'_>) -> Vec<u8> {
    SealContext { field: Field::ClassKey, class: 0, ..*context }.encode()
}

impl ClassKey {
    /// Encrypts a memory's key under this class key and its `binding`.
    pub fn wrap_memory(
        &self,
        key: &MemoryKey,
        binding: Binding<'_>,
        context: &SealContext<'_>,
        entropy: &dyn Entropy,
    ) -> Vec<u8> {
        let aad = SealContext { field: Field::MemoryKey, ..*context }.encode();
        match binding {
            Binding::Alone => envelope::seal(self.bytes(), &aad, key.bytes(), entropy),
            Binding::Sources(sources) => {
                envelope::seal(self.bound_wrapping_key(sources).bytes(), &aad, key.bytes(), entropy)
            }
        }
    }

    /// Decrypts a memory's key; it needs the same `binding` that wrapped it.
    pub fn unwrap_memory(
        &self,
        binding: Binding<'_>,
        context: &SealContext<'_>,
        wrapped: &[u8],
    ) -> Result<MemoryKey, OpenError> {
        let aad = SealContext { field: Field::MemoryKey, ..*context }.encode();
        let key = match binding {
            Binding::Alone => envelope::open_exact(self.bytes(), &aad, wrapped)?,
            Binding::Sources(sources) => {
                envelope::open_exact(self.bound_wrapping_key(sources).bytes(), &aad, wrapped)?
            }
        };
        Ok(MemoryKey::from_bytes(*key))
    }

    /// Seals the ids of the memories that a key is bound to, so that the keystore shows no lineage.
    pub fn seal_sources(
        &self,
        sources: &[[u8; SOURCE_BYTES]],
        context: &SealContext<'_>,
        entropy: &dyn Entropy,
    ) -> Vec<u8> {
        let aad = SealContext { field: Field::Sources, ..*context }.encode();
        envelope::seal(self.bytes(), &aad, sources.as_flattened(), entropy)
    }

    /// Opens the output of [`seal_sources`](Self::seal_sources).
    pub fn open_sources(
        &self,
        context: &SealContext<'_>,
        sealed: &[u8],
    ) -> Result<Vec<[u8; SOURCE_BYTES]>, OpenError> {
        let aad = SealContext { field: Field::Sources, ..*context }.encode();
        let mut bytes = Zeroizing::new(Vec::new());
        envelope::open_into(self.bytes(), &aad, sealed, &mut bytes)?;
        let (sources, rest) = bytes.as_chunks::<SOURCE_BYTES>();
        if rest.is_empty() { Ok(sources.to_vec()) } else { Err(OpenError::Rejected) }
    }

    fn bound_wrapping_key(&self, sources: &[&MemoryKey]) -> WrappingKey {
        let secrets = std::iter::once(self.bytes()).chain(sources.iter().map(|source| source.bytes()));
        mix(secrets, MEMORY_SOURCES_INFO)
    }
}

/// One wrapping key from several secrets: all of them are needed. They have one length, so their
/// concatenation is unambiguous.
pub(crate) fn mix<'a>(
    secrets: impl Iterator<Item = &'a [u8; KEY_BYTES]> + Clone,
    info: &[u8],
) -> WrappingKey {
    // Sized before it is filled: growing would leave copies of the secrets behind in freed memory.
    let mut ikm = Zeroizing::new(Vec::with_capacity(secrets.clone().count() * KEY_BYTES));
    for secret in secrets {
        ikm.extend_from_slice(secret);
    }
    WrappingKey::from_bytes(*hkdf::derive(NO_SALT, &ikm, info))
}
