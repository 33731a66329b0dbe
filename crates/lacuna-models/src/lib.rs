//! The models of Lacuna: two embedders and a tokenizer packed into the binary, and clients for embedding endpoints
//! and for language models.
//!
//! | function | model | network |
//! |---|---|---|
//! | [`static_embedder`] | a small convolutional encoder of sixteen languages: a fraction of a millisecond a text | none |
//! | [`sentence_embedder`] | a small transformer: milliseconds a text | none |
//! | [`endpoint_embedder`] | any server that speaks OpenAI's `/v1/embeddings` | asked on use |
//! | [`llm`] | a language model that condenses turns and reads requests to forget | asked on use |
//! | [`token_counter`] | the tokenizer of current large models | none |
//!
//! # Example
//!
//! ```
//! use lacuna_types::embed::Purpose;
//!
//! let embedder = lacuna_models::static_embedder()?;
//! let texts = ["My sister cannot eat peanuts.", "She has a peanut allergy.", "The train leaves at noon."];
//! let vectors = embedder.embed(&texts, Purpose::Passage)?;
//!
//! let cosine = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
//! assert!(cosine(&vectors[0], &vectors[1]) > cosine(&vectors[0], &vectors[2]));
//! # Ok::<(), lacuna_types::Error>(())
//! ```

pub mod packed;

mod agent;
mod calibration;
mod endpoint;
mod floats;
mod kernels;
mod linear;
mod llm;
mod ngram_encoder;
mod pieces;
mod questions;
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

pub use agent::{http_agent, is_loopback_host};
pub use endpoint::{ENDPOINT_BATCH_MAX, EndpointConfig};
pub use llm::{LLM_ANSWER_BYTES_MAX, LlmConfig, LlmKind};
pub use sentence::{SENTENCE_DIMENSIONS, SENTENCE_TOKENS_MAX};
pub use server::{ApiKey, ENDPOINT_RETRIES_MAX};
pub use static_model::{STATIC_DIMENSIONS, STATIC_TOKENS_MAX};
pub use tokens::token_counter;

/// Loads the quick model, for the first moment and for bulk. The first embedding checks its layers.
pub fn static_embedder() -> Result<Arc<dyn Embedder>> {
    Ok(Arc::new(static_model::StaticModel::load()?))
}

/// Loads the default model for meaning, a small transformer. The first embedding unpacks and checks its layers.
pub fn sentence_embedder() -> Result<Arc<dyn Embedder>> {
    Ok(Arc::new(sentence::SentenceModel::load()?))
}

/// Connects to a server of your choice instead of the packed models. The first text makes the first request.
pub fn endpoint_embedder(config: EndpointConfig) -> Result<Arc<dyn Embedder>> {
    Ok(Arc::new(endpoint::Endpoint::new(config)?))
}

/// Connects to a language model behind an API. The first question makes the first request.
pub fn llm(config: LlmConfig) -> Result<Arc<dyn Llm>> {
    Ok(Arc::new(llm::LanguageModel::new(config)?))
}
