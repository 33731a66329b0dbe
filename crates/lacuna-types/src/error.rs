//! Errors, sorted by the caller's remedy.
//!
//! [`Error::code`] is public and stable; `docs/errors.md` lists every code. Messages are for people and
//! never hold content, keys or anything else that a log should not see.

use std::fmt;

/// The result of a fallible operation of Lacuna.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The underlying error, for the log.
type Cause = Box<dyn std::error::Error + Send + Sync>;

/// A failure that a door can show to its caller.
#[derive(Debug)]
pub enum Error {
    /// The caller may not do this.
    Denied(&'static str),
    /// There is no such thing in the caller's reach: missing, foreign and erased look the same.
    NotFound(&'static str),
    /// The request itself is at fault.
    Invalid {
        /// The name of the field, as the caller wrote it.
        field: &'static str,
        /// The rule that the value breaks.
        reason: String,
    },
    /// The rules of the vault do not allow it; the same request will be refused again.
    Refused {
        /// The stable public code.
        code: &'static str,
        /// The sentence for people.
        reason: &'static str,
    },
    /// Somebody else changed the vault first; reading again and retrying is safe.
    Conflict(&'static str),
    /// Nothing is wrong with the request; later may work.
    Unavailable {
        /// The stable public code.
        code: &'static str,
        /// The sentence for people.
        reason: String,
        /// The underlying error, for the log.
        source: Option<Cause>,
    },
    /// The installation needs an operator: wrong passphrase, newer database, read-only folder.
    Misconfigured {
        /// The stable public code.
        code: &'static str,
        /// The sentence for people.
        reason: String,
    },
    /// Stored bytes failed authentication or do not parse. Nothing was changed.
    Corrupt(String),
}

impl Error {
    /// An [`Error::Invalid`].
    pub fn invalid(field: &'static str, reason: impl Into<String>) -> Self {
        Self::Invalid { field, reason: reason.into() }
    }

    /// An [`Error::Corrupt`].
    pub fn corrupt(what: impl Into<String>) -> Self {
        Self::Corrupt(what.into())
    }

    /// An [`Error::Unavailable`] with its cause.
    pub fn unavailable(code: &'static str, reason: impl Into<String>, source: impl Into<Cause>) -> Self {
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
