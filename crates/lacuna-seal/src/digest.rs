use aws_lc_rs::digest;

/// SHA-256 over a domain name and length-prefixed parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Digest([u8; 32]);

impl Digest {
    pub fn of(domain: &str, parts: &[&[u8]]) -> Self {
        let mut context = digest::Context::new(&digest::SHA256);
        for part in std::iter::once(domain.as_bytes()).chain(parts.iter().copied()) {
            context.update(&(part.len() as u64).to_be_bytes());
            context.update(part);
        }
        Self(sha256_bytes(context.finish()))
    }

    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Plain SHA-256, for the two places where the format asks for exactly that.
/// Plain SHA-256. It is guessable for short texts: stored hashes are keyed, see [`crate::FingerprintKey`].
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    sha256_bytes(digest::digest(&digest::SHA256, bytes))
}

fn sha256_bytes(digest: digest::Digest) -> [u8; 32] {
    let mut bytes = [0u8; 32];
    bytes.copy_from_slice(digest.as_ref());
    bytes
}
