//! A vault's root under a secret of the person who holds it, as bytes:
//! `version(1) ‖ key file under the passphrase ‖ key file under the recovery code ‖ envelope of the root`.
//!
//! These bytes are wrapped once more, under the user's key and the epoch ([`UserKey::wrap_held`]). An operator can renew
//! that outer wrap without the secret, and gets no further: the root is sealed under the secret alone.

use zeroize::Zeroizing;

use crate::context::{Field, SealContext};
use crate::entropy::Entropy;
use crate::envelope::{self, OVERHEAD_BYTES, OpenError};
use crate::key::{EpochKey, KEY_BYTES, RootKey, UserKey, UserSecret};
use crate::passphrase::{FILE_BYTES, PassphraseCost, PassphraseError, protect, recover};
use crate::wrap::mix;

const VERSION: u8 = 1;
const OUTER_INFO: &[u8] = b"lacuna/wrap/root/outer/v1";
const RECOVERY_AT: usize = 1 + FILE_BYTES;
const ROOT_AT: usize = RECOVERY_AT + FILE_BYTES;
const HELD_BYTES: usize = ROOT_AT + OVERHEAD_BYTES + KEY_BYTES;

/// Random bytes of a recovery code: 120 bits, which nobody guesses.
const CODE_BYTES: usize = 15;
/// Characters between two hyphens of a recovery code.
const CODE_GROUP: usize = 4;
/// Letters and digits that nobody takes for another one (Crockford's base 32).
const CODE_LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A secret under a passphrase and, once more, under a recovery code. Made before any lock is taken, because
/// stretching takes long.
pub struct SecretFiles {
    passphrase: Vec<u8>,
    recovery: Vec<u8>,
}

impl SecretFiles {
    /// Makes a new secret and puts it under `passphrase` and `code`.
    pub fn make(
        passphrase: &str,
        code: &str,
        cost: PassphraseCost,
        entropy: &dyn Entropy,
    ) -> Result<(Self, UserSecret), PassphraseError> {
        let secret = UserSecret::make(entropy);
        let files = Self {
            passphrase: protect(secret.bytes(), passphrase, cost, entropy)?,
            recovery: protect(secret.bytes(), &plain_code(code), cost, entropy)?,
        };
        Ok((files, secret))
    }
}

/// A root that opens with the secret of its holder alone.
pub struct HeldRoot(Zeroizing<Vec<u8>>);

impl HeldRoot {
    /// Seals `root` under `secret`. The generation and the key version of `context` take no part, because the outer wrap
    /// is renewed without the secret.
    pub fn seal(
        files: &SecretFiles,
        secret: &UserSecret,
        root: &RootKey,
        context: &SealContext<'_>,
        entropy: &dyn Entropy,
    ) -> Self {
        let mut bytes = Zeroizing::new(Vec::with_capacity(HELD_BYTES));
        bytes.push(VERSION);
        bytes.extend_from_slice(&files.passphrase);
        bytes.extend_from_slice(&files.recovery);
        bytes.extend(envelope::seal(secret.bytes(), &inner_aad(context), root.bytes(), entropy));
        Self(bytes)
    }

    /// Recovers the secret by its passphrase. Takes long on purpose.
    pub fn secret_by_passphrase(&self, passphrase: &str) -> Result<UserSecret, PassphraseError> {
        recover(&self.0[1..RECOVERY_AT], passphrase).map(|secret| UserSecret::from_bytes(*secret))
    }

    /// Recovers the secret by the recovery code, however its letters, hyphens and spaces are written.
    pub fn secret_by_code(&self, code: &str) -> Result<UserSecret, PassphraseError> {
        recover(&self.0[RECOVERY_AT..ROOT_AT], &plain_code(code))
            .map(|secret| UserSecret::from_bytes(*secret))
    }

