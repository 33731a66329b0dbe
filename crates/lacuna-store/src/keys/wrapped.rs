//! Keys that a key management service wraps: they lie in the keystore, where every node reaches them, and open only while
//! the service unwraps them.
//!
//! Each organisation has one key in the service, which wraps its master keys and nothing else; each epoch has one too,
//! so that deleting it blinds every older copy of the keystore.

use std::sync::Arc;
use std::time::Duration;

use lacuna_seal::Entropy;
use lacuna_types::{Error, OrgId, Result};
use zeroize::Zeroizing;

use super::KeyStore;
use super::custody::{Custody, EpochLock, KeyName, org_digest};

/// Wrapped keys handed out per call: one for each version, organisation and epoch.
pub const CUSTODY_KEYS_MAX: usize = 100_000;

/// A key management service, asked for one of its keys by name.
pub trait KeyService: Send + Sync {
    /// Encrypts `key` under the service's key `under`, which is made if it is not there. The result opens under the
    /// same `name` only.
    fn wrap(&self, under: &str, name: &str, key: &[u8; 32]) -> Result<Vec<u8>>;

    /// Decrypts what [`Self::wrap`] returned. [`Error::Unavailable`] when the service does not answer, and
    /// [`Error::Misconfigured`] when it refuses or has no such key any more.
    fn unwrap(&self, under: &str, name: &str, wrapped: &[u8]) -> Result<Zeroizing<[u8; 32]>>;

    /// Deletes the service's key `under`; everything that it wrapped is lost. One that is gone is no failure.
    fn delete(&self, under: &str) -> Result<()>;

    /// The service in messages to people, such as `OpenBao at https://bao.example`.
    fn shown(&self) -> String;
}

/// A key as the keystore holds it for a key management service.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CustodyKey {
    /// The name of the key.
    pub name: String,
    /// The wrapped bytes, as the service returned them.
    pub wrapped: Vec<u8>,
}

/// The custody of a key management service.
pub struct ServiceCustody {
    service: Box<dyn KeyService>,
    keys: Arc<dyn KeyStore>,
    keeps: Duration,
}

impl ServiceCustody {
    /// Keeps wrapped keys in `keys`, and unwrapped ones in RAM for `keeps`.
    pub fn new(service: Box<dyn KeyService>, keys: Arc<dyn KeyStore>, keeps: Duration) -> Self {
        Self { service, keys, keeps }
    }
}

/// The name of an organisation's key in a key management service, without the prefix of the installation.
pub fn service_key_of(org: &OrgId) -> String {
    format!("org-{}", org_digest(org))
}

/// The service's key that wraps a key of ours.
fn service_key(name: &str) -> Result<String> {
    Ok(match KeyName::parse(name) {
        Some(KeyName::Master { org, .. } | KeyName::Codes { org }) => format!("org-{org}"),
        Some(KeyName::Epoch(number)) => format!("epoch-{number}"),
        Some(KeyName::Signing) => "installation".to_owned(),
        None => return Err(Error::corrupt("a wrapped key has a name that no key has")),
    })
}

impl Custody for ServiceCustody {
    fn key(&self, name: &str) -> Result<Option<Zeroizing<[u8; 32]>>> {
        let Some(stored) = self.keys.custody_key(name)? else { return Ok(None) };
        self.service.unwrap(&service_key(name)?, name, &stored.wrapped).map(Some)
    }

    fn place(&self, name: &str, key: &[u8; 32], _entropy: &dyn Entropy) -> Result<()> {
        if self.keys.custody_key(name)?.is_some() {
            return Ok(());
        }
        let wrapped = self.service.wrap(&service_key(name)?, name, key)?;
        self.keys.put_custody_key(&CustodyKey { name: name.to_owned(), wrapped })
    }

    fn holds(&self, name: &str) -> Result<bool> {
        Ok(self.keys.custody_key(name)?.is_some())
    }

    fn names(&self) -> Result<Vec<String>> {
        Ok(self.keys.custody_keys()?.into_iter().map(|key| key.name).collect())
    }

    /// The service's own key first, where it wraps nothing else: a copy of the keystore keeps the wrapped bytes.
    fn destroy(&self, name: &str) -> Result<()> {
        if let Some(KeyName::Epoch(_)) = KeyName::parse(name) {
            self.service.delete(&service_key(name)?)?;
        }
        self.keys.destroy_custody_key(name)
    }

    fn lock(&self, exclusive: bool) -> Result<EpochLock> {
        self.keys.lock(exclusive)
    }

    fn keeps(&self) -> Option<Duration> {
        Some(self.keeps)
    }

    fn shown(&self) -> String {
        self.service.shown()
    }
}
