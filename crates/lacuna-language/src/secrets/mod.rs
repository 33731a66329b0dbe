//! Secrets in a text: found by a table of rules, and taken out before anything is stored.
//!
//! The rules are `rules.toml`, a file that a person can extend; every rule carries the examples that test it.
//! A cheap pass over the text finds keywords and long tokens, and only the rules they belong to look closer,
//! only there. The text is read again as a person would see it, without what hides a secret from a pattern.

mod copies;
mod credential;
mod decode;
mod named;
mod rule;
mod scan;
mod shape;
mod view;

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use serde::Deserialize;

use self::copies::KnownSecret;
pub use self::credential::looks_like_credential;
use self::rule::SecretRule;
use self::scan::Prefilter;
use lacuna_types::Result;

/// The mark in a text in place of a secret.
pub const REDACTION: &str = "[SECRET_REDACTED]";

/// The certainty of a rule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SecretLevel {
    /// Not stored until somebody confirms.
    Possible,
    /// Redacted, and the caller is told.
    Probable,
    /// Always redacted.
    Definite,
}

impl SecretLevel {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Possible => "possible",
            Self::Probable => "probable",
            Self::Definite => "definite",
        }
    }
}

/// The place of a secret in a text; never the secret itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The name of the rule that was surest.
    pub rule: Arc<str>,
    /// The family of the rule that found it.
    pub family: Arc<str>,
    /// The certainty of the rule.
    pub level: SecretLevel,
    /// Bytes of the text that was scanned, at character boundaries.
    pub span: Range<usize>,
}

/// The rules, ready to read texts.
pub struct Scanner {
    rules: Vec<SecretRule>,
    prefilter: Prefilter,
}

impl Scanner {
    /// The rules that come with Lacuna.
    pub fn builtin() -> &'static Self {
        static BUILTIN: OnceLock<Scanner> = OnceLock::new();
        // The table is part of the program and tested with it: an unreadable one cannot be shipped.
        BUILTIN.get_or_init(|| Self::new(SecretRule::table(rule::BUILTIN).unwrap_or_default()))
    }

    /// The rules that come with Lacuna, and an operator's own.
    pub fn with_extra(toml: &str) -> Result<Self> {
        let mut rules = SecretRule::table(rule::BUILTIN)?;
        let extra = SecretRule::table(toml)?;
        for rule in &extra {
            rule.check(&rules)?;
        }
        rules.extend(extra);
        Ok(Self::new(rules))
    }

    /// The rules that come with Lacuna, but for those that `leaves_out` names; for measurements.
    pub fn without(leaves_out: impl Fn(&str) -> bool) -> Self {
        let mut rules = SecretRule::table(rule::BUILTIN).unwrap_or_default();
        rules.retain(|rule| !leaves_out(&rule.raw.name));
        Self::new(rules)
    }

    /// The names of all rules that find something in a text, those that others overlap included.
    pub fn striking(&self, text: &str) -> Vec<Arc<str>> {
        let found = scan::every_reading(&self.rules, &self.prefilter, text);
        found.into_iter().map(|finding| finding.rule).collect()
    }

    fn new(rules: Vec<SecretRule>) -> Self {
        let mut prefilter = Prefilter::new(&rules);
        prefilter.reads_names = true;
        Self { prefilter, rules }
    }

    /// Every secret in a text, in the order in which they stand, none touching another.
    pub fn scan(&self, text: &str) -> Vec<Finding> {
        self.scan_all(&[text]).pop().unwrap_or_default()
    }

    /// The secrets of each of several texts that belong together: what is found in one of them is found in all.
    pub fn scan_all(&self, texts: &[&str]) -> Vec<Vec<Finding>> {
        let read = |text: &&str| scan::every_reading(&self.rules, &self.prefilter, text);
        let mut found: Vec<Vec<Finding>> = texts.iter().map(read).collect();
        let known = KnownSecret::all(texts, &found);
        let again: Vec<Vec<Finding>> = match known.is_empty() {
            true => Vec::new(),
            false => texts.iter().map(|text| copies::copies(text, &known)).collect(),
        };
        found.iter_mut().zip(again).for_each(|(found, again)| found.extend(again));
        found.into_iter().map(merge).collect()
    }

    /// The parts of a secret that two texts hold together, when one follows the other: its beginning and its rest, or
    /// its name and its value. Each part is a place in its own text, and may be empty.
    pub fn split(&self, before: &str, after: &str) -> Option<[Finding; 2]> {
        copies::split(self, before, after)
    }

    /// Returns true when a name or a label holds a secret that would be redacted without asking.
    pub fn is_secret(&self, label: &str) -> bool {
        self.scan(label).iter().any(|finding| finding.level > SecretLevel::Possible)
    }
}

/// The text without what was found in it.
pub fn redact(text: &str, findings: &[Finding]) -> String {
    let mut redacted = String::with_capacity(text.len());
    let mut kept = 0;
    for span in findings.iter().map(|finding| &finding.span) {
        // Findings of another text, or out of order, must not cut a character in two.
        let Some(before) = text.get(kept..span.start) else { continue };
        redacted.push_str(before);
        redacted.push_str(REDACTION);
        kept = text.ceil_char_boundary(span.end);
    }
    redacted.push_str(text.get(kept..).unwrap_or_default());
    redacted
}

/// Sorts findings; overlapping ones become one, as long as both together and as sure as the surer.
pub fn merge(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by_key(|finding| (finding.span.start, finding.span.end));
    let mut merged: Vec<Finding> = Vec::with_capacity(findings.len());
    for finding in findings {
        match merged.last_mut().filter(|last| finding.span.start < last.span.end) {
            None => merged.push(finding),
            Some(last) => {
                let span = last.span.start..last.span.end.max(finding.span.end);
                if finding.level > last.level {
                    *last = finding;
                }
                last.span = span;
            }
        }
    }
    merged
}
