//! The layers of the universal sentence encoder: convolutions over two, three and five neighbouring pieces, their
//! mean over the text, and a small network on top.
//!
//! Every text has scales and sums of its own, so no text can change another's vector, whatever the batch.

use lacuna_types::Result;

use crate::linear::{Linear, Norm, WholeRows};
use crate::packed::Packed;
use crate::packed::narrow_rows::NarrowRows;
use crate::vector;

pub(crate) const WIDTH: usize = 512;
const BRANCH_WIDTH: usize = 256;
const FEATURES: usize = WIDTH + BRANCHES.len() * BRANCH_WIDTH;
const INNER_WIDTH: usize = 320;
/// The authors stored the vectors of pieces in so many tables, taken in turn, each with a scale of its own.
const TABLES: usize = 17;

/// Pieces that a convolution reads at once, and how many of them stand before the one it is for.
const BRANCHES: [(usize, usize); 3] = [(2, 0), (3, 1), (5, 2)];

pub(crate) struct NgramEncoder {
    pieces: NarrowRows<'static>,
    table_scales: Vec<f32>,
    table_lows: Vec<f32>,
    project: Linear,
    project_norm: Norm,
    branches: Vec<Branch>,
    norm: Norm,
    mix: Linear,
    first: Linear,
    first_skip: Linear,
    second: Linear,
    third: Linear,
    last_skip: Linear,
    last: Linear,
}

struct Branch {
    before: usize,
    after: usize,
    first: Linear,
    second: Linear,
}

impl NgramEncoder {
    /// Reads the small parts and arranges the matrices; the vectors of pieces stay where they are.
    pub(crate) fn unpack(packed: &Packed<'static>, vocabulary_size: usize) -> Result<Self> {
        let plain =
            |name: &str, outputs: usize, depth: usize| Linear::without_bias(packed, name, outputs, depth);
        let orders = BRANCHES.map(|(order, _)| order);
        Ok(Self {
            pieces: NarrowRows::new(packed.bytes("piece_vectors")?, vocabulary_size, WIDTH)?,
            table_scales: packed.floats("piece_vectors.scales", 1, TABLES)?,
            table_lows: packed.floats("piece_vectors.lows", 1, TABLES)?,
            project: Linear::joined(
                packed,
                &orders.map(|order| format!("project{order}")),
                BRANCH_WIDTH,
                WIDTH,
            )?,
            project_norm: Norm::joined(
                packed,
                &orders.map(|order| format!("project_norm{order}")),
                BRANCH_WIDTH,
            )?,
            branches: BRANCHES.iter().map(|branch| Branch::unpack(packed, *branch)).collect::<Result<_>>()?,
            norm: Norm::unpack(packed, "norm", FEATURES)?,
            mix: Linear::joined(packed, &["mix".to_owned()], WIDTH, FEATURES)?,
            first: plain("first", INNER_WIDTH, WIDTH)?,
            first_skip: plain("first_skip", INNER_WIDTH, WIDTH)?,
            second: plain("second", INNER_WIDTH, INNER_WIDTH)?,
            third: plain("third", WIDTH, INNER_WIDTH)?,
            last_skip: plain("last_skip", WIDTH, INNER_WIDTH)?,
            last: plain("last", WIDTH, WIDTH)?,
        })
    }

    /// One unit vector per text. A text is at least one id of the vocabulary.
    pub(crate) fn embed(&self, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        let ids: Vec<u32> = texts.concat();
        let vectors = self.look_up(&ids);
        let mut projected = self.project.apply_to(&vectors);
        projected.chunks_exact_mut(self.project.outputs()).for_each(|row| self.project_norm.apply(row));

        let mut branches = Vec::with_capacity(self.branches.len());
        for (at, branch) in self.branches.iter().enumerate() {
            branches.push(branch.apply(&columns(&projected, at), texts));
        }
        let mut means = vec![0.0; texts.len() * FEATURES];
        let mut start = 0;
        for (text, mean) in texts.iter().zip(means.chunks_exact_mut(FEATURES)) {
            for token in start..start + text.len() {
                self.add_features(&vectors, &branches, token, mean);
            }
            mean.iter_mut().for_each(|value| *value /= text.len() as f32);
            start += text.len();
        }
        let mut mixed = self.mix.apply_to(&means);
        for (text, row) in texts.iter().zip(mixed.chunks_exact_mut(WIDTH)) {
            // The mean of the pieces, times the root of their number: a longer text says more.
            row.iter_mut().for_each(|value| *value *= (text.len() as f32).sqrt());
        }
        self.network(&mixed)
    }

