//! Opened vaults: a cache bounded in bytes, one writer per vault, and a check of the revision before every
//! read, so that what one node forgot no other node still answers.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use jiff::{SignedDuration, Timestamp};
use lacuna_types::{OrgId, Result, Revision, Scope, VaultId, millis};

use crate::vault::anchored::check_head;
use crate::vault::codes::CodedHeader;
use crate::vault::open::{OpenVault, Refreshed};
use crate::vault::stores::VaultStores;

pub(crate) struct Vaults {
    slots: Mutex<HashMap<VaultId, Arc<Slot>>>,
    bytes_max: usize,
}

/// One vault's place in the cache. Locks are taken in the order `writer`, then `open`.
pub(crate) struct Slot {
    scope: Scope,
    vault: VaultId,
    writer: Mutex<()>,
    open: RwLock<Option<OpenVault>>,
    used_at: AtomicI64,
    /// The time of the last search for work that a crash had left; long ago if this process never searched.
    recovered_at: AtomicI64,
    bytes: AtomicUsize,
}

impl Vaults {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { slots: Mutex::default(), bytes_max }
    }

    pub(crate) fn slot(&self, scope: &Scope, now: Timestamp) -> Arc<Slot> {
        let vault = scope.vault_id();
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = slots.entry(vault).or_insert_with(|| Arc::new(Slot::closed(scope, vault)));
        slot.used_at.store(millis(now), Ordering::Relaxed);
        slot.clone()
    }

    /// Closes the vaults that were last used before `now - idle`. Answers with how many.
    pub(crate) fn close_idle(&self, now: Timestamp, idle: SignedDuration) -> usize {
        let limit = millis(now).saturating_sub(i64::try_from(idle.as_millis()).unwrap_or(i64::MAX));
        self.close_where(|slot| slot.used_at.load(Ordering::Relaxed) < limit)
    }

    /// Closes every vault of an organisation, and waits for those in use.
    pub(crate) fn close_org(&self, org: &OrgId) {
        self.all().iter().filter(|slot| slot.scope.org == *org).for_each(|slot| slot.discard());
    }

    /// Closes one vault, and waits for whoever uses it.
    pub(crate) fn close_one(&self, vault: VaultId) {
        let slot = self.slots.lock().unwrap_or_else(PoisonError::into_inner).get(&vault).cloned();
        slot.into_iter().for_each(|slot| slot.discard());
    }

    pub(crate) fn close_all(&self) -> usize {
        self.close_where(|_| true)
    }

    /// Closes the longest unused vaults until the rest fits; the one in use stays, whatever its size.
    pub(crate) fn make_room(&self, in_use: VaultId) {
        let mut open: Vec<_> = self
            .all()
            .into_iter()
            .map(|slot| (slot.used_at.load(Ordering::Relaxed), slot.bytes(), slot))
            .filter(|(_, bytes, _)| *bytes > 0)
            .collect();
        open.sort_by_key(|(used_at, ..)| *used_at);
        let mut total: usize = open.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, slot) in open {
            if total <= self.bytes_max {
                break;
            }
            if slot.vault != in_use && self.close(&slot) {
                total -= bytes;
            }
        }
    }

    /// Returns the number of open vaults, and the bytes they take.
    pub(crate) fn load(&self) -> (usize, usize) {
        let sizes: Vec<usize> = self.all().iter().map(|slot| slot.bytes()).collect();
        (sizes.iter().filter(|bytes| **bytes > 0).count(), sizes.iter().sum())
    }

    fn close_where(&self, due: impl Fn(&Slot) -> bool) -> usize {
        self.all().iter().filter(|slot| due(slot) && self.close(slot)).count()
    }

    fn all(&self) -> Vec<Arc<Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Drops what is open, which zeroes it. A vault that somebody is using stays open.
    fn close(&self, slot: &Slot) -> bool {
        let Ok(mut open) = slot.open.try_write() else { return false };
        let was_open = open.take().is_some();
        slot.measure(None);
        drop(open);
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        // Two holders are the map and whoever asked for the list: nobody else waits on this slot.
        if slots.get(&slot.vault).is_some_and(|held| Arc::strong_count(held) <= 2) {
            slots.remove(&slot.vault);
        }
        was_open
    }
}

impl Slot {
    fn closed(scope: &Scope, vault: VaultId) -> Self {
        Self {
            scope: scope.clone(),
            vault,
            writer: Mutex::default(),
            open: RwLock::default(),
            used_at: AtomicI64::new(0),
            recovered_at: AtomicI64::new(i64::MIN),
            bytes: AtomicUsize::new(0),
        }
    }

    pub(crate) fn vault(&self) -> VaultId {
        self.vault
    }

