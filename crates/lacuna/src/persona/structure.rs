//! The structure of a document, read against `persona.schema.json`. Only the keywords that the schema uses are known, and
//! an unknown one stops the program in its tests: nothing is passed over in silence.

use serde_json::{Map, Value};

use super::{PersonaFault, SCHEMA};

/// Faults that one check reports.
const FAULTS_MAX: usize = 100;

/// Checks a document against the schema.
pub(super) fn check(document: &Value) -> Vec<PersonaFault> {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let mut faults = Vec::new();
    Checker { root: &schema, faults: &mut faults }.check(&schema, document, "");
    faults.truncate(FAULTS_MAX);
    faults
}

struct Checker<'a> {
    root: &'a Value,
    faults: &'a mut Vec<PersonaFault>,
}

impl Checker<'_> {
    fn fault(&mut self, path: &str, message: impl Into<String>) {
        let path = if path.is_empty() { "document" } else { path };
        self.faults.push(PersonaFault::new(path, message));
    }

    fn check(&mut self, schema: &Value, value: &Value, path: &str) {
        if self.faults.len() >= FAULTS_MAX {
            return;
        }
        for (keyword, rule) in schema.as_object().into_iter().flatten() {
            match keyword.as_str() {
                "$ref" => {
                    let target = rule.as_str().and_then(|name| self.root.pointer(&name[1..]));
                    let target = target.expect("every reference of the schema leads somewhere").clone();
                    self.check(&target, value, path);
                }
                "type" => self.check_type(rule, value, path),
                "const" if rule != value => self.fault(path, format!("must be {rule}")),
                "enum" if !rule.as_array().is_some_and(|words| words.contains(value)) => {
                    self.fault(path, format!("must be one of {rule}"));
                }
                "minimum" | "maximum" | "exclusiveMinimum" => self.check_number(keyword, rule, value, path),
                "minLength" | "maxLength" | "pattern" => self.check_text(keyword, rule, value, path),
                "maxItems" => {
                    if value.as_array().is_some_and(|items| items.len() as u64 > whole(rule)) {
                        self.fault(path, format!("must have at most {rule} items"));
                    }
                }
                "items" => {
                    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(rule, item, &format!("{path}[{number}]"));
                    }
                }
                "required" => self.check_required(rule, value, path),
                "properties" => self.check_properties(rule, value, path),
                "additionalProperties" => self.check_unknown(schema, value, path),
                "const" | "enum" | "$schema" | "$defs" | "title" => {}
                other => unreachable!("the schema uses {other}, which nothing checks"),
            }
        }
    }

    fn check_type(&mut self, rule: &Value, value: &Value, path: &str) {
        let fits = |name: &str| match name {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "number" => value.is_number(),
            "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            _ => value.is_null(),
        };
        let names: Vec<&str> = match rule {
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
            one => one.as_str().into_iter().collect(),
        };
        if !names.iter().any(|name| fits(name)) {
            self.fault(path, format!("must be of type {}", names.join(" or ")));
        }
    }

    fn check_number(&mut self, keyword: &str, rule: &Value, value: &Value, path: &str) {
        let (Some(number), Some(bound)) = (value.as_f64(), rule.as_f64()) else { return };
        let (holds, word) = match keyword {
            "minimum" => (number >= bound, "at least"),
            "maximum" => (number <= bound, "at most"),
            _ => (number > bound, "above"),
        };
        if !holds {
            self.fault(path, format!("must be {word} {rule}"));
        }
    }

    fn check_text(&mut self, keyword: &str, rule: &Value, value: &Value, path: &str) {
        let Some(text) = value.as_str() else { return };
        let length = text.chars().count() as u64;
        match keyword {
            "minLength" if length < whole(rule) => self.fault(path, "must not be empty"),
            "maxLength" if length > whole(rule) => {
                self.fault(path, format!("must have at most {rule} characters"));
            }
            "pattern" => {
                let (holds, form) = pattern(rule.as_str().unwrap_or_default(), text);
                if !holds {
                    self.fault(path, format!("must be {form}"));
                }
            }
            _ => {}
        }
    }

    fn check_required(&mut self, rule: &Value, value: &Value, path: &str) {
        let Some(fields) = value.as_object() else { return };
        for name in rule.as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                self.fault(&joined(path, name), "is missing");
            }
        }
    }

    fn check_properties(&mut self, rule: &Value, value: &Value, path: &str) {
        let Some(fields) = value.as_object() else { return };
        for (name, property) in rule.as_object().into_iter().flatten() {
            if let Some(field) = fields.get(name) {
                self.check(property, field, &joined(path, name));
            }
        }
    }

    fn check_unknown(&mut self, schema: &Value, value: &Value, path: &str) {
        let known = schema["properties"].as_object();
        let names = value.as_object().into_iter().flat_map(Map::keys);
        let unknown: Vec<&String> =
            names.filter(|name| !known.is_some_and(|known| known.contains_key(*name))).collect();
        for name in unknown {
            self.fault(&joined(path, name), "is not a field of the schema");
        }
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn whole(rule: &Value) -> u64 {
    rule.as_u64().expect("the schema counts in whole numbers")
}

/// The three patterns of the schema: whether a text has the form, and the form in words.
fn pattern(pattern: &str, text: &str) -> (bool, &'static str) {
    let (holds, form): (fn(&str) -> bool, _) = match pattern {
        "^mem:[0-9a-f]{12}$" => (is_atom_id, "mem: and 12 hex digits"),
        "^did:[a-z0-9]+:.+$" => (is_did, "a DID, such as did:web:example.org"),
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?Z$" => {
            (is_moment, "a time such as 2026-04-22T14:18:42Z")
        }
        other => unreachable!("the schema has the pattern {other}, which nothing checks"),
    };
    (holds(text), form)
}

