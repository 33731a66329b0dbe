//! JSON that callers send: parsed strictly, with the field at fault and without the value in what is said of it.

use serde::de::DeserializeOwned;

use crate::codes;
use crate::wire::failure::{Failure, Result};

/// Characters of a parser's message; the rest is cut, because it may repeat the input.
const MESSAGE_CHARS_MAX: usize = 300;

/// Parses JSON and names the field at fault.
pub(crate) fn read_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let reason = format!("the JSON is not UTF-8 from byte {} on", error.valid_up_to());
        Failure::new(&codes::INVALID_UTF8, reason)
    })?;
    // A list would be read as the fields in their order, which nobody means.
    if text.trim_start().starts_with('[') {
        return Err(Failure::new(&codes::INVALID, "expected a JSON object"));
    }
    let mut parser = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut parser).map_err(|error| {
        let path = error.path().to_string();
        explain(&path, error.inner())
    })?;
    parser.end().map_err(|error| explain(".", &error))?;
    Ok(value)
}

fn explain(path: &str, error: &serde_json::Error) -> Failure {
    let message = without_input(&error.to_string());
    if !error.is_data() {
        return Failure::new(&codes::MALFORMED_JSON, message);
    }
    match path {
        "." => Failure { field: unknown_field(&message), ..Failure::new(&codes::INVALID, message) },
        field => Failure::invalid(field, message),
    }
}

/// The field that a message about the whole object names in back ticks.
fn unknown_field(message: &str) -> Option<String> {
    let (_, rest) = message.split_once('`')?;
    rest.split_once('`').map(|(field, _)| field.to_owned())
}

/// The parser's message, without the value that it repeats and without its position, cut to a bound.
pub(crate) fn without_input(message: &str) -> String {
    let message = message.split(" at line ").next().unwrap_or_default();
    let quotes =
        ["invalid type", "invalid value", "invalid length"].iter().any(|start| message.starts_with(start));
    let kept = match message.rfind("expected ") {
        Some(at) if quotes => &message[at..],
        _ => message,
    };
    kept.chars().take(MESSAGE_CHARS_MAX).collect()
}
