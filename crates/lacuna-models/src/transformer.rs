//! The forward pass of a BERT encoder with mean pooling. Linear layers work on weights of eight bits; the rest is in
//! f32.
//!
//! The tokens of all texts of a batch stand below each other without padding: the linear layers see one tall
//! matrix, attention sees one text at a time. So no text can change another's vector, whatever the batch.

use lacuna_types::Result;

use crate::floats::{gelu, softmax};
use crate::kernels::wide;
use crate::linear::{Linear, Norm, WholeRows};
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
/// Keys that a query meets at once.
const KEYS: usize = 8;

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
    /// Reads the small parts and arranges the matrices; word vectors stay where they are.
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
        let mut space = Workspace::new(states.len() / WIDTH);
        for layer in &self.layers {
            layer.apply(&mut states, texts, &mut space);
        }
        spans(texts).map(|span| pool(&states[span.start * WIDTH..span.end * WIDTH])).collect()
    }

    fn look_up(&self, texts: &[Vec<u32>]) -> Vec<f32> {
        let tokens = texts.iter().flat_map(|text| text.iter().zip(self.positions.chunks_exact(WIDTH)));
        let mut states = vec![0.0; texts.iter().map(Vec::len).sum::<usize>() * WIDTH];
        for (state, (id, position)) in states.chunks_exact_mut(WIDTH).zip(tokens) {
            state.copy_from_slice(position);
            self.words.add_row(*id as usize, 1.0, state);
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

    fn apply(&self, states: &mut [f32], texts: &[Vec<u32>], space: &mut Workspace) {
        let Workspace { whole, narrow, broad } = space;
        let tokens = states.len() / WIDTH;
        let joined = &mut broad[..tokens * 3 * WIDTH];
        whole.fill(states, WIDTH);
        self.attention_in.apply(whole, joined);
        for span in spans(texts) {
            let inputs = &joined[span.start * 3 * WIDTH..span.end * 3 * WIDTH];
            wide(attend, (inputs, &mut narrow[span.start * WIDTH..span.end * WIDTH]));
        }
        whole.fill(narrow, WIDTH);
        self.attention_out.apply(whole, narrow);
        add_and_norm(states, narrow, &self.attention_norm);

        let inner = &mut broad[..tokens * INNER_WIDTH];
        whole.fill(states, WIDTH);
        self.expand.apply(whole, inner);
        wide(gelu, &mut *inner);
        whole.fill(inner, INNER_WIDTH);
        self.contract.apply(whole, narrow);
        add_and_norm(states, narrow, &self.output_norm);
    }
}

/// Room for what the layers compute, one after the other.
struct Workspace {
    whole: WholeRows,
    /// One width of every token.
    narrow: Vec<f32>,
    /// The widest that a layer makes of every token.
    broad: Vec<f32>,
}

impl Workspace {
    fn new(tokens: usize) -> Self {
        Self {
            whole: WholeRows::default(),
            narrow: vec![0.0; tokens * WIDTH],
            broad: vec![0.0; tokens * INNER_WIDTH],
        }
    }
}

fn add_and_norm(states: &mut [f32], added: &[f32], norm: &Norm) {
    for (state, added) in states.chunks_exact_mut(WIDTH).zip(added.chunks_exact(WIDTH)) {
        state.iter_mut().zip(added).for_each(|(state, added)| *state += added);
        norm.apply(state);
    }
}

/// Attention within one text: `inputs` holds query, key and value side by side, each of all heads.
#[inline(always)]
fn attend((inputs, outputs): (&[f32], &mut [f32])) {
    let tokens = inputs.len() / (3 * WIDTH);
    // Keys stand column by column, so that one query meets several keys at once. Those of no token are zero.
    let columns = tokens.next_multiple_of(KEYS);
    let mut keys = vec![0.0; HEAD_WIDTH * columns];
    let mut scores = vec![0.0; columns];
    for head in 0..HEADS {
        for (token, row) in inputs.chunks_exact(3 * WIDTH).enumerate() {
            for (at, value) in row[WIDTH + head * HEAD_WIDTH..][..HEAD_WIDTH].iter().enumerate() {
                keys[at * columns + token] = *value;
            }
        }
        for (token, output) in outputs.chunks_exact_mut(WIDTH).enumerate() {
            let query = &inputs[token * 3 * WIDTH + head * HEAD_WIDTH..];
            if let Some(query) = query.first_chunk() {
                score(query, &keys, &mut scores);
            }
            softmax(&mut scores[..tokens]);
            if let Some(output) = output[head * HEAD_WIDTH..].first_chunk_mut() {
                *output = mixed(&scores[..tokens], &inputs[2 * WIDTH + head * HEAD_WIDTH..]);
            }
        }
    }
}

/// The products of one query with every key, scaled.
#[inline(always)]
fn score(query: &[f32; HEAD_WIDTH], keys: &[f32], scores: &mut [f32]) {
    /// One over the root of [`HEAD_WIDTH`].
    const SCALE: f32 = 0.176_776_7;
    let columns = scores.len();
    for (block, scores) in scores.as_chunks_mut::<KEYS>().0.iter_mut().enumerate() {
        let mut sums = [0.0; KEYS];
        for (at, value) in query.iter().enumerate() {
            let keys = &keys[at * columns + block * KEYS..][..KEYS];
            for lane in 0..KEYS {
                sums[lane] += value * keys[lane];
            }
        }
        for lane in 0..KEYS {
            scores[lane] = sums[lane] * SCALE;
        }
    }
}

/// The values of all tokens, each by its share.
#[inline(always)]
fn mixed(shares: &[f32], values: &[f32]) -> [f32; HEAD_WIDTH] {
    let mut sums = [0.0; HEAD_WIDTH];
    for (share, values) in shares.iter().zip(values.chunks(3 * WIDTH)) {
        let values = &values[..HEAD_WIDTH];
        for lane in 0..HEAD_WIDTH {
            sums[lane] += share * values[lane];
        }
    }
    sums
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

/// The rows of each text in the batch.
fn spans(texts: &[Vec<u32>]) -> impl Iterator<Item = std::ops::Range<usize>> {
    texts.iter().scan(0, |end, text| {
        let start = *end;
        *end += text.len();
        Some(start..*end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attention as its definition says it, in double precision.
    fn attended(inputs: &[f32], token: usize, column: usize) -> f64 {
        let (tokens, head) = (inputs.len() / (3 * WIDTH), column / HEAD_WIDTH);
        let value =
            |token: usize, part: usize, at: usize| f64::from(inputs[token * 3 * WIDTH + part * WIDTH + at]);
        let score = |other: usize| {
            let columns = head * HEAD_WIDTH..(head + 1) * HEAD_WIDTH;
            let product: f64 = columns.map(|at| value(token, 0, at) * value(other, 1, at)).sum();
            (product / (HEAD_WIDTH as f64).sqrt()).exp()
        };
        let scores: Vec<f64> = (0..tokens).map(score).collect();
        let mixed: f64 = (0..tokens).map(|other| scores[other] * value(other, 2, column)).sum();
        mixed / scores.iter().sum::<f64>()
    }

    #[test]
    fn attention_is_what_its_definition_says() {
        for tokens in [1, 3, 8, 21] {
            let inputs: Vec<f32> = (0..tokens * 3 * WIDTH).map(|at| (at as f32 * 0.7).sin()).collect();
            let (mut plain, mut fast) = (vec![0.0; tokens * WIDTH], vec![0.0; tokens * WIDTH]);
            attend((&inputs, &mut plain));
            wide(attend, (inputs.as_slice(), fast.as_mut_slice()));
            assert_eq!(plain, fast);
            for (at, found) in fast.iter().enumerate().step_by(17) {
                let expected = attended(&inputs, at / WIDTH, at % WIDTH);
                assert!((f64::from(*found) - expected).abs() < 1e-5, "{found} {expected}");
            }
        }
    }
}
