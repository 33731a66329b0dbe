//! Reading and verifying the chain of a vault.

use lacuna_seal::{Signature, VerifyingKey};
use lacuna_store::rows::{AuditRow, ChainHead};
use lacuna_types::{Error, Result, VaultId};

use crate::audit::AuditEntry;
use crate::audit::chain::{AuditReport, ChainWalk};
use crate::permit::{Grant, ReadAudit};
use crate::vault::chain::{WALKS_MAX, each_entry};
use crate::vault::codes::Codes;
use crate::vault::reads::flush_reads_of;
use crate::vault::service::Service;

/// Walks the vault's chain from its first entry to its signed end.
pub(crate) fn verify_audit(service: &Service, grant: &Grant<ReadAudit>) -> Result<AuditReport> {
    verify_audit_through(service, grant, None)
}

/// Verifies the chain like [`verify_audit`], and requires that it contains `known`, a head that was written down
/// earlier. A vault that was put back to an older state fails this check.
pub(crate) fn verify_audit_through(
    service: &Service,
    grant: &Grant<ReadAudit>,
    known: Option<ChainHead>,
) -> Result<AuditReport> {
    let vault = grant.scope().vault_id();
    flush_reads_of(service, vault)?;
    let mut attempts = 1;
    loop {
        let before = service.store.revision(vault)?;
        match walk(service, vault, known, &mut |_, _| Ok(())) {
            // Entries may have been aged out between two pages; then it is worth another look.
            Err(Error::Corrupt(_)) if attempts < WALKS_MAX && service.store.revision(vault)? != before => {
                attempts += 1;
            }
            walked => return walked,
        }
    }
}

pub(crate) fn walk(
    service: &Service,
    vault: VaultId,
    known: Option<ChainHead>,
    visit: &mut dyn FnMut(&AuditRow, &AuditEntry) -> Result<()>,
) -> Result<AuditReport> {
    let mut walk = ChainWalk::new(vault, audit_key(service)?);
    let mut coded = false;
    if let Some(known) = known {
        walk = walk.through(known);
    }
    loop {
        let Some(header) = service.store.vault(vault)? else {
            return walk.finish(ChainHead::default(), None);
        };
        let codes = Codes::of(&service.kms, &header.scope)?;
        codes.check_header(&header)?;
        let head = header.audit;
        each_entry(service, vault, walk.seq(), |row| {
            // What lies beyond the head is looked at when the header has been read again.
            if row.seq > head.seq {
                return Ok(());
            }
            let entry = walk.step(row)?;
            codes.check_entry(row, &mut coded)?;
            visit(row, &entry)
        })?;
        let beyond = service.store.audit(vault, head.seq)?.last().map(|row| row.seq);
        let Some(last) = beyond else {
            return walk.finish(head, header.audit_signature.map(Signature::from_bytes).as_ref());
        };
        // What came meanwhile is in the header by now.
        if service.store.vault(vault)?.is_none_or(|header| header.audit.seq < last) {
            return Err(Error::corrupt("the audit chain goes on beyond the head in the vault's header"));
        }
    }
}

/// Whoever has this key can verify an exported chain without this installation.
pub(crate) fn audit_key(service: &Service) -> Result<VerifyingKey> {
    Ok(service.kms.signing_key(&*service.entropy)?.verifying_key())
}

/// Entries of the vault's chain above `after`, oldest first, a page at a time.
pub(crate) fn read_audit(
    service: &Service,
    grant: &Grant<ReadAudit>,
    after: u64,
) -> Result<Vec<(AuditRow, AuditEntry)>> {
    let vault = grant.scope().vault_id();
    flush_reads_of(service, vault)?;
    let rows = service.store.audit(vault, after)?;
    rows.into_iter().map(|row| AuditEntry::decode(&row).map(|entry| (row, entry))).collect()
}
