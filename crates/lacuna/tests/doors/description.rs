//! The OpenAPI description: whole, and true of the server that hands it out.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::Home;

/// Every route that the server has, as this test knows it.
const ROUTES: [(&str, &str); 121] = [
    ("get", "/v1/protection"),
    ("put", "/v1/protection"),
    ("post", "/v1/protection/remove"),
    ("post", "/v1/unlock"),
    ("post", "/v1/lock"),
    ("put", "/v1/records/{path}"),
    ("get", "/v1/records/{path}"),
    ("delete", "/v1/records/{path}"),
    ("post", "/v1/records/batch"),
    ("post", "/v1/records/search"),
    ("post", "/v1/records/namespaces"),
    ("post", "/v1/records/erase"),
    ("post", "/v1/records/ttl"),
    ("post", "/v1/memories/expiry"),
    ("get", "/healthz"),
    ("get", "/readyz"),
    ("get", "/metrics"),
    ("get", "/openapi.json"),
    ("get", "/docs/api"),
    ("post", "/v1/memories"),
    ("get", "/v1/memories"),
    ("post", "/v1/memories/batch"),
    ("get", "/v1/memories/{memory_id}"),
    ("put", "/v1/memories/{memory_id}"),
    ("delete", "/v1/memories/{memory_id}"),
    ("post", "/v1/memories/{memory_id}/promote"),
    ("post", "/v1/memories/{memory_id}/demote"),
    ("post", "/v1/memories/state"),
    ("get", "/v1/review"),
    ("post", "/v1/review"),
    ("get", "/v1/vault"),
    ("put", "/v1/vault"),
    ("get", "/v1/policy"),
    ("post", "/v1/destroy"),
    ("post", "/v1/compact"),
    ("get", "/v1/consents"),
    ("put", "/v1/consents"),
    ("post", "/v1/consents/revoke"),
    ("get", "/v1/scopes"),
    ("post", "/v1/search"),
    ("post", "/v1/sessions"),
    ("get", "/v1/sessions"),
    ("post", "/v1/sessions/{session_id}/turns"),
    ("get", "/v1/sessions/{session_id}"),
    ("post", "/v1/sessions/{session_id}/end"),
    ("post", "/v1/context"),
    ("post", "/v1/memory-tool"),
    ("post", "/v1/forget"),
    ("post", "/v1/forget/confirm"),
    ("post", "/v1/forgotten"),
    ("post", "/v1/correct"),
    ("get", "/v1/receipts"),
    ("get", "/v1/receipts/{receipt}"),
    ("get", "/v1/review/month"),
    ("post", "/v1/review/month"),
    ("get", "/v1/review/month/memories"),
    ("get", "/v1/retention"),
    ("put", "/v1/retention"),
    ("post", "/v1/retention/preview"),
    ("post", "/v1/memories/pin"),
    ("get", "/v1/admin/jobs"),
    ("post", "/v1/exports"),
    ("get", "/v1/exports/{export_token}"),
    ("post", "/v1/import"),
    ("get", "/v1/people/requests"),
    ("post", "/v1/people/requests"),
    ("post", "/v1/people/requests/{request}/plan"),
    ("post", "/v1/people/requests/{request}/confirm"),
    ("get", "/v1/notices"),
    ("get", "/v1/audit/verify"),
    ("get", "/v1/audit/report"),
    ("get", "/v1/audit/export"),
    ("get", "/v1/tokens"),
    ("post", "/v1/tokens"),
    ("delete", "/v1/tokens/{token_id}"),
    ("post", "/v1/users"),
    ("put", "/v1/users/{user}"),
    ("delete", "/v1/users/{user}"),
    ("get", "/v1/teams/{team}/members"),
    ("put", "/v1/teams/{team}/members/{user}"),
    ("delete", "/v1/teams/{team}/members/{user}"),
    ("get", "/v1/deployments/{deployment}/members"),
    ("put", "/v1/deployments/{deployment}/members/{user}"),
    ("delete", "/v1/deployments/{deployment}/members/{user}"),
    ("post", "/v1/views/personal/store"),
    ("post", "/v1/views/personal/retrieve"),
    ("post", "/v1/views/personal/forget"),
    ("post", "/v1/views/personal/export"),
    ("post", "/v1/views/personal/destroy"),
    ("get", "/v1/views/personal/memories/{memory_id}"),
    ("get", "/v1/views/personal/audit"),
    ("post", "/v1/views/forgetting/request"),
    ("post", "/v1/views/forgetting/forget-entity"),
    ("post", "/v1/views/forgetting/answer"),
    ("post", "/v1/views/forgetting/forget-memory"),
    ("post", "/v1/views/forgetting/verify"),
    ("get", "/v1/views/forgetting/deletions"),
    ("get", "/v1/views/forgetting/export"),
    ("get", "/v1/views/persona/memory"),
    ("get", "/v1/views/persona/memory/{atom_id}"),
    ("post", "/v1/views/persona/memory/{atom_id}/redact"),
    ("get", "/v1/views/persona/document"),
    ("post", "/v1/views/persona/validate"),
    ("post", "/v1/views/persona/import"),
    ("post", "/v1/views/safety/memories"),
    ("post", "/v1/views/safety/format"),
    ("post", "/v1/views/safety/detect-secrets"),
    ("post", "/v1/views/safety/delete"),
    ("get", "/v1/views/safety/audit"),
    ("get", "/v1/views/governance/records/{memory_id}"),
    ("post", "/v1/views/governance/promote_scope"),
    ("post", "/v1/views/governance/transition"),
    ("post", "/v1/views/governance/resolve"),
    ("get", "/v1/views/governance/reads"),
    ("get", "/v1/purposes"),
    ("put", "/v1/purposes"),
    ("get", "/v1/holds"),
    ("get", "/v1/admin/holds"),
    ("post", "/v1/admin/holds"),
    ("post", "/v1/admin/holds/{hold}/confirm"),
    ("post", "/v1/admin/holds/{hold}/end"),
];

