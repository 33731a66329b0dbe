//! Files that are broken, missing, locked away or under another passphrase: a clear code, the process alive,
//! the data untouched.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::json;

use crate::support::{Done, Home, contents};

fn key_file(home: &Home, start: &str) -> PathBuf {
    let mut files = fs::read_dir(home.data().join("keys")).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.file_name().unwrap().to_str().unwrap().starts_with(start)).unwrap()
}

/// Turns one bit in the sealed frame of a memory.
fn flip_frame(home: &Home, id: &str) {
    let database = Connection::open(home.data().join("lacuna.db")).unwrap();
    let id: Vec<u8> =
        (4..id.len()).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()).collect();
    let mut frame: Vec<u8> =
        database.query_row("SELECT frame FROM memory WHERE id = ?1", [&id], |row| row.get(0)).unwrap();
    let middle = frame.len() / 2;
    frame[middle] ^= 1;
    let changed =
        database.execute("UPDATE memory SET frame = ?1 WHERE id = ?2", rusqlite::params![frame, id]);
    assert_eq!(changed.unwrap(), 1);
}

#[track_caller]
fn refused(home: &Home, args: &[&str], exit: i32, code: &str) {
    let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    let done = home.run(&args);
    assert_eq!(done.problem()["code"], code, "{}", done.stderr);
    assert_eq!(done.code, exit, "{}", done.stderr);
}

#[test]
fn a_weak_passphrase_seals_nothing_new() {
    let weak = "hunter2";
    let home = Home::new().with("LACUNA_PASSPHRASE", weak);
    refused(&home, &["remember", "x"], 2, "weak_passphrase");
    assert!(!home.data().join("lacuna.db").exists(), "nothing was made");
    home.run(&["remember", "x", "--weak-passphrase"]).ok();
    // Keys that are there open with the passphrase that they have.
    home.run(&["recall", "x"]).ok();

    let home = Home::new().with("LACUNA_EXPORT_PASSPHRASE", weak).with("LACUNA_BACKUP_PASSPHRASE", weak);
    home.remember("x");
    let (export, backup) = (home.path("x.json"), home.path("x.backup"));
    let (export, backup) = (export.to_str().unwrap(), backup.to_str().unwrap());
    let attempts = [&["export", export, "--encrypt"][..], &["backup", backup, "--full", "--keep-days", "7"]];
    for args in attempts {
        refused(&home, args, 2, "weak_passphrase");
    }
    assert!(!home.path("x.json").exists() && !home.path("x.backup").exists());
    for args in attempts {
        home.run(&[args, &["--weak-passphrase"]].concat()).ok();
    }
    // Opening asks for no strength.
    Home::new().with("LACUNA_EXPORT_PASSPHRASE", weak).run(&["import", export]).ok();
    Home::new().with("LACUNA_BACKUP_PASSPHRASE", weak).run(&["restore", backup]).ok();
}

#[test]
fn a_wrong_passphrase_opens_nothing_and_changes_nothing() {
    let home = Home::new().with("LACUNA_PASSPHRASE", "correct horse");
    let id = home.remember("sealed under a passphrase");
    let before = contents(&home.data());
    let home = home.with("LACUNA_PASSPHRASE", "wrong horse");
    for args in [&["memory", "inspect", &id][..], &["remember", "more"], &["recall", "sealed"], &["serve"]] {
        refused(&home, args, 7, "wrong_passphrase");
    }
    let home = home.without("LACUNA_PASSPHRASE");
    refused(&home, &["memory", "inspect", &id], 7, "passphrase_required");
    let doctor = home.run(&["doctor"]);
    assert_eq!(doctor.code, 1);
    assert!(doctor.stdout.contains("passphrase_required"), "{}", doctor.stdout);
    assert_eq!(contents(&home.data()), before);
    let home = home.with("LACUNA_PASSPHRASE", "correct horse");
    assert_eq!(home.json(&["memory", "inspect", &id])["content"], "sealed under a passphrase");
}

#[test]
fn a_passphrase_for_keys_without_one_is_refused() {
    let home = Home::new();
    home.remember("x");
    refused(&home.with("LACUNA_PASSPHRASE", "surprise"), &["recall", "x"], 7, "key_not_protected");
}

