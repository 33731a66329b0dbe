//! Renewing the epoch: every vault's root is wrapped anew, then the old epoch key is destroyed, and with it
//! the use of every older copy of the keystore.

use lacuna_store::keys::KeyBatch;
use lacuna_types::{Error, Result, Scope, VaultId};

use crate::keep::retention::sweep::Progress;
use crate::permit::{Grant, ManageKeys};
use crate::vault::keyring::Keyring;
use crate::vault::service::Service;

/// Vaults that are looked up at a time.
const PAGE: usize = 256;

/// Counts of a renewal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EpochRenewal {
    /// The new epoch.
    pub epoch: u32,
    /// Vaults whose root was wrapped anew.
    pub vaults: usize,
    /// Old epochs that were destroyed.
    pub destroyed: u32,
}

/// Wraps every root under a new epoch and destroys the old ones. `progress` hears each vault. A renewal
/// that was interrupted is finished by the next one: until then both epochs stand.
pub(crate) fn renew_epoch(
    service: &Service,
    _grant: &Grant<ManageKeys>,
    mut progress: impl FnMut(usize),
) -> Result<EpochRenewal> {
    renew(service, &mut |vaults| progress(vaults))
}

/// Runs [`renew_epoch`] for the scheduler, which cannot stop it: a renewal that begins anew every time would
/// never end.
pub(crate) fn renew_epochs(service: &Service, progress: Progress<'_>) -> Result<u64> {
    let renewed = renew(service, &mut |vaults| {
        let _ = progress(vaults as u64);
    })?;
    Ok(renewed.vaults as u64)
}

fn renew(service: &Service, progress: &mut dyn FnMut(usize)) -> Result<EpochRenewal> {
    // Nobody wraps a root under an epoch that is about to go.
    let _alone = service.kms.lock_epoch(true)?;
    let (current, _) = service.kms.current_epoch(&*service.entropy)?;
    let epoch = service.kms.make_epoch(current + 1, &*service.entropy)?;
    let mut vaults = 0;
    let mut after = None;
    loop {
        let page = service.store.vaults(after, PAGE)?;
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        for header in &page {
            rewrap(service, &header.scope, header.id, epoch)?;
            vaults += 1;
            progress(vaults);
        }
    }
    refuse_if_left_behind(service, epoch)?;
    let destroyed = service.kms.destroy_epochs_before(epoch)?;
    Ok(EpochRenewal { epoch, vaults, destroyed })
}

fn rewrap(service: &Service, scope: &Scope, vault: VaultId, epoch: u32) -> Result<()> {
    let Some(stored) = service.keys.vault_keys(vault)? else { return Ok(()) };
    if stored.root.epoch == epoch {
        return Ok(());
    }
    let keyring = Keyring::open(scope, &service.kms, &stored)?;
    let root = keyring.rewrap_root(&service.kms, &stored.root, &*service.entropy)?;
    let batch = KeyBatch {
        root: Some((root, Some(stored.root.generation))),
        ..KeyBatch::new(vault, service.clock.now())
    };
    service.keys.commit(batch)
}

/// A vault that has keys and no data yet has no name to derive its key from: it keeps the old epoch
/// alive until its first memory is written.
fn refuse_if_left_behind(service: &Service, epoch: u32) -> Result<()> {
    let mut after = None;
    loop {
        let page = service.keys.vaults(after, PAGE)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(*last);
        for vault in page {
            if service.keys.vault_keys(vault)?.is_some_and(|stored| stored.root.epoch != epoch) {
                let reason = format!("{vault} has keys but no data yet; the old epoch stays until it has");
                return Err(Error::Misconfigured { code: "vault_without_data", reason });
            }
        }
    }
}
