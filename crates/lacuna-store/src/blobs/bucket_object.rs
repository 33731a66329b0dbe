//! One large object in a bucket, such as a backup: written in parts and read in ranges, with one of them in RAM at a time.

use std::io::{self, Write};

use lacuna_seal::{Entropy, SystemEntropy};
use lacuna_types::hex::hex;
use lacuna_types::{Error, Result};
use ureq::Agent;
use ureq::http::StatusCode;

use super::bucket::{
    BucketAddress, BucketBlobs, BucketCall, BucketLogin, BucketReply, IF_NEW, IF_SAME, MARK_HEADER, elements,
    encoded, no_bucket, says, succeeded, unavailable, unescaped,
};

/// Bytes of one part, and of one range. S3 takes no part below 5 MiB but the last one.
const PART_BYTES: usize = 16 << 20;
/// Parts of one object; S3 takes no more. Together they are 156 GiB.
const PARTS_MAX: usize = 10_000;
/// Random bytes of the word by which an upload knows its object again.
const MARK_BYTES: usize = 16;

/// One object of a bucket, which is written once and never changed.
pub struct BucketObject {
    bucket: BucketBlobs,
    key: String,
}

impl BucketObject {
    /// Names the object; nothing is asked for yet. The whole prefix of `address` is the object's name, and the agent
    /// is one as [`super::Blobs::open_bucket`] needs it.
    pub fn new(agent: Agent, address: BucketAddress, login: BucketLogin) -> Self {
        let key = address.prefix.clone();
        Self { bucket: BucketBlobs::unasked(agent, address, login), key }
    }

    /// Refuses if the name is taken, before anybody makes something to put there.
    pub fn refuse_taken(&self) -> Result<()> {
        let first = self.range(0, 1, None)?;
        match first.status {
            // A key that may only write cannot look. The write itself is conditional.
            StatusCode::FORBIDDEN if says(&first, "AccessDenied") => Ok(()),
            StatusCode::RANGE_NOT_SATISFIABLE => Err(taken()),
            _ => match checked(&first) {
                Err(Error::NotFound(_)) => Ok(()),
                found => found.and_then(|()| Err(taken())),
            },
        }
    }

    /// Begins to write the object. It has its name when [`BucketUpload::finish`] returns, and not before.
    pub fn upload(&self) -> BucketUpload<'_> {
        let mut mark = [0; MARK_BYTES];
        SystemEntropy.fill(&mut mark);
        let part = Vec::new();
        BucketUpload {
            object: self,
            mark: hex(&mark),
            part,
            begun: None,
            tags: Vec::new(),
            bytes: 0,
            failure: None,
        }
    }

    /// Hands the whole object to `take`, range by range. Each is of the same object as the first, or it is refused.
    pub fn download<E: From<Error>>(&self, mut take: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let (mut at, mut tag) = (0, None);
        loop {
            let answer = self.range(at, PART_BYTES, tag.as_deref())?;
            match answer.status {
                StatusCode::RANGE_NOT_SATISFIABLE if at == 0 => return Ok(()),
                StatusCode::PRECONDITION_FAILED => return Err(Error::Conflict("the backup").into()),
                _ => checked(&answer)?,
            }
            take(&answer.body)?;
            tag = tag.or_else(|| answer.tag().map(str::to_owned));
            let end = at + answer.body.len() as u64;
            match answer.header("content-range").and_then(whole_length) {
                Some(whole) if end == whole => return Ok(()),
                Some(whole) if whole > (PARTS_MAX * PART_BYTES) as u64 => return Err(too_large().into()),
                Some(_) if !answer.body.is_empty() && tag.is_some() => at = end,
                _ => return Err(unexpected(&answer).into()),
            }
        }
    }

    fn range(&self, at: u64, bytes: usize, tag: Option<&str>) -> Result<BucketReply> {
        let mut unsigned = vec![("range", format!("bytes={at}-{}", at + bytes as u64 - 1))];
        unsigned.extend(tag.map(|tag| (IF_SAME, tag.to_owned())));
        let bytes_max = PART_BYTES as u64 + 1;
        self.call(&BucketCall { method: "GET", key: &self.key, unsigned, bytes_max, ..BucketCall::default() })
    }

    fn call(&self, call: &BucketCall<'_>) -> Result<BucketReply> {
        self.bucket.call(call).map_err(of_backup)
    }
}

