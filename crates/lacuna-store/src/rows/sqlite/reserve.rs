//! Room on the disk that is kept for erasing: a full disk must not keep anything from being forgotten.

use std::fs::{self, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::engine::beside;

/// A file that only takes up room. It is removed when an erasure finds the disk full, and made again afterwards.
#[derive(Clone)]
pub(crate) struct Reserve {
    path: PathBuf,
    bytes: u64,
}

impl Reserve {
    /// The reserve of a database; no bytes for none.
    pub(crate) fn of(database: &Path, bytes: u64) -> Self {
        Self { path: beside(database, "-reserve"), bytes }
    }

    /// Returns true when less is kept than should be.
    pub(crate) fn is_short(&self) -> bool {
        self.bytes > 0 && self.kept() < self.bytes
    }

    /// Takes as much of the missing room as there is.
    pub(crate) fn fill(&self) {
        if !self.is_short() {
            return;
        }
        if let Err(error) = self.extend() {
            tracing::debug!(%error, kept = self.kept(), "the room for erasing is not complete");
        }
    }

    /// Gives the room back to the disk. Returns false when there was none.
    pub(crate) fn release(&self) -> bool {
        self.bytes > 0 && fs::remove_file(&self.path).is_ok()
    }

    fn kept(&self) -> u64 {
        fs::metadata(&self.path).map_or(0, |meta| meta.len())
    }

    fn extend(&self) -> io::Result<()> {
        const CHUNK: [u8; 16 * 1024] = [0; 16 * 1024];
        let mut file =
            OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&self.path)?;
        let mut length = file.seek(SeekFrom::End(0))?;
        while length < self.bytes {
            let part = CHUNK.len().min(usize::try_from(self.bytes - length).unwrap_or(CHUNK.len()));
            file.write_all(&CHUNK[..part])?;
            length += part as u64;
        }
        file.sync_all()
    }
}
