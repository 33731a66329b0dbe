//! Requests to a model server of the operator's choice: with a deadline, a few retries and a limit on the answer.
//!
//! The server sees texts, so requests go only over TLS or to this machine, and follow no redirect. No error holds
//! a text, the key or anything that the server wrote.

use std::thread;
use std::time::Duration;

use lacuna_types::{Error, Result};
use ureq::Agent;
use ureq::http::{HeaderName, HeaderValue, Response, StatusCode, Uri, header};
use zeroize::Zeroizing;

use crate::agent::{http_agent, is_loopback_host};

/// Limit on attempts after the first.
pub const ENDPOINT_RETRIES_MAX: u32 = 10;

/// Longest pause that a server may ask for; beyond it, it counts as down.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(20);
/// The pause doubles with every attempt up to this.
const PAUSE_MAX: Duration = Duration::from_secs(10);

/// A secret: it cannot be printed, cloned or compared, and is zeroed when dropped.
pub struct ApiKey(Zeroizing<String>);

impl ApiKey {
    /// Takes over the key's text.
    pub fn new(key: String) -> Self {
        Self(Zeroizing::new(key))
    }
}

/// Name of a server in messages, and the codes of its failures.
#[derive(Clone, Copy)]
pub(crate) struct ServerNames {
    pub(crate) what: &'static str,
    pub(crate) unavailable: &'static str,
    pub(crate) misconfigured: &'static str,
}

impl ServerNames {
    /// Error for a server that did not answer as it should; `reason` follows the server's name.
    pub(crate) fn unavailable(&self, reason: impl AsRef<str>) -> Error {
        let reason = format!("{} {}", self.what, reason.as_ref());
        Error::Unavailable { code: self.unavailable, reason, source: None }
    }

    pub(crate) fn misconfigured(&self, reason: impl Into<String>) -> Error {
        Error::Misconfigured { code: self.misconfigured, reason: reason.into() }
    }
}

/// Limits on time and retries.
#[derive(Clone, Copy)]
pub(crate) struct Patience {
    /// Limit for one attempt, from connecting to the last byte.
    pub(crate) timeout: Duration,
    /// Attempts after the first, on 408, 429, 5xx and broken connections.
    pub(crate) retries: u32,
    /// Pause before the first retry; it doubles with each.
    pub(crate) retry_pause: Duration,
}

pub(crate) struct ModelServer {
    names: ServerNames,
    uri: Uri,
    headers: Vec<(HeaderName, HeaderValue)>,
    agent: Agent,
    patience: Patience,
}

/// Failure of one attempt: another attempt may succeed, or not.
enum AttemptFailure {
    Passing {
        after: Option<Duration>,
        error: Error,
    },
    Lasting(Error),
    /// The server does not take this request; it may take another one.
    Refused(Error),
}

/// Failure of a request and of its retries.
pub(crate) enum Unanswered {
    /// The server does not take this request (HTTP 400 or 422); it may take another one.
    Refused(Error),
    Failed(Error),
}

impl From<Unanswered> for Error {
    fn from(unanswered: Unanswered) -> Self {
        let (Unanswered::Refused(error) | Unanswered::Failed(error)) = unanswered;
        error
    }
}

impl ModelServer {
    /// Checks address and limits. `path` ends the address, unless `url` ends in it already.
    pub(crate) fn new(names: ServerNames, url: &str, path: &str, patience: Patience) -> Result<Self> {
        let uri = address(&names, url, path)?;
        if patience.retries > ENDPOINT_RETRIES_MAX {
            return Err(
                names.misconfigured(format!("{}: retries are at most {ENDPOINT_RETRIES_MAX}", names.what))
            );
        }
        if patience.timeout.is_zero() {
            return Err(names.misconfigured(format!("{}: the timeout must be above zero", names.what)));
        }
        Ok(Self {
            names,
            agent: http_agent(&uri.to_string(), patience.timeout),
            uri,
            headers: Vec::new(),
            patience,
        })
    }

    pub(crate) fn with_header(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.push((name, HeaderValue::from_static(value)));
        self
    }

    /// Adds a header with the key after `prefix`.
    pub(crate) fn with_key(mut self, name: HeaderName, prefix: &str, key: &ApiKey) -> Result<Self> {
        let text = Zeroizing::new(format!("{prefix}{}", key.0.as_str()));
        let mut value = HeaderValue::from_str(&text).map_err(|_| {
            self.names
                .misconfigured(format!("{}: the key holds characters that no header may", self.names.what))
        })?;
        value.set_sensitive(true);
        self.headers.push((name, value));
        Ok(self)
    }

