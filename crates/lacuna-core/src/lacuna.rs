//! The service: one set of operations behind every door. Each asks for the grant that permits it.

use std::sync::{Arc, OnceLock};

use jiff::{SignedDuration, Timestamp};
use lacuna_seal::Entropy;

use crate::admit::Rulebook;
use crate::audit::{AuditAction, AuditEntry, ReadLog};
use crate::context::Cooldowns;
use crate::deliver::{Recipient, Tidings};
use crate::forget::Receipt;
use crate::meaning::{Backlog, Models};
use crate::rehearse::Rehearsals;
use crate::session::Desk;
use crate::vault::{Keyring, OpenVault, Slot, Sources, Vaults, missing_keys, was_destroyed};
use lacuna_language::classify::Prototypes;
use lacuna_store::blobs::Blobs;
use lacuna_store::keys::{KeyBatch, KeyStore, LocalKms};
use lacuna_store::rows::{Batch, Body, ChainHead, Row, Store};
use lacuna_types::llm::Llm;
use lacuna_types::policy::Policy;
use lacuna_types::token_count::{TokenCounter, estimate};
use lacuna_types::{Clock, Lifecycle, MemoryId, OrgId, Revision, Scope};
use lacuna_types::{Error, Result};

/// How often a write that met another node's is tried before the caller is told.
pub(crate) const COMMIT_ATTEMPTS_MAX: usize = 8;
/// What opened vaults may take in RAM, unless configured.
pub const OPEN_BYTES_MAX_DEFAULT: usize = 1 << 30;

/// What a service is made of. Tests pass their own clock, entropy, stores and models.
pub struct Parts {
    pub store: Arc<dyn Store>,
    pub keys: Arc<dyn KeyStore>,
    pub kms: LocalKms,
    pub blobs: Blobs,
    pub models: Models,
    pub rules: Rulebook,
    pub clock: Arc<dyn Clock>,
    pub entropy: Arc<dyn Entropy>,
    /// Opened vaults are sealed, longest unused first, beyond this many bytes.
    pub open_bytes_max: usize,
}

pub struct Lacuna {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) keys: Arc<dyn KeyStore>,
    pub(crate) kms: LocalKms,
    pub(crate) blobs: Blobs,
    pub(crate) models: Models,
    pub(crate) rules: Rulebook,
    /// Examples of every label under the instant model, embedded once.
    pub(crate) prototypes: OnceLock<Prototypes>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) vaults: Vaults,
    pub(crate) backlog: Backlog,
    pub(crate) reads: ReadLog,
    pub(crate) rehearsals: Rehearsals,
    pub(crate) cooldowns: Cooldowns,
    pub(crate) token_counter: TokenCounter,
    /// What sessions under way hold in RAM.
    pub(crate) desk: Desk,
    /// Whom to tell of erasures.
    pub(crate) recipients: Vec<Recipient>,
    /// Condenses turns, where one is configured.
    pub(crate) llm: Option<Arc<dyn Llm>>,
}

/// What the opened vaults take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenLoad {
    pub vaults: usize,
    pub bytes: usize,
}

impl Lacuna {
    pub fn new(parts: Parts) -> Self {
        let Parts { store, keys, kms, blobs, models, rules, clock, entropy, open_bytes_max } = parts;
        let vaults = Vaults::new(open_bytes_max);
        let (prototypes, backlog, reads) = (OnceLock::new(), Backlog::default(), ReadLog::default());
        Self {
            store,
            keys,
            kms,
            blobs,
            models,
            rules,
            prototypes,
            clock,
            entropy,
            vaults,
            backlog,
            reads,
            rehearsals: Rehearsals::default(),
            cooldowns: Cooldowns::default(),
            token_counter: Arc::new(estimate),
            desk: Desk::default(),
            recipients: Vec::new(),
            llm: None,
        }
    }

