//! Embeddings from a server that speaks OpenAI's `/v1/embeddings`: a hosted one, or one of your own.
//!
//! Module `server` sends the requests and words the errors.

use std::sync::OnceLock;
use std::time::Duration;

use lacuna_types::embed::{Calibration, Embedder, MODEL_NAME_BYTES_MAX, ModelId, Purpose};
use lacuna_types::{Error, Result};
use serde::{Deserialize, Serialize};
use ureq::http::header;

use crate::server::{ApiKey, ModelServer, Patience, ServerNames};
use crate::{calibration, vector};

/// Texts per request at most; hosted servers allow up to 2,048, small ones choke earlier.
pub const ENDPOINT_BATCH_MAX: usize = 1024;

/// An answer may hold this many bytes per text (8,192 numbers in full length), and so many besides.
const RESPONSE_BYTES_PER_TEXT: u64 = 256 * 1024;
const RESPONSE_BYTES_BESIDES: u64 = 64 * 1024;

const NAMES: ServerNames = ServerNames {
    what: "the embedding endpoint",
    unavailable: "embedder_unavailable",
    misconfigured: "embedder_misconfigured",
};

/// Calibration before the first answer, while nothing is known about the model: most texts count as unrelated.
const UNFITTED: Calibration = Calibration { midpoint: 0.5, steepness: 10.0 };

/// Address and limits of an embedding endpoint. It has no `Debug` because it holds the key.
pub struct EndpointConfig {
    /// The base of the API (`https://api.example.com/v1`) or the whole address ending in `/embeddings`.
    pub url: String,
    /// The model's name as the server knows it.
    pub model: String,
    /// Key that is sent as a bearer token.
    pub api_key: Option<ApiKey>,
    /// Length of vector to ask the model for, if it can shorten them.
    pub dimensions: Option<u32>,
    /// Limit for one attempt, from connecting to the last byte.
    pub timeout: Duration,
    /// Attempts after the first, on 408, 429, 5xx and broken connections.
    pub retries: u32,
    /// Pause before the first retry; it doubles with each.
    pub retry_pause: Duration,
    /// Texts per request.
    pub batch_size: usize,
}

impl EndpointConfig {
    /// Starts from the default limits, without a key.
    pub fn new(url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            model: model.into(),
            api_key: None,
            dimensions: None,
            timeout: Duration::from_secs(30),
            retries: 3,
            retry_pause: Duration::from_millis(250),
            batch_size: 64,
        }
    }
}

pub(crate) struct Endpoint {
    model: ModelId,
    /// The model's name as the server knows it.
    name: String,
    server: ModelServer,
    batch_size: usize,
    asked_dimensions: Option<u32>,
    /// Learned from the first answer; a server that later changes its mind has changed its model.
    dimensions: OnceLock<usize>,
    calibration: OnceLock<Calibration>,
}

#[derive(Serialize)]
struct EmbeddingsRequest<'a> {
    model: &'a str,
    input: &'a [&'a str],
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<u32>,
}

#[derive(Deserialize)]
struct EmbeddingsAnswer {
    data: Vec<EmbeddingItem>,
}

#[derive(Deserialize)]
struct EmbeddingItem {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl Endpoint {
    pub(crate) fn new(config: EndpointConfig) -> Result<Self> {
        check_limits(&config)?;
        let label = match config.dimensions {
            Some(dimensions) => format!("endpoint:{}#{dimensions}", config.model),
            None => format!("endpoint:{}", config.model),
        };
        if config.model.is_empty() || label.len() > MODEL_NAME_BYTES_MAX {
            return Err(misconfigured("the embedding model's name is empty or too long"));
        }
        let EndpointConfig { timeout, retries, retry_pause, .. } = config;
        let patience = Patience { timeout, retries, retry_pause };
        let server = ModelServer::new(NAMES, &config.url, "/embeddings", patience)?;
        let server = match &config.api_key {
            Some(key) => server.with_key(header::AUTHORIZATION, "Bearer ", key)?,
            None => server,
        };
        Ok(Self {
            model: ModelId::new(label),
            server,
            name: config.model,
            batch_size: config.batch_size,
            asked_dimensions: config.dimensions,
            dimensions: OnceLock::new(),
            calibration: OnceLock::new(),
        })
    }

