//! A service acts for the people whom it names, within the operations of its token, and is named beside them.

use serde_json::{Value, json};

use crate::support::{Answer, Home, Server};

pub(crate) const EVERYTHING: [&str; 11] = [
    "recall",
    "remember",
    "forget",
    "export",
    "import",
    "destroy",
    "freeze",
    "retain",
    "audit",
    "confirm",
    "provision",
];

/// A token of a service with these operations.
pub(crate) fn service(home: &Home, name: &str, operations: &[&str]) -> String {
    let named: Vec<&str> = operations.iter().flat_map(|operation| ["--operation", operation]).collect();
    secret(&home.token(name, "service", &named))
}

fn secret(token: &Value) -> String {
    token["secret"].as_str().unwrap().to_owned()
}

fn call(server: &Server, person: &str, method: &str, path: &str, body: &Value) -> Answer {
    let headers = [("content-type", "application/json"), ("lacuna-user", person)];
    let body = if body.is_null() { String::new() } else { body.to_string() };
    server.send(method, path, &headers, body.as_bytes())
}

fn remember(server: &Server, person: &str, text: &str) -> Answer {
    call(server, person, "POST", "/v1/memories", &json!({"content": text}))
}

fn search(server: &Server, person: &str, words: &str) -> Answer {
    call(server, person, "POST", "/v1/search", &json!({"query": words}))
}

#[test]
fn a_service_acts_for_the_people_whom_a_directory_made() {
    let home = Home::new();
    let mut server = home.serve(&[]);
    let crm = service(&home, "crm", &EVERYTHING);
    server.bearing(&crm);
    remember(&server, "anna", "I sail.").refused(404, "not_found");
    server.put("/v1/users/anna").expect(204);
    server.put("/v1/users/anna").expect(204);
    server.put("/v1/users/J%C3%B6rg").expect(204);

    let stored = remember(&server, "anna", "The spare key is with Ingrid.").expect(201);
    assert_eq!(stored["scope"], "user:anna");
    assert_eq!(
        search(&server, "anna", "spare key").expect(200)["memories"][0]["memory_id"],
        stored["memory_id"]
    );
    assert_eq!(search(&server, "J%C3%B6rg", "spare key").expect(200)["memories"], json!([]));
    // In its own name the service has no memory at all.
    server.post("/v1/search", &json!({"query": "spare key"})).refused(403, "denied");
    server.post("/v1/memories", &json!({"content": "mine"})).refused(403, "denied");

    // Letters that only look the same are another name, which nobody made.
    for stranger in ["%D0%B0nna", "Anna", "anna%E2%80%8B", "anna, J%C3%B6rg", "a\\u006ena"] {
        search(&server, stranger, "spare key").refused(404, "not_found");
        remember(&server, stranger, "a vault of mine").refused(404, "not_found");
    }

    // The person reads who was there.
    assert_eq!(server.stop(), 0, "reads are written at the end of a second, or of the server");
    let audit = home.json(&["--as", "anna", "audit", "list"]);
    let entries = audit["entries"].as_array().unwrap();
    let written = entries.iter().find(|entry| entry["action"] == "memory_write").unwrap();
    assert_eq!((&written["actor"], &written["service"]), (&json!("anna"), &json!("crm")));
    let read = entries.iter().find(|entry| entry["action"] == "memory_read").unwrap();
    assert_eq!((&read["actor"], &read["service"]), (&json!("anna"), &json!("crm")));
    let list = home.run(&["--as", "anna", "audit", "list"]).ok().stdout;
    assert!(list.contains("crm for anna"), "{list}");
    assert!(home.run(&["--as", "anna", "audit", "verify"]).ok().code == 0);
}

