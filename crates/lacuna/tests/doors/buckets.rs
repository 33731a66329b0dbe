//! A real object store, as commands use it: backups in a bucket, and receipts where a bucket keeps versions.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use lacuna_seal::sha256;
use lacuna_store::blobs::{BucketAddress, BucketLogin, BucketObject};
use lacuna_store::signature::{Signed, SignedFor, amz_date, authorization};
use lacuna_types::Error;
use lacuna_types::hex::hex;
use serde_json::json;
use ureq::Agent;
use ureq::http::Request;
use zeroize::Zeroizing;

use crate::cluster::large_text;
use crate::seaweed::{ACCESS_KEY, SECRET_KEY, Seaweed, WRITER_KEY};
use crate::support::Home;

const KEPT: &str = "The spare oars hang in the boathouse";
const FORGOTTEN: &str = "The boathouse key lies under the anchor";
const REGION: &str = "eu-central-1";

fn with_login(home: Home) -> Home {
    home.with("AWS_ACCESS_KEY_ID", ACCESS_KEY).with("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
}

fn url(endpoint: &str, name: &str) -> String {
    format!("s3://{name}?region={REGION}&endpoint={endpoint}")
}

fn agent() -> Agent {
    let settings = Agent::config_builder().http_status_as_error(false).max_redirects(0).proxy(None);
    settings.timeout_global(Some(Duration::from_secs(30))).build().into()
}

/// An object of the bucket of backups, for the test itself.
fn object(seaweed: &Seaweed, name: &str) -> BucketObject {
    let address = BucketAddress {
        endpoint: seaweed.endpoint(),
        bucket: "backups".to_owned(),
        prefix: name.to_owned(),
        region: REGION.to_owned(),
    };
    let secret = Zeroizing::new(SECRET_KEY.to_owned());
    BucketObject::new(agent(), address, BucketLogin { id: ACCESS_KEY.to_owned(), secret, session: None })
}

fn bytes_of(seaweed: &Seaweed, name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let keep = |part: &[u8]| {
        bytes.extend_from_slice(part);
        Ok::<_, Error>(())
    };
    object(seaweed, name).download(keep).unwrap();
    bytes
}

fn put(seaweed: &Seaweed, name: &str, bytes: &[u8]) {
    let object = object(seaweed, name);
    let mut upload = object.upload();
    upload.write_all(bytes).unwrap();
    upload.finish().unwrap();
}

#[test]
fn what_was_forgotten_after_a_backup_in_a_bucket_does_not_come_back_with_it() {
    let Some(seaweed) = Seaweed::start() else { return };
    seaweed.shell("s3.bucket.create -name backups");
    let home = with_login(Home::new()).with("LACUNA_BACKUP_PASSPHRASE", "two oars and a rope");
    let id = home.remember(FORGOTTEN);
    home.remember(KEPT);
    home.remember(&format!("The log of the ferry says: {}", large_text()));
    let [data, full] =
        ["data", "full"].map(|name| url(&seaweed.endpoint(), &format!("backups/nightly/{name}.backup")));
    let written = home.json(&["backup", &data]);
    assert_eq!((&written["file"], &written["blobs"]), (&json!(data), &json!(1)));
    let written = home.json(&["backup", &full, "--full", "--keep-days", "7"]);
    assert_eq!((&written["full"], &written["keys"]), (&json!(true), &json!(3)));
    for name in ["data", "full"] {
        let bytes = bytes_of(&seaweed, &format!("nightly/{name}.backup"));
        let shown = String::from_utf8_lossy(&bytes);
        assert!(!shown.contains("boathouse") && !shown.contains("ferry"), "{name}: only sealed bytes leave");
    }
    for args in [&["backup", &data][..], &["backup", &full, "--full"]] {
        let problem = home.run(&[args, &["--json"]].concat()).problem();
        assert_eq!(problem["code"], "backup_unavailable", "{problem}");
        assert!(problem["detail"].as_str().unwrap().contains("there already"), "{problem}");
    }
    // A backup that was refused before it began is not in the book.
    assert_eq!(home.json(&["backup", "list"])["backups"].as_array().unwrap().len(), 1);

    home.run(&["memory", "delete", &id, "--yes"]).ok();
    home.remember("This is written after the backups");
    for backup in [&data, &full] {
        let restored = home.json(&["restore", backup]);
        assert!(restored["erasures"].as_u64().unwrap() >= 1 && restored["replaced"] == true, "{restored}");
        let listed = home.json(&["memory", "list"]).to_string();
        assert!(listed.contains(KEPT) && listed.contains("ferry") && !listed.contains("anchor"), "{listed}");
        assert_eq!(home.run(&["memory", "inspect", &id]).code, 3);
        home.run(&["doctor"]).ok();
    }
    refused_restores(home, &seaweed, &data);
}

/// Nothing changes when a restore is refused.
fn refused_restores(home: Home, seaweed: &Seaweed, data: &str) {
    let whole = bytes_of(seaweed, "nightly/data.backup");
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    put(seaweed, "changed.backup", &changed);
    put(seaweed, "cut.backup", &whole[..whole.len() / 2]);
    put(seaweed, "empty.backup", b"");
    let before = home.json(&["memory", "list"]);
    let at = |name: &str| url(&seaweed.endpoint(), name);
    let refused = |home: &Home, backup: &str, code: &str, words: &str| {
        let problem = home.run(&["restore", backup, "--json"]).problem();
        assert_eq!(problem["code"], code, "{backup}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains(words), "{backup}: {problem}");
        assert_eq!(home.json(&["memory", "list"]), before, "{backup}");
        let left = ["restore.download", "restore.tmp", "restore.journal"];
        assert!(left.iter().all(|name| !home.data().join(name).exists()), "{backup}");
    };
    for name in ["changed", "cut", "empty"] {
        refused(&home, &at(&format!("backups/{name}.backup")), "bad_backup", "damaged or cut short");
    }
    refused(&home, &at("backups/absent.backup"), "not_found", "no such backup in the bucket");
    refused(&home, &at("nowhere/data.backup"), "blobs_denied", "no such bucket");
    refused(&home, &at("backups/"), "usage", "an object's address is s3://BUCKET/NAME");
    refused(&home, "s3://backups/data.backup", "usage", "those of blobs");
    let cut = CutWire::to(seaweed, whole.len() / 2);
    refused(&home, &url(&cut.endpoint, "backups/nightly/data.backup"), "backup_unavailable", "object store");
    let home = home.with("AWS_SECRET_ACCESS_KEY", "another");
    refused(&home, data, "blobs_denied", "refuses the access key");
    let home = home.with("AWS_SECRET_ACCESS_KEY", SECRET_KEY).with("AWS_ACCESS_KEY_ID", WRITER_KEY);
    refused(&home, data, "blobs_denied", "refuses the access key");
    let home = home.without("AWS_ACCESS_KEY_ID");
    refused(&home, data, "bad_config", "AWS_ACCESS_KEY_ID");
    let home = home.with("LACUNA_RESIDENCY", "eu");
    let elsewhere = "s3://backups/data.backup?region=us-east-1";
    refused(&home, elsewhere, "bad_config", "the region us-east-1 is not in eu");
    refused(&home, elsewhere, "bad_config", "nothing says that s3.us-east-1.amazonaws.com is in eu");
}

#[test]
fn a_backup_that_a_bucket_does_not_take_leaves_no_object() {
    let Some(seaweed) = Seaweed::start() else { return };
    for bucket in ["backups", "memories"] {
        seaweed.shell(&format!("s3.bucket.create -name {bucket}"));
    }
    // Region and endpoint are those of large texts where the address has none.
    let blobs = url(&seaweed.endpoint(), "memories/acme");
    let home = with_login(Home::new()).with("LACUNA_BLOBS", &blobs);
    home.remember(KEPT);
    home.remember(&format!("The log of the ferry says: {}", large_text()));
    assert_eq!(home.json(&["backup", "s3://backups/short.backup"])["blobs"], 1);
    let whole = bytes_of(&seaweed, "short.backup").len();

    let refused = |home: &Home, backup: &str, code: &str, words: &str| {
        let problem = home.run(&["backup", backup, "--json"]).problem();
        assert_eq!(problem["code"], code, "{backup}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains(words), "{backup}: {problem}");
        object(&seaweed, "new.backup").refuse_taken().unwrap();
        assert!(!home.data().join("backup.tmp").exists());
    };
    let cut = CutWire::to(&seaweed, whole / 2);
    refused(&home, &url(&cut.endpoint, "backups/cut.backup"), "backup_unavailable", "object store");
    // The server may keep what it got of a request that was cut. Nobody takes that for a backup.
    if object(&seaweed, "cut.backup").refuse_taken().is_err() {
        assert!(bytes_of(&seaweed, "cut.backup").len() < whole);
        let problem = home.run(&["restore", "s3://backups/cut.backup", "--json"]).problem();
        assert_eq!(problem["code"], "bad_backup", "{problem}");
    }
    refused(&home, "s3://nowhere/new.backup", "blobs_denied", "no such bucket");
    refused(&home, "s3://backups/new/", "usage", "an object's address is s3://BUCKET/NAME");
    let home = home.with("LACUNA_RESIDENCY", "eu");
    let elsewhere = "s3://backups/new.backup?region=us-east-1";
    refused(&home, elsewhere, "bad_config", "the region us-east-1 is not in eu");
    let home = home.with("LACUNA_BLOBS", "folder").with("AWS_ACCESS_KEY_ID", WRITER_KEY);
    // A key that may only write is enough.
    home.json(&["backup", &url(&seaweed.endpoint(), "backups/written.backup")]);
    let home = home.with("AWS_SECRET_ACCESS_KEY", "another");
    refused(&home, &url(&seaweed.endpoint(), "backups/new.backup"), "blobs_denied", "refuses the access key");
}

/// A wire to the object store that is cut once so many bytes went through, in both directions together.
struct CutWire {
    endpoint: String,
}

impl CutWire {
    fn to(seaweed: &Seaweed, bytes: usize) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let server = seaweed.endpoint().trim_start_matches("http://").to_owned();
        let left = Arc::new(AtomicUsize::new(bytes));
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(there) = TcpStream::connect(&server) else { return };
                for (from, to) in [(&client, &there), (&there, &client)] {
                    let (from, to, left) = (from.try_clone().unwrap(), to.try_clone().unwrap(), left.clone());
                    std::thread::spawn(move || carry(from, to, &left));
                }
            }
        });
        Self { endpoint }
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream, left: &AtomicUsize) {
    let mut piece = [0; 1_024];
    while let Ok(read @ 1..) = from.read(&mut piece) {
        let enough = |left: usize| left.checked_sub(read);
        if left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, enough).is_err() {
            break;
        }
        if to.write_all(&piece[..read]).is_err() {
            break;
        }
    }
    for stream in [from, to] {
        let _ = stream.shutdown(Shutdown::Both);
    }
}

