//! The issuer's published keys: fetched at first use, kept for a while, and fetched again when a token names an
//! unknown key, but never more often than the pause allows.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lacuna_models::http_agent;
use serde::Deserialize;
use tokio::sync::Mutex as AsyncMutex;
use ureq::Agent;

use super::jwt::Algorithm;
use crate::codes;
use crate::wire::failure::{Failure, Result};
use crate::wire::unbase64url;

/// Age up to which keys are used without asking the issuer: a withdrawn key opens nothing afterwards.
const FRESH: Duration = Duration::from_secs(300);
/// Age up to which keys are used while the issuer does not answer.
const STALE_MAX: Duration = Duration::from_secs(3_600);
const ANSWER_BYTES_MAX: u64 = 256 << 10;
const ANSWER_TIME: Duration = Duration::from_secs(10);
const KEYS_MAX: usize = 64;
const P256_COORDINATE_BYTES: usize = 32;
/// First byte of a point that is written with both coordinates.
const UNCOMPRESSED: u8 = 4;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Key {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
}

impl Key {
    fn is_for(&self, algorithm: Algorithm) -> bool {
        matches!(
            (self, algorithm),
            (Self::Rsa { .. }, Algorithm::Rs256)
                | (Self::P256(_), Algorithm::Es256)
                | (Self::Ed25519(_), Algorithm::EdDsa)
        )
    }
}

#[derive(Deserialize)]
struct JwksDocument {
    keys: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct ListedKey {
    kty: String,
    kid: Option<String>,
    r#use: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

/// A key with the name that the issuer gave it.
#[derive(Clone)]
struct NamedKey {
    id: Option<String>,
    key: Key,
}

#[derive(Default)]
struct HeldKeys {
    keys: Vec<NamedKey>,
    fetched: Option<Instant>,
    tried: Option<Instant>,
}

pub(super) struct Jwks {
    url: String,
    agent: Agent,
    pause: Duration,
    held: Arc<Mutex<HeldKeys>>,
    /// Held while one task asks the issuer; the others wait for its result.
    asking: AsyncMutex<()>,
}

impl Jwks {
    pub(super) fn new(url: &str, pause: Duration) -> Self {
        Self {
            url: url.to_owned(),
            agent: http_agent(url, ANSWER_TIME),
            pause,
            held: Arc::default(),
            asking: AsyncMutex::new(()),
        }
    }

    /// Keys that may have signed: the one of that name, or every one of that kind for a token that names none.
    pub(super) async fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Result<Vec<Key>> {
        if let Some(found) = self.look(id, algorithm, FRESH) {
            return Ok(found);
        }
        // A caller with a key that was good a while ago need not wait for a slow issuer.
        let _asking = match (self.asking.try_lock(), self.look(id, algorithm, STALE_MAX)) {
            (Ok(asking), _) => asking,
            (Err(_), Some(found)) => return Ok(found),
            (Err(_), None) => self.asking.lock().await,
        };
        // Another task may have asked meanwhile.
        if let Some(found) = self.look(id, algorithm, FRESH) {
            return Ok(found);
        }
        if self.may_ask() {
            self.ask().await;
        }
        match self.age() {
            Some(age) if age <= STALE_MAX => Ok(self.look(id, algorithm, STALE_MAX).unwrap_or_default()),
            _ => Err(Failure::new(&codes::SIGN_ON_UNAVAILABLE, codes::SIGN_ON_UNAVAILABLE.meaning)),
        }
    }

    fn look(&self, id: Option<&str>, algorithm: Algorithm, age_max: Duration) -> Option<Vec<Key>> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.fetched.filter(|fetched| fetched.elapsed() <= age_max)?;
        let fits =
            |named: &&NamedKey| named.key.is_for(algorithm) && (id.is_none() || named.id.as_deref() == id);
        let found: Vec<Key> = held.keys.iter().filter(fits).map(|named| named.key.clone()).collect();
        (!found.is_empty()).then_some(found)
    }

    fn age(&self) -> Option<Duration> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.fetched.map(|fetched| fetched.elapsed())
    }

