//! A store that lives as long as the process: for tests and for assistants that must not write to disk.

use std::collections::{BTreeMap, HashMap};
use std::sync::RwLock;

use jiff::Timestamp;

use super::check::{
    check_batch, forgotten, intent_taken, next_header, no_body_to_keep, no_entry_to_age, no_such_record,
    record_taken,
};
use super::jobs::{check_claim, check_end};
use super::{
    AUDIT_PAGE_MAX, AccessRows, AuditRow, Batch, JobClaim, JobEnd, JobRow, MEMBERS_PAGE_MAX, MEMBERSHIPS_MAX,
    MemberRow, PendingErasure, RECORDS_PAGE_MAX, Record, RecordChange, RecordKind, Row, SealedBody,
    SealedSettings, Store, TOKENS_PAGE_MAX, TOMBSTONES_PAGE_MAX, TokenChange, TokenRow, TombstoneRow,
    VAULTS_PAGE_MAX, VaultChange, VaultHeader,
};
use lacuna_types::{Error, Result};
use lacuna_types::{Group, Lifecycle, MemoryId, OrgId, Revision, UserId, VaultId};

/// Sealed memories in RAM, for tests and for vaults that need not last.
#[derive(Default)]
pub struct RamStore(RwLock<RamRows>);

#[derive(Default)]
struct RamRows {
    vaults: BTreeMap<VaultId, RamVault>,
    access: HashMap<OrgId, AccessRows>,
    records: Records,
    jobs: BTreeMap<String, JobRow>,
    /// The last revisions of vaults that were destroyed.
    ended: HashMap<VaultId, Revision>,
}

type Records = BTreeMap<(OrgId, RecordKind, u64), Record>;

struct RamVault {
    header: VaultHeader,
    rows: HashMap<MemoryId, (Revision, Row)>,
    tombstones: BTreeMap<MemoryId, Tombstone>,
    intents: BTreeMap<u64, PendingErasure>,
    audit: Vec<AuditRow>,
    settings: Option<SealedSettings>,
}

struct Tombstone {
    revision: Revision,
    at: Timestamp,
    brief: bool,
}

impl RamStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn read<T>(&self, read: impl FnOnce(&RamRows) -> T) -> T {
        read(&self.0.read().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    fn of_vault<T: Default>(&self, vault: VaultId, read: impl FnOnce(&RamVault) -> T) -> T {
        self.read(|shelf| shelf.vaults.get(&vault).map(read).unwrap_or_default())
    }
}

impl Store for RamStore {
    fn vault(&self, vault: VaultId) -> Result<Option<VaultHeader>> {
        Ok(self.of_vault(vault, |vault| Some(vault.header.clone())))
    }

    fn revision(&self, vault: VaultId) -> Result<Revision> {
        Ok(self.of_vault(vault, |vault| vault.header.revision))
    }

    fn changes(
        &self,
        vault: VaultId,
        since: Revision,
        visit: &mut dyn FnMut(VaultChange) -> Result<()>,
    ) -> Result<Option<VaultHeader>> {
        // Copied out first, so that a slow visitor does not hold up writers.
        let (changes, header) =
            self.of_vault(vault, |vault| (vault.changes(since), Some(vault.header.clone())));
        changes.into_iter().try_for_each(|(_, change)| visit(change))?;
        Ok(header)
    }

    fn rows(&self, vault: VaultId, ids: &[MemoryId]) -> Result<Vec<Option<Row>>> {
        Ok(self.read(|shelf| {
            let rows = shelf.vaults.get(&vault).map(|vault| &vault.rows);
            ids.iter().map(|id| rows?.get(id).map(|(_, row)| row.clone())).collect()
        }))
    }

    fn commit(&self, batch: Batch) -> Result<Revision> {
        check_batch(&batch)?;
        let mut shelf = self.0.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        shelf.commit(batch)
    }

    fn intents(&self, vault: VaultId) -> Result<Vec<PendingErasure>> {
        Ok(self.of_vault(vault, |vault| vault.intents.values().cloned().collect()))
    }

    fn audit(&self, vault: VaultId, after: u64) -> Result<Vec<AuditRow>> {
        Ok(self.of_vault(vault, |vault| {
            vault.audit.iter().filter(|row| row.seq > after).take(AUDIT_PAGE_MAX).cloned().collect()
        }))
    }

    fn token(&self, hash: &[u8; 32]) -> Result<Option<TokenRow>> {
        Ok(self.read(|shelf| {
            let mut tokens = shelf.access.values().flat_map(|access| &access.tokens);
            tokens.find(|token| token.hash == *hash).cloned()
        }))
    }

