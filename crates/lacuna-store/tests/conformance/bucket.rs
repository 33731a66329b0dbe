//! Blobs in a bucket of a real object store: with and without versions, and when it refuses or is gone.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lacuna_store::blobs::{Blobs, BucketAddress, BucketLogin};
use lacuna_types::Result;
use ureq::Agent;
use zeroize::Zeroizing;

use crate::blobs::name;
use crate::samples::scope;
use crate::seaweed::{ACCESS_KEY, SECRET_KEY, Seaweed};

fn open(server: &Seaweed, bucket: &str, secret: &str) -> Result<Blobs> {
    let agent: Agent = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(None)
        .timeout_global(Some(Duration::from_secs(10)))
        .build()
        .into();
    let address = BucketAddress {
        endpoint: server.endpoint(),
        bucket: bucket.to_owned(),
        prefix: "acme/one".to_owned(),
        region: "eu-central-1".to_owned(),
    };
    let secret = Zeroizing::new(secret.to_owned());
    Blobs::open_bucket(agent, address, BucketLogin { id: ACCESS_KEY.to_owned(), secret, session: None })
}

#[test]
fn a_bucket_keeps_blobs_until_they_are_deleted_with_their_history() {
    let Some(server) = Seaweed::start() else { return };
    for bucket in ["plain", "versioned"] {
        server.shell(&format!("s3.bucket.create -name {bucket}"));
    }
    server.shell("s3.bucket.versioning -name versioned -status Enabled");
    for bucket in ["plain", "versioned"] {
        let blobs = open(&server, bucket, SECRET_KEY).unwrap();
        let (ann, ben) = (scope("ann").vault_id(), scope("ben").vault_id());
        let large: Vec<u8> =
            (0..3 << 20).map(|n: u32| n.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
        blobs.put(ann, name(1, 1), large.clone()).unwrap();
        assert!(blobs.get(ann, name(1, 1)).unwrap() == large, "{bucket}");
        // The same bytes again are the answer that got lost, and others replace them.
        blobs.put(ann, name(1, 1), large).unwrap();
        blobs.put(ann, name(1, 1), vec![7]).unwrap();
        assert_eq!(blobs.get(ann, name(1, 1)).unwrap(), vec![7], "{bucket}");
        for blob in [name(2, 1), name(1, 3)] {
            blobs.put(ann, blob, vec![1, 2, 3]).unwrap();
        }
        blobs.put(ben, name(9, 9), vec![]).unwrap();
        assert_eq!(blobs.list(ann).unwrap(), vec![name(1, 1), name(1, 3), name(2, 1)], "{bucket}");
        assert_eq!(blobs.get(ben, name(1, 1)).unwrap_err().code(), "not_found");

        blobs.delete(ann, name(1, 1)).unwrap();
        blobs.delete(ann, name(1, 1)).unwrap();
        assert_eq!(blobs.get(ann, name(1, 1)).unwrap_err().code(), "not_found", "{bucket}");
        assert!(!blobs.is_left(ann, name(1, 1)), "{bucket}: a version is left");
        assert!(blobs.is_left(ann, name(2, 1)), "{bucket}");

        #[expect(clippy::disallowed_methods, reason = "the server under test runs on the machine's clock")]
        let soon = Timestamp::now() + SignedDuration::from_hours(1);
        let strays = blobs.strays(ann, soon, |blob| blob == name(2, 1)).unwrap();
        assert_eq!(strays.len(), 1, "{bucket}");
        blobs.remove_stray(&strays[0]).unwrap();
        assert_eq!(blobs.list(ann).unwrap(), vec![name(2, 1)], "{bucket}");
        assert_eq!(blobs.list(ben).unwrap(), vec![name(9, 9)], "{bucket}");
    }
    refusals(server);
}

/// The errors of a wrong key, a missing bucket and a server that is gone.
fn refusals(server: Seaweed) {
    assert_eq!(open(&server, "plain", "another-secret").err().unwrap().code(), "blobs_denied");
    assert_eq!(open(&server, "nowhere", SECRET_KEY).err().unwrap().code(), "blobs_denied");
    let blobs = open(&server, "plain", SECRET_KEY).unwrap();
    drop(server);
    let vault = scope("ann").vault_id();
    assert_eq!(blobs.get(vault, name(2, 1)).unwrap_err().code(), "blobs_unavailable");
    assert_eq!(blobs.put(vault, name(3, 1), vec![1]).unwrap_err().code(), "blobs_unavailable");
    // Nobody may say that nothing is left without having looked.
    assert!(blobs.is_left(vault, name(2, 1)));
}
