//! The local key custody: master, epoch and signing keys as files of mode 0600, optionally under a passphrase.
//!
//! The epoch key takes part in every wrap of a vault's root key. It lives here and not in the keystore, so
//! that a copy of the keystore goes blind once its epoch is destroyed.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use lacuna_seal::{
    Digest, Entropy, EpochKey, FingerprintKey, MasterKey, PassphraseCost, PassphraseError, Principal,
    SigningKey, UserKey, protect, recover,
};
use zeroize::Zeroizing;

use super::anchor::Anchor;
use super::draft::{FILE_BYTES_MAX, place, shred, sweep_drafts};
use super::identity::{Belonging, epoch_number};
use lacuna_types::{Error, Result};
use lacuna_types::{OrgId, Scope};

const FILE_HEADER: &str = "lacuna key file 1";
const SIGNING_FILE: &str = "signing.key";
/// The first version of every organisation's master key.
const FIRST_VERSION: u32 = 1;

/// Master, epoch and signing keys in a folder of their own.
pub struct LocalKms {
    folder: PathBuf,
    passphrase: Option<Zeroizing<String>>,
    cost: PassphraseCost,
    loaded: Mutex<LoadedKeys>,
    anchor: Arc<Anchor>,
    pub(super) belonging: Mutex<Belonging>,
}

#[derive(Default)]
struct LoadedKeys {
    masters: HashMap<(OrgId, u32), Arc<MasterKey>>,
    codes: HashMap<OrgId, Arc<FingerprintKey>>,
    epochs: HashMap<u32, Arc<EpochKey>>,
    signing: Option<Arc<SigningKey>>,
}

