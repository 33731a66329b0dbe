//! The key types. Each has one place in the hierarchy, so the compiler refuses a key in another's place.
//!
//! No key can be printed, compared, cloned or serialised, and each is zeroed when dropped. Keys that live longer than
//! one operation are in locked memory.

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::entropy::Entropy;
pub use crate::locked::KEY_BYTES;
use crate::locked::LockedKey;

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

macro_rules! locked_key {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(ZeroizeOnDrop)]
        pub struct $name(LockedKey);

        impl $name {
            /// Takes over existing key bytes.
            pub fn from_bytes(bytes: [u8; KEY_BYTES]) -> Self {
                Self(LockedKey::from_bytes(bytes))
            }

            /// Makes a fresh random key.
            pub fn make(entropy: &dyn Entropy) -> Self {
                Self(LockedKey::filled(|bytes| entropy.fill(bytes)))
            }

            pub(crate) fn bytes(&self) -> &[u8; KEY_BYTES] {
                self.0.bytes()
            }
        }
    };
}

macro_rules! exposed_key {
    ($($name:ident: $why:literal),*) => { $(
        impl $name {
            #[doc = $why]
            pub fn expose(&self) -> &[u8; KEY_BYTES] {
                self.bytes()
            }
        }
    )* };
}

locked_key! {
    /// The organisation's key. It derives user keys and does nothing else.
    MasterKey
}
key! {
    /// A user's key at one key version. It can be derived again, so it wraps random keys and never content.
    pub UserKey
}
locked_key! {
    /// A key that is renewed on a schedule and then destroyed, so that old copies of the keystore cannot be read.
    EpochKey
}
locked_key! {
    /// A secret that only the user holds. A vault that asks for it cannot be opened by the organisation.
    UserSecret
}
locked_key! {
    /// The key of one vault. Destroying its wraps destroys the vault.
    RootKey
}
locked_key! {
    /// The key of one sensitivity class in one vault.
    ClassKey
}
key! {
    /// The key of one memory, made once and never used for another. Destroying its wrap forgets the memory.
    pub MemoryKey
}
key! {
    /// A key-encryption key that exists only while it wraps or unwraps.
    pub(crate) WrappingKey
}

impl MemoryKey {
    /// Makes a fresh random key.
    pub fn make(entropy: &dyn Entropy) -> Self {
        let mut key = Self([0; KEY_BYTES]);
        entropy.fill(&mut key.0);
        key
    }
}

exposed_key! {
    MasterKey: "The raw key, for the key file that only its owner may read. Nothing else should ask for it.",
    EpochKey: "The raw key, for the key file that only its owner may read. Nothing else should ask for it."
}
