//! The keys of an installation: taken from their custody, checked against their fingerprints, and kept in locked memory
//! for as long as the custody allows.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use lacuna_seal::{Entropy, EpochKey, FingerprintKey, MasterKey, Principal, SigningKey, UserKey};
use lacuna_types::{Error, OrgId, Result, Scope};
use zeroize::Zeroizing;

use super::anchor::Anchor;
use super::custody::{
    Custody, EpochLock, KeyName, SIGNING_KEY, codes_name, epoch_name, epoch_number, master_name, org_digest,
    travels,
};
use super::identity::Belonging;

/// The first version of every organisation's master key.
pub const FIRST_KEY_VERSION: u32 = 1;

/// Master, epoch and signing keys, and the anchor that is kept beside them.
pub struct Kms {
    pub(super) custody: Box<dyn Custody>,
    loaded: Mutex<LoadedKeys>,
    anchor: Arc<Anchor>,
    pub(super) belonging: Mutex<Belonging>,
}

#[derive(Default)]
struct LoadedKeys {
    masters: HashMap<(OrgId, u32), KeptKey<MasterKey>>,
    codes: HashMap<OrgId, Arc<FingerprintKey>>,
    epochs: HashMap<u32, KeptKey<EpochKey>>,
    signing: Option<Arc<SigningKey>>,
    /// The newest version that is known of each organisation's master key. It only rises.
    versions: HashMap<OrgId, u32>,
}

/// A key in RAM, and until when it may be used without asking the custody again.
struct KeptKey<K> {
    key: Arc<K>,
    until: Option<Instant>,
}

impl<K> KeptKey<K> {
    fn is_fresh(&self) -> bool {
        self.until.is_none_or(|until| Instant::now() < until)
    }
}

impl Kms {
    /// Keys of a custody, with their anchor.
    pub fn over(custody: Box<dyn Custody>, anchor: Anchor) -> Self {
        Self { custody, loaded: Mutex::default(), anchor: Arc::new(anchor), belonging: Mutex::default() }
    }

    /// The lower bounds that are kept beside the keys.
    pub fn anchor(&self) -> &Arc<Anchor> {
        &self.anchor
    }

    /// The place of the keys, in messages to people.
    pub fn shown(&self) -> String {
        self.custody.shown()
    }

    /// Takes the signing key into RAM where a service has it, so that a service that goes down later stops no write to a
    /// vault that is open. Nothing is made.
    pub fn warm_up(&self, entropy: &dyn Entropy) -> Result<()> {
        match self.custody.keeps().is_some() && self.custody.holds(SIGNING_KEY)? {
            true => self.signing_key(entropy).map(drop),
            false => Ok(()),
        }
    }

    /// The newest version of the organisation's master key; [`FIRST_KEY_VERSION`] before there is one.
    pub fn key_version(&self, org: &OrgId) -> Result<u32> {
        let known = self.loaded().versions.get(org).copied();
        let mut version = match known {
            // A version that was destroyed meanwhile may have been followed by several, and not only by the next.
            Some(version) if self.custody.holds(&master_name(org, version))? => version,
            _ => self.key_versions(org)?.into_iter().max().unwrap_or(FIRST_KEY_VERSION),
        };
        while self.custody.holds(&master_name(org, version + 1))? {
            version += 1;
        }
        self.loaded().versions.insert(org.clone(), version);
        Ok(version)
    }

    /// The versions of the organisation's master key that are in custody, in no order.
    pub fn key_versions(&self, org: &OrgId) -> Result<Vec<u32>> {
        let digest = org_digest(org);
        let version = |name: String| match KeyName::parse(&name) {
            Some(KeyName::Master { org, version }) if org == digest => Some(version),
            _ => None,
        };
        Ok(self.custody.names()?.into_iter().filter_map(version).collect())
    }

    /// Returns true when an organisation has more than one version of its master key.
    pub fn is_rotating(&self) -> Result<bool> {
        let mut seen = BTreeSet::new();
        let again = |name: String| match KeyName::parse(&name) {
            Some(KeyName::Master { org, .. }) => !seen.insert(org),
            _ => false,
        };
        Ok(self.custody.names()?.into_iter().any(again))
    }