#[test]
fn only_a_service_names_another_person_and_it_names_one() {
    let home = Home::new();
    let mut server = home.serve(&[]);
    let crm = service(&home, "crm", &EVERYTHING);
    let [user, admin, agent, both] = [&["user"][..], &["admin"], &["agent"], &["user", "--role", "admin"]]
        .map(|roles| {
            let args: Vec<&str> =
                ["token", "create", "--user", "ada", "--role"].iter().chain(roles).copied().collect();
            secret(&home.json(&args))
        });
    server.bearing(&crm);
    for person in ["anna", "ada"] {
        server.put(&format!("/v1/users/{person}")).expect(204);
    }
    remember(&server, "anna", "The canary heron sings.").expect(201);
    for token in [&user, &admin, &agent, &both] {
        server.bearing(token);
        for (method, path) in
            [("GET", "/v1/memories"), ("POST", "/v1/search"), ("GET", "/v1/tokens"), ("GET", "/mcp")]
        {
            let answer = call(&server, "anna", method, path, &json!({"query": "heron"}));
            assert!(!answer.text().contains("heron"));
            answer.refused(403, "denied");
        }
    }
    // One's own name is no secret and no gain.
    server.bearing(&user);
    assert_eq!(call(&server, "ada", "GET", "/v1/memories", &Value::Null).expect(200)["memories"], json!([]));
    server.bearing(&agent);
    call(&server, "ada", "POST", "/v1/forget", &json!({"query": "heron"})).refused(403, "denied");

    // Twice, empty, or in a spelling of its own: no proxy and no server may read two people in it.
    server.bearing(&crm);
    let doubles: [&[(&str, &str)]; 3] = [
        &[("lacuna-user", "anna"), ("lacuna-user", "ada")],
        &[("lacuna-user", "ada"), ("Lacuna-User", "ada")],
        &[("lacuna-user", "")],
    ];
    for headers in doubles {
        server.send("GET", "/v1/memories", headers, b"").refused(422, "invalid");
    }
    for ignored in ["lacuna_user", "x-lacuna-user"] {
        server.send("GET", "/v1/memories", &[(ignored, "anna")], b"").refused(403, "denied");
    }
    server.without_token();
    call(&server, "anna", "GET", "/v1/memories", &Value::Null).refused(401, "unauthenticated");
}

#[test]
fn a_person_who_administers_lends_a_service_no_administration() {
    let home = Home::new();
    let mut server = home.serve(&[]);
    let crm = service(&home, "crm", &EVERYTHING);
    let admin = secret(&home.token("ada", "admin", &[]));
    server.bearing(&crm).put("/v1/users/ada").expect(204);
    let administration = [
        ("GET", "/v1/tokens", Value::Null),
        ("POST", "/v1/tokens", json!({"user": "crm", "roles": ["admin"]})),
        ("PUT", "/v1/teams/desk/members/crm", Value::Null),
        ("GET", "/v1/admin/jobs", Value::Null),
        ("GET", "/v1/people/requests", Value::Null),
        ("PUT", "/v1/users/ben", Value::Null),
        ("DELETE", "/v1/users/ada", Value::Null),
        ("POST", "/v1/memories", json!({"content": "for everybody", "scope": "org"})),
    ];
    for (method, path, body) in &administration {
        call(&server, "ada", method, path, body).refused(403, "denied");
    }
    for (method, path, body) in administration.iter().filter(|(_, path, _)| !path.starts_with("/v1/users")) {
        server
            .send(method, path, &[("content-type", "application/json")], body.to_string().as_bytes())
            .refused(403, "denied");
    }
    // Nor does it remove her, and with her the administration.
    server.delete("/v1/users/ada").refused(403, "denied");
    server.delete("/v1/users/crm").refused(403, "denied");
    server.bearing(&admin).get("/v1/tokens").expect(200);
}