    /// Sends a JSON body and reads the answer, at most `bytes_max` long, with `read`.
    pub(crate) fn ask<T>(
        &self,
        body: &[u8],
        bytes_max: u64,
        read: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<T, Unanswered> {
        let mut pause = self.patience.retry_pause;
        for retries_left in (0..=self.patience.retries).rev() {
            match self.attempt(body, bytes_max, &read) {
                Ok(answer) => return Ok(answer),
                Err(AttemptFailure::Passing { after, .. })
                    if retries_left > 0 && after.is_none_or(|after| after <= RETRY_AFTER_MAX) =>
                {
                    thread::sleep(after.unwrap_or(pause));
                    pause = (pause * 2).min(PAUSE_MAX);
                }
                Err(AttemptFailure::Passing { error, .. } | AttemptFailure::Lasting(error)) => {
                    return Err(Unanswered::Failed(error));
                }
                Err(AttemptFailure::Refused(error)) => return Err(Unanswered::Refused(error)),
            }
        }
        Err(Unanswered::Failed(self.names.unavailable("was not asked")))
    }

    fn attempt<T>(
        &self,
        body: &[u8],
        bytes_max: u64,
        read: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<T, AttemptFailure> {
        let mut request = self.agent.post(&self.uri).header(header::CONTENT_TYPE, "application/json");
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let failed = |error| transport_failure(&self.names, error);
        let mut response = request.send(body).map_err(failed)?;
        if let Some(failure) = status_failure(&self.names, &response) {
            return Err(failure);
        }
        let bytes = response.body_mut().with_config().limit(bytes_max).read_to_vec().map_err(failed)?;
        let bytes = Zeroizing::new(bytes);
        // A parser's message may quote the answer, so it is dropped.
        read(&bytes).ok_or_else(|| {
            AttemptFailure::Lasting(self.names.unavailable("gave an answer that is not as expected"))
        })
    }
}

fn address(names: &ServerNames, url: &str, path: &str) -> Result<Uri> {
    let fault = |reason: &str| names.misconfigured(format!("{}: {reason}", names.what));
    let url = url.trim_end_matches('/');
    let whole = if url.ends_with(path) { url.to_owned() } else { format!("{url}{path}") };
    let uri: Uri = whole.parse().map_err(|_| fault("the address is not a URL"))?;
    if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return Err(fault("put the key into its own setting, not into the address"));
    }
    match uri.scheme_str() {
        Some("https") => Ok(uri),
        Some("http") if uri.host().is_some_and(is_loopback_host) => Ok(uri),
        Some("http") => Err(fault("another machine needs https")),
        _ => Err(fault("the address must start with https:// or http://")),
    }
}

fn transport_failure(names: &ServerNames, error: ureq::Error) -> AttemptFailure {
    let reason = match &error {
        ureq::Error::Timeout(_) => "did not answer in time",
        ureq::Error::HostNotFound => "has a host name that is not known",
        ureq::Error::BodyExceedsLimit(_) => {
            return AttemptFailure::Lasting(names.unavailable("gave an answer that is too large"));
        }
        _ => "cannot be reached",
    };
    let error = Error::unavailable(names.unavailable, format!("{} {reason}", names.what), error);
    AttemptFailure::Passing { after: None, error }
}

fn status_failure<T>(names: &ServerNames, response: &Response<T>) -> Option<AttemptFailure> {
    let status = response.status();
    let code = status.as_u16();
    let what = names.what;
    let lasting = |reason: String| Some(AttemptFailure::Lasting(names.misconfigured(reason)));
    match status {
        _ if status.is_success() => None,
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => Some(passing(names, response)),
        _ if status.is_server_error() => Some(passing(names, response)),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            lasting(format!("{what} does not accept the key (HTTP {code})"))
        }
        StatusCode::NOT_FOUND => lasting(format!("{what} knows no such address or model (HTTP 404)")),
        _ => {
            let error = names.misconfigured(format!(
                "{what} refuses the request (HTTP {code}); check the address, the model, its dimensions and its \
                 limit on input"
            ));
            let is_refused = matches!(status, StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY);
            Some(if is_refused { AttemptFailure::Refused(error) } else { AttemptFailure::Lasting(error) })
        }
    }
}

fn passing<T>(names: &ServerNames, response: &Response<T>) -> AttemptFailure {
    let seconds =
        response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    let error = names.unavailable(format!("answers HTTP {}", response.status().as_u16()));
    AttemptFailure::Passing { after: seconds.map(Duration::from_secs), error }
}
