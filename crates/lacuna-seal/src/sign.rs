//! Ed25519 signatures: what a receipt, a checkpoint or a message to another party stands on.
//!
//! A signature covers a domain name and length-prefixed parts, as [`crate::Digest`] does, so that what was
//! signed for one purpose never passes for another.

use std::fmt;
use std::str::FromStr;

use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use thiserror::Error;
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::entropy::Entropy;

pub const SIGNING_SEED_BYTES: usize = 32;
pub const VERIFYING_KEY_BYTES: usize = 32;
pub const SIGNATURE_BYTES: usize = 64;

const VERIFYING_KEY_PREFIX: &str = "ed25519:";

/// Why a key or a signature was not accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum SignatureError {
    #[error("expected ed25519: and 64 lowercase hex digits")]
    NotAKey,
    #[error("expected 128 lowercase hex digits")]
    NotASignature,
    #[error("the signature does not belong to these bytes and this key")]
    Rejected,
}

/// Signs. It cannot be printed, compared, cloned or serialised, and its seed is zeroed when dropped.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct SigningKey([u8; SIGNING_SEED_BYTES]);

impl SigningKey {
    /// A fresh random key.
    pub fn make(entropy: &dyn Entropy) -> Self {
        let mut key = Self([0; SIGNING_SEED_BYTES]);
        entropy.fill(&mut key.0);
        key
    }

    pub fn from_seed(seed: [u8; SIGNING_SEED_BYTES]) -> Self {
        Self(seed)
    }

    /// The raw seed, for the key file that only its owner may read. Nothing else should ask for it.
    pub fn expose(&self) -> &[u8; SIGNING_SEED_BYTES] {
        &self.0
    }

    pub fn verifying_key(&self) -> VerifyingKey {
        let mut bytes = [0; VERIFYING_KEY_BYTES];
        bytes.copy_from_slice(self.pair().public_key().as_ref());
        VerifyingKey(bytes)
    }

    pub fn sign(&self, domain: &str, parts: &[&[u8]]) -> Signature {
        let mut bytes = [0; SIGNATURE_BYTES];
        bytes.copy_from_slice(self.pair().sign(&encode(domain, parts)).as_ref());
        Signature(bytes)
    }

    /// The library's own key, made for one use: it wipes what it holds when it goes.
    fn pair(&self) -> Ed25519KeyPair {
        Ed25519KeyPair::from_seed_unchecked(&self.0).expect("a seed of the right length is a key")
    }
}

/// Whoever has this can check what the signing key signed. Written as `ed25519:` and 64 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct VerifyingKey([u8; VERIFYING_KEY_BYTES]);

impl VerifyingKey {
    pub fn from_bytes(bytes: [u8; VERIFYING_KEY_BYTES]) -> Self {
        Self(bytes)
    }

    pub fn as_bytes(&self) -> &[u8; VERIFYING_KEY_BYTES] {
        &self.0
    }

    pub fn verify(&self, domain: &str, parts: &[&[u8]], signature: &Signature) -> Result<(), SignatureError> {
        UnparsedPublicKey::new(&ED25519, self.0)
            .verify(&encode(domain, parts), &signature.0)
            .map_err(|_| SignatureError::Rejected)
    }
}

impl fmt::Display for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(VERIFYING_KEY_PREFIX)?;
        write_hex(f, &self.0)
    }
}

impl FromStr for VerifyingKey {
    type Err = SignatureError;

    fn from_str(text: &str) -> Result<Self, SignatureError> {
        let hex = text.strip_prefix(VERIFYING_KEY_PREFIX);
        hex.and_then(read_hex).map(Self).ok_or(SignatureError::NotAKey)
    }
}

/// Written as 128 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signature([u8; SIGNATURE_BYTES]);

impl Signature {
    pub fn from_bytes(bytes: [u8; SIGNATURE_BYTES]) -> Self {
        Self(bytes)
    }

    pub fn as_bytes(&self) -> &[u8; SIGNATURE_BYTES] {
        &self.0
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, &self.0)
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

fn write_hex(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

/// One spelling only: two texts that differ are two values, wherever somebody compares texts.
fn read_hex<const BYTES: usize>(text: &str) -> Option<[u8; BYTES]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * BYTES {
        return None;
    }
    let mut bytes = [0; BYTES];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = hex_digit(pair[0])? << 4 | hex_digit(pair[1])?;
    }
    Some(bytes)
}

fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}
