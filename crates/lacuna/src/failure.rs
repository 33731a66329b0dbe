//! What a door tells about a failure: one row of the table of codes, the field at fault, and two texts, one
//! for everybody and one for the operator.

use std::fmt;

use lacuna_core::Error;

use crate::codes::{self, Code};

pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: &'static Code,
    pub(crate) field: Option<String>,
    /// For the caller: never a path, a host name or anything else of the installation.
    pub(crate) public: String,
    /// For whoever runs Lacuna, in the terminal or in the log.
    pub(crate) detail: String,
}

impl Failure {
    pub(crate) fn new(code: &'static Code, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self { code, field: None, public: detail.clone(), detail }
    }

    pub(crate) fn invalid(field: impl Into<String>, reason: impl Into<String>) -> Self {
        let field = field.into();
        let detail = format!("{field}: {}", reason.into());
        Self { field: Some(field), ..Self::new(&codes::INVALID, detail) }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = codes::of(&error);
        match &error {
            Error::Invalid { field, reason } => Self::invalid(wire_field(field), reason),
            Error::Denied(_) | Error::NotFound(_) | Error::Conflict(_) => Self::new(code, error.to_string()),
            // These may name files and hosts: the caller gets what the table says.
            Error::Unavailable { .. } | Error::Misconfigured { .. } | Error::Corrupt(_) => {
                Self { public: code.meaning.to_owned(), ..Self::new(code, error.to_string()) }
            }
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

/// The core's name of a field, as the wire spells it.
fn wire_field(field: &str) -> &str {
    match field {
        "text" => "content",
        same => same,
    }
}
