//! Nodes that are set up wrongly, or whose surroundings are wrong: each is told why, and nothing is changed.

use std::path::Path;

use serde_json::{Value, json};

use crate::bao::Bao;
use crate::cluster::large_text;
use crate::custody::ShowsCertificate;
use crate::own_postgres::Machine;
use crate::postgres_database::Database;
use crate::seaweed::{ACCESS_KEY, SECRET_KEY, Seaweed};
use crate::support::{Done, Home};

const FACT: &str = "The spare key is under the third stone.";

/// A text that is too large for a row.
fn large(about: &str) -> String {
    format!("The log of the {about} says: {}", large_text())
}

/// Asserts that a command is refused with these words, and that the doctor has them too.
#[track_caller]
fn refused(home: &Home, args: &[&str], code: &str, words: &str) {
    let problem = home.run(&[args, &["--json"]].concat()).problem();
    assert_eq!(problem["code"], code, "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains(words), "{problem}");
    let doctor = home.run(&["doctor", "--json"]).stdout;
    assert!(doctor.contains(words), "doctor explains {code}: {doctor}");
}

fn with_bucket(home: Home, endpoint: &str) -> Home {
    home.with("LACUNA_BLOBS", &format!("s3://memories?region=eu-central-1&endpoint={endpoint}"))
        .with("AWS_ACCESS_KEY_ID", ACCESS_KEY)
        .with("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
}

#[test]
fn a_replica_takes_no_writes_and_says_so() {
    let Some(machine) = Machine::new() else { return };
    let (primary, replica) = machine.pair();
    let home = Home::new().with("LACUNA_STORE", &primary.url()).with("LACUNA_KEYS_BESIDE_DATA", "true");
    home.remember(FACT);
    let on_replica = home.with("LACUNA_STORE", &replica.url());
    for args in
        [&["remember", "The boat is blue."][..], &["recall", "spare key"], &["forget", "spare key", "--yes"]]
    {
        let problem = on_replica.run(&[args, &["--json"]].concat()).problem();
        assert_eq!(problem["code"], "read_only", "{args:?}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains("is a replica"), "{args:?}: {problem}");
    }
    // Among several servers the primary is looked for.
    let both = |one: u16, other: u16| format!("postgres://lacuna@127.0.0.1:{one},127.0.0.1:{other}/postgres");
    let home = on_replica.with("LACUNA_STORE", &both(replica.port, primary.port));
    assert_eq!(home.json(&["recall", "where is the spare key?"])["memories"][0]["content"], FACT);
    let home = home.with("LACUNA_STORE", &both(primary.port, replica.port));
    primary.kill();
    refused(&home, &["recall", "spare key"], "store_unavailable", "takes writes; promote one");
}

/// A command under a clock that is ahead; `None` where the program for that is not installed.
fn two_hours_ahead(home: &Home, args: &[&str]) -> Option<Done> {
    let faketime = Path::new("/usr/bin/faketime");
    if !faketime.exists() {
        eprintln!("skipped: faketime is not installed; `cargo xtask test` installs it");
        return None;
    }
    let all = [&["-f", "+2h", home.binary()][..], args, &["--json"]].concat();
    Some(home.program(faketime, &all))
}

#[test]
fn a_clock_that_is_off_is_told_by_how_much() {
    let Some(database) = Database::make("clock") else { return };
    let home = Home::new().with("LACUNA_STORE", &database.url()).with("LACUNA_KEYS_BESIDE_DATA", "true");
    home.remember(FACT);
    for args in [&["recall", "spare key"][..], &["remember", "The boat is blue."], &["serve"]] {
        let Some(done) = two_hours_ahead(&home, args) else { return };
        let problem = done.problem();
        assert_eq!(problem["code"], "clock_off", "{problem}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(
            detail.contains("clock is 7200 seconds ahead") || detail.contains("clock is 7199 seconds ahead"),
            "{detail}"
        );
    }
    let doctor = two_hours_ahead(&home, &["doctor"]).unwrap();
    assert!(doctor.stdout.contains("clock_off"), "{}", doctor.stdout);
    assert_eq!(home.json(&["recall", "where is the spare key?"])["memories"].as_array().unwrap().len(), 1);
}

#[test]
fn an_object_store_is_told_apart_by_certificate_clock_and_key() {
    for (days, words) in
        [("0", "has a certificate that expired"), ("2", "has a certificate that this machine does not trust")]
    {
        let server = ShowsCertificate::start(days);
        let home = Home::new();
        home.remember(FACT);
        let home = with_bucket(home, &server.url);
        refused(&home, &["recall", "spare key"], "blobs_unavailable", words);
    }
    let Some(seaweed) = Seaweed::start() else { return };
    seaweed.shell("s3.bucket.create -name memories");
    let home = with_bucket(Home::new(), &seaweed.endpoint());
    home.remember(&large("ferry"));
    if let Some(done) = two_hours_ahead(&home, &["recall", "ferry"]) {
        let problem = done.problem();
        assert_eq!(problem["code"], "blobs_denied", "{problem}");
        assert!(problem["detail"].as_str().unwrap().contains("clock"), "{problem}");
    }
    let stranger = home.with("AWS_SECRET_ACCESS_KEY", "another");
    refused(&stranger, &["recall", "ferry"], "blobs_denied", "refuses the access key");
}

/// One node has its large texts in the bucket, and one in a folder of its own.
#[test]
fn nodes_that_disagree_about_the_place_of_large_texts_are_stopped() {
    let Some((bao, seaweed)) = Bao::start().zip(Seaweed::start()) else { return };
    let Some(database) = Database::make("disagree") else { return };
    seaweed.shell("s3.bucket.create -name memories");
    let node = || bao.home().with("LACUNA_STORE", &database.url()).with("LACUNA_KEYS_BESIDE_DATA", "true");
    let (right, wrong) = (with_bucket(node(), &seaweed.endpoint()), node());
    // Nobody can tell while there is no large text.
    right.remember(FACT);
    let early = wrong.serve(&[]);
    let id = right.remember(&large("ferry"));
    early.post("/v1/memories", &json!({"content": large("tram")})).refused(503, "wrong_blobs");
    early.post("/v1/memories", &json!({"content": "The tram is green."})).expect(201);
    drop(early);
    refused(
        &wrong,
        &["recall", "spare key"],
        "wrong_blobs",
        "large texts of this installation are elsewhere",
    );
    let done = wrong.run(&["serve", "--listen", "127.0.0.1:0", "--json"]);
    assert_eq!(done.problem()["code"], "wrong_blobs", "{}", done.stderr);
    let whole: Value = right.json(&["memory", "inspect", &id]);
    assert!(whole["content"] == large("ferry"));
    // Another bucket of the same store is another place.
    seaweed.shell("s3.bucket.create -name others");
    let other = with_bucket(wrong, &seaweed.endpoint());
    let url = format!("s3://others?region=eu-central-1&endpoint={}", seaweed.endpoint());
    let other = other.with("LACUNA_BLOBS", &url);
    assert_eq!(other.run(&["recall", "tram", "--json"]).problem()["code"], "wrong_blobs");
}
