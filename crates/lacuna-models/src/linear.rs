//! The parts that the layers of both packed models are made of.
//!
//! Linear layers work on weights of eight bits: inputs become whole numbers, row by row or text by text, and the products
//! are exact. Fourteen bits of an input keep a vector within a few millionths of what floats give.

use lacuna_types::Result;

use crate::floats::{largest_magnitude, total};
use crate::kernels::{INPUT_MAX, InputRows, WeightBlocks, wide};
use crate::packed::{Int8Rows, Packed};

const NORM_EPSILON: f32 = 1e-12;

/// One linear layer.
pub(crate) struct Linear {
    weights: WeightBlocks,
    depth: usize,
}

impl Linear {
    /// Joins the outputs of the named layers, each with `outputs` rows of `depth` weights.
    pub(crate) fn joined(
        packed: &Packed<'static>,
        names: &[String],
        outputs: usize,
        depth: usize,
    ) -> Result<Self> {
        let weight = |name: &String| packed.int8_rows(&format!("{name}.weight"), outputs, depth);
        let parts: Vec<_> = names.iter().map(weight).collect::<Result<_>>()?;
        Ok(Self::of(&parts, &joined_floats(packed, names, "bias", outputs)?, depth))
    }

    /// A layer that adds nothing to its products.
    pub(crate) fn without_bias(
        packed: &Packed<'static>,
        name: &str,
        outputs: usize,
        depth: usize,
    ) -> Result<Self> {
        let weight = packed.int8_rows(&format!("{name}.weight"), outputs, depth)?;
        Ok(Self::of(&[weight], &vec![0.0; outputs], depth))
    }

    fn of(parts: &[Int8Rows<'static>], biases: &[f32], depth: usize) -> Self {
        let rows: Vec<&[u8]> = parts.iter().flat_map(|part| part.values().chunks_exact(depth)).collect();
        let scales: Vec<f32> = parts.iter().flat_map(Int8Rows::scales).copied().collect();
        Self { weights: WeightBlocks::new(&rows, &scales, biases, depth), depth }
    }

    pub(crate) fn outputs(&self) -> usize {
        self.weights.outputs()
    }

    /// The outputs for each row of inputs, row by row.
    pub(crate) fn apply(&self, inputs: &WholeRows, out: &mut [f32]) {
        self.weights.apply(inputs.rows(self.depth), out);
    }

    /// The outputs for rows of floats that need no scale in common.
    pub(crate) fn apply_to(&self, inputs: &[f32]) -> Vec<f32> {
        let mut out = vec![0.0; inputs.len() / self.depth * self.outputs()];
        self.apply(&WholeRows::of_each(inputs, self.depth), &mut out);
        out
    }
}

/// Inputs of a layer as whole numbers, with the scale of each row.
#[derive(Default)]
pub(crate) struct WholeRows {
    values: Vec<i16>,
    stride: usize,
    scales: Vec<f32>,
}

impl WholeRows {
    /// A scale for each row of `width` values.
    pub(crate) fn of_each(inputs: &[f32], width: usize) -> Self {
        let mut rows = Self::default();
        rows.fill(inputs, width);
        rows
    }

    /// Takes other inputs in place of those before.
    pub(crate) fn fill(&mut self, inputs: &[f32], width: usize) {
        self.stride = width;
        self.values.resize(inputs.len(), 0);
        self.scales.clear();
        let rows = inputs.chunks_exact(width).zip(self.values.chunks_exact_mut(width));
        self.scales.extend(rows.map(|rows| wide(round, rows)));
    }

    /// The windows of several tokens around each row of `width` values, of one text: `before` rows before it, and
    /// as many after it as the layer reads. Rows outside the text are zero. The text has one scale, so that its
    /// windows overlap in place.
    pub(crate) fn of_windows(inputs: &[f32], width: usize, before: usize, after: usize) -> Self {
        let mut values = vec![0; inputs.len() + (before + after) * width];
        let scale = wide(round, (inputs, &mut values[before * width..][..inputs.len()]));
        Self { values, stride: width, scales: vec![scale; inputs.len() / width] }
    }

    fn rows(&self, depth: usize) -> InputRows<'_> {
        InputRows { values: &self.values, scales: &self.scales, stride: self.stride, depth }
    }
}

/// A layer norm.
pub(crate) struct Norm {
    gain: Vec<f32>,
    bias: Vec<f32>,
}

impl Norm {
    pub(crate) fn unpack(packed: &Packed<'static>, name: &str, width: usize) -> Result<Self> {
        Self::joined(packed, &[name.to_owned()], width)
    }

