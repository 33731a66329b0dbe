//! Secrets in a text: found by a table of rules, and taken out before anything is stored.

use std::ops::Range;
use std::sync::OnceLock;

/// How sure a rule is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// Not stored until somebody confirms.
    Possible,
    /// Redacted, and the caller is told.
    Probable,
    /// Always redacted.
    Definite,
}

/// Where a secret stands in a text; never the secret itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    pub rule: String,
    pub family: String,
    pub level: Level,
    pub span: Range<usize>,
}

#[derive(Default)]
pub struct Scanner {}

impl Scanner {
    pub fn builtin() -> &'static Self {
        static BUILTIN: OnceLock<Scanner> = OnceLock::new();
        BUILTIN.get_or_init(Self::default)
    }

    pub fn scan(&self, _text: &str) -> Vec<Finding> {
        Vec::new()
    }
}
