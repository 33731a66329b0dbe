//! JSON in one spelling, as RFC 8785 lays it down: what is signed must not depend on spaces and on the order of keys.

use serde_json::Value;

/// Writes a value in its one spelling.
pub(super) fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            // By UTF-16 code units, which sort some characters unlike UTF-8 bytes do.
            fields.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
            out.push('{');
            for (number, (name, field)) in fields.into_iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push(':');
                write(field, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (number, item) in items.iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Number(number) => out.push_str(&shortest(number.as_f64().unwrap_or(0.0))),
        other => out.push_str(&other.to_string()),
    }
}

/// A number as ECMAScript writes it.
fn shortest(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let (sign, number) = if number < 0.0 { ("-", -number) } else { ("", number) };
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits = digits.replace('.', "");
    let point = exponent.parse::<i32>().unwrap_or(0) + 1;
    let count = digits.len() as i32;
    let body = match point {
        _ if count <= point && point <= 21 => format!("{digits}{}", "0".repeat((point - count) as usize)),
        _ if 0 < point && point <= 21 => {
            format!("{}.{}", &digits[..point as usize], &digits[point as usize..])
        }
        _ if -6 < point && point <= 0 => format!("0.{}{digits}", "0".repeat(-point as usize)),
        _ => {
            let (first, rest) = digits.split_at(1);
            let fraction = if rest.is_empty() { String::new() } else { format!(".{rest}") };
            format!("{first}{fraction}e{}{}", if point > 0 { "+" } else { "-" }, (point - 1).abs())
        }
    };
    format!("{sign}{body}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_have_one_spelling() {
        let value = json!({"b": [1.0, 0.4, 1e21, 1e-7, -0.0, 333_333_333.333_333_3], "a": "é\n\u{7f}", "€": null, "1": true});
        assert_eq!(
            canonical(&value),
            "{\"1\":true,\"a\":\"é\\n\u{7f}\",\"b\":[1,0.4,1e+21,1e-7,0,333333333.3333333],\"€\":null}"
        );
    }
}
