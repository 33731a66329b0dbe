//! Rotation of master keys: a new version, every root of the organisation wrapped under it, and the old versions destroyed
//! once nothing needs them. Both versions open vaults meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use lacuna_store::keys::service_key_of;
use lacuna_store::rows::each_vault;
use lacuna_types::{Error, OrgId, Result, VaultId};

use crate::audit::{AuditAction, AuditEntry};
use crate::govern::epoch::{SKIPPED_MAX, SkippedVault};
use crate::govern::rollback::note;
use crate::keep::retention::sweep::Progress;
use crate::permit::{Grant, ManageKeys};
use crate::vault::rewrap::rewrap;
use crate::vault::service::Service;

/// Vaults that are looked up at a time.
const PAGE: usize = 256;

/// The result of a rotation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyRotation {
    /// The version that wraps the organisation's vaults now.
    pub version: u32,
    /// Vaults whose root was wrapped anew.
    pub vaults: u64,
    /// Old versions that were destroyed.
    pub destroyed: u32,
    /// Vaults whose root did not open, up to [`SKIPPED_MAX`].
    pub skipped: Vec<SkippedVault>,
    /// Old versions that stay, because vaults need them.
    pub kept: Vec<u32>,
}

/// The master key of one organisation, and how far its vaults follow it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyStatus {
    /// The organisation.
    pub org: OrgId,
    /// The newest version.
    pub version: u32,
    /// All versions in custody, oldest first.
    pub versions: Vec<u32>,
    /// The name of its key in a key management service, without the prefix of the installation.
    pub service_key: String,
    /// Vaults of the organisation.
    pub vaults: u64,
    /// Vaults that are still under an older version.
    pub outdated: u64,
}

/// Makes the next version of the organisation's master key and wraps its vaults under it. `progress` hears each vault.
/// A rotation that is interrupted is finished by the job `rotate`, or vault by vault when one is opened.
pub(crate) fn rotate_keys(
    service: &Service,
    grant: &Grant<ManageKeys>,
    progress: &mut dyn FnMut(u64),
) -> Result<KeyRotation> {
    let org = &grant.scope().org;
    let version = {
        let _alone = service.kms.lock_epoch(true)?;
        service.kms.make_next_master(org, &*service.entropy)?
    };
    let entry = AuditEntry::new(AuditAction::KeyRotated, grant.caller().acting(), Vec::new());
    note(service, org.clone(), AuditEntry { notes: vec![format!("version:{version}")], ..entry })?;
    follow(service, org, progress)
}

/// Finishes rotations that were begun, for the scheduler. Vaults that do not open keep their version, which is a failure
/// of the job.
pub(crate) fn finish_rotations(service: &Service, progress: Progress<'_>) -> Result<u64> {
    if !service.kms.is_rotating()? {
        return Ok(0);
    }
    let (mut done, mut left) = (0, 0);
    for org in organisations(service)? {
        if service.kms.key_versions(&org)?.len() < 2 {
            continue;
        }
        let rotation = follow(service, &org, &mut |_| {})?;
        done += rotation.vaults;
        left += rotation.skipped.len();
        if progress(done).is_break() {
            break;
        }
    }
    match left {
        0 => Ok(done),
        _ => Err(Error::Misconfigured {
            code: "rotation_unfinished",
            reason: format!("{left} vaults do not open, and keep an old master key"),
        }),
    }
}

/// The master key of every organisation that has a vault.
pub(crate) fn key_status(service: &Service, _grant: &Grant<ManageKeys>) -> Result<Vec<KeyStatus>> {
    let mut counted: BTreeMap<OrgId, KeyStatus> = BTreeMap::new();
    each_vault(&*service.store, |header| {
        let org = &header.scope.org;
        if !counted.contains_key(org) {
            counted.insert(org.clone(), status_of(service, org)?);
        }
        let root = service.keys.vault_keys(header.id)?.map(|stored| stored.root);
        if let (Some(status), Some(root)) = (counted.get_mut(org), root) {
            status.vaults += 1;
            status.outdated += u64::from(root.key_version < status.version);
        }
        Ok(())
    })?;
    Ok(counted.into_values().collect())
}

pub(crate) fn status_of(service: &Service, org: &OrgId) -> Result<KeyStatus> {
    let mut versions = service.kms.key_versions(org)?;
    versions.sort_unstable();
    Ok(KeyStatus {
        org: org.clone(),
        version: service.kms.key_version(org)?,
        versions,
        service_key: service_key_of(org),
        vaults: 0,
        outdated: 0,
    })
}

/// Wraps every root of the organisation under its newest master key, then destroys the versions that nothing needs.
fn follow(service: &Service, org: &OrgId, progress: &mut dyn FnMut(u64)) -> Result<KeyRotation> {
    let mut vaults = 0;
    let mut failures = BTreeMap::new();
    each_vault(&*service.store, |header| {
        if header.scope.org == *org {
            match rewrap(service, &header.scope, None) {
                Ok(done) => vaults += u64::from(done),
                // A store or a custody that does not answer ends the work; a vault that does not open is left.
                Err(error @ Error::Unavailable { .. }) => return Err(error),
                Err(error) => drop(failures.insert(header.id, error.code())),
            }
            progress(vaults);
            service.pause();
        }
        Ok(())
    })?;
    // Nobody makes a vault under an old version meanwhile.
    let _alone = service.kms.lock_epoch(true)?;
    let version = service.kms.key_version(org)?;
    let (needed, skipped) = still_needed(service, org, version, &failures)?;
    let destroyed = service.kms.destroy_masters_before(org, version, &needed)?;
    let mut kept: Vec<_> = service.kms.key_versions(org)?.into_iter().filter(|old| *old < version).collect();
    kept.sort_unstable();
    Ok(KeyRotation { version, vaults, destroyed, skipped, kept })
}

/// The old versions that roots of the organisation still need, and the vaults that do not open. A vault whose first
/// commit came after the others were visited follows here. A root without data has no name yet, so it may belong to any
/// organisation: its version stays until the next run.
fn still_needed(
    service: &Service,
    org: &OrgId,
    version: u32,
    failures: &BTreeMap<VaultId, &'static str>,
) -> Result<(BTreeSet<u32>, Vec<SkippedVault>)> {
    let (mut needed, mut skipped, mut after) = (BTreeSet::new(), Vec::new(), None);
    loop {
        let page = service.keys.vaults(after, PAGE)?;
        let Some(last) = page.last() else { return Ok((needed, skipped)) };
        after = Some(*last);
        for vault in page {
            let Some(stored) = service.keys.vault_keys(vault)?.filter(|keys| keys.root.key_version < version)
            else {
                continue;
            };
            let header = service.store.vault(vault)?;
            let code = match (failures.get(&vault), header) {
                (_, Some(header)) if header.scope.org != *org => continue,
                (Some(code), _) => Some(*code),
                (None, None) => None,
                (None, Some(header)) => match rewrap(service, &header.scope, None) {
                    Ok(_) => continue,
                    Err(error) => Some(error.code()),
                },
            };
            needed.insert(stored.root.key_version);
            skipped.extend(
                code.filter(|_| skipped.len() < SKIPPED_MAX).map(|code| SkippedVault { vault, code }),
            );
        }
    }
}

fn organisations(service: &Service) -> Result<BTreeSet<OrgId>> {
    let mut orgs = BTreeSet::new();
    each_vault(&*service.store, |header| {
        orgs.insert(header.scope.org.clone());
        Ok(())
    })?;
    Ok(orgs)
}