fn is_atom_id(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.strip_prefix("mem:").is_some_and(|digits| digits.len() == 12 && digits.bytes().all(is_digit))
}

fn is_did(text: &str) -> bool {
    let method = text.strip_prefix("did:").and_then(|rest| rest.split_once(':'));
    let is_method = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    method.is_some_and(|(method, id)| {
        !method.is_empty() && method.bytes().all(is_method) && !id.is_empty() && !id.contains('\n')
    })
}

fn is_moment(text: &str) -> bool {
    let Some(rest) = text.strip_suffix('Z') else { return false };
    let (whole, fraction) = rest.split_once('.').map_or((rest, None), |(whole, part)| (whole, Some(part)));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let form = |(byte, sign): (u8, u8)| if sign == b'0' { byte.is_ascii_digit() } else { byte == sign };
    whole.len() == "0000-00-00T00:00:00".len()
        && whole.bytes().zip(*b"0000-00-00T00:00:00").all(form)
        && fraction.is_none_or(|part| digits(part) && part.len() <= 9)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whatever_is_no_document_gets_a_fault_with_its_path() {
        for (document, path) in [
            (json!([]), "document"),
            (json!({}), "identity"),
            (json!({"identity": {"version": "v.02"}, "memory": {}, "memoryPolicy": {}}), "identity.version"),
            (
                json!({"identity": {"version": "v.01"}, "memory": [{"id": "mem:1"}], "memoryPolicy": {}}),
                "memory[0].id",
            ),
        ] {
            let faults = check(&document);
            assert!(faults.iter().any(|fault| fault.path == path), "{document}: {faults:?}");
        }
    }

    #[test]
    fn the_patterns_are_those_of_the_schema() {
        for good in ["2026-04-22T14:18:42Z", "2026-04-22T14:18:42.123456789Z"] {
            assert!(is_moment(good), "{good}");
        }
        for bad in
            ["2026-04-22", "2026-04-22T14:18:42", "2026-04-22T14:18:42.Z", "2026-04-22T14:18:42.1234567890Z"]
        {
            assert!(!is_moment(bad), "{bad}");
        }
        assert!(is_atom_id("mem:7f3a8b2c0d3e") && !is_atom_id("mem:7F3a8b2c0d3e") && !is_atom_id("mem:7f"));
        assert!(is_did("did:gosum:marriott:x") && !is_did("did::x") && !is_did("did:web:"));
    }
}