    /// The key of the vault's holder. A missing master key is an error: making another would not open
    /// what the first one sealed.
    pub fn user_key(&self, scope: &Scope, version: u32) -> Result<UserKey> {
        let master = self.existing_master(&scope.org, version)?;
        Ok(master.derive_user_key(&principal(scope), version))
    }

    fn existing_master(&self, org: &OrgId, version: u32) -> Result<Arc<MasterKey>> {
        self.master(org, version)?.ok_or_else(|| {
            let (name, place) = (master_name(org, version), self.shown());
            let reason = format!("the master key {name} is missing from {place}: put it back");
            Error::Misconfigured { code: "missing_key", reason }
        })
    }

    /// The key of a holder whose vault is new, and its version: the organisation's master key is made if this is its
    /// first, and only in the custody that the keystore belongs to.
    pub fn user_key_for_new_vault(&self, scope: &Scope, entropy: &dyn Entropy) -> Result<(UserKey, u32)> {
        self.check_current()?;
        let version = self.key_version(&scope.org)?;
        if self.master(&scope.org, version)?.is_none() {
            let key = MasterKey::make(entropy);
            self.make_key(&master_name(&scope.org, version), key.expose(), true, entropy)?;
        }
        Ok((self.user_key(scope, version)?, version))
    }

    /// Makes the next version of an organisation's master key, and answers with its number. The key of its
    /// authentication codes is kept apart first: it stays the same when the first master key goes.
    pub fn make_next_master(&self, org: &OrgId, entropy: &dyn Entropy) -> Result<u32> {
        let version = self.key_version(org)?;
        let current = self.existing_master(org, version)?;
        if !self.custody.holds(&codes_name(org))? {
            let first = self.existing_master(org, FIRST_KEY_VERSION)?;
            self.make_key(&codes_name(org), &first.derive_code_secret(org.as_str()), true, entropy)?;
        }
        drop(current);
        let key = MasterKey::make(entropy);
        self.make_key(&master_name(org, version + 1), key.expose(), true, entropy)?;
        self.key_version(org)
    }

    /// Destroys the versions of an organisation's master key before `version`, except those that are `needed`.
    pub fn destroy_masters_before(&self, org: &OrgId, version: u32, needed: &BTreeSet<u32>) -> Result<u32> {
        let mut destroyed = 0;
        for old in self.key_versions(org)? {
            if old < version && !needed.contains(&old) {
                self.custody.destroy(&master_name(org, old))?;
                self.loaded().masters.remove(&(org.clone(), old));
                destroyed += 1;
            }
        }
        Ok(destroyed)
    }

    /// The key of the organisation's authentication codes. It is derived from the first master key, so that a code
    /// stays valid when a newer one is made. A missing key is an error, as in [`Self::user_key`].
    pub fn code_key(&self, org: &OrgId) -> Result<Arc<FingerprintKey>> {
        if let Some(key) = self.loaded().codes.get(org) {
            return Ok(key.clone());
        }
        let name = codes_name(org);
        let key = Arc::new(match self.custody.key(&name)? {
            Some(secret) => {
                self.check_print(&name, &secret)?;
                FingerprintKey::from_secret(&secret)
            }
            None => self.existing_master(org, FIRST_KEY_VERSION)?.derive_code_key(org.as_str()),
        });
        self.loaded().codes.insert(org.clone(), key.clone());
        Ok(key)
    }

    /// The newest epoch. The first one is made where the keystore holds nothing yet.
    pub fn current_epoch(&self, entropy: &dyn Entropy) -> Result<(u32, Arc<EpochKey>)> {
        self.check_current()?;
        let number = match self.newest_epoch()? {
            Some(number) => number,
            None => {
                self.make_key(&epoch_name(1), EpochKey::make(entropy).expose(), false, entropy)?;
                self.anchor.note_epoch(1)?;
                1
            }
        };
        Ok((number, self.epoch(number)?))
    }

