//! Files that appear whole: each is written beside its place under a hidden name, and named when it is durable.

use std::fs::{self, File, OpenOptions};
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use lacuna_seal::{Entropy, SystemEntropy};

use crate::wire::hex;

/// Only whoever had it written may read the file.
const OWNER_ONLY: u32 = 0o600;

/// A file that is not whole yet. It goes if it never becomes so.
pub(super) struct DraftFile<'a> {
    target: &'a Path,
    partial: PathBuf,
}

impl<'a> DraftFile<'a> {
    /// Makes the draft of `target` in the same folder.
    pub(super) fn beside(target: &'a Path) -> Result<(Self, File)> {
        let name = target.file_name().ok_or_else(|| Error::from(ErrorKind::InvalidFilename))?;
        let mut random = [0u8; 8];
        SystemEntropy.fill(&mut random);
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.partial", hex(&random)));
        let partial = target.with_file_name(hidden);
        let file = OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY).open(&partial)?;
        Ok((Self { target, partial }, file))
    }

    /// Gives the file its name, in the place of one that may be there.
    pub(super) fn settle(self, file: &File) -> Result<()> {
        file.sync_all()?;
        fs::rename(&self.partial, self.target)?;
        self.sync_folder()
    }

    /// Gives the file its name, unless something has that name.
    pub(super) fn settle_as_new(self, file: &File) -> Result<()> {
        file.sync_all()?;
        // A link fails where a rename would replace.
        fs::hard_link(&self.partial, self.target)?;
        fs::remove_file(&self.partial)?;
        self.sync_folder()
    }

    fn sync_folder(&self) -> Result<()> {
        let folder = self.target.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    }
}

impl Drop for DraftFile<'_> {
    fn drop(&mut self) {
        // After it was put in place there is nothing of this name.
        let _ = fs::remove_file(&self.partial);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_has_its_name_only_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("backup");
        let (draft, mut file) = DraftFile::beside(&target).unwrap();
        file.write_all(b"half").unwrap();
        assert!(!target.exists());
        drop(draft);
        assert!(names(folder.path()).is_empty(), "half a file is worse than none");
        let (draft, mut file) = DraftFile::beside(&target).unwrap();
        file.write_all(b"whole").unwrap();
        draft.settle_as_new(&file).unwrap();
        assert_eq!(names(folder.path()), ["backup"]);
        assert_eq!(fs::read(&target).unwrap(), b"whole");
    }

    #[test]
    fn a_new_file_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("backup");
        fs::write(&target, "the older one").unwrap();
        let (draft, file) = DraftFile::beside(&target).unwrap();
        assert_eq!(draft.settle_as_new(&file).unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&target).unwrap(), b"the older one");
        assert_eq!(names(folder.path()), ["backup"]);
        let (draft, file) = DraftFile::beside(&target).unwrap();
        draft.settle(&file).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"");
    }
}
