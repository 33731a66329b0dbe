//! Products of whole numbers, where the models spend their time: the only unsafe code of this crate.
//!
//! Weights stay the bytes that the packed file holds; inputs are numbers of fourteen bits. Sums are exact, so the
//! AVX2 kernel and the portable one give the same bits, and so does every way to divide a batch; the tests hold
//! them to it.

#![allow(unsafe_code)]

/// Values that a kernel takes at once; the depth of every product is a multiple.
pub(crate) const LANES: usize = 16;
/// Magnitude of an input at most: with it, [`DEPTH_MAX`] products of a byte each fit in 32 bits.
pub(crate) const INPUT_MAX: i16 = 8191;
/// Products per sum at most.
pub(crate) const DEPTH_MAX: usize = 2048;

/// Input rows that stay in the cache while all weights pass by.
const ROWS_IN_CACHE: usize = 32;

/// Rows of inputs: `depth` numbers each, the next row `stride` numbers after the one before. Rows may overlap.
#[derive(Clone, Copy)]
pub(crate) struct InputRows<'a> {
    pub(crate) values: &'a [i16],
    pub(crate) count: usize,
    pub(crate) stride: usize,
    pub(crate) depth: usize,
}

impl<'a> InputRows<'a> {
    fn row(&self, row: usize) -> &'a [i16] {
        &self.values[row * self.stride..][..self.depth]
    }
}

/// The sums of products of every input row with every row of weights, input by input. A weight is an `i8`.
///
/// # Panics
/// Panics unless the lengths fit each other and the depth is one that the kernels take.
pub(crate) fn products(inputs: InputRows<'_>, weights: &[u8], out: &mut [i32]) {
    let depth = inputs.depth;
    assert!(depth > 0 && depth.is_multiple_of(LANES) && depth <= DEPTH_MAX, "a depth of {depth}");
    assert!(weights.len().is_multiple_of(depth), "whole rows of weights");
    assert_eq!(out.len(), inputs.count * (weights.len() / depth), "one sum per input and row of weights");
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        unsafe { avx2::products(inputs, weights, out) };
        return;
    }
    portable::products(inputs, weights, out);
}

/// The kernel that every processor can run.
mod portable {
    use super::InputRows;

