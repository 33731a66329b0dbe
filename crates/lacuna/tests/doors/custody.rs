//! Keys in the custody of a key management service: a real OpenBao, and a server that speaks as AWS KMS does.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bao::{Bao, key_services};
use crate::postgres_database::Database;
use crate::seaweed::{ACCESS_KEY, SECRET_KEY, Seaweed};
use crate::support::{Home, Server, free_port};

const PATIENCE: Duration = Duration::from_secs(30);
const FACT: &str = "The spare key is under the third stone.";

fn key_files(home: &Home) -> Vec<String> {
    let files = fs::read_dir(home.data().join("keys")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".key")).collect()
}

#[track_caller]
fn finds(home: &Home) {
    assert_eq!(home.json(&["recall", "where is the spare key?"])["memories"][0]["content"], FACT);
}

#[track_caller]
fn refusal(home: &Home) -> Value {
    home.run(&["recall", "spare key", "--json"]).problem()["code"].clone()
}

/// Asks until the answer is as wanted, for things that happen within a bound of time.
fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn search(server: &Server) -> (u16, Value) {
    let answer = server.post("/v1/search", &json!({"query": "where is the spare key?"}));
    (answer.status, answer.json())
}

#[test]
fn keys_live_in_openbao_through_remember_forget_rotation_and_a_new_epoch() {
    let Some(bao) = Bao::start() else { return };
    let home = bao.home();
    let id = home.remember(FACT);
    assert!(key_files(&home).is_empty(), "no key lies in the folder");
    finds(&home);
    let status = home.json(&["keys", "status"]);
    let key = status["organisations"][0]["service_key"].as_str().unwrap().to_owned();
    assert!(bao.keys().contains(&key), "{status}");

    let rotated = home.json(&["keys", "rotate"]);
    assert_eq!((&rotated["version"], &rotated["destroyed"]), (&json!(2), &json!(1)));
    finds(&home);
    home.remember("The ferry leaves at noon.");

    let keystore = home.data().join("keystore/keystore.db");
    let old = fs::read(&keystore).unwrap();
    assert_eq!(home.json(&["keys", "renew-epoch"])["destroyed"], 1);
    assert!(!bao.keys().iter().any(|key| key.ends_with("epoch-1")), "{:?}", bao.keys());
    finds(&home);
    home.run(&["memory", "delete", &id, "--yes"]).ok();
    assert_ne!(home.json(&["recall", "spare key"])["memories"][0]["content"], FACT);
    // The stolen copy has the wrapped epoch, and the key that wrapped it is gone.
    fs::write(&keystore, old).unwrap();
    assert!(
        ["kms_key_missing", "missing_key"].contains(&refusal(&home).as_str().unwrap()),
        "{}",
        refusal(&home)
    );
}

#[test]
fn a_move_brings_every_key_to_openbao_and_back_and_an_interrupted_one_keeps_the_old() {
    let Some(bao) = Bao::start() else { return };
    let home = bao.home_with("local");
    home.remember(FACT);
    let before = key_files(&home);
    assert_eq!(before.len(), 3, "{before:?}");
    // Without transit nothing is moved, and nothing is lost.
    let home = home.with("LACUNA_CUSTODY_MOUNT", "nothing");
    let done = home.run(&["keys", "move", "--to", "openbao", "--json"]);
    assert_eq!(done.problem()["code"], "kms_refused", "{}", done.stderr);
    assert_eq!(key_files(&home).len(), 3);
    finds(&home);

    let home = home.without("LACUNA_CUSTODY_MOUNT");
    assert_eq!(home.json(&["keys", "move", "--to", "openbao"])["keys"], 3);
    assert!(key_files(&home).is_empty());
    assert_eq!(refusal(&home), "missing_key", "the configuration still names the folder");
    let home = home.with("LACUNA_CUSTODY_KIND", "openbao");
    finds(&home);
    home.json(&["audit", "verify"]);
    assert_eq!(home.json(&["keys", "move", "--to", "local"])["keys"], 3);
    let home = home.with("LACUNA_CUSTODY_KIND", "local");
    assert_eq!(key_files(&home).len(), 3);
    finds(&home);
}

