//! Renewing the epoch: every vault's root is wrapped anew, then the old epoch key is destroyed, and with it
//! the use of every older copy of the keystore.

use std::collections::BTreeSet;

use lacuna_types::{Error, Result, VaultId};

use crate::keep::retention::sweep::Progress;
use crate::permit::{Grant, ManageKeys};
use crate::vault::anchored::check_keys;
use crate::vault::rewrap::rewrap;
use crate::vault::service::Service;

/// Vaults that are looked up at a time.
const PAGE: usize = 256;
/// Skipped vaults that the answer names; every one of them keeps its epoch.
pub const SKIPPED_MAX: usize = 1_000;

/// The result of a renewal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EpochRenewal {
    /// The new epoch.
    pub epoch: u32,
    /// Vaults whose root is wrapped under it.
    pub vaults: usize,
    /// Old epochs that were destroyed.
    pub destroyed: u32,
    /// Vaults whose root did not open, up to [`SKIPPED_MAX`].
    pub skipped: Vec<SkippedVault>,
    /// Old epochs whose keys stay, because skipped vaults need them.
    pub kept: Vec<u32>,
}

/// A vault that a renewal left as it was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SkippedVault {
    /// The vault.
    pub vault: VaultId,
    /// The code of the error.
    pub code: &'static str,
}

/// Wraps every root under a new epoch and destroys the old ones that no root needs any more. `progress` hears each
/// vault. A vault that does not open is skipped, and keeps its epoch. A renewal that was interrupted is finished
/// by the next one: until then both epochs stand.
pub(crate) fn renew_epoch(
    service: &Service,
    _grant: &Grant<ManageKeys>,
    mut progress: impl FnMut(usize),
) -> Result<EpochRenewal> {
    renew(service, &mut |vaults| progress(vaults))
}

/// Runs [`renew_epoch`] for the scheduler, which cannot stop it: a renewal that begins anew every time would
/// never end. Skipped vaults are a failure of the job.
pub(crate) fn renew_epochs(service: &Service, progress: Progress<'_>) -> Result<u64> {
    let renewed = renew(service, &mut |vaults| {
        let _ = progress(vaults as u64);
    })?;
    for SkippedVault { vault, code } in &renewed.skipped {
        tracing::error!(%vault, code, "a vault keeps its old epoch: its root does not open");
    }
    match renewed.kept.as_slice() {
        [] => Ok(renewed.vaults as u64),
        kept => Err(Error::Misconfigured {
            code: "epoch_kept",
            reason: format!(
                "{} vaults were skipped, and keep the epoch keys {kept:?}",
                renewed.skipped.len()
            ),
        }),
    }
}

/// The vaults that a renewal could not wrap, and the epochs that they need.
#[derive(Default)]
struct LeftBehind {
    skipped: Vec<SkippedVault>,
    epochs: BTreeSet<u32>,
}

impl LeftBehind {
    fn add(&mut self, vault: VaultId, epoch: u32, code: &'static str) {
        self.epochs.insert(epoch);
        if self.skipped.len() < SKIPPED_MAX {
            self.skipped.push(SkippedVault { vault, code });
        }
    }
}

fn renew(service: &Service, progress: &mut dyn FnMut(usize)) -> Result<EpochRenewal> {
    // Nobody wraps a root under an epoch that is about to go.
    let _alone = service.kms.lock_epoch(true)?;
    check_keys(service.sources())?;
    let epoch = next_epoch(service)?;
    let (mut vaults, mut after) = (0, None);
    let mut failures = std::collections::HashMap::new();
    loop {
        let page = service.store.vaults(after, PAGE)?;
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        for header in &page {
            match rewrap(service, &header.scope, Some(epoch)) {
                Ok(_) => vaults += 1,
                // A store that does not answer ends the renewal; a vault that does not open is left as it is.
                Err(error @ (Error::Unavailable { .. } | Error::Conflict(_))) => return Err(error),
                Err(error) => drop(failures.insert(header.id, error.code())),
            }
            progress(vaults);
        }
    }
    let left = left_behind(service, epoch, &failures)?;
    let destroyed = service.kms.destroy_epochs_before(epoch, &left.epochs)?;
    service.kms.anchor().note_epoch(epoch)?;
    let mut kept: Vec<_> = service.kms.epochs()?.into_iter().filter(|old| *old != epoch).collect();
    kept.sort_unstable();
    Ok(EpochRenewal { epoch, vaults, destroyed, skipped: left.skipped, kept })
}

/// The epoch to wrap under: a new one, or the one that an interrupted renewal made.
fn next_epoch(service: &Service) -> Result<u32> {
    let (newest, _) = service.kms.current_epoch(&*service.entropy)?;
    match service.kms.anchor().epoch()? {
        // Made again, in case its fingerprint was not entered yet.
        Some(finished) if finished < newest => service.kms.make_epoch(newest, &*service.entropy),
        _ => {
            service.kms.anchor().note_epoch(newest)?;
            service.kms.make_epoch(newest + 1, &*service.entropy)
        }
    }
}

/// The roots that are not under the new epoch: those that did not open, and those of vaults that have keys and no
/// data yet, which have no name to derive a key from.
fn left_behind(
    service: &Service,
    epoch: u32,
    failures: &std::collections::HashMap<VaultId, &'static str>,
) -> Result<LeftBehind> {
    let (mut left, mut after) = (LeftBehind::default(), None);
    loop {
        let page = service.keys.vaults(after, PAGE)?;
        let Some(last) = page.last() else { return Ok(left) };
        after = Some(*last);
        for vault in page {
            if let Some(stored) = service.keys.vault_keys(vault)?.filter(|stored| stored.root.epoch != epoch)
            {
                let code = failures.get(&vault).copied().unwrap_or("vault_without_data");
                left.add(vault, stored.root.epoch, code);
            }
        }
    }
}
