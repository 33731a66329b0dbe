//! The handle of a [`crate::Lacuna`] for vaults under a passphrase of their person.

use jiff::{SignedDuration, Timestamp};
use lacuna_seal::Zeroizing;
use lacuna_types::Result;

use crate::govern::lock::{LockState, VaultSecret};
use crate::permit::{Grant, LockVault};
use crate::vault::service::Service;

/// Locks of vaults: a person's own passphrase, without which nobody opens the vault.
pub struct VaultLocks<'a> {
    pub(crate) service: &'a Service,
}

impl VaultLocks<'_> {
    /// The lock of the vault, as it stands on this node.
    pub fn state(&self, grant: &Grant<LockVault>) -> Result<LockState> {
        crate::govern::lock::lock_state(self.service, grant)
    }

    /// Puts the vault under a passphrase. Returns the recovery code, which is shown this once: whoever loses both has
    /// lost the vault.
    pub fn protect(&self, grant: &Grant<LockVault>, passphrase: &str) -> Result<Zeroizing<String>> {
        crate::govern::lock::protect(self.service, grant, passphrase)
    }

    /// Takes the vault from under its passphrase.
    pub fn unprotect(&self, grant: &Grant<LockVault>, by: &VaultSecret<'_>) -> Result<()> {
        crate::govern::lock::unprotect(self.service, grant, by)
    }

    /// Puts the vault under another passphrase, by the old one or by the recovery code. Returns a new recovery code.
    pub fn change(
        &self,
        grant: &Grant<LockVault>,
        by: &VaultSecret<'_>,
        passphrase: &str,
    ) -> Result<Zeroizing<String>> {
        crate::govern::lock::change_passphrase(self.service, grant, by, passphrase)
    }

    /// Unlocks the vault on this node for a while. Returns the end of that time.
    pub fn unlock(
        &self,
        grant: &Grant<LockVault>,
        passphrase: &str,
        lasts: Option<SignedDuration>,
    ) -> Result<Timestamp> {
        crate::govern::lock::unlock(self.service, grant, passphrase, lasts)
    }

    /// Locks the vault on this node at once. Returns true when it was unlocked.
    pub fn lock(&self, grant: &Grant<LockVault>) -> Result<bool> {
        crate::govern::lock::lock(self.service, grant)
    }
}