/// A signed request of an administrator; returns the answer's text.
fn administer(seaweed: &Seaweed, method: &str, path: &str, query: &str, body: &str) -> String {
    #[expect(clippy::disallowed_methods, reason = "the server under test runs on the machine's clock")]
    let at = Timestamp::now();
    let endpoint = seaweed.endpoint();
    let (digest, date) = (hex(&sha256(body.as_bytes())), amz_date(at));
    let headers = [
        ("host", endpoint.trim_start_matches("http://")),
        ("x-amz-content-sha256", digest.as_str()),
        ("x-amz-date", date.as_str()),
    ];
    let signed = Signed { method, path, query, headers: &headers, body: body.as_bytes() };
    let place = SignedFor { region: REGION, service: "s3", at };
    let proof = authorization(&signed, &place, ACCESS_KEY, SECRET_KEY);
    let mut request = Request::builder().method(method).uri(format!("{endpoint}{path}?{query}"));
    for (name, value) in headers.into_iter().chain([("authorization", proof.as_str())]) {
        request = request.header(name, value);
    }
    let mut answer = agent().run(request.body(body).unwrap()).unwrap();
    let text = answer.body_mut().read_to_string().unwrap();
    assert!(answer.status().is_success(), "{method} {path}?{query}: {text}");
    text
}

