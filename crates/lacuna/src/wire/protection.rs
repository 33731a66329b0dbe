//! The passphrase of a vault on the wire.

use std::fmt;

use jiff::Timestamp;
use lacuna_core::govern::{LockState, VaultSecret};
use lacuna_types::Scope;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;
use zeroize::Zeroizing;

use super::scope::shown;
use crate::wire::failure::{Failure, Result};

/// A secret that a caller sends. It is zeroed when dropped, and never printed.
pub(crate) struct SentSecret(pub(crate) Zeroizing<String>);

impl<'de> Deserialize<'de> for SentSecret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self(Zeroizing::new(text)))
    }
}

impl fmt::Debug for SentSecret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SentSecret")
    }
}

/// A new passphrase for the caller's own vault. The first one needs `accept_loss`; a change needs the present passphrase
/// or the recovery code.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ProtectRequest)]
pub(crate) struct ProtectRequest {
    #[schema(value_type = String, max_length = 1024)]
    pub(crate) new_passphrase: SentSecret,
    /// The present passphrase.
    #[schema(value_type = Option<String>, max_length = 1024)]
    pub(crate) passphrase: Option<SentSecret>,
    /// The recovery code, in place of the present passphrase.
    #[schema(value_type = Option<String>, max_length = 1024)]
    pub(crate) recovery_code: Option<SentSecret>,
    /// True: the person knows that whoever loses both the passphrase and the recovery code has lost the vault.
    #[serde(default)]
    pub(crate) accept_loss: bool,
}

/// The present passphrase of the caller's own vault, or its recovery code.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = UnprotectRequest)]
pub(crate) struct UnprotectRequest {
    #[schema(value_type = Option<String>, max_length = 1024)]
    pub(crate) passphrase: Option<SentSecret>,
    #[schema(value_type = Option<String>, max_length = 1024)]
    pub(crate) recovery_code: Option<SentSecret>,
}

/// The passphrase of the caller's own vault, and the time for which it opens it on this server.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = UnlockRequest)]
pub(crate) struct UnlockRequest {
    #[schema(value_type = String, max_length = 1024)]
    pub(crate) passphrase: SentSecret,
    /// Minutes until the vault locks itself again, from 1 to 720 [default: 60].
    #[schema(minimum = 1, maximum = 720)]
    pub(crate) minutes: Option<u16>,
}

/// The protection of a vault by a passphrase of its person, as it stands on this server.
#[derive(Serialize, ToSchema)]
#[schema(as = Protection)]
pub(crate) struct ProtectionView {
    pub(crate) scope: String,
    /// True if the vault opens only with the passphrase of its person.
    pub(crate) protected: bool,
    /// True if the vault cannot be read or written at the moment.
    pub(crate) locked: bool,
    /// The moment at which it locks itself again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unlocked_until: Option<Timestamp>,
}

impl ProtectionView {
    pub(crate) fn of(state: LockState, scope: &Scope) -> Self {
        Self {
            scope: shown(scope),
            protected: state.is_protected,
            locked: state.is_protected && state.unlocked_until.is_none(),
            unlocked_until: state.unlocked_until,
        }
    }
}

/// A vault that was put under a passphrase. The code is shown this once.
#[derive(Serialize, ToSchema)]
#[schema(as = Protected)]
pub(crate) struct ProtectedView {
    pub(crate) scope: String,
    /// Opens the vault when the passphrase is lost. It cannot be shown again.
    pub(crate) recovery_code: String,
    pub(crate) note: &'static str,
}

/// Told before a vault is protected, and beside its code.
pub(crate) const LOST_MEANS_LOST: &str = "Whoever loses both the passphrase and the recovery code has lost the vault: \
     nobody, the operator included, can open it. It can still be destroyed.";

impl ProtectedView {
    pub(crate) fn of(code: &Zeroizing<String>, scope: &Scope) -> Self {
        Self { scope: shown(scope), recovery_code: code.as_str().to_owned(), note: LOST_MEANS_LOST }
    }
}

/// The one secret that a request names.
pub(crate) fn one_secret<'a>(
    passphrase: Option<&'a SentSecret>,
    code: Option<&'a SentSecret>,
) -> Result<VaultSecret<'a>> {
    match (passphrase, code) {
        (Some(passphrase), None) => Ok(VaultSecret::Passphrase(&passphrase.0)),
        (None, Some(code)) => Ok(VaultSecret::RecoveryCode(&code.0)),
        _ => Err(Failure::invalid("passphrase", "send the passphrase or the recovery_code, and not both")),
    }
}

impl ProtectRequest {
    /// Returns true when it changes a passphrase that there is already.
    pub(crate) fn is_change(&self) -> bool {
        self.passphrase.is_some() || self.recovery_code.is_some()
    }
}