#[test]
fn a_damaged_memory_is_told_and_the_others_still_work() {
    let home = Home::new();
    let damaged = home.remember("the damaged one about apples");
    let whole = home.remember("the whole one about apples");
    flip_frame(&home, &damaged);

    let server = home.serve(&[]);
    let problem = server.get(&format!("/v1/memories/{damaged}")).refused(500, "corrupt");
    assert!(!problem.to_string().contains("/"), "no path of the installation: {problem}");
    assert_eq!(
        server.get(&format!("/v1/memories/{whole}")).expect(200)["content"],
        "the whole one about apples"
    );
    let found = server.post("/v1/search", &json!({"query": "apples"})).expect(200);
    assert_eq!(found["memories"].as_array().unwrap().len(), 1);
    assert_eq!(found["damaged"], 1);
    server.post("/v1/memories", &json!({"content": "written after the damage"})).expect(201);
    server.get("/v1/audit/verify").expect(200);

    refused(&home, &["memory", "inspect", &damaged], 8, "corrupt");
    let doctor = home.run(&["doctor"]);
    assert_eq!(doctor.code, 1);
    assert!(doctor.stdout.contains("1 damaged"), "{}", doctor.stdout);
    // What cannot be read can still be erased.
    server.delete(&format!("/v1/memories/{damaged}")).expect(200);
    home.run(&["doctor"]).ok();
}

#[test]
fn a_missing_key_file_is_named_and_nothing_is_made_in_its_place() {
    for (start, what) in [("master-", "master key"), ("epoch-", "epoch key")] {
        let home = Home::new();
        let id = home.remember("needs its keys");
        let file = key_file(&home, start);
        let aside = home.path("aside.key");
        fs::rename(&file, &aside).unwrap();

        // Other organisations may have their master keys; without the current epoch key nobody is served.
        let server = (start == "master-").then(|| home.serve(&[]));
        match &server {
            Some(server) => {
                server.get(&format!("/v1/memories/{id}")).refused(503, "missing_key");
                server.post("/v1/memories", &json!({"content": "x"})).refused(503, "missing_key");
                assert_eq!(server.get("/healthz").status, 200, "{what}");
            }
            None => refused(&home, &["serve", "--listen", "127.0.0.1:0"], 7, "missing_key"),
        }
        refused(&home, &["memory", "inspect", &id], 7, "missing_key");
        assert!(!file.exists(), "{what} was made anew");

        fs::rename(&aside, &file).unwrap();
        assert_eq!(home.json(&["memory", "inspect", &id])["content"], "needs its keys", "{what}");
        if let Some(server) = &server {
            server.get(&format!("/v1/memories/{id}")).expect(200);
        }
    }
}

#[test]
fn a_key_file_that_others_can_read_or_that_is_none_is_refused() {
    let home = Home::new();
    home.remember("x");
    let file = key_file(&home, "master-");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    refused(&home, &["recall", "x"], 7, "key_file_permissions");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let key = fs::read(&file).unwrap();
    fs::write(&file, "something else").unwrap();
    refused(&home, &["recall", "x"], 7, "bad_key_file");
    fs::write(&file, key).unwrap();
    home.run(&["recall", "x"]).ok();
}

#[test]
fn files_that_are_no_database_or_a_newer_one_are_refused_unchanged() {
    let home = Home::new();
    home.remember("x");
    let path = home.data().join("lacuna.db");
    let original = fs::read(&path).unwrap();
    fs::write(&path, "this is a letter, not a database, and it is long enough to look at").unwrap();
    let letter = contents(&home.data());
    refused(&home, &["recall", "x"], 7, "not_a_database");
    assert_eq!(contents(&home.data()), letter);

    fs::write(&path, original).unwrap();
    let database = Connection::open(&path).unwrap();
    let version: i64 = database.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    database.pragma_update(None, "user_version", 9_999).unwrap();
    drop(database);
    refused(&home, &["recall", "x"], 7, "newer_database");
    Connection::open(&path).unwrap().pragma_update(None, "user_version", version).unwrap();
    home.run(&["recall", "x"]).ok();
}

