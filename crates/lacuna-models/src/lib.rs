//! The models of Lacuna: two embedders and a tokenizer packed into the binary, and a client for embedding
//! endpoints.

pub mod packed;

mod calibration;
mod endpoint;
#[cfg(test)]
mod reference;
mod sentence;
mod static_model;
mod tokenizer;
mod tokens;
mod transformer;
mod vector;

use std::sync::Arc;

use lacuna_core::Result;
use lacuna_core::embed::Embedder;

pub use endpoint::{ApiKey, ENDPOINT_BATCH_MAX, ENDPOINT_RETRIES_MAX, EndpointConfig};
pub use sentence::{SENTENCE_DIMENSIONS, SENTENCE_TOKENS_MAX};
pub use static_model::STATIC_DIMENSIONS;
pub use tokens::token_counter;

/// The model for the first moment and for bulk: word vectors, averaged.
pub fn static_embedder() -> Result<Arc<dyn Embedder>> {
    Ok(Arc::new(static_model::StaticModel::load()?))
}

/// The default for meaning: a small transformer. Its layers are unpacked and checked by the first call.
pub fn sentence_embedder() -> Result<Arc<dyn Embedder>> {
    Ok(Arc::new(sentence::SentenceModel::load()?))
}

/// A server of your choice instead of the packed models. Nothing is asked until the first text.
pub fn endpoint_embedder(config: EndpointConfig) -> Result<Arc<dyn Embedder>> {
    Ok(Arc::new(endpoint::Endpoint::new(config)?))
}
