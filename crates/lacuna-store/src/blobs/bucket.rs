//! Blobs in a bucket that speaks S3. Names are `memory/<vault>/<memory>.<revision>` under the bucket's prefix: a prefix
//! for each vault, and no name of a person.

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use lacuna_seal::{Entropy, SystemEntropy, sha256};
use lacuna_types::hex::hex;
use lacuna_types::{Clock, Error, Result, SystemClock, VaultId};
use ureq::Agent;
use ureq::http::{HeaderMap, Request, StatusCode};
use zeroize::Zeroizing;

use super::mark::MARK;
use super::{BLOB_BYTES_MAX, BlobName, StrayBlob, file_name, parse};
use crate::signature::{Signed, SignedFor, amz_date, authorization};
use crate::transport::transport_reason;

/// The longest time for one attempt, for whoever makes the agent.
pub const BUCKET_TIME: Duration = Duration::from_secs(30);
/// Attempts at one request. Each pause is up to twice as long as the one before.
const ATTEMPTS_MAX: u32 = 5;
const PAUSE_FIRST: Duration = Duration::from_millis(100);
/// Answers that are lists, in bytes; a list comes in pages of a thousand.
const LIST_BYTES_MAX: u64 = 4 << 20;
/// Pages of one list.
const PAGES_MAX: usize = 1_000;
/// The condition that no object has the name, and the header of one that it is still the same.
pub(super) const IF_NEW: (&str, &str) = ("if-none-match", "*");
pub(super) const IF_SAME: &str = "if-match";
/// The header of the word that an object keeps beside its bytes.
pub(super) const MARK_HEADER: &str = "x-amz-meta-lacuna";
/// The folder under the prefix that holds all vaults.
const ROOT: &str = "memory";

/// The place of a bucket.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BucketAddress {
    /// The address of the service, such as `https://s3.eu-central-1.amazonaws.com`.
    pub endpoint: String,
    /// The bucket's name.
    pub bucket: String,
    /// Begins the name of every object; may be empty.
    pub prefix: String,
    /// The region that requests are signed for.
    pub region: String,
}

/// The access key of a bucket.
pub struct BucketLogin {
    /// Names the key.
    pub id: String,
    /// The secret part.
    pub secret: Zeroizing<String>,
    /// The token of a key that was lent for some hours.
    pub session: Option<Zeroizing<String>>,
}

pub(super) struct BucketBlobs {
    agent: Agent,
    address: BucketAddress,
    login: BucketLogin,
    /// The bucket keeps what is deleted and replaced.
    keeps_versions: bool,
}

/// One call, before it is signed.
#[derive(Default)]
pub(super) struct BucketCall<'a> {
    pub(super) method: &'static str,
    pub(super) key: &'a str,
    /// In the order of their names, percent-encoded.
    pub(super) query: String,
    pub(super) body: &'a [u8],
    /// Conditions on the object that is there, and the range that is asked for. They need no signature.
    pub(super) unsigned: Vec<(&'static str, String)>,
    /// A word that the object keeps beside its bytes.
    pub(super) mark: Option<&'a str>,
    pub(super) bytes_max: u64,
}

/// One entry in the history of an object.
#[derive(Clone)]
struct ObjectVersion {
    id: String,
    /// The mark of a deletion, which has no bytes.
    is_mark: bool,
}

pub(super) struct BucketReply {
    pub(super) status: StatusCode,
    headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl BucketReply {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The tag of the object, which changes with its bytes.
    pub(super) fn tag(&self) -> Option<&str> {
        self.header("etag")
    }
}

impl BucketBlobs {
    /// A bucket that is not asked for anything yet.
    pub(super) fn unasked(agent: Agent, address: BucketAddress, login: BucketLogin) -> Self {
        Self { agent, address, login, keeps_versions: false }
    }

    pub(super) fn open(agent: Agent, address: BucketAddress, login: BucketLogin) -> Result<Self> {
        let mut bucket = Self::unasked(agent, address, login);
        let asked = BucketCall { method: "GET", query: "versioning=".into(), ..BucketCall::default() };
        let answer = bucket.call(&asked)?;
        let text = text_of(&answer)?;
        // Suspended means that versions of before are still there.
        bucket.keeps_versions = !elements(&text, "Status").is_empty();
        Ok(bucket)
    }

