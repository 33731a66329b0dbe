//! The key types. Each has one place in the hierarchy, so the compiler refuses a key in another's place.
//!
//! No key can be printed, compared, cloned or serialised, and each is zeroed when dropped.

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::entropy::Entropy;

/// Length of every key.
pub const KEY_BYTES: usize = 32;

macro_rules! key {
    ($(#[$doc:meta])* $visibility:vis $name:ident) => {
        $(#[$doc])*
        #[derive(Zeroize, ZeroizeOnDrop)]
        $visibility struct $name([u8; KEY_BYTES]);

        impl $name {
            /// Takes over existing key bytes.
            $visibility fn from_bytes(bytes: [u8; KEY_BYTES]) -> Self {
                Self(bytes)
            }

            pub(crate) fn bytes(&self) -> &[u8; KEY_BYTES] {
                &self.0
            }
        }
    };
}

macro_rules! random_key {
    ($($name:ident),*) => { $(
        impl $name {
            /// Makes a fresh random key.
            pub fn make(entropy: &dyn Entropy) -> Self {
                let mut key = Self([0; KEY_BYTES]);
                entropy.fill(&mut key.0);
                key
            }
        }
    )* };
}

macro_rules! exposed_key {
    ($($name:ident: $why:literal),*) => { $(
        impl $name {
            #[doc = $why]
            pub fn expose(&self) -> &[u8; KEY_BYTES] {
                &self.0
            }
        }
    )* };
}

key! {
    /// The organisation's key. It derives user keys and does nothing else.
    pub MasterKey
}
key! {
    /// A user's key at one key version. It can be derived again, so it wraps random keys and never content.
    pub UserKey
}
key! {
    /// A key that is renewed on a schedule and then destroyed, so that old copies of the keystore cannot be read.
    pub EpochKey
}
key! {
    /// A secret that only the user holds. A vault that asks for it cannot be opened by the organisation.
    pub UserSecret
}
key! {
    /// The key of one vault. Destroying its wraps destroys the vault.
    pub RootKey
}
key! {
    /// The key of one sensitivity class in one vault.
    pub ClassKey
}
key! {
    /// The key of one memory, made once and never used for another. Destroying its wrap forgets the memory.
    pub MemoryKey
}
key! {
    /// A key-encryption key that exists only while it wraps or unwraps.
    pub(crate) WrappingKey
}

random_key!(MasterKey, EpochKey, UserSecret, RootKey, ClassKey, MemoryKey);

exposed_key! {
    MasterKey: "The raw key, for the key file that only its owner may read. Nothing else should ask for it.",
    EpochKey: "The raw key, for the key file that only its owner may read. Nothing else should ask for it.",
    UserSecret: "The raw secret, to be shown to the user once. Lacuna keeps no copy."
}