    /// Lets a language model condense turns; without one, sentences are picked.
    pub fn condensing_by(mut self, llm: Option<Arc<dyn Llm>>) -> Self {
        self.llm = llm;
        self
    }

    /// Counts tokens by `counter` from now on; [`estimate`] counts until then.
    pub fn counting(self, counter: TokenCounter) -> Self {
        Self { token_counter: counter, ..self }
    }

    pub fn count_tokens(&self, text: &str) -> usize {
        (self.token_counter)(text)
    }

    /// The rules that an organisation's memories live under.
    pub fn policy(&self, org: &OrgId) -> &Policy {
        self.rules.policies.of(org)
    }

    pub fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// Whether the service can serve: the stores answer, and the key files open the first vault there is.
    pub fn check(&self) -> Result<()> {
        self.keys.vaults(None, 1)?;
        let Some(first) = self.store.vaults(None, 1)?.pop() else { return Ok(()) };
        match self.keys.vault_keys(first.id)? {
            Some(keys) => Keyring::open(&first.scope, &self.kms, &keys).map(drop),
            None if was_destroyed(self.sources(), first.id)? => Ok(()),
            None => Err(missing_keys()),
        }
    }

    pub fn open_load(&self) -> OpenLoad {
        let (vaults, bytes) = self.vaults.load();
        OpenLoad { vaults, bytes }
    }

    /// Seals the vaults that nobody has used for `idle`. Answers with how many.
    pub fn seal_idle(&self, idle: SignedDuration) -> usize {
        self.desk.drop_idle(|org| self.resting_since(org));
        self.vaults.seal_idle(self.clock.now(), idle)
    }

    /// Seals every vault that is not in use at this moment.
    pub fn seal_all(&self) -> usize {
        self.vaults.seal_all()
    }