    pub(super) fn products(inputs: InputRows<'_>, weights: &[u8], out: &mut [i32]) {
        let width = weights.len() / inputs.depth;
        for (at, out) in out.chunks_exact_mut(width.max(1)).enumerate() {
            let row = inputs.row(at);
            for (weights, out) in weights.chunks_exact(inputs.depth).zip(out) {
                let product =
                    |(input, weight): (&i16, &u8)| i32::from(*input) * i32::from(weight.cast_signed());
                *out = row.iter().zip(weights).map(product).sum();
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;
    use std::mem::transmute;
    use std::ops::Range;

    use super::{InputRows, LANES, ROWS_IN_CACHE};

    /// Inputs and rows of weights whose sums are in registers together.
    const TILE_INPUTS: usize = 4;
    const TILE_WEIGHTS: usize = 2;

    type Lanes16<'a> = &'a [[i16; LANES]];
    type Lanes8<'a> = &'a [[u8; LANES]];

    // No closures within: they and the functions that call them would not be compiled into one.
    #[target_feature(enable = "avx2")]
    pub(super) fn products(inputs: InputRows<'_>, weights: &[u8], out: &mut [i32]) {
        let width = weights.len() / inputs.depth;
        for block in even_parts(0..inputs.count, ROWS_IN_CACHE) {
            for first in (0..width).step_by(TILE_WEIGHTS) {
                // An odd last row is taken together with the one before it, whose sums come out the same again.
                let first = first.min(width.saturating_sub(TILE_WEIGHTS));
                let second = (first + 1).min(width - 1);
                let pair =
                    [weight_row(weights, first, inputs.depth), weight_row(weights, second, inputs.depth)];
                for tile in even_parts(block.clone(), TILE_INPUTS) {
                    let out = &mut out[tile.start * width..tile.end * width];
                    match tile.len() {
                        4 => tile_sums::<4>(inputs, tile.start, pair, [first, second], out),
                        3 => tile_sums::<3>(inputs, tile.start, pair, [first, second], out),
                        2 => tile_sums::<2>(inputs, tile.start, pair, [first, second], out),
                        _ => tile_sums::<1>(inputs, tile.start, pair, [first, second], out),
                    }
                }
            }
        }
    }

    /// Parts of nearly equal length, none longer than `length_max`: five rows are three and two, not four and one.
    fn even_parts(whole: Range<usize>, length_max: usize) -> impl Iterator<Item = Range<usize>> {
        let (start, length) = (whole.start, whole.len());
        let count = length.div_ceil(length_max);
        (0..count).map(move |part| start + part * length / count..start + (part + 1) * length / count)
    }

    fn weight_row(weights: &[u8], row: usize, depth: usize) -> Lanes8<'_> {
        weights[row * depth..][..depth].as_chunks().0
    }

    /// The sums of `INPUTS` rows of inputs, from row `start` on, with two rows of weights, whose sums go to `columns`
    /// of `out`.
    #[target_feature(enable = "avx2")]
    fn tile_sums<const INPUTS: usize>(
        inputs: InputRows<'_>,
        start: usize,
        weights: [Lanes8<'_>; TILE_WEIGHTS],
        columns: [usize; TILE_WEIGHTS],
        out: &mut [i32],
    ) {
        let steps = weights[0].len();
        let (first, second) = (weights[0], &weights[1][..steps]);
        let mut rows: [Lanes16<'_>; INPUTS] = [&[]; INPUTS];
        for (at, row) in rows.iter_mut().enumerate() {
            *row = &inputs.row(start + at).as_chunks().0[..steps];
        }
        let mut sums = [[_mm256_setzero_si256(); TILE_WEIGHTS]; INPUTS];
        for step in 0..steps {
            let (first, second) = (widened(&first[step]), widened(&second[step]));
            for at in 0..INPUTS {
                let input = lanes(&rows[at][step]);
                sums[at][0] = _mm256_add_epi32(sums[at][0], _mm256_madd_epi16(input, first));
                sums[at][1] = _mm256_add_epi32(sums[at][1], _mm256_madd_epi16(input, second));
            }
        }
        let width = out.len() / INPUTS;
        for (out, [first, second]) in out.chunks_exact_mut(width).zip(sums) {
            let totals = totals(first, second);
            (out[columns[0]], out[columns[1]]) = (totals[0], totals[1]);
        }
    }

    /// The sums over the lanes of both.
    #[target_feature(enable = "avx2")]
    fn totals(first: __m256i, second: __m256i) -> [i32; TILE_WEIGHTS] {
        let pairs = _mm256_hadd_epi32(first, second);
        let halves = _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256::<1>(pairs));
        let total = _mm_hadd_epi32(halves, halves);
        [_mm_cvtsi128_si32(total), _mm_extract_epi32::<1>(total)]
    }

    #[target_feature(enable = "avx2")]
    fn lanes(values: &[i16; LANES]) -> __m256i {
        // SAFETY: both are 32 plain bytes, and every pattern of bits is a value of either.
        unsafe { transmute::<[i16; LANES], __m256i>(*values) }
    }

    /// Sixteen bytes, widened with their sign.
    #[target_feature(enable = "avx2")]
    fn widened(values: &[u8; LANES]) -> __m256i {
        // SAFETY: both are 16 plain bytes, and every pattern of bits is a value of either.
        _mm256_cvtepi8_epi16(unsafe { transmute::<[u8; LANES], __m128i>(*values) })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_kernels_give_the_same_sums(
            (count, width, steps, stride) in (0..40_usize, 0..7_usize, 1..4_usize, 1..5_usize),
            seed in any::<u64>(),
        ) {
            let depth = steps * LANES;
            let mut state = seed | 1;
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) as u32
            };
            let values: Vec<i16> = (0..count * stride * LANES + depth)
                .map(|_| (next() % (2 * INPUT_MAX as u32 + 1)) as i16 - INPUT_MAX).collect();
            let weights: Vec<u8> = (0..width * depth).map(|_| next() as u8).collect();
            let inputs = InputRows { values: &values, count, stride: stride * LANES, depth };
            let (mut fast, mut plain) = (vec![0; count * width], vec![0; count * width]);
            products(inputs, &weights, &mut fast);
            portable::products(inputs, &weights, &mut plain);
            prop_assert_eq!(fast, plain);
        }
    }

    #[test]
    fn the_deepest_sum_of_the_largest_numbers_does_not_overflow() {
        let values = vec![-INPUT_MAX; DEPTH_MAX];
        let weights = vec![128; DEPTH_MAX];
        let inputs = InputRows { values: &values, count: 1, stride: DEPTH_MAX, depth: DEPTH_MAX };
        let mut out = [0];
        products(inputs, &weights, &mut out);
        assert_eq!(i64::from(out[0]), i64::from(INPUT_MAX) * 128 * DEPTH_MAX as i64);
    }
}