    fn look_up(&self, ids: &[u32]) -> Vec<f32> {
        let mut vectors = vec![0.0; ids.len() * WIDTH];
        let mut stored = [0; WIDTH];
        for (id, vector) in ids.iter().zip(vectors.chunks_exact_mut(WIDTH)) {
            let id = *id as usize;
            let (scale, low) = (self.table_scales[id % TABLES], self.table_lows[id % TABLES]);
            self.pieces.read_row(id, &mut stored);
            for (value, stored) in vector.iter_mut().zip(stored) {
                *value = f32::from(stored) * scale + low;
            }
        }
        vectors
    }

    /// Adds the normalised features of one token: its own vector, then what each convolution made of it.
    fn add_features(&self, vectors: &[f32], branches: &[Vec<f32>], token: usize, sum: &mut [f32]) {
        let mut features = [0.0; FEATURES];
        features[..WIDTH].copy_from_slice(&vectors[token * WIDTH..][..WIDTH]);
        for (branch, features) in branches.iter().zip(features[WIDTH..].chunks_exact_mut(BRANCH_WIDTH)) {
            features.copy_from_slice(&branch[token * BRANCH_WIDTH..][..BRANCH_WIDTH]);
        }
        self.norm.apply(&mut features);
        sum.iter_mut().zip(features).for_each(|(sum, value)| *sum += value);
    }

    fn network(&self, mixed: &[f32]) -> Vec<Vec<f32>> {
        let first = rectified(self.first.apply_to(mixed));
        let second = rectified(added(self.first_skip.apply_to(mixed), &self.second.apply_to(&first)));
        let third = rectified(self.third.apply_to(&second));
        let last = added(self.last_skip.apply_to(&second), &self.last.apply_to(&third));
        let vectors = last.chunks_exact(WIDTH).map(|row| {
            let mut vector: Vec<f32> = row.iter().map(|value| value.tanh()).collect();
            vector::normalise(&mut vector);
            vector
        });
        vectors.collect()
    }
}

impl Branch {
    fn unpack(packed: &Packed<'static>, (order, before): (usize, usize)) -> Result<Self> {
        let layer = |name: &str| {
            Linear::joined(packed, &[format!("branch{order}.{name}")], BRANCH_WIDTH, order * BRANCH_WIDTH)
        };
        Ok(Self { before, after: order - 1 - before, first: layer("first")?, second: layer("second")? })
    }

    /// Two convolutions, each added to its input. All texts pass one layer before the next: its weights stay in the
    /// cache meanwhile.
    fn apply(&self, inputs: &[f32], texts: &[Vec<u32>]) -> Vec<f32> {
        let first = self.convolve(&self.first, inputs, texts);
        self.convolve(&self.second, &first, texts)
    }

    fn convolve(&self, layer: &Linear, inputs: &[f32], texts: &[Vec<u32>]) -> Vec<f32> {
        let mut out = vec![0.0; inputs.len()];
        let mut start = 0;
        for text in texts {
            let span = start..start + text.len() * BRANCH_WIDTH;
            let windows = WholeRows::of_windows(&inputs[span.clone()], BRANCH_WIDTH, self.before, self.after);
            layer.apply(&windows, &mut out[span.clone()]);
            start = span.end;
        }
        added(rectified(out), inputs)
    }
}

/// The part of each projected row that belongs to one branch.
fn columns(projected: &[f32], branch: usize) -> Vec<f32> {
    let rows = projected.chunks_exact(BRANCHES.len() * BRANCH_WIDTH);
    rows.flat_map(|row| &row[branch * BRANCH_WIDTH..][..BRANCH_WIDTH]).copied().collect()
}

fn rectified(mut values: Vec<f32>) -> Vec<f32> {
    values.iter_mut().for_each(|value| *value = value.max(0.0));
    values
}

fn added(mut values: Vec<f32>, others: &[f32]) -> Vec<f32> {
    values.iter_mut().zip(others).for_each(|(value, other)| *value += other);
    values
}