    /// Runs `read` on the vault as it now stands, or answers `None` before its first write.
    pub(crate) fn read<R>(
        &self,
        from: VaultStores<'_>,
        read: impl FnOnce(&OpenVault) -> R,
    ) -> Result<Option<R>> {
        let revision = from.store.revision(self.vault)?;
        if revision == Revision::ZERO {
            check_head(from, self.vault)?;
            self.drop_if_ended();
            return Ok(None);
        }
        {
            let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
            let usable = |vault: &&OpenVault| vault.header.revision >= revision && !is_shut(vault, from);
            if let Some(vault) = open.as_ref().filter(usable) {
                return Ok(Some(read(vault)));
            }
        }
        self.update(from, |vault| Ok(read(vault)))
    }

    /// Runs `look` on the vault if it is open, whatever was committed since.
    pub(crate) fn peek<R>(&self, look: impl FnOnce(&OpenVault) -> R) -> Option<R> {
        self.open.read().unwrap_or_else(PoisonError::into_inner).as_ref().map(look)
    }

    /// Brings the vault up to date and runs `update` on it, alone. `None` before its first write.
    pub(crate) fn update<R>(
        &self,
        from: VaultStores<'_>,
        update: impl FnOnce(&mut OpenVault) -> Result<R>,
    ) -> Result<Option<R>> {
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        self.bring_up_to_date(&mut open, from)?;
        open.as_mut().map(update).transpose()
    }

    /// Runs `update` on the vault as it is open, alone; brings it up to date only if it is closed or shut.
    pub(crate) fn update_open<R>(
        &self,
        from: VaultStores<'_>,
        update: impl FnOnce(&mut OpenVault) -> Result<R>,
    ) -> Result<Option<R>> {
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        if open.as_ref().is_none_or(|vault| is_shut(vault, from)) {
            self.bring_up_to_date(&mut open, from)?;
        }
        open.as_mut().map(update).transpose()
    }

    fn bring_up_to_date(&self, open: &mut Option<OpenVault>, from: VaultStores<'_>) -> Result<()> {
        match refreshed(open, &self.scope, from) {
            Ok(true) => self.measure(open.as_mut()),
            Ok(false) => {}
            Err(error) => {
                // Half a refresh is worse than none: the next reader starts from the store.
                *open = None;
                self.measure(None);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Leaves nothing in RAM of a vault that another process destroyed. One whose first commit is under way
    /// has nothing yet.
    fn drop_if_ended(&self) {
        if self.bytes() > 0 && self.peek(|vault| vault.header.revision > Revision::ZERO) == Some(true) {
            self.discard();
        }
    }

    /// Applies a commit of this process, unless a refresh has already brought it in.
    pub(crate) fn apply(&self, expected: Revision, reached: CodedHeader, apply: impl FnOnce(&mut OpenVault)) {
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(vault) = open.as_mut().filter(|vault| vault.header.revision == expected) {
            apply(vault);
            vault.header = reached;
        }
        self.measure(open.as_mut());
    }

    pub(crate) fn was_recovered_since(&self, moment: Timestamp) -> bool {
        self.recovered_at.load(Ordering::Relaxed) > millis(moment)
    }

    pub(crate) fn note_recovered(&self, now: Timestamp) {
        self.recovered_at.store(millis(now), Ordering::Relaxed);
    }

    /// Returns the bytes that the open vault takes in RAM; zero when it is closed.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    fn measure(&self, open: Option<&mut OpenVault>) {
        self.bytes.store(open.map_or(0, |vault| vault.weigh().max(1)), Ordering::Relaxed);
    }

    /// Puts a vault that was just made into the slot.
    pub(crate) fn install(&self, vault: OpenVault) {
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        *open = Some(vault);
        self.measure(open.as_mut());
    }

    /// Forgets what is open after a commit whose outcome is unknown.
    pub(crate) fn discard(&self) {
        *self.open.write().unwrap_or_else(PoisonError::into_inner) = None;
        self.measure(None);
    }

    /// One writer per vault and process; other processes are met by the expected revision.
    pub(crate) fn lock_writer(&self) -> MutexGuard<'_, ()> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns true when the vault is open and the time is over for which its person had unlocked it.
fn is_shut(vault: &OpenVault, from: VaultStores<'_>) -> bool {
    vault.keyring.is_held() && from.secrets.secret(vault.keyring.vault()).is_none()
}

/// Brings what is open up to date, or opens it. Answers whether that changed anything.
fn refreshed(open: &mut Option<OpenVault>, scope: &Scope, from: VaultStores<'_>) -> Result<bool> {
    if open.as_ref().is_some_and(|vault| is_shut(vault, from)) {
        *open = None;
    }
    match open.as_mut().map(|vault| vault.refresh(scope, from)).transpose()? {
        Some(Refreshed::Same) => return Ok(false),
        Some(Refreshed::Changed) => {}
        Some(Refreshed::Ended) | None => *open = OpenVault::load(scope, from)?,
    }
    Ok(true)
}
