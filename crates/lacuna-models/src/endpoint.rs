//! Embeddings from a server that speaks OpenAI's `/v1/embeddings`: a hosted one, or one of your own.
//!
//! The server sees the texts, so it is asked only over TLS or on this machine, and never followed elsewhere.
//! No error holds a text, the key or anything that the server wrote.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use lacuna_core::embed::{Calibration, Embedder, MODEL_NAME_BYTES_MAX, ModelId, Purpose};
use lacuna_core::{Error, Result};
use serde::{Deserialize, Serialize};
use ureq::Agent;
use ureq::config::Config;
use ureq::http::{HeaderValue, Response, StatusCode, Uri, header};
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};
use zeroize::Zeroizing;

use crate::{calibration, vector};

/// Texts per request at most; hosted servers allow up to 2,048, small ones choke earlier.
pub const ENDPOINT_BATCH_MAX: usize = 1024;
/// Attempts after the first at most.
pub const ENDPOINT_RETRIES_MAX: u32 = 10;

/// A server that asks for a longer pause is down as far as the caller is concerned.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(20);
/// The pause doubles with every attempt up to this.
const PAUSE_MAX: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT_MAX: Duration = Duration::from_secs(10);

/// An answer may hold this many bytes per text (8,192 numbers in full length), and so many besides.
const RESPONSE_BYTES_PER_TEXT: u64 = 256 * 1024;
const RESPONSE_BYTES_BESIDES: u64 = 64 * 1024;

const UNAVAILABLE: &str = "embedder_unavailable";
const MISCONFIGURED: &str = "embedder_misconfigured";

/// Before the endpoint has answered once nothing is known about its model: call most texts unrelated.
const UNFITTED: Calibration = Calibration { midpoint: 0.5, steepness: 10.0 };

/// A secret: it cannot be printed, cloned or compared, and is zeroed when dropped.
pub struct ApiKey(Zeroizing<String>);

impl ApiKey {
    pub fn new(key: String) -> Self {
        Self(Zeroizing::new(key))
    }
}

/// How to reach an embedding endpoint. It has no `Debug` because it holds the key.
pub struct EndpointConfig {
    /// The base of the API (`https://api.example.com/v1`) or the whole address ending in `/embeddings`.
    pub url: String,
    /// The model's name as the server knows it.
    pub model: String,
    pub api_key: Option<ApiKey>,
    /// Asks the model for shorter vectors, if it can.
    pub dimensions: Option<u32>,
    /// For one attempt, from connecting to the last byte.
    pub timeout: Duration,
    /// Attempts after the first, on 408, 429, 5xx and broken connections.
    pub retries: u32,
    /// Before the first retry; it doubles with each.
    pub retry_pause: Duration,
    /// Texts per request.
    pub batch_size: usize,
}

