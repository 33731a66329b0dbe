//! Conditions on the fields that programs give to records and to other memories: `{"colour": "red"}`, `{"score": {"$gte": 4}}`, `{"OR": [..]}`.

use std::cmp::Ordering;
use std::collections::HashSet;

use jiff::Timestamp;
use lacuna_types::*;
use lacuna_types::{Error, Result};
use serde_json::{Map, Value};

use crate::index::Stored;
use crate::vault::open::{Held, OpenVault};

/// Depth to which conditions may be nested.
pub const CONDITION_DEPTH_MAX: usize = 16;
/// Comparisons in one condition.
pub const CONDITIONS_MAX: usize = 128;

/// A condition on a JSON object. No `Debug`: its values are words of somebody.
#[derive(PartialEq)]
pub enum Condition {
    /// Every one of them holds.
    All(Vec<Condition>),
    /// One of them holds.
    Any(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
    /// The field with this name meets a demand.
    Field(String, Demand),
}

/// A demand on one value.
#[derive(PartialEq)]
pub enum Demand {
    /// Equal; an object asks for the fields that it names.
    Equal(Value),
    /// Not equal. A missing field is not equal to anything.
    Unequal(Value),
    /// Compares as numbers, or as texts: of times, for example.
    Greater(Value),
    /// As above.
    AtLeast(Value),
    /// As above.
    Less(Value),
    /// As above.
    AtMost(Value),
    /// Equal to one of them.
    OneOf(Vec<Value>),
    /// Equal to none of them.
    NoneOf(Vec<Value>),
    /// A text holds this one, a list holds this item, an object has this field.
    Contains(Value),
    /// The same, whatever the case of letters.
    ContainsAnyCase(String),
    /// The field is there and not null.
    Exists(bool),
    /// Every one of them.
    Every(Vec<Demand>),
    /// The fields of an object meet conditions.
    Inside(Box<Condition>),
}

impl Condition {
    /// Reads a condition. An empty object holds for everything.
    pub fn read(value: &Value) -> Result<Self> {
        let mut left = CONDITIONS_MAX;
        read(value, CONDITION_DEPTH_MAX, &mut left)
    }

    /// Returns true when it holds for an object.
    pub fn holds(&self, object: &Map<String, Value>) -> bool {
        match self {
            Self::All(all) => all.iter().all(|one| one.holds(object)),
            Self::Any(any) => any.iter().any(|one| one.holds(object)),
            Self::Not(not) => !not.holds(object),
            Self::Field(name, demand) => demand.meets(field(object, name)),
        }
    }
}

/// The object that conditions on metadata look at.
pub(crate) fn described(stored: &Stored<'_, Held>) -> Map<String, Value> {
    let history = &stored.payload.facets.history;
    let fields = history.own_fields().map_or("{}", Plaintext::expose);
    let mut object = serde_json::from_str::<Map<String, Value>>(fields).unwrap_or_default();
    let at = |at: Option<Timestamp>| at.map_or(Value::Null, |at| at.to_string().into());
    let own = [
        ("created_at", at(from_millis(stored.attributes.created_at))),
        ("updated_at", at(Some(stored.payload.updated_at))),
        ("expires_at", at(stored.attributes.expires_at.and_then(from_millis))),
    ];
    let key = history.record.as_deref().map(|record| ("key", record.place.key.expose().into()));
    for (name, value) in own.into_iter().chain(key) {
        object.entry(name).or_insert(value);
    }
    object
}

/// The ids of the memories, other than records, that meet a condition.
pub(crate) fn meeting(open: &OpenVault, condition: &Condition) -> HashSet<MemoryId> {
    let met = open.index.each().filter(|stored| !stored.attributes.is_record && meets(stored, condition));
    met.map(|stored| stored.id).collect()
}

/// Returns true when the fields of a memory meet a condition.
pub(crate) fn meets(stored: &Stored<'_, Held>, condition: &Condition) -> bool {
    condition.holds(&described(stored))
}

/// The field of a name; `a.b` is the field `b` of `a`, unless there is a field of that very name.
fn field<'v>(object: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    if let Some(value) = object.get(name) {
        return Some(value);
    }
    let (first, rest) = name.split_once('.')?;
    field(object.get(first)?.as_object()?, rest)
}

fn invalid(reason: impl Into<String>) -> Error {
    Error::invalid("filter", reason)
}