    /// One norm over the rows of the named parts, side by side.
    pub(crate) fn joined(packed: &Packed<'static>, names: &[String], width: usize) -> Result<Self> {
        Ok(Self {
            gain: joined_floats(packed, names, "weight", width)?,
            bias: joined_floats(packed, names, "bias", width)?,
        })
    }

    /// Normalises one row in place.
    pub(crate) fn apply(&self, row: &mut [f32]) {
        wide(normalise, (row, self.gain.as_slice(), self.bias.as_slice()));
    }
}

#[inline(always)]
fn normalise((row, gain, bias): (&mut [f32], &[f32], &[f32])) {
    let width = row.len() as f32;
    let mean = total(row, |value| value) / width;
    let variance = total(row, |value| (value - mean) * (value - mean)) / width;
    let factor = 1.0 / (variance + NORM_EPSILON).sqrt();
    for ((value, gain), bias) in row.iter_mut().zip(gain).zip(bias) {
        *value = (*value - mean) * factor * gain + bias;
    }
}

fn joined_floats(packed: &Packed<'static>, names: &[String], part: &str, width: usize) -> Result<Vec<f32>> {
    let floats = names.iter().map(|name| packed.floats(&format!("{name}.{part}"), 1, width));
    Ok(floats.collect::<Result<Vec<_>>>()?.concat())
}

/// Rounds to whole numbers up to [`INPUT_MAX`], and returns the scale that undoes it.
#[inline(always)]
fn round((inputs, values): (&[f32], &mut [i16])) -> f32 {
    let largest = largest_magnitude(inputs);
    let factor = f32::from(INPUT_MAX) / largest.max(f32::MIN_POSITIVE * f32::from(INPUT_MAX));
    for (value, input) in values.iter_mut().zip(inputs) {
        *value = nearest(input * factor);
    }
    1.0 / factor
}

/// The nearest whole number. The addition pushes the fraction out of a float and leaves the number in its lowest
/// bits: two operations that the compiler makes for several values at once.
#[inline(always)]
fn nearest(value: f32) -> i16 {
    const SHIFT: f32 = 12_582_912.0;
    ((value + SHIFT).to_bits() as u16).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::ModelPacker;

    #[test]
    fn whole_numbers_are_the_nearest() {
        for (value, expected) in [(0.0, 0), (0.49, 0), (-0.51, -1), (8191.0, 8191), (-8190.6, -8191)] {
            assert_eq!(nearest(value), expected, "{value}");
        }
    }

    #[test]
    fn rows_of_nothing_stay_nothing() {
        let rows = WholeRows::of_each(&[0.0; 16], 16);
        assert!(rows.values.iter().all(|value| *value == 0) && rows.scales[0].is_finite());
    }

    fn layer(depth: usize) -> Linear {
        let mut packer = ModelPacker::default();
        let weights: Vec<f32> = (0..3 * depth).map(|at| ((at * 37 % 255) as f32 - 127.0) / 100.0).collect();
        packer.int8_tensor("layer.weight", depth, &weights).unwrap();
        packer.floats("layer.bias", 3, &[0.5, -1.0, 2.0]).unwrap();
        let bytes: &'static [u8] = packer.finish().leak();
        Linear::joined(&Packed::parse(bytes).unwrap(), &["layer".to_owned()], 3, depth).unwrap()
    }

    fn expected(input: &[f32], output: usize) -> f32 {
        let weight = |at: usize| ((at * 37 % 255) as f32 - 127.0) / 100.0;
        let products = input.iter().enumerate().map(|(at, value)| value * weight(output * input.len() + at));
        products.sum::<f32>() + [0.5, -1.0, 2.0][output]
    }

    #[test]
    fn outputs_are_those_of_floats() {
        let inputs: Vec<f32> = (0..64).map(|at| (at as f32 * 0.7).sin()).collect();
        let out = layer(32).apply_to(&inputs);
        for (at, out) in out.iter().enumerate() {
            let expected = expected(&inputs[at / 3 * 32..][..32], at % 3);
            assert!((out - expected).abs() < 2e-3, "{out} {expected}");
        }
    }

    #[test]
    fn windows_reach_over_the_neighbours_and_end_at_the_text() {
        let inputs: Vec<f32> = (0..48).map(|at| (at as f32 * 0.3).cos()).collect();
        let mut out = [0.0; 9];
        layer(48).apply(&WholeRows::of_windows(&inputs, 16, 1, 1), &mut out);
        let padded = [&[0.0; 16], inputs.as_slice(), &[0.0; 16]].concat();
        for (at, out) in out.iter().enumerate() {
            let expected = expected(&padded[at / 3 * 16..][..48], at % 3);
            assert!((out - expected).abs() < 2e-3, "{out} {expected}");
        }
    }
}
