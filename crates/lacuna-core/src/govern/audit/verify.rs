//! Reading and verifying the chain of a vault.

use std::collections::HashMap;

use lacuna_seal::{Signature, VerifyingKey};
use lacuna_store::rows::{AuditRow, ChainHead, RECORDS_PAGE_MAX, RecordKind};
use lacuna_types::{Error, Holder, Result, Scope, VaultId};

use crate::audit::AuditEntry;
use crate::audit::chain::{AuditReport, ChainWalk};
use crate::govern::rollback::check_receipts;
use crate::permit::{Grant, ReadAudit};
use crate::vault::chain::{WALKS_MAX, each_entry};
use crate::vault::codes::Codes;
use crate::vault::reads::flush_reads_of;
use crate::vault::receipt::{Cause, SignedReceipt};
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
        let mut announced = announced_heads(service, grant.scope())?;
        match walk(service, vault, known, &mut |row, _| announced.pass(row)) {
            // Entries may have been aged out between two pages; then it is worth another look.
            Err(Error::Corrupt(_)) if attempts < WALKS_MAX && service.store.revision(vault)? != before => {
                attempts += 1;
            }
            walked => {
                let report = walked?;
                check_receipts(service, &grant.scope().org)?;
                return Ok(report);
            }
        }
    }
}

/// Ends of the chain at which receipts were announced.
struct AnnouncedHeads(HashMap<u64, [u8; 32]>);

impl AnnouncedHeads {
    /// Refuses an entry that is another than the one that a receipt names.
    fn pass(&mut self, row: &AuditRow) -> Result<()> {
        match self.0.remove(&row.seq) {
            Some(hash) if hash != row.hash => {
                Err(Error::corrupt(format!("a receipt names another audit entry {}", row.seq)))
            }
            _ => Ok(()),
        }
    }
}

/// The ends of the vault's chain that its receipts name. The organisation's chain has those of destroyed vaults.
fn announced_heads(service: &Service, scope: &Scope) -> Result<AnnouncedHeads> {
    let (mut heads, mut after) = (HashMap::new(), 0);
    let of_org = scope.holder == Holder::Org;
    let Some(header) = service.store.vault(scope.vault_id())? else { return Ok(AnnouncedHeads(heads)) };
    loop {
        let kind = RecordKind::Receipt;
        let page = match of_org {
            true => service.store.records(&scope.org, kind, after, RECORDS_PAGE_MAX)?,
            false => {
                service.store.vault_records(&scope.org, kind, scope.vault_id(), after, RECORDS_PAGE_MAX)?
            }
        };
        let Some(last) = page.last() else { return Ok(AnnouncedHeads(heads)) };
        after = last.number;
        for record in page.iter().filter(|record| record.done_at.is_some()) {
            let receipt = SignedReceipt::decode(&record.doc)?.receipt;
            let here = if of_org && record.vault != Some(scope.vault_id()) {
                receipt.cause == Cause::Destruction
            } else {
                receipt.cause != Cause::Destruction
            };
            // An older one names the chain of a vault that was destroyed in this place.
            if here && receipt.audit.seq > 0 && receipt.at > header.created_at {
                heads.insert(receipt.audit.seq, receipt.audit.hash);
            }
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

/// Refuses to hand out a chain whose end somebody else wrote. Single entries are held to their hashes by
/// [`verify_audit`] only.
pub(crate) fn check_header(service: &Service, vault: VaultId) -> Result<()> {
    let Some(header) = service.store.vault(vault)? else { return Ok(()) };
    Codes::of(&service.kms, &header.scope)?.check_header(&header).map(drop)
}

/// Entries of the vault's chain above `after`, oldest first, a page at a time.
pub(crate) fn read_audit(
    service: &Service,
    grant: &Grant<ReadAudit>,
    after: u64,
) -> Result<Vec<(AuditRow, AuditEntry)>> {
    let vault = grant.scope().vault_id();
    flush_reads_of(service, vault)?;
    check_header(service, vault)?;
    let rows = service.store.audit(vault, after)?;
    rows.into_iter().map(|row| AuditEntry::decode(&row).map(|entry| (row, entry))).collect()
}
