//! HKDF-SHA256 (RFC 5869) in the three shapes that this crate needs.

use aws_lc_rs::hkdf;
use zeroize::{Zeroize, Zeroizing};

use crate::digest::sha256;
use crate::key::KEY_BYTES;

/// Extract, then expand to one key.
pub(crate) fn derive(salt: &[u8], ikm: &[u8], info: &[u8]) -> Zeroizing<[u8; KEY_BYTES]> {
    expand_prk(&hkdf::Salt::new(hkdf::HKDF_SHA256, salt).extract(ikm), info)
}

/// Expand only, from a key that is uniform already.
pub(crate) fn expand(key: &[u8; KEY_BYTES], info: &[u8]) -> Zeroizing<[u8; KEY_BYTES]> {
    expand_prk(&hkdf::Prk::new_less_safe(hkdf::HKDF_SHA256, key), info)
}

fn expand_prk(prk: &hkdf::Prk, info: &[u8]) -> Zeroizing<[u8; KEY_BYTES]> {
    let mut okm = Zeroizing::new([0u8; KEY_BYTES]);
    prk.expand(&[info], hkdf::HKDF_SHA256)
        .and_then(|output| output.fill(okm.as_mut_slice()))
        .expect("one block is always within HKDF's limit");
    okm
}

/// The info that [`Expander`] takes. With its counter byte and SHA-256's padding it fills one block.
pub(crate) const INFO_BYTES: usize = 54;

const BLOCK_BYTES: usize = 64;
const INNER_PAD: u8 = 0x36;
const OUTER_PAD: u8 = 0x5c;
/// The counter that ends the info of the first, here only, output block.
const FIRST_BLOCK: u8 = 1;

/// [`expand`] for infos of one length, without contexts to set up, copy and tear down: the library's HMAC
/// spends more time on those than on hashing, and a vault opens thousands of envelopes at once.
pub(crate) struct Expander {
    inner: [u8; BLOCK_BYTES + INFO_BYTES + 1],
    outer: [u8; BLOCK_BYTES + KEY_BYTES],
}

impl Drop for Expander {
    /// Wipes where the key is; the rest is padding, public info and a hash that is no use without the key.
    fn drop(&mut self) {
        self.inner[..KEY_BYTES].zeroize();
        self.outer[..KEY_BYTES].zeroize();
    }
}

impl Expander {
    pub(crate) fn new(key: &[u8; KEY_BYTES]) -> Self {
        let inner = [INNER_PAD; BLOCK_BYTES + INFO_BYTES + 1];
        let mut expander = Self { inner, outer: [OUTER_PAD; BLOCK_BYTES + KEY_BYTES] };
        for (at, byte) in key.iter().enumerate() {
            expander.inner[at] ^= byte;
            expander.outer[at] ^= byte;
        }
        expander.inner[BLOCK_BYTES + INFO_BYTES] = FIRST_BLOCK;
        expander
    }

    pub(crate) fn expand(&mut self, info: &[u8; INFO_BYTES]) -> Zeroizing<[u8; KEY_BYTES]> {
        self.inner[BLOCK_BYTES..BLOCK_BYTES + INFO_BYTES].copy_from_slice(info);
        self.outer[BLOCK_BYTES..].copy_from_slice(&sha256(&self.inner));
        Zeroizing::new(sha256(&self.outer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::{Entropy, SeededEntropy};

    #[test]
    fn the_expander_agrees_with_the_library() {
        let entropy = SeededEntropy::new(1);
        for _ in 0..100 {
            let (mut key, mut infos) = ([0u8; KEY_BYTES], [[0u8; INFO_BYTES]; 2]);
            entropy.fill(&mut key);
            infos.iter_mut().for_each(|info| entropy.fill(info));
            let mut expander = Expander::new(&key);
            for info in &infos {
                assert_eq!(*expander.expand(info), *expand(&key, info));
            }
        }
    }
}
