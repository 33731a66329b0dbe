//! HKDF-SHA256 (RFC 5869) in the two shapes that this crate needs.

use aws_lc_rs::{hkdf, hmac};
use zeroize::Zeroizing;

use crate::key::KEY_BYTES;

/// Extract, then expand to one key.
pub(crate) fn derive(salt: &[u8], ikm: &[u8], info: &[u8]) -> Zeroizing<[u8; KEY_BYTES]> {
    let mut okm = Zeroizing::new([0u8; KEY_BYTES]);
    hkdf::Salt::new(hkdf::HKDF_SHA256, salt)
        .extract(ikm)
        .expand(&[info], hkdf::HKDF_SHA256)
        .and_then(|output| output.fill(okm.as_mut_slice()))
        .expect("one block is always within HKDF's limit");
    okm
}

/// Expand-only, over a key that is already uniform. One prepared key serves several infos, which is
/// what makes opening thousands of small envelopes cheap.
pub(crate) struct Expander(hmac::Key);

impl Expander {
    pub(crate) fn new(key: &[u8; KEY_BYTES]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, key))
    }

    /// `info` ends with the block counter 1 of RFC 5869, so that callers build it in one buffer.
    pub(crate) fn expand_counted(&self, info: &[u8]) -> Zeroizing<[u8; KEY_BYTES]> {
        debug_assert_eq!(info.last(), Some(&FIRST_BLOCK));
        let mut okm = Zeroizing::new([0u8; KEY_BYTES]);
        hmac::sign_to_buffer(&self.0, info, okm.as_mut_slice()).expect("the buffer holds one tag");
        okm
    }
}

/// The counter byte that ends the info of the first (here: only) output block.
pub(crate) const FIRST_BLOCK: u8 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expanding_agrees_with_the_library() {
        let (key, info) = ([7u8; KEY_BYTES], b"some info");
        let mut expected = [0u8; KEY_BYTES];
        let prk = hkdf::Prk::new_less_safe(hkdf::HKDF_SHA256, &key);
        prk.expand(&[info.as_slice()], hkdf::HKDF_SHA256).unwrap().fill(&mut expected).unwrap();
        let counted = [info.as_slice(), &[FIRST_BLOCK]].concat();
        assert_eq!(*Expander::new(&key).expand_counted(&counted), expected);
    }
}
