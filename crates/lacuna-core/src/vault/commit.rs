//! The commit that every change of a vault goes through: rows, audit entries and receipts in one batch.

use jiff::Timestamp;
use lacuna_store::rows::{Batch, HeaderCodes, Row, SealedBody};
use lacuna_types::{Error, Lifecycle, MemoryId, Result, Revision, Scope};

use crate::audit::{AuditAction, AuditEntry};
use crate::permit::Acting;
use crate::vault::access::access_after;
use crate::vault::anchored::check_head;
use crate::vault::chain::extend_chain;
use crate::vault::codes::{CodedHeader, Codes, RowTally, TallyChange, tampered};
use crate::vault::deliver::{Notification, deliveries};
use crate::vault::handle::VaultWriter;
use crate::vault::open::OpenVault;
use crate::vault::receipt::{Receipt, numbered};
use crate::vault::secrets::is_locked;
use crate::vault::service::Service;

/// Attempts at a write that met another node's, before the caller is told of the conflict.
const COMMIT_ATTEMPTS_MAX: usize = 8;

/// Runs `attempt` again for as long as another process was faster, up to a bound.
pub(crate) fn retrying<R>(mut attempt: impl FnMut() -> Result<R>) -> Result<R> {
    let mut tried = attempt();
    for _ in 1..COMMIT_ATTEMPTS_MAX {
        if !matches!(tried, Err(Error::Conflict(_))) {
            break;
        }
        tried = attempt();
    }
    tried
}

impl VaultWriter<'_> {
    /// Commits `act` to the vault with its audit entry, then applies it to the open index.
    ///
    /// Another process may still be faster. Then an act that only adds or
    /// erases is tried again on top of theirs; one that changes rows as it read them is a conflict.
    pub(crate) fn commit(&self, act: &Act, apply: impl FnOnce(&mut OpenVault)) -> Result<Committed> {
        let stored = if act.rewrites() { self.store(act) } else { retrying(|| self.store(act)) };
        let StoredAct { expected, reached, tally, first_seq } = stored?;
        self.apply(expected, reached, |vault| {
            vault.tally.apply(&tally);
            if act.batch.settings.is_some() {
                vault.settings.expire(reached.settings_revision);
            }
            apply(vault);
        });
        Ok(Committed { audit_seq: first_seq })
    }

    /// Stores the act on top of the vault as it is open here. A conflict when another process was faster.
    fn store(&self, act: &Act) -> Result<StoredAct> {
        let service = self.service;
        let base = match self.update(|vault| Ok(Base::of(vault, &act.batch))) {
            Err(error) if is_locked(&error) => Base::of_locked(service, self.scope(), &act.batch)?,
            base => base?.ok_or(Error::Conflict("the vault"))?,
        };
        let mut batch = Batch { expected: base.header.revision, ..act.batch.clone() };
        let first_seq = base.header.audit.seq + 1;
        for pending in &mut batch.opens {
            pending.id = first_seq;
        }
        let mut entries = act.entries.clone();
        let receipt =
            act.receipt.as_ref().map(|receipt| numbered(service, receipt, &mut entries)).transpose()?;
        let entries = entries.iter().map(|entry| (act.batch.at, entry));
        let audit = extend_chain(service, &mut batch, base.header.audit, entries)?;
        if let Some(receipt) = receipt {
            Receipt { audit, ..receipt }.open_in(&mut batch);
        }
        if let Some(notification) = &act.notification {
            batch.records.extend(deliveries(service, notification)?);
        }
        let codes = HeaderCodes { rows: base.rows, ..base.header.codes };
        let reached = self.put(batch, CodedHeader { audit, codes, ..base.header })?;
        Ok(StoredAct { expected: base.header.revision, reached, tally: base.tally, first_seq })
    }

    /// Commits a batch with the codes of the header that it leaves.
    pub(crate) fn put(&self, mut batch: Batch, header: CodedHeader) -> Result<CodedHeader> {
        let (service, vault) = (self.service, batch.vault);
        let header = header_after(service, header, &batch)?;
        batch.codes = Some(header.codes);
        let revision = service.store.commit(batch).inspect_err(|error| {
            self.unpin();
            // The batch may have been written or not: what is open can no longer be trusted.
            if !matches!(error, Error::Conflict(_)) {
                self.discard();
            }
        })?;
        service.kms.anchor().note_head(vault, revision, header.audit);
        Ok(CodedHeader { revision, ..header })
    }
}