    /// Opens the root.
    pub fn open(&self, secret: &UserSecret, context: &SealContext<'_>) -> Result<RootKey, OpenError> {
        let root = envelope::open_exact(secret.bytes(), &inner_aad(context), &self.0[ROOT_AT..])?;
        Ok(RootKey::from_bytes(*root))
    }
}

impl UserKey {
    /// Wraps a held root under this key and the epoch.
    pub fn wrap_held(
        &self,
        epoch: &EpochKey,
        held: &HeldRoot,
        context: &SealContext<'_>,
        entropy: &dyn Entropy,
    ) -> Vec<u8> {
        let key = mix([self.bytes(), epoch.bytes()].into_iter(), OUTER_INFO);
        envelope::seal(key.bytes(), &outer_aad(context), &held.0, entropy)
    }

    /// Opens the outer wrap of a held root.
    pub fn unwrap_held(
        &self,
        epoch: &EpochKey,
        context: &SealContext<'_>,
        wrapped: &[u8],
    ) -> Result<HeldRoot, OpenError> {
        let key = mix([self.bytes(), epoch.bytes()].into_iter(), OUTER_INFO);
        let mut bytes = Zeroizing::new(Vec::new());
        envelope::open_into(key.bytes(), &outer_aad(context), wrapped, &mut bytes)?;
        match bytes.first() {
            Some(&VERSION) if bytes.len() == HELD_BYTES => Ok(HeldRoot(bytes)),
            Some(&VERSION) | None => Err(OpenError::Truncated),
            Some(&other) => Err(OpenError::UnknownVersion(other)),
        }
    }
}

fn inner_aad(context: &SealContext<'_>) -> Vec<u8> {
    SealContext { field: Field::HeldRoot, revision: 0, key_version: 0, ..*context }.encode()
}

fn outer_aad(context: &SealContext<'_>) -> Vec<u8> {
    SealContext { field: Field::Root, ..*context }.encode()
}

/// Makes a recovery code, to be shown once: `7K4M-Q2ZD-…`, six groups of four.
pub fn make_recovery_code(entropy: &dyn Entropy) -> Zeroizing<String> {
    let mut bytes = Zeroizing::new([0u8; CODE_BYTES]);
    entropy.fill(bytes.as_mut_slice());
    let mut code = Zeroizing::new(String::with_capacity(2 * CODE_BYTES));
    for at in 0..CODE_BYTES * 8 / 5 {
        if at > 0 && at % CODE_GROUP == 0 {
            code.push('-');
        }
        code.push(char::from(CODE_LETTERS[five_bits(&bytes, at)]));
    }
    code
}

/// The five bits of a letter.
fn five_bits(bytes: &[u8; CODE_BYTES], letter: usize) -> usize {
    let bit = |at: usize| usize::from(bytes[at / 8] >> (7 - at % 8) & 1);
    (5 * letter..5 * letter + 5).fold(0, |value, at| value << 1 | bit(at))
}

/// A code as it was made, without hyphens: letters that people mistake are read as the ones that are used.
fn plain_code(code: &str) -> Zeroizing<String> {
    // Sized before it is filled: growing would leave copies behind in freed memory.
    let mut plain = Zeroizing::new(String::with_capacity(code.len()));
    let written = code.chars().filter(|c| !c.is_whitespace() && *c != '-');
    plain.extend(written.map(|c| match c.to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
        other => other,
    }));
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::SeededEntropy;

    #[test]
    fn a_code_is_read_however_it_is_written() {
        let code = make_recovery_code(&SeededEntropy::new(1));
        assert_eq!((code.len(), code.split('-').count()), (29, 6), "{}", *code);
        let spoken = code.replace('-', " ").to_lowercase().replace('0', "o").replace('1', "l");
        assert_eq!(plain_code(&spoken), plain_code(&code));
        assert_eq!(plain_code(&code).len(), 24);
        assert_ne!(*code, *make_recovery_code(&SeededEntropy::new(2)));
    }
}
