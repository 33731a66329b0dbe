//! Asking a server of the operator's choice, by HTTP: with a deadline, a few retries and a bound on the answer.
//!
//! The server sees texts, so it is asked only over TLS or on this machine, and never followed elsewhere. No
//! error holds a text, the key or anything that the server wrote.

use std::net::IpAddr;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use lacuna_types::{Error, Result};
use ureq::Agent;
use ureq::config::Config;
use ureq::http::{HeaderName, HeaderValue, Response, StatusCode, Uri, header};
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};
use zeroize::Zeroizing;

/// Attempts after the first at most.
pub const ENDPOINT_RETRIES_MAX: u32 = 10;

/// A server that asks for a longer pause is down as far as the caller is concerned.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(20);
/// The pause doubles with every attempt up to this.
const PAUSE_MAX: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT_MAX: Duration = Duration::from_secs(10);

/// A secret: it cannot be printed, cloned or compared, and is zeroed when dropped.
pub struct ApiKey(Zeroizing<String>);

impl ApiKey {
    pub fn new(key: String) -> Self {
        Self(Zeroizing::new(key))
    }
}

/// How a server is called in messages, and the codes of its failures.
#[derive(Clone, Copy)]
pub(crate) struct Names {
    pub(crate) what: &'static str,
    pub(crate) unavailable: &'static str,
    pub(crate) misconfigured: &'static str,
}

impl Names {
    /// `reason` follows the server's name.
    pub(crate) fn unavailable(&self, reason: impl AsRef<str>) -> Error {
        let reason = format!("{} {}", self.what, reason.as_ref());
        Error::Unavailable { code: self.unavailable, reason, source: None }
    }

    pub(crate) fn misconfigured(&self, reason: impl Into<String>) -> Error {
        Error::Misconfigured { code: self.misconfigured, reason: reason.into() }
    }
}

/// How patient a client is.
#[derive(Clone, Copy)]
pub(crate) struct Patience {
    /// For one attempt, from connecting to the last byte.
    pub(crate) timeout: Duration,
    /// Attempts after the first, on 408, 429, 5xx and broken connections.
    pub(crate) retries: u32,
    /// Before the first retry; it doubles with each.
    pub(crate) retry_pause: Duration,
}

pub(crate) struct Server {
    names: Names,
    uri: Uri,
    headers: Vec<(HeaderName, HeaderValue)>,
    agent: Agent,
    patience: Patience,
}

/// Why one attempt failed, and whether another may succeed.
enum Failure {
    Passing { after: Option<Duration>, error: Error },
    Lasting(Error),
}

impl Server {
    /// `path` ends the address, unless `url` ends in it already.
    pub(crate) fn new(names: Names, url: &str, path: &str, patience: Patience) -> Result<Self> {
        let uri = address(&names, url, path)?;
        if patience.retries > ENDPOINT_RETRIES_MAX {
            return Err(
                names.misconfigured(format!("{}: retries are at most {ENDPOINT_RETRIES_MAX}", names.what))
            );
        }
        if patience.timeout.is_zero() {
            return Err(names.misconfigured(format!("{}: the timeout must be above zero", names.what)));
        }
        Ok(Self { names, agent: agent(patience, &uri), uri, headers: Vec::new(), patience })
    }

    pub(crate) fn with_header(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.push((name, HeaderValue::from_static(value)));
        self
    }

    /// The key follows `prefix` in the header.
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

    /// The answer to a JSON body, at most `bytes_max` long, as `read` understands it.
    pub(crate) fn ask<T>(&self, body: &[u8], bytes_max: u64, read: impl Fn(&[u8]) -> Option<T>) -> Result<T> {
        let mut pause = self.patience.retry_pause;
        for retries_left in (0..=self.patience.retries).rev() {
            match self.attempt(body, bytes_max, &read) {
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
        Err(self.names.unavailable("was not asked"))
    }

    fn attempt<T>(
        &self,
        body: &[u8],
        bytes_max: u64,
        read: impl Fn(&[u8]) -> Option<T>,
    ) -> std::result::Result<T, Failure> {
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
        // A parser's message may quote the answer, so there is none.
        read(&bytes)
            .ok_or_else(|| Failure::Lasting(self.names.unavailable("gave an answer that is not as expected")))
    }
}

fn address(names: &Names, url: &str, path: &str) -> Result<Uri> {
    let fault = |reason: &str| names.misconfigured(format!("{}: {reason}", names.what));
    let url = url.trim_end_matches('/');
    let whole = if url.ends_with(path) { url.to_owned() } else { format!("{url}{path}") };
    let uri: Uri = whole.parse().map_err(|_| fault("the address is not a URL"))?;
    if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return Err(fault("put the key into its own setting, not into the address"));
    }
    match uri.scheme_str() {
        Some("https") => Ok(uri),
        Some("http") if is_loopback(&uri) => Ok(uri),
        Some("http") => Err(fault("another machine needs https")),
        _ => Err(fault("the address must start with https:// or http://")),
    }
}

fn is_loopback(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.parse::<IpAddr>().map_or(bare == "localhost", |address| address.is_loopback())
}

fn agent(patience: Patience, uri: &Uri) -> Agent {
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
        .timeout_global(Some(patience.timeout))
        .timeout_connect(Some(patience.timeout.min(CONNECT_TIMEOUT_MAX)));
    if is_loopback(uri) {
        // What stays on this machine is not sent through the proxy of the environment.
        settings = settings.proxy(None);
    }
    settings.build().new_agent()
}

fn transport_failure(names: &Names, error: ureq::Error) -> Failure {
    let reason = match &error {
        ureq::Error::Timeout(_) => "did not answer in time",
        ureq::Error::HostNotFound => "has a host name that is not known",
        ureq::Error::BodyExceedsLimit(_) => {
            return Failure::Lasting(names.unavailable("gave an answer that is too large"));
        }
        _ => "cannot be reached",
    };
    let error = Error::unavailable(names.unavailable, format!("{} {reason}", names.what), error);
    Failure::Passing { after: None, error }
}

fn status_failure<T>(names: &Names, response: &Response<T>) -> Option<Failure> {
    let status = response.status();
    let code = status.as_u16();
    let what = names.what;
    let lasting = |reason: String| Some(Failure::Lasting(names.misconfigured(reason)));
    match status {
        _ if status.is_success() => None,
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => Some(passing(names, response)),
        _ if status.is_server_error() => Some(passing(names, response)),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            lasting(format!("{what} does not accept the key (HTTP {code})"))
        }
        StatusCode::NOT_FOUND => lasting(format!("{what} knows no such address or model (HTTP 404)")),
        _ => lasting(format!(
            "{what} refuses the request (HTTP {code}); check the address, the model, its dimensions and its \
             limit on input"
        )),
    }
}

fn passing<T>(names: &Names, response: &Response<T>) -> Failure {
    let seconds =
        response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    let error = names.unavailable(format!("answers HTTP {}", response.status().as_u16()));
    Failure::Passing { after: seconds.map(Duration::from_secs), error }
}
