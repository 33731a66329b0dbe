//! The loops where the models spend their time: the only unsafe code of this crate.
//!
//! Weights stay bytes; inputs are numbers of fourteen bits. Sums are exact, so the AVX2 kernel and the portable one
//! give the same bits, and so does every way to divide a batch; the tests hold them to it. Loops over floats are
//! plain Rust, which [`wide`] compiles for wider registers as well: they add in the same order there.

#![allow(unsafe_code)]

/// Outputs whose weights stand together: two registers of sums for each input row.
pub(crate) const BLOCK_OUTPUTS: usize = 16;
/// Magnitude of an input at most: with it, [`DEPTH_MAX`] products of a byte each fit in 32 bits.
pub(crate) const INPUT_MAX: i16 = 8191;
/// Products per sum at most.
pub(crate) const DEPTH_MAX: usize = 2048;

/// Input rows that stay in the cache while all weights pass by.
const ROWS_IN_CACHE: usize = 36;
/// Two weights of every output of a block, output by output.
type WeightPairs = [u8; 2 * BLOCK_OUTPUTS];

/// Rows of inputs: `depth` numbers each, the next row `stride` numbers after the one before. Rows may overlap. Each
/// has the scale that undoes its rounding.
#[derive(Clone, Copy)]
pub(crate) struct InputRows<'a> {
    pub(crate) values: &'a [i16],
    pub(crate) scales: &'a [f32],
    pub(crate) stride: usize,
    pub(crate) depth: usize,
}

impl<'a> InputRows<'a> {
    /// The values of a row, two by two.
    fn pairs(&self, row: usize) -> &'a [[i16; 2]] {
        self.values[row * self.stride..][..self.depth].as_chunks().0
    }
}

/// The weights of a layer in the order in which a kernel reads them: block by block of outputs, and within a block two
/// weights of every output at a time.
pub(crate) struct WeightBlocks {
    pairs: Vec<WeightPairs>,
    /// A scale and a bias for each output, and zeros up to the end of the last block.
    scales: Vec<[f32; BLOCK_OUTPUTS]>,
    biases: Vec<[f32; BLOCK_OUTPUTS]>,
    outputs: usize,
    depth: usize,
}

impl WeightBlocks {
    /// Arranges weights that stand output by output, each an `i8`.
    ///
    /// # Panics
    /// Panics unless every output has `depth` weights, a scale and a bias, and the kernels take the depth.
    pub(crate) fn new(rows: &[&[u8]], scales: &[f32], biases: &[f32], depth: usize) -> Self {
        assert!(depth > 0 && depth.is_multiple_of(2) && depth <= DEPTH_MAX, "a depth of {depth}");
        assert!(rows.iter().all(|row| row.len() == depth), "whole rows of weights");
        assert!(scales.len() == rows.len() && biases.len() == rows.len(), "a scale and a bias per output");
        let mut pairs = Vec::with_capacity(rows.len().div_ceil(BLOCK_OUTPUTS) * depth / 2);
        for block in rows.chunks(BLOCK_OUTPUTS) {
            for pair in 0..depth / 2 {
                let mut weights = [0; 2 * BLOCK_OUTPUTS];
                for (row, place) in block.iter().zip(weights.as_chunks_mut::<2>().0) {
                    place.copy_from_slice(&row[2 * pair..2 * pair + 2]);
                }
                pairs.push(weights);
            }
        }
        Self { pairs, scales: blocks(scales), biases: blocks(biases), outputs: rows.len(), depth }
    }

    pub(crate) fn outputs(&self) -> usize {
        self.outputs
    }

    /// The outputs for every input row, row by row.
    ///
    /// # Panics
    /// Panics unless the lengths fit each other.
    pub(crate) fn apply(&self, inputs: InputRows<'_>, out: &mut [f32]) {
        assert_eq!(inputs.depth, self.depth, "inputs as deep as the layer");
        assert_eq!(out.len(), inputs.scales.len() * self.outputs, "room for the outputs of every row");
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            unsafe { avx2::apply(self, inputs, out) };
            return;
        }
        portable::apply(self, inputs, out);
    }

    fn block(&self, number: usize) -> WeightBlock<'_> {
        WeightBlock {
            pairs: &self.pairs[number * self.depth / 2..][..self.depth / 2],
            scales: &self.scales[number],
            biases: &self.biases[number],
            first: number * BLOCK_OUTPUTS,
            width: self.outputs,
        }
    }
}

fn blocks(values: &[f32]) -> Vec<[f32; BLOCK_OUTPUTS]> {
    let mut padded = values.to_vec();
    padded.resize(values.len().next_multiple_of(BLOCK_OUTPUTS), 0.0);
    padded.as_chunks().0.to_vec()
}

