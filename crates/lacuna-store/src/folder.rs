//! The lock of a data folder: many processes use it side by side, or one alone replaces what is in it.
//!
//! The lock is an advisory one of the operating system, so it ends with the process that holds it, however that
//! ends.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lacuna_types::{Error, Result};

/// The file in a data folder that is locked. It stays empty.
pub const LOCK_FILE: &str = "lacuna.lock";
/// The pause between two attempts.
const LOCK_RETRY: Duration = Duration::from_millis(20);

/// A data folder that this process uses beside others, as long as the value lives.
pub struct SharedFolder(#[expect(dead_code, reason = "the lock lasts as long as the open file")] File);

/// A data folder that no other process uses, as long as the value lives.
pub struct OwnedFolder {
    path: PathBuf,
    lock: File,
}

impl SharedFolder {
    /// Enters the folder, which must exist. Waits at most this long for a process that owns it.
    pub fn enter(folder: &Path, wait: Duration) -> Result<Self> {
        let lock = open(folder)?;
        match patiently(wait, || lock.try_lock_shared()) {
            Ok(true) => Ok(Self(lock)),
            Ok(false) => Err(locked(format!(
                "{} restores or upgrades the data folder: try again when it has ended",
                holder(&lock)
            ))),
            Err(error) => Err(unusable(&error)),
        }
    }
}

impl OwnedFolder {
    /// Takes the folder, which must exist, for this process alone. Waits at most this long for those who use it.
    pub fn claim(folder: &Path, wait: Duration) -> Result<Self> {
        let lock = open(folder)?;
        match patiently(wait, || lock.try_lock()) {
            Ok(true) => Ok(Self { path: folder.to_owned(), lock }),
            Ok(false) => Err(locked(format!(
                "{} uses the data folder: stop `lacuna serve` and whatever else uses it, then try again",
                holder(&lock)
            ))),
            Err(error) => Err(unusable(&error)),
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lets others in.
    pub fn share(self) -> Result<SharedFolder> {
        self.lock.lock_shared().map_err(|error| unusable(&error))?;
        Ok(SharedFolder(self.lock))
    }
}

/// Opens the lock file, and makes it where needed. A file that cannot be written can still be locked; on a disk that
/// cannot be written there is nothing to be done in the folder.
fn open(folder: &Path) -> Result<File> {
    let path = folder.join(LOCK_FILE);
    let made = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path);
    let opened = made.or_else(|error| match error.kind() {
        ErrorKind::PermissionDenied => File::open(&path).map_err(|_| error),
        _ => Err(error),
    });
    opened.map_err(|error| unusable(&error))
}

/// Tries until it works or the time is over. Returns false if somebody else had the lock all the time.
fn patiently(wait: Duration, attempt: impl Fn() -> Result<(), TryLockError>) -> io::Result<bool> {
    let deadline = Instant::now() + wait;
    loop {
        match attempt() {
            Ok(()) => return Ok(true),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return Ok(false),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_RETRY),
        }
    }
}

/// Names the process that holds the lock, where the operating system tells.
fn holder(lock: &File) -> String {
    let named = lock.metadata().ok().and_then(|meta| {
        let locks = fs::read_to_string("/proc/locks").ok()?;
        holder_in(&locks, meta.ino())
    });
    named.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

/// The process that holds a lock of the file, in the words of `/proc/locks`:
/// `1: FLOCK  ADVISORY  READ 4711 fe:00:1234 0 EOF`. A process of another container has no number here.
fn holder_in(locks: &str, inode: u64) -> Option<u32> {
    let file = format!(":{inode}");
    locks.lines().find_map(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        let [_, "FLOCK", _, _, pid, place, ..] = words.as_slice() else { return None };
        place.ends_with(&file).then(|| pid.parse().ok().filter(|pid| *pid > 0)).flatten()
    })
}

fn locked(reason: String) -> Error {
    Error::Unavailable { code: "locked", reason, source: None }
}

fn unusable(error: &io::Error) -> Error {
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Error::Misconfigured {
            code: "read_only",
            reason: "the data folder cannot be written; check owner and permissions".into(),
        },
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            let reason = "there is no space left in the data folder; nothing was changed";
            Error::unavailable("disk_full", reason, error.to_string())
        }
        _ => {
            let reason = "the data folder cannot be locked; use a local file system";
            Error::unavailable("data_folder_unavailable", reason, error.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_WAIT: Duration = Duration::ZERO;

    #[test]
    fn many_share_a_folder_or_one_owns_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let users =
            [SharedFolder::enter(path, NO_WAIT).unwrap(), SharedFolder::enter(path, NO_WAIT).unwrap()];
        let refused = OwnedFolder::claim(path, NO_WAIT).err().unwrap();
        assert_eq!(refused.code(), "locked");
        assert!(refused.to_string().contains(&std::process::id().to_string()), "{refused}");
        drop(users);
        let owned = OwnedFolder::claim(path, NO_WAIT).unwrap();
        assert_eq!(SharedFolder::enter(path, NO_WAIT).err().unwrap().code(), "locked");
        assert_eq!(OwnedFolder::claim(path, NO_WAIT).err().unwrap().code(), "locked");
        let shared = owned.share().unwrap();
        SharedFolder::enter(path, NO_WAIT).unwrap();
        drop(shared);
        OwnedFolder::claim(path, NO_WAIT).unwrap();
    }

    #[test]
    fn the_holder_is_read_from_the_list_of_locks() {
        let locks = "1: POSIX  ADVISORY  WRITE 11 fe:00:77 0 EOF\n\
                     2: FLOCK  ADVISORY  WRITE 12 fe:00:177 0 EOF\n\
                     3: FLOCK  ADVISORY  READ 0 fe:00:77 0 EOF\n\
                     4: FLOCK  ADVISORY  READ 4711 fe:00:77 0 EOF\n";
        assert_eq!(holder_in(locks, 77), Some(4_711));
        assert_eq!(holder_in(locks, 7), None);
    }
}