    fn tokens(&self, org: &OrgId) -> Result<Vec<TokenRow>> {
        let mut tokens = self.access(org)?.tokens;
        tokens.sort_by_key(|token| (token.created_at, token.id));
        tokens.truncate(TOKENS_PAGE_MAX);
        Ok(tokens)
    }

    fn memberships(&self, org: &OrgId, user: &UserId) -> Result<Vec<Group>> {
        Ok(self.read(|shelf| {
            let all = shelf.access.get(org).into_iter().flat_map(|access| &access.members);
            let theirs = all.filter(|(_, member)| member.user == *user);
            theirs.take(MEMBERSHIPS_MAX).map(|(group, _)| group.clone()).collect()
        }))
    }

    fn members(&self, org: &OrgId, group: &Group, after: Option<&UserId>) -> Result<Vec<MemberRow>> {
        Ok(self.read(|shelf| {
            let all = shelf.access.get(org).into_iter().flat_map(|access| &access.members);
            let theirs = all.filter(|(of, _)| of == group).map(|(_, member)| member);
            let rest = theirs.filter(|member| after.is_none_or(|after| member.user > *after));
            rest.take(MEMBERS_PAGE_MAX).cloned().collect()
        }))
    }

    fn access(&self, org: &OrgId) -> Result<AccessRows> {
        Ok(self.read(|shelf| shelf.access.get(org).cloned().unwrap_or_default()))
    }

