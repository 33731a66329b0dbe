//! Vaults that their person holds, while they are unlocked: the secret of each, in RAM, until its time is over. Nothing
//! of it is stored, so a restart locks every vault, and each node is unlocked by itself.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use lacuna_seal::UserSecret;
use lacuna_types::{Clock, Error, Result, VaultId};

/// Wrong tries in a row that a vault takes before it asks for a pause.
pub const WRONG_TRIES_MAX: u32 = 5;
/// The first pause; it doubles with each further wrong try.
pub const TRIES_PAUSE_FIRST: SignedDuration = SignedDuration::from_mins(1);
/// The longest pause.
pub const TRIES_PAUSE_MAX: SignedDuration = SignedDuration::from_hours(6);
/// Vaults whose wrong tries are remembered at the same time; beyond that, the longest ago is forgotten.
const TRIED_VAULTS_MAX: usize = 10_000;

/// The stable code of the error that says that a vault is locked.
const VAULT_LOCKED: &str = "vault_locked";

/// The secrets of the vaults that are unlocked on this node.
pub(crate) struct UnlockedVaults {
    clock: Arc<dyn Clock>,
    vaults: Mutex<HashMap<VaultId, UnlockedVault>>,
    tries: Mutex<HashMap<VaultId, WrongTries>>,
    /// Held while a passphrase is stretched: one at a time, because each takes much memory.
    stretching: Mutex<()>,
}

struct UnlockedVault {
    /// `None` once its time is over, until somebody has cleared away the rest of the vault.
    secret: Option<Arc<UserSecret>>,
    until: Timestamp,
}

struct WrongTries {
    count: u32,
    last: Timestamp,
}

/// The error for a vault whose person has to unlock it first.
pub(crate) fn locked() -> Error {
    let reason = "the vault is locked: it opens with the passphrase of the person who holds it";
    Error::Refused { code: VAULT_LOCKED, reason }
}

/// Returns true when an operation failed because the vault is locked.
pub(crate) fn is_locked(error: &Error) -> bool {
    error.code() == VAULT_LOCKED
}

/// Vaults that background work passed over because they are locked.
#[derive(Default)]
pub(crate) struct PassedOver(Cell<u64>);

impl PassedOver {
    /// Counts a locked vault instead of failing.
    pub(crate) fn unless_locked<T: Default>(&self, worked: Result<T>) -> Result<T> {
        match worked {
            Err(error) if is_locked(&error) => {
                self.0.set(self.0.get() + 1);
                Ok(T::default())
            }
            worked => worked,
        }
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.get()
    }
}

impl UnlockedVaults {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, vaults: Mutex::default(), tries: Mutex::default(), stretching: Mutex::default() }
    }

    /// The secret of a vault whose time is not over.
    pub(crate) fn secret(&self, vault: VaultId) -> Option<Arc<UserSecret>> {
        let mut vaults = self.vaults();
        let open = vaults.get_mut(&vault)?;
        if self.clock.now() >= open.until {
            open.secret = None;
        }
        open.secret.clone()
    }

    /// The end of the time for which a vault is unlocked.
    pub(crate) fn until(&self, vault: VaultId) -> Option<Timestamp> {
        self.secret(vault)?;
        self.vaults().get(&vault).map(|open| open.until)
    }

    pub(crate) fn unlock(&self, vault: VaultId, secret: UserSecret, until: Timestamp) {
        self.vaults().insert(vault, UnlockedVault { secret: Some(Arc::new(secret)), until });
    }

    /// Drops the secret, which zeroes it. Returns true when there was one.
    pub(crate) fn lock(&self, vault: VaultId) -> bool {
        self.vaults().remove(&vault).is_some()
    }

    /// Drops the secrets whose time is over, and names their vaults.
    pub(crate) fn take_expired(&self) -> Vec<VaultId> {
        let now = self.clock.now();
        let mut vaults = self.vaults();
        let expired: Vec<_> =
            vaults.iter().filter(|(_, open)| open.until <= now).map(|(vault, _)| *vault).collect();
        expired.iter().for_each(|vault| drop(vaults.remove(vault)));
        expired
    }

    /// Runs one try at a secret, if the vault takes one now. A wrong one counts; a right one ends the count.
    pub(crate) fn attempt<T>(
        &self,
        vault: VaultId,
        attempt: impl FnOnce() -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let _one = self.stretching.lock().unwrap_or_else(PoisonError::into_inner);
        self.refuse_too_many(vault)?;
        let found = attempt()?;
        let mut tries = self.tries();
        if found.is_some() {
            tries.remove(&vault);
            return Ok(found);
        }
        if tries.len() >= TRIED_VAULTS_MAX && !tries.contains_key(&vault) {
            let oldest = tries.iter().min_by_key(|(_, wrong)| wrong.last).map(|(vault, _)| *vault);
            oldest.map(|oldest| tries.remove(&oldest));
        }
        let now = self.clock.now();
        let wrong = tries.entry(vault).or_insert(WrongTries { count: 0, last: now });
        *wrong = WrongTries { count: wrong.count.saturating_add(1), last: now };
        Ok(None)
    }

    fn refuse_too_many(&self, vault: VaultId) -> Result<()> {
        let pause = self.tries().get(&vault).and_then(|wrong| {
            let over = wrong.count.checked_sub(WRONG_TRIES_MAX)?;
            let doubled = TRIES_PAUSE_FIRST * (1 << over.min(16));
            Some(wrong.last + doubled.min(TRIES_PAUSE_MAX))
        });
        match pause.filter(|until| self.clock.now() < *until) {
            None => Ok(()),
            Some(_) => Err(Error::Refused {
                code: "too_many_tries",
                reason: "there were too many wrong tries: wait a while before the next one",
            }),
        }
    }

    fn vaults(&self) -> MutexGuard<'_, HashMap<VaultId, UnlockedVault>> {
        self.vaults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tries(&self) -> MutexGuard<'_, HashMap<VaultId, WrongTries>> {
        self.tries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
