//! The handle of a [`crate::Lacuna`] for the keys at the top: rotation, and how far it is.

use lacuna_types::Result;

use crate::govern::rotate::{KeyRotation, KeyStatus};
use crate::permit::{Grant, ManageKeys};
use crate::vault::service::Service;

/// Care for the keys of an installation.
pub struct Custodian<'a> {
    pub(crate) service: &'a Service,
}

impl Custodian<'_> {
    /// Makes the next version of the organisation's master key, wraps every vault of the organisation under it, and
    /// destroys the versions that nothing needs any more. `progress` hears each vault.
    pub fn rotate(&self, grant: &Grant<ManageKeys>, mut progress: impl FnMut(u64)) -> Result<KeyRotation> {
        crate::govern::rotate::rotate_keys(self.service, grant, &mut progress)
    }

    /// The master key of every organisation that has a vault, and how many vaults are under an older version.
    pub fn status(&self, grant: &Grant<ManageKeys>) -> Result<Vec<KeyStatus>> {
        crate::govern::rotate::key_status(self.service, grant)
    }

    /// The place of the keys, in messages to people.
    pub fn place(&self) -> String {
        self.service.kms.shown()
    }
}