/// An object on its way into a bucket. Parts of one that is dropped before its end are given up.
pub struct BucketUpload<'a> {
    object: &'a BucketObject,
    mark: String,
    part: Vec<u8>,
    /// The service's name of the upload, once there is more than one part.
    begun: Option<String>,
    /// Tags of the parts that were sent.
    tags: Vec<String>,
    /// Bytes of the whole object so far.
    bytes: u64,
    failure: Option<Error>,
}

impl BucketUpload<'_> {
    /// The reason why a write failed, which an [`io::Error`] cannot hold.
    pub fn take_failure(&mut self) -> Option<Error> {
        self.failure.take()
    }

    /// Gives the object its name, unless something has that name.
    pub fn finish(mut self) -> Result<()> {
        if self.begun.is_none() {
            return self.put_whole();
        }
        if !self.part.is_empty() {
            self.send_part()?;
        }
        self.complete()
    }

    /// Writes an object of one part.
    fn put_whole(&self) -> Result<()> {
        let answer = self.object.call(&BucketCall {
            method: "PUT",
            body: &self.part,
            unsigned: vec![(IF_NEW.0, IF_NEW.1.to_owned())],
            mark: Some(&self.mark),
            ..self.empty_call()
        })?;
        self.settled(&answer)
    }

    fn complete(&mut self) -> Result<()> {
        let part = |(at, tag): (usize, &String)| {
            format!("<Part><PartNumber>{}</PartNumber><ETag>{tag}</ETag></Part>", at + 1)
        };
        let parts: String = self.tags.iter().enumerate().map(part).collect();
        let list = format!("<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>");
        let answer = self.object.call(&BucketCall {
            method: "POST",
            query: format!("uploadId={}", encoded(self.begun.as_deref().unwrap_or_default())),
            body: list.as_bytes(),
            unsigned: vec![(IF_NEW.0, IF_NEW.1.to_owned())],
            ..self.empty_call()
        })?;
        self.settled(&answer)?;
        self.begun = None;
        Ok(())
    }

    /// Judges the answer that an object gets its name with. A second attempt finds the object of the first.
    fn settled(&self, answer: &BucketReply) -> Result<()> {
        match answer.status {
            // A completion may fail after it began to answer.
            StatusCode::OK if !elements(&String::from_utf8_lossy(&answer.body), "Code").is_empty() => {
                Err(of_backup(unavailable("fails", "the upload was not completed".to_owned())))
            }
            StatusCode::PRECONDITION_FAILED | StatusCode::CONFLICT => self.unless_ours(taken()),
            StatusCode::NOT_FOUND if says(answer, "NoSuchUpload") => self.unless_ours(unexpected(answer)),
            _ => checked(answer),
        }
    }

    /// Fails unless the object is there, came from this upload, and is whole: some services keep what they got of a request
    /// that was cut.
    fn unless_ours(&self, failure: Error) -> Result<()> {
        let first = self.object.range(0, 1, None)?;
        let length = first.header("content-range").and_then(whole_length);
        let is_ours = first.header(MARK_HEADER) == Some(&self.mark) && length == Some(self.bytes);
        if is_ours { Ok(()) } else { Err(failure) }
    }

    fn send_part(&mut self) -> Result<()> {
        let number = next_number(self.tags.len())?;
        if self.begun.is_none() {
            self.begun = Some(self.begin()?);
        }
        let upload = encoded(self.begun.as_deref().unwrap_or_default());
        let answer = self.object.call(&BucketCall {
            method: "PUT",
            query: format!("partNumber={number}&uploadId={upload}"),
            body: &self.part,
            ..self.empty_call()
        })?;
        checked(&answer)?;
        let tag = answer.tag().ok_or_else(|| unexpected(&answer))?;
        self.tags.push(tag.to_owned());
        self.part.clear();
        Ok(())
    }

    fn begin(&self) -> Result<String> {
        let answer = self.object.call(&BucketCall {
            method: "POST",
            query: "uploads=".to_owned(),
            mark: Some(&self.mark),
            ..self.empty_call()
        })?;
        checked(&answer)?;
        let text = String::from_utf8_lossy(&answer.body);
        let upload = elements(&text, "UploadId").first().map(|id| unescaped(id));
        upload.ok_or_else(|| unexpected(&answer))
    }

    fn empty_call(&self) -> BucketCall<'_> {
        BucketCall { key: &self.object.key, ..BucketCall::default() }
    }
}

