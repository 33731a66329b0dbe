//! Wrapping a vault's root anew: under the newest version of its organisation's master key, or under another epoch. The
//! secret of a person who holds the vault takes no part, so a locked vault follows like every other.

use lacuna_store::keys::KeyBatch;
use lacuna_types::{Error, Result, Scope};

use crate::vault::root::{WrapKeys, root_of};
use crate::vault::service::Service;

/// Attempts to replace a root that other nodes replace at the same time.
const ATTEMPTS_MAX: usize = 8;

/// Wraps the root under the newest master key, and under `epoch` if there is one. Answers whether it was under others.
pub(crate) fn rewrap(service: &Service, scope: &Scope, epoch: Option<u32>) -> Result<bool> {
    for _ in 0..ATTEMPTS_MAX {
        let Some((root, stored)) = root_of(scope, service.sources())? else { return Ok(false) };
        let key_version = service.kms.key_version(&scope.org)?;
        let epoch = epoch.unwrap_or(stored.root.epoch);
        if stored.root.key_version == key_version && stored.root.epoch == epoch {
            return Ok(false);
        }
        let under = WrapKeys { key_version, epoch, epoch_key: &*service.kms.epoch(epoch)? };
        let generation = stored.root.generation + 1;
        let root = root.wrap(scope, &service.kms, generation, &under, &*service.entropy)?;
        let batch = KeyBatch {
            root: Some((root, Some(stored.root.generation))),
            ..KeyBatch::new(scope.vault_id(), service.clock.now())
        };
        match service.keys.commit(batch) {
            // Another node wrapped it anew: it may have used what this one was to use.
            Err(Error::Conflict(_)) => {}
            committed => return committed.map(|()| true),
        }
    }
    Err(Error::Conflict("the vault's root key"))
}

/// Wraps the root of a vault that was just opened under the newest master key, if it is under an older one. Whoever
/// opened the vault does not wait for another attempt: the job `rotate` makes one.
pub(crate) fn wrap_if_outdated(service: &Service, scope: &Scope) {
    let opened_under = service.reader(scope).peek(|vault| vault.keyring.key_version());
    let Some(version) = opened_under else { return };
    let outdated = service.kms.key_version(&scope.org).map(|newest| version < newest);
    if let Err(error) =
        outdated.and_then(|outdated| if outdated { rewrap(service, scope, None) } else { Ok(false) })
    {
        tracing::warn!(code = error.code(), "a vault stays under an older master key for now");
    }
}
