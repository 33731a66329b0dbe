//! Keys and ciphertext. No I/O, no clock, no policy.

/// A source of random bytes. Tests pass a predictable one.
pub trait Entropy: Send + Sync {
    fn fill(&self, bytes: &mut [u8]);
}

/// SHA-256 over a domain name and length-prefixed parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Digest([u8; 32]);

impl Digest {
    pub fn of(domain: &str, parts: &[&[u8]]) -> Self {
        let mut context = aws_lc_rs::digest::Context::new(&aws_lc_rs::digest::SHA256);
        for part in std::iter::once(domain.as_bytes()).chain(parts.iter().copied()) {
            context.update(&(part.len() as u64).to_be_bytes());
            context.update(part);
        }
        let mut bytes = [0u8; 32];
        bytes.copy_from_slice(context.finish().as_ref());
        Self(bytes)
    }

    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}
