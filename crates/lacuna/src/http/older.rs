//! The description in the words of OpenAPI 3.0, for generators that read no newer one. It describes the same calls.

use serde_json::{Map, Value, json};

/// The version that these words are of.
const VERSION: &str = "3.0.3";

/// Rewrites a description of OpenAPI 3.1.
pub(super) fn rewritten(api: &Value) -> Value {
    let mut api = api.clone();
    older(&mut api);
    api["openapi"] = VERSION.into();
    if let Some(license) = api.pointer_mut("/info/license").and_then(Value::as_object_mut) {
        license.remove("identifier");
    }
    let paths = api.get_mut("paths").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut);
    for operation in paths.filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        bodies(operation);
    }
    api
}

fn older(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(older);
            nullable_type(fields);
            nullable_choice(fields);
            exclusive(fields, "exclusiveMinimum", "minimum");
            exclusive(fields, "exclusiveMaximum", "maximum");
            // Names that a map may have; a field of this name would be an object without a type.
            if fields.get("propertyNames").is_some_and(|names| names.get("type").is_some())
                && fields.contains_key("additionalProperties")
            {
                fields.remove("propertyNames");
            }
        }
        Value::Array(items) => items.iter_mut().for_each(older),
        _ => {}
    }
}

/// `type: [string, null]` is a string that may be null.
fn nullable_type(fields: &mut Map<String, Value>) {
    let Some(Value::Array(types)) = fields.get("type") else { return };
    let named: Vec<Value> = types.iter().filter(|one| **one != "null").cloned().collect();
    if let [only] = named.as_slice() {
        fields.insert("type".into(), only.clone());
        fields.insert("nullable".into(), true.into());
    }
}

/// A choice between null and something is that thing, which may be null.
fn nullable_choice(fields: &mut Map<String, Value>) {
    let is_null = |one: &Value| one.get("type").is_some_and(|kind| kind == "null");
    let Some(Value::Array(choice)) = fields.get("oneOf") else { return };
    if !choice.iter().any(is_null) {
        return;
    }
    let left: Vec<Value> = choice.iter().filter(|one| !is_null(one)).cloned().collect();
    fields.remove("oneOf");
    fields.insert(if left.len() == 1 { "allOf" } else { "oneOf" }.into(), left.into());
    fields.insert("nullable".into(), true.into());
}

/// A bound that is not reached was a bound with a mark beside it.
fn exclusive(fields: &mut Map<String, Value>, word: &str, bound: &str) {
    if let Some(limit) = fields.get(word).filter(|limit| limit.is_number()).cloned() {
        fields.insert(bound.into(), limit);
        fields.insert(word.into(), true.into());
    }
}

/// Problems are JSON, which readers of 3.0 know by one name only; a file is a string of bytes. A parameter is absent or
/// has a value, and is never null.
fn bodies(operation: &mut Value) {
    let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten();
    for schema in parameters.filter_map(|one| one.get_mut("schema")).filter_map(Value::as_object_mut) {
        schema.remove("nullable");
    }
    let answers = operation.get_mut("responses").and_then(Value::as_object_mut).into_iter();
    for answer in answers.flat_map(Map::values_mut) {
        let Some(content) = answer.get_mut("content").and_then(Value::as_object_mut) else { continue };
        if let Some(problem) = content.remove("application/problem+json") {
            content.insert("application/json".into(), problem);
        }
    }
    if let Some(file) = operation.pointer_mut("/requestBody/content/application~1octet-stream") {
        file["schema"] = json!({"type": "string", "format": "binary"});
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_words_become_older_ones() {
        let api = json!({
            "openapi": "3.1.0",
            "info": {"license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}},
            "paths": {"/x": {"post": {
                "parameters": [{"name": "q", "in": "query", "schema": {"type": ["string", "null"]}}],
                "requestBody": {"content": {"application/octet-stream": {"schema": {"type": "string"}}}},
                "responses": {"404": {"content": {"application/problem+json": {"schema": {}}}}},
            }}},
            "components": {"schemas": {"A": {"properties": {
                "text": {"type": ["string", "null"], "maxLength": 7},
                "one": {"oneOf": [{"type": "null"}, {"$ref": "#/components/schemas/B"}]},
                "two": {"oneOf": [{"type": "null"}, {"type": "string"}, {"type": "integer"}]},
                "above": {"type": "number", "exclusiveMinimum": 0},
                "map": {"type": "object", "additionalProperties": {}, "propertyNames": {"type": "string"}},
            }}}},
        });
        let older = rewritten(&api);
        assert_eq!(
            (&older["openapi"], &older["info"]["license"]),
            (&json!("3.0.3"), &json!({"name": "Apache-2.0"}))
        );
        assert_eq!(
            older["components"]["schemas"]["A"]["properties"],
            json!({
                "text": {"type": "string", "nullable": true, "maxLength": 7},
                "one": {"allOf": [{"$ref": "#/components/schemas/B"}], "nullable": true},
                "two": {"oneOf": [{"type": "string"}, {"type": "integer"}], "nullable": true},
                "above": {"type": "number", "minimum": 0, "exclusiveMinimum": true},
                "map": {"type": "object", "additionalProperties": {}},
            })
        );
        let call = &older["paths"]["/x"]["post"];
        assert_eq!(call["requestBody"]["content"]["application/octet-stream"]["schema"]["format"], "binary");
        assert!(call["responses"]["404"]["content"]["application/json"].is_object());
        assert_eq!(call["parameters"][0]["schema"], json!({"type": "string"}));
    }
}
