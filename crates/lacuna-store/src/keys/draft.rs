//! Key files appear whole: each is written as a draft beside its place and linked there. A crash in between leaves a
//! draft, which is a copy of a key, so drafts are collected.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Result, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use lacuna_seal::{Entropy, hex};

/// A key file is a few hundred bytes; anything larger is not one.
pub(super) const FILE_BYTES_MAX: u64 = 4_096;

const DRAFT_SUFFIX: &str = ".tmp";

/// Writes a file of the folder whole and durably, or leaves the one that is already there.
pub(super) fn place(folder: &Path, path: &Path, text: &str, entropy: &dyn Entropy) -> Result<()> {
    let mut suffix = [0u8; 8];
    entropy.fill(&mut suffix);
    let draft = folder.join(format!(".{}{DRAFT_SUFFIX}", hex(&suffix)));
    // Whoever collects drafts waits for nobody, and lets be what somebody still writes.
    let folder = File::open(folder)?;
    folder.lock_shared()?;
    let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&draft)?;
    let placed = file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).and_then(|()| {
        // A link fails where a rename would replace: the first key to be placed stands.
        match fs::hard_link(&draft, path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            other => other,
        }
    });
    fs::remove_file(&draft)?;
    placed?;
    folder.sync_all()
}

/// Removes drafts that a crash left, unless somebody writes one at this moment. A folder that cannot be written keeps
/// them until it can.
pub(super) fn sweep_drafts(folder: &Path) {
    let Ok(lock) = File::open(folder) else { return };
    let (Ok(()), Ok(entries)) = (lock.try_lock(), fs::read_dir(folder)) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_draft =
            name.to_str().is_some_and(|name| name.starts_with('.') && name.ends_with(DRAFT_SUFFIX));
        if is_draft {
            let _ = discard(&entry.path());
        }
    }
}

/// A draft that was linked to its place shares its bytes with a key in use: only its name goes.
fn discard(draft: &Path) -> Result<()> {
    let metadata = fs::symlink_metadata(draft)?;
    if metadata.is_file() && metadata.nlink() == 1 { shred(draft) } else { fs::remove_file(draft) }
}

/// Overwrites a file with zeros, durably, before its name goes.
pub(super) fn shred(path: &Path) -> Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    let length = usize::try_from(file.metadata()?.len().min(FILE_BYTES_MAX)).unwrap_or(0);
    file.write_all(&vec![0u8; length])?;
    file.sync_all()?;
    fs::remove_file(path)?;
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

#[cfg(test)]
mod tests {
    use lacuna_seal::SystemEntropy;

    use super::*;

    #[test]
    fn drafts_of_a_crash_go_and_the_key_that_shares_their_bytes_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        place(folder.path(), &at("epoch-1.key"), "key", &SystemEntropy).unwrap();
        fs::hard_link(at("epoch-1.key"), at(".0011.tmp")).unwrap();
        fs::write(at(".2233.tmp"), "half a key").unwrap();

        let writer = File::open(folder.path()).unwrap();
        writer.lock_shared().unwrap();
        sweep_drafts(folder.path());
        assert!(at(".0011.tmp").exists() && at(".2233.tmp").exists(), "somebody is writing");
        drop(writer);

        sweep_drafts(folder.path());
        let names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["epoch-1.key"]);
        assert_eq!(fs::read_to_string(at("epoch-1.key")).unwrap(), "key");
    }
}
