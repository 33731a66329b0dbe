//! What can go wrong, sorted by what the caller can do about it.
//!
//! [`Error::code`] is public and stable; `docs/errors.md` lists every code. Messages are for people and
//! never hold content, keys or anything else that a log should not see.

use std::fmt;

pub type Result<T, E = Error> = std::result::Result<T, E>;

type Source = Box<dyn std::error::Error + Send + Sync>;

#[derive(Debug)]
pub enum Error {
    /// The caller may not do this.
    Denied(&'static str),
    /// There is no such thing in the caller's reach: missing, foreign and erased look the same.
    NotFound(&'static str),
    /// The request itself is at fault.
    Invalid { field: &'static str, reason: String },
    /// The rules of the vault do not allow it; the same request will be refused again.
    Refused { code: &'static str, reason: &'static str },
    /// Somebody else changed the vault first; reading again and retrying is safe.
    Conflict(&'static str),
    /// Nothing is wrong with the request; later may work.
    Unavailable { code: &'static str, reason: String, source: Option<Source> },
    /// The installation needs an operator: wrong passphrase, newer database, read-only folder.
    Misconfigured { code: &'static str, reason: String },
    /// Stored bytes failed authentication or do not parse. Nothing was changed.
    Corrupt(String),
}

impl Error {
    pub fn invalid(field: &'static str, reason: impl Into<String>) -> Self {
        Self::Invalid { field, reason: reason.into() }
    }

    pub fn corrupt(what: impl Into<String>) -> Self {
        Self::Corrupt(what.into())
    }

    pub fn unavailable(code: &'static str, reason: impl Into<String>, source: impl Into<Source>) -> Self {
        Self::Unavailable { code, reason: reason.into(), source: Some(source.into()) }
    }

    /// The vault takes no writes for now.
    pub fn frozen() -> Self {
        Self::Refused { code: "frozen", reason: "the vault is frozen: it can be read, not written" }
    }

    /// The stable public name of this error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Denied(_) => "denied",
            Self::NotFound(_) => "not_found",
            Self::Invalid { .. } => "invalid",
            Self::Conflict(_) => "conflict",
            Self::Refused { code, .. }
            | Self::Unavailable { code, .. }
            | Self::Misconfigured { code, .. } => code,
            Self::Corrupt(_) => "corrupt",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Denied(why) => write!(f, "not permitted: {why}"),
            Self::NotFound(what) => write!(f, "no such {what}"),
            Self::Invalid { field, reason } => write!(f, "{field}: {reason}"),
            Self::Conflict(what) => write!(f, "{what} changed meanwhile; read it again and retry"),
            Self::Refused { reason, .. } => f.write_str(reason),
            Self::Unavailable { reason, .. } | Self::Misconfigured { reason, .. } => f.write_str(reason),
            Self::Corrupt(what) => write!(f, "stored data is damaged: {what}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unavailable { source, .. } => source.as_deref().map(|source| source as _),
            _ => None,
        }
    }
}
