//! A passphrase of the person over their own vault: on the command line, over HTTP and in MCP's answers.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::mcp::Spoken;
use crate::support::{Home, Server};

const PASSPHRASE: &str = "orchid ferry lantern walnut";
const OTHER: &str = "granite sparrow velvet canoe";
const FACT: &str = "The spare key is under the third stone.";

fn put(server: &Server, body: &Value) -> crate::support::Answer {
    let body = serde_json::to_vec(body).unwrap();
    server.send("PUT", "/v1/protection", &[("content-type", "application/json")], &body)
}

#[test]
fn the_command_line_protects_unlocks_and_says_what_is_lost() {
    let home = Home::new();
    let id = home.remember(FACT);
    // Said beforehand, and not done without a yes; nor with a passphrase that is easy to guess.
    let asked = home.run(&["keys", "protect", "--json"]).problem();
    assert_eq!(asked["code"], "needs_confirmation");
    assert!(asked["detail"].as_str().unwrap().contains("has lost the vault"), "{asked}");
    let weak = Home::new().with("LACUNA_VAULT_PASSPHRASE", "password123");
    assert_eq!(weak.run(&["keys", "protect", "--yes", "--json"]).problem()["code"], "weak_passphrase");

    let home = home.with("LACUNA_VAULT_PASSPHRASE", PASSPHRASE);
    let first = home.json(&["keys", "protect", "--yes"]);
    let code = first["recovery_code"].as_str().unwrap().to_owned();
    assert_eq!(home.json(&["recall", "where is the spare key?"])["memories"][0]["memory_id"], id.as_str());
    assert_eq!(home.json(&["keys", "protection"])["protected"], true);

    let home = home.without("LACUNA_VAULT_PASSPHRASE");
    let locked = home.run(&["recall", "spare key", "--json"]);
    assert_eq!((locked.code, &locked.problem()["code"]), (4, &json!("vault_locked")));
    // Doctor, backups, rotation and the audit go on.
    let doctor = home.run(&["doctor"]);
    assert!(doctor.stdout.contains("1 locked by their person"), "{}", doctor.stdout);
    home.run(&["keys", "rotate"]).ok();
    home.run(&["keys", "renew-epoch"]).ok();
    home.run(&["audit", "verify"]).ok();

    // The recovery code sets another passphrase, and is used up.
    let home = home.with("LACUNA_RECOVERY_CODE", &code).with("LACUNA_NEW_VAULT_PASSPHRASE", OTHER);
    let second = home.json(&["keys", "recover"]);
    assert_ne!(second["recovery_code"], first["recovery_code"]);
    assert_eq!(home.run(&["keys", "recover", "--json"]).problem()["code"], "wrong_secret");
    let home = home.with("LACUNA_VAULT_PASSPHRASE", OTHER);
    assert_eq!(home.json(&["recall", "spare key"])["memories"].as_array().unwrap().len(), 1);
    home.run(&["keys", "unprotect"]).ok();
    let home = home.without("LACUNA_VAULT_PASSPHRASE");
    assert_eq!(home.json(&["recall", "spare key"])["memories"].as_array().unwrap().len(), 1);
}

