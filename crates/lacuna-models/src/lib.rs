//! The models of Lacuna: two embedders packed into the binary, and a client for embedding endpoints.

pub mod packed;

#[cfg(test)]
mod reference;
mod static_model;
mod tokenizer;
mod vector;

use std::sync::Arc;

use lacuna_core::Result;
use lacuna_core::embed::Embedder;

pub use static_model::STATIC_DIMENSIONS;

/// What the sentence model reads at once, with the two control tokens.
pub const SENTENCE_TOKENS_MAX: usize = 256;

/// The model for the first moment and for bulk: word vectors, averaged.
pub fn static_embedder() -> Result<Arc<dyn Embedder>> {
    Ok(Arc::new(static_model::StaticModel::load()?))
}
