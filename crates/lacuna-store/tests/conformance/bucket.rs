//! Blobs in a bucket of a real object store: with and without versions, and when it refuses or is gone.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lacuna_store::blobs::{Blobs, BucketAddress, BucketHome, BucketLogin};
use lacuna_store::keys::{AnchorHome as _, HomeDocument};
use lacuna_types::Result;
use ureq::Agent;
use zeroize::Zeroizing;

use crate::blobs::name;
use crate::samples::scope;
use crate::seaweed::{ACCESS_KEY, SECRET_KEY, Seaweed};

fn open(server: &Seaweed, bucket: &str, secret: &str) -> Result<Blobs> {
    open_at(server.endpoint(), bucket, secret)
}

fn open_at(endpoint: String, bucket: &str, secret: &str) -> Result<Blobs> {
    let (agent, address, login) = way_to(endpoint, bucket, secret);
    Blobs::open_bucket(agent, address, login)
}

fn way_to(endpoint: String, bucket: &str, secret: &str) -> (Agent, BucketAddress, BucketLogin) {
    let agent: Agent = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(None)
        .timeout_global(Some(Duration::from_secs(10)))
        .build()
        .into();
    let address = BucketAddress {
        endpoint,
        bucket: bucket.to_owned(),
        prefix: "acme/one".to_owned(),
        region: "eu-central-1".to_owned(),
    };
    let secret = Zeroizing::new(secret.to_owned());
    (agent, address, BucketLogin { id: ACCESS_KEY.to_owned(), secret, session: None })
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

/// Changes a document as the anchor does: from what was read, and again when somebody else was first.
fn add_one(home: &BucketHome) {
    loop {
        let HomeDocument { version, bytes } = home.load("count").unwrap();
        let count = bytes.first().copied().unwrap_or(0) + 1;
        if home.store("count", &HomeDocument { version, bytes: vec![count] }).unwrap() {
            return;
        }
    }
}

#[test]
fn documents_of_an_anchor_change_only_from_what_was_read() {
    let Some(server) = Seaweed::start() else { return };
    server.shell("s3.bucket.create -name anchors");
    let open = || {
        let (agent, address, login) = way_to(server.endpoint(), "anchors", SECRET_KEY);
        BucketHome::open(agent, address, login).unwrap()
    };
    let home = open();
    assert_eq!(home.load("index").unwrap(), HomeDocument::default());
    let first = HomeDocument { version: 0, bytes: vec![1] };
    assert!(home.store("index", &first).unwrap());
    assert!(!home.store("index", &first).unwrap(), "somebody wrote meanwhile");
    assert_eq!(home.load("index").unwrap(), HomeDocument { version: 1, bytes: vec![1] });
    assert!(home.store("index", &HomeDocument { version: 1, bytes: vec![2] }).unwrap());
    assert_eq!(open().load("index").unwrap(), HomeDocument { version: 2, bytes: vec![2] });

    std::thread::scope(|threads| {
        for _ in 0..3 {
            threads.spawn(|| {
                let home = open();
                (0..10).for_each(|_| add_one(&home));
            });
        }
    });
    assert_eq!(home.load("count").unwrap(), HomeDocument { version: 30, bytes: vec![30] });
}

/// A service that gives one answer to every request, with the words of a refusal.
fn answering(status: &'static str, header: &'static str, code: &'static str) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4_096]);
            let body = format!("<Error><Code>{code}</Code></Error>");
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\n{header}content-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    format!("http://{address}")
}

#[test]
fn a_bucket_of_another_region_and_a_clock_that_is_off_are_named() {
    let elsewhere = "x-amz-bucket-region: us-west-2\r\n";
    for (status, header, code, words) in [
        ("301 Moved Permanently", elsewhere, "PermanentRedirect", "another region, us-west-2"),
        ("400 Bad Request", "", "AuthorizationHeaderMalformed", "another region:"),
        ("403 Forbidden", "", "RequestTimeTooSkewed", "clock is off"),
        ("403 Forbidden", "", "AccessDenied", "refuses the access key"),
    ] {
        let refused = open_at(answering(status, header, code), "plain", SECRET_KEY).err().unwrap();
        assert_eq!(refused.code(), "blobs_denied", "{code}: {refused}");
        assert!(refused.to_string().contains(words), "{code}: {refused}");
    }
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
