//! Shared vaults through both doors: teams, authors, and memories that move between scopes.

use serde_json::{Value, json};

use crate::support::{Home, Server};

fn id(answer: &Value) -> String {
    answer["memory_id"].as_str().unwrap().to_owned()
}

/// A server and tokens for these users of the role `user`, and for an administrator.
fn served(home: &Home, users: &[&str]) -> (Server, String, Vec<String>) {
    let secret = |token: Value| token["secret"].as_str().unwrap().to_owned();
    let admin = secret(home.token("ada", "admin", &[]));
    let users = users.iter().map(|user| secret(home.token(user, "user", &[]))).collect();
    (home.serve(&[]), admin, users)
}

#[test]
fn a_team_shares_a_vault_by_http() {
    let home = Home::new();
    let (mut server, admin, users) = served(&home, &["uma", "ben", "kim"]);
    server.bearing(&admin);
    for path in ["/v1/teams/front%20desk/members/uma", "/v1/teams/front%20desk/members/ben"] {
        server.put(path).expect(204);
        server.put(path).expect(204);
    }
    let listed = server.get("/v1/teams/front%20desk/members").expect(200);
    assert_eq!(listed["scope"], "team:front desk");
    assert_eq!(listed["members"].as_array().unwrap().len(), 2, "{listed}");

    assert_eq!(server.get("/v1/scopes").expect(200)["scopes"], json!(["org"]), "an administrator alone");
    server.bearing(&users[0]);
    let scope = "team:front desk";
    assert_eq!(server.get("/v1/scopes").expect(200)["scopes"], json!(["user:uma", scope, "org"]));
    let written = json!({"content": "The lift is slow on Mondays.", "scope": scope});
    let stored = server.post("/v1/memories", &written).expect(201);
    assert_eq!(stored["scope"], scope);
    let two = json!({"scope": scope, "memories": [{"content": "one"}, {"content": "two"}]});
    assert_eq!(server.post("/v1/memories/batch", &two).expect(201)["scope"], scope);
    let mixed = json!({"memories": [{"content": "one", "scope": scope}]});
    assert_eq!(server.post("/v1/memories/batch", &mixed).refused(422, "invalid")["field"], "memories.scope");

    server.bearing(&users[1]);
    let found = server.post("/v1/search", &json!({"query": "slow lift", "scope": scope})).expect(200);
    assert_eq!((&found["scope"], &found["memories"][0]["author"]), (&json!(scope), &json!("uma")));
    let path = format!("/v1/memories/{}?scope=team:front%20desk", id(&stored));
    assert_eq!(server.get(&path).expect(200)["author"], "uma");
    assert_eq!(
        server.get("/v1/memories?scope=team:front%20desk").expect(200)["memories"][0]["author"],
        "uma"
    );
    let verified = server.get("/v1/audit/verify?scope=team:front%20desk").expect(200);
    assert_eq!(verified["entries"], 5, "two writes; a search, a look and a list");
    server.delete(&path).refused(403, "denied");
    // Their own vault is another one.
    assert_eq!(server.get("/v1/memories").expect(200)["memories"], json!([]));

    server.bearing(&users[2]).get(&path).refused(404, "not_found");
    server.bearing(&admin).get(&path).refused(404, "not_found");
    assert_eq!(server.delete(&path).expect(200)["scope"], scope);
    server.delete("/v1/teams/front%20desk/members/ben").expect(204);
    server.delete("/v1/teams/front%20desk/members/ben").refused(404, "not_found");
    server.bearing(&users[1]).get("/v1/memories?scope=team:front%20desk").refused(404, "not_found");
}

#[test]
fn a_memory_is_promoted_and_demoted_by_http() {
    let home = Home::new();
    let (mut server, admin, users) = served(&home, &["uma", "kim"]);
    server.bearing(&admin).put("/v1/teams/desk/members/uma").expect(204);
    server.bearing(&users[0]);
    let own = id(&server.post("/v1/memories", &json!({"content": "The pool opens at seven."})).expect(201));
    let promote =
        |server: &Server, id: &str, body: Value| server.post(&format!("/v1/memories/{id}/promote"), &body);
    promote(&server, &own, json!({"to": "team:kitchen"})).refused(404, "not_found");
    assert_eq!(promote(&server, &own, json!({"to": "Team"})).refused(422, "invalid")["field"], "to");
    let request = json!({"to": "team:desk", "justification": "everybody asks"});
    let in_team = promote(&server, &own, request).expect(200);
    assert_eq!(in_team["previous_id"], json!(own));
    let six = [
        "original_author_id",
        "original_created_at",
        "promoted_by_id",
        "promoted_at",
        "previous_scope",
        "current_scope",
    ];
    let shown = server.get(&format!("/v1/memories/{}?scope=team:desk", id(&in_team))).expect(200);
    for field in six {
        assert!(shown["promotion"][field].is_string(), "{field}: {shown}");
    }
    assert_eq!(shown["promotion"]["previous_scope"], "user:uma");
    assert_eq!(shown["promotion"]["justification"], "everybody asks");
    server.get(&format!("/v1/memories/{own}")).refused(404, "not_found");
    let to_org = json!({"to": "org", "scope": "team:desk"});
    promote(&server, &id(&in_team), to_org.clone()).refused(403, "denied");

    server.bearing(&admin);
    let in_org = promote(&server, &id(&in_team), to_org).expect(200);
    server.bearing(&users[1]);
    let path = format!("/v1/memories/{}?scope=org", id(&in_org));
    assert_eq!(server.get(&path).expect(200)["content"], "The pool opens at seven.");
    let written = json!({"content": "x", "scope": "org"});
    server.post("/v1/memories", &written).refused(403, "denied");
    server.bearing(&admin).post("/v1/memories", &written).expect(201);
    let demote = format!("/v1/memories/{}/demote", id(&in_org));
    let back = server.post(&demote, &json!({"to": "team:desk", "scope": "org"})).expect(200);
    assert_eq!(server.bearing(&users[1]).get(&path).expect(200)["state"], "archived");
    server.bearing(&users[0]);
    server.get(&format!("/v1/memories/{}?scope=team:desk", id(&back))).expect(200);
}

