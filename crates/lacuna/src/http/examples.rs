//! Examples for every operation of the description. They are answers that the server gave, kept in one file; a
//! test checks them against the schemas.

use serde_json::{Map, Value};

const EXAMPLES: &str = include_str!("examples.json");

/// Adds the examples to a description.
pub(super) fn add(api: &mut Value) {
    let examples: Value = serde_json::from_str(EXAMPLES).expect("the examples are JSON");
    let paths = api.get_mut("paths").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut);
    for operation in paths.filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        let named = operation["operationId"].as_str().map(|id| examples["operations"][id].clone());
        fill(operation, &named.unwrap_or_default(), &examples["parameters"]);
    }
}

fn fill(operation: &mut Value, example: &Value, parameters: &Value) {
    let listed = operation.get_mut("parameters").and_then(Value::as_array_mut);
    for parameter in listed.into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap_or_default().to_owned();
        if parameter["in"] == "path" && !parameters[&name].is_null() {
            parameter["example"] = parameters[&name].clone();
        }
    }
    let Some(operation) = operation.as_object_mut() else { return };
    if let Some(body) = operation.get_mut("requestBody") {
        set(body, &example["request"]);
    }
    let answers = operation.get_mut("responses").and_then(Value::as_object_mut).into_iter().flatten();
    for (_, answer) in answers.filter(|(status, _)| status.starts_with('2')) {
        set(answer, &example["answer"]);
    }
}

/// Gives the example to every form that a body may have.
fn set(body: &mut Value, example: &Value) {
    if example.is_null() {
        return;
    }
    let forms = body.get_mut("content").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut);
    forms.for_each(|form| form["example"] = example.clone());
}