/// The header after `batch`, whose chain and row code are already set. Its revision is still the one before.
fn header_after(service: &Service, mut header: CodedHeader, batch: &Batch) -> Result<CodedHeader> {
    header.audit_signature = batch.audit_signature.or(header.audit_signature);
    header.frozen_at = batch.frozen_after(header.frozen_at);
    if let Some(settings) = &batch.settings {
        header.settings_revision = settings.revision;
    }
    let codes = Codes::of(&service.kms, &batch.scope)?;
    if !batch.tokens.is_empty() || !batch.members.is_empty() {
        header.codes.access = Some(codes.access(&access_after(service, batch)?));
    }
    header.codes = codes.header(&header);
    Ok(header)
}

/// The state of a vault on which a commit builds.
struct Base {
    header: CodedHeader,
    /// The code of the rows after the commit.
    rows: [u8; 32],
    tally: TallyChange,
}

impl Base {
    fn of(vault: &mut OpenVault, batch: &Batch) -> Self {
        let tally = TallyChange::of(&vault.codes, batch);
        Self { header: vault.header, rows: vault.tally.code_after(&vault.codes, &tally), tally }
    }

    /// The state of a vault that is locked: its rows are counted as they are, sealed.
    fn of_locked(service: &Service, scope: &Scope, batch: &Batch) -> Result<Self> {
        let (codes, vault) = (Codes::of(&service.kms, scope)?, scope.vault_id());
        check_head(service.sources(), vault)?;
        let (mut rows, header) = RowTally::stored(&*service.store, &codes, vault)?;
        let header = CodedHeader::checked(&codes, &header.ok_or(Error::Conflict("the vault"))?)?;
        if rows.code(&codes) != header.codes.rows {
            return Err(tampered(vault, "its rows are not those it had"));
        }
        let tally = TallyChange::of(&codes, batch);
        Ok(Self { header, rows: rows.code_after(&codes, &tally), tally })
    }
}

/// A commit that the store has taken, for the open vault to follow.
struct StoredAct {
    expected: Revision,
    reached: CodedHeader,
    tally: TallyChange,
    first_seq: u64,
}

/// One change of a vault and the audit entries that go with it.
pub(crate) struct Act {
    pub(crate) batch: Batch,
    /// The first of them names an intent that the batch opens.
    pub(crate) entries: Vec<AuditEntry>,
    /// The receipt that the erasure will end with. Its number is settled with the commit.
    pub(crate) receipt: Option<Box<Receipt>>,
    /// The notification that recipients get about the commit.
    pub(crate) notification: Option<Notification>,
    /// True when it holds only for the vault as it was read: another process's commit makes it a conflict.
    pub(crate) as_planned: bool,
}

impl Act {
    pub(crate) fn new(scope: &Scope, at: Timestamp, entry: AuditEntry) -> Self {
        Self { entries: vec![entry], ..Self::silent(scope, at) }
    }

    /// An act that has no entry yet.
    pub(crate) fn silent(scope: &Scope, at: Timestamp) -> Self {
        // The revision and the audit rows are filled in at each attempt.
        let batch = Batch::new(scope.clone(), at, Revision::ZERO);
        Self { batch, entries: Vec::new(), receipt: None, notification: None, as_planned: false }
    }

    /// Returns true when it writes rows or settings that were read before: changes by another process would be
    /// lost.
    fn rewrites(&self) -> bool {
        let kept = |row: &Row| row.body == SealedBody::Unchanged && row.state != Lifecycle::Deleted;
        self.as_planned || self.batch.settings.is_some() || self.batch.puts.iter().any(kept)
    }

    /// Adds an entry about `memories`, unless there are none.
    pub(crate) fn record<'a>(
        &mut self,
        action: AuditAction,
        actor: impl Into<Acting<'a>>,
        memories: &[MemoryId],
    ) {
        if !memories.is_empty() {
            let subjects = memories.iter().map(|id| (*id).into()).collect();
            self.entries.push(AuditEntry::new(action, actor, subjects));
        }
    }
}

pub(crate) struct Committed {
    /// The sequence number of the first audit entry, which also names an intent.
    pub(crate) audit_seq: u64,
}
