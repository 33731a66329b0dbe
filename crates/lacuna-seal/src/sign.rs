//! Ed25519 signatures for receipts, checkpoints and messages to other parties.
//!
//! A signature covers a domain name and length-prefixed parts, as [`crate::Digest`] does, so a signature for one
//! purpose never passes for another.

use std::fmt;
use std::str::FromStr;

use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use thiserror::Error;
use zeroize::ZeroizeOnDrop;

use crate::entropy::Entropy;
use crate::hex::{hex, unhex};
use crate::locked::LockedKey;

/// Length of the secret seed.
pub const SIGNING_SEED_BYTES: usize = 32;
/// Length of the public key.
pub const VERIFYING_KEY_BYTES: usize = 32;
/// Length of a signature.
pub const SIGNATURE_BYTES: usize = 64;

const VERIFYING_KEY_PREFIX: &str = "ed25519:";

/// Reason why a key or a signature was not accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum SignatureError {
    /// The text is no public key.
    #[error("expected ed25519: and 64 lowercase hex digits")]
    NotAKey,
    /// The text is no signature.
    #[error("expected 128 lowercase hex digits")]
    NotASignature,
    /// The signature is for other bytes or from another key.
    #[error("the signature does not belong to these bytes and this key")]
    Rejected,
}

/// Signing key. It cannot be printed, compared, cloned or serialised; its seed is in locked memory and zeroed when
/// dropped.
#[derive(ZeroizeOnDrop)]
pub struct SigningKey(LockedKey);

impl SigningKey {
    /// Makes a fresh random key.
    pub fn make(entropy: &dyn Entropy) -> Self {
        Self(LockedKey::filled(|seed| entropy.fill(seed)))
    }

    /// Takes over an existing seed.
    pub fn from_seed(seed: [u8; SIGNING_SEED_BYTES]) -> Self {
        Self(LockedKey::from_bytes(seed))
    }

    /// The raw seed, for the key file that only its owner may read. Nothing else should ask for it.
    pub fn expose(&self) -> &[u8; SIGNING_SEED_BYTES] {
        self.0.bytes()
    }

    /// The public key that checks this key's signatures.
    pub fn verifying_key(&self) -> VerifyingKey {
        let mut bytes = [0; VERIFYING_KEY_BYTES];
        bytes.copy_from_slice(self.pair().public_key().as_ref());
        VerifyingKey(bytes)
    }

    /// Signs `parts` for the purpose that `domain` names.
    pub fn sign(&self, domain: &str, parts: &[&[u8]]) -> Signature {
        let mut bytes = [0; SIGNATURE_BYTES];
        bytes.copy_from_slice(self.pair().sign(&encode(domain, parts)).as_ref());
        Signature(bytes)
    }

    /// The library's own key, made for one use; it wipes its bytes when dropped.
    fn pair(&self) -> Ed25519KeyPair {
        Ed25519KeyPair::from_seed_unchecked(self.0.bytes()).expect("a seed of the right length is a key")
    }
}

/// Public key that checks signatures. Written as `ed25519:` and 64 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct VerifyingKey([u8; VERIFYING_KEY_BYTES]);

impl VerifyingKey {
    /// Takes over existing bytes, which may be no valid key; [`verify`](Self::verify) then rejects every
    /// signature.
    pub fn from_bytes(bytes: [u8; VERIFYING_KEY_BYTES]) -> Self {
        Self(bytes)
    }

    /// The raw bytes.
    pub fn as_bytes(&self) -> &[u8; VERIFYING_KEY_BYTES] {
        &self.0
    }

    /// Checks that `signature` covers `domain` and `parts`.
    pub fn verify(&self, domain: &str, parts: &[&[u8]], signature: &Signature) -> Result<(), SignatureError> {
        UnparsedPublicKey::new(&ED25519, self.0)
            .verify(&encode(domain, parts), &signature.0)
            .map_err(|_| SignatureError::Rejected)
    }
}

impl fmt::Display for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(VERIFYING_KEY_PREFIX)?;
        f.write_str(&hex(&self.0))
    }
}

impl FromStr for VerifyingKey {
    type Err = SignatureError;

    fn from_str(text: &str) -> Result<Self, SignatureError> {
        let digits = text.strip_prefix(VERIFYING_KEY_PREFIX);
        digits.and_then(read_hex).map(Self).ok_or(SignatureError::NotAKey)
    }
}

/// A signature. Written as 128 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signature([u8; SIGNATURE_BYTES]);

impl Signature {
    /// Takes over existing bytes.
    pub fn from_bytes(bytes: [u8; SIGNATURE_BYTES]) -> Self {
        Self(bytes)
    }

    /// The raw bytes.
    pub fn as_bytes(&self) -> &[u8; SIGNATURE_BYTES] {
        &self.0
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl FromStr for Signature {
    type Err = SignatureError;

    fn from_str(text: &str) -> Result<Self, SignatureError> {
        read_hex(text).map(Self).ok_or(SignatureError::NotASignature)
    }
}

fn encode(domain: &str, parts: &[&[u8]]) -> Vec<u8> {
    let mut message = Vec::new();
    for part in std::iter::once(domain.as_bytes()).chain(parts.iter().copied()) {
        message.extend_from_slice(&(part.len() as u64).to_be_bytes());
        message.extend_from_slice(part);
    }
    message
}

fn read_hex<const BYTES: usize>(text: &str) -> Option<[u8; BYTES]> {
    unhex(text)?.try_into().ok()
}
