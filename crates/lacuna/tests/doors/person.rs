//! A person's right to be forgotten, by command and over HTTP: known data goes in, a request is made, and
//! nothing of it comes out again.

use serde_json::json;

use crate::support::Home;

const MAIL: &str = "mira.okafor@lindenhof.example";

fn keep_about_mira(home: &Home) {
    let text = format!("The guest wrote from {MAIL} about the late checkout.");
    home.run(&["remember", &text, "--consent", "service-delivery"]).ok();
    home.run(&["remember", "The lift is slow on Sundays."]).ok();
}

#[test]
fn an_operator_forgets_a_person_by_command_and_the_owner_is_told() {
    let home = Home::new();
    keep_about_mira(&home);
    let plan = home.json(&["person", "forget", "--identifier", MAIL, "--plan"]);
    assert_eq!((&plan["memories"], &plan["by_kind"]["user"]["vaults"]), (&json!(1), &json!(1)));
    assert!(!plan.to_string().contains("checkout") && !plan.to_string().contains("okafor"));
    let open = home.json(&["person", "requests"]);
    assert_eq!((&open["requests"][0]["number"], &open["requests"][0]["overdue"]), (&json!(1), &json!(false)));

    let refused = home.run(&["person", "forget", "--request", "1", "--identifier", MAIL, "--json"]);
    assert_eq!(refused.problem()["code"], "needs_confirmation");
    let done = home.json(&["person", "forget", "--request", "1", "--identifier", MAIL, "--yes"]);
    assert_eq!((&done["clean"], &done["request"]["memories"]), (&json!(true), &json!(1)));
    let receipt = done["request"]["receipts"][0].as_str().unwrap().to_owned();
    assert!(receipt.starts_with("DEL-"), "{receipt}");
    let found = home.json(&["recall", "late checkout"])["memories"].to_string();
    assert!(!found.contains("checkout") && !found.contains("kafor"), "{found}");
    assert_eq!(home.json(&["memory", "list"])["memories"].as_array().unwrap().len(), 1);

    let notices = home.json(&["notices"]);
    assert_eq!(
        (&notices["notices"][0]["receipt"], &notices["notices"][0]["memories"]),
        (&json!(receipt), &json!(1))
    );
    assert_eq!(home.json(&["person", "requests"])["requests"], json!([]));
    assert!(!home.json(&["person", "requests", "--all"])["requests"][0]["completed_at"].is_null());
    let report = home.json(&["audit", "report"]);
    assert_eq!(report["receipts"], json!([receipt]));
    home.run(&["audit", "verify"]).ok();
    home.run(&["audit", "verify", "--scope", "org"]).ok();
}

#[test]
fn where_the_policy_names_operators_their_key_must_sign() {
    let home = Home::new();
    keep_about_mira(&home);
    let file = home.data().join("../operator.key");
    let path = file.to_str().unwrap();
    let key = home.json(&["person", "key", path])["key"].as_str().unwrap().to_owned();
    std::fs::create_dir_all(home.data().join("policies")).unwrap();
    std::fs::write(home.data().join("policies/default.toml"), format!("operators = ['{key}']")).unwrap();
    let by = |more: &[&str]| {
        let start = ["person", "forget", "--identifier", MAIL, "--yes", "--json"];
        home.run(&[start.as_slice(), more].concat())
    };
    assert_eq!(by(&[]).problem()["code"], "denied");
    let other = home.data().join("../other.key");
    home.json(&["person", "key", other.to_str().unwrap()]);
    assert_eq!(by(&["--request", "1", "--sign-with", other.to_str().unwrap()]).problem()["code"], "denied");
    let found = home.json(&["recall", "late checkout"])["memories"][0]["content"].to_string();
    assert!(found.contains("checkout"), "{found}");
    assert_eq!(by(&["--request", "1", "--sign-with", path]).ok().json()["request"]["signed_by"], json!(key));
}

#[test]
fn the_same_over_http_and_only_for_administrators() {
    let home = Home::new();
    let admin = home.token("ada", "admin", &[])["secret"].as_str().unwrap().to_owned();
    let user = home.token("uma", "user", &[])["secret"].as_str().unwrap().to_owned();
    let mut server = home.serve(&[]);
    let fact = format!("Mira Okafor wrote from {MAIL} about the late checkout.");
    let fact = json!({"content": fact, "consent_basis": "service-delivery"});
    server.bearing(&user).post("/v1/memories", &fact).expect(201);
    let person = json!({"person": {"identifiers": [MAIL], "names": ["Mira Okafor"]}});
    server.post("/v1/people/requests", &person).refused(403, "denied");

    server.bearing(&admin);
    let opened = server.post("/v1/people/requests", &person).expect(201);
    let reference = opened["reference"].as_str().unwrap();
    let plan = server.post(&format!("/v1/people/requests/{reference}/plan"), &person).expect(200);
    assert_eq!(plan["memories"], 1);
    let mut confirm = person.clone();
    confirm["digest"] = json!("00".repeat(32));
    let path = format!("/v1/people/requests/{reference}/confirm");
    server.post(&path, &confirm).refused(409, "plan_changed");
    confirm["digest"] = plan["digest"].clone();
    let done = server.post(&path, &confirm).expect(200);
    assert_eq!((&done["clean"], &done["request"]["overdue"]), (&json!(true), &json!(false)));
    assert!(!done.to_string().contains("uma"), "the operator does not hear whose vault it was");
    server.post(&path, &confirm).refused(409, "request_completed");

    server.bearing(&user);
    assert_eq!(server.get("/v1/notices").expect(200)["notices"].as_array().unwrap().len(), 1);
    assert_eq!(server.get("/v1/memories").expect(200)["memories"], json!([]));
}
