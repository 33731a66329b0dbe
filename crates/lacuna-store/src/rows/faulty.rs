//! A store that fails on purpose, so that tests can see what a failure at every single step leaves behind.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use super::{
    AccessRows, AuditRow, Batch, JobClaim, JobEnd, JobRow, KeyedClaim, KeyedEnd, KeyedStanding, MemberRow,
    PendingErasure, Record, RecordKind, Row, SealedSettings, Store, TokenRow, TombstoneRow, VaultChange,
    VaultHeader,
};
use lacuna_types::{Error, Result};
use lacuna_types::{Group, MemoryId, OrgId, Revision, UserId, VaultId};

/// The moment of a failure: before or after the operation took effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultTiming {
    /// It did not.
    Before,
    /// It did, and only the answer was lost.
    After,
}

/// Counts operations and says which one fails. Several wrappers may share one.
#[derive(Default)]
pub struct Faults {
    operations: AtomicU64,
    plan: Mutex<Option<FaultPlan>>,
    meanwhile: Mutex<Option<Meanwhile>>,
}

/// The work of another process, before one operation.
struct Meanwhile {
    at: u64,
    work: Box<dyn FnOnce() + Send>,
}

#[derive(Clone, Copy)]
struct FaultPlan {
    at: u64,
    when: FaultTiming,
    for_good: bool,
}

impl Faults {
    /// Fails nothing until it is told to.
    pub fn none() -> Arc<Self> {
        Arc::default()
    }

    /// The `n`-th operation from now on fails, counted from one; the others work.
    pub fn fail(&self, n: u64, when: FaultTiming) {
        self.set(FaultPlan { at: self.operations() + n, when, for_good: false });
    }

    /// The `n`-th operation from now on fails and so does every later one, as if the process had died.
    pub fn die(&self, n: u64, when: FaultTiming) {
        self.set(FaultPlan { at: self.operations() + n, when, for_good: true });
    }

    /// Runs `work` just before the `n`-th operation from now on, as another process would that is faster.
    pub fn meanwhile(&self, n: u64, work: impl FnOnce() + Send + 'static) {
        *lock(&self.meanwhile) = Some(Meanwhile { at: self.operations() + n, work: Box::new(work) });
    }

    /// Everything works again.
    pub fn heal(&self) {
        *lock(&self.plan) = None;
    }

    /// Operations so far.
    pub fn operations(&self) -> u64 {
        self.operations.load(Ordering::SeqCst)
    }

    /// Runs one operation, unless it is its turn to fail.
    pub fn run<T>(&self, operation: impl FnOnce() -> Result<T>) -> Result<T> {
        let number = self.operations.fetch_add(1, Ordering::SeqCst) + 1;
        let meanwhile = lock(&self.meanwhile).take_if(|meanwhile| meanwhile.at == number);
        if let Some(meanwhile) = meanwhile {
            (meanwhile.work)();
        }
        let plan = *lock(&self.plan);
        match plan {
            Some(plan) if number == plan.at && plan.when == FaultTiming::After => {
                operation()?;
                Err(injected())
            }
            Some(plan) if number == plan.at || (plan.for_good && number > plan.at) => Err(injected()),
            _ => operation(),
        }
    }

