//! The setting `blobs`: a folder beside the data, or a bucket.

use std::collections::BTreeMap;

use lacuna_store::blobs::BucketAddress;

use super::RawConfig;
use super::residency::is_loopback_url;

/// The form of a bucket's address.
const BUCKET_FORM: &str = "must be folder, or s3://BUCKET/PREFIX?region=REGION&endpoint=https://HOST; \
    without an endpoint it is Amazon's, and only one on this machine may be http";

/// Reads the address of a bucket.
fn read_bucket(url: &str) -> Option<BucketAddress> {
    let rest = url.strip_prefix("s3://")?;
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

#[cfg(test)]
mod tests {
    use super::*;

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
