//! JSON that callers send: parsed strictly, with the field at fault and without the value in what is said of it.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

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

/// Reads a list of at most `MAX` items, and stops at the first beyond them: a body of many tiny items takes ten times
/// its bytes once it is read, and none of it would be used.
pub(crate) fn bounded_list<'de, const MAX: usize, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Vec<T>, D::Error> {
    deserializer.deserialize_seq(BoundedList::<T, MAX>(PhantomData))
}

struct BoundedList<T, const MAX: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for BoundedList<T, MAX> {
    type Value = Vec<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a list of at most {MAX} items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> std::result::Result<Vec<T>, A::Error> {
        let mut read = Vec::new();
        while let Some(item) = items.next_element()? {
            if read.len() == MAX {
                return Err(A::Error::custom(format!("at most {MAX} are accepted")));
            }
            read.push(item);
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::AppendRequest;

    fn refusal_of_turns(count: usize, end: &str) -> Option<Failure> {
        let turns = vec![r#"{"role":"user","text":"x"}"#; count].join(",");
        read_json::<AppendRequest>(format!(r#"{{"turns":[{turns}{end}"#).as_bytes()).err()
    }

    #[test]
    fn a_list_ends_the_reading_at_its_bound() {
        assert!(refusal_of_turns(1_000, "]}").is_none());
        let failure = refusal_of_turns(1_001, "]}").unwrap();
        assert_eq!((failure.code.name, failure.field.as_deref()), ("invalid", Some("turns")));
        assert_eq!(failure.detail, "turns: at most 1000 are accepted");
        // The rest is not looked at, not even whether it is JSON.
        assert_eq!(refusal_of_turns(1_001, "!").unwrap().code.name, "invalid");
        assert_eq!(refusal_of_turns(1_000, "!").unwrap().code.name, "malformed_json");
    }
}