impl EndpointConfig {
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
    uri: Uri,
    authorization: Option<HeaderValue>,
    agent: Agent,
    retries: u32,
    retry_pause: Duration,
    batch_size: usize,
    asked_dimensions: Option<u32>,
    /// Learned from the first answer; a server that later changes its mind has changed its model.
    dimensions: OnceLock<usize>,
    calibration: OnceLock<Calibration>,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [&'a str],
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<u32>,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// Why one attempt failed, and whether another may succeed.
enum Failure {
    Passing { after: Option<Duration>, error: Error },
    Lasting(Error),
}

impl Endpoint {
    pub(crate) fn new(config: EndpointConfig) -> Result<Self> {
        let uri = address(&config.url)?;
        check_limits(&config)?;
        let label = match config.dimensions {
            Some(dimensions) => format!("endpoint:{}#{dimensions}", config.model),
            None => format!("endpoint:{}", config.model),
        };
        if config.model.is_empty() || label.len() > MODEL_NAME_BYTES_MAX {
            return Err(misconfigured("the embedding model's name is empty or too long"));
        }
        Ok(Self {
            model: ModelId::new(label),
            agent: agent(&config, &uri),
            uri,
            authorization: config.api_key.as_ref().map(authorization).transpose()?,
            name: config.model,
            retries: config.retries,
            retry_pause: config.retry_pause,
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
        let request = Request {
            model: &self.name,
            input: texts,
            encoding_format: "float",
            dimensions: self.asked_dimensions,
        };
        let body =
            serde_json::to_vec(&request).map_err(|_| unavailable("the texts cannot be sent as JSON"))?;
        let answer = self.ask(&body, texts.len())?;
        let mut vectors = in_order(answer, texts.len())?;
        if !vectors.iter_mut().all(|vector| vector::normalise(vector)) {
            return Err(unavailable("the embedding endpoint answered with a vector that has no direction"));
        }
        self.check_dimensions(&vectors)?;
        Ok(vectors)
    }

    fn ask(&self, body: &[u8], texts: usize) -> Result<Answer> {
        let mut pause = self.retry_pause;
        for retries_left in (0..=self.retries).rev() {
            match self.attempt(body, texts) {
                Ok(answer) => return Ok(answer),
                Err(Failure::Passing { after, .. })
                    if retries_left > 0 && after.is_none_or(|after| after <= RETRY_AFTER_MAX) =>
                {
                    thread::sleep(after.unwrap_or(pause));
                    pause = (pause * 2).min(PAUSE_MAX);
                }
                Err(Failure::Passing { error, .. } | Failure::Lasting(error)) => return Err(error),
            }
        }
        Err(unavailable("the embedding endpoint was not asked"))
    }

    fn attempt(&self, body: &[u8], texts: usize) -> std::result::Result<Answer, Failure> {
        let mut request = self.agent.post(&self.uri).header(header::CONTENT_TYPE, "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        let mut response = request.send(body).map_err(transport_failure)?;
        if let Some(failure) = status_failure(&response) {
            return Err(failure);
        }
        let limit = RESPONSE_BYTES_BESIDES + RESPONSE_BYTES_PER_TEXT * texts as u64;
        let bytes =
            response.body_mut().with_config().limit(limit).read_to_vec().map_err(transport_failure)?;
        // The parser's message may quote the answer, so it is dropped.
        serde_json::from_slice(&bytes)
            .map_err(|_| Failure::Lasting(unavailable("the embedding endpoint's answer is not as expected")))
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

    /// One request with our own sentences, the first time; without it no similarity could be told.
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

    fn embed(&self, texts: &[&str], _purpose: Purpose) -> Result<Vec<Vec<f32>>> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        self.fitted()?;
        self.embed_all(texts)
    }

    /// Known as soon as anything was embedded; until then, and while the server is down, a cautious guess.
    fn calibration(&self) -> Calibration {
        self.fitted().unwrap_or(UNFITTED)
    }
}

fn address(url: &str) -> Result<Uri> {
    let url = url.trim_end_matches('/');
    let whole = if url.ends_with("/embeddings") { url.to_owned() } else { format!("{url}/embeddings") };
    let uri: Uri =
        whole.parse().map_err(|_| misconfigured("the embedding endpoint's address is not a URL"))?;
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    if authority.contains('@') {
        return Err(misconfigured(
            "put the embedding endpoint's key into its own setting, not into the address",
        ));
    }
    match uri.scheme_str() {
        Some("https") => Ok(uri),
        Some("http") if is_loopback(&uri) => Ok(uri),
        Some("http") => Err(misconfigured("an embedding endpoint on another machine needs https")),
        _ => Err(misconfigured("the embedding endpoint's address must start with https:// or http://")),
    }
}

fn is_loopback(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.parse::<IpAddr>().map_or(bare == "localhost", |address| address.is_loopback())
}

fn check_limits(config: &EndpointConfig) -> Result<()> {
    if !(1..=ENDPOINT_BATCH_MAX).contains(&config.batch_size) {
        return Err(misconfigured(format!("the embedding batch size must be 1 to {ENDPOINT_BATCH_MAX}")));
    }
    if config.retries > ENDPOINT_RETRIES_MAX {
        return Err(misconfigured(format!("embedding retries are at most {ENDPOINT_RETRIES_MAX}")));
    }
    if config.timeout.is_zero() || config.dimensions == Some(0) {
        return Err(misconfigured("the embedding timeout and dimensions must be above zero"));
    }
    Ok(())
}

fn agent(config: &EndpointConfig, uri: &Uri) -> Agent {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let tls = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(provider)
        .build();
    let mut settings = Config::builder()
        .tls_config(tls)
        .http_status_as_error(false)
        .max_redirects(0)
        .timeout_global(Some(config.timeout))
        .timeout_connect(Some(config.timeout.min(CONNECT_TIMEOUT_MAX)));
    if is_loopback(uri) {
        // What stays on this machine is not sent through the proxy of the environment.
        settings = settings.proxy(None);
    }
    settings.build().new_agent()
}

fn authorization(key: &ApiKey) -> Result<HeaderValue> {
    let text = Zeroizing::new(format!("Bearer {}", key.0.as_str()));
    let mut value = HeaderValue::from_str(&text)
        .map_err(|_| misconfigured("the embedding endpoint's key holds characters that no header may"))?;
    value.set_sensitive(true);
    Ok(value)
}

fn transport_failure(error: ureq::Error) -> Failure {
    let reason = match &error {
        ureq::Error::Timeout(_) => "the embedding endpoint did not answer in time",
        ureq::Error::HostNotFound => "the embedding endpoint's host name is not known",
        ureq::Error::BodyExceedsLimit(_) => {
            return Failure::Lasting(unavailable("the embedding endpoint's answer is too large"));
        }
        _ => "the embedding endpoint cannot be reached",
    };
    Failure::Passing { after: None, error: Error::unavailable(UNAVAILABLE, reason, error) }
}

fn status_failure<T>(response: &Response<T>) -> Option<Failure> {
    let status = response.status();
    let code = status.as_u16();
    match status {
        _ if status.is_success() => None,
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => Some(passing(response)),
        _ if status.is_server_error() => Some(passing(response)),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Some(Failure::Lasting(misconfigured(format!(
            "the embedding endpoint does not accept the key (HTTP {code})"
        )))),
        StatusCode::NOT_FOUND => Some(Failure::Lasting(misconfigured(
            "the embedding endpoint knows no such address or model (HTTP 404)",
        ))),
        _ => Some(Failure::Lasting(misconfigured(format!(
            "the embedding endpoint refuses the request (HTTP {code}); check the address, the model, its \
             dimensions and its limit on input"
        )))),
    }
}

fn passing<T>(response: &Response<T>) -> Failure {
    let seconds =
        response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    let error = unavailable(format!("the embedding endpoint answers HTTP {}", response.status().as_u16()));
    Failure::Passing { after: seconds.map(Duration::from_secs), error }
}

/// Puts the vectors into the order of the texts; every text must have exactly one.
fn in_order(answer: Answer, texts: usize) -> Result<Vec<Vec<f32>>> {
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
    Error::Unavailable { code: UNAVAILABLE, reason: reason.into(), source: None }
}

fn misconfigured(reason: impl Into<String>) -> Error {
    Error::Misconfigured { code: MISCONFIGURED, reason: reason.into() }
}