    pub(crate) fn sources(&self) -> Sources<'_> {
        Sources { store: &*self.store, keys: &*self.keys, kms: &self.kms, blobs: &self.blobs }
    }

    pub(crate) fn slot(&self, scope: &Scope) -> Arc<Slot> {
        self.vaults.slot(scope, self.clock.now())
    }

    /// Runs `read` on the vault as it now stands, or answers `None` before its first write.
    pub(crate) fn read<R>(&self, scope: &Scope, read: impl FnOnce(&OpenVault) -> R) -> Result<Option<R>> {
        self.read_in(&self.slot(scope), read)
    }

    /// As [`Self::read`], in a slot that the caller has already.
    pub(crate) fn read_in<R>(&self, slot: &Slot, read: impl FnOnce(&OpenVault) -> R) -> Result<Option<R>> {
        let bytes = slot.bytes();
        let result = slot.read(self.sources(), read)?;
        if slot.bytes() != bytes {
            self.vaults.make_room(slot.vault());
        }
        Ok(result)
    }

    /// As [`Self::read`], for a caller. A vault that was closed goes into the backlog, because a crash may
    /// have left an erasure or a vector unfinished.
    pub(crate) fn serve<R>(&self, scope: &Scope, read: impl FnOnce(&OpenVault) -> R) -> Result<Option<R>> {
        if self.slot(scope).bytes() == 0 {
            self.backlog.push(scope);
            self.read(scope, |_| ())?;
        }
        self.wake(scope)?;
        self.read(scope, read)
    }

    /// Lets an open vault do what became due since it was last asked.
    pub(crate) fn wake(&self, scope: &Scope) -> Result<()> {
        match self.slot(scope).peek(|vault| !vault.approved.is_empty()) {
            Some(true) => self.activate_due(scope).map(drop),
            _ => Ok(()),
        }
    }

    /// Makes the vault's root key if it has none. The caller holds the writer lock.
    pub(crate) fn ensure_vault(&self, slot: &Slot, scope: &Scope) -> Result<()> {
        if slot.update(self.sources(), |_| Ok(()))?.is_some() {
            return Ok(());
        }
        self.clear_destroyed(scope)?;
        let _epoch = self.kms.lock_epoch(false)?;
        let (keyring, root) = Keyring::make(scope, &self.kms, &*self.entropy)?;
        let batch =
            KeyBatch { root: Some((root, None)), ..KeyBatch::new(scope.vault_id(), self.clock.now()) };
        match self.keys.commit(batch) {
            Ok(()) => slot.install(OpenVault::empty(keyring)),
            // Another process made it first: theirs is the vault.
            Err(Error::Conflict(_)) => {}
            Err(error) => return Err(error),
        }
        slot.update(self.sources(), |_| Ok(()))?.ok_or(Error::Conflict("the vault"))
    }

    /// Commits `act` to the vault with its audit entry, then applies it to the open index.
    ///
    /// The caller holds the writer lock; another process may still be faster. Then an act that only adds or
    /// erases is tried again on top of theirs; one that changes rows as it read them is a conflict.
    pub(crate) fn commit(
        &self,
        slot: &Slot,
        act: &Act,
        apply: impl FnOnce(&mut OpenVault),
    ) -> Result<Committed> {
        let attempts = if act.rewrites() { 1 } else { COMMIT_ATTEMPTS_MAX };
        for _ in 0..attempts {
            let (expected, audit) = slot
                .update(self.sources(), |vault| Ok((vault.revision, vault.audit)))?
                .unwrap_or((Revision::ZERO, ChainHead::default()));
            let mut batch = Batch { expected, ..act.batch.clone() };
            let seq = audit.seq + 1;
            for id in &mut batch.opens {
                id.id = seq;
            }
            let mut entries = act.entries.clone();
            let receipt =
                act.receipt.as_ref().map(|receipt| self.numbered(receipt, &mut entries)).transpose()?;
            let entries = entries.iter().map(|entry| (act.batch.at, entry));
            let audit = self.extend_chain(&mut batch, audit, entries)?;
            if let Some(receipt) = receipt {
                Receipt { audit, ..receipt }.open_in(&mut batch);
            }
            if let Some(tidings) = &act.tidings {
                batch.records.extend(self.deliveries(tidings)?);
            }
            match self.store.commit(batch) {
                Ok(revision) => {
                    slot.apply(expected, revision, audit, apply);
                    return Ok(Committed { audit_seq: seq });
                }
                Err(Error::Conflict(_)) => {}
                Err(error) => {
                    // The batch may have been written or not: what is open can no longer be trusted.
                    slot.discard();
                    return Err(error);
                }
            }
        }
        Err(Error::Conflict("the vault"))
    }
}

/// One change of a vault and the audit entries that go with it.
pub(crate) struct Act {
    pub(crate) batch: Batch,
    /// The first of them names an intent that the batch opens.
    pub(crate) entries: Vec<AuditEntry>,
    /// The receipt that the erasure will end with. Its number is settled with the commit.
    pub(crate) receipt: Option<Box<Receipt>>,
    /// What recipients are told of it.
    pub(crate) tidings: Option<Tidings>,
}

impl Act {
    pub(crate) fn new(scope: &Scope, at: Timestamp, entry: AuditEntry) -> Self {
        Self { entries: vec![entry], ..Self::silent(scope, at) }
    }

    /// An act that has no entry yet.
    pub(crate) fn silent(scope: &Scope, at: Timestamp) -> Self {
        // The revision and the audit rows are filled in at each attempt.
        let batch = Batch::new(scope.clone(), at, Revision::ZERO);
        Self { batch, entries: Vec::new(), receipt: None, tidings: None }
    }

    /// Whether it writes rows or settings that were read before: what another process did to them would be lost.
    fn rewrites(&self) -> bool {
        let kept = |row: &Row| row.body == Body::Unchanged && row.state != Lifecycle::Deleted;
        self.batch.settings.is_some() || self.batch.puts.iter().any(kept)
    }

    /// Adds an entry about `memories`, unless there are none.
    pub(crate) fn record(&mut self, action: AuditAction, actor: &str, memories: &[MemoryId]) {
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