fn each_reference(value: &Value, visit: &mut impl FnMut(&str)) {
    match value {
        Value::Object(map) => {
            if let Some(target) = map.get("$ref").and_then(Value::as_str) {
                visit(target);
            }
            map.values().for_each(|value| each_reference(value, visit));
        }
        Value::Array(items) => items.iter().for_each(|value| each_reference(value, visit)),
        _ => {}
    }
}

#[test]
fn the_description_is_whole() {
    let home = Home::new();
    let api = home.serve(&[]).get("/openapi.json").expect(200);
    assert!(api["openapi"].as_str().unwrap().starts_with("3.1"));
    assert_eq!(api["info"]["license"]["identifier"], "Apache-2.0");
    let mut references = 0;
    each_reference(&api, &mut |target| {
        references += 1;
        let pointer = target.strip_prefix('#').expect("every reference stays inside");
        assert!(api.pointer(pointer).is_some(), "{target} leads nowhere");
    });
    assert!(references > 50, "only {references} references");

    let only_required = |name: &str| api["components"]["schemas"][name]["required"].clone();
    assert_eq!(only_required("RememberRequest"), serde_json::json!(["content"]));
    assert_eq!(only_required("SearchRequest"), serde_json::json!(["query"]));
    let mut operations = BTreeSet::new();
    for (path, item) in api["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(operations.insert(id.to_owned()), "{id} names two operations");
            assert!(operation["summary"].is_string() && operation["tags"].is_array(), "{method} {path}");
            for (status, response) in operation["responses"].as_object().unwrap() {
                let described = response["description"].as_str().is_some_and(|text| !text.is_empty());
                assert!(described, "{method} {path} {status} is not described");
            }
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            let in_path = parameters.iter().filter(|parameter| parameter["in"] == "path").count();
            assert_eq!(in_path, path.matches('{').count(), "{method} {path}");
            for parameter in parameters.iter().filter(|parameter| parameter["in"] == "query") {
                assert_eq!(parameter["required"], false, "{method} {path} {}", parameter["name"]);
            }
        }
    }
    for (name, schema) in api["components"]["schemas"].as_object().unwrap() {
        let is_request = name.ends_with("Request") || name == "RememberBatch" || name == "Decision";
        if is_request {
            assert_eq!(schema["additionalProperties"], false, "{name} says that it takes unknown fields");
        }
    }
}

#[test]
fn the_description_and_the_router_know_the_same_routes() {
    let home = Home::new();
    let server = home.serve(&[]);
    let api = server.get("/openapi.json").expect(200);
    let described: BTreeSet<(String, String)> = api["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, item)| {
            item.as_object().unwrap().keys().map(|method| (method.clone(), path.clone()))
        })
        .collect();
    let known = ROUTES.iter().map(|(method, path)| ((*method).to_owned(), (*path).to_owned())).collect();
    assert_eq!(described, known);
    for (method, path) in ROUTES {
        let variable = [
            "{memory_id}",
            "{token_id}",
            "{export_token}",
            "{team}",
            "{deployment}",
            "{user}",
            "{atom_id}",
            "{hold}",
            "{path}",
        ];
        let path = variable.iter().fold(path.to_owned(), |path, part| path.replace(part, "x"));
        let answer = server.send(&method.to_uppercase(), &path, &[], b"");
        let code = if answer.status == 404 { answer.json()["code"].clone() } else { Value::Null };
        assert!(answer.status != 405 && code != "unknown_route", "{method} {path}: {}", answer.text());
    }
}

