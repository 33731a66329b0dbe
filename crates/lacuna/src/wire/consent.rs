//! Consents on the wire.

use jiff::Timestamp;
use lacuna_core::govern::{ConsentGiven, ConsentRevoked};
use lacuna_core::vault::Consent;
use lacuna_types::Scope;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::scope::shown;
use super::words;

/// The purpose of a consent that names none.
pub(crate) const PURPOSE_DEFAULT: &str = "my assistants";

/// A consent to give.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ConsentRequest)]
pub(crate) struct ConsentRequest {
    /// A sensitive category, `patterns` (patterns of behaviour), `long_term` (keeping facts until they are forgotten) or
    /// `language_model` (showing sensitive texts to the language model that plans to forget ask).
    pub(crate) category: words::ConsentTopic,
    /// The purpose in the person's words; "my assistants" when absent.
    #[schema(min_length = 1, max_length = 200)]
    pub(crate) purpose: Option<String>,
    /// The vault; only the caller's own, which is meant when it is absent.
    pub(crate) scope: Option<String>,
}

/// A consent to revoke.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ConsentRevocation)]
pub(crate) struct ConsentRevocation {
    pub(crate) category: words::ConsentTopic,
    /// The vault; only the caller's own, which is meant when it is absent.
    pub(crate) scope: Option<String>,
}

/// A consent that holds.
#[derive(Serialize, ToSchema)]
#[schema(as = Consent)]
pub(crate) struct ConsentView {
    pub(crate) category: words::ConsentTopic,
    pub(crate) purpose: String,
    pub(crate) given_at: Timestamp,
}

/// The consents of a vault's owner.
#[derive(Serialize, ToSchema)]
#[schema(as = ConsentList)]
pub(crate) struct ConsentList {
    pub(crate) scope: String,
    pub(crate) consents: Vec<ConsentView>,
}

/// Result of giving a consent.
#[derive(Serialize, ToSchema)]
#[schema(as = ConsentGiven)]
pub(crate) struct ConsentGivenView {
    pub(crate) scope: String,
    #[serde(flatten)]
    pub(crate) consent: ConsentView,
    /// Memories that were held for it, and are found from now on.
    pub(crate) released: Vec<String>,
}

/// Result of revoking a consent.
#[derive(Serialize, ToSchema)]
#[schema(as = ConsentRevoked)]
pub(crate) struct ConsentRevokedView {
    pub(crate) scope: String,
    pub(crate) category: words::ConsentTopic,
    /// Number of memories that were kept with the consent. They stay: to erase them, forget the `sensitivity` or the ids.
    /// Without `long_term` they get the time of other memories from now on.
    pub(crate) kept: usize,
}

impl From<Consent> for ConsentView {
    fn from(consent: Consent) -> Self {
        Self { category: consent.topic.into(), purpose: consent.purpose, given_at: consent.given_at }
    }
}

impl ConsentList {
    pub(crate) fn of(consents: Vec<Consent>, scope: &Scope) -> Self {
        Self { scope: shown(scope), consents: consents.into_iter().map(ConsentView::from).collect() }
    }
}

impl ConsentGivenView {
    pub(crate) fn of(given: ConsentGiven, scope: &Scope) -> Self {
        let released = given.released.iter().map(ToString::to_string).collect();
        Self { scope: shown(scope), consent: given.consent.into(), released }
    }
}

impl ConsentRevokedView {
    pub(crate) fn of(revoked: &ConsentRevoked, scope: &Scope) -> Self {
        Self { scope: shown(scope), category: revoked.topic.into(), kept: revoked.kept.len() }
    }
}