    /// The key of an epoch; an error when it was destroyed.
    pub fn epoch(&self, number: u32) -> Result<Arc<EpochKey>> {
        if let Some(kept) = self.loaded().epochs.get(&number).filter(|kept| kept.is_fresh()) {
            return Ok(kept.key.clone());
        }
        let name = epoch_name(number);
        let bytes = self.custody.key(&name)?.ok_or_else(|| Error::Misconfigured {
            code: "missing_key",
            reason: format!("{name} is not in {}: what was wrapped under it cannot be opened", self.shown()),
        })?;
        self.check_print(&name, &bytes)?;
        let key = Arc::new(EpochKey::from_bytes(*bytes));
        self.loaded().epochs.insert(number, self.kept(key.clone()));
        // Whoever made this epoch has probably destroyed the one before.
        self.drop_vanished_keys();
        Ok(key)
    }

    /// Makes epoch `number`; if another process was first, theirs stands.
    pub fn make_epoch(&self, number: u32, entropy: &dyn Entropy) -> Result<u32> {
        let key = EpochKey::make(entropy);
        self.make_key(&epoch_name(number), key.expose(), true, entropy)?;
        Ok(number)
    }

    /// Destroys every epoch key before `number`, except those that are `needed`.
    pub fn destroy_epochs_before(&self, number: u32, needed: &BTreeSet<u32>) -> Result<u32> {
        let mut destroyed = 0;
        for old in self.epochs()?.into_iter().filter(|epoch| *epoch < number && !needed.contains(epoch)) {
            self.custody.destroy(&epoch_name(old))?;
            destroyed += 1;
        }
        self.drop_vanished_keys();
        Ok(destroyed)
    }

    /// Leaves no key in RAM that is not in custody any more: another process destroyed it. A custody that does not
    /// answer takes nothing away.
    pub fn drop_vanished_keys(&self) {
        let (epochs, masters): (Vec<_>, Vec<_>) = {
            let loaded = self.loaded();
            (loaded.epochs.keys().copied().collect(), loaded.masters.keys().cloned().collect())
        };
        let is_gone = |name: String| matches!(self.custody.holds(&name), Ok(false));
        for epoch in epochs.into_iter().filter(|epoch| is_gone(epoch_name(*epoch))) {
            self.loaded().epochs.remove(&epoch);
        }
        for key in masters.into_iter().filter(|(org, version)| is_gone(master_name(org, *version))) {
            self.loaded().masters.remove(&key);
        }
    }

    /// Asks the custody again for every key whose time in RAM is over, and drops those that it refuses. Answers with the
    /// organisations whose vaults may not stay open. A custody that does not answer takes nothing away: what is open
    /// stays open, and nothing new is opened.
    pub fn renew_kept(&self) -> Vec<OrgId> {
        let stale: Vec<_> = {
            let loaded = self.loaded();
            let stale = loaded.masters.iter().filter(|(_, kept)| !kept.is_fresh());
            stale.map(|(name, _)| name.clone()).collect()
        };
        let mut lost = BTreeSet::new();
        for (org, version) in stale {
            match self.fetch_master(&org, version) {
                Ok(Some(_)) | Err(Error::Unavailable { .. }) => {}
                // Another node rotated the key, and destroyed this version.
                Ok(None) if self.key_version(&org).is_ok_and(|newest| newest > version) => {
                    self.loaded().masters.remove(&(org, version));
                }
                Ok(None) | Err(_) => {
                    self.forget_org(&org);
                    lost.insert(org);
                }
            }
        }
        lost.into_iter().collect()
    }

    fn forget_org(&self, org: &OrgId) {
        let mut loaded = self.loaded();
        loaded.masters.retain(|(other, _), _| other != org);
        loaded.codes.remove(org);
    }

    /// Returns true when the key of an epoch is in custody.
    pub fn holds_epoch(&self, number: u32) -> Result<bool> {
        self.custody.holds(&epoch_name(number))
    }

    /// The number of the newest epoch, `None` before the first.
    pub fn newest_epoch(&self) -> Result<Option<u32>> {
        Ok(self.epochs()?.into_iter().max())
    }

    /// The numbers of the epochs whose keys are in custody, in no order.
    pub fn epochs(&self) -> Result<Vec<u32>> {
        Ok(self.custody.names()?.iter().filter_map(|name| epoch_number(name)).collect())
    }

