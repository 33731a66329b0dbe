//! Addresses of buckets: the setting `blobs`, and objects that a command names.

use std::collections::BTreeMap;

use lacuna_store::blobs::BucketAddress;

use super::residency::is_loopback_url;
use super::{Config, RawConfig};
use crate::codes;
use crate::wire::failure::{Failure, Result};

/// Begins the address of a bucket, and of an object in one.
pub(crate) const BUCKET_SCHEME: &str = "s3://";

/// The form of a bucket's address.
const BUCKET_FORM: &str = "must be folder, or s3://BUCKET/PREFIX?region=REGION&endpoint=https://HOST; \
    without an endpoint it is Amazon's, and only one on this machine may be http";

/// The form of an object's address.
const OBJECT_FORM: &str = "an object's address is s3://BUCKET/NAME?region=REGION&endpoint=https://HOST; without \
    region and endpoint they are those of blobs, and only an endpoint on this machine may be http";
/// Bytes of an object's name; S3 takes no more.
const OBJECT_NAME_BYTES_MAX: usize = 1_024;

/// Reads the address of a bucket.
fn read_bucket(url: &str) -> Option<BucketAddress> {
    let rest = url.strip_prefix(BUCKET_SCHEME)?;
    let (place, query) = rest.split_once('?')?;
    let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
    let mut pairs: BTreeMap<&str, &str> = BTreeMap::new();
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=')?;
        let is_new = pairs.insert(name, value).is_none();
        if !is_new || !["region", "endpoint"].contains(&name) || value.is_empty() {
            return None;
        }
    }
    let region = (*pairs.get("region")?).to_owned();
    let amazon = || format!("https://s3.{region}.amazonaws.com");
    let endpoint = pairs.get("endpoint").map_or_else(amazon, |endpoint| (*endpoint).to_owned());
    let is_safe =
        endpoint.starts_with("https://") || endpoint.starts_with("http://") && is_loopback_url(&endpoint);
    let is_name = |text: &str| {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
        !text.is_empty() && text.bytes().all(fits)
    };
    let is_path =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte));
    (is_safe && is_name(bucket) && is_name(&region) && is_path(prefix)).then(|| BucketAddress {
        endpoint: endpoint.clone(),
        bucket: bucket.to_owned(),
        prefix: prefix.to_owned(),
        region: region.clone(),
    })
}

impl RawConfig {
    pub(super) fn blobs(&mut self) -> Option<BucketAddress> {
        self.checked("blobs", |text| match text {
            "folder" => Ok(None),
            url => read_bucket(url).map(Some).ok_or_else(|| BUCKET_FORM.to_owned()),
        })
        .flatten()
    }
}

impl Config {
    /// Reads the address of an object whose name stands where a bucket's prefix would.
    pub(crate) fn object_address(&self, url: &str) -> Result<BucketAddress> {
        let read = read_object(url, self.blobs.as_ref());
        let address = read.ok_or_else(|| Failure::new(&codes::USAGE, OBJECT_FORM))?;
        match self.residency.bucket_faults("the bucket", &address).as_slice() {
            [] => Ok(address),
            faults => Err(Failure::new(&codes::BAD_CONFIG, faults.join("; "))),
        }
    }
}

fn read_object(url: &str, blobs: Option<&BucketAddress>) -> Option<BucketAddress> {
    let address = match blobs {
        Some(BucketAddress { region, endpoint, .. }) if !url.contains('?') => {
            read_bucket(&format!("{url}?region={region}&endpoint={endpoint}"))
        }
        _ => read_bucket(url),
    };
    let is_named = |name: &str| {
        name.len() <= OBJECT_NAME_BYTES_MAX && name.split('/').all(|part| !["", ".", ".."].contains(&part))
    };
    address.filter(|address| is_named(&address.prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_has_a_name_and_may_share_the_place_of_blobs() {
        let blobs = read_bucket("s3://memories/acme?region=eu-central-1&endpoint=http://127.0.0.1:8333");
        let own = "s3://backups/nightly/1.backup?region=us-east-1";
        let read = read_object(own, blobs.as_ref()).unwrap();
        assert_eq!((read.prefix.as_str(), read.region.as_str()), ("nightly/1.backup", "us-east-1"));
        assert_eq!(Some(read), read_object(own, None));
        let shared = read_object("s3://backups/nightly/1.backup", blobs.as_ref()).unwrap();
        assert_eq!((shared.bucket.as_str(), shared.endpoint.as_str()), ("backups", "http://127.0.0.1:8333"));
        for wrong in [
            "s3://backups",
            "s3://backups/",
            "s3://backups/nightly/",
            "s3://backups/nightly//1",
            "s3://backups/nightly/../1",
            "s3://backups/one two",
            "s3://backups/1?region=eu&endpoint=http://s3.example",
            &format!("s3://backups/{}", "n".repeat(OBJECT_NAME_BYTES_MAX + 1)),
        ] {
            assert_eq!(read_object(wrong, blobs.as_ref()), None, "{wrong}");
        }
        assert_eq!(read_object("s3://backups/1.backup", None), None);
    }

    #[test]
    fn a_bucket_has_a_region_and_a_safe_endpoint() {
        let read = |url: &str| read_bucket(url).map(|bucket| (bucket.bucket, bucket.prefix, bucket.endpoint));
        let expected =
            |prefix: &str, endpoint: &str| Some(("memories".into(), prefix.into(), endpoint.into()));
        let amazon = "https://s3.eu-central-1.amazonaws.com";
        assert_eq!(read("s3://memories?region=eu-central-1"), expected("", amazon));
        assert_eq!(read("s3://memories/acme/one?region=eu-central-1"), expected("acme/one", amazon));
        let local = "http://127.0.0.1:8333";
        assert_eq!(read(&format!("s3://memories?region=eu&endpoint={local}")), expected("", local));
        for wrong in [
            "s3://memories",
            "s3://?region=eu",
            "s3://memories?region=",
            "s3://memories?region=eu&region=us",
            "s3://memories?region=eu&endpoint=http://s3.example",
            "s3://memories?region=eu&key=AKIA",
            "s3://Memories?region=eu",
            "s3://memories/../other?region=eu&endpoint=ftp://s3.example",
            "https://memories?region=eu",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
