//! Numbers that look random and are the same in every run. For data only, never for keys.

/// Steps of SplitMix64, whose constants these are.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
const MIX_FIRST: u64 = 0xbf58_476d_1ce4_e5b9;
const MIX_SECOND: u64 = 0x94d0_49bb_1331_11eb;

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(MIX_FIRST);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(MIX_SECOND);
        mixed ^ (mixed >> 31)
    }

    /// From 0 up to but without `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// From 0 up to but without 1.
    pub(super) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(super) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    /// Below `end`, where each number is about as much rarer as it is larger.
    pub(super) fn falling(&mut self, end: usize) -> usize {
        // The logarithm of 1/x spread evenly is 1/x itself: Zipf's law.
        let rank = ((end as f64 + 1.0).ln() * self.share()).exp();
        (rank as usize - 1).min(end - 1)
    }

    /// Bell-shaped around 0 with a variance of 1: the sum of four uniform numbers.
    pub(super) fn bell(&mut self) -> f32 {
        let bits = self.next();
        let sum: u64 = (0..4).map(|part| bits >> (16 * part) & 0xffff).sum();
        // Four numbers from 0 to 1 have mean 2 and variance 1/3.
        (sum as f32 / 65_536.0 - 2.0) * 3f32.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_shape_they_claim() {
        let mut random = Random::new(7);
        let bells: Vec<f32> = (0..20_000).map(|_| random.bell()).collect();
        let mean = bells.iter().sum::<f32>() / bells.len() as f32;
        let variance = bells.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / bells.len() as f32;
        assert!(mean.abs() < 0.05 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");

        let mut counts = [0; 100];
        (0..20_000).for_each(|_| counts[random.falling(100)] += 1);
        assert!(counts[0] > 10 * counts[50] && counts.iter().all(|&count| count > 0), "{counts:?}");
    }
}
