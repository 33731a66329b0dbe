//! The forward pass of a BERT encoder with mean pooling. Linear layers work on the packed weights; the rest is in
//! f32.
//!
//! The tokens of all texts of a batch stand below each other without padding: the linear layers see one tall
//! matrix, attention sees one text at a time. So no text can change another's vector, whatever the batch.

use lacuna_types::Result;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, ArrayViewMut1, ArrayViewMut2, s};

use crate::linear::{Linear, Norm};
use crate::packed::{Int8Rows, Packed};
use crate::vector;

pub(crate) const WIDTH: usize = 384;
pub(crate) const VOCABULARY_SIZE: usize = 30_522;
/// Tokens that the model reads at once.
pub(crate) const POSITIONS: usize = 256;

const LAYERS: usize = 6;
const HEADS: usize = 12;
const HEAD_WIDTH: usize = WIDTH / HEADS;
const INNER_WIDTH: usize = 4 * WIDTH;

pub(crate) struct Transformer {
    words: Int8Rows<'static>,
    /// Position plus the one token type that single texts have.
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Layer {
    /// Query, key and value side by side, so that one product makes all three.
    attention_in: Linear,
    attention_out: Linear,
    attention_norm: Norm,
    expand: Linear,
    contract: Linear,
    output_norm: Norm,
}

impl Transformer {
    /// Reads the small parts; matrices and word vectors stay where they are.
    pub(crate) fn unpack(packed: &Packed<'static>) -> Result<Self> {
        let kind = packed.floats("embeddings.token_type_embeddings.weight", 1, WIDTH)?;
        let mut positions = packed.floats("embeddings.position_embeddings.weight", POSITIONS, WIDTH)?;
        for (at, value) in positions.iter_mut().enumerate() {
            *value += kind[at % WIDTH];
        }
        Ok(Self {
            words: packed.int8_rows("embeddings.word_embeddings.weight", VOCABULARY_SIZE, WIDTH)?,
            positions,
            norm: Norm::unpack(packed, "embeddings.LayerNorm", WIDTH)?,
            layers: (0..LAYERS).map(|layer| Layer::unpack(packed, layer)).collect::<Result<_>>()?,
        })
    }

    /// One unit vector per text. A text is at least one and at most [`POSITIONS`] ids of the vocabulary.
    pub(crate) fn embed(&self, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        let mut states = self.look_up(texts);
        for layer in &self.layers {
            layer.apply(&mut states, texts);
        }
        spans(texts).map(|span| pool(&states[span.start * WIDTH..span.end * WIDTH])).collect()
    }

    fn look_up(&self, texts: &[Vec<u32>]) -> Vec<f32> {
        let tokens = texts.iter().flat_map(|text| text.iter().zip(self.positions.chunks_exact(WIDTH)));
        let mut states = vec![0.0; texts.iter().map(Vec::len).sum::<usize>() * WIDTH];
        for (state, (id, position)) in states.chunks_exact_mut(WIDTH).zip(tokens) {
            state.copy_from_slice(position);
            self.words.add_row(*id as usize, state);
            self.norm.apply(state);
        }
        states
    }
}

impl Layer {
    fn unpack(packed: &Packed<'static>, layer: usize) -> Result<Self> {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let inputs = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
        let linear =
            |part: &str, outputs: usize, depth: usize| Linear::joined(packed, &[name(part)], outputs, depth);
        let norm = |part: &str| Norm::unpack(packed, &name(part), WIDTH);
        Ok(Self {
            attention_in: Linear::joined(packed, &inputs, WIDTH, WIDTH)?,
            attention_out: linear("attention.output.dense", WIDTH, WIDTH)?,
            attention_norm: norm("attention.output.LayerNorm")?,
            expand: linear("intermediate.dense", INNER_WIDTH, WIDTH)?,
            contract: linear("output.dense", WIDTH, INNER_WIDTH)?,
            output_norm: norm("output.LayerNorm")?,
        })
    }

