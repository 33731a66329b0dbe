//! Writing entries: on top of an act, or by themselves.

use jiff::Timestamp;
use lacuna_store::rows::{AgedEntry, AuditRow, Batch, ChainHead};
use lacuna_types::{Result, Scope, VaultId};

use crate::audit::AuditEntry;
use crate::audit::chain::{append, sign_head};
use crate::audit::checkpoint::{Checkpoint, is_passed};
use crate::vault::codes::{CodedHeader, Codes};
use crate::vault::commit::retrying;
use crate::vault::service::Service;

/// Puts entries into a batch with their codes, a checkpoint where one is passed, and the signature of the chain's
/// new end.
pub(crate) fn extend_chain<'a>(
    service: &Service,
    batch: &mut Batch,
    mut head: ChainHead,
    entries: impl IntoIterator<Item = (Timestamp, &'a AuditEntry)>,
) -> Result<ChainHead> {
    let before = head.seq;
    batch.audit.extend(entries.into_iter().map(|(at, entry)| append(&mut head, at, entry)));
    if head.seq == before {
        return Ok(head);
    }
    let key = service.kms.signing_key(&*service.entropy)?;
    if is_passed(before, head.seq) {
        let entry = Checkpoint::entry(&head, batch.vault, &key);
        batch.audit.push(append(&mut head, batch.at, &entry));
    }
    batch.audit_signature = Some(*sign_head(&head, batch.vault, &key).as_bytes());
    let codes = Codes::of(&service.kms, &batch.scope)?;
    for row in &mut batch.audit {
        row.code = Some(codes.entry(&ChainHead { seq: row.seq, hash: row.hash }));
    }
    Ok(head)
}

/// Appends entries to a vault's chain and changes nothing else; the vault need not be open for it. Before
/// its first commit and after its destruction there is no chain to append to.
pub(crate) fn append_entries(
    service: &Service,
    scope: &Scope,
    entries: &[(Timestamp, AuditEntry)],
) -> Result<()> {
    append_aging(service, scope, entries, Vec::new())
}

/// Does the same as [`append_entries`], and ages out old entries in the same commit.
pub(crate) fn append_aging(
    service: &Service,
    scope: &Scope,
    entries: &[(Timestamp, AuditEntry)],
    aged: Vec<AgedEntry>,
) -> Result<()> {
    append_with(service, scope, |batch, head| {
        batch.aged = aged.clone();
        extend_chain(service, batch, head, entries.iter().map(|(at, entry)| (*at, entry)))
    })
}

/// Signs a checkpoint at the end of the vault's chain.
pub(crate) fn checkpoint(service: &Service, scope: &Scope) -> Result<()> {
    let key = service.kms.signing_key(&*service.entropy)?;
    append_with(service, scope, |batch, head| {
        let entry = Checkpoint::entry(&head, batch.vault, &key);
        let at = batch.at;
        extend_chain(service, batch, head, [(at, &entry)])
    })
}

fn append_with(
    service: &Service,
    scope: &Scope,
    fill: impl Fn(&mut Batch, ChainHead) -> Result<ChainHead>,
) -> Result<()> {
    let reader = service.reader(scope);
    let writer = reader.lock();
    retrying(|| {
        let Some(stored) = service.store.vault(scope.vault_id())? else { return Ok(()) };
        // A chain that somebody changed is not signed on top of.
        let header = CodedHeader::checked(&Codes::of(&service.kms, scope)?, &stored)?;
        let mut batch = Batch::new(scope.clone(), service.clock.now(), header.revision);
        let audit = fill(&mut batch, header.audit)?;
        let reached = writer.put(batch, CodedHeader { audit, ..header })?;
        writer.apply(header.revision, reached, |_| ());
        Ok(())
    })
}

/// The number of times a chain is walked again because it changed meanwhile.
pub(crate) const WALKS_MAX: usize = 3;

/// Visits the entries above `after`, a page at a time.
pub(crate) fn each_entry(
    service: &Service,
    vault: VaultId,
    mut after: u64,
    mut visit: impl FnMut(&AuditRow) -> Result<()>,
) -> Result<()> {
    loop {
        let page = service.store.audit(vault, after)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.seq;
        page.iter().try_for_each(&mut visit)?;
    }
}
