//! Persona documents: made, checked, signed and imported; and the compliance report.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::Home;

/// The atom of the schema's own example.
fn example() -> Value {
    json!({
        "id": "mem:7f3a8b2c0d3e", "kind": "episodic", "createdAt": "2026-04-22T14:18:42Z",
        "lastRehearsedAt": "2026-04-29T10:02:11Z", "rehearsalCount": 3,
        "gist": "A returning guest recognized me by name and thanked me for last week's restaurant suggestion.",
        "details": [
            {"content": "she was wearing a blue scarf", "brightness": 0.40},
            {"content": "it was raining outside", "brightness": 0.20},
            {"content": "she said the seafood was excellent", "brightness": 0.85}],
        "salience": 0.74, "emotionalValence": 0.62,
        "decayProfile": {"function": "ebbinghaus", "halfLifeDays": 14, "rehearsalBoost": 1.4, "valenceProtection": 0.3},
        "privacyClass": "guest-pii", "consentBasis": "service-delivery", "redactionStatus": "active",
        "provenance": {"sessionId": "sess:bonvoy-2026-04-22-uuid", "turnIndex": 7, "deploymentDid": "did:gosum:marriott:property-cluj-001"},
        "tags": ["returning-guest", "positive-feedback", "restaurant-recommendation"]
    })
}

/// A document with the schema's own policy, whose retention does not run out in a test.
fn document() -> Value {
    json!({
        "identity": {"version": "v.01"}, "memory": [example()],
        "memoryPolicy": {
            "enabled": true, "scope": "deployment", "maxAtoms": 50000, "maxMemoriesPerTurn": 5, "rehearsalCooldownTurns": 4,
            "retrievalThreshold": 0.15, "confabulationPolicy": "strict",
            "creationPolicy": {"minSalienceForCreation": 0.25, "salienceClassifier": "gosum-default-v.01", "salienceClassifierVersion": "v.01"},
            "retentionPolicy": {"defaultRetentionDays": 365, "perPrivacyClass": {"non-pii": null, "aggregate": null,
                "guest-pii": 36500, "staff-pii": 365, "sensitive-pii": 30, "commercial-confidential": 1095}},
            "rightToBeForgottenSla": {"acknowledgmentHours": 24, "completionHours": 720, "tombstoneRetentionDays": 2190},
            "auditPolicy": {"logCreation": true, "logRetrieval": "sampled", "logRedaction": "always", "logRehearsal": "sampled"}
        }
    })
}

