//! Vaults that somebody else changed: each is named once per process in the log, and once in the chain of its
//! organisation.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lacuna_types::{Error, Holder, Result, Scope, VaultId};

use crate::audit::{AuditAction, AuditEntry, Subject};
use crate::vault::chain::append_entries;
use crate::vault::codes::TAMPERED;
use crate::vault::service::Service;

/// The findings of this process. An entry waits here because whoever finds it may hold the lock of a vault.
#[derive(Default)]
pub(crate) struct TamperedVaults(Mutex<HashMap<VaultId, TamperedVault>>);

struct TamperedVault {
    scope: Scope,
    is_recorded: bool,
}

impl TamperedVaults {
    /// Notes an error that says that the vault of `scope` was changed; passes over any other.
    pub(crate) fn note(&self, scope: &Scope, error: &Error) {
        if error.code() != TAMPERED {
            return;
        }
        self.lock().entry(scope.vault_id()).or_insert_with(|| {
            tracing::error!(vault = %scope.vault_id(), %error, "a vault was changed outside Lacuna");
            // An organisation whose own chain was changed has none to record it in.
            TamperedVault { scope: scope.clone(), is_recorded: scope.holder == Holder::Org }
        });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<VaultId, TamperedVault>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records the findings of this process that are not recorded yet.
pub(crate) fn record_findings(service: &Service) -> Result<()> {
    let waiting: Vec<Scope> = {
        let findings = service.findings.lock();
        findings
            .values()
            .filter(|finding| !finding.is_recorded)
            .map(|finding| finding.scope.clone())
            .collect()
    };
    for scope in waiting {
        let vault = scope.vault_id();
        let entry = AuditEntry::new(AuditAction::TamperFound, "system", vec![Subject(*vault.as_bytes())]);
        let org = Scope { org: scope.org, holder: Holder::Org };
        append_entries(service, &org, &[(service.clock.now(), entry)])?;
        if let Some(finding) = service.findings.lock().get_mut(&vault) {
            finding.is_recorded = true;
        }
    }
    Ok(())
}
