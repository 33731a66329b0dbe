//! The one ciphertext format: `version(1) ‖ commitment(32) ‖ nonce(12) ‖ ciphertext ‖ tag(16)`.
//!
//! Content key and commitment are both HKDF outputs over the key and the hash of the context. So each field
//! and revision has a content key of its own, random nonces cannot meet under one key in practice, and an
//! envelope opens under one key and one context only, which AES-GCM alone does not promise.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use thiserror::Error;
use zeroize::{Zeroize, Zeroizing};

use crate::digest::sha256;
use crate::entropy::Entropy;
use crate::hkdf::{Expander, INFO_BYTES};
use crate::key::KEY_BYTES;

const VERSION: u8 = 1;
const COMMITMENT_BYTES: usize = 32;
const NONCE_BYTES: usize = 12;
const TAG_BYTES: usize = 16;
const NONCE_AT: usize = 1 + COMMITMENT_BYTES;
const CIPHERTEXT_AT: usize = NONCE_AT + NONCE_BYTES;

/// Bytes that an envelope adds to the length of its plaintext.
pub const OVERHEAD_BYTES: usize = CIPHERTEXT_AT + TAG_BYTES;

const AAD_HASH_BYTES: usize = 32;
const LABEL_BYTES: usize = INFO_BYTES - AAD_HASH_BYTES;
const CONTENT_LABEL: &[u8; LABEL_BYTES] = b"lacuna/seal/content/v1";
const COMMITMENT_LABEL: &[u8; LABEL_BYTES] = b"lacuna/seal/commits/v1";

/// Reason why an envelope did not open. It carries no detail, since detail would help an attacker who probes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum OpenError {
    /// The envelope ends too early.
    #[error("the sealed bytes are cut short; restore them from a replica")]
    Truncated,
    /// The envelope has a version that this release does not know.
    #[error("the sealed bytes have version {0}, which this release does not know; upgrade to read them")]
    UnknownVersion(u8),
    /// Key or context is another one, or the bytes were changed.
    #[error("the sealed bytes do not belong to this key and this place")]
    Rejected,
}

pub(crate) fn seal(key: &[u8; KEY_BYTES], aad: &[u8], plaintext: &[u8], entropy: &dyn Entropy) -> Vec<u8> {
    let derived = Derived::new(key, aad);
    let mut nonce = [0u8; NONCE_BYTES];
    entropy.fill(&mut nonce);

    let mut envelope = Vec::with_capacity(OVERHEAD_BYTES + plaintext.len());
    envelope.push(VERSION);
    envelope.extend_from_slice(&*derived.commitment);
    envelope.extend_from_slice(&nonce);
    envelope.extend_from_slice(plaintext);
    let tag = derived
        .cipher
        .seal_in_place_separate_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(aad),
            &mut envelope[CIPHERTEXT_AT..],
        )
        .expect("a plaintext is shorter than AES-GCM's limit of 64 GiB");
    envelope.extend_from_slice(tag.as_ref());
    envelope
}

/// Opens into a buffer that the caller may use again; on error the buffer is empty.
pub(crate) fn open_into(
    key: &[u8; KEY_BYTES],
    aad: &[u8],
    envelope: &[u8],
    plaintext: &mut Zeroizing<Vec<u8>>,
) -> Result<(), OpenError> {
    plaintext.clear();
    let parts = EnvelopeParts::split(envelope)?;
    if plaintext.capacity() < parts.ciphertext.len() {
        // A new buffer instead of a grown one: growing would leave the old plaintext behind in freed memory.
        *plaintext = Zeroizing::new(Vec::with_capacity(parts.ciphertext.len()));
    }
    plaintext.resize(parts.ciphertext.len(), 0);
    parts.open(key, aad, plaintext).inspect_err(|_| plaintext.zeroize())
}

/// Opens a plaintext of a known length, without the heap. Another length is rejected.
pub(crate) fn open_exact<const N: usize>(
    key: &[u8; KEY_BYTES],
    aad: &[u8],
    envelope: &[u8],
) -> Result<Zeroizing<[u8; N]>, OpenError> {
    let parts = EnvelopeParts::split(envelope)?;
    if parts.ciphertext.len() != N {
        return Err(OpenError::Rejected);
    }
    let mut plaintext = Zeroizing::new([0u8; N]);
    parts.open(key, aad, plaintext.as_mut_slice())?;
    Ok(plaintext)
}

struct EnvelopeParts<'a> {
    commitment: &'a [u8],
    nonce: [u8; NONCE_BYTES],
    ciphertext: &'a [u8],
    tag: &'a [u8],
}

impl<'a> EnvelopeParts<'a> {
    fn split(envelope: &'a [u8]) -> Result<Self, OpenError> {
        match envelope.first() {
            None => return Err(OpenError::Truncated),
            Some(&VERSION) => {}
            Some(&other) => return Err(OpenError::UnknownVersion(other)),
        }
        if envelope.len() < OVERHEAD_BYTES {
            return Err(OpenError::Truncated);
        }
        let (head, rest) = envelope.split_at(CIPHERTEXT_AT);
        let (ciphertext, tag) = rest.split_at(rest.len() - TAG_BYTES);
        let mut nonce = [0u8; NONCE_BYTES];
        nonce.copy_from_slice(&head[NONCE_AT..]);
        Ok(Self { commitment: &head[1..NONCE_AT], nonce, ciphertext, tag })
    }

    fn open(&self, key: &[u8; KEY_BYTES], aad: &[u8], plaintext: &mut [u8]) -> Result<(), OpenError> {
        let derived = Derived::new(key, aad);
        verify_slices_are_equal(derived.commitment.as_slice(), self.commitment)
            .map_err(|_| OpenError::Rejected)?;
        let nonce = Nonce::assume_unique_for_key(self.nonce);
        derived
            .cipher
            .open_separate_gather(nonce, Aad::from(aad), self.ciphertext, self.tag, plaintext)
            .map_err(|_| OpenError::Rejected)
    }
}

/// Cipher and commitment of one key in one context.
struct Derived {
    cipher: LessSafeKey,
    commitment: Zeroizing<[u8; COMMITMENT_BYTES]>,
}

impl Derived {
    fn new(key: &[u8; KEY_BYTES], aad: &[u8]) -> Self {
        let mut expander = Expander::new(key);
        let aad_hash = sha256(aad);
        let content_key = expander.expand(&info(CONTENT_LABEL, &aad_hash));
        let cipher = UnboundKey::new(&AES_256_GCM, content_key.as_slice()).expect("the key has 32 bytes");
        Self {
            cipher: LessSafeKey::new(cipher),
            commitment: expander.expand(&info(COMMITMENT_LABEL, &aad_hash)),
        }
    }
}

fn info(label: &[u8; LABEL_BYTES], aad_hash: &[u8; AAD_HASH_BYTES]) -> [u8; INFO_BYTES] {
    let mut info = [0u8; INFO_BYTES];
    info[..LABEL_BYTES].copy_from_slice(label);
    info[LABEL_BYTES..].copy_from_slice(aad_hash);
    info
}
