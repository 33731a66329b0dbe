//! Codes of whole vaults: made for data of an older release, checked by `doctor`, and made anew when an operator
//! accepts what somebody else changed.

use lacuna_store::rows::{Batch, VaultHeader, each_vault};
use lacuna_types::{Error, Holder, Result, Scope, VaultId};

use crate::audit::{AuditAction, AuditEntry, Subject};
use crate::permit::{Acting, Grant, ManageKeys};
use crate::vault::access::access_of;
use crate::vault::chain::{append_entries, extend_chain};
use crate::vault::codes::{CodedHeader, Codes, RowTally, TAMPERED, tampered};
use crate::vault::commit::retrying;
use crate::vault::service::Service;

/// The actor of what the installation does by itself.
const SYSTEM: &str = "system";

/// A vault whose rows or header are not those that Lacuna wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangedVault {
    /// The vault.
    pub vault: VaultId,
    /// Organisation and holder, as the store names them.
    pub scope: Scope,
    /// The difference that was found.
    pub found: String,
}

/// Gives every vault of an older release its codes, once in the life of an installation. From then on a vault
/// without codes was changed by somebody else.
pub(crate) fn adopt_vaults(service: &Service) -> Result<usize> {
    if service.kms.anchor().rows_are_sealed()? {
        return Ok(0);
    }
    let mut adopted = 0;
    each_vault(&*service.store, |header| {
        if header.codes.is_none() {
            renew(service, &header.scope, SYSTEM.into(), AuditAction::CodesMade)?;
            adopted += 1;
        }
        Ok(())
    })?;
    service.kms.anchor().set_rows_sealed()?;
    Ok(adopted)
}

/// Checks the codes of every vault without opening it. Returns those that somebody else changed.
pub(crate) fn changed_vaults(service: &Service) -> Result<Vec<ChangedVault>> {
    let mut changed = Vec::new();
    each_vault(&*service.store, |header| match check(service, header) {
        Err(Error::Misconfigured { code: TAMPERED, reason }) => {
            let (vault, scope) = (header.id, header.scope.clone());
            changed.push(ChangedVault { vault, scope, found: reason });
            Ok(())
        }
        checked => checked,
    })?;
    Ok(changed)
}

/// Accepts every vault as it stands: their codes are made anew. The chain of each vault and that of the
/// organisation record it.
pub(crate) fn accept_changes(service: &Service, grant: &Grant<ManageKeys>) -> Result<Vec<ChangedVault>> {
    let changed = changed_vaults(service)?;
    let actor = grant.caller().acting();
    // Organisations first: their chains record the others.
    let (orgs, others): (Vec<_>, Vec<_>) =
        changed.iter().partition(|changed| changed.scope.holder == Holder::Org);
    for accepted in orgs.into_iter().chain(others) {
        renew(service, &accepted.scope, actor, AuditAction::TamperAccepted)?;
        record(service, accepted, actor)?;
    }
    Ok(changed)
}

fn record(service: &Service, accepted: &ChangedVault, actor: Acting<'_>) -> Result<()> {
    if accepted.scope.holder == Holder::Org {
        return Ok(());
    }
    let subject = Subject(*accepted.vault.as_bytes());
    let entry = AuditEntry::new(AuditAction::TamperAccepted, actor, vec![subject]);
    let org = Scope { org: accepted.scope.org.clone(), holder: Holder::Org };
    append_entries(service, &org, &[(service.clock.now(), entry)])
}

fn check(service: &Service, listed: &VaultHeader) -> Result<()> {
    let codes = Codes::of(&service.kms, &listed.scope)?;
    let (tally, stored) = RowTally::stored(&*service.store, &codes, listed.id)?;
    // A vault that was destroyed meanwhile has nothing to check.
    let Some(stored) = stored else { return Ok(()) };
    if codes.check_header(&stored)?.rows != tally.code(&codes) {
        return Err(tampered(stored.id, "its rows are not those it had"));
    }
    match stored.scope.holder {
        Holder::Org => access_of(service, &stored.scope.org).map(drop),
        _ => Ok(()),
    }
}

/// Makes the codes of a vault over what the store has, whoever wrote it, and records that.
fn renew(service: &Service, scope: &Scope, actor: Acting<'_>, action: AuditAction) -> Result<()> {
    let reader = service.reader(scope);
    let writer = reader.lock();
    let codes = Codes::of(&service.kms, scope)?;
    let renewed = retrying(|| {
        let (tally, stored) = RowTally::stored(&*service.store, &codes, scope.vault_id())?;
        let Some(stored) = stored else { return Ok(()) };
        let mut header = CodedHeader::unchecked(&stored);
        header.codes.rows = tally.code(&codes);
        header.codes.access = match scope.holder {
            Holder::Org => Some(codes.access(&service.store.access(&scope.org)?)),
            _ => None,
        };
        let mut batch = Batch::new(scope.clone(), service.clock.now(), header.revision);
        let (at, entry) = (batch.at, AuditEntry::new(action, actor, Vec::new()));
        let audit = extend_chain(service, &mut batch, header.audit, [(at, &entry)])?;
        writer.put(batch, CodedHeader { audit, ..header }).map(drop)
    });
    // What is open here was read before.
    writer.discard();
    renewed
}
