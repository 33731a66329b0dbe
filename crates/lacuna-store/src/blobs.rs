//! Sealed bytes that are too large for a row: transcripts and archives, one object each.
//!
//! An object is written whole and made durable before it gets its name, so a crash leaves either all of it
//! or none. Its name says which vault, memory and revision it belongs to, and nothing else.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use object_store::local::LocalFileSystem;
use object_store::path::Path as Location;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use tokio::runtime::Runtime;

use lacuna_types::{Error, Result};
use lacuna_types::{MemoryId, VaultId};

/// One object, in bytes.
pub const BLOB_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The name of a blob in a vault: a memory, and the revision of its body.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct BlobName {
    /// The memory.
    pub memory: MemoryId,
    /// The revision of its body.
    pub revision: u32,
}

/// Blobs in a local folder. `object_store` is asynchronous, so a small runtime of its own drives it; call
/// from threads that may block.
pub struct Blobs {
    objects: LocalFileSystem,
    runtime: Runtime,
    root: PathBuf,
}

impl Blobs {
    /// Opens the folder, and makes it where needed, for the owner's eyes only.
    pub fn open(root: impl AsRef<Path>) -> Result<Self> {
        let root = root.as_ref();
        make_private(root).map_err(|error| io_failure(&error, "the blob folder cannot be made"))?;
        let objects = LocalFileSystem::new_with_prefix(root).map_err(failure)?.with_fsync(true);
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let runtime = runtime.map_err(|error| io_failure(&error, "no runtime for the blob folder"))?;
        Ok(Self { objects, runtime, root: root.to_owned() })
    }

    /// Keeps `sealed` under its name, durably. Writing the same name again replaces it whole.
    pub fn put(&self, vault: VaultId, name: BlobName, sealed: Vec<u8>) -> Result<()> {
        if sealed.len() > BLOB_BYTES_MAX {
            return Err(Error::invalid("blob", format!("must be at most {BLOB_BYTES_MAX} bytes")));
        }
        let location = location(vault, name)?;
        self.runtime.block_on(self.objects.put(&location, PutPayload::from(sealed))).map_err(failure)?;
        Ok(())
    }

    /// [`Error::NotFound`] when there is no such blob.
    pub fn get(&self, vault: VaultId, name: BlobName) -> Result<Vec<u8>> {
        let location = location(vault, name)?;
        let bytes = self.runtime.block_on(async {
            let found = self.objects.get(&location).await?;
            if found.meta.size > BLOB_BYTES_MAX as u64 {
                return Ok(None);
            }
            found.bytes().await.map(Some)
        });
        let bytes = bytes.map_err(failure)?;
        bytes.map(Vec::from).ok_or_else(|| Error::corrupt("a blob is larger than any that was written"))
    }

    /// Removes a blob, durably. One that is not there is as good as removed.
    pub fn delete(&self, vault: VaultId, name: BlobName) -> Result<()> {
        match self.runtime.block_on(self.objects.delete(&location(vault, name)?)) {
            Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failure(error)),
            Ok(()) => File::open(self.root.join(folder(vault)))
                .and_then(|folder| folder.sync_all())
                .map_err(|error| io_failure(&error, "the removal of a blob may not be durable")),
        }
    }

    /// The blobs of a vault in the order of their names. Files that are not blobs are passed over.
    pub fn list(&self, vault: VaultId) -> Result<Vec<BlobName>> {
        let prefix = Location::parse(folder(vault)).map_err(|error| failure(error.into()))?;
        let listed =
            self.runtime.block_on(self.objects.list_with_delimiter(Some(&prefix))).map_err(failure)?;
        let mut names: Vec<_> =
            listed.objects.iter().filter_map(|object| parse(object.location.filename()?)).collect();
        names.sort();
        Ok(names)
    }
}

fn make_private(root: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(root)
}

fn folder(vault: VaultId) -> String {
    vault.to_string()
}

fn location(vault: VaultId, name: BlobName) -> Result<Location> {
    let path = format!("{}/{}.{}", folder(vault), name.memory, name.revision);
    Location::parse(path).map_err(|error| failure(error.into()))
}

fn parse(file_name: &str) -> Option<BlobName> {
    let (memory, revision) = file_name.split_once('.')?;
    Some(BlobName { memory: memory.parse().ok()?, revision: revision.parse().ok()? })
}

fn failure(error: object_store::Error) -> Error {
    if let object_store::Error::NotFound { .. } = error {
        return Error::NotFound("blob");
    }
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(current) = cause {
        if let Some(error) = current.downcast_ref::<io::Error>() {
            return io_failure(error, "the blob folder cannot be used");
        }
        cause = current.source();
    }
    Error::unavailable("blobs_unavailable", "the blob folder cannot be used", error)
}

fn io_failure(error: &io::Error, what: &str) -> Error {
    let source = error.to_string();
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            Error::unavailable("disk_full", "there is no space left for blobs; nothing was changed", source)
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Error::Misconfigured {
            code: "read_only",
            reason: "the blob folder or its disk cannot be written; check owner, permissions and mount"
                .into(),
        },
        _ => Error::unavailable("blobs_unavailable", what, source),
    }
}
