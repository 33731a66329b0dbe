//! Memories that a conversation was told, so that no hook tells them again while the host still has them in its
//! window. A hook is a process of its own, so their ids lie in a file beside the mark; the file holds nothing else.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use lacuna_core::read::RESTING_MAX;
use lacuna_seal::sha256;
use lacuna_types::{MemoryId, SessionId, VaultId};

use super::mark::{FOLDER, NAME_DIGITS};
use crate::wire::hex;

pub(crate) struct ShownMemories {
    path: PathBuf,
    ids: Vec<MemoryId>,
}

impl ShownMemories {
    /// Reads the memories that this conversation was told; a file that is missing or damaged tells of none.
    pub(crate) fn read(data: &Path, vault: VaultId, session: &SessionId) -> Self {
        let path = path(data, vault, session);
        let text = fs::read_to_string(&path).unwrap_or_default();
        let ids = text.lines().filter_map(|line| line.parse().ok()).take(RESTING_MAX).collect();
        Self { path, ids }
    }

    pub(crate) fn ids(&self) -> &[MemoryId] {
        &self.ids
    }

    /// Notes memories that are told now. Of too many, the oldest may be told again.
    pub(crate) fn add(&mut self, told: impl Iterator<Item = MemoryId>) -> io::Result<()> {
        let known = self.ids.len();
        self.ids.extend(told);
        if self.ids.len() == known {
            return Ok(());
        }
        self.ids.drain(..self.ids.len().saturating_sub(RESTING_MAX));
        if let Some(folder) = self.path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        // Written beside and renamed: a process that dies in between leaves the old file.
        let beside = self.path.with_extension(std::process::id().to_string());
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
        let lines: String = self.ids.iter().map(|id| format!("{id}\n")).collect();
        file.write_all(lines.as_bytes())?;
        fs::rename(beside, &self.path)
    }

    /// Forgets what a conversation was told: its window was shortened, or it is over.
    pub(crate) fn clear(data: &Path, vault: VaultId, session: &SessionId) {
        let _ = fs::remove_file(path(data, vault, session));
    }
}

/// The name reveals neither the vault nor the session.
fn path(data: &Path, vault: VaultId, session: &SessionId) -> PathBuf {
    let name = [&b"shown\0"[..], &vault.as_bytes()[..], session.as_str().as_bytes()].concat();
    data.join(FOLDER).join(&hex(&sha256(&name))[..NAME_DIGITS])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_outlives_the_process_for_its_own_conversation_and_is_bounded() {
        let data = tempfile::tempdir().unwrap();
        let vault = VaultId::from_bytes([7; 16]);
        let session = |name: &str| SessionId::new(name).unwrap();
        let id = |n: usize| MemoryId::from_bytes((n as u128).to_be_bytes());
        let read = |name: &str| ShownMemories::read(data.path(), vault, &session(name));
        read("a").add([id(1), id(2)].into_iter()).unwrap();
        read("a").add([id(3)].into_iter()).unwrap();
        assert_eq!(read("a").ids(), [id(1), id(2), id(3)]);
        assert!(read("b").ids().is_empty());
        read("a").add((10..RESTING_MAX + 10).map(id)).unwrap();
        assert_eq!(read("a").ids().len(), RESTING_MAX);
        assert_eq!(read("a").ids()[0], id(10));
        ShownMemories::clear(data.path(), vault, &session("a"));
        assert!(read("a").ids().is_empty());
        fs::write(path(data.path(), vault, &session("b")), "no id\n\u{0}").unwrap();
        assert!(read("b").ids().is_empty());
    }
}