/// The weights of one block of outputs, of which the first is `first` of `width`.
#[derive(Clone, Copy)]
struct WeightBlock<'a> {
    pairs: &'a [WeightPairs],
    scales: &'a [f32; BLOCK_OUTPUTS],
    biases: &'a [f32; BLOCK_OUTPUTS],
    first: usize,
    width: usize,
}

impl WeightBlock<'_> {
    /// Puts the outputs of one row in their places, save those beyond the last output.
    #[inline(always)]
    fn store(&self, values: &[f32; BLOCK_OUTPUTS], row: &mut [f32]) {
        let place = &mut row[self.first..];
        match place.first_chunk_mut() {
            Some(place) => *place = *values,
            None => place.copy_from_slice(&values[..self.width - self.first]),
        }
    }
}

/// Calls `work` with `given`, compiled for the widest registers that the processor has. The work must be a function
/// that is always inlined, and must not call others that are not.
pub(crate) fn wide<A, R>(work: impl FnOnce(A) -> R, given: A) -> R {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { avx2::call(work, given) };
    }
    work(given)
}

/// The kernel that every processor can run.
mod portable {
    use super::{BLOCK_OUTPUTS, InputRows, WeightBlocks};

    pub(super) fn apply(weights: &WeightBlocks, inputs: InputRows<'_>, out: &mut [f32]) {
        for (row, out) in out.chunks_exact_mut(weights.outputs.max(1)).enumerate() {
            for number in 0..weights.scales.len() {
                let block = weights.block(number);
                let mut sums = [0; BLOCK_OUTPUTS];
                for ([a, b], weights) in inputs.pairs(row).iter().zip(block.pairs) {
                    for (sum, [u, v]) in sums.iter_mut().zip(weights.as_chunks::<2>().0) {
                        *sum += i32::from(*a) * i32::from(u.cast_signed());
                        *sum += i32::from(*b) * i32::from(v.cast_signed());
                    }
                }
                let mut values = [0.0; BLOCK_OUTPUTS];
                for (at, value) in values.iter_mut().enumerate() {
                    *value = sums[at] as f32 * (inputs.scales[row] * block.scales[at]) + block.biases[at];
                }
                block.store(&values, out);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;
    use std::mem::transmute;
    use std::ops::Range;

    use super::{BLOCK_OUTPUTS, InputRows, ROWS_IN_CACHE, WeightBlock, WeightBlocks};

    /// Input rows whose sums are in registers together: twelve registers, and three to work with.
    const TILE_ROWS: usize = 6;
    /// Registers of sums for each row.
    const HALVES: usize = 2;

    #[target_feature(enable = "avx2")]
    pub(super) fn call<A, R>(work: impl FnOnce(A) -> R, given: A) -> R {
        work(given)
    }

    // No closures within: they and the functions that call them would not be compiled into one.
    #[target_feature(enable = "avx2")]
    pub(super) fn apply(weights: &WeightBlocks, inputs: InputRows<'_>, out: &mut [f32]) {
        for rows in even_parts(0..inputs.scales.len(), ROWS_IN_CACHE) {
            for number in 0..weights.scales.len() {
                let block = weights.block(number);
                for tile in even_parts(rows.clone(), TILE_ROWS) {
                    let out = &mut out[tile.start * block.width..tile.end * block.width];
                    match tile.len() {
                        6 => tile_outputs::<6>(inputs, tile.start, block, out),
                        5 => tile_outputs::<5>(inputs, tile.start, block, out),
                        4 => tile_outputs::<4>(inputs, tile.start, block, out),
                        3 => tile_outputs::<3>(inputs, tile.start, block, out),
                        2 => tile_outputs::<2>(inputs, tile.start, block, out),
                        _ => tile_outputs::<1>(inputs, tile.start, block, out),
                    }
                }
            }
        }
    }

    /// Parts of nearly equal length, none longer than `length_max`: seven rows are four and three, not six and one.
    fn even_parts(whole: Range<usize>, length_max: usize) -> impl Iterator<Item = Range<usize>> {
        let (start, length) = (whole.start, whole.len());
        let count = length.div_ceil(length_max);
        (0..count).map(move |part| start + part * length / count..start + (part + 1) * length / count)
    }

    /// The outputs of one block for `ROWS` rows of inputs, from row `start` on.
    #[target_feature(enable = "avx2")]
    fn tile_outputs<const ROWS: usize>(
        inputs: InputRows<'_>,
        start: usize,
        block: WeightBlock<'_>,
        out: &mut [f32],
    ) {
        let steps = block.pairs.len();
        let mut rows: [&[[i16; 2]]; ROWS] = [&[]; ROWS];
        for (at, row) in rows.iter_mut().enumerate() {
            *row = &inputs.pairs(start + at)[..steps];
        }
        let mut sums = [[_mm256_setzero_si256(); HALVES]; ROWS];
        for (step, pairs) in block.pairs.iter().enumerate() {
            let weights = widened(pairs);
            for at in 0..ROWS {
                let input = repeated(rows[at][step]);
                for half in 0..HALVES {
                    let products = _mm256_madd_epi16(input, weights[half]);
                    sums[at][half] = _mm256_add_epi32(sums[at][half], products);
                }
            }
        }
        for (at, row) in out.chunks_exact_mut(block.width).enumerate() {
            block.store(&scaled(sums[at], inputs.scales[start + at], &block), row);
        }
    }

    /// Two numbers, again and again.
    #[target_feature(enable = "avx2")]
    fn repeated(pair: [i16; 2]) -> __m256i {
        // SAFETY: both are 4 plain bytes, and every pattern of bits is a value of either.
        _mm256_set1_epi32(unsafe { transmute::<[i16; 2], i32>(pair) })
    }

    /// Bytes widened with their sign.
    #[target_feature(enable = "avx2")]
    fn widened(pairs: &[u8; 2 * BLOCK_OUTPUTS]) -> [__m256i; HALVES] {
        // SAFETY: both are 32 plain bytes, and every pattern of bits is a value of either.
        let halves = unsafe { transmute::<[u8; 2 * BLOCK_OUTPUTS], [__m128i; HALVES]>(*pairs) };
        [_mm256_cvtepi8_epi16(halves[0]), _mm256_cvtepi8_epi16(halves[1])]
    }

    #[target_feature(enable = "avx2")]
    fn scaled(sums: [__m256i; HALVES], input_scale: f32, block: &WeightBlock<'_>) -> [f32; BLOCK_OUTPUTS] {
        // SAFETY: all are 64 plain bytes, and every pattern of bits is a value of each.
        let (scales, biases) = unsafe {
            (
                transmute::<[f32; BLOCK_OUTPUTS], [__m256; HALVES]>(*block.scales),
                transmute::<[f32; BLOCK_OUTPUTS], [__m256; HALVES]>(*block.biases),
            )
        };
        let mut values = [_mm256_setzero_ps(); HALVES];
        for half in 0..HALVES {
            let scale = _mm256_mul_ps(_mm256_set1_ps(input_scale), scales[half]);
            values[half] = _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(sums[half]), scale), biases[half]);
        }
        // SAFETY: as above.
        unsafe { transmute::<[__m256; HALVES], [f32; BLOCK_OUTPUTS]>(values) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_kernels_give_the_same_outputs_and_those_of_whole_numbers(
            (count, width, steps, stride) in (0..40_usize, 0..40_usize, 1..20_usize, 1..5_usize),
            seed in any::<u64>(),
        ) {
            let depth = steps * 2;
            let mut state = seed | 1;
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) as u32
            };
            let values: Vec<i16> = (0..count * stride + depth)
                .map(|_| (next() % (2 * INPUT_MAX as u32 + 1)) as i16 - INPUT_MAX).collect();
            let weights: Vec<u8> = (0..width * depth).map(|_| next() as u8).collect();
            let mut floats = |count: usize| (0..count).map(|_| next() as f32 / 1e6).collect::<Vec<f32>>();
            let (scales, biases, input_scales) = (floats(width), floats(width), floats(count));
            let rows: Vec<&[u8]> = weights.chunks_exact(depth).collect();
            let blocks = WeightBlocks::new(&rows, &scales, &biases, depth);
            let inputs = InputRows { values: &values, scales: &input_scales, stride, depth };
            let (mut fast, mut plain) = (vec![0.0; count * width], vec![0.0; count * width]);
            blocks.apply(inputs, &mut fast);
            portable::apply(&blocks, inputs, &mut plain);
            prop_assert_eq!(&fast, &plain);
            for (at, found) in fast.iter().enumerate() {
                let (row, output) = (at / width, at % width);
                let products = values[row * stride..][..depth].iter().zip(rows[output]);
                let sum: i64 = products.map(|(a, b)| i64::from(*a) * i64::from(b.cast_signed())).sum();
                prop_assert_eq!(*found, sum as i32 as f32 * (input_scales[row] * scales[output]) + biases[output]);
            }
        }
    }

    #[test]
    fn the_deepest_sum_of_the_largest_numbers_does_not_overflow() {
        let (values, weights) = (vec![-INPUT_MAX; DEPTH_MAX], vec![128; DEPTH_MAX]);
        let blocks = WeightBlocks::new(&[&weights], &[1.0], &[0.0], DEPTH_MAX);
        let mut out = [0.0];
        blocks.apply(
            InputRows { values: &values, scales: &[1.0], stride: DEPTH_MAX, depth: DEPTH_MAX },
            &mut out,
        );
        assert_eq!(out[0], (i64::from(INPUT_MAX) * 128 * DEPTH_MAX as i64) as f32);
    }
}
