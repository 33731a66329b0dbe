//! Exports by file and by link: what is in them, who gets them, and what is left lying around.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::Home;

fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn with_health(home: &Home) {
    let health = [
        "remember",
        "I take thyroxine every morning.",
        "--sensitivity",
        "health",
        "--consent",
        "explicit-consent",
    ];
    home.run(&health).ok();
}

#[test]
fn a_file_holds_what_seed_000_asks_for_and_only_its_owner_may_read_it() {
    let home = Home::new();
    home.run(&[
        "remember",
        "Tea in the afternoon, never coffee.",
        "--category",
        "preference",
        "--tag",
        "tea",
    ])
    .ok();
    home.remember("The ladder is at the neighbour's.");
    let folder = home.path("out");
    fs::create_dir(&folder).unwrap();
    let file = folder.join("memories.json");
    let told = home.json(&["export", file.to_str().unwrap()]);
    assert_eq!(told["record_count"], 2);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(names_in(&folder), ["memories.json"]);

    let export = read(&file);
    assert_eq!((&export["export_version"], &export["user_id"]), (&json!("1.0"), &json!("anna")));
    assert_eq!(export["record_count"], 2);
    let counts: Vec<_> = ["conversation", "work_pattern", "preference", "learned_context"]
        .map(|name| export["categories"][name]["count"].as_u64().unwrap())
        .into();
    assert_eq!(counts, [0, 0, 1, 1]);
    let tea = &export["categories"]["preference"]["records"][0];
    assert_eq!(tea["content"], "Tea in the afternoon, never coffee.");
    assert_eq!(tea["topic_tags"], json!(["tea"]));
    assert_eq!((&tea["state"], &tea["inferred"]), (&json!("active"), &json!(false)));
    assert!(export["exported_at"].is_string() && export["deletion_history"].is_array());
    assert_eq!(export["retention_settings"]["preset"], "personal-authority");
}

#[test]
fn an_export_that_cannot_be_put_in_place_leaves_nothing() {
    let home = Home::new();
    home.remember("The ladder is at the neighbour's.");
    let folder = home.path("out");
    fs::create_dir_all(folder.join("taken")).unwrap();
    let taken = folder.join("taken");
    let refused = home.run(&["export", taken.to_str().unwrap(), "--json"]);
    assert_eq!(refused.problem()["code"], "usage");
    let missing = folder.join("no/such/place.json");
    let refused = home.run(&["export", missing.to_str().unwrap(), "--json"]);
    assert_eq!(refused.problem()["code"], "output_failed");
    assert_eq!(names_in(&folder), ["taken"]);
    assert!(names_in(&taken).is_empty());
}

#[test]
fn health_needs_a_yes_of_its_own() {
    let home = Home::new();
    with_health(&home);
    home.remember("The ladder is at the neighbour's.");
    let plain = home.run(&["export", "-"]).ok();
    assert!(!plain.stdout.contains("thyroxine"));
    assert!(plain.stderr.contains("1 about health were left out"), "{}", plain.stderr);
    assert_eq!(serde_json::from_str::<Value>(&plain.stdout).unwrap()["health_left_out"], 1);
    let unconfirmed = home.run(&["export", "-", "--include-health", "--json"]);
    assert_eq!(unconfirmed.problem()["code"], "needs_confirmation");
    assert!(unconfirmed.stdout.is_empty());
    let confirmed = home.run(&["export", "-", "--include-health", "--yes"]).ok();
    assert!(confirmed.stdout.contains("thyroxine"));
}

#[test]
fn markdown_is_for_people() {
    let home = Home::new();
    home.remember("The ladder is at the neighbour's.");
    let file = home.path("memories.md");
    home.run(&["export", file.to_str().unwrap()]).ok();
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("# Memories of user:anna\n"), "{text}");
    assert!(text.contains("## Learned context\n") && text.contains("> The ladder is at the neighbour's."));
}

