use std::sync::atomic::{AtomicU64, Ordering};

use crate::digest::Digest;

/// A source of random bytes. Tests pass a predictable one.
pub trait Entropy: Send + Sync {
    /// Overwrites `bytes` with random bytes.
    fn fill(&self, bytes: &mut [u8]);
}

/// The random number generator of the crypto library, seeded by the operating system.
#[derive(Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        // A key made without randomness is worse than a process that stops.
        aws_lc_rs::rand::fill(bytes).expect("the operating system gives random bytes");
    }
}

/// Predictable bytes: SHA-256 of a seed and a counter. **For tests only**: whoever knows the seed knows
/// every key that was made from it.
pub struct SeededEntropy {
    seed: u64,
    blocks: AtomicU64,
}

impl SeededEntropy {
    /// Starts the sequence that belongs to `seed`.
    pub fn new(seed: u64) -> Self {
        Self { seed, blocks: AtomicU64::new(0) }
    }
}

impl Entropy for SeededEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(32) {
            let block = self.blocks.fetch_add(1, Ordering::Relaxed);
            let parts = [self.seed.to_be_bytes(), block.to_be_bytes()];
            let digest = Digest::of("lacuna/seeded-entropy", &[&parts[0], &parts[1]]);
            chunk.copy_from_slice(&digest.as_bytes()[..chunk.len()]);
        }
    }
}
