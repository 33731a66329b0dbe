//! Holds and purposes over HTTP and on the command line.

use serde_json::json;

use crate::support::Home;

#[test]
fn a_hold_is_placed_by_two_operators_and_the_person_sees_it() {
    let home = Home::new();
    let id = home.remember("Anna signed the lease in March.");
    let placed = home.json(&[
        "hold",
        "place",
        "--scope",
        "user:anna",
        "--reason",
        "legal_claim",
        "--days",
        "90",
        "--tell",
    ]);
    assert_eq!((&placed["stands"], &placed["reach"]), (&json!(false), &json!("vault")));
    assert_eq!(home.run(&["hold", "confirm", "1", "--json"]).problem()["code"], "denied");
    assert_eq!(home.json(&["hold", "confirm", "1", "--as", "ben"])["stands"], true);
    let server = home.serve(&[]);
    let mine = server.get("/v1/holds").expect(200);
    assert_eq!(mine["holds"][0]["reason"], "legal_claim");
    let gone = server.delete(&format!("/v1/memories/{id}")).expect(200);
    assert_eq!((&gone["deferred"]["memory_ids"], &gone["memory_ids"]), (&json!([id]), &json!([])));
    server.get(&format!("/v1/memories/{id}")).refused(404, "not_found");
    server.post("/v1/destroy", &json!({})).refused(409, "held");
    assert_eq!(server.post("/v1/admin/holds/1/end", &json!({})).expect(200)["stands"], false);
    server.post("/v1/admin/holds/1/end", &json!({})).refused(409, "hold_ended");
    drop(server);
    home.run(&["jobs", "run", "purge"]).ok();
    let receipts = home.json(&["receipt", "list"]);
    assert_eq!(receipts["receipts"][0]["cause"], "deferred", "{receipts}");
}

#[test]
fn a_category_is_closed_to_an_agent_and_opened_again() {
    let home = Home::new();
    home.run(&["consent", "give", "health"]).ok();
    home.remember("I was diagnosed with diabetes in March.");
    let agent = home.token("anna", "agent", &[])["secret"].as_str().unwrap().to_owned();
    let user = home.token("anna", "user", &[])["secret"].as_str().unwrap().to_owned();
    let mut server = home.serve(&[]);
    let asked = json!({"query": "diabetes"});
    let mut seen = |token: &str| {
        server.bearing(token).post("/v1/search", &asked).expect(200)["memories"].as_array().unwrap().len()
    };
    assert_eq!((seen(&agent), seen(&user)), (1, 1));
    server
        .send(
            "PUT",
            "/v1/purposes",
            &[("content-type", "application/json")],
            br#"{"category": "health", "closed": true}"#,
        )
        .expect(200);
    let mut seen = |token: &str| {
        server.bearing(token).post("/v1/search", &asked).expect(200)["memories"].as_array().unwrap().len()
    };
    assert_eq!((seen(&agent), seen(&user)), (0, 1));
    assert_eq!(server.get("/v1/purposes").expect(200)["closed"], json!(["health"]));
    server
        .bearing(&agent)
        .send(
            "PUT",
            "/v1/purposes",
            &[("content-type", "application/json")],
            br#"{"category": "health", "closed": false}"#,
        )
        .refused(403, "denied");
}
