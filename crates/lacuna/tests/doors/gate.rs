//! The gate as people and programs meet it.

use serde_json::json;

use crate::support::Home;

const TOKEN: &str = concat!("ghp_", "kR7vQ2mX9bT4wZ8nC3yL6pD1hF5sJ0aG2eUu");

#[test]
fn a_secret_is_taken_out_and_the_answer_says_which_rule_and_where() {
    let home = Home::new();
    let server = home.serve(&[]);
    let text = format!("CI deploys with {TOKEN} today");
    let write = json!({"content": text, "category": "conversation"});
    let stored = server.post("/v1/memories", &write).expect(201);
    let redaction = &stored["gate"]["redactions"][0];
    assert_eq!((&redaction["field"], &redaction["level"]), (&json!("content"), &json!("definite")));
    assert_eq!((&redaction["start"], &redaction["end"]), (&json!(16), &json!(56)));
    let path = format!("/v1/memories/{}", stored["memory_id"].as_str().unwrap());
    assert_eq!(server.get(&path).expect(200)["content"], "CI deploys with [SECRET_REDACTED] today");
    let strict = json!({"content": text, "category": "conversation", "fail_on_secret": true});
    let refused = server.post("/v1/memories", &strict).refused(422, "secret_found");
    assert_eq!(refused["gate"]["redactions"][0]["start"], 16);
}

#[test]
fn a_question_is_answered_by_sending_the_text_again_with_its_token() {
    let home = Home::new();
    let server = home.serve(&[]);
    let text = "I was diagnosed with asthma last spring.";
    let asked = server.post("/v1/memories", &json!({"content": text})).refused(409, "needs_confirmation");
    assert_eq!(asked["asked"]["questions"], json!(["consent"]));
    assert_eq!(asked["asked"]["held"]["categories"], json!(["health"]));
    let confirm = asked["asked"]["confirm"].as_str().unwrap();
    let other = json!({"content": "I was diagnosed with gout.", "confirm": confirm});
    server.post("/v1/memories", &other).refused(422, "invalid");
    let stored = server.post("/v1/memories", &json!({"content": text, "confirm": confirm})).expect(201);
    assert_eq!(stored["memory_id"], asked["asked"]["held"]["memory_id"], "the held text is released");
    assert_eq!(stored["privacy_class"], "sensitive-pii");

    let home = Home::new();
    let held = home.run(&["remember", text, "--json"]);
    assert_eq!((held.code, held.problem()["code"].as_str()), (2, Some("needs_confirmation")));
    home.run(&["remember", text, "--yes"]).ok();
    let consent = ["remember", "My aunt has arthritis.", "--consent", "explicit-consent"];
    home.run(&consent).ok();
}

#[test]
fn what_a_page_says_waits_in_the_review_until_somebody_decides() {
    let home = Home::new();
    let server = home.serve(&[]);
    let web = json!({"type": "tool_output", "tool": "web_fetch"});
    let heard =
        |content: &str| server.post("/v1/memories", &json!({"content": content, "source": web})).expect(202);
    let facts = ["The ferry leaves at nine.", "The ferry costs four crowns.", "The ferry has a cinema."];
    let ids: Vec<String> =
        facts.iter().map(|fact| heard(fact)["memory_id"].as_str().unwrap().to_owned()).collect();
    let found = server.post("/v1/search", &json!({"query": "ferry"})).expect(200);
    assert_eq!(found["memories"], json!([]));
    let waiting = server.get("/v1/review?limit=2").expect(200);
    assert_eq!(waiting["memories"].as_array().unwrap().len(), 2);
    assert_eq!(waiting["memories"][0]["waits"], "confirmation");
    let rest = format!("/v1/review?limit=2&cursor={}", waiting["next_cursor"].as_str().unwrap());
    assert_eq!(server.get(&rest).expect(200)["memories"].as_array().unwrap().len(), 1);

    let decisions = json!({"decisions": [
        {"memory_id": ids[0], "decision": "accept"},
        {"memory_id": ids[1], "decision": "edit", "content": "The ferry costs five crowns."},
        {"memory_id": ids[2], "decision": "reject"},
    ]});
    let decided = server.post("/v1/review", &decisions).expect(200);
    assert_eq!(decided["decided"][0]["state"], "active");
    let found = server.post("/v1/search", &json!({"query": "ferry"})).expect(200).to_string();
    assert!(found.contains("at nine") && found.contains("five crowns"), "{found}");
    assert!(!found.contains("four crowns") && !found.contains("cinema"), "{found}");
    let unmatched = json!({"decisions": [{"memory_id": ids[0], "decision": "edit"}]});
    server.post("/v1/review", &unmatched).refused(422, "invalid");
    assert!(home.run(&["review", "list"]).ok().stdout.contains("nothing waits"));
}