    fn vaults(&self, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultHeader>> {
        Ok(self.read(|shelf| {
            let above = shelf.vaults.values().filter(|vault| after.is_none_or(|id| vault.header.id > id));
            above.take(limit.min(VAULTS_PAGE_MAX)).map(|vault| vault.header.clone()).collect()
        }))
    }

    fn destroy(&self, vault: VaultId) -> Result<()> {
        let mut shelf = self.0.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(gone) = shelf.vaults.remove(&vault) {
            shelf.ended.insert(vault, gone.header.revision);
        }
        Ok(())
    }

    fn tombstones(&self, vault: VaultId, after: Option<MemoryId>) -> Result<Vec<TombstoneRow>> {
        Ok(self.of_vault(vault, |vault| {
            let rest = vault.tombstones.iter().filter(|(id, _)| after.is_none_or(|after| **id > after));
            let row = |(id, stone): (&MemoryId, &Tombstone)| TombstoneRow {
                id: *id,
                at: stone.at,
                brief: stone.brief,
            };
            rest.take(TOMBSTONES_PAGE_MAX).map(row).collect()
        }))
    }

    fn soft_deleted(&self, before: Timestamp, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultId>> {
        let hidden = |row: &Row| row.state == Lifecycle::Deleted && row.updated_at < before;
        Ok(self.read(|shelf| shelf.vaults_with(hidden, after, limit)))
    }

    fn expiring(&self, before: Timestamp, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultId>> {
        let expires =
            |row: &Row| row.state != Lifecycle::Deleted && row.expires_at.is_some_and(|at| at < before);
        Ok(self.read(|shelf| shelf.vaults_with(expires, after, limit)))
    }

    fn settings(&self, vault: VaultId) -> Result<Option<SealedSettings>> {
        Ok(self.of_vault(vault, |vault| vault.settings.clone()))
    }

    fn jobs(&self) -> Result<Vec<JobRow>> {
        Ok(self.read(|shelf| shelf.jobs.values().cloned().collect()))
    }

    fn claim_job(&self, claim: &JobClaim) -> Result<bool> {
        check_claim(claim)?;
        let mut shelf = self.0.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        let job = shelf.jobs.entry(claim.name.clone()).or_insert_with(|| unclaimed(claim));
        let due = claim.early || job.due_at <= claim.at;
        let free = job.claimed_until.is_none_or(|until| until <= claim.at);
        if due && free {
            job.claimed_by = Some(claim.node.clone());
            job.claimed_until = Some(claim.until);
            job.began_at = Some(claim.at);
        }
        Ok(due && free)
    }

    fn renew_job(&self, claim: &JobClaim) -> Result<bool> {
        check_claim(claim)?;
        let mut shelf = self.0.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        let job = shelf.claimed(&claim.name, &claim.node);
        Ok(job.map(|job| job.claimed_until = Some(claim.until)).is_some())
    }

    fn end_job(&self, end: &JobEnd) -> Result<bool> {
        check_end(end)?;
        let mut shelf = self.0.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Some(job) = shelf.claimed(&end.name, &end.node) else { return Ok(false) };
        job.claimed_by = None;
        job.claimed_until = None;
        job.ended_at = Some(end.ended_at);
        job.due_at = end.due_at;
        job.outcome = Some(end.outcome.clone());
        job.done = end.done;
        job.failures = end.failures;
        Ok(true)
    }

    fn records(&self, org: &OrgId, kind: RecordKind, after: u64, limit: usize) -> Result<Vec<Record>> {
        Ok(self.read(|shelf| {
            let all = shelf.records.values().filter(|record| record.org == *org && record.kind == kind);
            let rest = all.filter(|record| record.number > after);
            rest.take(limit.min(RECORDS_PAGE_MAX)).cloned().collect()
        }))
    }

    fn vault_records(
        &self,
        org: &OrgId,
        kind: RecordKind,
        vault: VaultId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Record>> {
        let own = |record: &&Record| {
            record.org == *org && record.kind == kind && record.vault == Some(vault) && record.number > after
        };
        let limit = limit.min(RECORDS_PAGE_MAX);
        Ok(self.read(|shelf| shelf.records.values().filter(own).take(limit).cloned().collect()))
    }

    fn last_record(&self, org: &OrgId, kind: RecordKind) -> Result<u64> {
        Ok(self.read(|shelf| {
            let all = shelf.records.keys().filter(|(of, what, _)| of == org && *what == kind);
            all.map(|(_, _, number)| *number).max().unwrap_or(0)
        }))
    }

    fn due_records(&self, kind: RecordKind, at: Timestamp, limit: usize) -> Result<Vec<Record>> {
        let due = |record: &&Record| {
            record.kind == kind && record.done_at.is_none() && record.due_at.is_some_and(|due| due <= at)
        };
        let mut records: Vec<_> = self.read(|shelf| shelf.records.values().filter(due).cloned().collect());
        records.sort_by(|a, b| (a.due_at, &a.org, a.number).cmp(&(b.due_at, &b.org, b.number)));
        records.truncate(limit.min(RECORDS_PAGE_MAX));
        Ok(records)
    }
}

/// A job that nobody ran yet.
fn unclaimed(claim: &JobClaim) -> JobRow {
    JobRow {
        name: claim.name.clone(),
        due_at: claim.at,
        claimed_by: None,
        claimed_until: None,
        began_at: None,
        ended_at: None,
        outcome: None,
        done: 0,
        failures: 0,
    }
}

impl RamRows {
    fn vaults_with(
        &self,
        wanted: impl Fn(&Row) -> bool,
        after: Option<VaultId>,
        limit: usize,
    ) -> Vec<VaultId> {
        let above = self.vaults.iter().filter(|(id, _)| after.is_none_or(|after| **id > after));
        let holding = above.filter(|(_, vault)| vault.rows.values().any(|(_, row)| wanted(row)));
        holding.take(limit.min(VAULTS_PAGE_MAX)).map(|(id, _)| *id).collect()
    }

    fn claimed(&mut self, job: &str, node: &str) -> Option<&mut JobRow> {
        self.jobs.get_mut(job).filter(|job| job.claimed_by.as_deref() == Some(node))
    }

    /// Tokens and memberships after the batch, or `None` when it changes none.
    fn changed_access(&self, batch: &Batch) -> Result<Option<AccessRows>> {
        if batch.tokens.is_empty() && batch.members.is_empty() {
            return Ok(None);
        }
        let known = self.access.values().flat_map(|access| &access.tokens);
        let taken = |change: &TokenChange| match change {
            TokenChange::Add(new) => known.clone().any(|token| token.id == new.id || token.hash == new.hash),
            TokenChange::Revoke { .. } => false,
        };
        if batch.tokens.iter().any(taken) {
            return Err(Error::Conflict("the token"));
        }
        self.access.get(&batch.scope.org).cloned().unwrap_or_default().after(batch).map(Some)
    }

    /// Everything that can fail comes first, so that a refused batch leaves no trace.
    fn commit(&mut self, batch: Batch) -> Result<Revision> {
        let stored = self.vaults.get(&batch.vault);
        let ended = self.ended.get(&batch.vault).copied().unwrap_or_default();
        let header = next_header(stored.map(|vault| vault.header.clone()), ended, &batch)?;
        check_fits(stored, &batch)?;
        let access = self.changed_access(&batch)?;
        let records = changed_records(&self.records, &batch)?;
        if let Some(access) = access {
            self.access.insert(batch.scope.org.clone(), access);
        }
        if let Some(records) = records {
            self.records = records;
        }

        let revision = header.revision;
        self.vaults.entry(batch.vault).or_insert_with(|| RamVault::new(header.clone())).apply(header, batch);
        Ok(revision)
    }
}

fn check_fits(stored: Option<&RamVault>, batch: &Batch) -> Result<()> {
    let is_forgotten = |row: &Row| stored.is_some_and(|vault| vault.tombstones.contains_key(&row.id));
    if batch.puts.iter().any(is_forgotten) {
        return Err(forgotten());
    }
    let is_there = |row: &Row| stored.is_some_and(|vault| vault.rows.contains_key(&row.id));
    if batch.puts.iter().any(|row| row.body == SealedBody::Unchanged && !is_there(row)) {
        return Err(no_body_to_keep());
    }
    let is_kept = |seq: u64| stored.is_some_and(|vault| vault.audit.iter().any(|row| row.seq == seq));
    if !batch.aged.iter().all(|aged| is_kept(aged.seq)) {
        return Err(no_entry_to_age());
    }
    let taken = |intent: &PendingErasure| stored.is_some_and(|vault| vault.intents.contains_key(&intent.id));
    if batch.opens.iter().any(taken) { Err(intent_taken()) } else { Ok(()) }
}

/// The record books after the batch, or `None` when it changes none.
fn changed_records(records: &Records, batch: &Batch) -> Result<Option<Records>> {
    if batch.records.is_empty() {
        return Ok(None);
    }
    let mut changed = records.clone();
    for change in &batch.records {
        match change {
            RecordChange::Add(record) => {
                let name = (record.org.clone(), record.kind, record.number);
                if changed.insert(name, record.clone()).is_some() {
                    return Err(record_taken());
                }
            }
            RecordChange::Update(record) => {
                let name = (record.org.clone(), record.kind, record.number);
                *changed.get_mut(&name).ok_or_else(no_such_record)? = record.clone();
            }
            RecordChange::Drop { kind, number } => {
                let name = (batch.scope.org.clone(), *kind, *number);
                changed.remove(&name).ok_or_else(no_such_record)?;
            }
        }
    }
    Ok(Some(changed))
}

impl RamVault {
    fn new(header: VaultHeader) -> Self {
        Self {
            header,
            rows: HashMap::new(),
            tombstones: BTreeMap::new(),
            intents: BTreeMap::new(),
            audit: Vec::new(),
            settings: None,
        }
    }

    fn changes(&self, since: Revision) -> Vec<(Revision, VaultChange)> {
        let puts = self.rows.values().filter(|(revision, _)| *revision > since);
        let puts = puts.map(|(revision, row)| (*revision, VaultChange::Put(row.without_body())));
        let gone = self.tombstones.iter().filter(|(_, stone)| stone.revision > since);
        let gone = gone.map(|(id, stone)| (stone.revision, VaultChange::Gone(*id)));
        let mut changes: Vec<_> = puts.chain(gone).collect();
        changes.sort_by_key(|(revision, _)| *revision);
        changes
    }

    fn apply(&mut self, header: VaultHeader, batch: Batch) {
        let revision = header.revision;
        self.header = header;
        for mut row in batch.puts {
            let stored = self.rows.remove(&row.id);
            if let (SealedBody::Unchanged, Some((_, stored))) = (&row.body, stored) {
                row.body = stored.body;
            }
            self.rows.insert(row.id, (revision, row));
        }
        for id in batch.removals {
            self.rows.remove(&id);
            self.tombstones.entry(id).or_insert(Tombstone { revision, at: batch.at, brief: batch.brief });
        }
        if let Some(before) = batch.forget_tombstones_before {
            self.tombstones.retain(|_, stone| stone.at >= before);
        }
        if let Some(before) = batch.forget_brief_before {
            self.tombstones.retain(|_, stone| !stone.brief || stone.at >= before);
        }
        if let Some(settings) = batch.settings {
            self.settings = Some(settings);
        }
        self.intents.extend(batch.opens.into_iter().map(|intent| (intent.id, intent)));
        for id in batch.closes {
            self.intents.remove(&id);
        }
        for aged in batch.aged {
            if let Some(row) = self.audit.iter_mut().find(|row| row.seq == aged.seq) {
                row.entry = aged.digest;
            }
        }
        self.audit.extend(batch.audit);
    }
}

impl Row {
    /// A copy as it stands in a [`VaultChange`].
    fn without_body(&self) -> Self {
        Self {
            id: self.id,
            state: self.state,
            created_at: self.created_at,
            updated_at: self.updated_at,
            expires_at: self.expires_at,
            key_version: self.key_version,
            frame_revision: self.frame_revision,
            frame: self.frame.clone(),
            body: SealedBody::Unchanged,
        }
    }
}