    fn apply(&self, states: &mut [f32], texts: &[Vec<u32>]) {
        let inputs = self.attention_in.apply_to(states);
        let inputs = ArrayView2::from_shape((states.len() / WIDTH, 3 * WIDTH), &inputs)
            .expect("three widths of every token");
        let mut attended = Array2::zeros((states.len() / WIDTH, WIDTH));
        for span in spans(texts) {
            attend(inputs.slice(s![span.clone(), ..]), attended.slice_mut(s![span, ..]));
        }
        let attended = attended.as_slice().expect("a matrix in standard order is contiguous");
        add_and_norm(states, &self.attention_out.apply_to(attended), &self.attention_norm);

        let mut inner = self.expand.apply_to(states);
        inner.iter_mut().for_each(|value| *value = gelu(*value));
        add_and_norm(states, &self.contract.apply_to(&inner), &self.output_norm);
    }
}

fn add_and_norm(states: &mut [f32], added: &[f32], norm: &Norm) {
    for (state, added) in states.chunks_exact_mut(WIDTH).zip(added.chunks_exact(WIDTH)) {
        state.iter_mut().zip(added).for_each(|(state, added)| *state += added);
        norm.apply(state);
    }
}

/// Attention within one text: `inputs` holds query, key and value side by side, each of all heads.
fn attend(inputs: ArrayView2<'_, f32>, mut outputs: ArrayViewMut2<'_, f32>) {
    let tokens = inputs.nrows();
    let mut weights = Array2::zeros((tokens, tokens));
    for head in 0..HEADS {
        let columns = |part: usize| {
            let start = part * WIDTH + head * HEAD_WIDTH;
            inputs.slice(s![.., start..start + HEAD_WIDTH])
        };
        let (query, key, value) = (columns(0), columns(1), columns(2));
        let scale = 1.0 / (HEAD_WIDTH as f32).sqrt();
        general_mat_mul(scale, &query, &key.t(), 0.0, &mut weights);
        for mut row in weights.outer_iter_mut() {
            softmax(row_slice(&mut row));
        }
        let start = head * HEAD_WIDTH;
        let mut output = outputs.slice_mut(s![.., start..start + HEAD_WIDTH]);
        general_mat_mul(1.0, &weights, &value, 0.0, &mut output);
    }
}

fn softmax(row: &mut [f32]) {
    let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    row.iter_mut().for_each(|value| *value = (*value - largest).exp());
    let sum: f32 = row.iter().sum();
    row.iter_mut().for_each(|value| *value /= sum);
}

fn pool(states: &[f32]) -> Vec<f32> {
    let mut mean = vec![0.0; WIDTH];
    for state in states.chunks_exact(WIDTH) {
        mean.iter_mut().zip(state).for_each(|(mean, state)| *mean += state);
    }
    // The last layer's norm keeps every token away from zero, so there is always a direction.
    vector::normalise(&mut mean);
    mean
}

fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// The error function to within 1e-6, as a rational function that was fitted to it by reweighted least
/// squares. It needs no exponential, so that the compiler can work on several values at once.
fn erf(x: f32) -> f32 {
    const NUMERATOR: [f32; 5] = [1.128_376_8, 0.347_422_48, 0.072_229_65, 0.010_097_102, 0.000_359_603_23];
    const DENOMINATOR: [f32; 6] =
        [1.0, 0.641_201_85, 0.177_841_26, 0.027_763_018, 0.002_567_396_3, 0.000_020_647_041];
    /// From here on erf is 1 to within the precision of the fit.
    const END: f32 = 3.95;
    let x = x.clamp(-END, END);
    let square = x * x;
    let polynomial = |terms: &[f32]| terms.iter().rev().fold(0.0, |sum, term| sum * square + term);
    x * polynomial(&NUMERATOR) / polynomial(&DENOMINATOR)
}

/// The rows of each text in the batch.
fn spans(texts: &[Vec<u32>]) -> impl Iterator<Item = std::ops::Range<usize>> {
    texts.iter().scan(0, |end, text| {
        let start = *end;
        *end += text.len();
        Some(start..*end)
    })
}

fn row_slice<'a>(row: &'a mut ArrayViewMut1<'_, f32>) -> &'a mut [f32] {
    row.as_slice_mut().expect("rows of a matrix in standard order are contiguous")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the error function to seven places, from standard tables.
    #[test]
    fn erf_is_within_a_millionth() {
        let table = [
            (0.0, 0.0),
            (0.1, 0.112_462_9),
            (0.5, 0.520_499_9),
            (1.0, 0.842_700_8),
            (1.5, 0.966_105_1),
            (2.0, 0.995_322_3),
            (3.0, 0.999_977_9),
            (4.0, 1.0),
            (50.0, 1.0),
        ];
        for (x, expected) in table {
            assert!((erf(x) - expected).abs() <= 1e-6, "erf({x}) = {}", erf(x));
            assert_eq!(erf(-x), -erf(x));
        }
    }
}
