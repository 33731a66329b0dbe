//! The home of an anchor in a bucket: a few documents that are changed by conditional writes.

use lacuna_types::{Error, Result};
use ureq::Agent;
use ureq::http::StatusCode;

use super::bucket::{BucketAddress, BucketBlobs, BucketLogin, IF_NEW, IF_SAME, succeeded};
use crate::keys::{AnchorHome, HomeDocument};

/// The folder under the bucket's prefix that holds the documents.
const FOLDER: &str = "anchor";
/// The version of a document begins it.
const VERSION_BYTES: usize = 8;

/// Documents of an anchor in a bucket, beside the blobs.
pub struct BucketHome(BucketBlobs);

impl BucketHome {
    /// Opens a bucket that is there, with an agent as [`super::Blobs::open_bucket`] needs it.
    pub fn open(agent: Agent, address: BucketAddress, login: BucketLogin) -> Result<Self> {
        BucketBlobs::open(agent, address, login).map(Self)
    }

    fn key(&self, name: &str) -> String {
        self.0.under_prefix(&format!("{FOLDER}/{name}"))
    }

    /// The document with the tag of its object; `None` before the first.
    fn read(&self, name: &str) -> Result<Option<(HomeDocument, String)>> {
        let found = match self.0.fetch(&self.key(name)) {
            Err(Error::NotFound(_)) => return Ok(None),
            found => found?,
        };
        let parts = found.body.split_first_chunk::<VERSION_BYTES>().zip(found.tag());
        let ((version, bytes), tag) =
            parts.ok_or_else(|| Error::corrupt("a document of the anchor is damaged"))?;
        let document = HomeDocument { version: u64::from_be_bytes(*version), bytes: bytes.to_vec() };
        Ok(Some((document, tag.to_owned())))
    }
}

impl AnchorHome for BucketHome {
    fn load(&self, name: &str) -> Result<HomeDocument> {
        Ok(self.read(name)?.map(|(document, _)| document).unwrap_or_default())
    }

    fn store(&self, name: &str, document: &HomeDocument) -> Result<bool> {
        let there = self.read(name)?;
        let condition = match &there {
            None if document.version == 0 => IF_NEW,
            Some((there, tag)) if there.version == document.version => (IF_SAME, tag.as_str()),
            _ => return Ok(false),
        };
        let body = [&(document.version + 1).to_be_bytes()[..], &document.bytes].concat();
        let written = self.0.put_if(&self.key(name), &body, condition)?;
        match written.status {
            StatusCode::PRECONDITION_FAILED | StatusCode::CONFLICT => Ok(false),
            _ => succeeded(&written).map(|()| true),
        }
    }
}
