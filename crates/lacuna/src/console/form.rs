//! Forms: read whole, within a limit, and only with the key of the visit that they were made for.

use std::str::FromStr;
use std::sync::Arc;

use axum::extract::{FromRequest, Request};
use jiff::SignedDuration;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use lacuna_types::{MemoryId, millis};
use zeroize::{Zeroize, Zeroizing};

use super::guard::Visitor;
use crate::codes;
use crate::http::{App, read_whole};
use crate::wire::failure::{Failure, Result};

/// Bytes of a form: the longest text that a memory keeps with every character escaped, or a thousand ids.
const FORM_BYTES_MAX: usize = 256 << 10;
/// Fields of a form: a thousand boxes and a few more.
const FIELDS_MAX: usize = 1_100;
const HOURS_PER_DAY: i64 = 24;
/// The field with the key of the visit.
pub(super) const KEY_FIELD: &str = "form_key";

/// The fields of a form, in order.
pub(super) struct SentForm(Vec<(String, Zeroizing<String>)>);

impl SentForm {
    /// Reads the fields of a body.
    pub(super) async fn read(app: &App, request: Request) -> Result<Self> {
        let (mut bytes, _room) = read_whole(app, request, FORM_BYTES_MAX).await?;
        let parsed = parse(&bytes);
        bytes.zeroize();
        parsed
    }

    /// The first value of a field, without spaces around it; `None` when it is empty.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.all(name).next().map(str::trim).filter(|value| !value.is_empty())
    }

    /// The first value of a field as it was typed, spaces included; empty when there is none.
    pub(super) fn secret(&self, name: &str) -> &str {
        self.all(name).next().unwrap_or_default()
    }

    /// The value of a field that must be there.
    pub(super) fn required(&self, name: &'static str) -> Result<&str> {
        self.text(name).ok_or_else(|| Failure::invalid(name, "must not be empty"))
    }

    /// Every value of a field.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Every field with its value, in order.
    pub(super) fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns true for a box that is ticked.
    pub(super) fn is_ticked(&self, name: &str) -> bool {
        self.text(name).is_some()
    }

    /// The word of a field, or `None` when it is empty.
    pub(super) fn word<T: FromStr<Err = lacuna_types::Error>>(&self, name: &str) -> Result<Option<T>> {
        Ok(self.text(name).map(str::parse).transpose()?)
    }

    /// The first millisecond of a day and the first after it, in UTC.
    pub(super) fn day(&self, name: &'static str) -> Result<Option<(i64, i64)>> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let refused = || Failure::invalid(name, "must be a day such as 2026-03-01");
        let date: Date = text.parse().map_err(|_| refused())?;
        let start = date.to_zoned(TimeZone::UTC).map_err(|_| refused())?.timestamp();
        let end = start.checked_add(SignedDuration::from_hours(HOURS_PER_DAY)).map_err(|_| refused())?;
        Ok(Some((millis(start), millis(end))))
    }

    /// Every id of a field.
    pub(super) fn ids(&self, name: &str) -> Result<Vec<MemoryId>> {
        Ok(self.all(name).map(str::parse).collect::<lacuna_types::Result<_>>()?)
    }
}

/// The fields of a form that a page of this very visit sent.
impl FromRequest<App> for SentForm {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Result<Self> {
        let visitor = request.extensions().get::<Arc<Visitor>>().cloned();
        let form = Self::read(app, request).await?;
        let expected = visitor.ok_or_else(stale)?;
        let given = form.text(KEY_FIELD).unwrap_or_default();
        let same =
            aws_lc_rs::constant_time::verify_slices_are_equal(given.as_bytes(), expected.form_key.as_bytes());
        same.map(|()| form).map_err(|_| stale())
    }
}

fn stale() -> Failure {
    Failure::new(&codes::STALE_FORM, codes::STALE_FORM.meaning)
}

fn parse(bytes: &[u8]) -> Result<SentForm> {
    let mut fields = Vec::new();
    for pair in bytes.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
        if fields.len() == FIELDS_MAX {
            return Err(Failure::invalid("form", format!("has more than {FIELDS_MAX} fields")));
        }
        let at = pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
        let (name, value) = (&pair[..at], pair.get(at + 1..).unwrap_or_default());
        let value = Zeroizing::new(decoded(value)?.replace("\r\n", "\n"));
        fields.push((decoded(name)?, value));
    }
    Ok(SentForm(fields))
}

/// Undoes the coding of a form: `+` is a space, `%` and two digits are a byte.
fn decoded(bytes: &[u8]) -> Result<String> {
    let malformed = || Failure::invalid("form", "cannot be read");
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let mut text = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter();
    while let Some(byte) = rest.next() {
        text.push(match byte {
            b'+' => b' ',
            b'%' => {
                let (high, low) = (digit(rest.next()), digit(rest.next()));
                high.zip(low).map(|(high, low)| (high * 16 + low) as u8).ok_or_else(malformed)?
            }
            other => *other,
        });
    }
    String::from_utf8(text).map_err(|_| malformed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_decoded_and_bad_ones_refused() {
        let form = parse(b"a=1+2&b=%C3%A4%26&a=&c&d=x%0D%0Ay").unwrap();
        assert_eq!(form.all("a").collect::<Vec<_>>(), ["1 2", ""]);
        assert_eq!(form.text("b"), Some("ä&"));
        assert_eq!((form.text("c"), form.is_ticked("c")), (None, false));
        assert_eq!(form.text("d"), Some("x\ny"));
        for bad in [&b"a=%"[..], b"a=%4", b"a=%zz", b"a=%FF"] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
        let many = "a=1&".repeat(FIELDS_MAX);
        assert!(parse(many.as_bytes()).is_ok());
        assert!(parse((many + "a=1").as_bytes()).is_err());
    }
}
