//! Shapes of the description that generators of clients understand: every variant of a union has a name and is one
//! object, and a tuple is a list with a fixed length.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

type Schemas = Map<String, Value>;

/// Brings a description into these shapes. It describes the same JSON as before.
pub(super) fn settle(api: &mut Value) {
    lists(api);
    let Some(schemas) = api.pointer_mut("/components/schemas").and_then(Value::as_object_mut) else { return };
    let unions: BTreeMap<String, Vec<Value>> =
        schemas.iter().filter_map(|(name, schema)| Some((name.clone(), variants(schema)?.clone()))).collect();
    let mut named = Schemas::new();
    for (name, schema) in schemas.iter() {
        if let Some((variants, rest)) = distributed(name, schema, &unions) {
            named.extend(union(schemas, name, schema, &variants, &rest));
        }
    }
    schemas.extend(named);
}

/// A tuple has `items: false`, which some generators cannot read.
fn lists(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if fields.get("items") == Some(&Value::Bool(false))
                && let Some(Value::Array(items)) = fields.remove("prefixItems")
            {
                fields.insert("minItems".into(), items.len().into());
                fields.insert("maxItems".into(), items.len().into());
                fields.insert("items".into(), items.into_iter().next().unwrap_or_default());
            }
            fields.values_mut().for_each(lists);
        }
        Value::Array(items) => items.iter_mut().for_each(lists),
        _ => {}
    }
}

/// The variants of a union of unnamed objects.
fn variants(schema: &Value) -> Option<&Vec<Value>> {
    let variants = schema.get("oneOf")?.as_array()?;
    let unnamed = |variant: &Value| variant.get("allOf").is_some() || variant.get("properties").is_some();
    variants.iter().all(unnamed).then_some(variants)
}

/// The variants of a union, or of an object that joins one with fields of its own, and those fields.
fn distributed(
    name: &str,
    schema: &Value,
    unions: &BTreeMap<String, Vec<Value>>,
) -> Option<(Vec<Value>, Vec<Value>)> {
    if let Some(variants) = unions.get(name) {
        return Some((variants.clone(), Vec::new()));
    }
    let parts = schema.get("allOf")?.as_array()?;
    let joined = parts.iter().find_map(|part| unions.get(referred(part)?))?;
    let rest = parts.iter().filter(|part| referred(part).is_none_or(|name| !unions.contains_key(name)));
    Some((joined.clone(), rest.cloned().collect()))
}

fn referred(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.rsplit('/').next()
}

/// The schemas of a union: one for each variant, and the choice between them.
fn union(schemas: &Schemas, name: &str, schema: &Value, variants: &[Value], rest: &[Value]) -> Schemas {
    let (mut named, mut choice, mut mapping) = (Schemas::new(), Vec::new(), Map::new());
    let mut tag = String::new();
    for variant in variants {
        let object = merged(schemas, std::iter::once(variant).chain(rest));
        let Some((field, word)) = told_apart(&object) else { return Schemas::new() };
        let own = format!("{name}{}", pascal(&word));
        let target = format!("#/components/schemas/{own}");
        choice.push(json!({"$ref": target}));
        mapping.insert(word, target.into());
        named.insert(own, object);
        tag = field;
    }
    let description = schema.get("description").cloned().unwrap_or_default();
    let whole = json!({
        "description": description,
        "oneOf": choice,
        "discriminator": {"propertyName": tag, "mapping": mapping},
    });
    named.insert(name.to_owned(), whole);
    named
}

/// One object with the fields of all parts.
fn merged<'v>(schemas: &'v Schemas, parts: impl Iterator<Item = &'v Value>) -> Value {
    let mut whole = json!({"type": "object", "properties": {}, "required": []});
    for part in parts {
        let part = referred(part).and_then(|name| schemas.get(name)).unwrap_or(part);
        let inner;
        let part = match part.get("allOf").and_then(Value::as_array) {
            Some(parts) => {
                inner = merged(schemas, parts.iter());
                &inner
            }
            None => part,
        };
        for (name, field) in part.get("properties").and_then(Value::as_object).into_iter().flatten() {
            whole["properties"][name] = field.clone();
        }
        for name in part.get("required").and_then(Value::as_array).into_iter().flatten() {
            if let Some(required) = whole["required"].as_array_mut().filter(|known| !known.contains(name)) {
                required.push(name.clone());
            }
        }
        for word in ["description", "additionalProperties"] {
            if let (Some(said), true) = (part.get(word), whole.get(word).is_none()) {
                whole[word] = said.clone();
            }
        }
    }
    whole
}

/// The field that has one value only, and that value.
fn told_apart(object: &Value) -> Option<(String, String)> {
    let fields = object.get("properties")?.as_object()?;
    fields.iter().find_map(|(name, field)| match field.get("enum")?.as_array()?.as_slice() {
        [Value::String(only)] => Some((name.clone(), only.clone())),
        _ => None,
    })
}

fn pascal(word: &str) -> String {
    let capital = |part: &str| {
        let mut letters = part.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>())
    };
    word.split('_').filter_map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unions_get_names_and_tuples_become_lists() {
        let tagged = |word: &str| json!({"properties": {"kind": {"enum": [word], "type": "string"}}, "required": ["kind"]});
        let mut api = json!({"components": {"schemas": {
            "Base": {"type": "object", "description": "Said.", "properties": {"a": {"type": "string"}}, "required": ["a"]},
            "One": {"description": "A choice.", "oneOf": [
                {"allOf": [{"$ref": "#/components/schemas/Base"}, tagged("first_one")]}, tagged("second")]},
            "More": {"allOf": [{"$ref": "#/components/schemas/One"}, {"properties": {"turn": {"type": "integer"}}}]},
            "Pair": {"type": "array", "items": false, "prefixItems": [{"type": "integer"}, {"type": "integer"}]},
        }}});
        settle(&mut api);
        let schemas = &api["components"]["schemas"];
        assert_eq!(schemas["OneFirstOne"]["required"], json!(["a", "kind"]));
        assert_eq!(schemas["One"]["oneOf"][1]["$ref"], "#/components/schemas/OneSecond");
        assert_eq!(schemas["One"]["discriminator"]["mapping"]["second"], "#/components/schemas/OneSecond");
        assert_eq!(schemas["MoreFirstOne"]["properties"]["turn"]["type"], "integer");
        assert!(schemas["More"].get("allOf").is_none());
        assert_eq!(
            schemas["Pair"],
            json!({"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2})
        );
    }
}
