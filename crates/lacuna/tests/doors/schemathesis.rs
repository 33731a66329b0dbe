//! Somebody else's opinion of the description: Schemathesis sends what it allows and what it does not, and compares.

use std::process::Command;

use crate::support::Home;

/// What the description cannot say: that a plan is gone, a name is nobody's, two fields exclude each other. Such
/// requests fit the schema and are refused all the same, by these statuses.
const SETTINGS: &str = r#"
[checks.positive_data_acceptance]
expected-statuses = ["2xx", 304, 400, 401, 403, 404, 409, 412, 413, 415, 422, 429]

# A passphrase that nobody notes would lock the vault for everything that comes after it.
[[operations]]
include-name = "PUT /v1/protection"
enabled = false
"#;

/// A guess finds no memory: some operations are told of one that is there.
fn settings(memory: &str) -> String {
    let told = [
        ("GET /v1/memories/{memory_id}", "memory_id", memory),
        ("POST /v1/memories/{memory_id}/promote", "memory_id", memory),
        ("GET /v1/receipts/{receipt}", "receipt", "1"),
        ("GET /v1/sessions/{session_id}", "session_id", "desk"),
    ];
    let told = told.map(|(operation, name, value)| {
        format!("[[operations]]\ninclude-name = \"{operation}\"\nparameters = {{ \"path.{name}\" = \"{value}\" }}\n")
    });
    format!("{SETTINGS}\n{}", told.join("\n"))
}
const EXAMPLES_OF_EACH: &str = "8";
/// Fewer would mean that it did not understand the description.
const CASES_MIN: usize = 2_000;

/// `cargo xtask test` installs it and names it; a plain `cargo test` passes this by.
#[test]
fn schemathesis_finds_no_fault() {
    let Ok(program) = std::env::var("LACUNA_TEST_SCHEMATHESIS") else {
        println!("skipped: LACUNA_TEST_SCHEMATHESIS is not set; `cargo xtask test` sets it");
        return;
    };
    let home = Home::new();
    let token = home.json(&["token", "create", "--user", "anna", "--role", "user", "--role", "admin"]);
    let memory = home.remember("the heron stands in the pond");
    let gone = home.remember("the heron has flown");
    home.run(&["memory", "delete", &gone, "--yes"]).ok();
    let server = home.serve(&[]);
    std::fs::write(home.path("schemathesis.toml"), settings(&memory)).unwrap();
    let done = Command::new(program)
        .current_dir(home.path("."))
        .args(["run", &format!("{}/openapi.json", server.url), "--no-color", "--seed", "20260412"])
        .args(["--header", &format!("Authorization: Bearer {}", token["secret"].as_str().unwrap())])
        .args([
            "--checks",
            "all",
            "--phases",
            "examples,coverage,fuzzing",
            "--max-examples",
            EXAMPLES_OF_EACH,
        ])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}\n{}", String::from_utf8_lossy(&done.stderr));
    let counted = |line: &str| line.trim().split_once(" generated,")?.0.parse().ok();
    let cases: usize = said.lines().find_map(counted).unwrap_or_else(|| panic!("no count in {said}"));
    assert!(cases > CASES_MIN, "only {cases} cases");
    println!("{cases} cases, no failure");
    assert_eq!(server.get("/healthz").status, 200);
}
