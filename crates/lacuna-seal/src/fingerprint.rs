use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::hmac;

use zeroize::Zeroizing;

use crate::hkdf;
use crate::key::{KEY_BYTES, MasterKey, RootKey};

const FINGERPRINT_INFO: &[u8] = b"lacuna/fingerprint/v1/";
const CODE_INFO: &[u8] = b"lacuna/codes/v1/";

/// Recognises equal content within one vault. Nobody can test a guess without the vault's key, as anyone could
/// with a plain hash.
pub struct FingerprintKey(hmac::Key);

impl RootKey {
    /// Derives the key of one purpose, so that a query's fingerprint never matches a memory's.
    pub fn derive_fingerprint_key(&self, purpose: &str) -> FingerprintKey {
        let info = [FINGERPRINT_INFO, purpose.as_bytes()].concat();
        FingerprintKey::from_secret(&hkdf::expand(self.bytes(), &info))
    }
}

impl MasterKey {
    /// Derives the key of an organisation's authentication codes. It authenticates what the store can read, marks requests
    /// under a client's key, and opens nothing by itself.
    pub fn derive_code_key(&self, org: &str) -> FingerprintKey {
        FingerprintKey::from_secret(&self.derive_code_secret(org))
    }

    /// The bytes of [`Self::derive_code_key`], to be kept in custody when this master key goes.
    pub fn derive_code_secret(&self, org: &str) -> Zeroizing<[u8; KEY_BYTES]> {
        hkdf::expand(self.bytes(), &[CODE_INFO, org.as_bytes()].concat())
    }
}

impl FingerprintKey {
    /// Takes over a secret that was derived or kept.
    pub fn from_secret(secret: &[u8; KEY_BYTES]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, secret))
    }

    /// HMAC-SHA256 over length-prefixed parts: `["ab", "c"]` and `["a", "bc"]` differ.
    pub fn fingerprint(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut context = hmac::Context::with_key(&self.0);
        for part in parts {
            context.update(&(part.len() as u64).to_be_bytes());
            context.update(part);
        }
        let mut bytes = [0u8; 32];
        bytes.copy_from_slice(context.sign().as_ref());
        bytes
    }

    /// Compares `claimed` with the fingerprint of `parts`, in constant time.
    pub fn verify(&self, parts: &[&[u8]], claimed: &[u8]) -> bool {
        verify_slices_are_equal(&self.fingerprint(parts), claimed).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_depend_on_master_and_organisation() {
        let code = |master: u8, org: &str| {
            MasterKey::from_bytes([master; 32]).derive_code_key(org).fingerprint(&[b"row"])
        };
        assert_eq!(code(1, "acme"), code(1, "acme"));
        assert_ne!(code(1, "acme"), code(2, "acme"));
        assert_ne!(code(1, "acme"), code(1, "other"));
    }

    #[test]
    fn vault_purpose_and_parts_change_the_fingerprint() {
        let print = |root: u8, purpose: &str, parts: &[&[u8]]| {
            RootKey::from_bytes([root; 32]).derive_fingerprint_key(purpose).fingerprint(parts)
        };
        let reference = print(1, "content", &[b"ab", b"c"]);
        assert_eq!(reference, print(1, "content", &[b"ab", b"c"]));
        let others = [
            print(2, "content", &[b"ab", b"c"]),
            print(1, "query", &[b"ab", b"c"]),
            print(1, "content", &[b"a", b"bc"]),
            print(1, "content", &[b"abc"]),
            print(1, "content", &[b"ab", b"c", b""]),
        ];
        assert!(others.iter().all(|other| *other != reference));
        let key = RootKey::from_bytes([1; 32]).derive_fingerprint_key("content");
        assert!(key.verify(&[b"ab", b"c"], &reference));
        assert!(!key.verify(&[b"ab", b"c"], &reference[..31]));
        assert!(!others.iter().any(|other| key.verify(&[b"ab", b"c"], other)));
    }
}
