//! What the gate did to a write and why, told without a word of what was written.

use std::ops::Range;

use lacuna_language::secrets::Level;
use lacuna_types::facet;

/// What happened to one draft on its way in.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Report {
    /// Secrets that were found, by rule and place.
    pub redactions: Vec<Redaction>,
    /// What else was changed: neutralised markers, shortened account numbers, generalised addresses.
    pub changes: Vec<Changed>,
    /// Why the text looks like an instruction to an assistant, by rule.
    pub suspicions: Vec<&'static str>,
    /// What the gate took the text to be.
    pub judgements: Vec<Judgement>,
    /// Whether the text was cut to fit.
    pub truncated: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Redaction {
    /// The field of the draft.
    pub field: &'static str,
    pub rule: String,
    pub level: Level,
    /// Where it stood in the field as it was sent, in characters.
    pub place: Range<usize>,
    /// Whether it was taken out; a possible secret that the caller confirmed stays.
    pub removed: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Changed {
    pub field: &'static str,
    pub rule: &'static str,
}

/// One facet as the gate sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct Judgement {
    pub facet: &'static str,
    pub value: String,
    pub confidence: f32,
    pub reason: &'static str,
    /// Whether the caller's own word stands instead.
    pub overridden: bool,
}

facet!(
    /** What must be confirmed before a text is stored. */
    Question, "question", {
    PossibleSecret = 1 "possible_secret",
    Consent = 2 "consent",
});

/// Why a draft was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// It holds a secret, and the caller or the policy wants such texts refused.
    Secret,
    /// It states a credential as a fact.
    Credential,
    NoLegalBasis,
    NeedsExplicitConsent,
    SensitiveNotAllowed,
    /// Where somebody happens to be is not kept beyond a session.
    RoutineLocation,
    BelowSalience,
}

impl Refusal {
    /// The stable public name.
    pub fn code(self) -> &'static str {
        match self {
            Self::Secret => "secret_found",
            Self::Credential => "credential_refused",
            Self::NoLegalBasis => "no_legal_basis",
            Self::NeedsExplicitConsent => "explicit_consent_required",
            Self::SensitiveNotAllowed => "sensitive_not_allowed",
            Self::RoutineLocation => "session_only",
            Self::BelowSalience => "below_salience",
        }
    }

    pub fn reason(self) -> &'static str {
        match self {
            Self::Secret => "the text holds a secret",
            Self::Credential => "a credential is not something to remember",
            Self::NoLegalBasis => "personal data needs a consent basis other than not-applicable",
            Self::NeedsExplicitConsent => "sensitive personal data needs the person's explicit consent",
            Self::SensitiveNotAllowed => "the tenant's policy takes no sensitive personal data",
            Self::RoutineLocation => "where somebody is at the moment is not kept beyond a session",
            Self::BelowSalience => "it matters less than the tenant's policy asks of a memory",
        }
    }
}
