//! The check for a legal basis to keep personal data.

use lacuna_types::policy::Policy;
use lacuna_types::{ConsentBasis, PrivacyClass};

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
