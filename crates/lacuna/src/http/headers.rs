//! The headers that many operations share, added to the description in one place.

use serde_json::{Map, Value, json};

use super::idempotency::takes_key;

/// Adds them to a description.
pub(super) fn add(api: &mut Value) {
    for (path, item) in api.get_mut("paths").and_then(Value::as_object_mut).into_iter().flatten() {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            let Some(operation) = operation.as_object_mut() else { continue };
            if is_personal(path) {
                parameter(operation, person());
            }
            match method.as_str() {
                "post" if takes_key(path) => parameter(operation, key()),
                "get" if answers_json(operation) && path.starts_with("/v1/") => {
                    parameter(operation, known());
                    let unchanged = json!({"description": "It is as `If-None-Match` names it."});
                    operation["responses"]["304"] = unchanged;
                }
                _ => {}
            }
        }
    }
}

/// A service may call it for a person: all but administration, and links that are their own token.
fn is_personal(path: &str) -> bool {
    let administration = ["/v1/admin/", "/v1/exports/{", "/v1/people/", "/v1/tokens", "/v1/users"];
    let others = ["/v1/teams/", "/v1/deployments/"];
    path.starts_with("/v1/") && !administration.iter().chain(&others).any(|start| path.starts_with(start))
}

fn person() -> Value {
    json!({
        "name": "Lacuna-User",
        "in": "header",
        "required": false,
        "description": "The person whom a token of the role `service` calls for; other tokens may name their own user only. Characters beyond ASCII are percent-encoded.",
        "schema": {"type": "string", "maxLength": 512},
    })
}

fn answers_json(operation: &Map<String, Value>) -> bool {
    // Each export is made anew, and has no tag.
    let tagged = operation.get("operationId").is_some_and(|id| id != "download_export");
    let answer = operation.get("responses").and_then(|responses| responses.get("200"));
    tagged && answer.and_then(|answer| answer.pointer("/content/application~1json")).is_some()
}

fn parameter(operation: &mut Map<String, Value>, parameter: Value) {
    let listed = operation.entry("parameters").or_insert_with(|| json!([]));
    if let Some(listed) = listed.as_array_mut() {
        listed.push(parameter);
    }
}

fn key() -> Value {
    json!({
        "name": "Idempotency-Key",
        "in": "header",
        "required": false,
        "description": "Sent again with the same request, it brings the first answer again, and nothing is done twice.",
        "schema": {"type": "string", "pattern": "^[!-~]{1,255}$"},
    })
}

fn known() -> Value {
    json!({
        "name": "If-None-Match",
        "in": "header",
        "required": false,
        "description": "The `ETag` of an earlier answer: 304 while nothing has changed.",
        "schema": {"type": "string"},
    })
}
