//! The identity of key files: the keystore has a fingerprint of each, so that a folder that is absent, foreign or
//! outdated is refused instead of being filled with new keys.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, MutexGuard, PoisonError};

use lacuna_seal::{Entropy, key_fingerprint};

use super::kms::LocalKms;
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

impl LocalKms {
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
        if self.holds_epoch(current) {
            return self.epoch(current).map(drop);
        }
        let folder = self.folder().display();
        let reason = match self.newest_epoch()? {
            Some(newest) if newest > current => format!(
                "the keystore is an old copy: it was wrapped under epoch {current}, and {folder} holds epoch {newest}; \
                 put the current keystore back"
            ),
            _ => format!(
                "the keystore is wrapped under epoch {current}, and epoch-{current}.key is missing from {folder}: put it back"
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
        let master = self.master_path(org, root.key_version);
        for path in [master, self.epoch_path(root.epoch), self.signing_path()] {
            if self.known_print(&keys, &path)?.is_none()
                && let Some(key) = self.read(&path)?
            {
                self.enter(&keys, &path, &key)?;
            }
        }
        Ok(())
    }

    /// Compares a key that was read with its fingerprint, if there is one.
    pub(super) fn check_print(&self, path: &Path, key: &[u8; 32]) -> Result<()> {
        let Some(keys) = self.keystore() else { return Ok(()) };
        match self.known_print(&keys, path)? {
            Some(print) if print != key_fingerprint(&name_of(path), key) => Err(wrong(path)),
            _ => Ok(()),
        }
    }

    /// Makes a key file that the keystore does not know, and enters its fingerprint. If another process was first,
    /// theirs stands. `with_roots` says whether it may be made although the keystore holds roots.
    pub(super) fn make_key(
        &self,
        path: &Path,
        key: &[u8; 32],
        with_roots: bool,
        entropy: &dyn Entropy,
    ) -> Result<()> {
        let Some(keys) = self.keystore() else { return self.write_new(path, key, entropy) };
        // A file that another process placed, or a crash left without its fingerprint.
        if let Some(stands) = self.read(path)? {
            return self.enter(&keys, path, &stands);
        }
        let has_roots = || Ok::<_, Error>(!keys.vaults(None, 1)?.is_empty());
        if self.known_print(&keys, path)?.is_some() || !with_roots && has_roots()? {
            let folder = self.folder().display();
            return Err(missing(format!("{} is missing from {folder}: put it back", name_of(path))));
        }
        self.write_new(path, key, entropy)?;
        match self.read(path)? {
            Some(stands) => self.enter(&keys, path, &stands),
            None => Err(missing(format!("{} was removed a moment after it was made", path.display()))),
        }
    }

    fn enter(&self, keys: &Arc<dyn KeyStore>, path: &Path, key: &[u8; 32]) -> Result<()> {
        let name = name_of(path);
        let made = KeyFingerprint { print: key_fingerprint(&name, key), name };
        let stands = keys.enter_fingerprint(&made)?;
        self.belonging().known.insert(stands.name, stands.print);
        if stands.print == made.print { Ok(()) } else { Err(wrong(path)) }
    }

    fn known_print(&self, keys: &Arc<dyn KeyStore>, path: &Path) -> Result<Option<[u8; FINGERPRINT_BYTES]>> {
        let name = name_of(path);
        if let Some(print) = self.belonging().known.get(&name) {
            return Ok(Some(*print));
        }
        let stored = keys.fingerprints()?.into_iter().map(|stored| (stored.name, stored.print));
        let mut belonging = self.belonging();
        belonging.known.extend(stored);
        Ok(belonging.known.get(&name).copied())
    }

    fn keystore(&self) -> Option<Arc<dyn KeyStore>> {
        self.belonging().keys.clone()
    }

    fn belonging(&self) -> MutexGuard<'_, Belonging> {
        self.belonging.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number in the name of an epoch's file.
pub(super) fn epoch_number(name: &str) -> Option<u32> {
    name.strip_prefix("epoch-")?.strip_suffix(".key")?.parse().ok()
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn missing(reason: String) -> Error {
    Error::Misconfigured { code: "missing_key", reason }
}

fn wrong(path: &Path) -> Error {
    let reason = format!("{} is another key than the one that this keystore was made with", path.display());
    Error::Misconfigured { code: "wrong_key", reason }
}
