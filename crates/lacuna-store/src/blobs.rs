//! Sealed bytes that are too large for a row: transcripts and archives, one object each, in a folder or in a bucket.
//!
//! An object is written whole and made durable before it gets its name, so a crash leaves either all of it
//! or none. Its name says which vault, memory and revision it belongs to, and nothing else.

mod bucket;
mod bucket_home;
mod bucket_object;
mod folder;
mod mark;

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use self::bucket::BucketBlobs;
pub use self::bucket::{BUCKET_TIME, BucketAddress, BucketLogin};
pub use self::bucket_home::BucketHome;
pub use self::bucket_object::{BucketObject, BucketUpload};
use self::folder::FolderBlobs;
use self::mark::PlaceCheck;
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

/// A file or an object among the blobs that belongs to no memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StrayBlob {
    path: PathBuf,
}

/// Blobs in one place. Call from threads that may block.
pub struct Blobs {
    place: BlobPlace,
    check: Option<PlaceCheck>,
}

enum BlobPlace {
    Folder(FolderBlobs),
    Bucket(Box<BucketBlobs>),
}

impl Blobs {
    /// Opens a folder, and makes it where needed, for the owner's eyes only.
    pub fn open(root: impl AsRef<Path>) -> Result<Self> {
        let place = BlobPlace::Folder(FolderBlobs::open(root.as_ref())?);
        Ok(Self { place, check: None })
    }

    /// Opens a bucket that is there, and learns whether it keeps versions. The agent gives each attempt
    /// [`BUCKET_TIME`], follows no redirect and returns every status as an answer.
    pub fn open_bucket(agent: ureq::Agent, address: BucketAddress, login: BucketLogin) -> Result<Self> {
        let place = BlobPlace::Bucket(Box::new(BucketBlobs::open(agent, address, login)?));
        Ok(Self { place, check: None })
    }

    /// Keeps `sealed` under its name, durably. Writing the same name again replaces it whole.
    pub fn put(&self, vault: VaultId, name: BlobName, sealed: Vec<u8>) -> Result<()> {
        if sealed.len() > BLOB_BYTES_MAX {
            return Err(Error::invalid("blob", format!("must be at most {BLOB_BYTES_MAX} bytes")));
        }
        self.check_place()?;
        match &self.place {
            BlobPlace::Folder(folder) => folder.put(vault, name, sealed),
            BlobPlace::Bucket(bucket) => bucket.put(vault, name, &sealed),
        }
    }

    /// [`Error::NotFound`] when there is no such blob.
    pub fn get(&self, vault: VaultId, name: BlobName) -> Result<Vec<u8>> {
        self.check_known_place()?;
        match &self.place {
            BlobPlace::Folder(folder) => folder.get(vault, name),
            BlobPlace::Bucket(bucket) => bucket.get(vault, name),
        }
    }

    /// Removes a blob with its older versions, durably. One that is not there is as good as removed.
    pub fn delete(&self, vault: VaultId, name: BlobName) -> Result<()> {
        self.check_known_place()?;
        match &self.place {
            BlobPlace::Folder(folder) => folder.delete(vault, name),
            BlobPlace::Bucket(bucket) => bucket.delete(vault, name),
        }
    }

    /// Returns true when a copy of the blob is still there, also one that only the history of a bucket has.
    pub fn is_left(&self, vault: VaultId, name: BlobName) -> bool {
        match &self.place {
            BlobPlace::Folder(folder) => folder.get(vault, name).is_ok(),
            BlobPlace::Bucket(bucket) => bucket.is_left(vault, name),
        }
    }

    /// Files of a vault that were last written before `moment`, and that are no blob or none that `is_known`.
    /// A crash leaves them: blobs whose row never came, and parts of blobs.
    pub fn strays(
        &self,
        vault: VaultId,
        moment: Timestamp,
        is_known: impl Fn(BlobName) -> bool,
    ) -> Result<Vec<StrayBlob>> {
        match &self.place {
            BlobPlace::Folder(folder) => folder.strays(vault, moment, is_known),
            BlobPlace::Bucket(bucket) => bucket.strays(vault, moment, is_known),
        }
    }

    /// Removes a file that belongs to no memory, durably.
    pub fn remove_stray(&self, stray: &StrayBlob) -> Result<()> {
        match &self.place {
            BlobPlace::Folder(folder) => folder.remove_stray(stray),
            BlobPlace::Bucket(bucket) => bucket.remove_stray(stray),
        }
    }

    fn read_mark(&self) -> Result<Option<Vec<u8>>> {
        match &self.place {
            BlobPlace::Folder(folder) => folder.read_mark(),
            BlobPlace::Bucket(bucket) => bucket.read_mark(),
        }
    }

    /// Writes the mark unless there is one.
    fn write_mark(&self, mark: &[u8]) -> Result<()> {
        match &self.place {
            BlobPlace::Folder(folder) => folder.write_mark(mark),
            BlobPlace::Bucket(bucket) => bucket.write_mark(mark),
        }
    }

    /// The blobs of a vault in the order of their names. Files that are not blobs are passed over.
    pub fn list(&self, vault: VaultId) -> Result<Vec<BlobName>> {
        match &self.place {
            BlobPlace::Folder(folder) => folder.list(vault),
            BlobPlace::Bucket(bucket) => bucket.list(vault),
        }
    }
}

fn file_name(name: BlobName) -> String {
    format!("{}.{}", name.memory, name.revision)
}

fn parse(file_name: &str) -> Option<BlobName> {
    let (memory, revision) = file_name.split_once('.')?;
    Some(BlobName { memory: memory.parse().ok()?, revision: revision.parse().ok()? })
}
