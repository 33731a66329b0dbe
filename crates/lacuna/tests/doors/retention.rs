//! How long the vault remembers, by command and over HTTP: settings with their preview, pins, the review, the jobs.

use serde_json::{Value, json};

use crate::support::Home;

/// Keeps a text that is over one second after another one was stored, and waits until it is.
fn keep_for_a_second(home: &Home) -> String {
    let stored = home.json(&["remember", "The kettle is on."]);
    let end: jiff::Timestamp = stored["created_at"].as_str().unwrap().parse().unwrap();
    let end = end + jiff::SignedDuration::from_secs(3);
    let brief = home.json(&["remember", "The parcel waits at the desk.", "--expires", &end.to_string()]);
    std::thread::sleep(std::time::Duration::from_secs(3));
    brief["memory_id"].as_str().unwrap().to_owned()
}

fn job<'a>(list: &'a Value, name: &str) -> &'a Value {
    list["jobs"].as_array().unwrap().iter().find(|job| job["job"] == name).unwrap()
}

#[test]
fn what_is_over_is_swept_by_a_job_that_the_table_shows() {
    let home = Home::new();
    let brief = keep_for_a_second(&home);
    let found = home.json(&["recall", "parcel desk"])["memories"].to_string();
    assert!(!found.contains("parcel"), "what is over is not recalled: {found}");
    let before = home.json(&["jobs"]);
    assert!(job(&before, "sweep")["outcome"].is_null());
    let epoch = job(&before, "epoch");
    assert!(epoch["every_hours"].is_null() && epoch["due_at"].is_null());

    assert_eq!(home.json(&["jobs", "run", "sweep"]), json!({"job": "sweep", "done": 1}));
    let after = home.json(&["jobs"]);
    assert_eq!((&job(&after, "sweep")["outcome"], &job(&after, "sweep")["done"]), (&json!("ok"), &json!(1)));
    assert_eq!(home.run(&["memory", "inspect", &brief]).code, 3);
    let receipts = home.json(&["receipt", "list"]);
    assert_eq!(receipts["receipts"][0]["cause"], "retention");
    assert!(home.run(&["jobs"]).ok().stdout.contains("sweep"));
    assert_eq!(home.run(&["jobs", "run", "dishes"]).code, 2);
    home.run(&["audit", "verify"]).ok();
    // In the words of seed 003.
    let log = home.serve(&[]).get("/v1/views/safety/audit").expect(200);
    let mut actions = log["entries"].as_array().unwrap().iter().map(|entry| &entry["action"]);
    assert!(actions.any(|action| action == "memory_ttl_cleanup"), "{log}");
}

#[test]
fn an_owner_sets_limits_after_a_preview_and_pins_what_shall_stay() {
    let home = Home::new();
    let id = home.remember("Mira keeps the spare key of the boat house.");
    let set = ["retention", "set", "--max-days", "365", "--about", "Mira=forever", "--category", "health=7"];
    let preview = home.json(&[&set[..], &["--preview"]].concat());
    assert_eq!((&preview["memories"], &preview["goes_now"]), (&json!(1), &json!(0)));
    assert!(home.json(&["retention", "show"])["max_days"].is_null());
    home.json(&set);
    let shown = home.json(&["retention", "show"]);
    assert_eq!((&shown["max_days"], &shown["categories"]["health"]), (&json!(365), &json!(7)));
    assert_eq!(shown["entities"], json!([{"name": "Mira"}]));
    assert!(home.run(&["retention", "show"]).ok().stdout.contains("Mira"));
    home.json(&["retention", "set", "--about", "Mira=default", "--hide", "health"]);
    let shown = home.json(&["retention", "show"]);
    assert_eq!((&shown["entities"], &shown["hidden"]), (&json!([]), &json!(["health"])));
    assert!(!home.json(&["memory", "inspect", &id])["expires_at"].is_null());
    home.json(&["memory", "pin", &id]);
    let memory = home.json(&["memory", "inspect", &id]);
    assert_eq!((&memory["pinned"], &memory["expires_at"]), (&json!(true), &Value::Null));
    for bad in ["health=400", "health=forever", "weather=3", "health"] {
        assert_eq!(home.run(&["retention", "set", "--category", bad]).code, 2, "{bad}");
    }
}

#[test]
fn a_review_is_answered_over_http_and_administrators_see_the_jobs() {
    let home = Home::new();
    let mut server = home.serve(&[]);
    let end = "2099-01-01T00:00:00Z";
    server.post("/v1/memories", &json!({"content": "The tide table hangs in the hall."})).expect(201);
    let month = server.get("/v1/review/month").expect(200);
    assert_eq!((&month["memories"], &month["to_review"]), (&json!(1), &json!(0)));
    let answer = |seen: &Value| json!({"seen": seen, "answer": "keep_all"});
    assert_eq!(
        server.post("/v1/review/month", &answer(&json!("another"))).expect(409)["code"],
        "plan_changed"
    );
    assert_eq!(server.post("/v1/review/month", &answer(&month["seen"])).expect(200)["kept"], json!([]));
    let half = json!({"seen": month["seen"], "answer": "erase"});
    assert_eq!(server.post("/v1/review/month", &half).expect(422)["field"], "answer");
    assert_eq!(server.get("/v1/review/month/memories?part=health").expect(200)["memories"], json!([]));
    let request = json!({"content": "The ferry runs until then.", "expires_at": end});
    server.post("/v1/memories", &request).expect(201);

    let admin = home.token("ada", "admin", &[])["secret"].as_str().unwrap().to_owned();
    let user = home.token("uma", "user", &[])["secret"].as_str().unwrap().to_owned();
    let jobs = server.bearing(&admin).get("/v1/admin/jobs").expect(200);
    assert_eq!(jobs["jobs"].as_array().unwrap().len(), 10);
    assert_eq!(server.bearing(&user).get("/v1/admin/jobs").expect(403)["code"], "denied");
}
