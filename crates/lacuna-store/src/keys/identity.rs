//! The identity of key files: the keystore has a fingerprint of each, so that a folder that is absent, foreign or
//! outdated is refused instead of being filled with new keys.

use std::collections::HashMap;
use std::sync::{Arc, MutexGuard, PoisonError};

use lacuna_seal::{Entropy, key_fingerprint};

use super::custody::{SIGNING_KEY, epoch_name, epoch_number, master_name};
use super::kms::Kms;
use super::{KeyStore, WrappedRoot};
use lacuna_types::OrgId;
use lacuna_types::{Error, Result};

/// The size of a fingerprint.
pub const FINGERPRINT_BYTES: usize = lacuna_seal::KEY_FINGERPRINT_BYTES;
/// Fingerprints handed out per call: one for each organisation, and one for each epoch.
pub const FINGERPRINTS_MAX: usize = 100_000;

/// The one-way digest of a key file, by the name of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyFingerprint {
    /// The name of the file.
    pub name: String,
    /// The digest of the key in it.
    pub print: [u8; FINGERPRINT_BYTES],
}

/// The keystore that a key folder belongs to, and what is known of its fingerprints. They never change.
#[derive(Default)]
pub(super) struct Belonging {
    keys: Option<Arc<dyn KeyStore>>,
    known: HashMap<String, [u8; FINGERPRINT_BYTES]>,
}

impl Belonging {
    pub(super) fn to(keys: Arc<dyn KeyStore>) -> Self {
        Self { keys: Some(keys), known: HashMap::new() }
    }
}

impl Kms {
    /// Checks every key against the fingerprints of a keystore from now on.
    pub fn belong_to(&mut self, keys: Arc<dyn KeyStore>) {
        *self.belonging() = Belonging::to(keys);
    }

    /// Checks that the folder holds the epoch under which the keystore's roots are wrapped now. A keystore without
    /// fingerprints passes.
    pub fn check_current(&self) -> Result<()> {
        self.keystore().map_or(Ok(()), |keys| self.check_current_of(&*keys))
    }

    /// Does the same as [`Self::check_current`] for a keystore that the folder is to be used with.
    pub fn check_current_of(&self, keys: &dyn KeyStore) -> Result<()> {
        let prints = keys.fingerprints()?;
        let Some(current) = prints.iter().filter_map(|print| epoch_number(&print.name)).max() else {
            return Ok(());
        };
        if self.holds_epoch(current)? {
            return self.epoch(current).map(drop);
        }
        let place = self.shown();
        let reason = match self.newest_epoch()? {
            Some(newest) if newest > current => format!(
                "the keystore is an old copy: it was wrapped under epoch {current}, and {place} holds epoch {newest}; \
                 put the current keystore back"
            ),
            _ => format!(
                "the keystore is wrapped under epoch {current}, and epoch-{current}.key is missing from {place}: put it back"
            ),
        };
        Err(missing(reason))
    }

    /// Returns true when the keystore knows any of its key files.
    pub fn is_known(&self) -> Result<bool> {
        self.keystore().map_or(Ok(true), |keys| Ok(!keys.fingerprints()?.is_empty()))
    }

    /// Enters the fingerprints of the keys that opened a root, for a keystore that does not have them yet.
    pub fn vouch_for(&self, org: &OrgId, root: &WrappedRoot) -> Result<()> {
        let Some(keys) = self.keystore() else { return Ok(()) };
        let names = [master_name(org, root.key_version), epoch_name(root.epoch), SIGNING_KEY.to_owned()];
        for name in names {
            if self.known_print(&keys, &name)?.is_none()
                && let Some(key) = self.custody.key(&name)?
            {
                self.enter(&keys, &name, &key)?;
            }
        }
        Ok(())
    }

    /// Compares a key that was read with its fingerprint, if there is one.
    pub(super) fn check_print(&self, name: &str, key: &[u8; 32]) -> Result<()> {
        let Some(keys) = self.keystore() else { return Ok(()) };
        match self.known_print(&keys, name)? {
            Some(print) if print != key_fingerprint(name, key) => Err(wrong(name)),
            _ => Ok(()),
        }
    }

    /// Makes a key that the keystore does not know, and enters its fingerprint. If another process was first,
    /// theirs stands. `with_roots` says whether it may be made although the keystore holds roots.
    pub(super) fn make_key(
        &self,
        name: &str,
        key: &[u8; 32],
        with_roots: bool,
        entropy: &dyn Entropy,
    ) -> Result<()> {
        let Some(keys) = self.keystore() else { return self.custody.place(name, key, entropy) };
        // A key that another process placed, or a crash left without its fingerprint.
        if let Some(stands) = self.custody.key(name)? {
            return self.enter(&keys, name, &stands);
        }
        let has_roots = || Ok::<_, Error>(!keys.vaults(None, 1)?.is_empty());
        if self.known_print(&keys, name)?.is_some() || !with_roots && has_roots()? {
            return Err(missing(format!("{name} is missing from {}: put it back", self.shown())));
        }
        self.custody.place(name, key, entropy)?;
        match self.custody.key(name)? {
            Some(stands) => self.enter(&keys, name, &stands),
            None => Err(missing(format!("{name} was removed a moment after it was made"))),
        }
    }

    fn enter(&self, keys: &Arc<dyn KeyStore>, name: &str, key: &[u8; 32]) -> Result<()> {
        let made = KeyFingerprint { print: key_fingerprint(name, key), name: name.to_owned() };
        let stands = keys.enter_fingerprint(&made)?;
        self.belonging().known.insert(stands.name, stands.print);
        if stands.print == made.print { Ok(()) } else { Err(wrong(name)) }
    }

    fn known_print(&self, keys: &Arc<dyn KeyStore>, name: &str) -> Result<Option<[u8; FINGERPRINT_BYTES]>> {
        if let Some(print) = self.belonging().known.get(name) {
            return Ok(Some(*print));
        }
        let stored = keys.fingerprints()?.into_iter().map(|stored| (stored.name, stored.print));
        let mut belonging = self.belonging();
        belonging.known.extend(stored);
        Ok(belonging.known.get(name).copied())
    }

    fn keystore(&self) -> Option<Arc<dyn KeyStore>> {
        self.belonging().keys.clone()
    }

    fn belonging(&self) -> MutexGuard<'_, Belonging> {
        self.belonging.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn missing(reason: String) -> Error {
    Error::Misconfigured { code: "missing_key", reason }
}

fn wrong(name: &str) -> Error {
    let reason = format!("{name} is another key than the one that this keystore was made with");
    Error::Misconfigured { code: "wrong_key", reason }
}
