//! Vectors of the original float models, frozen; tests measure the packed models against them.

use serde::Deserialize;

use crate::vector;

/// Components are stored times this, rounded; that costs less than 1e-6 of a cosine.
const STORED_SCALE: f32 = 10_000.0;

#[derive(Deserialize)]
pub(crate) struct VectorCase {
    pub(crate) text: String,
    vector: Vec<i16>,
}

impl VectorCase {
    pub(crate) fn vector(&self) -> Vec<f32> {
        unit(&self.vector)
    }
}

/// Ids from the reference implementation of a tokenizer, frozen.
#[derive(Deserialize)]
pub(crate) struct TokenCase {
    pub(crate) text: String,
    pub(crate) ids: Vec<u32>,
}

/// Vectors of all-MiniLM-L6-v2 as it was learnt further, in floats.
pub(crate) fn sentence_vectors() -> Vec<VectorCase> {
    serde_json::from_str(include_str!("../tests/data/sentence_vectors.json")).unwrap()
}

/// Vectors of the packed sentence model with all arithmetic in floats, as vaults hold them.
pub(crate) fn sentence_packed_vectors() -> Vec<VectorCase> {
    serde_json::from_str(include_str!("../tests/data/sentence_packed_vectors.json")).unwrap()
}

/// Vectors of universal-sentence-encoder-multilingual 3.
pub(crate) fn static_vectors() -> Vec<VectorCase> {
    serde_json::from_str(include_str!("../tests/data/static_vectors.json")).unwrap()
}

/// Ids of all-MiniLM-L6-v2.
pub(crate) fn sentence_tokens() -> Vec<TokenCase> {
    serde_json::from_str(include_str!("../tests/data/sentence_tokens.json")).unwrap()
}

/// Ids of universal-sentence-encoder-multilingual 3, by the library sentencepiece.
pub(crate) fn static_tokens() -> Vec<TokenCase> {
    serde_json::from_str(include_str!("../tests/data/static_tokens.json")).unwrap()
}

fn unit(stored: &[i16]) -> Vec<f32> {
    let mut vector: Vec<f32> = stored.iter().map(|value| f32::from(*value) / STORED_SCALE).collect();
    assert!(vector::normalise(&mut vector));
    vector
}