/// Held while roots are wrapped under the current epoch, or (exclusively) while the epoch is renewed.
pub struct EpochLock(#[expect(dead_code, reason = "the lock lasts as long as the open file")] File);

impl LocalKms {
    /// Opens the folder, making it when it is not there. Keys are made when first needed.
    pub fn open(folder: &Path, passphrase: Option<Zeroizing<String>>) -> Result<Self> {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(|error| broken("cannot make the key folder", folder, error))?;
        sweep_drafts(folder);
        Ok(Self {
            folder: folder.to_owned(),
            passphrase,
            cost: PassphraseCost::RECOMMENDED,
            loaded: Mutex::default(),
            anchor: Arc::new(Anchor::open(folder)?),
            belonging: Mutex::default(),
        })
    }

    /// Returns true when a key in `folder` is under a passphrase; false for a folder that is not there.
    pub fn is_protected(folder: &Path) -> Result<bool> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(broken("cannot read", folder, error)),
        };
        let mut keys = entries.filter_map(|entry| Some(entry.ok()?.path()));
        Ok(keys.any(|path| path.extension().is_some_and(|kind| kind == "key") && asks_for_passphrase(&path)))
    }

    /// The lower bounds that are kept beside the keys.
    pub fn anchor(&self) -> &Arc<Anchor> {
        &self.anchor
    }

    /// A cheap passphrase derivation.
    #[cfg(test)]
    fn with_passphrase_cost(mut self, cost: PassphraseCost) -> Self {
        self.cost = cost;
        self
    }

    /// The version under which new vaults derive their user key.
    pub fn key_version(&self) -> u32 {
        FIRST_VERSION
    }

    /// The key of the vault's holder. A missing master key is an error: making another would not open
    /// what the first one sealed.
    pub fn user_key(&self, scope: &Scope, version: u32) -> Result<UserKey> {
        let master = self.existing_master(&scope.org, version)?;
        Ok(master.derive_user_key(&principal(scope), version))
    }

    fn existing_master(&self, org: &OrgId, version: u32) -> Result<Arc<MasterKey>> {
        self.master(org, version)?.ok_or_else(|| {
            let path = self.master_path(org, version);
            let reason = format!("the master key {} is missing: put it back", path.display());
            Error::Misconfigured { code: "missing_key", reason }
        })
    }

    /// The key of a holder whose vault is new: the organisation's master key is made if this is its first, and
    /// only in the folder that the keystore belongs to.
    pub fn user_key_for_new_vault(&self, scope: &Scope, entropy: &dyn Entropy) -> Result<UserKey> {
        let version = self.key_version();
        self.check_current()?;
        if self.master(&scope.org, version)?.is_none() {
            let key = MasterKey::make(entropy);
            self.make_key(&self.master_path(&scope.org, version), key.expose(), true, entropy)?;
        }
        self.user_key(scope, version)
    }

    /// The key of the organisation's authentication codes, derived from its first master key, so that a code stays
    /// valid when a newer one is made. A missing master key is an error, as in [`Self::user_key`].
    pub fn code_key(&self, org: &OrgId) -> Result<Arc<FingerprintKey>> {
        if let Some(key) = self.loaded().codes.get(org) {
            return Ok(key.clone());
        }
        let master = self.existing_master(org, FIRST_VERSION)?;
        let key = Arc::new(master.derive_code_key(org.as_str()));
        self.loaded().codes.insert(org.clone(), key.clone());
        Ok(key)
    }

    /// The newest epoch. The first one is made where the keystore holds nothing yet.
    pub fn current_epoch(&self, entropy: &dyn Entropy) -> Result<(u32, Arc<EpochKey>)> {
        self.check_current()?;
        let number = match self.newest_epoch()? {
            Some(number) => number,
            None => {
                self.make_key(&self.epoch_path(1), EpochKey::make(entropy).expose(), false, entropy)?;
                self.anchor.note_epoch(1)?;
                1
            }
        };
        Ok((number, self.epoch(number)?))
    }

    /// The key of an epoch; an error when it was destroyed.
    pub fn epoch(&self, number: u32) -> Result<Arc<EpochKey>> {
        if let Some(key) = self.loaded().epochs.get(&number) {
            return Ok(key.clone());
        }
        let path = self.epoch_path(number);
        let bytes = self.read(&path)?.ok_or_else(|| Error::Misconfigured {
            code: "missing_key",
            reason: format!(
                "epoch-{number}.key is not in {}: what was wrapped under it cannot be opened",
                self.folder.display()
            ),
        })?;
        self.check_print(&path, &bytes)?;
        let key = Arc::new(EpochKey::from_bytes(*bytes));
        self.loaded().epochs.insert(number, key.clone());
        // Whoever made this epoch has probably destroyed the one before.
        self.drop_vanished_epochs();
        Ok(key)
    }

    /// Makes epoch `number`; if another process was first, theirs stands.
    pub fn make_epoch(&self, number: u32, entropy: &dyn Entropy) -> Result<u32> {
        let key = EpochKey::make(entropy);
        self.make_key(&self.epoch_path(number), key.expose(), true, entropy)?;
        Ok(number)
    }

    /// Overwrites and removes every epoch key before `number`, except those that are `needed`.
    pub fn destroy_epochs_before(&self, number: u32, needed: &BTreeSet<u32>) -> Result<u32> {
        let mut destroyed = 0;
        for old in self.epochs()?.into_iter().filter(|epoch| *epoch < number && !needed.contains(epoch)) {
            let path = self.epoch_path(old);
            shred(&path).map_err(|error| broken("cannot destroy", &path, error))?;
            destroyed += 1;
        }
        sweep_drafts(&self.folder);
        self.drop_vanished_epochs();
        Ok(destroyed)
    }

    /// Leaves no epoch key in RAM whose file is gone: another process destroyed it.
    pub fn drop_vanished_epochs(&self) {
        self.loaded().epochs.retain(|epoch, _| self.holds_epoch(*epoch));
    }

    /// Returns true when the file of an epoch's key is there.
    pub fn holds_epoch(&self, number: u32) -> bool {
        self.epoch_path(number).exists()
    }

    /// The number of the newest epoch, `None` before the first.
    pub fn newest_epoch(&self) -> Result<Option<u32>> {
        Ok(self.epochs()?.into_iter().max())
    }

    /// The key with which this installation signs receipts and checkpoints, made on first use. If another
    /// process was first, theirs stands: the answer is always what the file holds.
    pub fn signing_key(&self, entropy: &dyn Entropy) -> Result<Arc<SigningKey>> {
        if let Some(key) = &self.loaded().signing {
            return Ok(key.clone());
        }
        let path = self.signing_path();
        let seed = match self.read(&path)? {
            Some(seed) => seed,
            None => {
                self.make_key(&path, SigningKey::make(entropy).expose(), false, entropy)?;
                let gone = || broken("cannot read", &path, ErrorKind::NotFound.into());
                self.read(&path)?.ok_or_else(gone)?
            }
        };
        self.check_print(&path, &seed)?;
        let key = Arc::new(SigningKey::from_seed(*seed));
        self.loaded().signing = Some(key.clone());
        Ok(key)
    }

    /// The keys that a full backup takes along: master keys and the signing key, by the names of their files.
    /// Epoch keys stay here, or copies of the keystore would not go blind.
    pub fn export_keys(&self) -> Result<Vec<(String, Zeroizing<[u8; 32]>)>> {
        let entries =
            fs::read_dir(&self.folder).map_err(|error| broken("cannot read", &self.folder, error))?;
        let mut names: Vec<_> =
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.retain(|name| travels(name));
        names.sort();
        let key = |name: String| Ok(self.read(&self.folder.join(&name))?.map(|key| (name, key)));
        names.into_iter().filter_map(|name| key(name).transpose()).collect()
    }

    /// Puts a key of a backup into the folder. A master key that is there already must be the same one; a
    /// signing key that is there stays.
    pub fn import_key(&self, name: &str, key: &[u8; 32], entropy: &dyn Entropy) -> Result<()> {
        if !travels(name) {
            return Err(not_a_key_file(Path::new(name)));
        }
        let path = self.folder.join(name);
        self.write_new(&path, key, entropy)?;
        let placed = self.read(&path)?.is_some_and(|placed| *placed == *key);
        match placed || name == SIGNING_FILE {
            true => Ok(()),
            false => Err(Error::Misconfigured {
                code: "wrong_key",
                reason: format!("{} is another key than the one in the backup", path.display()),
            }),
        }
    }

    /// Shared by those who wrap roots, exclusive for the one who renews the epoch.
    pub fn lock_epoch(&self, exclusive: bool) -> Result<EpochLock> {
        let path = self.folder.join("epoch.lock");
        let open = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path);
        let locked = open.and_then(|file| {
            if exclusive {
                file.lock()?
            } else {
                file.lock_shared()?
            }
            Ok(file)
        });
        locked.map(EpochLock).map_err(|error| broken("cannot lock", &path, error))
    }

    fn master(&self, org: &OrgId, version: u32) -> Result<Option<Arc<MasterKey>>> {
        let name = (org.clone(), version);
        if let Some(key) = self.loaded().masters.get(&name) {
            return Ok(Some(key.clone()));
        }
        let path = self.master_path(org, version);
        let Some(bytes) = self.read(&path)? else {
            return Ok(None);
        };
        self.check_print(&path, &bytes)?;
        let key = Arc::new(MasterKey::from_bytes(*bytes));
        self.loaded().masters.insert(name, key.clone());
        Ok(Some(key))
    }

    /// The numbers of the epochs whose keys are in the folder, in no order.
    pub fn epochs(&self) -> Result<Vec<u32>> {
        let entries =
            fs::read_dir(&self.folder).map_err(|error| broken("cannot read", &self.folder, error))?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        Ok(names.filter_map(|name| epoch_number(&name)).collect())
    }

    /// The folder of the key files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn signing_path(&self) -> PathBuf {
        self.folder.join(SIGNING_FILE)
    }

    pub(super) fn master_path(&self, org: &OrgId, version: u32) -> PathBuf {
        // A digest, because an organisation's name may hold characters that a file name may not.
        let digest = Digest::of("lacuna/master-key-file/v1", &[org.as_str().as_bytes()]);
        self.folder.join(format!("master-{}-{version}.key", *hex(&digest.as_bytes()[..8])))
    }

    pub(super) fn epoch_path(&self, number: u32) -> PathBuf {
        self.folder.join(format!("epoch-{number}.key"))
    }

    fn loaded(&self) -> MutexGuard<'_, LoadedKeys> {
        self.loaded.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub(super) fn read(&self, path: &Path) -> Result<Option<Zeroizing<[u8; 32]>>> {
        let meta = match fs::metadata(path) {
            Ok(meta) => meta,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(broken("cannot read", path, error)),
        };
        if meta.mode() & 0o077 != 0 {
            let reason = format!("{} can be read by others: run chmod 600 on it", path.display());
            return Err(Error::Misconfigured { code: "key_file_permissions", reason });
        }
        if meta.len() > FILE_BYTES_MAX {
            return Err(not_a_key_file(path));
        }
        let text = fs::read_to_string(path).map_err(|error| broken("cannot read", path, error))?;
        self.parse(path, &Zeroizing::new(text)).map(Some)
    }

    fn parse(&self, path: &Path, text: &str) -> Result<Zeroizing<[u8; 32]>> {
        let mut lines = text.lines();
        let (header, kind, payload) = (lines.next(), lines.next(), lines.next());
        let payload = payload.and_then(unhex).ok_or_else(|| not_a_key_file(path))?;
        match (header, kind, &self.passphrase) {
            (Some(FILE_HEADER), Some("plain"), None) => {
                let key: [u8; 32] = payload.as_slice().try_into().map_err(|_| not_a_key_file(path))?;
                Ok(Zeroizing::new(key))
            }
            (Some(FILE_HEADER), Some("argon2id"), Some(passphrase)) => {
                recover(&payload, passphrase).map_err(|error| match error {
                    PassphraseError::WrongPassphrase => Error::Misconfigured {
                        code: "wrong_passphrase",
                        reason: format!("the passphrase does not open {}", path.display()),
                    },
                    _ => not_a_key_file(path),
                })
            }
            (Some(FILE_HEADER), Some("plain"), Some(_)) => Err(Error::Misconfigured {
                code: "key_not_protected",
                reason: format!("a passphrase was given, but {} has none", path.display()),
            }),
            (Some(FILE_HEADER), Some("argon2id"), None) => Err(Error::Misconfigured {
                code: "passphrase_required",
                reason: format!("{} is protected by a passphrase, and none was given", path.display()),
            }),
            _ => Err(not_a_key_file(path)),
        }
    }

    /// Writes a key file whole and durably, or leaves the one that is already there.
    pub(super) fn write_new(&self, path: &Path, key: &[u8; 32], entropy: &dyn Entropy) -> Result<()> {
        let text = Zeroizing::new(match &self.passphrase {
            None => format!("{FILE_HEADER}\nplain\n{}\n", *hex(key)),
            Some(passphrase) => {
                let sealed = protect(key, passphrase, self.cost, entropy).map_err(|error| {
                    Error::unavailable("key_folder_unavailable", "cannot protect the new key", error)
                })?;
                format!("{FILE_HEADER}\nargon2id\n{}\n", *hex(&sealed))
            }
        });
        place(&self.folder, path, &text, entropy).map_err(|error| broken("cannot write", path, error))
    }
}

