//! Leftovers of a destroyed vault, cleared before another begins in its place.

use lacuna_types::Result;
use lacuna_types::*;

use crate::vault::service::Service;

pub(crate) fn destroy_blobs(service: &Service, vault: VaultId) -> Result<u64> {
    let names = service.blobs.list(vault)?;
    names.iter().try_for_each(|name| service.blobs.delete(vault, *name))?;
    Ok(names.len() as u64)
}

/// Removes everything of a vault from the store; the anchor expects nothing of it any more.
pub(crate) fn destroy_rows(service: &Service, vault: VaultId) -> Result<()> {
    let revision = service.store.revision(vault)?;
    service.store.destroy(vault)?;
    service.kms.anchor().drop_vault(vault, revision)
}

/// Clears away the rows of a vault whose keys were destroyed: an old copy of the data was put back, or a
/// process died in the middle.
pub(crate) fn clear_destroyed(service: &Service, scope: &Scope) -> Result<()> {
    let vault = scope.vault_id();
    if service.keys.vault_keys(vault)?.is_none()
        && crate::vault::open::was_destroyed(service.sources(), vault)?
    {
        destroy_blobs(service, vault)?;
        destroy_rows(service, vault)?;
    }
    Ok(())
}
