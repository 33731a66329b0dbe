//! Blobs in a bucket of a real object store: with and without versions, and when it refuses or is gone.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lacuna_store::blobs::{Blobs, BucketAddress, BucketHome, BucketLogin, BucketObject};
use lacuna_store::keys::{AnchorHome as _, HomeDocument};
use lacuna_types::{Error, Result};
use ureq::Agent;
use zeroize::Zeroizing;

use crate::blobs::name;
use crate::samples::scope;
use crate::seaweed::{ACCESS_KEY, SECRET_KEY, Seaweed, WRITER_KEY};

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

fn object(endpoint: String, bucket: &str, key: &str, secret: &str) -> BucketObject {
    let (agent, address, login) = way_to(endpoint, bucket, secret);
    BucketObject::new(agent, BucketAddress { prefix: key.to_owned(), ..address }, login)
}

/// Bytes that do not repeat within the size of a part.
fn noise(length: usize) -> Vec<u8> {
    (0u64..).flat_map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes()).take(length).collect()
}

fn upload(object: &BucketObject, bytes: &[u8]) -> Result<()> {
    let mut upload = object.upload();
    for piece in bytes.chunks(1_000_003) {
        if upload.write_all(piece).is_err() {
            return Err(upload.take_failure().unwrap());
        }
    }
    upload.finish()
}

fn download(object: &BucketObject) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    object.download(|part| {
        bytes.extend_from_slice(part);
        Ok::<_, Error>(())
    })?;
    Ok(bytes)
}

#[test]
fn an_object_of_any_size_is_written_once_and_read_whole() {
    let Some(mut server) = Seaweed::start() else { return };
    server.shell("s3.bucket.create -name backups");
    let at = |key: &str| object(server.endpoint(), "backups", key, SECRET_KEY);
    let part = 16 << 20;
    for length in [0, 1, part, part + 1, 2 * part + 5] {
        let object = at(&format!("nightly/{length}.backup"));
        assert_eq!(download(&object).unwrap_err().code(), "not_found", "{length}");
        object.refuse_taken().unwrap();
        let bytes = noise(length);
        upload(&object, &bytes).unwrap();
        assert!(download(&object).unwrap() == bytes, "{length}");
        // Neither a look nor a write without one replaces it.
        for refused in [object.refuse_taken(), upload(&object, b"another"), upload(&object, &noise(part + 2))]
        {
            let refused = refused.unwrap_err();
            assert_eq!(refused.code(), "backup_unavailable", "{length}: {refused}");
            assert!(refused.to_string().contains("there already"), "{length}: {refused}");
        }
        assert!(download(&object).unwrap() == bytes, "{length}");
    }
    refusals_of_objects(&server);

    // The service goes in the middle of an upload and of a download.
    let (cut, there) = (at("cut.backup"), at(&format!("nightly/{}.backup", part + 1)));
    let mut half = cut.upload();
    half.write_all(&noise(part)).unwrap();
    server.kill();
    assert!(half.write_all(&noise(part)).is_err());
    assert_eq!(half.take_failure().unwrap().code(), "backup_unavailable");
    drop(half);
    assert_eq!(download(&there).unwrap_err().code(), "backup_unavailable");
    server.start_again();
    let at = |key: &str| object(server.endpoint(), "backups", key, SECRET_KEY);
    assert_eq!(download(&at("cut.backup")).unwrap_err().code(), "not_found", "half of it has no name");
}

fn refusals_of_objects(server: &Seaweed) {
    let denied = |refused: Result<()>, words: &str| {
        let refused = refused.unwrap_err();
        assert_eq!(refused.code(), "blobs_denied", "{refused}");
        assert!(refused.to_string().contains(words), "{refused}");
    };
    // A write makes the bucket here if the key may make buckets, so that the look comes first.
    let nowhere = object(server.endpoint(), "nowhere", "a.backup", SECRET_KEY);
    denied(nowhere.refuse_taken(), "no such bucket");
    denied(download(&nowhere).map(drop), "no such bucket");
    let foreign = object(server.endpoint(), "backups", "a.backup", "another-secret");
    for refused in [foreign.refuse_taken(), upload(&foreign, b"bytes"), download(&foreign).map(drop)] {
        denied(refused, "refuses the access key");
    }
    // A key that may only write is enough for a backup, and cannot read one.
    let writer = || {
        let (agent, address, _) = way_to(server.endpoint(), "backups", SECRET_KEY);
        let secret = Zeroizing::new(SECRET_KEY.to_owned());
        let login = BucketLogin { id: WRITER_KEY.to_owned(), secret, session: None };
        BucketObject::new(agent, BucketAddress { prefix: "written.backup".to_owned(), ..address }, login)
    };
    writer().refuse_taken().unwrap();
    upload(&writer(), b"bytes").unwrap();
    assert_eq!(download(&writer()).unwrap_err().code(), "blobs_denied");
    let twice = upload(&writer(), b"others").unwrap_err();
    assert!(twice.to_string().contains("there already"), "{twice}");
}

/// A service that answers `GET` with the ranges of an object that becomes another one after the first.
#[test]
fn ranges_of_two_objects_are_never_joined_and_a_cut_answer_is_no_backup() {
    let range = "content-range: bytes 0-2/9\r\netag: \"one\"\r\n";
    for (status, header, code) in [
        // Not what was asked for: the whole length is not said, or nothing comes any more.
        ("200 OK", "", "backup_unavailable"),
        ("206 Partial Content", "content-range: bytes 0-8/9\r\n", "backup_unavailable"),
        ("412 Precondition Failed", range, "conflict"),
        ("206 Partial Content", "content-range: bytes 0-8/999999999999\r\n", "backup_unavailable"),
        ("301 Moved Permanently", "x-amz-bucket-region: us-west-2\r\n", "blobs_denied"),
    ] {
        let object = object(answering(status, header, "Whatever"), "backups", "a.backup", SECRET_KEY);
        let refused = download(&object).unwrap_err();
        assert_eq!(refused.code(), code, "{status} {header}: {refused}");
    }
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