#[test]
fn states_freezing_and_the_policy_are_reached_from_both_doors() {
    let home = Home::new();
    std::fs::create_dir_all(home.data().join("policies")).unwrap();
    let policy = "preset = 'enterprise-safe'\nmin_salience = 0.1\nmax_atoms = 7";
    std::fs::write(home.data().join("policies/local.toml"), policy).unwrap();
    let shown = home.json(&["policy", "show"]);
    assert_eq!((&shown["preset"], &shown["max_atoms"]), (&json!("enterprise-safe"), &json!(7)));
    let id = home.remember("The lantern walk begins at dusk.");
    home.run(&["memory", "state", &id, "--to", "deleted"]).ok();
    assert_eq!(home.json(&["recall", "lantern walk"])["memories"], json!([]));
    home.run(&["memory", "state", &id, "--to", "active"]).ok();
    home.run(&["freeze"]).ok();
    let held = home.run(&["remember", "The lantern walk ends at ten.", "--json"]);
    assert_eq!((held.code, held.problem()["code"].as_str()), (4, Some("frozen")));

    let server = home.serve(&[]);
    assert_eq!(server.get("/v1/policy").expect(200)["max_atoms"], 7);
    assert!(server.get("/v1/vault").expect(200)["frozen_since"].is_string());
    let headers = [("content-type", "application/json")];
    let thawed = server.send("PUT", "/v1/vault", &headers, br#"{"frozen": false}"#).expect(200);
    assert_eq!(thawed.get("frozen_since"), None);
    let state = json!({"memory_ids": [id], "state": "archived"});
    assert_eq!(server.post("/v1/memories/state", &state).status, 204);
    server.post("/v1/memories/state", &state).refused(409, "transition_not_allowed");
    let sensitive = json!({"content": "I was diagnosed with asthma.", "consent_basis": "explicit-consent"});
    server.post("/v1/memories", &sensitive).refused(422, "sensitive_not_allowed");
    drop(server);

    std::fs::write(home.data().join("policies/local.toml"), "max_atom = 7").unwrap();
    let refused = home.run(&["memory", "list", "--json"]);
    assert_eq!((refused.code, refused.problem()["code"].as_str()), (7, Some("bad_config")));
}

#[test]
fn scan_looks_through_files_and_what_is_stored_by_the_operators_rules_too() {
    let home = Home::new();
    home.remember("The badge for the east door is LAN-7731-KX.");
    assert_eq!(home.json(&["scan", "--stored"])["found"], json!([]));
    let rules = home.path("rules.toml");
    let rule = "[[rule]]\nname = 'badge'\nfamily = 'own'\nlevel = 'definite'\nkeywords = ['lan-']\n\
                pattern = 'LAN-[0-9]{4}-[A-Z]{2}'\nexamples = ['the badge LAN-1234-AB']\ncounterexamples = ['LAN party']\n";
    std::fs::write(&rules, rule).unwrap();
    let home = home.with("LACUNA_SECRET_RULES", rules.to_str().unwrap());
    let found = home.json(&["scan", "--stored"]);
    assert_eq!(
        (&found["found"][0]["rule"], &found["found"][0]["level"]),
        (&json!("badge"), &json!("definite"))
    );

    let text = format!("first line\nsecond {TOKEN} line\n");
    let done = home.run_with_input(&["scan", "-", "--json"], text.as_bytes()).ok();
    assert_eq!(done.json()["found"][0]["place"], "2:8");
    assert!(!done.stdout.contains(TOKEN));
    std::fs::write(&rules, rule.replace("LAN-[0-9]{4}", "LAX-[0-9]{4}")).unwrap();
    let refused = home.run(&["scan", "--stored", "--json"]);
    assert_eq!(refused.problem()["code"], "bad_config");
    assert!(refused.problem()["detail"].as_str().unwrap().contains("badge"));
}

#[test]
fn what_is_stored_is_redacted_by_todays_rules_after_a_plan_and_with_a_receipt() {
    let home = Home::new();
    let badge = home.remember("The badge for the east door is LAN-7731-KX.");
    home.run(&["remember", "Otto keeps bees.", "--tag", "LAN-7731-KX"]).ok();
    home.remember("The lantern walk begins at dusk.");
    let turn = "I left my badge LAN-7731-KX at the desk and prefer the north door.";
    home.run(&["session", "append", "desk", turn]).ok();
    home.json(&["compact", "--session", "desk"]);
    let rules = home.path("rules.toml");
    let rule = "[[rule]]\nname = 'badge'\nfamily = 'own'\nlevel = 'definite'\nkeywords = ['lan-']\n\
                pattern = 'LAN-[0-9]{4}-[A-Z]{2}'\nexamples = ['the badge LAN-1234-AB']\ncounterexamples = ['LAN party']\n";
    std::fs::write(&rules, rule).unwrap();
    let home = home.with("LACUNA_SECRET_RULES", rules.to_str().unwrap());

    let plan = home.json(&["scan", "--stored", "--redact"]);
    assert_eq!((&plan["dry_run"], &plan["receipts"]), (&json!(true), &json!([])), "{plan}");
    let planned = plan["planned"].as_array().unwrap();
    assert!(planned.len() >= 3 && planned.iter().all(|one| one["rules"] == json!(["badge"])), "{plan}");
    assert!(home.run(&["recall", "badge east door"]).ok().stdout.contains("7731"), "a plan changes nothing");
    let told = home.run(&["scan", "--stored", "--redact"]).ok().stdout;
    assert!(told.contains("--yes") && told.contains("badge") && !told.contains("7731"), "{told}");

    let done = home.json(&["scan", "--stored", "--redact", "--yes"]);
    assert_eq!(done["dry_run"], false);
    let receipts = done["receipts"].as_array().unwrap();
    assert!(!receipts.is_empty() && receipts[0].as_str().unwrap().starts_with("DEL-"), "{done}");
    let replaced = done["redacted"].as_array().unwrap();
    assert!(replaced.iter().any(|one| one["was"] == badge.as_str()), "{done}");
    assert!(!home.run(&["export", "-"]).ok().stdout.contains("7731"));
    let found = home.json(&["recall", "badge for the east door"]).to_string();
    assert!(found.contains("The badge for the east door is [SECRET_REDACTED]"), "{found}");
    assert!(home.run(&["recall", "when is the lantern walk?"]).ok().stdout.contains("at dusk"));
    assert_eq!(home.json(&["scan", "--stored"])["found"], json!([]));
    assert_eq!(home.json(&["scan", "--stored", "--redact", "--yes"])["planned"], json!([]));
    home.run(&["audit", "verify"]).ok();
}

#[test]
fn numbers_of_a_state_are_cut_unless_this_very_text_has_a_consent() {
    let home = Home::new();
    home.run(&["consent", "give", "location", "--for", "my assistants"]).ok();
    let server = home.serve(&[]);
    for (text, left) in [
        ("My social security number is 536-22-8143.", "My social security number is ****8143."),
        ("Mi DNI es 12345678Z.", "Mi DNI es ****678Z."),
        (
            "Mon numéro de sécurité sociale est 269054958815780.",
            "Mon numéro de sécurité sociale est ****5780.",
        ),
        ("My National Insurance number is AB123456C.", "My National Insurance number is ****456C."),
    ] {
        let stored = server.post("/v1/memories", &json!({"content": text})).expect(201);
        assert_eq!(stored["gate"]["consent_keeps"], true, "{stored}");
        let path = format!("/v1/memories/{}", stored["memory_id"].as_str().unwrap());
        assert_eq!(server.get(&path).expect(200)["content"], left);
        let kept = server
            .post("/v1/memories", &json!({"content": text, "consent_basis": "explicit-consent"}))
            .expect(201);
        let path = format!("/v1/memories/{}", kept["memory_id"].as_str().unwrap());
        assert_eq!(server.get(&path).expect(200)["content"], text);
    }
    let street = "I live at 12 Rosewood Lane, Bristol.";
    let kept = server.post("/v1/memories", &json!({"content": street})).expect(201);
    assert_eq!(kept["gate"].get("consent_keeps"), None, "the consent for places covers it: {kept}");
}

#[test]
fn what_expires_says_until_when_and_why_in_every_answer() {
    let home = Home::new();
    let told = home.run(&["remember", "My salary is 3,400 euros a month."]).ok().stdout;
    assert!(told.contains("kept until") && told.contains(": financial"), "{told}");
    let listed = home.run(&["memory", "list"]).ok().stdout;
    assert!(listed.contains("kept until") && listed.contains(": financial]"), "{listed}");
    let page = home.json(&["memory", "list"]);
    let salary = &page["memories"][0];
    assert_eq!(salary["kept_because"], "financial");
    let id = salary["memory_id"].as_str().unwrap();
    let inspected = home.run(&["memory", "inspect", id]).ok().stdout;
    assert!(inspected.contains(": financial"), "{inspected}");
    let server = home.serve(&[]);
    let turn = json!({"turns": [{"role": "user", "text": "The printer in the hall jams."}]});
    let appended = server.post("/v1/sessions/desk/turns", &turn).expect(201).to_string();
    assert!(
        appended.contains("\"kept_because\":\"medium_term\"") && appended.contains("asks_at"),
        "{appended}"
    );
    let longer = json!({"content": "My rent is 900 euros a month.", "expires_at": "2999-01-01T00:00:00Z"});
    let longer = server.post("/v1/memories", &longer).expect(201);
    let short = server.post("/v1/memories", &json!({"content": "My bonus is 200 euros."})).expect(201);
    assert!(longer["kept_until"].as_str() > short["kept_until"].as_str(), "{longer} {short}");
    let lasting = server.post("/v1/memories", &json!({"content": "I prefer the window seat."})).expect(201);
    assert_eq!((lasting.get("kept_until"), lasting.get("kept_because")), (None, None));
}

#[test]
fn a_consent_is_given_once_by_the_person_and_lets_every_door_in() {
    let home = Home::new();
    let admin = home.token("anna", "user", &[]);
    let agent = home.token("anna", "agent", &[]);
    let secret = |token: &serde_json::Value| token["secret"].as_str().unwrap().to_owned();
    let mut server = home.serve(&[]);
    server.bearing(&secret(&agent));
    let health = |text: &str| json!({"content": text});
    let asthma = server
        .post("/v1/memories", &health("I have asthma and use an inhaler before every run."))
        .refused(409, "needs_confirmation");
    let held = asthma["asked"]["held"]["memory_id"].clone();
    // Asked once: the next one is held beside it.
    let next = server
        .post("/v1/memories", &health("I was diagnosed with type 2 diabetes and take metformin."))
        .expect(202);
    assert_eq!(next["waits"], "consent");
    let claimed = json!({"content": "I have diabetes.", "consent_basis": "explicit-consent"});
    server.post("/v1/memories", &claimed).refused(403, "denied");
    let consent = json!({"category": "health", "purpose": "my assistants"});
    server
        .send("PUT", "/v1/consents", &[("content-type", "application/json")], consent.to_string().as_bytes())
        .refused(403, "denied");

    assert!(home.run(&["consent", "list"]).ok().stdout.contains("no consent was given"));
    let given = home.json(&["consent", "give", "health", "--for", "my assistants"]);
    let released = given["released"].as_array().unwrap();
    assert!(released.contains(&held) && released.contains(&next["memory_id"]), "{given}");
    server.bearing(&secret(&admin));
    let listed = server.get("/v1/consents").expect(200);
    assert_eq!(
        (&listed["consents"][0]["category"], &listed["consents"][0]["purpose"]),
        (&json!("health"), &json!("my assistants"))
    );
    server.post("/v1/memories", &health("I was diagnosed with asthma last spring.")).expect(201);
    assert!(home.run(&["recall", "diabetes metformin"]).ok().stdout.contains("metformin"));
    assert!(home.run(&["recall", "asthma inhaler"]).ok().stdout.contains("asthma"));
    let revoked = server.post("/v1/consents/revoke", &json!({"category": "health"})).expect(200);
    assert_eq!(revoked["kept"], 3);
    assert!(
        home.run(&["consent", "revoke", "health"]).ok().stdout.contains("lacuna forget --sensitivity health")
    );
}

#[test]
fn a_batch_says_what_became_of_each() {
    let home = Home::new();
    let server = home.serve(&[]);
    let batch = json!({"memories": [
        {"content": "The lantern walk begins at dusk."},
        {"content": "My password is hunter2."},
        {"content": "I was diagnosed with asthma."},
        {"content": "The lantern walk begins at dusk."},
    ]});
    let answer = server.post("/v1/memories/batch", &batch).expect(201);
    let outcomes: Vec<_> =
        answer["memories"].as_array().unwrap().iter().map(|one| one["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["stored", "refused", "asked", "stored"]);
    assert_eq!(answer["memories"][1]["code"], "credential_refused");
    assert_eq!(answer["memories"][3]["repeats"], 1);
}

#[test]
fn patterns_and_long_keeping_wait_for_a_consent_where_the_policy_says_so() {
    let home = Home::new();
    std::fs::create_dir_all(home.data().join("policies")).unwrap();
    let policy = "pattern_consent = true\n[retention]\nlong_term_consent = true";
    std::fs::write(home.data().join("policies/local.toml"), policy).unwrap();
    let shown = home.json(&["policy", "show"]);
    assert_eq!(
        (&shown["pattern_consent"], &shown["retention"]["long_term_consent"]),
        (&json!(true), &json!(true))
    );

    let habit = "The user reviews the reports on Monday mornings.";
    let asked = home.run(&["remember", habit, "--category", "work_pattern", "--json"]);
    assert_eq!(asked.code, 2, "{}", asked.stderr);
    let problem = asked.problem();
    assert_eq!(problem["asked"]["held"]["categories"], json!(["patterns"]), "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("patterns of behaviour"), "{problem}");
    let bees = home.run(&["remember", "The user keeps bees on the roof."]).ok().stdout;
    assert!(
        bees.contains("no consent to long-term keeping") && bees.contains("you are asked about it"),
        "{bees}"
    );

    let given = home.run(&["consent", "give", "patterns"]).ok().stdout;
    assert!(given.contains("patterns of your behaviour are kept from now on"), "{given}");
    assert!(given.contains("1 memory waited for it"), "{given}");
    assert!(home.json(&["recall", "Monday reports"]).to_string().contains(habit));
    let server = home.serve(&[]);
    let consent = json!({"category": "long_term", "purpose": "my assistants"});
    let put = [("content-type", "application/json")];
    server.send("PUT", "/v1/consents", &put, consent.to_string().as_bytes()).expect(200);
    let stored = server.post("/v1/memories", &json!({"content": "The user sails a red boat."})).expect(201);
    assert_eq!(stored["kept_until"], json!(null));
    let topics = server.get("/v1/consents").expect(200);
    let topics: Vec<_> = topics["consents"].as_array().unwrap().iter().map(|one| &one["category"]).collect();
    assert_eq!(topics, ["patterns", "long_term"]);

    let revoked = home.run(&["consent", "revoke", "long_term"]).ok().stdout;
    assert!(revoked.contains("facts are not kept for long any more"), "{revoked}");
    server.post("/v1/consents/revoke", &json!({"category": "patterns"})).expect(200);
    let again = json!({"content": "The user plans the week on Sundays.", "category": "work_pattern"});
    server.post("/v1/memories", &again).refused(409, "needs_confirmation");
    let later = server.post("/v1/memories", &json!({"content": "The user paints boats."})).expect(201);
    assert_eq!(later["kept_because"], "no consent to long-term keeping");
}

#[test]
fn a_token_without_health_gets_no_health_by_http_or_mcp() {
    let home = Home::new();
    let sick = "I was diagnosed with asthma and use an inhaler before every run.";
    home.json(&["remember", sick, "--consent", "explicit-consent"]);
    home.json(&["remember", "The boat house has a new roof.", "--tag", "harbour"]);
    let made = |more: &[&str]| {
        let args = [&["token", "create", "--user", "anna", "--role", "agent"], more].concat();
        home.json(&args)
    };
    let (open, narrow) = (made(&[]), made(&["--without", "health", "--label", "sports app"]));
    assert_eq!((&open["without"], &narrow["without"]), (&json!(null), &json!(["health"])));
    assert!(home.run(&["token", "list"]).ok().stdout.contains("agent without health"));
    let refused =
        home.run(&["token", "create", "--user", "anna", "--role", "user", "--without", "health", "--json"]);
    assert_eq!(refused.problem()["field"], "without");

    let mut server = home.serve(&[]);
    let asked = json!({"name": "recall", "arguments": {"query": "asthma inhaler"}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked});
    for (token, sees) in [(&open, true), (&narrow, false)] {
        server.bearing(token["secret"].as_str().unwrap());
        let mut seen = String::new();
        seen += &server.post("/v1/search", &json!({"query": "asthma inhaler"})).expect(200).to_string();
        seen += &server.get("/v1/memories").expect(200).to_string();
        seen +=
            &server.post("/v1/context", &json!({"turn": "What about my asthma?"})).expect(200).to_string();
        let session = crate::mcp::session(&server);
        seen += &crate::mcp::post(&server, &[("mcp-session-id", &session)], &call).text();
        assert_eq!(seen.contains("inhaler before every run"), sees, "{seen}");
        assert!(seen.contains("boat house"), "{seen}");
    }
}
