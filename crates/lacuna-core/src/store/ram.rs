//! A store that lives as long as the process: for tests and for assistants that must not write to disk.

use std::collections::{BTreeMap, HashMap};
use std::sync::RwLock;

use jiff::Timestamp;

use super::check::{check_batch, forgotten, intent_taken, next_header, no_body_to_keep, no_entry_to_age};
use super::{
    AUDIT_PAGE_MAX, AuditRow, Batch, Body, Change, Intent, MEMBERS_PAGE_MAX, MEMBERSHIPS_MAX, MemberChange,
    MemberRow, Row, Store, TOKENS_PAGE_MAX, TokenChange, TokenRow, VAULTS_PAGE_MAX, VaultHeader,
};
use crate::domain::{Group, MemoryId, OrgId, Revision, UserId, VaultId};
use crate::error::{Error, Result};

#[derive(Default)]
pub struct RamStore(RwLock<Shelf>);

#[derive(Default)]
struct Shelf {
    vaults: BTreeMap<VaultId, RamVault>,
    tokens: Vec<TokenRow>,
    members: Members,
}

/// Since when each user belongs to each group.
type Members = BTreeMap<(OrgId, Group, UserId), Timestamp>;

struct RamVault {
    header: VaultHeader,
    rows: HashMap<MemoryId, (Revision, Row)>,
    tombstones: HashMap<MemoryId, Revision>,
    intents: BTreeMap<u64, Intent>,
    audit: Vec<AuditRow>,
}

impl RamStore {
    pub fn new() -> Self {
        Self::default()
    }

