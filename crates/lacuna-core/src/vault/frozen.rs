//! The check that a vault takes writes.

use lacuna_types::{Error, Result, Scope};

use crate::vault::service::Service;

/// Refuses to go on if the vault takes no writes.
pub(crate) fn check_thawed(service: &Service, scope: &Scope) -> Result<()> {
    let frozen = service.store.vault(scope.vault_id())?.is_some_and(|header| header.frozen_at.is_some());
    if frozen { Err(Error::frozen()) } else { Ok(()) }
}
