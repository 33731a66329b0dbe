//! Clients of key management services: OpenBao (and Vault) over its transit engine, and AWS KMS.
//!
//! A service that does not answer is *unavailable*: what is open stays open. One that answers and refuses is
//! *misconfigured*: vaults that depend on it are sealed when their keys' time in RAM is over. No error holds a key, a
//! token or anything that the service wrote beside its own words for the fault.

mod aws;
mod openbao;

use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lacuna_models::{http_agent, is_loopback_host};
use lacuna_store::transport::transport_reason;
use lacuna_types::{Error, Result};
use ureq::Agent;
use ureq::http::{Request, Uri};
use zeroize::Zeroizing;

pub(crate) use aws::{AwsKms, AwsLogin};
pub(crate) use openbao::{OpenBao, TokenSource};

/// The limit for one attempt, from connecting to the last byte.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Pauses before another attempt at a service that does not answer.
const RETRY_PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(400)];
/// The longest answer: a document of the anchor.
const ANSWER_BYTES_MAX: u64 = 4 << 20;

/// The service that a key could not be had from.
fn unavailable(
    service: &str,
    reason: &str,
    cause: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> Error {
    Error::unavailable("kms_unavailable", format!("{service} {reason}"), cause)
}

fn refused(reason: String) -> Error {
    Error::Misconfigured { code: "kms_refused", reason }
}

fn key_missing(service: &str, key: &str) -> Error {
    let reason = format!(
        "{service} has no usable key {key}: it was deleted or disabled, or it has another name; \
         what it wrapped cannot be opened without it"
    );
    Error::Misconfigured { code: "kms_key_missing", reason }
}

/// The status and the body of an answer. Bodies may hold keys.
struct ServiceAnswer {
    status: u16,
    body: Zeroizing<Vec<u8>>,
}

/// One address, called with few retries.
struct ServiceLine {
    agent: Agent,
    shown: String,
}

impl ServiceLine {
    /// Checks the address: keys travel over TLS, or within this machine.
    fn new(shown: String, url: &str) -> Result<Self> {
        let uri: Uri = url.parse().map_err(|_| refused("custody.url is not a URL".to_owned()))?;
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(refused("custody.url must hold no password".to_owned()));
        }
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") if uri.host().is_some_and(is_loopback_host) => {}
            _ => {
                return Err(refused(
                    "custody.url must start with https://, or http:// on this machine".to_owned(),
                ));
            }
        }
        Ok(Self { agent: http_agent(url, TIMEOUT), shown })
    }

    /// Sends a request that `make` makes anew for each attempt: a signature holds for a moment only.
    fn ask(&self, make: impl Fn() -> Result<Request<Vec<u8>>>) -> Result<ServiceAnswer> {
        let mut pauses = RETRY_PAUSES.into_iter();
        loop {
            match (self.attempt(make()?), pauses.next()) {
                (Ok(answer), Some(pause)) if is_passing(answer.status) => thread::sleep(pause),
                (Ok(answer), _) => return Ok(answer),
                (Err(_), Some(pause)) => thread::sleep(pause),
                (Err(error), None) => return Err(unavailable(&self.shown, transport_reason(&error), error)),
            }
        }
    }

    fn attempt(&self, request: Request<Vec<u8>>) -> std::result::Result<ServiceAnswer, ureq::Error> {
        let mut answer = self.agent.run(request)?;
        let status = answer.status().as_u16();
        let body = answer.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_vec()?;
        Ok(ServiceAnswer { status, body: Zeroizing::new(body) })
    }
}

fn is_passing(status: u16) -> bool {
    status == 429 || status >= 500
}

fn encoded(bytes: &[u8]) -> Zeroizing<String> {
    Zeroizing::new(STANDARD.encode(bytes))
}

fn decoded(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    STANDARD.decode(text).ok().map(Zeroizing::new)
}

/// The 32 bytes that a service unwrapped.
fn key_of(service: &str, text: &str) -> Result<Zeroizing<[u8; 32]>> {
    let bytes = decoded(text).and_then(|bytes| <[u8; 32]>::try_from(bytes.as_slice()).ok());
    bytes
        .map(Zeroizing::new)
        .ok_or_else(|| refused(format!("{service} unwrapped something that is not a key")))
}