fn read(value: &Value, depth: usize, left: &mut usize) -> Result<Condition> {
    let fields = value.as_object().ok_or_else(|| invalid("must be an object"))?;
    let depth = depth.checked_sub(1).ok_or_else(|| invalid("is nested too deeply"))?;
    let mut all = Vec::with_capacity(fields.len());
    for (name, value) in fields {
        *left = left
            .checked_sub(1)
            .ok_or_else(|| invalid(format!("at most {CONDITIONS_MAX} comparisons are accepted")))?;
        all.push(match name.as_str() {
            "AND" | "$and" => Condition::All(list(value, depth, left)?),
            "OR" | "$or" => Condition::Any(list(value, depth, left)?),
            // A list of conditions that must not hold: none of them may.
            "NOT" | "$not" => Condition::Not(Box::new(match value {
                Value::Array(_) => Condition::Any(list(value, depth, left)?),
                one => read(one, depth, left)?,
            })),
            name => Condition::Field(name.to_owned(), demand(value, depth, left)?),
        });
    }
    Ok(if all.len() == 1 { all.remove(0) } else { Condition::All(all) })
}

fn list(value: &Value, depth: usize, left: &mut usize) -> Result<Vec<Condition>> {
    let items = value.as_array().ok_or_else(|| invalid("AND and OR take a list of conditions"))?;
    items.iter().map(|item| read(item, depth, left)).collect()
}

fn demand(value: &Value, depth: usize, left: &mut usize) -> Result<Demand> {
    let Some(fields) = value.as_object() else { return Ok(Demand::Equal(value.clone())) };
    let is_operators = !fields.is_empty() && fields.keys().all(|name| is_operator(name));
    if !is_operators && fields.keys().any(|name| name.starts_with('$')) {
        return Err(invalid("an operator is not known, or stands beside a field"));
    }
    if !is_operators {
        return Ok(match fields.is_empty() {
            true => Demand::Equal(value.clone()),
            false => Demand::Inside(Box::new(read(value, depth, left)?)),
        });
    }
    let demands = fields.iter().map(|(name, value)| operator(name, value));
    let mut demands = demands.collect::<Result<Vec<_>>>()?;
    Ok(if demands.len() == 1 { demands.remove(0) } else { Demand::Every(demands) })
}

const OPERATORS: [&str; 11] =
    ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$contains", "$icontains", "$exists"];
/// Operators that may be written without their sign.
const BARE: [&str; 2] = ["in", "contains"];

fn is_operator(name: &str) -> bool {
    OPERATORS.contains(&name) || BARE.contains(&name)
}

fn operator(name: &str, value: &Value) -> Result<Demand> {
    let values = || value.as_array().cloned().ok_or_else(|| invalid(format!("{name} takes a list")));
    Ok(match name.trim_start_matches('$') {
        "eq" => Demand::Equal(value.clone()),
        "ne" => Demand::Unequal(value.clone()),
        "gt" => Demand::Greater(value.clone()),
        "gte" => Demand::AtLeast(value.clone()),
        "lt" => Demand::Less(value.clone()),
        "lte" => Demand::AtMost(value.clone()),
        "in" => Demand::OneOf(values()?),
        "nin" => Demand::NoneOf(values()?),
        "contains" => Demand::Contains(value.clone()),
        "icontains" => {
            let text = value.as_str().ok_or_else(|| invalid("$icontains takes a text"))?;
            Demand::ContainsAnyCase(text.to_lowercase())
        }
        _ => Demand::Exists(value.as_bool().ok_or_else(|| invalid("$exists takes true or false"))?),
    })
}

impl Demand {
    fn meets(&self, value: Option<&Value>) -> bool {
        let is = |wanted: &Value| value.unwrap_or(&Value::Null) == wanted || same_number(value, wanted);
        let ordered = |wanted: &Value| value.and_then(|value| compare(value, wanted));
        match self {
            Self::Equal(wanted) => is(wanted),
            Self::Unequal(wanted) => !is(wanted),
            Self::Greater(wanted) => ordered(wanted).is_some_and(Ordering::is_gt),
            Self::AtLeast(wanted) => ordered(wanted).is_some_and(Ordering::is_ge),
            Self::Less(wanted) => ordered(wanted).is_some_and(Ordering::is_lt),
            Self::AtMost(wanted) => ordered(wanted).is_some_and(Ordering::is_le),
            Self::OneOf(wanted) => wanted.iter().any(is),
            Self::NoneOf(wanted) => !wanted.iter().any(is),
            Self::Contains(wanted) => value.is_some_and(|value| contains(value, wanted)),
            Self::ContainsAnyCase(wanted) => value.is_some_and(|value| contains_any_case(value, wanted)),
            Self::Exists(wanted) => value.is_some_and(|value| !value.is_null()) == *wanted,
            Self::Every(all) => all.iter().all(|one| one.meets(value)),
            Self::Inside(condition) => {
                value.and_then(Value::as_object).is_some_and(|object| condition.holds(object))
            }
        }
    }
}

