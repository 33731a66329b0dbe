//! The report on a write: the gate's actions and their reasons, without any of the text that was written.

use std::ops::Range;

use lacuna_language::secrets::SecretLevel;
use lacuna_types::facet;

/// The gate's actions on one draft.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Report {
    /// Secrets that were found, by rule and place.
    pub redactions: Vec<Redaction>,
    /// Other changes: neutralised markers, shortened account numbers, generalised addresses.
    pub changes: Vec<Changed>,
    /// True when something was cut that would stay with an explicit consent: an address, a number of a state.
    pub consent_keeps: bool,
    /// The rules by which the text looks like an instruction to an assistant.
    pub suspicions: Vec<&'static str>,
    /// The facets that the gate gave the text.
    pub judgements: Vec<Judgement>,
    /// True when the text was cut to fit.
    pub truncated: bool,
}

/// A secret that was found in the draft.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Redaction {
    /// The field of the draft.
    pub field: &'static str,
    /// The rule that found it.
    pub rule: String,
    /// The certainty that it is a secret.
    pub level: SecretLevel,
    /// Its place in the field as it was sent, in characters.
    pub place: Range<usize>,
    /// True when it was taken out; a possible secret that the caller confirmed stays.
    pub removed: bool,
}

/// A change to a field of the draft.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Changed {
    /// The field of the draft.
    pub field: &'static str,
    /// The rule that changed it.
    pub rule: &'static str,
}

/// One facet as the gate sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct Judgement {
    /// The name of the facet.
    pub facet: &'static str,
    /// The value that the gate chose.
    pub value: String,
    /// The confidence in the value, from 0 to 1.
    pub confidence: f32,
    /// The reason for the value.
    pub reason: &'static str,
    /// True when the caller's own value applies instead.
    pub overridden: bool,
}

facet!(
    /** A question that the caller must confirm before a text is stored. */
    Question, "question", {
    PossibleSecret = 1 "possible_secret",
    Consent = 2 "consent",
});

/// The reason why a draft was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// It holds a secret, and the caller or the policy wants such texts refused.
    Secret,
    /// It states a credential as a fact.
    Credential,
    NoLegalBasis,
    NeedsExplicitConsent,
    SensitiveNotAllowed,
    /// A person's current location is not kept beyond a session.
    RoutineLocation,
    BelowSalience,
    /// It is to be kept word for word, and a part of it may not be kept.
    WouldChange,
    /// It is to be kept word for word, and a part of it looks like a secret.
    PossibleSecret,
    /// Somebody has to approve what is written to this vault, and a record cannot wait.
    NeedsApproval,
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
            Self::WouldChange => "not_verbatim",
            Self::PossibleSecret => "possible_secret",
            Self::NeedsApproval => "needs_approval",
        }
    }

    /// The reason in words, for the caller.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Secret => "the text holds a secret",
            Self::Credential => "a credential is not something to remember",
            Self::NoLegalBasis => "personal data needs a consent basis other than not-applicable",
            Self::NeedsExplicitConsent => "sensitive personal data needs the person's explicit consent",
            Self::SensitiveNotAllowed => "the tenant's policy takes no sensitive personal data",
            Self::RoutineLocation => "where somebody is at the moment is not kept beyond a session",
            Self::BelowSalience => "it matters less than the tenant's policy asks of a memory",
            Self::WouldChange => {
                "it would have to be changed before it may be kept, and a record is kept as it is"
            }
            Self::PossibleSecret => "a part of it looks like a secret",
            Self::NeedsApproval => {
                "what is written to this vault waits for approval, and a record cannot wait"
            }
        }
    }
}