#[test]
fn a_sealed_service_stops_what_is_new_and_a_deleted_key_seals_the_organisation() {
    let Some(bao) = Bao::start() else { return };
    let home = bao.home().with("LACUNA_CUSTODY_CACHE_SECONDS", "1");
    home.remember(FACT);
    let key = home.json(&["keys", "status"])["organisations"][0]["service_key"].as_str().unwrap().to_owned();
    let server = home.serve(&[]);
    assert_eq!(search(&server).0, 200);
    bao.seal();
    // Longer than the bound: what is open goes on, for reads and for writes.
    std::thread::sleep(Duration::from_secs(3));
    let (status, found) = search(&server);
    assert_eq!((status, &found["memories"][0]["content"]), (200, &json!(FACT)));
    server.post("/v1/memories", &json!({"content": "Written while the service is sealed."})).expect(201);
    // What is new must wait, in another process and in a new vault.
    assert_eq!(refusal(&home), "kms_unavailable");
    let first = json!({"content": "The first of another vault.", "scope": "org"});
    server.post("/v1/memories", &first).refused(503, "kms_unavailable");
    server.get("/readyz").expect(200);
    bao.unseal();
    finds(&home);

    bao.delete_key(&key);
    eventually("a deleted key seals the open vault", || search(&server).0 == 503);
    assert_eq!(search(&server).1["code"], "kms_key_missing");
    assert_eq!(refusal(&home), "kms_key_missing");
}

#[test]
fn only_the_own_organisations_key_is_asked_for() {
    let Some(bao) = Bao::start() else { return };
    let home = bao.home();
    home.remember(FACT);
    home.run(&["remember", "The boat is blue.", "--json"]).ok();
    let own = home.json(&["keys", "status"])["organisations"][0]["service_key"].as_str().unwrap().to_owned();
    let other = home.with("LACUNA_ORG", "other");
    other.remember("The boat is red.");
    let paths = [own.as_str(), "lacuna-installation", "lacuna-epoch-1"];
    let rules =
        paths.map(|key| format!("path \"transit/decrypt/{key}\" {{ capabilities = [\"update\"] }}\n"));
    let kv = "path \"secret/data/lacuna/anchor/*\" { capabilities = [\"create\", \"read\", \"update\"] }\n";
    let token = bao.token(&(rules.concat() + kv));
    let narrow = other.without("LACUNA_ORG").with("BAO_TOKEN", &token);
    finds(&narrow);
    let foreign = narrow.with("LACUNA_ORG", "other");
    assert_eq!(refusal(&foreign), "kms_refused");
}

#[test]
fn an_old_database_is_refused_by_a_node_that_never_saw_the_newer_one() {
    let Some(bao) = Bao::start() else { return };
    refuses_an_old_database(&bao.home());
    // With AWS KMS the anchor is at home in the bucket.
    let Some((moto, seaweed)) = Moto::start().zip(Seaweed::start()) else { return };
    seaweed.shell("s3.bucket.create -name memories");
    let url = format!("s3://memories?region=eu-central-1&endpoint={}", seaweed.endpoint());
    refuses_an_old_database(&moto.home().with("LACUNA_BLOBS", &url));
}

fn refuses_an_old_database(home: &Home) {
    let id = home.remember(FACT);
    let database = home.data().join("lacuna.db");
    let old = fs::read(&database).unwrap();
    home.remember("The ferry leaves at noon.");
    home.run(&["memory", "delete", &id, "--yes"]).ok();
    for name in ["lacuna.db-wal", "lacuna.db-shm"] {
        let _ = fs::remove_file(home.data().join(name));
    }
    fs::write(&database, old).unwrap();
    // A node that is new has no copy of the anchor; its home knows.
    fs::remove_dir_all(home.data().join("keys")).unwrap();
    assert_eq!(refusal(home), "rolled_back");
    home.run(&["keys", "accept-rollback"]).ok();
    let found = home.json(&["recall", "spare key"]);
    assert_ne!(found["memories"][0]["content"], FACT, "the ledger keeps it erased");
}

