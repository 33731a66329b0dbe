//! JSON Schemas of the tools' arguments and answers, made from the wire types that HTTP describes as well.

use std::sync::Arc;

use rmcp::model::JsonObject;
use serde_json::{Map, Value};
use utoipa::ToSchema;

const OPENAPI_PLACE: &str = "#/components/schemas/";
const SCHEMA_PLACE: &str = "#/$defs/";

/// The schema of arguments or of an answer. An optional field is absent and never null: models read schemas too,
/// and not every client's dialect has a null.
pub(super) fn of<T: ToSchema>() -> Arc<JsonObject> {
    let mut schema = whole::<T>();
    schema.values_mut().for_each(without_null);
    Arc::new(schema)
}

fn whole<T: ToSchema>() -> JsonObject {
    let mut named = Vec::new();
    T::schemas(&mut named);
    let mut root = plain(&T::schema());
    let defs: Map<String, Value> =
        named.iter().map(|(name, schema)| (name.clone(), Value::Object(plain(schema)))).collect();
    if !defs.is_empty() {
        root.insert("$defs".to_owned(), Value::Object(defs));
    }
    root
}

fn plain(schema: &impl serde::Serialize) -> JsonObject {
    let mut value = serde_json::to_value(schema).expect("a schema is JSON");
    adapt(&mut value);
    match value {
        Value::Object(object) => object,
        _ => unreachable!("a schema is an object"),
    }
}

/// Points references into this schema, and replaces OpenAPI formats by those of JSON Schema.
fn adapt(value: &mut Value) {
    match value {
        Value::Object(object) => {
            let of_openapi = |format: &Value| format != "date-time";
            if object.get("format").is_some_and(of_openapi) && object.contains_key("type") {
                object.remove("format");
            }
            if let Some(Value::String(target)) = object.get_mut("$ref") {
                *target = target.replace(OPENAPI_PLACE, SCHEMA_PLACE);
            }
            object.values_mut().for_each(adapt);
        }
        Value::Array(items) => items.iter_mut().for_each(adapt),
        _ => {}
    }
}

fn without_null(value: &mut Value) {
    match value {
        Value::Object(object) => {
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|one| one != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    object.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(choices)) = object.get_mut("oneOf") {
                choices.retain(|one| one.get("type") != Some(&Value::from("null")));
                if let [Value::Object(only)] = choices.as_mut_slice() {
                    let only = std::mem::take(only);
                    object.remove("oneOf");
                    object.extend(only);
                }
            }
            object.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{ForgetRequest, SearchResponse};

    fn each(value: &Value, see: &mut impl FnMut(&Map<String, Value>)) {
        match value {
            Value::Object(object) => {
                see(object);
                object.values().for_each(|inner| each(inner, see));
            }
            Value::Array(items) => items.iter().for_each(|inner| each(inner, see)),
            _ => {}
        }
    }

    #[test]
    fn references_stay_inside_and_lead_somewhere() {
        let schema = Value::Object((*of::<SearchResponse>()).clone());
        assert_eq!(schema["type"], "object");
        let mut references = 0;
        each(&schema, &mut |object| {
            if let Some(target) = object.get("$ref").and_then(Value::as_str) {
                references += 1;
                let pointer = target.strip_prefix('#').expect("it stays inside");
                assert!(schema.pointer(pointer).is_some(), "{target} leads nowhere");
            }
        });
        assert!(references > 3, "only {references}");
    }

    #[test]
    fn arguments_are_not_offered_as_null() {
        let schema = Value::Object((*of::<ForgetRequest>()).clone());
        assert_eq!(schema["properties"]["words"]["type"], "string");
        each(&schema, &mut |object| {
            assert_ne!(object.get("type"), Some(&Value::from("null")), "{object:?}");
        });
    }
}
