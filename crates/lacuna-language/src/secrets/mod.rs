//! Secrets in a text: found by a table of rules, and taken out before anything is stored.
//!
//! The rules are `rules.toml`, a file that a person can extend; every rule carries the examples that test it.
//! A cheap pass over the text finds keywords and long tokens, and only the rules they belong to look closer,
//! only there. The text is read again as a person would see it, without what hides a secret from a pattern.

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
        let mut found = scan::every_reading(&self.rules, &self.prefilter, text);
        found.extend(copies(text, &found));
        merge(found)
    }
}

/// Shorter secrets are looked for elsewhere only as a whole word, the shortest not at all.
const COPY_BYTES_MIN: usize = 4;
const COPY_INSIDE_BYTES_MIN: usize = 8;
/// Secrets of one text whose copies are looked for.
const COPIED_MAX: usize = 32;

/// Other places of the same text in which a secret stands, whatever is written around it there.
fn copies(text: &str, found: &[Finding]) -> Vec<Finding> {
    let mut copies = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for finding in found.iter().filter(|finding| finding.level > SecretLevel::Possible) {
        let Some(secret) = text.get(finding.span.clone()) else { continue };
        if secret.len() < COPY_BYTES_MIN || seen.contains(&secret) || seen.len() == COPIED_MAX {
            continue;
        }
        seen.push(secret);
        let alone = |at: usize| {
            let word = |c: char| c.is_alphanumeric();
            !text[..at].ends_with(word) && !text[at + secret.len()..].starts_with(word)
        };
        let places = text.match_indices(secret).map(|(at, _)| at);
        let places = places.filter(|at| secret.len() >= COPY_INSIDE_BYTES_MIN || alone(*at));
        copies.extend(places.map(|at| Finding { span: at..at + secret.len(), ..finding.clone() }));
    }
    copies
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

/// Overlapping findings become one, as long as both together and as sure as the surer.
fn merge(mut findings: Vec<Finding>) -> Vec<Finding> {
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