    /// The key with which this installation signs receipts and checkpoints, made on first use. If another
    /// process was first, theirs stands: the answer is always the key in custody.
    pub fn signing_key(&self, entropy: &dyn Entropy) -> Result<Arc<SigningKey>> {
        if let Some(key) = &self.loaded().signing {
            return Ok(key.clone());
        }
        let seed = match self.custody.key(SIGNING_KEY)? {
            Some(seed) => seed,
            None => {
                self.make_key(SIGNING_KEY, SigningKey::make(entropy).expose(), false, entropy)?;
                self.custody.key(SIGNING_KEY)?.ok_or_else(|| Error::Misconfigured {
                    code: "missing_key",
                    reason: format!("{SIGNING_KEY} was removed a moment after it was made"),
                })?
            }
        };
        self.check_print(SIGNING_KEY, &seed)?;
        let key = Arc::new(SigningKey::from_seed(*seed));
        self.loaded().signing = Some(key.clone());
        Ok(key)
    }

    /// The keys that a full backup takes along, by their names: all but the epoch keys.
    pub fn export_keys(&self) -> Result<Vec<(String, Zeroizing<[u8; 32]>)>> {
        let mut names = self.custody.names()?;
        names.retain(|name| travels(name));
        names.sort();
        let key = |name: String| Ok(self.custody.key(&name)?.map(|key| (name, key)));
        names.into_iter().filter_map(|name| key(name).transpose()).collect()
    }

    /// Takes a key of a backup into custody. A master key that is there already must be the same one; a
    /// signing key that is there stays.
    pub fn import_key(&self, name: &str, key: &[u8; 32], entropy: &dyn Entropy) -> Result<()> {
        if !travels(name) {
            let reason = format!("{name} is not a key file");
            return Err(Error::Misconfigured { code: "bad_key_file", reason });
        }
        self.custody.place(name, key, entropy)?;
        let placed = self.custody.key(name)?.is_some_and(|placed| *placed == *key);
        match placed || name == SIGNING_KEY {
            true => Ok(()),
            false => Err(Error::Misconfigured {
                code: "wrong_key",
                reason: format!("{name} in {} is another key than the one in the backup", self.shown()),
            }),
        }
    }

    /// Shared by those who wrap roots, exclusive for the one who makes or destroys keys.
    pub fn lock_epoch(&self, exclusive: bool) -> Result<EpochLock> {
        self.custody.lock(exclusive)
    }

    fn master(&self, org: &OrgId, version: u32) -> Result<Option<Arc<MasterKey>>> {
        if let Some(kept) = self.loaded().masters.get(&(org.clone(), version)).filter(|kept| kept.is_fresh())
        {
            return Ok(Some(kept.key.clone()));
        }
        self.fetch_master(org, version)
    }

    fn fetch_master(&self, org: &OrgId, version: u32) -> Result<Option<Arc<MasterKey>>> {
        let name = master_name(org, version);
        let Some(bytes) = self.custody.key(&name)? else {
            return Ok(None);
        };
        self.check_print(&name, &bytes)?;
        let key = Arc::new(MasterKey::from_bytes(*bytes));
        self.loaded().masters.insert((org.clone(), version), self.kept(key.clone()));
        Ok(Some(key))
    }

    fn kept<K>(&self, key: Arc<K>) -> KeptKey<K> {
        KeptKey { key, until: self.custody.keeps().map(|keeps| Instant::now() + keeps) }
    }

    fn loaded(&self) -> MutexGuard<'_, LoadedKeys> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn epochs_in_ram(&self) -> Vec<u32> {
        self.loaded().epochs.keys().copied().collect()
    }
}

/// The holder as key derivation names it. Only a person's vault derives from the bare user id; the others
/// carry their kind, so that a team named like a user has another key.
fn principal(scope: &Scope) -> Principal {
    use lacuna_types::Holder;
    match &scope.holder {
        Holder::User(user) => Principal::parse(user.as_str()),
        other => Principal::Name(format!("{}\u{1f}{}", other.kind(), other.name())),
    }
}