#[test]
fn a_service_is_not_the_persons_own_word_unless_its_token_says_so() {
    let home = Home::new();
    let mut server = home.serve(&[]);
    let quiet = service(&home, "quiet", &["recall", "remember", "retain", "forget"]);
    let voice = service(&home, "voice", &["recall", "remember", "retain", "confirm"]);
    let directory = service(&home, "directory", &["provision"]);
    server.bearing(&directory).put("/v1/users/anna").expect(204);
    call(&server, "anna", "POST", "/v1/search", &json!({"query": "a"})).refused(403, "denied");

    let consent = json!({"category": "health", "purpose": "care"});
    let health = json!({"content": "I have diabetes.", "consent_basis": "explicit-consent"});
    server.bearing(&quiet);
    call(&server, "anna", "PUT", "/v1/consents", &consent).refused(403, "denied");
    call(&server, "anna", "POST", "/v1/memories", &health).refused(403, "denied");
    call(&server, "anna", "GET", "/v1/review", &Value::Null).refused(403, "denied");
    for (method, path, body) in [
        ("POST", "/v1/exports", json!({})),
        ("POST", "/v1/destroy", json!({})),
        ("PUT", "/v1/vault", json!({"frozen": true})),
        ("GET", "/v1/audit/verify", Value::Null),
    ] {
        call(&server, "anna", method, path, &body).refused(403, "denied");
    }
    server.put("/v1/users/ben").refused(403, "denied");
    server.bearing(&voice);
    call(&server, "anna", "PUT", "/v1/consents", &consent).expect(200);
    call(&server, "anna", "POST", "/v1/forget", &json!({"query": "diabetes"})).refused(403, "denied");
}

#[test]
fn tokens_of_services_say_what_they_may_do_and_nothing_more() {
    let home = Home::new();
    let mut server = home.serve(&[]);
    server.bearing(&secret(&home.token("ada", "admin", &[])));
    let made = |body: Value| server.post("/v1/tokens", &body);
    made(json!({"user": "crm", "roles": ["service"]})).refused(422, "invalid");
    made(json!({"user": "crm", "roles": ["service", "user"], "operations": ["recall"]}))
        .refused(422, "invalid");
    made(json!({"user": "crm", "roles": ["service", "admin"], "operations": ["recall"]}))
        .refused(422, "invalid");
    made(json!({"user": "crm", "roles": ["user"], "operations": ["recall"]})).refused(422, "invalid");
    made(json!({"user": "crm", "roles": ["service"], "operations": ["promote"]})).refused(422, "invalid");
    let token =
        made(json!({"user": "crm", "roles": ["service"], "operations": ["recall", "recall"]})).expect(201);
    assert_eq!(token["operations"], json!(["recall"]));
    let shown = home.run(&["token", "list"]).ok().stdout;
    assert!(shown.contains("service (recall)"), "{shown}");
}