    fn embed_all(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(self.batch_size) {
            vectors.extend(self.embed_batch(batch)?);
        }
        Ok(vectors)
    }

    fn embed_batch(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let request = EmbeddingsRequest {
            model: &self.name,
            input: texts,
            encoding_format: "float",
            dimensions: self.asked_dimensions,
        };
        let body =
            serde_json::to_vec(&request).map_err(|_| unavailable("the texts cannot be sent as JSON"))?;
        let limit = RESPONSE_BYTES_BESIDES + RESPONSE_BYTES_PER_TEXT * texts.len() as u64;
        let answer: EmbeddingsAnswer =
            self.server.ask(&body, limit, |bytes| serde_json::from_slice(bytes).ok())?;
        let mut vectors = in_order(answer, texts.len())?;
        if !vectors.iter_mut().all(|vector| vector::normalise(vector)) {
            return Err(unavailable("the embedding endpoint answered with a vector that has no direction"));
        }
        self.check_dimensions(&vectors)?;
        Ok(vectors)
    }

    fn check_dimensions(&self, vectors: &[Vec<f32>]) -> Result<()> {
        let first = vectors.first().map_or(0, Vec::len);
        if vectors.iter().any(|vector| vector.len() != first) {
            return Err(unavailable("the embedding endpoint answered with vectors of several dimensions"));
        }
        let asked = self.asked_dimensions.map(|asked| asked as usize);
        let expected = *self.dimensions.get_or_init(|| asked.unwrap_or(first));
        if first != expected {
            return Err(misconfigured(format!(
                "the embedding endpoint answers with {first} dimensions instead of {expected}"
            )));
        }
        Ok(())
    }

    /// Fits the calibration with one request of our own sentences, the first time; without it no similarity could
    /// be computed.
    fn fitted(&self) -> Result<Calibration> {
        if let Some(calibration) = self.calibration.get() {
            return Ok(*calibration);
        }
        let calibration = calibration::fit(|texts| self.embed_all(texts))?;
        Ok(*self.calibration.get_or_init(|| calibration))
    }
}

impl Embedder for Endpoint {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn embed(&self, texts: &[&str], _purpose: Purpose) -> Result<Vec<Vec<f32>>> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        self.fitted()?;
        self.embed_all(texts)
    }

    /// The fitted calibration once anything was embedded; until then, and while the server is down, a cautious
    /// guess.
    fn calibration(&self, _purpose: Purpose) -> Calibration {
        self.fitted().unwrap_or(UNFITTED)
    }
}

fn check_limits(config: &EndpointConfig) -> Result<()> {
    if !(1..=ENDPOINT_BATCH_MAX).contains(&config.batch_size) {
        return Err(misconfigured(format!("the embedding batch size must be 1 to {ENDPOINT_BATCH_MAX}")));
    }
    if config.dimensions == Some(0) {
        return Err(misconfigured("the embedding dimensions must be above zero"));
    }
    Ok(())
}

/// Puts the vectors into the order of the texts; every text must have exactly one.
fn in_order(answer: EmbeddingsAnswer, texts: usize) -> Result<Vec<Vec<f32>>> {
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; texts];
    let count = answer.data.len();
    for (position, item) in answer.data.into_iter().enumerate() {
        if let Some(place) = vectors.get_mut(item.index.unwrap_or(position)) {
            *place = Some(item.embedding);
        }
    }
    let complete: Option<Vec<_>> = vectors.into_iter().collect();
    complete.filter(|_| count == texts).ok_or_else(|| {
        unavailable(format!(
            "the embedding endpoint answered with {count} vectors for {texts} texts, or repeated one"
        ))
    })
}

fn unavailable(reason: impl Into<String>) -> Error {
    Error::Unavailable { code: NAMES.unavailable, reason: reason.into(), source: None }
}

fn misconfigured(reason: impl Into<String>) -> Error {
    NAMES.misconfigured(reason)
}
