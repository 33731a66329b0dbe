//! The custody of the keys at the top: the master keys of organisations, the epoch keys and the signing key. Each is
//! 32 bytes under a name; a folder holds them as files, a key management service wraps them.

use std::any::Any;
use std::time::Duration;

use lacuna_seal::{Digest, Entropy};
use lacuna_types::{OrgId, Result};
use zeroize::Zeroizing;

/// The name of the key with which the installation signs.
pub(super) const SIGNING_KEY: &str = "signing.key";

/// A place that holds keys under their names, alone or for several nodes.
pub trait Custody: Send + Sync {
    /// The key of that name, `None` where there is none. A key that is there and cannot be had is an error.
    fn key(&self, name: &str) -> Result<Option<Zeroizing<[u8; 32]>>>;

    /// Stores a key durably, or leaves the one that is already there.
    fn place(&self, name: &str, key: &[u8; 32], entropy: &dyn Entropy) -> Result<()>;

    /// Returns true when there is a key of that name. It is not read.
    fn holds(&self, name: &str) -> Result<bool>;

    /// The names of all keys, in no order.
    fn names(&self) -> Result<Vec<String>>;

    /// Destroys a key beyond recovery, in every copy that this custody can reach. One that is gone already is no
    /// failure.
    fn destroy(&self, name: &str) -> Result<()>;

    /// Shared by those who wrap roots, exclusive for the one who makes or destroys keys.
    fn lock(&self, exclusive: bool) -> Result<EpochLock>;

    /// The time for which a key may stay in RAM before it is asked for again; `None` for as long as the process lives.
    fn keeps(&self) -> Option<Duration>;

    /// The place in messages to people, such as `the key folder /srv/keys`.
    fn shown(&self) -> String;
}

/// Held while roots are wrapped under the current keys, or (exclusively) while keys are made or destroyed.
pub struct EpochLock(
    #[expect(dead_code, reason = "the lock lasts as long as the value")] Option<Box<dyn Any + Send>>,
);

impl EpochLock {
    /// A lock that lasts as long as `held`.
    pub fn holding(held: impl Any + Send) -> Self {
        Self(Some(Box::new(held)))
    }

    /// The lock of a keystore that only this process has: callers that race meet at the generation of a root.
    pub(super) fn alone() -> Self {
        Self(None)
    }
}

/// The meaning of a key's name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum KeyName {
    /// A version of an organisation's master key; organisations go by their digest.
    Master {
        org: String,
        version: u32,
    },
    /// The key of an organisation's authentication codes, kept apart once its first master key is gone.
    Codes {
        org: String,
    },
    Epoch(u32),
    Signing,
}

impl KeyName {
    pub(super) fn parse(name: &str) -> Option<Self> {
        if name == SIGNING_KEY {
            return Some(Self::Signing);
        }
        let stem = name.strip_suffix(".key")?;
        if let Some(number) = stem.strip_prefix("epoch-") {
            return number.parse().ok().map(Self::Epoch);
        }
        let is_digest = |text: &&str| text.len() == 16 && text.chars().all(|c| c.is_ascii_hexdigit());
        if let Some(org) = stem.strip_prefix("codes-").filter(is_digest) {
            return Some(Self::Codes { org: org.to_owned() });
        }
        let (org, version) = stem.strip_prefix("master-")?.split_once('-')?;
        let version = version.parse().ok().filter(|_| is_digest(&org))?;
        Some(Self::Master { org: org.to_owned(), version })
    }
}

/// The number in the name of an epoch's key.
pub(super) fn epoch_number(name: &str) -> Option<u32> {
    match KeyName::parse(name) {
        Some(KeyName::Epoch(number)) => Some(number),
        _ => None,
    }
}

pub(super) fn epoch_name(number: u32) -> String {
    format!("epoch-{number}.key")
}

pub(super) fn master_name(org: &OrgId, version: u32) -> String {
    format!("master-{}-{version}.key", org_digest(org))
}

pub(super) fn codes_name(org: &OrgId) -> String {
    format!("codes-{}.key", org_digest(org))
}

/// A digest, because an organisation's name may hold characters that a file name may not.
pub(super) fn org_digest(org: &OrgId) -> String {
    let digest = Digest::of("lacuna/master-key-file/v1", &[org.as_str().as_bytes()]);
    lacuna_seal::hex(&digest.as_bytes()[..8])
}

/// Returns true for a key that a backup takes along. Epoch keys stay, or copies of the keystore would not go blind.
pub(super) fn travels(name: &str) -> bool {
    matches!(KeyName::parse(name), Some(KeyName::Signing | KeyName::Master { .. } | KeyName::Codes { .. }))
}
