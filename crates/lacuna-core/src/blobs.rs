//! Sealed texts that are too large for their row, one file each.

use std::fs;
use std::path::{Path, PathBuf};

use crate::domain::{MemoryId, VaultId};
use crate::error::{Error, Result};

pub struct Blobs(PathBuf);

impl Blobs {
    pub fn open(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).map_err(unavailable)?;
        Ok(Self(folder.to_owned()))
    }

    pub fn put(&self, vault: VaultId, memory: MemoryId, revision: u32, sealed: Vec<u8>) -> Result<()> {
        fs::write(self.path(vault, memory, revision), sealed).map_err(unavailable)
    }

    pub fn get(&self, vault: VaultId, memory: MemoryId, revision: u32) -> Result<Vec<u8>> {
        fs::read(self.path(vault, memory, revision)).map_err(unavailable)
    }

    pub fn delete(&self, vault: VaultId, memory: MemoryId, revision: u32) -> Result<()> {
        match fs::remove_file(self.path(vault, memory, revision)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(unavailable(error)),
            _ => Ok(()),
        }
    }

    fn path(&self, vault: VaultId, memory: MemoryId, revision: u32) -> PathBuf {
        self.0.join(format!("{vault}-{memory}-{revision}"))
    }
}

fn unavailable(error: std::io::Error) -> Error {
    Error::unavailable("blobs_unavailable", "the blob folder cannot be used", error)
}
