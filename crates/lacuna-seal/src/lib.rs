//! Keys and ciphertext of Lacuna: derive, wrap, seal, open, sign, and streams under a passphrase.
//!
//! The crate knows no clock, no policy and no async, and does no I/O but through the reader or writer that a stream
//! is given. A key opens the next one down, and only the last one touches content:
//!
//! ```text
//! MasterKey ─HKDF→ UserKey (+ EpochKey, + UserSecret) ─wraps→ RootKey ─wraps→ ClassKey
//!           ─wraps→ MemoryKey ─seals→ frame, body
//! ```
//!
//! Everything that Lacuna stores is one [`envelope`] over one [`SealContext`], and opens under no other. Exports and
//! backups leave the machine under a passphrase, as a stream: [`SealWriter`] and [`OpenReader`].
//!
//! # Example
//!
//! A memory's key seals its text, and a class key wraps that key. Destroying the wrapped key forgets the memory.
//!
//! ```
//! use lacuna_seal::{Binding, ClassKey, Field, MemoryKey, OpenError, SealContext, SystemEntropy};
//!
//! let context = SealContext {
//!     org: "acme",
//!     user: "anna",
//!     vault: [1; 16],
//!     memory: [2; 16],
//!     field: Field::Body,
//!     class: 0,
//!     revision: 1,
//!     created_at_millis: 0,
//!     key_version: 1,
//! };
//! let class_key = ClassKey::make(&SystemEntropy);
//! let memory_key = MemoryKey::make(&SystemEntropy);
//! let sealed = memory_key.seal(&context, b"Anna likes tea.", &SystemEntropy);
//! let wrapped = class_key.wrap_memory(&memory_key, Binding::Alone, &context, &SystemEntropy);
//!
//! let memory_key = class_key.unwrap_memory(Binding::Alone, &context, &wrapped)?;
//! assert_eq!(memory_key.open(&context, &sealed)?.as_slice(), b"Anna likes tea.");
//!
//! // The same bytes do not open in another person's vault.
//! let elsewhere = SealContext { user: "ben", ..context };
//! assert_eq!(memory_key.open(&elsewhere, &sealed).err(), Some(OpenError::Rejected));
//! # Ok::<(), OpenError>(())
//! ```

mod context;
mod digest;
mod entropy;
pub mod envelope;
mod fingerprint;
mod heap;
mod held;
mod hex;
mod hkdf;
mod key;
mod locked;
mod passphrase;
mod principal;
mod seal;
mod sign;
mod stream;
mod wrap;

pub use context::{Field, SealContext};
pub use digest::{Digest, KEY_FINGERPRINT_BYTES, hmac_sha256, key_fingerprint, sha256};
pub use entropy::{Entropy, SeededEntropy, SystemEntropy};
pub use envelope::OpenError;
pub use fingerprint::FingerprintKey;
pub use heap::ZeroOnFree;
pub use held::{HeldRoot, SecretFiles, make_recovery_code};
pub use hex::{hex, unhex};
pub use key::{ClassKey, EpochKey, KEY_BYTES, MasterKey, MemoryKey, RootKey, UserKey, UserSecret};
pub use locked::{KeyPages, key_pages};
pub use passphrase::{PassphraseCost, PassphraseError, protect, recover};
pub use principal::Principal;
pub use sign::{
    SIGNATURE_BYTES, SIGNING_SEED_BYTES, Signature, SignatureError, SigningKey, VERIFYING_KEY_BYTES,
    VerifyingKey,
};
pub use stream::{
    OpenReader, STREAM_CHUNK_BYTES, STREAM_HEADER_BYTES, STREAM_TAG_BYTES, SealWriter, StreamError,
    is_sealed_stream,
};
pub use wrap::Binding;
pub use zeroize::Zeroizing;
