//! Consents that a vault's owner has given once, for a topic and a purpose. They lie sealed with the settings.

use jiff::Timestamp;
use lacuna_store::cbor::{CborReader, CborWriter};
use lacuna_types::{ConsentTopic, DETAIL_CHARS_MAX, Error, Result, from_millis, millis};

const FIELDS: u64 = 3;

/// The owner's consent to one topic: a sensitive category, patterns, or keeping for long.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Consent {
    /// The topic.
    pub topic: ConsentTopic,
    /// The purpose, in the owner's words.
    pub purpose: String,
    /// The moment at which it was given.
    pub given_at: Timestamp,
}

impl Consent {
    pub(crate) fn check(&self) -> Result<()> {
        let length = self.purpose.chars().count();
        let printable = !self.purpose.chars().any(char::is_control);
        if printable && !self.purpose.trim().is_empty() && length <= DETAIL_CHARS_MAX {
            return Ok(());
        }
        let reason = format!("has 1 to {DETAIL_CHARS_MAX} characters and no control characters");
        Err(Error::invalid("purpose", reason))
    }

    pub(crate) fn write(&self, w: &mut CborWriter<'_>) {
        w.array(FIELDS as usize);
        w.uint(self.topic.code());
        w.text(&self.purpose);
        w.int(millis(self.given_at));
    }

    pub(crate) fn read(r: &mut CborReader<'_>) -> Option<Self> {
        r.record(FIELDS, |r| {
            Some(Self {
                topic: ConsentTopic::from_code(r.uint()?)?,
                purpose: r.text()?.to_owned(),
                given_at: from_millis(r.int()?)?,
            })
        })
    }
}
