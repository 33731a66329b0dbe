//! Failures as doors report them: one row of the table of codes, the field at fault, and two texts, one for the
//! caller and one for the operator.

use std::fmt;
use std::time::Duration;

use lacuna_core::write::{Outcome, Remembered};
use lacuna_types::Error;

use crate::codes::{self, Code};
use crate::wire::{AskedView, RefusedView};

pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: &'static Code,
    pub(crate) field: Option<String>,
    /// For the caller: never a path, a host name or anything else of the installation.
    pub(crate) public: String,
    /// For the operator, in the terminal or in the log.
    pub(crate) detail: String,
    /// The gate's question or finding, if the gate did not take a text.
    pub(crate) gate: Option<Box<GateAnswer>>,
    /// Pause after which another try makes sense.
    pub(crate) retry_after: Option<Duration>,
}

/// Reason why the gate did not take a text.
#[derive(Debug)]
pub(crate) enum GateAnswer {
    Asked(AskedView),
    Refused(RefusedView),
}

impl Failure {
    pub(crate) fn new(code: &'static Code, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self { code, field: None, public: detail.clone(), detail, gate: None, retry_after: None }
    }

    pub(crate) fn invalid(field: impl Into<String>, reason: impl Into<String>) -> Self {
        let field = field.into();
        let detail = format!("{field}: {}", reason.into());
        Self { field: Some(field), ..Self::new(&codes::INVALID, detail) }
    }

    /// Copies the failure for another caller, without the gate's answer to the first one.
    pub(crate) fn again(&self) -> Self {
        let Self { code, field, public, detail, gate: _, retry_after } = self;
        let (field, public, detail) = (field.clone(), public.clone(), detail.clone());
        Self { code, field, public, detail, gate: None, retry_after: *retry_after }
    }
}

impl Failure {
    /// Turns every outcome but a stored memory into a failure.
    pub(crate) fn of_gate(outcome: Outcome) -> Result<Remembered> {
        match outcome {
            Outcome::Stored(remembered) => Ok(*remembered),
            Outcome::Asked(asked) => {
                let asked = AskedView::from(*asked);
                let reason = match &asked.held {
                    Some(held) => format!(
                        "it is about {} and needs a consent; it is held sealed until {}, and no search finds it before",
                        held.about(),
                        held.until.strftime("%Y-%m-%d")
                    ),
                    None => format!("it is not stored until it is confirmed: {}", asked.questions.join(", ")),
                };
                let gate = Some(Box::new(GateAnswer::Asked(asked)));
                Err(Self { gate, ..Self::new(&codes::NEEDS_CONFIRMATION, reason) })
            }
            Outcome::Refused(refused) => {
                let failure =
                    Self::from(Error::Refused { code: refused.why.code(), reason: refused.why.reason() });
                let gate = Some(Box::new(GateAnswer::Refused((*refused).into())));
                Err(Self { gate, ..failure })
            }
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = codes::of(&error);
        match &error {
            Error::Invalid { field, reason } => Self::invalid(wire_field(field), reason),
            Error::Denied(_) | Error::NotFound(_) | Error::Conflict(_) | Error::Refused { .. } => {
                Self::new(code, error.to_string())
            }
            // These texts may name files and hosts: the caller gets the text of the table.
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

/// Installs a panic hook that logs only the place of a panic: its message may hold text of a memory.
pub(crate) fn log_panics_by_place() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panic");
    }));
}

/// The core's name of a field, as the wire spells it.
pub(crate) fn wire_field(field: &str) -> &str {
    match field {
        "text" => "content",
        same => same,
    }
}
