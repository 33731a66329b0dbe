//! `Lacuna-User`: the person whom a service calls for.

use axum::http::{HeaderMap, HeaderName};
use lacuna_types::UserId;

use crate::wire::failure::{Failure, Result};

/// The name of the header.
pub(super) static LACUNA_USER: HeaderName = HeaderName::from_static("lacuna-user");

/// The person whom the header names; `None` without one.
///
/// A header that comes twice is refused: a proxy and the server must not read different people in it.
pub(super) fn named_person(headers: &HeaderMap) -> Result<Option<UserId>> {
    let mut named = headers.get_all(&LACUNA_USER).iter();
    let Some(value) = named.next() else { return Ok(None) };
    if named.next().is_some() {
        return Err(Failure::invalid(LACUNA_USER.as_str(), "must not be sent twice"));
    }
    let name = decode(value.as_bytes()).ok_or_else(|| {
        let reason =
            "must be visible ASCII; write other characters as % and the two hex digits of each byte of UTF-8";
        Failure::invalid(LACUNA_USER.as_str(), reason)
    })?;
    let person = UserId::new(&name).ok().filter(|person| person.as_str() == name);
    let reason = "must be the person's name as it was provisioned";
    person.map(Some).ok_or_else(|| Failure::invalid(LACUNA_USER.as_str(), reason))
}

/// Percent-decodes a value of visible ASCII and spaces.
fn decode(value: &[u8]) -> Option<String> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.iter();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => digit(rest.next()?)? << 4 | digit(rest.next()?)?,
            b' '..=b'~' => *byte,
            _ => return None,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn named(values: &[&[u8]]) -> Option<Option<String>> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(&LACUNA_USER, HeaderValue::from_bytes(value).unwrap());
        }
        named_person(&headers).ok().map(|person| person.map(|person| person.to_string()))
    }

    #[test]
    fn one_plain_name_is_read_and_everything_else_is_refused() {
        let read = |name: &str| Some(Some(name.to_owned()));
        assert_eq!(named(&[]), Some(None));
        assert_eq!(named(&[b"anna"]), read("anna"));
        assert_eq!(named(&[b"Anna Berg"]), read("Anna Berg"));
        assert_eq!(named(&[b"J%C3%B6rg"]), read("J\u{f6}rg"));
        // A proxy that joins two headers makes a name that nobody has, not the first or the last of them.
        assert_eq!(named(&[b"anna, ben"]), read("anna, ben"));
        let refused: [&[&[u8]]; 10] = [
            &[b"anna", b"ben"],
            &[b"anna", b"anna"],
            &[b""],
            &[b" anna"],
            &[b"J\xc3\xb6rg"],
            &[b"an%6"],
            &[b"an%zz"],
            &[b"an%00na"],
            &[b"%ff"],
            // The same letter in two signs: the stored name has it in one.
            &[b"Jo%CC%88rg"],
        ];
        for values in refused {
            assert_eq!(named(values), None, "{values:?}");
        }
    }
}