#[test]
fn doctor_looks_at_every_folder_and_makes_none() {
    let home = Home::new();
    home.remember("x");
    let check = |name: &str| {
        let told = home.run(&["doctor", "--json"]).json();
        let checks = told["checks"].as_array().unwrap();
        checks.iter().find(|check| check["check"] == name).unwrap().clone()
    };
    let folders = [("key folder", "keys"), ("keystore folder", "keystore"), ("blob folder", "blobs")];
    for (name, folder) in folders {
        let path = home.data().join(folder);
        let told = check(name);
        assert_eq!((&told["mark"], &told["found"]), (&json!("ok"), &json!(path)));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(check(name)["mark"], "warn", "{folder} is open to others");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    }
    let (blobs, aside) = (home.data().join("blobs"), home.path("aside"));
    fs::rename(&blobs, &aside).unwrap();
    let told = check("blob folder");
    assert_eq!((&told["mark"], &told["hint"]), (&json!("fail"), &json!("Put it back from a backup.")));
    assert_eq!(home.run(&["doctor"]).code, 1);
    assert!(!blobs.exists());
    fs::write(&blobs, "").unwrap();
    assert_eq!(check("blob folder")["mark"], "fail", "a file is no folder");
    fs::remove_file(&blobs).unwrap();
    fs::rename(&aside, &blobs).unwrap();
    home.run(&["doctor"]).ok();
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let home = Home::new();
    fs::write(home.path("file"), "").unwrap();
    let inside = home.path("file").join("data");
    let args = ["recall", "x", "--data", inside.to_str().unwrap()];
    refused(&home, &args, 7, "data_folder_unavailable");
}

#[test]
fn a_read_only_folder_is_told_and_stays_as_it_is() {
    let home = Home::new().unprivileged();
    let id = home.remember("x");
    let before = contents(&home.data());
    let modes = set_read_only(&home.data());
    for args in [&["remember", "y"][..], &["memory", "delete", &id, "--yes"]] {
        refused(&home, args, 7, "read_only");
    }
    let doctor = home.run(&["doctor"]);
    assert!(doctor.stdout.contains("read-only"), "{}", doctor.stdout);
    restore(modes);
    assert_eq!(contents(&home.data()), before);
    home.run(&["recall", "x"]).ok();
}

/// Runs a command in a namespace of its own, in which the folder of this home is mounted for reading only.
fn on_read_only_disk(home: &Home, args: &[&str]) -> Done {
    let script = "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" && exec \"$@\"";
    let folder = home.path("");
    let mut all = vec!["--user", "--map-root-user", "--mount", "sh", "-c", script, folder.to_str().unwrap()];
    all.push(home.binary());
    all.extend(args);
    home.program(Path::new("unshare"), &all)
}

#[test]
fn a_read_only_disk_says_so_and_nothing_changes() {
    let home = Home::new();
    if on_read_only_disk(&home, &["--version"]).code != 0 {
        // Where namespaces are forbidden, the permissions of the tests around stand for the disk.
        return;
    }
    let fresh = on_read_only_disk(&home, &["remember", "x", "--json"]);
    assert_eq!((fresh.code, fresh.problem()["code"].clone()), (7, json!("read_only")), "{}", fresh.stderr);
    let id = home.remember("x");
    let before = contents(&home.data());
    let commands =
        [&["remember", "y"][..], &["memory", "delete", &id, "--yes"], &["recall", "x"], &["token", "list"]];
    for args in commands {
        let args = [args, &["--json"]].concat();
        let done = on_read_only_disk(&home, &args);
        let problem = done.problem();
        assert_eq!((done.code, &problem["code"]), (7, &json!("read_only")), "{args:?}: {}", done.stderr);
        assert!(problem["remedy"].as_str().unwrap().contains("mount the disk for writing"), "{problem}");
    }
    assert_eq!(contents(&home.data()), before);
    home.run(&["recall", "x"]).ok();
}

#[test]
fn a_folder_that_turns_read_only_under_a_server_leaves_it_alive() {
    let home = Home::new().unprivileged();
    let server = home.serve(&[]);
    let id = server.post("/v1/memories", &json!({"content": "x"})).expect(201)["memory_id"].clone();
    let path = format!("/v1/memories/{}", id.as_str().unwrap());
    let blobs = home.data().join("blobs");
    fs::set_permissions(&blobs, fs::Permissions::from_mode(0o500)).unwrap();
    // Long enough to become a blob.
    let long = json!({"content": "long ".repeat(20_000), "content_type": "transcript"});
    let problem = server.post("/v1/memories", &long);
    assert_eq!(problem.status, 503, "{}", problem.text());
    server.get(&path).expect(200);
    fs::set_permissions(&blobs, fs::Permissions::from_mode(0o700)).unwrap();
    let id = server.post("/v1/memories", &long).expect(201)["memory_id"].clone();
    let whole = server.get(&format!("/v1/memories/{}", id.as_str().unwrap())).expect(200);
    assert_eq!(whole["content"], long["content"]);
    assert_eq!(server.get("/v1/memories").expect(200)["memories"].as_array().unwrap().len(), 2);
}