impl Write for BucketUpload<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let failed = || io::Error::other("the object store failed");
        if self.failure.is_some() {
            return Err(failed());
        }
        let taken = bytes.len().min(PART_BYTES - self.part.len());
        self.part.extend_from_slice(&bytes[..taken]);
        self.bytes += taken as u64;
        if self.part.len() == PART_BYTES
            && let Err(error) = self.send_part()
        {
            self.failure = Some(error);
            return Err(failed());
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for BucketUpload<'_> {
    fn drop(&mut self) {
        let Some(upload) = self.begun.take() else { return };
        let query = format!("uploadId={}", encoded(&upload));
        let call = BucketCall { method: "DELETE", query, ..self.empty_call() };
        // Once, because the service may be what failed.
        if !self.object.bucket.attempt(&call).is_ok_and(|answer| answer.status.is_success()) {
            tracing::warn!("parts of a backup that was not completed are left in the bucket");
        }
    }
}

/// The number of the part after `sent` ones.
fn next_number(sent: usize) -> Result<usize> {
    if sent < PARTS_MAX { Ok(sent + 1) } else { Err(too_large()) }
}

/// The length of the whole object, from the header of a range: `bytes 0-15/1000`.
fn whole_length(content_range: &str) -> Option<u64> {
    content_range.rsplit_once('/').and_then(|(_, whole)| whole.parse().ok())
}

fn checked(answer: &BucketReply) -> Result<()> {
    match succeeded(answer) {
        Err(Error::NotFound(_)) if says(answer, "NoSuchBucket") => Err(no_bucket()),
        Err(Error::NotFound(_)) => Err(Error::NotFound("backup in the bucket")),
        Err(Error::Conflict(_)) => Err(Error::Conflict("the backup")),
        done => done.map_err(of_backup),
    }
}

/// The same failure with the code of backups.
fn of_backup(error: Error) -> Error {
    match error {
        Error::Unavailable { reason, source, .. } => {
            Error::Unavailable { code: "backup_unavailable", reason, source }
        }
        other => other,
    }
}

fn unexpected(answer: &BucketReply) -> Error {
    of_backup(unavailable("gives an answer that is not as expected", answer.status.to_string()))
}

fn taken() -> Error {
    let reason =
        "an object of this name is there already, and a backup is never overwritten: choose another name";
    Error::Unavailable { code: "backup_unavailable", reason: reason.to_owned(), source: None }
}

fn too_large() -> Error {
    let reason = format!("an object has at most {PARTS_MAX} parts of {} MiB", PART_BYTES >> 20);
    Error::Unavailable { code: "backup_unavailable", reason, source: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_has_a_bounded_number_of_parts() {
        assert_eq!(next_number(0).unwrap(), 1);
        assert_eq!(next_number(PARTS_MAX - 1).unwrap(), PARTS_MAX);
        let refused = next_number(PARTS_MAX).unwrap_err();
        assert_eq!(refused.code(), "backup_unavailable");
        assert!(refused.to_string().contains("10000 parts of 16 MiB"), "{refused}");
    }

    #[test]
    fn the_whole_length_stands_after_the_range() {
        assert_eq!(whole_length("bytes 0-15/1000"), Some(1_000));
        assert_eq!(whole_length("bytes */7"), Some(7));
        for unknown in ["bytes 0-15/*", "", "bytes"] {
            assert_eq!(whole_length(unknown), None, "{unknown}");
        }
    }
}
