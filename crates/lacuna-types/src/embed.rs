//! Meaning as a vector: the trait that local models and endpoints implement outside this crate.

use std::fmt;

use crate::error::Result;

/// Names a model and its version; two vectors may be compared only under the same one.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ModelId(String);

/// The longest model name that is stored with a vector, in bytes.
pub const MODEL_NAME_BYTES_MAX: usize = 128;

impl ModelId {
    /// Wraps a name; nothing is checked.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The side of a search on which a text stands. Some models embed the two differently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// A text that is kept and found.
    Passage,
    /// A text that looks for others.
    Query,
}

/// Turns texts into unit vectors. Calls block; callers choose the thread.
pub trait Embedder: Send + Sync {
    /// The model that makes the vectors.
    fn model(&self) -> &ModelId;

    /// One vector of unit length per text, in order, all of one dimension.
    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>>;

    /// Returns true for a model that reads English only. It is not asked about texts in other languages while another
    /// model is there.
    fn is_english_only(&self) -> bool {
        false
    }

    /// Returns true for a model outside this process. Texts about health and biometrics are never sent to one.
    fn is_remote(&self) -> bool {
        false
    }

    /// The map of this model's cosines onto the 0..1 scale that callers see, for cosines between a vector of this purpose and
    /// vectors of passages.
    fn calibration(&self, purpose: Purpose) -> Calibration;
}

/// A logistic map from cosine to similarity, fitted so that 0.5 divides unrelated from related and the same
/// threshold means the same under every model.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Calibration {
    /// The cosine that is as likely to join unrelated texts as related ones.
    pub midpoint: f32,
    /// The slope of the similarity at the midpoint.
    pub steepness: f32,
}

impl Calibration {
    /// The similarity from 0 to 1 for a cosine.
    pub fn similarity(&self, cosine: f32) -> f32 {
        1.0 / (1.0 + (-self.log_odds(cosine)).exp())
    }

    /// The logarithm of similarity against its rest, which is what the logistic map is linear in.
    pub fn log_odds(&self, cosine: f32) -> f32 {
        self.steepness * (cosine - self.midpoint)
    }
}