/// 1 and 1.0 are the same number.
fn same_number(value: Option<&Value>, wanted: &Value) -> bool {
    let number = value.and_then(Value::as_f64);
    number.is_some() && number == wanted.as_f64()
}

fn compare(value: &Value, wanted: &Value) -> Option<Ordering> {
    match (value, wanted) {
        (Value::String(value), Value::String(wanted)) => match (number(value), number(wanted)) {
            (Some(value), Some(wanted)) => value.partial_cmp(&wanted),
            _ => Some(value.as_str().cmp(wanted)),
        },
        _ => as_number(value)?.partial_cmp(&as_number(wanted)?),
    }
}

fn as_number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| number(value.as_str()?))
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

fn contains(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
        (Value::Array(items), wanted) => items.contains(wanted),
        (Value::Object(fields), Value::String(name)) => fields.contains_key(name),
        _ => false,
    }
}

fn contains_any_case(value: &Value, wanted: &str) -> bool {
    match value {
        Value::String(text) => text.to_lowercase().contains(wanted),
        Value::Array(items) => items.iter().any(|item| contains_any_case(item, wanted)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn holds(condition: Value) -> bool {
        let object = json!({"colour": "red", "score": 4.5, "n": 1, "tags": ["a", "b"], "at": "2026-02-03",
            "none": null, "deep": {"er": {"x": 7}, "list": [1, 2]}, "dotted.name": true});
        Condition::read(&condition).unwrap().holds(object.as_object().unwrap())
    }

    #[test]
    fn conditions_hold_as_they_say() {
        for condition in [
            json!({}),
            json!({"colour": "red"}),
            json!({"colour": {"$eq": "red"}, "score": {"$gt": 4, "$lt": 5}}),
            json!({"n": 1.0}),
            json!({"score": {"$gte": 4.5, "$lte": 4.5}}),
            json!({"missing": {"$ne": "x"}}),
            json!({"missing": null}),
            json!({"none": null}),
            json!({"colour": {"$in": ["blue", "red"]}}),
            json!({"colour": {"in": ["red"]}}),
            json!({"colour": {"$nin": ["blue"]}}),
            json!({"tags": {"contains": "a"}}),
            json!({"colour": {"$contains": "re"}}),
            json!({"colour": {"$icontains": "RE"}}),
            json!({"tags": {"$icontains": "B"}}),
            json!({"deep": {"$contains": "er"}}),
            json!({"at": {"$gte": "2026-01-01", "$lt": "2026-03-01"}}),
            json!({"deep": {"er": {"x": 7}}}),
            json!({"deep.er.x": 7}),
            json!({"dotted.name": true}),
            json!({"deep": {"list": [1, 2]}}),
            json!({"tags": ["a", "b"]}),
            json!({"OR": [{"colour": "blue"}, {"AND": [{"n": 1}, {"NOT": {"n": 2}}]}]}),
            json!({"NOT": [{"colour": "blue"}, {"n": 2}]}),
            json!({"missing": {"$exists": false}, "n": {"$exists": true}}),
        ] {
            assert!(holds(condition.clone()), "{condition}");
        }
        for condition in [
            json!({"colour": "blue"}),
            json!({"missing": {"$gt": 1}}),
            json!({"colour": {"$gt": 1}}),
            json!({"tags": ["a"]}),
            json!({"deep": {"er": {"x": 8}}}),
            json!({"NOT": [{"colour": "red"}, {"n": 2}]}),
            json!({"colour": {"$in": []}}),
            json!({"OR": []}),
            json!({"n": {}}),
        ] {
            assert!(!holds(condition.clone()), "{condition}");
        }
    }

    #[test]
    fn conditions_that_cannot_be_meant_are_refused() {
        let mut deep = json!({"a": 1});
        for _ in 0..CONDITION_DEPTH_MAX {
            deep = json!({"NOT": deep});
        }
        let wide = json!({"OR": (0..CONDITIONS_MAX + 1).map(|n| json!({"a": n})).collect::<Vec<_>>()});
        for bad in [
            json!(7),
            json!({"a": {"$near": 1}}),
            json!({"a": {"$gt": 1, "b": 2}}),
            json!({"OR": 1}),
            deep,
            wide,
        ] {
            let refused = Condition::read(&bad).err().map(|error| error.code());
            assert_eq!(refused, Some("invalid"), "{bad}");
        }
    }
}
