//! The local key custody: keys as files of mode 0600 in a folder of their own, optionally under a passphrase.
//!
//! The epoch key takes part in every wrap of a vault's root key. It lives here and not in the keystore, so
//! that a copy of the keystore goes blind once its epoch is destroyed.

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lacuna_seal::{Entropy, PassphraseCost, PassphraseError, protect, recover};
use zeroize::Zeroizing;

use super::anchor::Anchor;
use super::custody::{Custody, EpochLock, KeyName};
use super::draft::{FILE_BYTES_MAX, place, shred, sweep_drafts};
use super::kms::Kms;
use lacuna_types::{Error, Result};

const FILE_HEADER: &str = "lacuna key file 1";

/// Master, epoch and signing keys as files in a folder.
pub struct LocalKms {
    folder: PathBuf,
    passphrase: Option<Zeroizing<String>>,
    cost: PassphraseCost,
}

impl LocalKms {
    /// Opens the folder with its anchor, making it when it is not there. Keys are made when first needed.
    pub fn open(folder: &Path, passphrase: Option<Zeroizing<String>>) -> Result<Kms> {
        let custody = Self::in_folder(folder, passphrase)?;
        Ok(Kms::over(Box::new(custody), Anchor::open(folder)?))
    }

    /// Opens the folder alone, as one side of a move.
    pub fn in_folder(folder: &Path, passphrase: Option<Zeroizing<String>>) -> Result<Self> {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(|error| broken("cannot make the key folder", folder, error))?;
        sweep_drafts(folder);
        Ok(Self { folder: folder.to_owned(), passphrase, cost: PassphraseCost::RECOMMENDED })
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

    /// A cheap passphrase derivation.
    #[cfg(test)]
    fn with_passphrase_cost(mut self, cost: PassphraseCost) -> Self {
        self.cost = cost;
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
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
}

impl Custody for LocalKms {
    fn key(&self, name: &str) -> Result<Option<Zeroizing<[u8; 32]>>> {
        let path = &self.path(name);
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

    fn place(&self, name: &str, key: &[u8; 32], entropy: &dyn Entropy) -> Result<()> {
        let text = Zeroizing::new(match &self.passphrase {
            None => format!("{FILE_HEADER}\nplain\n{}\n", *hex(key)),
            Some(passphrase) => {
                let sealed = protect(key, passphrase, self.cost, entropy).map_err(|error| {
                    Error::unavailable("key_folder_unavailable", "cannot protect the new key", error)
                })?;
                format!("{FILE_HEADER}\nargon2id\n{}\n", *hex(&sealed))
            }
        });
        let path = self.path(name);
        place(&self.folder, &path, &text, entropy).map_err(|error| broken("cannot write", &path, error))
    }

    fn holds(&self, name: &str) -> Result<bool> {
        Ok(self.path(name).exists())
    }

    fn names(&self) -> Result<Vec<String>> {
        let entries =
            fs::read_dir(&self.folder).map_err(|error| broken("cannot read", &self.folder, error))?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        Ok(names.filter(|name| KeyName::parse(name).is_some()).collect())
    }

    fn destroy(&self, name: &str) -> Result<()> {
        let path = self.path(name);
        match shred(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(broken("cannot destroy", &path, error)),
            _ => {
                sweep_drafts(&self.folder);
                Ok(())
            }
        }
    }

    fn lock(&self, exclusive: bool) -> Result<EpochLock> {
        let path = self.folder.join("epoch.lock");
        lock_file(&path, exclusive).map_err(|error| broken("cannot lock", &path, error))
    }

    fn keeps(&self) -> Option<Duration> {
        None
    }

    fn shown(&self) -> String {
        format!("the key folder {}", self.folder.display())
    }
}

/// Locks a file that exists for nothing else, for everybody on this machine.
pub(super) fn lock_file(path: &Path, exclusive: bool) -> std::io::Result<EpochLock> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)?;
    if exclusive {
        file.lock()?
    } else {
        file.lock_shared()?
    }
    Ok(EpochLock::holding(file))
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

    use super::super::custody::{epoch_name, master_name};
    use super::*;
    use lacuna_types::{OrgId, Scope, UserId};

    fn scope() -> Scope {
        Scope::personal(OrgId::new("acme/αβγ").unwrap(), UserId::new("anna").unwrap())
    }

    fn open(folder: &Path, passphrase: Option<&str>) -> Kms {
        let passphrase = passphrase.map(|text| Zeroizing::new(text.to_owned()));
        let custody =
            LocalKms::in_folder(folder, passphrase).unwrap().with_passphrase_cost(PassphraseCost::LEAST);
        Kms::over(Box::new(custody), Anchor::open(folder).unwrap())
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
        fs::remove_file(folder.path().join(epoch_name(1))).unwrap();
        here.epoch(2).unwrap();
        assert_eq!(here.epochs_in_ram(), [2]);
    }

    #[test]
    fn files_are_private_and_loose_or_strange_ones_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let kms = open(folder.path(), None);
        kms.user_key_for_new_vault(&scope(), &SystemEntropy).unwrap();
        let path = folder.path().join(master_name(&scope().org, 1));
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
        assert_eq!(kms.destroy_epochs_before(2, &std::collections::BTreeSet::new()).unwrap(), 1);
        assert_eq!(code(kms.epoch(1)), "missing_key");
        assert!(!folder.path().join(epoch_name(1)).exists());
        assert_eq!(code(kms.epoch(2)), "ok");
    }
}
