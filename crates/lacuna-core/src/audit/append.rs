//! Writing entries: on top of an act, or by themselves.

use super::chain::{append, sign_head};
use jiff::Timestamp;

use super::AuditEntry;
use super::checkpoint::{Checkpoint, is_passed};
use crate::lacuna::{COMMIT_ATTEMPTS_MAX, Lacuna};
use lacuna_store::rows::{AgedEntry, Batch, ChainHead};
use lacuna_types::Scope;
use lacuna_types::{Error, Result};

impl Lacuna {
    /// Puts entries into a batch, a checkpoint where one is passed, and the signature of the chain's new end.
    pub(crate) fn extend_chain<'a>(
        &self,
        batch: &mut Batch,
        mut head: ChainHead,
        entries: impl IntoIterator<Item = (Timestamp, &'a AuditEntry)>,
    ) -> Result<ChainHead> {
        let before = head.seq;
        batch.audit.extend(entries.into_iter().map(|(at, entry)| append(&mut head, at, entry)));
        if head.seq == before {
            return Ok(head);
        }
        let key = self.kms.signing_key(&*self.entropy)?;
        if is_passed(before, head.seq) {
            let entry = Checkpoint::entry(&head, batch.vault, &key);
            batch.audit.push(append(&mut head, batch.at, &entry));
        }
        batch.audit_signature = Some(*sign_head(&head, batch.vault, &key).as_bytes());
        Ok(head)
    }

    /// Appends entries to a vault's chain and changes nothing else; the vault need not be open for it. Before
    /// its first commit and after its destruction there is no chain to append to.
    pub(crate) fn append_entries(&self, scope: &Scope, entries: &[(Timestamp, AuditEntry)]) -> Result<()> {
        self.append_aging(scope, entries, Vec::new())
    }

    /// As [`Self::append_entries`], and lets old entries go in the same commit.
    pub(super) fn append_aging(
        &self,
        scope: &Scope,
        entries: &[(Timestamp, AuditEntry)],
        aged: Vec<AgedEntry>,
    ) -> Result<()> {
        self.append_with(scope, |batch, head| {
            batch.aged = aged.clone();
            self.extend_chain(batch, head, entries.iter().map(|(at, entry)| (*at, entry)))
        })
    }

    /// Signs a checkpoint at the end of the vault's chain.
    pub(crate) fn checkpoint(&self, scope: &Scope) -> Result<()> {
        let key = self.kms.signing_key(&*self.entropy)?;
        self.append_with(scope, |batch, head| {
            let entry = Checkpoint::entry(&head, batch.vault, &key);
            let at = batch.at;
            self.extend_chain(batch, head, [(at, &entry)])
        })
    }

    fn append_with(
        &self,
        scope: &Scope,
        fill: impl Fn(&mut Batch, ChainHead) -> Result<ChainHead>,
    ) -> Result<()> {
        let slot = self.slot(scope);
        let _writer = slot.lock_writer();
        for _ in 0..COMMIT_ATTEMPTS_MAX {
            let Some(header) = self.store.vault(scope.vault_id())? else { return Ok(()) };
            let mut batch = Batch::new(scope.clone(), self.clock.now(), header.revision);
            let head = fill(&mut batch, header.audit)?;
            match self.store.commit(batch) {
                Ok(revision) => {
                    slot.apply(header.revision, revision, head, |_| ());
                    return Ok(());
                }
                Err(Error::Conflict(_)) => {}
                Err(error) => {
                    // It may have been written or not: what is open can no longer be trusted.
                    slot.discard();
                    return Err(error);
                }
            }
        }
        Err(Error::Conflict("the vault"))
    }
}
