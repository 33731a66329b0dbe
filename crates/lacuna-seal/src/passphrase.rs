//! A 32-byte key under a passphrase, as the bytes of a file:
//! `magic(8) ‖ version(1) ‖ memory_kib(4) ‖ passes(4) ‖ lanes(4) ‖ salt(16) ‖ envelope`.
//!
//! The header is the envelope's context, so a changed cost or salt is rejected like a wrong passphrase.

use argon2::{Algorithm, Argon2, Params, Version};
use thiserror::Error;
use unicode_normalization::UnicodeNormalization;
use zeroize::Zeroizing;

use crate::entropy::Entropy;
use crate::envelope::{self, OVERHEAD_BYTES, OpenError};
use crate::key::KEY_BYTES;

const MAGIC: &[u8; 8] = b"LACUNAPK";
const VERSION: u8 = 1;
pub(crate) const SALT_BYTES: usize = 16;
const COST_AT: usize = MAGIC.len() + 1;
const SALT_AT: usize = COST_AT + 3 * 4;
const ENVELOPE_AT: usize = SALT_AT + SALT_BYTES;
pub(crate) const FILE_BYTES: usize = ENVELOPE_AT + OVERHEAD_BYTES + KEY_BYTES;

const MEMORY_KIB: u32 = 64 * 1024;
const PASSES: u32 = 3;
const LANES: u32 = 1;

// Limits for the cost that a file asks for: high enough to raise the cost for years, too low to stop the machine.
const MEMORY_KIB_MAX: u32 = 1024 * 1024;
const PASSES_MAX: u32 = 16;
const LANES_MAX: u32 = 16;

/// Cost of one guess at the passphrase (Argon2id). The file stores it, so it can rise later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PassphraseCost {
    /// Memory per guess.
    pub memory_kib: u32,
    /// Passes over that memory.
    pub passes: u32,
    /// Parallel lanes.
    pub lanes: u32,
}

impl PassphraseCost {
    /// The cost for new files.
    pub const RECOMMENDED: Self = Self { memory_kib: MEMORY_KIB, passes: PASSES, lanes: LANES };
    /// The lowest cost that Argon2 accepts. **For tests only**: it hardly slows a guess down.
    pub const LEAST: Self = Self { memory_kib: Params::MIN_M_COST, passes: 1, lanes: 1 };

    fn to_argon2(self) -> Result<Argon2<'static>, PassphraseError> {
        let bounded =
            self.memory_kib <= MEMORY_KIB_MAX && self.passes <= PASSES_MAX && self.lanes <= LANES_MAX;
        if !bounded {
            return Err(PassphraseError::CostOutOfBounds);
        }
        // Argon2 refuses too low a cost: no pass, no lane, less than 8 KiB per lane.
        Params::new(self.memory_kib, self.passes, self.lanes, Some(KEY_BYTES))
            .map(|params| Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
            .map_err(|_| PassphraseError::CostOutOfBounds)
    }
}

/// Reason why a key could not be protected or recovered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum PassphraseError {
    /// The bytes do not begin as a key file does.
    #[error("this is not a passphrase-protected key file; check the path")]
    NotAKeyFile,
    /// The file has a version that this release does not know.
    #[error("the key file has version {0}, which this release does not know; upgrade to read it")]
    UnknownVersion(u8),
    /// The file is too short or too long.
    #[error("the key file is damaged: its length is wrong; restore it from a copy")]
    WrongLength,
    /// The file asks for a cost outside the limits.
    #[error(
        "the Argon2 cost is out of bounds (8 KiB per lane to 1 GiB, 1 to 16 passes, 1 to 16 lanes); \
         if it comes from a key file, the file is damaged or hostile"
    )]
    CostOutOfBounds,
    /// The machine has less memory than the cost asks for.
    #[error("there is not enough memory to stretch the passphrase; free some and try again")]
    OutOfMemory,
    /// The passphrase is wrong, or the file was changed.
    #[error("the passphrase is wrong, or the key file was changed")]
    WrongPassphrase,
}

/// Writes a key file from which only `passphrase` recovers `key`.
pub fn protect(
    key: &[u8; KEY_BYTES],
    passphrase: &str,
    cost: PassphraseCost,
    entropy: &dyn Entropy,
) -> Result<Vec<u8>, PassphraseError> {
    let mut salt = [0u8; SALT_BYTES];
    entropy.fill(&mut salt);
    let stretched = stretch(passphrase, &salt, cost)?;

    let mut file = Vec::with_capacity(FILE_BYTES);
    file.extend_from_slice(MAGIC);
    file.push(VERSION);
    for number in [cost.memory_kib, cost.passes, cost.lanes] {
        file.extend_from_slice(&number.to_be_bytes());
    }
    file.extend_from_slice(&salt);
    let envelope = envelope::seal(&stretched, &file, key, entropy);
    file.extend_from_slice(&envelope);
    Ok(file)
}

/// Recovers the key that [`protect`] put into `file`.
pub fn recover(file: &[u8], passphrase: &str) -> Result<Zeroizing<[u8; KEY_BYTES]>, PassphraseError> {
    let (header, envelope) = split(file)?;
    let cost = PassphraseCost {
        memory_kib: number_at(header, COST_AT),
        passes: number_at(header, COST_AT + 4),
        lanes: number_at(header, COST_AT + 8),
    };
    let stretched = stretch(passphrase, &header[SALT_AT..], cost)?;
    envelope::open_exact(&stretched, header, envelope).map_err(|error| match error {
        OpenError::UnknownVersion(version) => PassphraseError::UnknownVersion(version),
        OpenError::Truncated => PassphraseError::WrongLength,
        OpenError::Rejected => PassphraseError::WrongPassphrase,
    })
}

fn split(file: &[u8]) -> Result<(&[u8], &[u8]), PassphraseError> {
    if !file.starts_with(MAGIC) {
        return Err(PassphraseError::NotAKeyFile);
    }
    match file.get(MAGIC.len()) {
        Some(&VERSION) if file.len() == FILE_BYTES => Ok(file.split_at(ENVELOPE_AT)),
        Some(&VERSION) | None => Err(PassphraseError::WrongLength),
        Some(&other) => Err(PassphraseError::UnknownVersion(other)),
    }
}

pub(crate) fn number_at(header: &[u8], at: usize) -> u32 {
    header[at..at + 4].iter().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

pub(crate) fn stretch(
    passphrase: &str,
    salt: &[u8],
    cost: PassphraseCost,
) -> Result<Zeroizing<[u8; KEY_BYTES]>, PassphraseError> {
    let argon2 = cost.to_argon2()?;
    let mut key = Zeroizing::new([0u8; KEY_BYTES]);
    // Keyboards disagree about how an accented letter is written; normal form C is one spelling.
    let normal = normal_form(passphrase);
    argon2
        .hash_password_into(normal.as_bytes(), salt, key.as_mut_slice())
        .map_err(|_| PassphraseError::OutOfMemory)?;
    Ok(key)
}

fn normal_form(passphrase: &str) -> Zeroizing<String> {
    // NFC can lengthen UTF-8 up to threefold; room for that keeps the string from moving while it grows.
    let mut normal = Zeroizing::new(String::with_capacity(3 * passphrase.len()));
    normal.extend(passphrase.nfc());
    normal
}