/// Changes of one place each, at least sixty: good and bad ones. `null` as a string removes the place.
fn corpus() -> Vec<Value> {
    let atom = |field: &str| format!("/memory/0/{field}");
    let policy = |field: &str| format!("/memoryPolicy/{field}");
    let mut changes: Vec<(String, Value)> = Vec::new();
    for value in [
        json!("mem:0123456789ab"),
        json!("mem:0123"),
        json!("7f3a8b2c0d3e"),
        json!("mem:7F3A8B2C0D3E"),
        json!(7),
    ] {
        changes.push((atom("id"), value));
    }
    for value in [json!("semantic"), json!("procedural"), json!("imagined"), json!(null)] {
        changes.push((atom("kind"), value));
    }
    for value in [json!(0), json!(1), json!(-0.1), json!(1.1), json!("0.5"), json!(null)] {
        changes.push((atom("salience"), value));
    }
    for value in [json!(-1), json!(1), json!(-1.5), json!(2)] {
        changes.push((atom("emotionalValence"), value));
    }
    for value in [json!("g".repeat(280)), json!("g".repeat(281)), json!(""), json!("é".repeat(280))] {
        changes.push((atom("gist"), value));
    }
    for value in [
        json!([]),
        json!([{"content": "x"}]),
        json!([{"content": "x", "brightness": 1.2}]),
        json!([{"content": "x".repeat(201), "brightness": 0.1}]),
        json!({}),
    ] {
        changes.push((atom("details"), value));
    }
    for value in [json!(0), json!(-1), json!(2.5), json!(2.0)] {
        changes.push((atom("rehearsalCount"), value));
    }
    for value in [
        json!("2026-04-22"),
        json!("2026-04-22T14:18:42.5Z"),
        json!("2020-01-01T00:00:00Z"),
        json!("1900-01-01T00:00:00Z"),
    ] {
        changes.push((atom("createdAt"), value));
    }
    for value in
        [json!("not-applicable"), json!("explicit-consent"), json!("legitimate-interest"), json!("because")]
    {
        changes.push((atom("consentBasis"), value));
    }
    for value in [
        json!("non-pii"),
        json!("aggregate"),
        json!("staff-pii"),
        json!("sensitive-pii"),
        json!("commercial-confidential"),
        json!("secret"),
    ] {
        changes.push((atom("privacyClass"), value));
    }
    for value in [json!("redacted"), json!("pending-deletion"), json!("gone")] {
        changes.push((atom("redactionStatus"), value));
    }
    for value in [
        json!({"sessionId": "s", "deploymentDid": "did:web:example.org"}),
        json!({"sessionId": "s"}),
        json!({"sessionId": "s", "deploymentDid": "web"}),
        json!({}),
    ] {
        changes.push((atom("provenance"), value));
    }
    for value in [
        json!({"function": "linear", "halfLifeDays": 1, "rehearsalBoost": 1, "valenceProtection": 0}),
        json!({"function": "ebbinghaus", "halfLifeDays": 0, "rehearsalBoost": 1, "valenceProtection": 0}),
    ] {
        changes.push((atom("decayProfile"), value));
    }
    changes.push((policy("confabulationPolicy"), json!("moderate")));
    changes.push((policy("confabulationPolicy"), json!("permissive")));
    changes.push((policy("scope"), json!("everywhere")));
    changes.push((policy("maxAtoms"), json!(0)));
    changes.push((policy("maxAtoms"), json!(1)));
    changes.push((policy("enabled"), json!(false)));
    changes.push((policy("enabled"), json!("yes")));
    changes.push((policy("rightToBeForgottenSla/completionHours"), json!(721)));
    changes.push((policy("rightToBeForgottenSla/acknowledgmentHours"), json!(800)));
    changes.push((policy("auditPolicy/logRedaction"), json!("sampled")));
    changes.push((policy("creationPolicy/salienceClassifierVersion"), json!(null)));
    changes.push((policy("retentionPolicy/perPrivacyClass/guest-pii"), json!(1)));
    changes.push((policy("retentionPolicy"), json!({})));
    changes.push(("/identity/version".to_owned(), json!("v.02")));
    let mut documents = vec![document()];
    for (path, value) in changes {
        let mut changed = document();
        *changed.pointer_mut(&path).unwrap() = value;
        documents.push(changed);
    }
    for (fields, class) in [
        (json!({"safetyTier": "clinic"}), "sensitive-pii"),
        (json!({"complianceProfiles": ["healthcare"]}), "non-pii"),
        (json!({"complianceProfiles": ["hospitality"]}), "non-pii"),
    ] {
        let mut changed = document();
        changed.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        changed["memory"][0]["privacyClass"] = class.into();
        changed["memory"][0]["consentBasis"] = "explicit-consent".into();
        changed["memory"][0]["createdAt"] = "2099-01-01T00:00:00Z".into();
        changed["memoryPolicy"]["confabulationPolicy"] =
            if class == "non-pii" { "moderate" } else { "strict" }.into();
        documents.push(changed);
    }
    let mut empty = document();
    empty["memory"] = json!([]);
    empty["memoryPolicy"]["enabled"] = false.into();
    documents.extend([empty, json!({}), json!({"memory": []})]);
    let mut classifier = document();
    classifier["memoryPolicy"]["creationPolicy"].as_object_mut().unwrap().remove("salienceClassifierVersion");
    documents.push(classifier);
    documents
}