/// Every answer of the story fits what the description promises: no field that it does not name.
#[test]
fn answers_have_the_fields_that_the_description_names() {
    let home = Home::new();
    let server = home.serve(&[]);
    let api = server.get("/openapi.json").expect(200);
    let stored = server.post("/v1/memories", &serde_json::json!({"content": "x"})).expect(201);
    let path = format!("/v1/memories/{}", stored["memory_id"].as_str().unwrap());
    let cases = [
        ("Remembered", stored.clone()),
        ("Memory", server.get(&path).expect(200)),
        ("MemoryPage", server.get("/v1/memories").expect(200)),
        ("SearchResponse", server.post("/v1/search", &serde_json::json!({"query": "x"})).expect(200)),
        ("AuditVerified", server.get("/v1/audit/verify").expect(200)),
        ("AuditReport", server.get("/v1/audit/report").expect(200)),
        ("Problem", server.get("/v1/memories/7").expect(422)),
        ("Forgotten", server.delete(&path).expect(200)),
    ];
    for (name, answer) in cases {
        let mut named = BTreeSet::new();
        collect_properties(&api, &api["components"]["schemas"][name], &mut named);
        for field in answer.as_object().unwrap().keys() {
            assert!(named.contains(field), "{name} does not name {field}");
        }
    }
}

fn collect_properties(api: &Value, schema: &Value, named: &mut BTreeSet<String>) {
    if let Some(target) = schema["$ref"].as_str() {
        collect_properties(api, api.pointer(&target[1..]).unwrap(), named);
    }
    if let Some(properties) = schema["properties"].as_object() {
        named.extend(properties.keys().cloned());
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        collect_properties(api, part, named);
    }
}

/// Every operation shows what to send and what comes back, and that fits what its schemas say.
#[test]
fn every_operation_has_an_example_that_fits_its_schema() {
    let home = Home::new();
    let api = home.serve(&[]).get("/openapi.json").expect(200);
    for (path, item) in api["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let what = format!("{method} {path}");
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                assert!(parameter["in"] != "path" || parameter["example"].is_string(), "{what} {parameter}");
            }
            let bodies = operation["responses"].as_object().unwrap().iter();
            let answers = bodies.filter(|(status, _)| status.starts_with('2')).map(|(_, answer)| answer);
            for body in answers.chain([&operation["requestBody"]]) {
                for (kind, form) in body["content"].as_object().into_iter().flatten() {
                    let example = &form["example"];
                    // A file to import has no schema of ours, and may be of many programs.
                    assert!(!example.is_null() || path == "/v1/import", "{what} has no example of {kind}");
                    if kind == "application/json" && !example.is_null() {
                        fits(&api, &form["schema"], example, &what);
                    }
                }
            }
        }
    }
}

/// As much of JSON Schema as the description uses.
fn fits(api: &Value, schema: &Value, value: &Value, what: &str) {
    if let Some(target) = schema["$ref"].as_str() {
        return fits(api, api.pointer(&target[1..]).unwrap(), value, what);
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        fits(api, part, value, what);
    }
    if let Some(words) = schema["enum"].as_array() {
        assert!(value.is_null() || words.contains(value), "{what}: {value} is none of {words:?}");
    }
    let mut named = BTreeSet::new();
    collect_properties(api, schema, &mut named);
    if let (Some(fields), false, false) = (value.as_object(), named.is_empty(), schema["allOf"].is_array()) {
        for required in schema["required"].as_array().into_iter().flatten() {
            assert!(
                fields.contains_key(required.as_str().unwrap()),
                "{what}: {required} is missing in {value}"
            );
        }
        for (name, field) in fields {
            let property = &schema["properties"][name];
            if !property.is_null() {
                fits(api, property, field, &format!("{what}.{name}"));
            } else if schema["additionalProperties"] == false {
                panic!("{what}: {name} is no field");
            }
        }
    }
    for item in value.as_array().into_iter().flatten() {
        fits(api, &schema["items"], item, &format!("{what}[]"));
    }
}

#[test]
fn the_page_is_whole_and_loads_nothing() {
    let home = Home::new();
    let server = home.serve(&[]);
    let answer = server.get("/docs/api");
    assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
    let policy = answer.header("content-security-policy").unwrap().to_owned();
    assert!(
        policy.starts_with("default-src 'none'; script-src 'sha256-") && !policy.contains("unsafe"),
        "{policy}"
    );
    let page = answer.text();
    for outward in ["src=", "<link", "@import", "url(", "http://", "fetch(", "innerHTML"] {
        let own = page.split("id=\"description\">").next().unwrap().to_owned()
            + page.rsplit("</script>\n<script>").next().unwrap();
        assert!(!own.contains(outward), "the page has {outward}");
    }
    let description = page.split("id=\"description\">").nth(1).unwrap().split("</script>").next().unwrap();
    let embedded: Value = serde_json::from_str(description).unwrap();
    assert_eq!(embedded, server.get("/openapi.json").expect(200));
    assert!(!description.contains('<'), "nothing in it can end the script");
}