    /// Two writers of one name cannot overwrite each other unseen, and an attempt whose answer was lost is not done twice.
    pub(super) fn put(&self, vault: VaultId, name: BlobName, sealed: &[u8]) -> Result<()> {
        let key = self.key(vault, name);
        let put = |condition| self.put_if(&key, sealed, condition);
        let answer = put(IF_NEW)?;
        if answer.status != StatusCode::PRECONDITION_FAILED {
            return succeeded(&answer);
        }
        let there = self.fetch(&key)?;
        match (there.body == sealed, there.tag()) {
            (true, _) => Ok(()),
            (false, Some(tag)) => match put((IF_SAME, tag))? {
                answer if answer.status == StatusCode::PRECONDITION_FAILED => Err(Error::Conflict("a blob")),
                answer => succeeded(&answer),
            },
            (false, None) => Err(Error::Conflict("a blob")),
        }
    }

    pub(super) fn read_mark(&self) -> Result<Option<Vec<u8>>> {
        match self.fetch(&self.under_prefix(MARK)) {
            Ok(found) => Ok(Some(found.body)),
            Err(Error::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn write_mark(&self, mark: &[u8]) -> Result<()> {
        let written = self.put_if(&self.under_prefix(MARK), mark, IF_NEW)?;
        if written.status == StatusCode::PRECONDITION_FAILED { Ok(()) } else { succeeded(&written) }
    }

    /// Writes an object if a condition on the one that is there holds.
    pub(super) fn put_if(
        &self,
        key: &str,
        body: &[u8],
        (name, value): (&'static str, &str),
    ) -> Result<BucketReply> {
        let unsigned = vec![(name, value.to_owned())];
        self.call(&BucketCall { method: "PUT", key, body, unsigned, ..BucketCall::default() })
    }

    pub(super) fn get(&self, vault: VaultId, name: BlobName) -> Result<Vec<u8>> {
        Ok(self.fetch(&self.key(vault, name))?.body)
    }

    pub(super) fn fetch(&self, key: &str) -> Result<BucketReply> {
        let answer = self.call(&BucketCall {
            method: "GET",
            key,
            bytes_max: BLOB_BYTES_MAX as u64 + 1,
            ..BucketCall::default()
        })?;
        succeeded(&answer)?;
        match answer.body.len() > BLOB_BYTES_MAX {
            true => Err(Error::corrupt("a blob is larger than any that was written")),
            false => Ok(answer),
        }
    }

    pub(super) fn delete(&self, vault: VaultId, name: BlobName) -> Result<()> {
        self.delete_key(&self.key(vault, name))
    }

    /// The object first, then its history: a deletion in a bucket with versions only hides it.
    fn delete_key(&self, key: &str) -> Result<()> {
        let gone = self.call(&BucketCall { method: "DELETE", key, ..BucketCall::default() })?;
        succeeded(&gone)
            .or_else(|error| if gone.status == StatusCode::NOT_FOUND { Ok(()) } else { Err(error) })?;
        let mut is_kept = false;
        for version in self.versions(key)? {
            if version.is_mark && is_kept {
                // Without the mark of its deletion, the version that stays would be the object again.
                continue;
            }
            let query = format!("versionId={}", encoded(&version.id));
            let answer = self.call(&BucketCall { method: "DELETE", key, query, ..BucketCall::default() })?;
            if answer.status == StatusCode::FORBIDDEN {
                // A locked version stays. The probe finds it, and the receipt says so.
                tracing::warn!("the bucket does not let a version of an erased blob be deleted");
                is_kept = true;
            } else if answer.status != StatusCode::NOT_FOUND {
                succeeded(&answer)?;
            }
        }
        Ok(())
    }

    pub(super) fn is_left(&self, vault: VaultId, name: BlobName) -> bool {
        let key = self.key(vault, name);
        // What cannot be looked at counts as left.
        let gone = |found: Result<BucketReply>| matches!(found, Err(Error::NotFound(_)));
        !gone(self.fetch(&key)) || self.versions(&key).map_or(true, |versions| !versions.is_empty())
    }

    /// All versions of one object, and then the marks of its deletion.
    fn versions(&self, key: &str) -> Result<Vec<ObjectVersion>> {
        if !self.keeps_versions {
            return Ok(Vec::new());
        }
        let query = format!("prefix={}&versions=", encoded(key));
        let answer = self.call(&BucketCall {
            method: "GET",
            query,
            bytes_max: LIST_BYTES_MAX,
            ..BucketCall::default()
        })?;
        let text = text_of(&answer)?;
        let own = |entry: &&str| elements(entry, "Key").first().is_some_and(|found| unescaped(found) == key);
        let of_kind = |kind: &str, is_mark: bool| {
            let ids = elements(&text, kind).into_iter().filter(own);
            let ids = ids.filter_map(|entry| elements(entry, "VersionId").first().copied());
            ids.map(|id| ObjectVersion { id: unescaped(id), is_mark }).collect::<Vec<_>>()
        };
        Ok([of_kind("Version", false), of_kind("DeleteMarker", true)].concat())
    }

    pub(super) fn strays(
        &self,
        vault: VaultId,
        moment: Timestamp,
        is_known: impl Fn(BlobName) -> bool,
    ) -> Result<Vec<StrayBlob>> {
        let is_stray = |(key, written): &(String, Option<Timestamp>)| {
            let name = key.rsplit('/').next().and_then(parse);
            written.is_some_and(|at| at < moment) && !name.is_some_and(&is_known)
        };
        let found = self.objects(vault)?.into_iter().filter(is_stray);
        Ok(found.map(|(key, _)| StrayBlob { path: PathBuf::from(key) }).collect())
    }

    pub(super) fn remove_stray(&self, stray: &StrayBlob) -> Result<()> {
        stray.path.to_str().map_or(Ok(()), |key| self.delete_key(key))
    }

    pub(super) fn list(&self, vault: VaultId) -> Result<Vec<BlobName>> {
        let objects = self.objects(vault)?;
        let mut names: Vec<_> =
            objects.iter().filter_map(|(key, _)| key.rsplit('/').next().and_then(parse)).collect();
        names.sort();
        Ok(names)
    }

    /// Names of a vault's objects, and when each was written.
    fn objects(&self, vault: VaultId) -> Result<Vec<(String, Option<Timestamp>)>> {
        let prefix = encoded(&format!("{}/", self.folder(vault)));
        let mut found = Vec::new();
        let mut next = String::new();
        for _ in 0..PAGES_MAX {
            let query = format!("{next}list-type=2&prefix={prefix}");
            let call =
                BucketCall { method: "GET", query, bytes_max: LIST_BYTES_MAX, ..BucketCall::default() };
            let text = text_of(&self.call(&call)?)?;
            for entry in elements(&text, "Contents") {
                let key = elements(entry, "Key").first().map(|key| unescaped(key));
                let written = elements(entry, "LastModified").first().and_then(|at| at.parse().ok());
                found.extend(key.map(|key| (key, written)));
            }
            match elements(&text, "NextContinuationToken").first() {
                Some(token) => next = format!("continuation-token={}&", encoded(&unescaped(token))),
                None => return Ok(found),
            }
        }
        Err(Error::corrupt("a vault has more blobs than a list may have pages"))
    }

    fn folder(&self, vault: VaultId) -> String {
        self.under_prefix(&format!("{ROOT}/{vault}"))
    }

    pub(super) fn under_prefix(&self, name: &str) -> String {
        match self.address.prefix.trim_matches('/') {
            "" => name.to_owned(),
            prefix => format!("{prefix}/{name}"),
        }
    }

    fn key(&self, vault: VaultId, name: BlobName) -> String {
        format!("{}/{}", self.folder(vault), file_name(name))
    }

    /// Sends a call, again after a failure that may pass: each of our calls may be done twice.
    pub(super) fn call(&self, call: &BucketCall<'_>) -> Result<BucketReply> {
        let mut pause = PAUSE_FIRST;
        for _ in 1..ATTEMPTS_MAX {
            match self.attempt(call) {
                Ok(answer) if !is_passing(answer.status) => return Ok(answer),
                Ok(_) | Err(_) => std::thread::sleep(jittered(pause)),
            }
            pause *= 2;
        }
        match self.attempt(call) {
            Ok(answer) if is_passing(answer.status) => Err(unavailable("fails", answer.status.to_string())),
            Ok(answer) => Ok(answer),
            Err(error) => Err(unavailable(transport_reason(&error), error.to_string())),
        }
    }

    pub(super) fn attempt(&self, call: &BucketCall<'_>) -> std::result::Result<BucketReply, ureq::Error> {
        let path = match call.key {
            "" => format!("/{}", self.address.bucket),
            key => format!("/{}/{}", self.address.bucket, encoded_path(key)),
        };
        let query = if call.query.is_empty() { String::new() } else { format!("?{}", call.query) };
        let endpoint = self.address.endpoint.trim_end_matches('/');
        let mut request = Request::builder().method(call.method).uri(format!("{endpoint}{path}{query}"));
        for (name, value) in self.headers(call, &path) {
            request = request.header(name, value);
        }
        for (name, value) in &call.unsigned {
            request = request.header(*name, value);
        }
        let (answer, mut body) = self.agent.run(request.body(call.body)?)?.into_parts();
        let limit = call.bytes_max.max(LIST_BYTES_MAX);
        let body = body.with_config().limit(limit).read_to_vec()?;
        Ok(BucketReply { status: answer.status, headers: answer.headers, body })
    }

    /// The headers that prove who asks.
    fn headers(&self, call: &BucketCall<'_>, path: &str) -> Vec<(&'static str, String)> {
        let at = SystemClock.now();
        let host = self.address.endpoint.split_once("://").map_or("", |(_, host)| host.trim_end_matches('/'));
        let mut headers = vec![
            ("host", host.to_owned()),
            ("x-amz-content-sha256", hex(&sha256(call.body))),
            ("x-amz-date", amz_date(at)),
        ];
        headers.extend(call.mark.map(|mark| (MARK_HEADER, mark.to_owned())));
        headers.extend(self.login.session.as_ref().map(|token| ("x-amz-security-token", token.to_string())));
        let signed: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let request =
            Signed { method: call.method, path, query: &call.query, headers: &signed, body: call.body };
        let place = SignedFor { region: &self.address.region, service: "s3", at };
        let proof = authorization(&request, &place, &self.login.id, &self.login.secret);
        headers.push(("authorization", proof));
        headers
    }
}

fn is_passing(status: StatusCode) -> bool {
    status.is_server_error()
        || status == StatusCode::TOO_MANY_REQUESTS
        || status == StatusCode::REQUEST_TIMEOUT
}

/// Between half of the pause and all of it, so that nodes do not come back together.
fn jittered(pause: Duration) -> Duration {
    let mut byte = [0u8; 1];
    SystemEntropy.fill(&mut byte);
    pause.mul_f64(0.5 + f64::from(byte[0]) / 512.0)
}

pub(super) fn succeeded(answer: &BucketReply) -> Result<()> {
    match answer.status {
        status if status.is_success() => Ok(()),
        StatusCode::NOT_FOUND => Err(Error::NotFound("blob")),
        StatusCode::CONFLICT => Err(Error::Conflict("a blob")),
        _ if says(answer, "RequestTimeTooSkewed") => {
            Err(denied("the object store refuses requests because this machine's clock is off".to_owned()))
        }
        status if status.is_redirection() || says(answer, "AuthorizationHeaderMalformed") => {
            let place = answer.header("x-amz-bucket-region");
            let place = place.map_or_else(String::new, |region| format!(", {region}"));
            Err(denied(format!(
                "the bucket lies in another region{place}: correct the region and the endpoint, or use another bucket"
            )))
        }
        status @ (StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED) => Err(denied(format!(
            "the object store refuses the access key ({status}); check the key, its rights and the clock"
        ))),
        status => Err(unavailable("gives an answer that is not as expected", status.to_string())),
    }
}

/// Reads the code of a refusal.
pub(super) fn says(answer: &BucketReply, code: &str) -> bool {
    elements(&String::from_utf8_lossy(&answer.body), "Code").contains(&code)
}

fn denied(reason: String) -> Error {
    Error::Misconfigured { code: "blobs_denied", reason }
}

/// The XML of an answer that must have succeeded.
fn text_of(answer: &BucketReply) -> Result<String> {
    match succeeded(answer) {
        Err(Error::NotFound(_)) => Err(no_bucket()),
        done => done.map(|()| String::from_utf8_lossy(&answer.body).into_owned()),
    }
}

pub(super) fn no_bucket() -> Error {
    denied("there is no such bucket; make it first".to_owned())
}

pub(super) fn unavailable(reason: &str, cause: String) -> Error {
    Error::unavailable("blobs_unavailable", format!("the object store {reason}"), cause)
}

/// The contents of all elements of one name. The documents are flat and machine-made; a name has no attributes.
pub(super) fn elements<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let parts = text.split(open.as_str()).skip(1);
    parts.filter_map(|part| part.split_once(close.as_str()).map(|(content, _)| content)).collect()
}

pub(super) fn unescaped(text: &str) -> String {
    let plain =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#34;", "\""), ("&apos;", "'"), ("&#39;", "'")];
    let text = plain.iter().fold(text.to_owned(), |text, (sign, letter)| text.replace(sign, letter));
    text.replace("&amp;", "&")
}

/// Percent-encodes all but the unreserved characters.
pub(super) fn encoded(text: &str) -> String {
    let one = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(one).collect()
}

fn encoded_path(key: &str) -> String {
    key.split('/').map(encoded).collect::<Vec<_>>().join("/")
}