    fn read<T>(&self, read: impl FnOnce(&Shelf) -> T) -> T {
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
        visit: &mut dyn FnMut(Change) -> Result<()>,
    ) -> Result<Revision> {
        // Copied out first, so that a slow visitor does not hold up writers.
        let (changes, revision) = self.of_vault(vault, |vault| (vault.changes(since), vault.header.revision));
        changes.into_iter().try_for_each(|(_, change)| visit(change))?;
        Ok(revision)
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

    fn intents(&self, vault: VaultId) -> Result<Vec<Intent>> {
        Ok(self.of_vault(vault, |vault| vault.intents.values().cloned().collect()))
    }

    fn audit(&self, vault: VaultId, after: u64) -> Result<Vec<AuditRow>> {
        Ok(self.of_vault(vault, |vault| {
            vault.audit.iter().filter(|row| row.seq > after).take(AUDIT_PAGE_MAX).cloned().collect()
        }))
    }

    fn token(&self, hash: &[u8; 32]) -> Result<Option<TokenRow>> {
        Ok(self.read(|shelf| shelf.tokens.iter().find(|token| token.hash == *hash).cloned()))
    }

    fn tokens(&self, org: &OrgId) -> Result<Vec<TokenRow>> {
        let mut tokens: Vec<_> =
            self.read(|shelf| shelf.tokens.iter().filter(|token| token.org == *org).cloned().collect());
        tokens.sort_by_key(|token| (token.created_at, token.id));
        tokens.truncate(TOKENS_PAGE_MAX);
        Ok(tokens)
    }

    fn memberships(&self, org: &OrgId, user: &UserId) -> Result<Vec<Group>> {
        Ok(self.read(|shelf| {
            let theirs = shelf.members.keys().filter(|(of, _, member)| of == org && member == user);
            theirs.take(MEMBERSHIPS_MAX).map(|(_, group, _)| group.clone()).collect()
        }))
    }

    fn members(&self, org: &OrgId, group: &Group, after: Option<&UserId>) -> Result<Vec<MemberRow>> {
        Ok(self.read(|shelf| {
            let all = shelf.members.iter().filter(|((of, to, _), _)| of == org && to == group);
            let rest = all.filter(|((_, _, user), _)| after.is_none_or(|after| user > after));
            let rows = rest.map(|((_, _, user), at)| MemberRow { user: user.clone(), added_at: *at });
            rows.take(MEMBERS_PAGE_MAX).collect()
        }))
    }

    fn vaults(&self, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultHeader>> {
        Ok(self.read(|shelf| {
            let above = shelf.vaults.values().filter(|vault| after.is_none_or(|id| vault.header.id > id));
            above.take(limit.min(VAULTS_PAGE_MAX)).map(|vault| vault.header.clone()).collect()
        }))
    }
}

impl Shelf {
    /// Everything that can fail comes first, so that a refused batch leaves no trace.
    fn commit(&mut self, batch: Batch) -> Result<Revision> {
        let stored = self.vaults.get(&batch.vault);
        let header = next_header(stored.map(|vault| vault.header.clone()), &batch)?;
        check_fits(stored, &batch)?;
        let members = changed_members(&self.members, &batch)?;
        if !batch.tokens.is_empty() {
            self.tokens = changed_tokens(&self.tokens, &batch)?;
        }
        if let Some(members) = members {
            self.members = members;
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
    if batch.puts.iter().any(|row| row.body == Body::Unchanged && !is_there(row)) {
        return Err(no_body_to_keep());
    }
    let is_kept = |seq: u64| stored.is_some_and(|vault| vault.audit.iter().any(|row| row.seq == seq));
    if !batch.aged.iter().all(|aged| is_kept(aged.seq)) {
        return Err(no_entry_to_age());
    }
    let taken = |intent: &Intent| stored.is_some_and(|vault| vault.intents.contains_key(&intent.id));
    if batch.opens.iter().any(taken) { Err(intent_taken()) } else { Ok(()) }
}

fn changed_tokens(tokens: &[TokenRow], batch: &Batch) -> Result<Vec<TokenRow>> {
    let mut changed = tokens.to_vec();
    batch.tokens.iter().try_for_each(|change| change_token(&mut changed, &batch.scope.org, change))?;
    Ok(changed)
}

fn change_token(tokens: &mut Vec<TokenRow>, org: &OrgId, change: &TokenChange) -> Result<()> {
    match change {
        TokenChange::Add(new) => {
            if tokens.iter().any(|token| token.id == new.id || token.hash == new.hash) {
                return Err(Error::Conflict("the token"));
            }
            tokens.push(new.clone());
        }
        TokenChange::Revoke { id, at } => {
            let token = tokens.iter_mut().find(|token| token.id == *id && token.org == *org);
            token.ok_or(Error::NotFound("token"))?.revoked_at.get_or_insert(*at);
        }
    }
    Ok(())
}

/// The memberships after the batch, or `None` when it changes none.
fn changed_members(members: &Members, batch: &Batch) -> Result<Option<Members>> {
    if batch.members.is_empty() {
        return Ok(None);
    }
    let org = &batch.scope.org;
    let mut changed = members.clone();
    for change in &batch.members {
        match change {
            MemberChange::Add { group, user, at } => {
                changed.entry((org.clone(), group.clone(), user.clone())).or_insert(*at);
            }
            MemberChange::Remove { group, user } => {
                let removed = changed.remove(&(org.clone(), group.clone(), user.clone()));
                removed.ok_or(Error::NotFound("member"))?;
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
            tombstones: HashMap::new(),
            intents: BTreeMap::new(),
            audit: Vec::new(),
        }
    }

    fn changes(&self, since: Revision) -> Vec<(Revision, Change)> {
        let puts = self.rows.values().filter(|(revision, _)| *revision > since);
        let puts = puts.map(|(revision, row)| (*revision, Change::Put(row.without_body())));
        let gone = self.tombstones.iter().filter(|(_, revision)| **revision > since);
        let gone = gone.map(|(id, revision)| (*revision, Change::Gone(*id)));
        let mut changes: Vec<_> = puts.chain(gone).collect();
        changes.sort_by_key(|(revision, _)| *revision);
        changes
    }

    fn apply(&mut self, header: VaultHeader, batch: Batch) {
        let revision = header.revision;
        self.header = header;
        for mut row in batch.puts {
            let stored = self.rows.remove(&row.id);
            if let (Body::Unchanged, Some((_, stored))) = (&row.body, stored) {
                row.body = stored.body;
            }
            self.rows.insert(row.id, (revision, row));
        }
        for id in batch.removals {
            self.rows.remove(&id);
            self.tombstones.entry(id).or_insert(revision);
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
    /// A copy as it stands in a [`Change`].
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
            body: Body::Unchanged,
        }
    }
}
