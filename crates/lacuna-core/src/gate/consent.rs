//! The check for a legal basis to keep personal data.

use lacuna_types::policy::Policy;
use lacuna_types::{ConsentBasis, PrivacyClass};

use crate::gate::report::{Question, Refusal};

/// What the rules of consent say about a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Consent {
    Given(ConsentBasis),
    Asked(Question),
    Refused(Refusal),
}

/// The basis under which a memory of `class` may be kept. `basis` is what the caller named, `confirmed`
/// whether the person has said yes to this very text.
pub(crate) fn consent(
    class: PrivacyClass,
    basis: Option<ConsentBasis>,
    confirmed: bool,
    policy: &Policy,
) -> Consent {
    if class == PrivacyClass::SensitivePii {
        return sensitive(basis, confirmed, policy);
    }
    match basis {
        Some(ConsentBasis::NotApplicable) if class.is_personal() => Consent::Refused(Refusal::NoLegalBasis),
        Some(basis) => Consent::Given(basis),
        None if class.is_personal() => Consent::Given(ConsentBasis::ServiceDelivery),
        None => Consent::Given(ConsentBasis::NotApplicable),
    }
}

/// Only the person's explicit consent will do, and only where the policy takes such data at all.
fn sensitive(basis: Option<ConsentBasis>, confirmed: bool, policy: &Policy) -> Consent {
    match basis {
        Some(ConsentBasis::NotApplicable) => Consent::Refused(Refusal::NoLegalBasis),
        _ if !policy.sensitive_allowed => Consent::Refused(Refusal::SensitiveNotAllowed),
        Some(ConsentBasis::ExplicitConsent) => Consent::Given(ConsentBasis::ExplicitConsent),
        Some(_) => Consent::Refused(Refusal::NeedsExplicitConsent),
        None if confirmed => Consent::Given(ConsentBasis::ExplicitConsent),
        None => Consent::Asked(Question::Consent),
    }
}