    fn may_ask(&self) -> bool {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let rested = held.tried.is_none_or(|tried| tried.elapsed() >= self.pause);
        if rested {
            held.tried = Some(Instant::now());
        }
        rested
    }

    async fn ask(&self) {
        let (agent, url) = (self.agent.clone(), self.url.clone());
        let fetched = tokio::task::spawn_blocking(move || fetch(&agent, &url)).await;
        match fetched.unwrap_or(Err("the thread ended")) {
            Ok(keys) => {
                let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
                held.keys = keys;
                held.fetched = Some(Instant::now());
            }
            Err(trouble) => tracing::warn!(trouble, "the keys of the sign-on service cannot be had"),
        }
    }
}

fn fetch(agent: &Agent, url: &str) -> std::result::Result<Vec<NamedKey>, &'static str> {
    let mut answer = agent.get(url).call().map_err(|_| "no answer")?;
    if !answer.status().is_success() {
        return Err("it refuses");
    }
    let bytes = answer.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_vec();
    parse(&bytes.map_err(|_| "the answer is cut short or too large")?).ok_or("the answer holds no keys")
}

/// Parses the issuer's document. Keys of unknown kinds are skipped; issuers publish others as well.
fn parse(bytes: &[u8]) -> Option<Vec<NamedKey>> {
    let document: JwksDocument = serde_json::from_slice(bytes).ok()?;
    let listed = document.keys.into_iter().take(KEYS_MAX);
    let listed = listed.filter_map(|key| serde_json::from_value::<ListedKey>(key).ok());
    Some(listed.filter_map(read_key).collect())
}

fn read_key(listed: ListedKey) -> Option<NamedKey> {
    if listed.r#use.is_some_and(|purpose| purpose != "sig") {
        return None;
    }
    let decode = |text: Option<String>| unbase64url(&text?);
    let key = match (listed.kty.as_str(), listed.crv.as_deref()) {
        ("RSA", _) => Key::Rsa { n: decode(listed.n)?, e: decode(listed.e)? },
        ("EC", Some("P-256")) => {
            let (x, y) = (decode(listed.x)?, decode(listed.y)?);
            if x.len() != P256_COORDINATE_BYTES || y.len() != P256_COORDINATE_BYTES {
                return None;
            }
            Key::P256([&[UNCOMPRESSED][..], &x, &y].concat())
        }
        ("OKP", Some("Ed25519")) => Key::Ed25519(decode(listed.x)?),
        _ => return None,
    };
    Some(NamedKey { id: listed.kid, key })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_for_encryption_and_of_other_kinds_are_passed_over() {
        let coordinate = crate::wire::base64url(&[1u8; 32]);
        let document = format!(
            r#"{{"keys":[
                {{"kty":"oct","k":"c2VjcmV0","kid":"shared"}},
                {{"kty":"RSA","use":"enc","n":"AQAB","e":"AQAB","kid":"enc"}},
                {{"kty":"EC","crv":"P-384","x":"{coordinate}","y":"{coordinate}"}},
                {{"kty":"EC","crv":"P-256","x":"AQ","y":"{coordinate}"}},
                {{"kty":"EC","crv":"P-256","x":"{coordinate}","y":"{coordinate}","kid":"a"}},
                {{"kty":"OKP","crv":"Ed25519","x":"{coordinate}","use":"sig"}},
                "nonsense"
            ]}}"#
        );
        let keys = parse(document.as_bytes()).unwrap();
        assert_eq!(keys.len(), 2);
        assert!(keys[0].key.is_for(Algorithm::Es256) && keys[0].id.as_deref() == Some("a"));
        assert!(keys[1].key.is_for(Algorithm::EdDsa) && !keys[1].key.is_for(Algorithm::Rs256));
        assert!(parse(b"{}").is_none());
    }
}
