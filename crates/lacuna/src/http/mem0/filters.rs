//! The filters of mem0's clients, as conditions on records.

use lacuna_core::read::Condition;
use serde_json::{Map, Value, json};

use crate::wire::failure::{Failure, Result};
use crate::wire::read_condition;

/// Fields that name the owner of a memory.
pub(super) const ENTITIES: [&str; 4] = ["user_id", "agent_id", "app_id", "run_id"];
const OPERATORS: [&str; 10] = ["in", "nin", "gte", "lte", "gt", "lt", "ne", "eq", "contains", "icontains"];
/// Depth to which filters may be nested.
const DEPTH_MAX: usize = 12;

/// The condition of a call: its filters, and the entities that stand beside them.
pub(super) fn condition(fields: &Map<String, Value>) -> Result<Option<Condition>> {
    let mut all = Vec::new();
    if let Some(filters) = fields.get("filters").filter(|filters| !filters.is_null()) {
        all.push(translated(filters, DEPTH_MAX)?);
    }
    for name in ENTITIES {
        match fields.get(name) {
            None | Some(Value::Null) => {}
            Some(value) => all.push(json!({name: wanted(value)})),
        }
    }
    if let Some(metadata) = fields.get("metadata").filter(|metadata| metadata.is_object()) {
        all.push(json!({"metadata": translated(metadata, DEPTH_MAX)?}));
    }
    match all.is_empty() {
        true => Ok(None),
        false => read_condition("filters", Some(&json!({"AND": all}))),
    }
}

/// The entities that a call names for a new memory, on top or in its filters.
pub(super) fn entities(fields: &Map<String, Value>) -> Map<String, Value> {
    let mut found = Map::new();
    let filters = fields.get("filters");
    let listed = filters.and_then(|filters| filters.get("AND")).and_then(Value::as_array);
    let places = listed.into_iter().flatten().chain(filters).filter_map(Value::as_object).chain([fields]);
    for place in places {
        for name in ENTITIES {
            if let Some(value @ Value::String(text)) = place.get(name)
                && !text.is_empty()
            {
                found.insert(name.to_owned(), value.clone());
            }
        }
    }
    found
}

fn translated(filters: &Value, depth: usize) -> Result<Value> {
    let fields = filters.as_object().ok_or_else(|| Failure::invalid("filters", "must be an object"))?;
    let depth = depth.checked_sub(1).ok_or_else(|| Failure::invalid("filters", "is nested too deeply"))?;
    let mut all = Map::new();
    for (name, value) in fields {
        let (name, value) = match (name.as_str(), value) {
            ("AND" | "OR" | "NOT", Value::Array(items)) => {
                let items = items.iter().map(|item| translated(item, depth)).collect::<Result<Vec<_>>>()?;
                (name.as_str(), Value::Array(items))
            }
            ("NOT", one) => ("NOT", translated(one, depth)?),
            ("memory_ids", ids) => ("key", json!({"$in": ids})),
            ("metadata", Value::Object(_)) => ("metadata", translated(value, depth)?),
            (name, value) => (name, wanted(value)),
        };
        all.insert(name.to_owned(), value);
    }
    Ok(Value::Object(all))
}

/// A demand on one field: `*` is any value, and operators are written without a sign.
fn wanted(value: &Value) -> Value {
    match value {
        Value::String(any) if any == "*" => json!({"$exists": true}),
        Value::Object(fields)
            if !fields.is_empty() && fields.keys().all(|name| OPERATORS.contains(&name.as_str())) =>
        {
            fields.iter().map(|(name, value)| (format!("${name}"), value.clone())).collect()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(fields: Value, object: Value) -> bool {
        let condition = condition(fields.as_object().unwrap()).unwrap();
        condition.is_none_or(|condition| condition.holds(object.as_object().unwrap()))
    }

    #[test]
    fn filters_mean_what_the_clients_mean() {
        let object = json!({"user_id": "ava", "run_id": "r1", "created_at": "2026-04-12T09:15:00Z", "key": "k1",
            "metadata": {"topic": "Travel plans", "level": 3}});
        let met = [
            json!({}),
            json!({"filters": {"user_id": "ava"}}),
            json!({"user_id": "ava", "run_id": "r1"}),
            json!({"filters": {"AND": [{"user_id": "ava"}, {"run_id": "*"}]}}),
            json!({"filters": {"OR": [{"user_id": "ben"}, {"metadata": {"level": {"gte": 3}}}]}}),
            json!({"filters": {"NOT": [{"user_id": "ben"}]}}),
            json!({"filters": {"user_id": {"in": ["ava", "ben"]}}}),
            json!({"filters": {"created_at": {"gte": "2026-04-01", "lt": "2026-05-01"}}}),
            json!({"filters": {"metadata": {"topic": {"icontains": "travel"}}}}),
            json!({"filters": {"memory_ids": ["k1"]}}),
            json!({"metadata": {"level": 3}}),
        ];
        for fields in met {
            assert!(holds(fields.clone(), object.clone()), "{fields}");
        }
        let missed = [
            json!({"filters": {"user_id": "ben"}}),
            json!({"filters": {"agent_id": "*"}}),
            json!({"filters": {"metadata": {"level": {"gt": 3}}}}),
            json!({"user_id": "ava", "filters": {"run_id": {"ne": "r1"}}}),
        ];
        for fields in missed {
            assert!(!holds(fields.clone(), object.clone()), "{fields}");
        }
        assert!(condition(json!({"filters": 7}).as_object().unwrap()).is_err());
    }
}