#[test]
fn a_server_is_unlocked_for_a_while_by_the_person_alone() {
    let home = Home::new();
    home.remember(FACT);
    let user = home.token("anna", "user", &[])["secret"].as_str().unwrap().to_owned();
    let agent = home.token("anna", "agent", &[])["secret"].as_str().unwrap().to_owned();
    let mut server = home.serve(&[]);
    server.bearing(&user);
    let asked = json!({"query": "where is the spare key?"});
    put(&server, &json!({"new_passphrase": PASSPHRASE})).refused(409, "needs_confirmation");
    put(&server, &json!({"new_passphrase": "password", "accept_loss": true})).refused(422, "weak_passphrase");
    let answer = put(&server, &json!({"new_passphrase": PASSPHRASE, "accept_loss": true})).expect(200);
    assert_eq!(answer["recovery_code"].as_str().unwrap().len(), 29);
    server.post("/v1/search", &asked).refused(423, "vault_locked");
    assert_eq!(server.get("/v1/protection").expect(200)["locked"], true);

    server.post("/v1/unlock", &json!({"passphrase": OTHER})).refused(403, "wrong_secret");
    server.post("/v1/unlock", &json!({"passphrase": PASSPHRASE, "minutes": 0})).refused(422, "invalid");
    server.post("/v1/unlock", &json!({"passphrase": PASSPHRASE, "minutes": 721})).refused(422, "invalid");
    let open = server.post("/v1/unlock", &json!({"passphrase": PASSPHRASE, "minutes": 5})).expect(200);
    assert_eq!((&open["protected"], &open["locked"]), (&json!(true), &json!(false)));
    assert_eq!(server.post("/v1/search", &asked).expect(200)["memories"].as_array().unwrap().len(), 1);

    // The person's assistant reads while it is unlocked, and neither locks nor unlocks.
    server.bearing(&agent);
    assert_eq!(server.post("/v1/search", &asked).expect(200)["memories"].as_array().unwrap().len(), 1);
    server.post("/v1/lock", &json!({})).refused(403, "denied");
    server.post("/v1/unlock", &json!({"passphrase": PASSPHRASE})).refused(403, "denied");
    server.get("/v1/protection").refused(403, "denied");

    // The command line locks and unlocks a running server.
    let cli = home.with("LACUNA_TOKEN", &user).with("LACUNA_VAULT_PASSPHRASE", PASSPHRASE);
    cli.run(&["keys", "lock", "--server", &server.url]).ok();
    server.post("/v1/search", &asked).refused(423, "vault_locked");
    let told = cli.run(&["keys", "unlock", "--minutes", "5", "--server", &server.url]).ok();
    assert!(told.stdout.contains("unlocked on the server until"), "{}", told.stdout);
    server.post("/v1/search", &asked).expect(200);
    let abroad = cli.run(&["keys", "unlock", "--server", "http://example.com", "--json"]).problem();
    assert_eq!(abroad["code"], "usage");

    // Nothing of it survives a restart.
    drop(server);
    let mut server = cli.serve(&[]);
    server.bearing(&user);
    server.post("/v1/search", &asked).refused(423, "vault_locked");
    put(&server, &json!({"new_passphrase": OTHER, "passphrase": PASSPHRASE})).expect(200);
    server
        .post("/v1/protection/remove", &json!({"passphrase": OTHER, "recovery_code": "x"}))
        .refused(422, "invalid");
    server.post("/v1/protection/remove", &json!({"passphrase": OTHER})).expect(200);
    assert_eq!(server.post("/v1/search", &asked).expect(200)["memories"].as_array().unwrap().len(), 1);
}

#[test]
fn an_assistant_is_told_how_the_person_unlocks_and_never_to_ask_for_the_passphrase() {
    let home = Home::new();
    home.remember(FACT);
    let home = home.with("LACUNA_VAULT_PASSPHRASE", PASSPHRASE);
    home.run(&["keys", "protect", "--yes"]).ok();
    let home = home.without("LACUNA_VAULT_PASSPHRASE");
    let mut locked = Spoken::with(&home);
    for (tool, arguments) in [("recall", json!({"query": "spare key"})), ("memory_status", json!({}))] {
        let (failed, told, _) = locked.call(tool, arguments);
        assert!(failed, "{tool}: {told}");
        assert!(told.contains("lacuna keys unlock"), "{tool}: {told}");
        assert!(told.contains("Never ask for the passphrase"), "{tool}: {told}");
        assert!(!told.contains("third stone"));
    }
    locked.end();
    let home = home.with("LACUNA_VAULT_PASSPHRASE", PASSPHRASE);
    let mut open = Spoken::with(&home);
    let (_, told, _) = open.call("recall", json!({"query": "spare key"}));
    assert!(told.contains("third stone"), "{told}");
    open.end();
}

/// No file, no log line and no answer but the one holds a secret.
#[test]
fn neither_passphrase_nor_code_is_written_anywhere() {
    let home = Home::new().with("LACUNA_VAULT_PASSPHRASE", PASSPHRASE).with("LACUNA_LOG", "trace");
    home.remember(FACT);
    let done = home.run(&["keys", "protect", "--yes", "--json"]).ok();
    let code = done.json()["recovery_code"].as_str().unwrap().to_owned();
    assert!(!done.stderr.contains(PASSPHRASE) && !done.stderr.contains(&code), "{}", done.stderr);
    home.run(&["recall", "spare key"]).ok();
    let grep = |text: &str| {
        let found = std::process::Command::new("grep")
            .args(["-r", "-a", "-l", "-F", text])
            .arg(home.data())
            .stdout(Stdio::piped())
            .output()
            .unwrap();
        String::from_utf8(found.stdout).unwrap()
    };
    assert_eq!((grep(PASSPHRASE), grep(&code)), (String::new(), String::new()));
}