#[test]
fn the_command_line_knows_scopes_as_well() {
    let home = Home::new();
    home.run(&["team", "add", "desk", "anna"]).ok();
    assert_eq!(home.json(&["team", "list", "desk"])["members"][0]["user"], "anna");
    home.run(&["deployment", "add", "did:web:lobby", "anna"]).ok();
    let scopes = json!(["user:anna", "team:desk", "deployment:did:web:lobby", "org"]);
    assert_eq!(home.json(&["scopes"])["scopes"], scopes);
    let stored = home.json(&["remember", "The lift is slow.", "--scope", "deployment:did:web:lobby"]);
    assert_eq!(stored["scope"], "deployment:did:web:lobby");
    let own = home.remember("Room nine is quiet.");
    let moved = home.json(&["memory", "promote", &own, "--to", "team:desk"]);
    let in_team = id(&moved);
    let found = home.json(&["recall", "quiet room", "--scope", "team:desk"]);
    assert_eq!(found["memories"][0]["memory_id"], json!(in_team));
    assert_eq!(home.run(&["memory", "inspect", &own]).code, 3);
    let moved = home.json(&["memory", "promote", &in_team, "--scope", "team:desk", "--to", "org"]);
    let told = home.run(&["memory", "demote", &id(&moved), "--scope", "org", "--to", "team:desk"]).ok();
    assert!(told.stdout.contains("in team:desk"), "{}", told.stdout);
    let listed = home.json(&["memory", "list", "--scope", "team:desk"]);
    assert_eq!(listed["memories"].as_array().unwrap().len(), 1);
    home.run(&["audit", "verify", "--scope", "team:desk"]).ok();
    assert_eq!(home.json(&["audit", "list", "--scope", "org"])["entries"][0]["action"], "member_add");
    home.run(&["team", "remove", "desk", "anna"]).ok();
    assert_eq!(home.run(&["memory", "list", "--scope", "team:desk"]).code, 3);
    assert_eq!(home.run(&["memory", "list", "--scope", "desk"]).code, 2);
    let line = br#"{"content": "x", "scope": "org"}"#;
    let refused = home.run_with_input(&["remember", "--batch", "-", "--json"], line);
    assert_eq!((refused.code, &refused.problem()["field"]), (2, &json!("memories.scope")));
}

/// Under a policy that asks for approval a promoted memory waits like a direct write, and goes back without a loss.
#[test]
fn a_promoted_memory_waits_where_a_direct_write_would() {
    let home = Home::new();
    std::fs::create_dir_all(home.data().join("policies")).unwrap();
    std::fs::write(home.data().join("policies/local.toml"), "preset = 'enterprise-safe'").unwrap();
    let (mut server, admin, users) = served(&home, &["uma"]);
    server.bearing(&admin).put("/v1/teams/desk/members/uma").expect(204);
    server.bearing(&users[0]);
    let own = id(&server.post("/v1/memories", &json!({"content": "The pool opens at seven."})).expect(201));
    let direct = json!({"content": "The sauna is closed in June.", "scope": "team:desk"});
    assert_eq!(server.post("/v1/memories", &direct).expect(202)["state"], "candidate");
    let moved = server.post(&format!("/v1/memories/{own}/promote"), &json!({"to": "team:desk"})).expect(200);
    assert_eq!(moved["state"], "candidate");
    let asked = json!({"query": "when does the pool open?", "scope": "team:desk"});
    assert_eq!(server.post("/v1/search", &asked).expect(200)["memories"], json!([]));
    let back = json!({"to": "user:uma", "scope": "team:desk"});
    server.bearing(&admin).post(&format!("/v1/memories/{}/demote", id(&moved)), &back).expect(200);
    let asked = json!({"query": "when does the pool open?"});
    let found = server.bearing(&users[0]).post("/v1/search", &asked).expect(200);
    assert_eq!(found["memories"][0]["content"], "The pool opens at seven.", "{found}");
}
