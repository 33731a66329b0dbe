//! Patterns of names and ids, added to the description wherever they occur: a client that follows them is never
//! refused for a spelling.

use serde_json::{Map, Value};

/// Names begin and end with something that can be seen.
const NAME: &str = r"[^\s\u0000-\u001f\u007f](.{0,126}[^\s\u0000-\u001f\u007f])?";
const MEMORY_ID: &str = "^mem_[0-9a-fA-F]{32}$";
const TOKEN_ID: &str = r"^tok_[+0-9a-fA-F][0-9a-fA-F]{31}$";

/// The pattern of a field or parameter of this name. It is never narrower than the accepted input.
fn pattern(name: &str) -> Option<String> {
    match name {
        "memory_id" => Some(MEMORY_ID.to_owned()),
        "token_id" => Some(TOKEN_ID.to_owned()),
        "scope" | "to" => Some(format!("^(user|org|(user|team|deployment):{NAME})$")),
        "team" | "deployment" | "user" => Some(format!("^{NAME}$")),
        _ => None,
    }
}

/// The words that a parameter takes, for parameters that are read as text.
fn words(name: &str) -> Option<&'static [&'static str]> {
    match name {
        "duplicates" => Some(&["merge", "refuse"]),
        _ => None,
    }
}

/// Adds the shapes to a description.
pub(super) fn add(api: &mut Value) {
    unsigned(api);
    let schemas = api.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
    // Answers of the server need no pattern: no client has to spell them.
    let requests =
        schemas.into_iter().flatten().filter(|(_, schema)| schema.get("additionalProperties").is_some());
    for (_, schema) in requests {
        shape_properties(schema);
    }
    let paths = api.get_mut("paths").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut);
    let operations = paths.filter_map(Value::as_object_mut).flat_map(Map::values_mut);
    for operation in operations {
        let listed = operation.get_mut("parameters").and_then(Value::as_array_mut);
        for parameter in listed.into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap_or_default().to_owned();
            if let Some(schema) = parameter.get_mut("schema") {
                shape(&name, schema);
            }
        }
    }
}

/// Gives numbers that are never negative an unsigned format, which reaches twice as far.
fn unsigned(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            let format = match fields.get("format").and_then(Value::as_str) {
                Some("int32") => Some("uint32"),
                Some("int64") => Some("uint64"),
                _ => None,
            };
            if let (Some(format), Some(0)) = (format, fields.get("minimum").and_then(Value::as_u64)) {
                fields.insert("format".to_owned(), format.into());
            }
            fields.values_mut().for_each(unsigned);
        }
        Value::Array(items) => items.iter_mut().for_each(unsigned),
        _ => {}
    }
}

fn shape_properties(schema: &mut Value) {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        shape(name, property);
        if matches!(name.as_str(), "memory_ids" | "ids")
            && let Some(items) = property.get_mut("items")
        {
            shape("memory_id", items);
        }
    }
}

fn shape(name: &str, schema: &mut Value) {
    let is_text = match schema.get("type") {
        Some(Value::String(kind)) => kind == "string",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "string"),
        _ => false,
    };
    if !is_text {
        return;
    }
    if let Some(pattern) = pattern(name) {
        schema["pattern"] = pattern.into();
    }
    if let Some(words) = words(name) {
        schema["enum"] = words.iter().copied().collect();
    }
}