    fn set(&self, plan: FaultPlan) {
        *lock(&self.plan) = Some(plan);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn injected() -> Error {
    Error::Unavailable { code: "store_unavailable", reason: "a test made this fail".into(), source: None }
}

/// Passes everything on to another store, except what [`Faults`] makes fail.
pub struct FaultyStore {
    inner: Arc<dyn Store>,
    faults: Arc<Faults>,
}

impl FaultyStore {
    /// Wraps a store; `faults` decides about every operation.
    pub fn new(inner: Arc<dyn Store>, faults: Arc<Faults>) -> Self {
        Self { inner, faults }
    }
}

impl Store for FaultyStore {
    fn vault(&self, vault: VaultId) -> Result<Option<VaultHeader>> {
        self.faults.run(|| self.inner.vault(vault))
    }

    fn revision(&self, vault: VaultId) -> Result<Revision> {
        self.faults.run(|| self.inner.revision(vault))
    }

    fn changes(
        &self,
        vault: VaultId,
        since: Revision,
        visit: &mut dyn FnMut(VaultChange) -> Result<()>,
    ) -> Result<Option<VaultHeader>> {
        self.faults.run(|| self.inner.changes(vault, since, visit))
    }

    fn rows(&self, vault: VaultId, ids: &[MemoryId]) -> Result<Vec<Option<Row>>> {
        self.faults.run(|| self.inner.rows(vault, ids))
    }

    fn commit(&self, batch: Batch) -> Result<Revision> {
        self.faults.run(|| self.inner.commit(batch))
    }

    fn intents(&self, vault: VaultId) -> Result<Vec<PendingErasure>> {
        self.faults.run(|| self.inner.intents(vault))
    }

    fn audit(&self, vault: VaultId, after: u64) -> Result<Vec<AuditRow>> {
        self.faults.run(|| self.inner.audit(vault, after))
    }

    fn token(&self, hash: &[u8; 32]) -> Result<Option<TokenRow>> {
        self.faults.run(|| self.inner.token(hash))
    }

    fn tokens(&self, org: &OrgId) -> Result<Vec<TokenRow>> {
        self.faults.run(|| self.inner.tokens(org))
    }

    fn memberships(&self, org: &OrgId, user: &UserId) -> Result<Vec<Group>> {
        self.faults.run(|| self.inner.memberships(org, user))
    }

    fn access(&self, org: &OrgId) -> Result<AccessRows> {
        self.faults.run(|| self.inner.access(org))
    }

    fn members(&self, org: &OrgId, group: &Group, after: Option<&UserId>) -> Result<Vec<MemberRow>> {
        self.faults.run(|| self.inner.members(org, group, after))
    }

    fn vaults(&self, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultHeader>> {
        self.faults.run(|| self.inner.vaults(after, limit))
    }

    fn destroy(&self, vault: VaultId) -> Result<()> {
        self.faults.run(|| self.inner.destroy(vault))
    }

    fn tombstones(&self, vault: VaultId, after: Option<MemoryId>) -> Result<Vec<TombstoneRow>> {
        self.faults.run(|| self.inner.tombstones(vault, after))
    }

    fn soft_deleted(&self, before: Timestamp, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultId>> {
        self.faults.run(|| self.inner.soft_deleted(before, after, limit))
    }

    fn expiring(&self, before: Timestamp, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultId>> {
        self.faults.run(|| self.inner.expiring(before, after, limit))
    }

    fn settings(&self, vault: VaultId) -> Result<Option<SealedSettings>> {
        self.faults.run(|| self.inner.settings(vault))
    }

    fn jobs(&self) -> Result<Vec<JobRow>> {
        self.faults.run(|| self.inner.jobs())
    }

    fn claim_job(&self, claim: &JobClaim) -> Result<bool> {
        self.faults.run(|| self.inner.claim_job(claim))
    }

    fn renew_job(&self, claim: &JobClaim) -> Result<bool> {
        self.faults.run(|| self.inner.renew_job(claim))
    }

    fn end_job(&self, end: &JobEnd) -> Result<bool> {
        self.faults.run(|| self.inner.end_job(end))
    }

    fn shares_keyed(&self) -> bool {
        self.inner.shares_keyed()
    }

    fn claim_keyed(&self, claim: &KeyedClaim) -> Result<KeyedStanding> {
        self.faults.run(|| self.inner.claim_keyed(claim))
    }

    fn renew_keyed(&self, claim: &KeyedClaim) -> Result<bool> {
        self.faults.run(|| self.inner.renew_keyed(claim))
    }

    fn end_keyed(&self, end: &KeyedEnd) -> Result<bool> {
        self.faults.run(|| self.inner.end_keyed(end))
    }

    fn forget_keyed(&self, before: Timestamp) -> Result<u64> {
        self.faults.run(|| self.inner.forget_keyed(before))
    }

    fn records(&self, org: &OrgId, kind: RecordKind, after: u64, limit: usize) -> Result<Vec<Record>> {
        self.faults.run(|| self.inner.records(org, kind, after, limit))
    }

    fn vault_records(
        &self,
        org: &OrgId,
        kind: RecordKind,
        vault: VaultId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Record>> {
        self.faults.run(|| self.inner.vault_records(org, kind, vault, after, limit))
    }

    fn last_record(&self, org: &OrgId, kind: RecordKind) -> Result<u64> {
        self.faults.run(|| self.inner.last_record(org, kind))
    }

    fn due_records(&self, kind: RecordKind, at: Timestamp, limit: usize) -> Result<Vec<Record>> {
        self.faults.run(|| self.inner.due_records(kind, at, limit))
    }
}