/// Keeps every version for a day, from administrators too.
const LOCK: &str = "<ObjectLockConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\
    <ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention><Mode>COMPLIANCE</Mode><Days>1</Days>\
    </DefaultRetention></Rule></ObjectLockConfiguration>";

#[test]
fn a_receipt_says_whether_a_bucket_kept_a_version() {
    let Some(seaweed) = Seaweed::start() else { return };
    seaweed.shell("s3.bucket.create -name versioned");
    seaweed.shell("s3.bucket.versioning -name versioned -status Enabled");
    seaweed.shell("s3.bucket.create -name locked -withLock");
    administer(&seaweed, "PUT", "/locked", "object-lock=", LOCK);
    for (bucket, left) in [("versioned", 0), ("locked", 1)] {
        let home = with_login(Home::new()).with("LACUNA_BLOBS", &url(&seaweed.endpoint(), bucket));
        let id = home.remember(&format!("The log of the ferry says: {}", large_text()));
        home.remember(KEPT);
        let count = |query: &str, element: &str| {
            administer(&seaweed, "GET", &format!("/{bucket}"), query, "").matches(element).count()
        };
        let versions = || count("versions=", "<Version>");
        assert_eq!(versions(), 1, "{bucket}");

        home.run(&["memory", "delete", &id, "--yes"]).ok();
        let receipt = home.json(&["receipt", "show", "1"]);
        let probes = receipt["probes"].as_array().unwrap();
        let blobs = probes.iter().find(|probe| probe["path"] == "blobs").unwrap();
        assert_eq!((&blobs["looked_for"], &blobs["found"]), (&json!(1), &json!(left)), "{bucket}: {receipt}");
        assert_eq!(receipt["counts"]["keys_destroyed"], 1, "{bucket}: {receipt}");
        assert_eq!(versions(), left, "{bucket}: the receipt tells what is there");
        assert_eq!(count("list-type=2", "<Contents>"), 0, "{bucket}: no object has the name any more");
        assert_eq!(home.run(&["memory", "inspect", &id]).code, 3, "{bucket}");
        assert!(home.json(&["memory", "list"]).to_string().contains(KEPT), "{bucket}");
    }
}
