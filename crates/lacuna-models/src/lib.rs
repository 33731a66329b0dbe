//! The models of Lacuna: two embedders and a tokenizer packed into the binary, and clients for embedding endpoints
//! and for language models.

pub mod packed;

mod calibration;
mod endpoint;
mod llm;
#[cfg(test)]
mod reference;
mod sentence;
mod server;
mod static_model;
mod tokenizer;
mod tokens;
mod transformer;
mod vector;

use std::sync::Arc;

use lacuna_types::Result;
use lacuna_types::embed::Embedder;
use lacuna_types::llm::Llm;

pub use endpoint::{ENDPOINT_BATCH_MAX, EndpointConfig};
pub use llm::{LLM_ANSWER_BYTES_MAX, LlmConfig, LlmKind};
pub use sentence::{SENTENCE_DIMENSIONS, SENTENCE_TOKENS_MAX};
pub use server::{ApiKey, ENDPOINT_RETRIES_MAX};
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

/// A language model behind an API. Nothing is asked until the first turns.
pub fn llm(config: LlmConfig) -> Result<Arc<dyn Llm>> {
    Ok(Arc::new(llm::Client::new(config)?))
}
