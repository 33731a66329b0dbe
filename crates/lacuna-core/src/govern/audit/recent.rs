//! The newest entries of a chain, for people: what happened last, and what happened to one memory.

use lacuna_store::rows::AuditRow;
use lacuna_types::{Error, MemoryId, Result};

use crate::audit::{AuditEntry, Subject};
use crate::govern::audit::verify::check_header;
use crate::permit::{Grant, ReadAudit};
use crate::vault::chain::each_entry;
use crate::vault::reads::flush_reads_of;
use crate::vault::service::Service;

/// Entries of one page, at most.
pub const RECENT_MAX: u64 = 500;
/// Entries at the end of the chain that are looked through for one memory.
pub const TRACED_MAX: u64 = 5_000;

/// Entries below number `before`, the newest first; the end of the chain when absent.
pub(crate) fn recent_audit(
    service: &Service,
    grant: &Grant<ReadAudit>,
    before: Option<u64>,
    limit: u64,
) -> Result<Vec<(AuditRow, AuditEntry)>> {
    if limit == 0 || limit > RECENT_MAX {
        return Err(Error::invalid("limit", format!("must be from 1 to {RECENT_MAX}")));
    }
    newest(service, grant, before, limit, |_| true)
}

/// Entries about one memory among the newest [`TRACED_MAX`], the newest first.
pub(crate) fn trace_memory(
    service: &Service,
    grant: &Grant<ReadAudit>,
    id: MemoryId,
) -> Result<Vec<(AuditRow, AuditEntry)>> {
    let subject = Subject::from(id);
    newest(service, grant, None, TRACED_MAX, |entry| entry.subjects.contains(&subject))
}

fn newest(
    service: &Service,
    grant: &Grant<ReadAudit>,
    before: Option<u64>,
    looked: u64,
    wanted: impl Fn(&AuditEntry) -> bool,
) -> Result<Vec<(AuditRow, AuditEntry)>> {
    let vault = grant.scope().vault_id();
    flush_reads_of(service, vault)?;
    check_header(service, vault)?;
    let Some(header) = service.store.vault(vault)? else { return Ok(Vec::new()) };
    let last = before.map_or(header.audit.seq, |before| before.saturating_sub(1).min(header.audit.seq));
    let mut found = Vec::new();
    each_entry(service, vault, last.saturating_sub(looked), |row| {
        if row.seq <= last {
            let entry = AuditEntry::decode(row)?;
            if wanted(&entry) {
                found.push((row.clone(), entry));
            }
        }
        Ok(())
    })?;
    found.reverse();
    Ok(found)
}
