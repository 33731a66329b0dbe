//! Handing a chain out, so that somebody else can verify it without this installation.

use lacuna_seal::{Signature, VerifyingKey};
use lacuna_store::rows::{AuditRow, ChainHead};
use lacuna_types::{Error, Result};

use crate::audit::AuditEntry;
use crate::audit::chain::{AuditReport, sign_head};
use crate::govern::audit::verify::walk;
use crate::permit::{Grant, ReadAudit};
use crate::vault::reads::flush_reads_of;
use crate::vault::service::Service;

const FILE_DOMAIN: &str = "lacuna/audit-export/v1";

/// A part of an exported chain: first its beginning, then the entries.
pub enum AuditPart<'a> {
    /// The entry before the first one, or nothing.
    After(ChainHead),
    Entry(&'a AuditRow, &'a AuditEntry),
}

/// The end of an exported chain.
pub struct AuditEnd {
    /// The last entry that was handed out.
    pub head: ChainHead,
    /// The installation's signature over the head.
    pub signature: Signature,
    /// True when the chain goes on after it.
    pub more: bool,
    /// Result of verifying the whole chain.
    pub report: AuditReport,
}

/// Shows `visit` up to `limit` entries after number `after`. The whole chain is verified on the way, and its
/// end is signed only if it holds: nobody gets our signature on a chain that was tampered with.
pub(crate) fn hand_out_audit(
    service: &Service,
    grant: &Grant<ReadAudit>,
    after: u64,
    limit: u64,
    visit: &mut dyn FnMut(AuditPart<'_>) -> Result<()>,
) -> Result<AuditEnd> {
    let vault = grant.scope().vault_id();
    flush_reads_of(service, vault)?;
    let before = service.store.revision(vault)?;
    let last = after.saturating_add(limit);
    let mut head = ChainHead::default();
    if after == 0 {
        visit(AuditPart::After(head))?;
    }
    let walked = walk(service, vault, None, &mut |row, entry| {
        if row.seq <= last {
            head = ChainHead { seq: row.seq, hash: row.hash };
        }
        match row.seq {
            seq if seq == after => visit(AuditPart::After(head)),
            seq if seq > after && seq <= last => visit(AuditPart::Entry(row, entry)),
            _ => Ok(()),
        }
    });
    let report = match walked {
        // Entries were aged out between two pages.
        Err(Error::Corrupt(_)) if service.store.revision(vault)? != before => {
            return Err(Error::Conflict("the audit chain"));
        }
        walked => walked?,
    };
    if report.entries == 0 {
        return Err(Error::NotFound("audit entry"));
    }
    if after > report.entries {
        return Err(Error::invalid("after", format!("the chain ends at {}", report.entries)));
    }
    let signature = sign_head(&head, vault, &*service.kms.signing_key(&*service.entropy)?);
    Ok(AuditEnd { head, signature, more: head.seq < report.entries, report })
}

/// Signs a file of handed-out entries by the digest of its lines.
pub(crate) fn sign_audit_file(service: &Service, lines: &[u8; 32]) -> Result<Signature> {
    Ok(service.kms.signing_key(&*service.entropy)?.sign(FILE_DOMAIN, &[lines]))
}

/// Returns true when `key` signed a file whose lines have this digest.
pub fn is_signed_file(lines: &[u8; 32], key: &VerifyingKey, signature: &Signature) -> bool {
    key.verify(FILE_DOMAIN, &[lines], signature).is_ok()
}