#[test]
fn an_encrypted_file_needs_its_passphrase() {
    let home = Home::new().with("LACUNA_EXPORT_PASSPHRASE", "seven grey herons");
    home.remember("The ladder is at the neighbour's.");
    let file = home.path("memories.sealed");
    let path = file.to_str().unwrap();
    home.run(&["export", path, "--encrypt"]).ok();
    let bytes = fs::read(&file).unwrap();
    assert!(bytes.starts_with(b"LACUNAST"));
    assert!(!bytes.windows(6).any(|window| window == b"ladder"));

    let other = Home::new().with("LACUNA_EXPORT_PASSPHRASE", "seven grey geese");
    assert_eq!(other.run(&["import", path, "--json"]).problem()["code"], "export_passphrase");
    let other = other.without("LACUNA_EXPORT_PASSPHRASE");
    assert_eq!(other.run(&["import", path, "--json"]).problem()["code"], "export_passphrase");
    let other = other.with("LACUNA_EXPORT_PASSPHRASE", "seven grey herons");
    let report = last_line(&other.run(&["import", path, "--json"]).ok().stdout);
    assert_eq!((&report["stored"], &report["from"]), (&json!(1), &json!("lacuna")));
    assert!(other.run(&["recall", "ladder"]).ok().stdout.contains("at the neighbour's"));

    fs::write(&file, &bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(other.run(&["import", path, "--json"]).problem()["code"], "damaged_export");
    let unset = home.without("LACUNA_EXPORT_PASSPHRASE");
    assert_eq!(unset.run(&["export", path, "--encrypt", "--json"]).problem()["code"], "export_passphrase");
}

pub(crate) fn last_line(text: &str) -> Value {
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

#[test]
fn a_link_opens_one_export_and_nothing_else() {
    let home = Home::new();
    let token = home.token("anna", "user", &[])["secret"].as_str().unwrap().to_owned();
    let mut server = home.serve(&[]);
    server.bearing(&token);
    let stored =
        server.post("/v1/memories", &json!({"content": "The boathouse needs a new lock."})).expect(201);
    server.post("/v1/memories", &json!({"content": "The ladder is at the neighbour's."})).expect(201);
    let made = server.post("/v1/exports", &json!({})).expect(201);
    assert_eq!(made["record_count"], 2);
    let url = made["download_url"].as_str().unwrap();
    assert!(made["export_id"].as_str().unwrap().starts_with("export_") && !url.contains("anna"));

    let bearer = format!("Bearer {token}");
    let nobody = stranger(&server.url);
    let download = nobody(url, None);
    assert_eq!(download.0, 200);
    // The time in it may be a few digits shorter.
    let announced = made["total_size_bytes"].as_u64().unwrap();
    assert!((download.1.len() as u64).abs_diff(announced) < 8, "{} and {announced}", download.1.len());
    let export: Value = serde_json::from_slice(&download.1).unwrap();
    assert_eq!(export["record_count"], 2);

    // What is forgotten after the link was made is not behind it any more.
    server.delete(&format!("/v1/memories/{}", stored["memory_id"].as_str().unwrap())).expect(200);
    let export: Value = serde_json::from_slice(&nobody(url, None).1).unwrap();
    assert_eq!(export["record_count"], 1);
    assert!(!export.to_string().contains("boathouse"));

    let secret = url.rsplit('/').next().unwrap();
    assert_eq!(nobody("/v1/memories", Some(&format!("Bearer {secret}"))).0, 401);
    assert_eq!(nobody("/v1/memories", None).0, 401);
    assert_eq!(nobody("/v1/memories", Some(&bearer)).0, 200);
    let mut forged = url.to_owned();
    let last = if forged.pop() == Some('0') { '1' } else { '0' };
    forged.push(last);
    let (status, problem) = nobody(&forged, None);
    let (missing_status, missing) = nobody("/v1/exports/exp_00", None);
    assert_eq!((status, missing_status), (404, 404));
    let without_id = |problem: &[u8]| {
        let mut problem: Value = serde_json::from_slice(problem).unwrap();
        assert!(problem["request_id"].take().is_string());
        problem
    };
    assert_eq!(without_id(&problem), without_id(&missing), "a changed link answers like a missing one");
}

/// A caller without any token of its own.
fn stranger(url: &str) -> impl Fn(&str, Option<&str>) -> (u16, Vec<u8>) {
    let config = ureq::Agent::config_builder().http_status_as_error(false);
    let agent: ureq::Agent = config.build().into();
    let url = url.to_owned();
    move |path, bearer| {
        let mut request = agent.get(format!("{url}{path}"));
        if let Some(bearer) = bearer {
            request = request.header("authorization", bearer);
        }
        let mut response = request.call().unwrap();
        (response.status().as_u16(), response.body_mut().read_to_vec().unwrap())
    }
}

#[test]
fn a_link_says_what_kind_of_file_it_is() {
    let home = Home::new();
    with_health(&home);
    home.remember("The ladder is at the neighbour's.");
    let server = home.serve(&[]);
    let made = server.post("/v1/exports", &json!({"format": "markdown", "include_health": true})).expect(201);
    let answer = server.get(made["download_url"].as_str().unwrap());
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("text/markdown; charset=utf-8"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert!(answer.header("content-disposition").unwrap().starts_with("attachment"));
    assert!(answer.text().contains("thyroxine"));
    let only = json!({"categories": ["preference"], "include_metadata": false});
    assert_eq!(server.post("/v1/exports", &only).expect(201)["record_count"], 0);
    server.post("/v1/exports", &json!({"format": "xml"})).refused(422, "invalid");
    let audit = home.run(&["audit", "list"]).ok().stdout;
    assert_eq!(audit.matches("exported").count(), 3, "{audit}");
}

#[test]
fn a_large_export_arrives_whole() {
    let home = Home::new();
    let lines: String = (0..400)
        .map(|number| {
            json!({"content": format!("Parcel {number}x. {}", "It went by rail. ".repeat(60))}).to_string()
                + "\n"
        })
        .collect();
    home.run_with_input(&["remember", "--batch", "-"], lines.as_bytes()).ok();
    let server = home.serve(&[]);
    let made = server.post("/v1/exports", &json!({})).expect(201);
    let answer = server.get(made["download_url"].as_str().unwrap());
    assert!(answer.bytes.len() > 300_000, "more than the pieces that wait");
    assert_eq!(answer.json()["record_count"], 400);
}
