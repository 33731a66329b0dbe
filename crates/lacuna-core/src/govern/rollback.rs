//! Stores that are behind their anchor: found at the start, reported by `doctor`, accepted by an operator.

use std::collections::BTreeSet;

use jiff::Timestamp;
use lacuna_store::keys::{AnchoredHead, CaughtUp};
use lacuna_types::{Error, Holder, OrgId, Result, Scope, VaultId};

use crate::audit::{AuditAction, AuditEntry, Subject};
use crate::permit::{Grant, ManageKeys};
use crate::vault::anchored::is_behind;
use crate::vault::commit::Act;
use crate::vault::service::Service;

/// Vaults that are looked up at a time.
const PAGE: usize = 256;
/// Vaults that an answer or an audit entry names; all are counted.
pub(crate) const NAMED_MAX: usize = 100;

/// The stores and the key folder beside the anchor.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct AnchorReport {
    /// Vaults whose chain the anchor knows.
    pub known: u64,
    /// Vaults that the database has in an older state, or not at all.
    pub behind: u64,
    /// Some of them, up to a hundred.
    pub named: Vec<VaultId>,
    /// The moment at which the keystore was last found older than its anchor, and what was erased since was erased
    /// again.
    pub replayed_at: Option<Timestamp>,
    /// Epoch keys that no root needs.
    pub stray_epochs: Vec<u32>,
}

/// The result of accepting stores that are behind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AcceptedRollback {
    /// Vaults that were behind, and are served again.
    pub behind: u64,
    /// Some of them, up to a hundred.
    pub named: Vec<VaultId>,
}

/// Checks what must hold before anything is served, and records it where a keystore that was put back had to be brought
/// up to date.
pub(crate) fn start(service: &Service) -> Result<()> {
    let replay = service.anchored.take_replay()?;
    service.check_start()?;
    service.kms.warm_up(&*service.entropy)?;
    record_replay(service, replay)
}

/// Says in the chains of the organisations concerned that their keystore was behind.
fn record_replay(service: &Service, replay: Option<CaughtUp>) -> Result<()> {
    let Some(replay) = replay else { return Ok(()) };
    let mut orgs: BTreeSet<OrgId> = replay.receipts.into_iter().collect();
    for vault in replay.vaults {
        orgs.extend(service.store.vault(vault)?.map(|header| header.scope.org));
    }
    for org in orgs {
        let notes = vec![format!("lines:{}", replay.lines), format!("keys:{}", replay.keys)];
        let entry = AuditEntry::new(AuditAction::LedgerReplayed, "system", Vec::new());
        if let Err(error) = note(service, org, AuditEntry { notes, ..entry }) {
            // The organisation's own vault may be the one that is behind: its operator accepts it first.
            tracing::warn!(code = error.code(), "the replay of the ledger could not be recorded");
        }
    }
    Ok(())
}

/// Compares every vault, and the key folder, with the anchor.
pub(crate) fn compare(service: &Service) -> Result<AnchorReport> {
    let anchor = service.kms.anchor();
    anchor.flush()?;
    record_replay(service, service.anchored.take_replay()?)?;
    let mut report = AnchorReport { replayed_at: anchor.replayed_at()?, ..AnchorReport::default() };
    let mut after = None;
    loop {
        let page = anchor.heads(after, PAGE)?;
        let Some((last, _)) = page.last() else { break };
        after = Some(*last);
        for (vault, known) in &page {
            report.known += 1;
            if is_behind(service.sources(), *vault, known)? {
                report.behind += 1;
                report.named.extend((report.named.len() < NAMED_MAX).then_some(*vault));
            }
        }
    }
    report.stray_epochs = stray_epochs(service)?;
    Ok(report)
}

/// Epoch keys in the folder under which no root is wrapped, besides the current one.
fn stray_epochs(service: &Service) -> Result<Vec<u32>> {
    let mut needed = BTreeSet::new();
    needed.extend(service.kms.newest_epoch()?);
    let mut after = None;
    loop {
        let page = service.keys.vaults(after, PAGE)?;
        let Some(last) = page.last() else { break };
        after = Some(*last);
        for vault in page {
            needed.extend(service.keys.vault_keys(vault)?.map(|stored| stored.root.epoch));
        }
    }
    let mut stray: Vec<_> =
        service.kms.epochs()?.into_iter().filter(|epoch| !needed.contains(epoch)).collect();
    stray.sort_unstable();
    Ok(stray)
}

/// Serves the stores as they are: the anchor forgets the newer ends that it knew. What the ledger names stays erased,
/// and the organisation's chain records the act.
pub(crate) fn accept_rollback(service: &Service, grant: &Grant<ManageKeys>) -> Result<AcceptedRollback> {
    let AnchorReport { behind, named, .. } = compare(service)?;
    if behind == 0 {
        return Ok(AcceptedRollback { behind, named });
    }
    service.kms.anchor().reset_heads(AnchoredHead::all_in(&*service.store)?)?;
    service.close_all();
    let subjects = named.iter().map(|vault| Subject(*vault.as_bytes())).collect();
    let entry = AuditEntry::new(AuditAction::RollbackAccepted, grant.caller().acting(), subjects);
    let notes = vec![format!("vaults:{behind}")];
    note(service, grant.scope().org.clone(), AuditEntry { notes, ..entry })?;
    Ok(AcceptedRollback { behind, named })
}

/// One entry in the organisation's own chain.
pub(crate) fn note(service: &Service, org: OrgId, entry: AuditEntry) -> Result<()> {
    let scope = Scope { org, holder: Holder::Org };
    let act = Act::new(&scope, service.clock.now(), entry);
    let reader = service.reader(&scope);
    let writer = reader.lock();
    writer.ensure()?;
    writer.commit(&act, |_| {}).map(drop)
}

/// Refuses an organisation's book that lacks a receipt which the anchor knows, or one in between.
pub(crate) fn check_receipts(service: &Service, org: &OrgId) -> Result<()> {
    use lacuna_store::rows::{RECORDS_PAGE_MAX, RecordKind};
    let known = service.kms.anchor().booked_receipt(org)?;
    let mut number = 0;
    loop {
        let page = service.store.records(org, RecordKind::Receipt, number, RECORDS_PAGE_MAX)?;
        for record in &page {
            if record.number != number + 1 {
                return Err(missing_receipt(number + 1));
            }
            number = record.number;
        }
        if page.is_empty() {
            break;
        }
    }
    let under_way = || service.store.due_records(RecordKind::Destruction, service.clock.now(), 1);
    match known.saturating_sub(number) {
        0 => Ok(()),
        // A destruction notes its receipt in the ledger before it issues it.
        1 if !under_way()?.is_empty() => Ok(()),
        _ => Err(missing_receipt(number + 1)),
    }
}

fn missing_receipt(number: u64) -> Error {
    Error::corrupt(format!("receipt {number} is missing from the organisation's book"))
}