/// Returns true for a key that a backup takes along.
fn travels(name: &str) -> bool {
    let master = name.strip_prefix("master-").and_then(|rest| rest.strip_suffix(".key"));
    let is_master = master.and_then(|rest| rest.split_once('-')).is_some_and(|(digest, version)| {
        let hex = digest.len() == 16 && digest.chars().all(|c| c.is_ascii_hexdigit());
        hex && version.parse::<u32>().is_ok()
    });
    name == SIGNING_FILE || is_master
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

fn broken(what: &str, path: &Path, error: std::io::Error) -> Error {
    let reason = format!("{what} {}: {error}", path.display());
    match error.kind() {
        ErrorKind::ReadOnlyFilesystem => Error::Misconfigured { code: "read_only", reason },
        _ => Error::unavailable("key_folder_unavailable", reason, error),
    }
}

/// A file that cannot be read is judged when its key is needed.
fn asks_for_passphrase(path: &Path) -> bool {
    let text = fs::read_to_string(path).map(Zeroizing::new);
    text.is_ok_and(|text| text.lines().nth(1) == Some("argon2id"))
}

fn not_a_key_file(path: &Path) -> Error {
    Error::Misconfigured { code: "bad_key_file", reason: format!("{} is not a key file", path.display()) }
}

fn hex(bytes: &[u8]) -> Zeroizing<String> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = Zeroizing::new(String::with_capacity(bytes.len() * 2));
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

fn unhex(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let bytes: Option<Vec<u8>> =
        pairs.iter().map(|[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect();
    bytes.map(Zeroizing::new)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use lacuna_seal::SystemEntropy;

    use super::*;
    use lacuna_types::UserId;

    fn scope() -> Scope {
        Scope::personal(OrgId::new("acme/αβγ").unwrap(), UserId::new("anna").unwrap())
    }

    fn open(folder: &Path, passphrase: Option<&str>) -> LocalKms {
        LocalKms::open(folder, passphrase.map(|text| Zeroizing::new(text.to_owned())))
            .unwrap()
            .with_passphrase_cost(PassphraseCost::LEAST)
    }

    fn code<T>(result: Result<T>) -> &'static str {
        result.map_or_else(|error| error.code(), |_| "ok")
    }

    #[test]
    fn keys_are_made_once_and_reopened_only_in_the_way_they_were_protected() {
        for passphrase in [None, Some("correct horse")] {
            let folder = tempfile::tempdir().unwrap();
            let kms = open(folder.path(), passphrase);
            assert_eq!(code(kms.user_key(&scope(), 1)), "missing_key");
            kms.user_key_for_new_vault(&scope(), &SystemEntropy).unwrap();
            let (epoch, first) = kms.current_epoch(&SystemEntropy).unwrap();
            assert_eq!(epoch, 1);

            let again = open(folder.path(), passphrase);
            assert_eq!(again.current_epoch(&SystemEntropy).unwrap().1.expose(), first.expose());
            assert_eq!(code(again.user_key(&scope(), 1)), "ok");
            let signing = kms.signing_key(&SystemEntropy).unwrap();
            assert_eq!(again.signing_key(&SystemEntropy).unwrap().expose(), signing.expose());
            assert_eq!(fs::metadata(folder.path().join("signing.key")).unwrap().mode() & 0o777, 0o600);
            assert_eq!(LocalKms::is_protected(folder.path()).unwrap(), passphrase.is_some());
            let (other, expected) = match passphrase {
                None => (Some("anything"), "key_not_protected"),
                Some(_) => (None, "passphrase_required"),
            };
            assert_eq!(code(open(folder.path(), other).user_key(&scope(), 1)), expected);
            assert_eq!(code(open(folder.path(), other).signing_key(&SystemEntropy)), expected);
            if passphrase.is_some() {
                let wrong = open(folder.path(), Some("incorrect horse"));
                assert_eq!(code(wrong.user_key(&scope(), 1)), "wrong_passphrase");
            }
        }
    }

    #[test]
    fn an_epoch_that_another_process_destroyed_leaves_ram_with_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let (here, there) = (open(folder.path(), None), open(folder.path(), None));
        here.current_epoch(&SystemEntropy).unwrap();
        there.make_epoch(2, &SystemEntropy).unwrap();
        fs::remove_file(here.epoch_path(1)).unwrap();
        here.epoch(2).unwrap();
        assert_eq!(here.loaded().epochs.keys().copied().collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn files_are_private_and_loose_or_strange_ones_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let kms = open(folder.path(), None);
        kms.user_key_for_new_vault(&scope(), &SystemEntropy).unwrap();
        let path = kms.master_path(&scope().org, 1);
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);

        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(code(open(folder.path(), None).user_key(&scope(), 1)), "key_file_permissions");

        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let oversized = "x".repeat(5_000);
        for text in ["", "lacuna key file 1\nplain\n00\n", "lacuna key file 2\nplain\n", &oversized] {
            fs::write(&path, text).unwrap();
            assert_eq!(code(open(folder.path(), None).user_key(&scope(), 1)), "bad_key_file");
        }
    }

    #[test]
    fn the_first_signing_key_stands_for_all() {
        let folder = tempfile::tempdir().unwrap();
        let keys: Vec<_> = std::thread::scope(|threads| {
            let make = || open(folder.path(), None).signing_key(&SystemEntropy).unwrap().verifying_key();
            let makers: Vec<_> = (0..8).map(|_| threads.spawn(make)).collect();
            makers.into_iter().map(|maker| maker.join().unwrap()).collect()
        });
        assert!(keys.iter().all(|key| *key == keys[0]));
    }

    #[test]
    fn a_destroyed_epoch_is_gone_from_ram_and_disk() {
        let folder = tempfile::tempdir().unwrap();
        let kms = open(folder.path(), None);
        kms.current_epoch(&SystemEntropy).unwrap();
        kms.make_epoch(2, &SystemEntropy).unwrap();
        assert_eq!(kms.current_epoch(&SystemEntropy).unwrap().0, 2);
        assert_eq!(kms.destroy_epochs_before(2, &BTreeSet::new()).unwrap(), 1);
        assert_eq!(code(kms.epoch(1)), "missing_key");
        assert!(!kms.epoch_path(1).exists());
        assert_eq!(code(kms.epoch(2)), "ok");
    }
}
