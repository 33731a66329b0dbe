//! Blobs in a folder of this machine.

use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use object_store::local::LocalFileSystem;
use object_store::path::Path as Location;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};
use tokio::runtime::Runtime;

use super::mark::MARK;
use super::{BLOB_BYTES_MAX, BlobName, StrayBlob, file_name, parse};
use lacuna_types::{Error, Result, VaultId};

const FOLDER_MODE: u32 = 0o700;
/// Permissions of others on the machine.
const OTHERS: u32 = 0o077;

/// Blobs in a local folder. `object_store` is asynchronous, so a small runtime of its own drives it; call
/// from threads that may block.
pub(super) struct FolderBlobs {
    objects: LocalFileSystem,
    runtime: Runtime,
    root: PathBuf,
}

impl FolderBlobs {
    /// Opens the folder, and makes it where needed, for the owner's eyes only.
    pub(super) fn open(root: &Path) -> Result<Self> {
        private_folder(root).map_err(|error| io_failure(&error, "the blob folder cannot be made"))?;
        let objects = LocalFileSystem::new_with_prefix(root).map_err(failure)?.with_fsync(true);
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let runtime = runtime.map_err(|error| io_failure(&error, "no runtime for the blob folder"))?;
        Ok(Self { objects, runtime, root: root.to_owned() })
    }

    /// Keeps `sealed` under its name, durably. Writing the same name again replaces it whole.
    pub(super) fn put(&self, vault: VaultId, name: BlobName, sealed: Vec<u8>) -> Result<()> {
        let location = location(vault, name)?;
        let folder = self.root.join(folder(vault));
        private_folder(&folder).map_err(|error| io_failure(&error, "the blob folder cannot be made"))?;
        self.runtime.block_on(self.objects.put(&location, PutPayload::from(sealed))).map_err(failure)?;
        // The file was made as the umask says; nobody else could reach it in its folder.
        let path = folder.join(file_name(name));
        close_to_others(&path).map_err(|error| io_failure(&error, "a blob cannot be made private"))
    }

    pub(super) fn read_mark(&self) -> Result<Option<Vec<u8>>> {
        match fs::read(self.root.join(MARK)) {
            Ok(mark) => Ok(Some(mark)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(io_failure(&error, "the mark of the blob folder cannot be read")),
        }
    }

    pub(super) fn write_mark(&self, mark: &[u8]) -> Result<()> {
        let options = PutOptions::from(PutMode::Create);
        let payload = PutPayload::from(mark.to_vec());
        match self.runtime.block_on(self.objects.put_opts(&Location::from(MARK), payload, options)) {
            Err(object_store::Error::AlreadyExists { .. }) => Ok(()),
            written => written.map(drop).map_err(failure),
        }
    }

    /// [`Error::NotFound`] when there is no such blob.
    pub(super) fn get(&self, vault: VaultId, name: BlobName) -> Result<Vec<u8>> {
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
    pub(super) fn delete(&self, vault: VaultId, name: BlobName) -> Result<()> {
        match self.runtime.block_on(self.objects.delete(&location(vault, name)?)) {
            Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failure(error)),
            Ok(()) => File::open(self.root.join(folder(vault)))
                .and_then(|folder| folder.sync_all())
                .map_err(|error| io_failure(&error, "the removal of a blob may not be durable")),
        }
    }

    /// Files in a vault's folder that were last written before `moment`, and that are no blob or none that `is_known`.
    /// A crash leaves them: blobs whose row never came, and parts of blobs.
    pub(super) fn strays(
        &self,
        vault: VaultId,
        moment: Timestamp,
        is_known: impl Fn(BlobName) -> bool,
    ) -> Result<Vec<StrayBlob>> {
        let unreadable = |error: io::Error| io_failure(&error, "the blob folder cannot be read");
        let mut strays = Vec::new();
        for (path, meta) in self.files(vault).map_err(unreadable)? {
            let name = path.file_name().and_then(|name| parse(name.to_str()?));
            let written = meta.modified().ok().and_then(|at| Timestamp::try_from(at).ok());
            if written.is_some_and(|at| at < moment) && !name.is_some_and(&is_known) {
                strays.push(StrayBlob { path });
            }
        }
        Ok(strays)
    }

    /// Removes a file that belongs to no memory, durably.
    pub(super) fn remove_stray(&self, stray: &StrayBlob) -> Result<()> {
        let removed = fs::remove_file(&stray.path).or_else(|error| match error.kind() {
            ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        });
        let folder = stray.path.parent().unwrap_or(&self.root);
        removed
            .and_then(|()| File::open(folder)?.sync_all())
            .map_err(|error| io_failure(&error, "a blob without a memory cannot be removed"))
    }

    fn files(&self, vault: VaultId) -> io::Result<Vec<(PathBuf, Metadata)>> {
        let entries = match fs::read_dir(self.root.join(folder(vault))) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        entries.map(|entry| entry.and_then(|entry| Ok((entry.path(), entry.metadata()?)))).collect()
    }

    /// The blobs of a vault in the order of their names. Files that are not blobs are passed over.
    pub(super) fn list(&self, vault: VaultId) -> Result<Vec<BlobName>> {
        let prefix = Location::parse(folder(vault)).map_err(|error| failure(error.into()))?;
        let listed =
            self.runtime.block_on(self.objects.list_with_delimiter(Some(&prefix))).map_err(failure)?;
        let mut names: Vec<_> =
            listed.objects.iter().filter_map(|object| parse(object.location.filename()?)).collect();
        names.sort();
        Ok(names)
    }
}

/// Makes a folder for the owner's eyes only, or closes one that is there to others.
fn private_folder(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(path)?;
    close_to_others(path)
}

fn close_to_others(path: &Path) -> io::Result<()> {
    let mode = fs::metadata(path)?.mode() & 0o777;
    match mode & OTHERS {
        0 => Ok(()),
        _ => fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS)),
    }
}

fn folder(vault: VaultId) -> String {
    vault.to_string()
}

fn location(vault: VaultId, name: BlobName) -> Result<Location> {
    let path = format!("{}/{}", folder(vault), file_name(name));
    Location::parse(path).map_err(|error| failure(error.into()))
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
