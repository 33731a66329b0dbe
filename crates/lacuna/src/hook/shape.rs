//! Fields of a host in whatever shape they come: a host may change how it writes one, and a field that is not
//! understood must not lose the rest.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The largest number that is a time in seconds, in milliseconds and in microseconds since the epoch: each lies
/// thousands of years ahead.
const SECONDS_MAX: i64 = 100_000_000_000;
const MILLIS_MAX: i64 = 1_000 * SECONDS_MAX;
const MICROS_MAX: i64 = 1_000 * MILLIS_MAX;
const NANOS_PER_SECOND: f64 = 1e9;

/// Reads a time; `None` for one that nobody can read.
pub(super) fn moment<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
    Ok(read_moment(&Value::deserialize(from)?))
}

/// Reads a flag. One in an unknown shape counts as set: what the host marks is not the user's word.
pub(super) fn flag<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::Null => false,
        Value::Bool(set) => set,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !matches!(text.to_lowercase().as_str(), "" | "false" | "0" | "no"),
        Value::Array(_) | Value::Object(_) => true,
    })
}

/// Reads a text; `None` for anything that is neither text nor number.
pub(super) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

fn read_moment(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => {
            let civil = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok();
            let number = || of_number(text.trim().parse().ok()?);
            text.parse().ok().or_else(|| civil().map(|zoned| zoned.timestamp())).or_else(number)
        }
        Value::Number(number) => match number.as_i64() {
            Some(whole) => of_number(whole),
            None => of_fraction(number.as_f64()?),
        },
        _ => None,
    }
}

/// A time since the epoch, in the unit that its size tells.
fn of_number(number: i64) -> Option<Timestamp> {
    match number {
        ..=0 => None,
        1..SECONDS_MAX => Timestamp::from_second(number).ok(),
        SECONDS_MAX..MILLIS_MAX => Timestamp::from_millisecond(number).ok(),
        MILLIS_MAX..MICROS_MAX => Timestamp::from_microsecond(number).ok(),
        MICROS_MAX.. => Timestamp::from_nanosecond(number.into()).ok(),
    }
}

/// Seconds with a fraction, or a larger unit with one.
fn of_fraction(number: f64) -> Option<Timestamp> {
    match number > 0.0 && number < SECONDS_MAX as f64 {
        true => Timestamp::from_nanosecond((number * NANOS_PER_SECOND) as i128).ok(),
        false => of_number(number as i64),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_time_is_read_in_every_unit_and_spelling() {
        let expected: Timestamp = "2026-04-12T09:15:00Z".parse().unwrap();
        for value in [
            json!("2026-04-12T09:15:00Z"),
            json!("2026-04-12T11:15:00.000000+02:00"),
            json!("2026-04-12 09:15:00"),
            json!(1_775_985_300),
            json!(1_775_985_300_000_i64),
            json!(1_775_985_300_000_000_i64),
            json!(1_775_985_300_000_000_000_i64),
            json!(1_775_985_300.0),
            json!("1775985300000000"),
        ] {
            assert_eq!(read_moment(&value), Some(expected), "{value}");
        }
        for value in
            [json!(null), json!("soon"), json!(-5), json!([2026, 4, 12]), json!({"seconds": 5}), json!(true)]
        {
            assert_eq!(read_moment(&value), None, "{value}");
        }
    }
}
