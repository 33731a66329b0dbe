use aws_lc_rs::{digest, hmac};

/// SHA-256 over a domain name and length-prefixed parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Hashes `parts` under a domain name, which keeps hashes of different purposes apart.
    pub fn of(domain: &str, parts: &[&[u8]]) -> Self {
        let mut context = digest::Context::new(&digest::SHA256);
        for part in std::iter::once(domain.as_bytes()).chain(parts.iter().copied()) {
            context.update(&(part.len() as u64).to_be_bytes());
            context.update(part);
        }
        Self(sha256_bytes(context.finish()))
    }

    /// The 32 bytes of the hash.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// The size of a key's fingerprint.
pub const KEY_FINGERPRINT_BYTES: usize = 16;

/// The one-way digest by which a random key is recognised under its name.
pub fn key_fingerprint(name: &str, key: &[u8; 32]) -> [u8; KEY_FINGERPRINT_BYTES] {
    let digest = Digest::of("lacuna/key-fingerprint/v1", &[name.as_bytes(), key]);
    let mut print = [0u8; KEY_FINGERPRINT_BYTES];
    print.copy_from_slice(&digest.as_bytes()[..KEY_FINGERPRINT_BYTES]);
    print
}

/// Plain SHA-256. Short texts can be guessed from it, so stored hashes are keyed: see [`crate::FingerprintKey`].
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    sha256_bytes(digest::digest(&digest::SHA256, bytes))
}

/// HMAC-SHA256 over the parts one after the other, as other programs compute it.
pub fn hmac_sha256(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, key));
    parts.iter().for_each(|part| context.update(part));
    let mut bytes = [0u8; 32];
    bytes.copy_from_slice(context.sign().as_ref());
    bytes
}

fn sha256_bytes(digest: digest::Digest) -> [u8; 32] {
    let mut bytes = [0u8; 32];
    bytes.copy_from_slice(digest.as_ref());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test case 2.
    #[test]
    fn hmac_is_what_others_compute() {
        let mac = hmac_sha256(b"Jefe", &[b"what do ya want ", b"for nothing?"]);
        assert_eq!(mac[..8], [0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e]);
    }
}