#[test]
fn people_come_and_go_by_one_and_in_bulk() {
    let home = Home::new();
    let mut server = home.serve(&[]);
    let crm = service(&home, "crm", &["recall", "remember", "provision"]);
    let anna = secret(&home.token("anna", "user", &[]));
    let admin = secret(&home.token("ada", "admin", &[]));
    server.bearing(&admin).put("/v1/teams/desk/members/anna").expect(204);
    server.bearing(&crm);
    let people: Vec<Value> = ["anna", "ben", " bad", "cleo"]
        .iter()
        .map(|user| json!({"user": user, "action": "provision"}))
        .collect();
    let answer = server.post("/v1/users", &json!({"users": people})).expect(200);
    let done: Vec<_> = answer["users"].as_array().unwrap().iter().map(|user| user["done"] == true).collect();
    assert_eq!(done, [true, true, false, true]);
    assert_eq!(answer["users"][2]["code"], "invalid");
    let stored = remember(&server, "anna", "The canary heron sings.").expect(201);
    remember(&server, "ben", "Ben has a boat.").expect(201);

    let removed = server.delete("/v1/users/anna").expect(200);
    assert_eq!(removed["tokens_revoked"], 1);
    assert_eq!(removed["memberships_ended"], 1);
    assert_eq!(removed["memories"], 1);
    assert!(
        removed["receipt"]["receipt"].as_str().is_some_and(|number| number.starts_with("DEL-")),
        "{removed}"
    );
    search(&server, "anna", "heron").refused(404, "not_found");
    server.bearing(&anna).get("/v1/memories").refused(401, "unauthenticated");
    server.bearing(&crm).delete("/v1/users/anna").refused(404, "not_found");

    // Whoever gets the name next finds an empty vault.
    server.put("/v1/users/anna").expect(204);
    assert_eq!(search(&server, "anna", "heron").expect(200)["memories"], json!([]));
    let path = format!("/v1/memories/{}", stored["memory_id"].as_str().unwrap());
    call(&server, "anna", "GET", &path, &Value::Null).refused(404, "not_found");

    let both = json!({"users": [
        {"user": "ben", "action": "remove"}, {"user": "ada", "action": "remove"}, {"user": "none", "action": "remove"},
    ]});
    let answer = server.post("/v1/users", &both).expect(200);
    assert_eq!(answer["users"][0]["removed"]["memories"], 1);
    assert_eq!(answer["users"][1]["code"], "denied");
    assert_eq!(answer["users"][2]["code"], "not_found");
    let many: Vec<Value> =
        (0..201).map(|n| json!({"user": format!("p{n}"), "action": "provision"})).collect();
    server.post("/v1/users", &json!({"users": many})).refused(422, "invalid");
    server.post("/v1/users", &json!({"users": []})).refused(422, "invalid");
}

#[test]
fn a_session_of_a_service_belongs_to_one_person() {
    let home = Home::new();
    let mut server = home.serve(&[]);
    let crm = service(&home, "crm", &["recall", "remember", "provision"]);
    let other = service(&home, "other", &["recall", "remember"]);
    server.bearing(&crm);
    for person in ["anna", "ben"] {
        server.put(&format!("/v1/users/{person}")).expect(204);
    }
    let anna = [("lacuna-user", "anna")];
    let opened = crate::mcp::post(&server, &anna, &crate::mcp::initialize());
    assert_eq!(opened.status, 200, "{}", opened.text());
    let id = opened.header("mcp-session-id").unwrap().to_owned();
    let fact = crate::mcp::calling("remember", &json!({"content": "The lamp oil is in the crypt"}));
    let within = |person| [("mcp-session-id", id.as_str()), ("lacuna-user", person)];
    let stored = crate::mcp::event(&crate::mcp::post(&server, &within("anna"), &fact));
    assert!(stored.to_string().contains("user:anna"), "{stored}");
    crate::mcp::post(&server, &within("ben"), &fact).refused(404, "not_found");
    crate::mcp::post(&server, &[("mcp-session-id", id.as_str())], &fact).refused(404, "not_found");
    server.bearing(&other);
    crate::mcp::post(&server, &within("anna"), &fact).refused(404, "not_found");
}

#[test]
fn a_service_and_its_person_do_not_get_each_others_answers() {
    let home = Home::new();
    let mut server = home.serve(&[]);
    let crm = service(&home, "crm", &["remember", "provision"]);
    server.bearing(&crm).put("/v1/users/anna").expect(204);
    let anna = secret(&home.token("anna", "user", &[]));
    let fact = json!({"content": "The spare key is with Ingrid."}).to_string();
    let once = [("content-type", "application/json"), ("idempotency-key", "k-1")];
    let first = server.bearing(&anna).send("POST", "/v1/memories", &once, fact.as_bytes()).expect(201);
    let acting = [once[0], once[1], ("lacuna-user", "anna")];
    let second = server.bearing(&crm).send("POST", "/v1/memories", &acting, fact.as_bytes());
    assert_eq!(second.header("idempotency-replayed"), None);
    let (second, first) = (second.expect(201), first["memory_id"].clone());
    assert_eq!((&second["memory_id"], &second["repeats"]), (&first, &json!(1)), "the work was done again");
}