#[test]
fn a_database_that_somebody_holds_is_told_and_works_again_afterwards() {
    let home = Home::new();
    let server = home.serve(&[]);
    server.post("/v1/memories", &json!({"content": "before"})).expect(201);
    let holder = Connection::open(home.data().join("lacuna.db")).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    server.post("/v1/memories", &json!({"content": "meanwhile"})).refused(503, "locked");
    server.post("/v1/search", &json!({"query": "before"})).expect(200);
    holder.execute_batch("ROLLBACK").unwrap();
    server.post("/v1/memories", &json!({"content": "after"})).expect(201);
    assert_eq!(server.get("/v1/memories").expect(200)["memories"].as_array().unwrap().len(), 2);
}

fn set_read_only(folder: &Path) -> Vec<(PathBuf, u32)> {
    let mut paths: Vec<PathBuf> = contents(folder).into_iter().map(|(path, _)| path).collect();
    paths.extend([folder.to_owned(), folder.join("keys"), folder.join("blobs")]);
    let modes =
        paths.iter().map(|path| (path.clone(), fs::metadata(path).unwrap().permissions().mode())).collect();
    for path in paths {
        let mode = if path.is_dir() { 0o500 } else { 0o400 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }
    modes
}

fn restore(modes: Vec<(PathBuf, u32)>) {
    for (path, mode) in modes {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

const TALE: &str = "The tale of the lynx went on and on. ";

/// The files under the folder of blobs.
fn blobs(home: &Home) -> Vec<PathBuf> {
    let files = contents(&home.data().join("blobs")).into_iter().map(|(path, _)| path);
    files.filter(|path| path.is_file()).collect()
}

#[test]
fn doctor_opens_the_blobs_of_every_vault() {
    // Wide enough for a table that breaks no line.
    let home = Home::new().with("COLUMNS", "200");
    let tale = TALE.repeat(2_000);
    home.remember("Anna's own note");
    let remember = ["remember", &tale, "--content-type", "transcript", "--json"];
    let written = home.command(&remember).env("LACUNA_USER", "ben").output().unwrap();
    let written: serde_json::Value = serde_json::from_slice(&written.stdout).unwrap();
    let id = written["memory_id"].as_str().unwrap().to_owned();
    let healthy = home.run(&["doctor"]).ok();
    assert!(healthy.stdout.contains("2 memories in 2 of 2 vaults"), "{}", healthy.stdout);
    assert!(healthy.stdout.contains("not checked"), "{}", healthy.stdout);
    let blob = blobs(&home).remove(0);
    let whole = fs::read(&blob).unwrap();
    let mut changed = whole.clone();
    changed[500] ^= 1;
    fs::write(&blob, changed).unwrap();
    for what in ["changed", "missing"] {
        let told = home.run(&["doctor", "--json"]);
        assert!(told.code == 1 && told.stdout.contains(&id), "{what}: {}", told.stdout);
        assert!(!told.stdout.contains("lynx"), "no content");
        fs::remove_file(&blob).or_else(|_| fs::write(&blob, "")).unwrap();
    }
    fs::write(&blob, whole).unwrap();
    fs::set_permissions(&blob, fs::Permissions::from_mode(0o644)).unwrap();
    let told = home.run(&["doctor"]).ok();
    assert!(told.stdout.contains("1 file or folder is open to others"), "{}", told.stdout);
}

#[test]
fn everything_is_private_under_any_umask() {
    let home = Home::new();
    let tale = TALE.repeat(2_000);
    let script = "umask 0; exec \"$0\" \"$@\"";
    let args = ["-c", script, home.binary(), "remember", &tale, "--content-type", "transcript"];
    home.program(Path::new("sh"), &args).ok();
    assert_eq!(blobs(&home).len(), 1);
    let told = home.run(&["doctor"]).ok();
    assert!(told.stdout.contains("all are private"), "{}", told.stdout);
}

/// A small disk of its own, where the account may make one.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(at: &Path) -> Option<Self> {
        fs::create_dir_all(at).unwrap();
        let mut mount = std::process::Command::new("mount");
        let mount = mount.args(["-t", "tmpfs", "-o", "size=8m,mode=700", "tmpfs"]).arg(at).output();
        mount.is_ok_and(|mount| mount.status.success()).then(|| Self(at.to_owned()))
    }

    fn fill(&self) {
        let mut filler = fs::File::create(self.0.join("filler")).unwrap();
        let mut part = 1 << 20;
        while part > 0 {
            match std::io::Write::write(&mut filler, &vec![0; part]) {
                Ok(_) => {}
                Err(_) => part /= 2,
            }
        }
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

/// The writer's own test covers accounts that may not mount anything.
#[test]
fn a_full_disk_does_not_keep_anything_from_being_forgotten() {
    let home = Home::new();
    let Some(disk) = SmallDisk::mount(&home.data()) else { return };
    let ids: Vec<String> =
        (0..30).map(|n| home.remember(&format!("The heron number {n} nests here"))).collect();
    let server = home.serve(&[]);
    disk.fill();
    // What is left in pages that are there already is used up by this.
    let refused = (0..200).find(|n| {
        let text = format!("The otter number {n} swims by. {}", "It swims. ".repeat(100));
        server.post("/v1/memories", &json!({ "content": text })).status == 503
    });
    assert!(refused.is_some(), "the disk is full");
    for id in &ids[..20] {
        server.delete(&format!("/v1/memories/{id}")).expect(200);
    }
    server.signal("KILL");
    drop(server);
    // A start on the full disk works too, and what was forgotten stays forgotten.
    let server = home.serve(&[]);
    for (n, id) in ids.iter().enumerate() {
        assert_eq!(server.get(&format!("/v1/memories/{id}")).status == 404, n < 20, "{n}");
    }
    server.delete(&format!("/v1/memories/{}", ids[20])).expect(200);
    drop(server);
}

/// Copies the database and the keystore, or puts the copies back.
fn copy_stores(from: &Path, to: &Path) {
    for (folder, file) in [("", "lacuna.db"), ("keystore", "keystore.db")] {
        fs::create_dir_all(to.join(folder)).unwrap();
        for log in ["-wal", "-shm"] {
            let _ = fs::remove_file(to.join(folder).join(format!("{file}{log}")));
        }
        fs::copy(from.join(folder).join(file), to.join(folder).join(file)).unwrap();
    }
}

#[test]
fn nobody_writes_under_new_keys_while_the_key_folder_is_away() {
    let home = Home::new().with("LACUNA_USER", "anna");
    home.remember("the heron is old");
    let (keys, away) = (home.data().join("keys"), home.data().join("away"));
    fs::rename(&keys, &away).unwrap();
    refused(&home, &["recall", "heron"], 7, "missing_key");
    let home = home.with("LACUNA_USER", "ben");
    refused(&home, &["remember", "the otter is new"], 7, "missing_key");
    refused(&home, &["serve", "--listen", "127.0.0.1:0"], 7, "missing_key");
    refused(&home, &["keys", "renew-epoch"], 7, "missing_key");
    assert!(
        !fs::read_dir(&keys)
            .unwrap()
            .any(|entry| { entry.unwrap().path().extension().is_some_and(|kind| kind == "key") })
    );
    fs::remove_dir_all(&keys).unwrap();
    fs::rename(&away, &keys).unwrap();
    home.remember("the otter is new");
    assert_eq!(home.json(&["recall", "otter"])["memories"].as_array().unwrap().len(), 1);
    home.run(&["keys", "renew-epoch"]).ok();
    home.run(&["doctor"]).ok();
    let home = home.with("LACUNA_USER", "anna");
    assert_eq!(home.json(&["recall", "heron"])["memories"].as_array().unwrap().len(), 1);
}

#[test]
fn an_old_copy_of_database_and_keystore_shows_nothing_that_was_forgotten() {
    let home = Home::new();
    let id = home.remember("the otter bravo swims at noon");
    home.remember("the heron alpha nests by the mill");
    let before = home.data().join("before");
    copy_stores(&home.data(), &before);
    home.run(&["memory", "delete", &id, "--yes"]).ok();
    copy_stores(&before, &home.data());
    refused(&home, &["recall", "otter"], 7, "rolled_back");
    refused(&home, &["remember", "more"], 7, "rolled_back");
    let doctor = home.run(&["doctor"]);
    assert_eq!(doctor.code, 1);
    assert!(doctor.stdout.contains("rolled_back"), "{}", doctor.stdout);
    let accepted = home.json(&["keys", "accept-rollback"]);
    assert_eq!(accepted["behind"], 1);
    let found = home.json(&["recall", "otter"])["memories"].to_string();
    assert!(found.contains("heron") && !found.contains("otter") && !found.contains(&id), "{found}");
    home.run(&["doctor"]).ok();
    let audit = home.json(&["audit", "list", "--scope", "org"]).to_string();
    assert!(audit.contains("rollback_accepted"), "{audit}");
}

#[test]
fn a_keystore_that_was_put_back_is_named_by_doctor_after_it_was_brought_up_to_date() {
    let home = Home::new();
    let id = home.remember("the otter bravo swims at noon");
    home.remember("the heron alpha nests by the mill");
    let (stores, before) = (home.data(), home.data().join("before"));
    copy_stores(&stores, &before);
    home.run(&["memory", "delete", &id, "--yes"]).ok();
    let ledger = |home: &Home| {
        let report = home.json(&["doctor"]);
        let checks = report["checks"].as_array().unwrap();
        checks.iter().find(|check| check["check"] == "erasure ledger").unwrap().clone()
    };
    assert_eq!(ledger(&home)["mark"], "ok");
    fs::copy(stores.join("lacuna.db"), before.join("lacuna.db")).unwrap();
    copy_stores(&before, &stores);
    let found = home.json(&["recall", "otter"])["memories"].to_string();
    assert!(found.contains("heron") && !found.contains("otter"), "{found}");
    let told = ledger(&home);
    assert_eq!(told["mark"], "warn", "{told}");
    assert!(told["found"].as_str().unwrap().contains("erased again"), "{told}");
    let audit = home.json(&["audit", "list", "--scope", "org"]).to_string();
    assert_eq!(audit.matches("ledger_replayed").count(), 1, "{audit}");
}

#[test]
fn renewing_the_epoch_names_a_vault_that_does_not_open_and_says_which_keys_stay() {
    let home = Home::new().with("LACUNA_USER", "anna");
    home.remember("the heron is old");
    let vaults = |home: &Home| -> Vec<Vec<u8>> {
        let keystore = Connection::open(home.data().join("keystore/keystore.db")).unwrap();
        let mut roots = keystore.prepare("SELECT vault FROM root").unwrap();
        roots.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let bad = vaults(&home).remove(0);
    let home = home.with("LACUNA_USER", "ben");
    home.remember("the otter is new");
    let keystore = Connection::open(home.data().join("keystore/keystore.db")).unwrap();
    keystore.execute("UPDATE root SET wrapped = zeroblob(80) WHERE vault = ?1", [&bad]).unwrap();
    drop(keystore);
    for epoch in [2, 3] {
        let done = home.run(&["keys", "renew-epoch", "--json"]);
        assert_eq!((done.code, &done.problem()["code"]), (7, &json!("epoch_kept")), "{}", done.stderr);
        let answer: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
        assert_eq!((&answer["vaults"], &answer["kept"]), (&json!(1), &json!([1])), "{answer}");
        assert_eq!(answer["skipped"][0]["code"], "wrong_key");
        let named = answer["skipped"][0]["vault_id"].as_str().unwrap();
        let hex: String = bad.iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(named.ends_with(&hex), "{named} {hex}");
        let names = fs::read_dir(home.data().join("keys")).unwrap().map(|entry| entry.unwrap().file_name());
        let mut epochs: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        epochs.retain(|name| name.starts_with("epoch-"));
        epochs.sort();
        assert_eq!(epochs, ["epoch-1.key".to_owned(), format!("epoch-{epoch}.key")]);
    }
    assert_eq!(home.json(&["recall", "otter"])["memories"].as_array().unwrap().len(), 1);
}