/// Two data folders, one database and one service: what one node does the other one has.
#[test]
fn nodes_share_nothing_but_addresses() {
    let Some(bao) = Bao::start() else { return };
    let Some(database) = Database::make("custody_nodes") else { return };
    let node = || bao.home().with("LACUNA_STORE", &database.url()).with("LACUNA_KEYS_BESIDE_DATA", "true");
    let (one, other) = (node(), node());
    let id = one.remember(FACT);
    finds(&other);
    assert_eq!(other.json(&["keys", "rotate"])["version"], 2);
    finds(&one);
    assert_eq!(one.json(&["keys", "renew-epoch"])["destroyed"], 1);
    finds(&other);
    other.run(&["memory", "delete", &id, "--yes"]).ok();
    assert_ne!(one.json(&["recall", "spare key"])["memories"][0]["content"], FACT);
    assert!(key_files(&one).is_empty() && key_files(&other).is_empty());
}

#[test]
fn every_fault_of_the_service_has_its_own_words() {
    let Some(bao) = Bao::start() else { return };
    let mut home = bao.home();
    home.remember(FACT);
    let denied = bao.token("path \"secret/*\" { capabilities = [\"read\", \"create\", \"update\"] }");
    let nobody = format!("http://127.0.0.1:{}", free_port());
    let cases = [
        ("BAO_TOKEN", "not-a-token", "kms_refused", "token is wrong"),
        ("BAO_TOKEN", &denied, "kms_refused", "policy lacks transit/decrypt"),
        ("LACUNA_CUSTODY_PREFIX", "another", "kms_key_missing", "another-epoch-1"),
        ("LACUNA_CUSTODY_MOUNT", "elsewhere", "kms_refused", "no transit engine at elsewhere/"),
        ("LACUNA_CUSTODY_KV", "elsewhere", "kms_refused", "no key-value engine"),
        ("LACUNA_CUSTODY_URL", &nobody, "kms_unavailable", "cannot be reached"),
        ("LACUNA_CUSTODY_URL", "http://bao.example", "bad_config", "custody.url"),
        ("LACUNA_CUSTODY_KIND", "vault", "bad_config", "local, openbao or aws"),
        ("LACUNA_CUSTODY_CACHE_SECONDS", "0", "bad_config", "custody.cache_seconds"),
    ];
    let usual = [
        ("BAO_TOKEN", bao.root_token.as_str()),
        ("LACUNA_CUSTODY_PREFIX", "lacuna"),
        ("LACUNA_CUSTODY_MOUNT", "transit"),
        ("LACUNA_CUSTODY_KV", "secret"),
        ("LACUNA_CUSTODY_URL", &bao.url),
        ("LACUNA_CUSTODY_KIND", "openbao"),
        ("LACUNA_CUSTODY_CACHE_SECONDS", "900"),
    ];
    for (variable, value, code, words) in cases {
        home = home.with(variable, value);
        let problem = home.run(&["recall", "spare key", "--json"]).problem();
        assert_eq!(problem["code"], code, "{variable}={value}: {problem}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(words), "{variable}={value}: {detail}");
        assert!(!detail.contains(&bao.root_token) && !detail.contains(&denied), "{detail}");
        if code.starts_with("kms") {
            let doctor = home.run(&["doctor", "--json"]);
            assert_eq!(doctor.code, 1, "{}", doctor.stdout);
            assert!(doctor.stdout.contains(words), "doctor explains {variable}: {}", doctor.stdout);
        }
        let back = usual.iter().find(|(name, _)| *name == variable).unwrap().1;
        home = home.with(variable, back);
    }
    finds(&home);
    bao.seal();
    assert_eq!(refusal(&home), "kms_unavailable");
    assert!(home.run(&["doctor", "--json"]).stdout.contains("is sealed"));
}

/// A server that speaks as AWS does.
struct Moto {
    child: Child,
    url: String,
}

impl Drop for Moto {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Moto {
    fn start() -> Option<Self> {
        let program = key_services()?.join("bin/moto_server");
        let port = free_port();
        let child = Command::new(program)
            .args(["-H", "127.0.0.1", "-p", &port.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let moto = Self { child, url: format!("http://127.0.0.1:{port}") };
        let started = Instant::now();
        while ureq::get(format!("{}/moto-api/data.json", moto.url)).call().is_err() {
            assert!(started.elapsed() < 2 * PATIENCE, "the server does not start");
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(moto)
    }

    /// A home whose keys this server wraps. It takes any access key.
    fn home(&self) -> Home {
        Home::new()
            .with("LACUNA_CUSTODY_KIND", "aws")
            .with("LACUNA_CUSTODY_URL", &self.url)
            .with("LACUNA_CUSTODY_REGION", "eu-central-1")
            .with("AWS_ACCESS_KEY_ID", ACCESS_KEY)
            .with("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
    }
}

#[test]
fn keys_live_in_aws_kms_as_well() {
    let Some(moto) = Moto::start() else { return };
    let home = moto.home();
    home.remember(FACT);
    assert!(key_files(&home).is_empty());
    finds(&home);
    assert_eq!(home.json(&["keys", "rotate"])["version"], 2);
    assert_eq!(home.json(&["keys", "renew-epoch"])["destroyed"], 1);
    finds(&home);
    let elsewhere = home.with("LACUNA_CUSTODY_PREFIX", "another");
    assert_eq!(refusal(&elsewhere), "kms_key_missing");
    let home = elsewhere.without("LACUNA_CUSTODY_PREFIX").without("AWS_SECRET_ACCESS_KEY");
    assert_eq!(refusal(&home), "bad_config");
}

/// A service behind TLS that shows a certificate and answers nothing.
pub(crate) struct ShowsCertificate {
    child: Child,
    pub(crate) url: String,
    _folder: tempfile::TempDir,
}

impl Drop for ShowsCertificate {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn openssl(folder: &std::path::Path, args: &[&str]) {
    let made = Command::new("openssl")
        .args(args)
        .current_dir(folder)
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .status();
    assert!(made.expect("openssl makes certificates; `cargo xtask test` installs it").success(), "{args:?}");
}

impl ShowsCertificate {
    /// With a certificate that an unknown authority signed for so many days.
    pub(crate) fn start(days: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
        let root = ["req", "-x509", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=ca"];
        openssl(folder.path(), &[&root[..], &curve].concat());
        let leaf = ["req", "-keyout", "leaf.key", "-out", "leaf.csr", "-subj", "/CN=localhost"];
        openssl(folder.path(), &[&leaf[..], &curve].concat());
        fs::write(folder.path().join("names"), "subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n")
            .unwrap();
        let sign =
            ["x509", "-req", "-in", "leaf.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"];
        let rest = ["-days", days, "-extfile", "names", "-out", "leaf.pem"];
        openssl(folder.path(), &[&sign[..], &rest].concat());
        // One of no days is valid to the end of the second that it was made in.
        std::thread::sleep(Duration::from_secs(2));
        let address = format!("127.0.0.1:{}", free_port());
        let files = ["-cert", "leaf.pem", "-key", "leaf.key", "-quiet", "-www"];
        let child = Command::new("openssl")
            .args(["s_server", "-accept", &address])
            .args(files)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        eventually("the server listens", || std::net::TcpStream::connect(&address).is_ok());
        Self { child, url: format!("https://{address}"), _folder: folder }
    }
}

/// The words for a service whose certificate an unknown authority signed for so many days.
fn certificate_fault(days: &str) -> String {
    let server = ShowsCertificate::start(days);
    let home = Home::new()
        .with("LACUNA_CUSTODY_KIND", "openbao")
        .with("LACUNA_CUSTODY_URL", &server.url)
        .with("LACUNA_CUSTODY_TOKEN_ENV", "BAO_TOKEN")
        .with("BAO_TOKEN", "a-token");
    let problem = home.run(&["remember", FACT, "--json"]).problem();
    assert_eq!(problem["code"], "kms_unavailable", "{problem}");
    problem["detail"].as_str().unwrap().to_owned()
}

#[test]
fn an_expired_or_foreign_certificate_of_the_service_is_named() {
    let (expired, foreign) = (certificate_fault("0"), certificate_fault("2"));
    assert!(expired.ends_with("has a certificate that expired"), "{expired}");
    assert!(foreign.ends_with("has a certificate that this machine does not trust"), "{foreign}");
}
