//! The check for a legal basis to keep personal data.

use lacuna_types::policy::Policy;
use lacuna_types::{ConsentBasis, ConsentTopic, Facets, Holder, PrivacyClass, Sensitivity};

use crate::gate::GateDecision;
use crate::gate::report::{Question, Refusal};

/// Decides on the basis under which a memory of `class` may be kept. `basis` is the one that the caller named;
/// `confirmed` is true when the person has said yes to this very text.
pub(crate) fn consent(
    class: PrivacyClass,
    basis: Option<ConsentBasis>,
    confirmed: bool,
    policy: &Policy,
) -> GateDecision<ConsentBasis> {
    if class == PrivacyClass::SensitivePii {
        return sensitive(basis, confirmed, policy);
    }
    match basis {
        Some(ConsentBasis::NotApplicable) if class.is_personal() => {
            GateDecision::Refuse(Refusal::NoLegalBasis)
        }
        Some(basis) => GateDecision::Yes(basis),
        None if class.is_personal() => GateDecision::Yes(ConsentBasis::ServiceDelivery),
        None => GateDecision::Yes(ConsentBasis::NotApplicable),
    }
}

/// Only the person's explicit consent will do, and only where the policy takes such data at all.
fn sensitive(basis: Option<ConsentBasis>, confirmed: bool, policy: &Policy) -> GateDecision<ConsentBasis> {
    match basis {
        Some(ConsentBasis::NotApplicable) => GateDecision::Refuse(Refusal::NoLegalBasis),
        _ if !policy.sensitive_allowed => GateDecision::Refuse(Refusal::SensitiveNotAllowed),
        Some(ConsentBasis::ExplicitConsent) => GateDecision::Yes(ConsentBasis::ExplicitConsent),
        Some(_) => GateDecision::Refuse(Refusal::NeedsExplicitConsent),
        None if confirmed => GateDecision::Yes(ConsentBasis::ExplicitConsent),
        None => GateDecision::Ask(Question::Consent),
    }
}

/// The consents that a memory with these facets waits for, where it is held.
pub(crate) fn topics_of(facets: &Facets, policy: &Policy) -> Vec<ConsentTopic> {
    topics_needed(facets.privacy.class, &facets.privacy.sensitivity, facets.is_pattern(), policy)
}

/// The consents that a held memory waits for. `policy` says whether patterns need one.
pub(crate) fn topics_needed(
    class: PrivacyClass,
    sensitivity: &[Sensitivity],
    is_pattern: bool,
    policy: &Policy,
) -> Vec<ConsentTopic> {
    let mut needed = Vec::new();
    if class == PrivacyClass::SensitivePii {
        needed.extend(Sensitivity::needing_consent(sensitivity).into_iter().map(ConsentTopic::from));
    }
    needed.extend((policy.pattern_consent && is_pattern).then_some(ConsentTopic::Patterns));
    needed
}

/// Returns true when nothing is to be made into a pattern in a vault of `holder`: the policy wants a consent that is not
/// among those given. In a shared vault nobody can consent for the others.
pub(crate) fn forbids_patterns(policy: &Policy, holder: &Holder, given: &[ConsentTopic]) -> bool {
    policy.pattern_consent && (holder.is_shared() || !given.contains(&ConsentTopic::Patterns))
}
