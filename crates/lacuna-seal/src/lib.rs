//! Keys and ciphertext. No async, no clock, no policy, and no I/O but through the reader or writer that a stream is
//! given.
//!
//! A key opens the next one down, and only the last one touches content:
//!
//! ```text
//! MasterKey ─HKDF→ UserKey (+ EpochKey, + UserSecret) ─wraps→ RootKey ─wraps→ ClassKey
//!           ─wraps→ MemoryKey ─seals→ frame, body
//! ```
//!
//! Everything that is stored is one [`envelope`] over one [`Context`], and opens under no other. What leaves the house
//! under a passphrase (exports, backups) is a stream: [`SealWriter`] and [`OpenReader`].

mod context;
mod digest;
mod entropy;
pub mod envelope;
mod fingerprint;
mod hkdf;
mod key;
mod passphrase;
mod principal;
mod seal;
mod sign;
mod stream;
mod wrap;

pub use context::{Context, Field};
pub use digest::{Digest, hmac_sha256, sha256};
pub use entropy::{Entropy, SeededEntropy, SystemEntropy};
pub use envelope::OpenError;
pub use fingerprint::FingerprintKey;
pub use key::{ClassKey, EpochKey, KEY_BYTES, MasterKey, MemoryKey, RootKey, UserKey, UserSecret};
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
