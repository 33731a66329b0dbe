//! Vectors of the original float models, frozen; tests measure the packed models against them.

use serde::Deserialize;

use crate::vector;

/// Components are stored times this, rounded; that costs less than 1e-6 of a cosine.
const STORED_SCALE: f32 = 10_000.0;

#[derive(Deserialize)]
pub(crate) struct VectorCase {
    pub(crate) text: String,
    minilm: Vec<i16>,
    potion: Vec<i16>,
}

impl VectorCase {
    pub(crate) fn minilm(&self) -> Vec<f32> {
        unit(&self.minilm)
    }

    pub(crate) fn potion(&self) -> Vec<f32> {
        unit(&self.potion)
    }
}

pub(crate) fn cases() -> Vec<VectorCase> {
    serde_json::from_str(include_str!("../tests/data/vectors.json")).unwrap()
}

fn unit(stored: &[i16]) -> Vec<f32> {
    let mut vector: Vec<f32> = stored.iter().map(|value| f32::from(*value) / STORED_SCALE).collect();
    assert!(vector::normalise(&mut vector));
    vector
}
