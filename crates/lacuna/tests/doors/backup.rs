//! Backup, restore and destruction, as people run them.

use std::time::Duration;

use lacuna_store::folder::OwnedFolder;
use serde_json::json;

use crate::support::Home;

const KEPT: &str = "The spare oars hang in the boathouse";
const FORGOTTEN: &str = "The boathouse key lies under the anchor";

fn text(path: &std::path::Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn what_was_forgotten_after_a_backup_does_not_come_back_with_it() {
    let home = Home::new().with("LACUNA_BACKUP_PASSPHRASE", "two oars and a rope");
    let id = home.remember(FORGOTTEN);
    home.remember(KEPT);
    let (data, full) = (home.path("data.bak"), home.path("full.bak"));
    home.json(&["backup", text(&data)]);
    let written = home.json(&["backup", text(&full), "--full", "--keep-days", "7"]);
    assert_eq!((&written["full"], &written["keys"]), (&json!(true), &json!(2)));
    let taken = home.run(&["backup", text(&full), "--json"]);
    assert_eq!(taken.problem()["code"], "backup_unavailable", "a file is never overwritten");
    assert_eq!(home.json(&["backup", "list"])["backups"].as_array().unwrap().len(), 1);

    home.run(&["memory", "delete", &id, "--yes"]).ok();
    home.remember("This is written after the backups");
    for backup in [&data, &full] {
        let restored = home.json(&["restore", text(backup)]);
        assert!(restored["erasures"].as_u64().unwrap() >= 1 && restored["replaced"] == true, "{restored}");
        let listed = home.json(&["memory", "list"]).to_string();
        assert!(listed.contains(KEPT) && !listed.contains("anchor"), "{listed}");
        assert_eq!(home.run(&["memory", "inspect", &id]).code, 3);
        home.run(&["doctor"]).ok();
    }

    // Elsewhere it needs the passphrase, and the ledger that says what was forgotten since.
    let ledger = home.path("ledger");
    home.json(&["ledger", "export", text(&ledger)]);
    let elsewhere = Home::new().with("LACUNA_BACKUP_PASSPHRASE", "one oar");
    let refused = elsewhere.run(&["restore", text(&full), "--json"]);
    assert_eq!(refused.problem()["code"], "wrong_passphrase");
    let elsewhere = elsewhere.with("LACUNA_BACKUP_PASSPHRASE", "two oars and a rope");
    elsewhere.json(&["restore", text(&full), "--ledger", text(&ledger)]);
    let listed = elsewhere.json(&["memory", "list"]).to_string();
    assert!(listed.contains(KEPT) && !listed.contains("anchor"), "{listed}");

    std::fs::write(home.path("no.bak"), "nothing of the kind").unwrap();
    let refused = home.run(&["restore", text(&home.path("no.bak")), "--json"]);
    assert_eq!(refused.problem()["code"], "bad_backup");
}

#[test]
fn a_vault_is_destroyed_after_a_confirmed_plan() {
    let home = Home::new();
    home.remember(KEPT);
    let asked = home.run(&["destroy", "--json"]);
    assert_eq!(asked.problem()["code"], "needs_confirmation");
    let done = home.json(&["destroy", "--yes"]);
    assert_eq!(done["destroyed"]["records"], 1);
    assert!(!home.json(&["memory", "list"]).to_string().contains("oars"));

    let server = home.serve(&[]);
    server.post("/v1/memories", &json!({"content": KEPT})).expect(201);
    let plan = server.post("/v1/destroy", &json!({})).expect(200);
    assert_eq!(plan["plan"]["memories"], 1);
    let token = plan["plan"]["token"].as_str().unwrap();
    assert_eq!(server.post("/v1/destroy", &json!({"token": format!("{token}0")})).status, 422);
    let done = server.post("/v1/destroy", &json!({"token": token})).expect(200);
    assert_eq!((&done["destroyed"]["number"], &done["destroyed"]["records"]), (&json!(2), &json!(1)));
    assert_eq!(server.post("/v1/destroy", &json!({"token": token})).status, 404);
    server.post("/v1/memories", &json!({"content": "A new beginning"})).expect(201);
    let found = server.post("/v1/search", &json!({"query": "oars"})).expect(200);
    assert_eq!(found["total_searched"], 1);
}

#[test]
fn a_restore_beside_a_server_is_refused_and_names_it() {
    let home = Home::new();
    home.remember(KEPT);
    let backup = home.path("data.bak");
    home.json(&["backup", text(&backup)]);
    let server = home.serve(&[]);
    let refused = home.run(&["restore", text(&backup), "--json"]);
    assert_eq!((refused.code, &refused.problem()["code"]), (6, &json!("locked")));
    assert!(refused.stderr.contains(&format!("process {}", server.pid())), "{}", refused.stderr);
    assert!(refused.stderr.contains("stop `lacuna serve`"), "{}", refused.stderr);

    // Commands and other servers work side by side, and what the server acknowledges stays.
    let written = server.post("/v1/memories", &json!({"content": "The tide turns at four"})).expect(201);
    home.remember("The ferry is late");
    drop(server);
    let server = home.serve(&[]);
    server.get(&format!("/v1/memories/{}", written["memory_id"].as_str().unwrap())).expect(200);
    drop(server);
    home.json(&["restore", text(&backup)]);
    assert!(!home.json(&["memory", "list"]).to_string().contains("ferry"));
}

#[test]
fn a_command_waits_for_the_owner_of_the_folder() {
    let home = Home::new();
    home.remember(KEPT);
    let owned = OwnedFolder::claim(&home.data(), Duration::ZERO).unwrap();
    let waiting = home.command(&["recall", "oars", "--json"]).spawn().unwrap();
    let refused = home.run(&["recall", "oars", "--json"]);
    assert_eq!(refused.problem()["code"], "locked", "the wait is bounded");
    assert_eq!(waiting.wait_with_output().unwrap().status.code(), Some(6));
    let waiting = home.command(&["recall", "oars", "--json"]).spawn().unwrap();
    drop(owned);
    let answer = waiting.wait_with_output().unwrap();
    assert!(String::from_utf8(answer.stdout).unwrap().contains(KEPT));
}

#[test]
fn a_database_of_an_older_version_is_migrated_only_while_nobody_uses_it() {
    let home = Home::new();
    home.remember(KEPT);
    let set_version = |version: i64| {
        let database = rusqlite::Connection::open(home.data().join("lacuna.db")).unwrap();
        let now: i64 = database.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
        database.pragma_update(None, "user_version", version).unwrap();
        // Versions change by migration only, so the file of an older database says so itself.
        database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        now
    };
    let server = home.serve(&[]);
    let current = set_version(1);
    let refused = home.run(&["recall", "oars", "--json"]);
    assert_eq!(refused.problem()["code"], "locked", "{}", refused.stderr);
    set_version(current);
    home.run(&["recall", "oars"]).ok();
    drop(server);
}

#[test]
fn a_database_that_is_gone_is_told_and_none_is_made_in_its_place() {
    let home = Home::new();
    home.remember(KEPT);
    let backup = home.path("data.bak");
    home.json(&["backup", text(&backup)]);
    std::fs::remove_file(home.data().join("lacuna.db")).unwrap();
    for args in [&["recall", "oars"][..], &["remember", "anew"], &["serve"], &["memory", "list"]] {
        let refused = home.run(&[args, &["--json"]].concat());
        assert_eq!((refused.code, &refused.problem()["code"]), (7, &json!("missing_database")), "{args:?}");
    }
    assert!(home.run(&["doctor"]).stdout.contains("missing_database"));
    home.json(&["ledger", "export", text(&home.path("ledger"))]);
    assert!(!home.data().join("lacuna.db").exists());
    home.json(&["restore", text(&backup)]);
    assert!(home.json(&["memory", "list"]).to_string().contains(KEPT));
}

#[test]
fn a_restore_that_was_interrupted_is_ended_by_the_next_command() {
    let home = Home::new();
    home.remember(KEPT);
    // A staging folder without a journal is a restore that never happened.
    let staging = home.data().join("restore.tmp");
    std::fs::create_dir_all(&staging).unwrap();
    std::fs::copy(home.data().join("keystore/keystore.db"), staging.join("keystore.db")).unwrap();
    assert!(home.json(&["recall", "oars"]).to_string().contains(KEPT));
    assert!(!staging.exists(), "no copy of the keystore stays");
    // With a journal it goes on from wherever it stopped.
    std::fs::create_dir_all(&staging).unwrap();
    std::fs::rename(home.data().join("lacuna.db"), staging.join("lacuna.db")).unwrap();
    std::fs::write(home.data().join("restore.journal"), "lacuna restore 1\n.replaced\n").unwrap();
    assert!(home.json(&["recall", "oars"]).to_string().contains(KEPT));
    assert!(!staging.exists() && !home.data().join("restore.journal").exists());
}