/// `cargo xtask test` installs the judges and names their Python; a plain `cargo test` passes this by.
#[test]
fn our_structure_check_agrees_with_jsonschema_and_our_coherence_with_pyshacl() {
    let documents = corpus();
    assert!(documents.len() >= 60, "{}", documents.len());
    let home = Home::new();
    let server = home.serve(&[]);
    let ours: Vec<Value> = documents
        .iter()
        .map(|document| server.post("/v1/views/persona/validate", document).expect(200))
        .collect();
    let valid = ours.iter().filter(|report| report["valid"] == true).count();
    assert!(valid >= 15 && valid <= documents.len() - 30, "{valid} valid ones");
    let Ok(python) = std::env::var("LACUNA_TEST_PERSONA") else {
        println!("not judged: LACUNA_TEST_PERSONA is not set; `cargo xtask test` sets it");
        return;
    };
    let now =
        server.get("/v1/views/forgetting/export").expect(200)["export_date"].as_str().unwrap().to_owned();
    let now = format!("{}Z", now.split(['.', 'Z']).next().unwrap());
    let lines: String = documents
        .iter()
        .map(|document| json!({"now": now, "document": document}).to_string() + "\n")
        .collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut judge = Command::new(python)
        .arg(root.join("tests/doors/persona_judge.py"))
        .args([root.join("src/persona/persona.schema.json"), root.join("src/persona/persona.shapes.ttl")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    judge.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let judged = judge.wait_with_output().unwrap();
    assert!(judged.status.success());
    let judged = String::from_utf8(judged.stdout).unwrap();
    let mut compared = 0;
    for ((document, ours), line) in documents.iter().zip(&ours).zip(judged.lines()) {
        let theirs: Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            ours["structure"] == json!([]),
            theirs["structure"] == true,
            "structure: {document}\n{ours}"
        );
        if theirs["structure"] == true {
            assert_eq!(ours["policy"] == json!([]), theirs["policy"] == true, "policy: {document}\n{ours}");
        }
        compared += 1;
    }
    assert_eq!(compared, documents.len());
}

#[test]
fn references_to_redacted_atoms_are_warnings() {
    let home = Home::new();
    let mut document = document();
    let mut gone = example();
    gone["id"] = "mem:000000000001".into();
    gone["redactionStatus"] = "redacted".into();
    document["memory"].as_array_mut().unwrap().push(gone);
    document["memory"][0]["gist"] =
        "The guest of mem:000000000001 came back, and so did mem:00000000000f.".into();
    let report = home.serve(&[]).post("/v1/views/persona/validate", &document).expect(200);
    assert_eq!(report["valid"], true, "{report}");
    let paths: Vec<&str> = report["references"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["memory[0].gist", "memory[0].gist"]);
}

#[test]
fn a_persona_document_is_exported_validated_signed_and_imported() {
    let home = Home::new();
    let (file, key) = (home.path("persona.json"), home.path("persona.key"));
    let (file, key) = (file.to_str().unwrap(), key.to_str().unwrap());
    fs::write(file, document().to_string()).unwrap();
    home.run(&["persona", "validate", file]).ok();
    let did = home.json(&["persona", "key", key])["did"].as_str().unwrap().to_owned();
    assert!(did.starts_with("did:key:z6Mk"), "{did}");
    assert_eq!(home.json(&["persona", "sign", file, "--key", key])["signed_by"], json!(did));
    assert_eq!(home.json(&["persona", "verify", file])["signed_by"], json!(did));
    let report = home.json(&["persona", "import", file]);
    assert_eq!(report["stored"], 1, "{report}");
    assert_eq!(home.json(&["persona", "import", file])["repeated"], 1, "twice is once");

    let out = home.path("out.json");
    let out = out.to_str().unwrap();
    home.run(&["persona", "export", out, "--key", key]).ok();
    home.run(&["persona", "validate", out]).ok();
    home.run(&["persona", "verify", out]).ok();
    let exported: Value = serde_json::from_slice(&fs::read(out).unwrap()).unwrap();
    let atom = &exported["memory"][0];
    for field in
        ["kind", "createdAt", "gist", "details", "emotionalValence", "privacyClass", "consentBasis", "tags"]
    {
        assert_eq!(atom[field], example()[field], "{field}: {atom}");
    }
    assert_eq!((&atom["rehearsalCount"], &atom["decayProfile"]["halfLifeDays"]), (&json!(3), &json!(14.0)));
    assert_eq!(atom["provenance"], example()["provenance"]);
    assert_eq!(exported["memoryPolicy"]["creationPolicy"]["salienceClassifier"], "lacuna-rules");

    let mut forged: Value = exported.clone();
    forged["memory"][0]["gist"] = "Something else.".into();
    fs::write(out, forged.to_string()).unwrap();
    assert_ne!(home.run(&["persona", "verify", out]).code, 0);
    let mut broken = document();
    broken["memory"][0]["salience"] = json!(2);
    fs::write(out, broken.to_string()).unwrap();
    let refused = home.run(&["import", out]);
    assert_ne!(refused.code, 0);
    assert!(refused.stderr.contains("memory[0].salience"), "{}", refused.stderr);
}

#[test]
fn an_atom_is_redacted_and_its_tombstone_says_so() {
    let home = Home::new();
    let id = home.remember("The heron stands in the pond.");
    let server = home.serve(&[]);
    let atoms = server.get("/v1/views/persona/memory?privacyClass=non-pii&minSalience=0.01").expect(200);
    let atom = atoms["memory"][0]["id"].as_str().unwrap().to_owned();
    assert!(atom.starts_with("mem:") && id.ends_with(&atom["mem:".len()..]), "{atom} {id}");
    assert_eq!(
        server.get(&format!("/v1/views/persona/memory/{atom}")).expect(200)["gist"],
        "The heron stands in the pond."
    );
    let gone = server
        .post(
            &format!("/v1/views/persona/memory/{atom}/redact"),
            &json!({"reason": "right-to-be-forgotten", "mode": "hard"}),
        )
        .expect(200);
    assert_eq!(
        (&gone["id"], &gone["redactionStatus"], &gone["redactionReason"]),
        (&json!(atom), &json!("redacted"), &json!("right-to-be-forgotten"))
    );
    assert!(gone["redactionEvents"][0].as_str().unwrap().starts_with("DEL-"));
    server.get(&format!("/v1/views/persona/memory/{atom}")).refused(404, "not_found");
}

#[test]
fn a_file_without_a_single_record_is_an_error() {
    let home = Home::new();
    let file = home.path("nothing.json");
    for text in
        [r#"{"memory": {}, "results": []}"#, r#"{"memories": []}"#, r#"{"identity": {}, "memoryPolicy": {}}"#]
    {
        fs::write(&file, text).unwrap();
        let done = home.run(&["import", file.to_str().unwrap(), "--json"]);
        assert_ne!(done.code, 0, "{text}: {}", done.stdout);
    }
}

#[test]
fn the_compliance_report_has_every_section_and_no_content() {
    let home = Home::new();
    home.run(&["consent", "give", "health"]).ok();
    home.remember("The heron stands in the pond.");
    home.remember("I was diagnosed with diabetes in March.");
    let gone = home.remember("The ferry leaves at noon.");
    home.run(&["memory", "delete", &gone, "--yes"]).ok();
    let report = home.run(&["compliance", "report"]).ok().stdout;
    for section in [
        "What is stored",
        "Who can see it",
        "How long",
        "Recipients, sub-processors and data flows",
        "Legal bases",
        "Erasures",
        "Record of processing",
        "Data protection impact assessment",
        "For the works council",
    ] {
        assert!(report.contains(&format!("## {section}")), "{section}");
    }
    assert!(
        report.contains("| health | 1 |")
            && report.contains("| user | 2 |")
            && report.contains("| request | 1 |"),
        "{report}"
    );
    let page = home.run(&["compliance", "report", "--format", "html"]).ok().stdout;
    assert!(
        page.starts_with("<!doctype html>")
            && page.contains("<h2>How long</h2>")
            && !page.contains("<script")
    );
    let paper = home.run(&["compliance", "report", "--format", "pdf-ready"]).ok().stdout;
    assert!(
        paper.starts_with("<!doctype html>")
            && paper.contains("@page{size:A4")
            && paper.contains("break-before:page")
    );
    for text in [&report, &page, &paper] {
        for word in ["heron", "diabetes", "ferry", "anna"] {
            assert!(!text.contains(word), "{word}");
        }
    }
}
