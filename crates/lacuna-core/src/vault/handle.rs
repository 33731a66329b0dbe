//! The two handles of a vault: one to read from it, one that holds its writer lock.

use std::cell::Cell;
use std::ops::Deref;
use std::sync::{Arc, MutexGuard};

use lacuna_store::keys::KeyBatch;
use lacuna_types::{Error, Result, Revision, Scope};

use crate::vault::anchored::check_keys;
use crate::vault::cache::Slot;
use crate::vault::cleared::clear_destroyed;
use crate::vault::codes::{CodedHeader, Codes};
use crate::vault::keyring::Keyring;
use crate::vault::open::OpenVault;
use crate::vault::service::Service;

/// A vault in reach of an operation.
pub(crate) struct VaultReader<'a> {
    pub(crate) service: &'a Service,
    scope: &'a Scope,
    slot: Arc<Slot>,
}

/// A vault whose writer lock is held: one per vault and process. Other processes are met by the expected revision.
pub(crate) struct VaultWriter<'a> {
    reader: &'a VaultReader<'a>,
    /// True while its work builds on the vault as it is open here, without another look at the store.
    is_pinned: Cell<bool>,
    _lock: MutexGuard<'a, ()>,
}

impl<'a> VaultReader<'a> {
    pub(crate) fn new(service: &'a Service, slot: Arc<Slot>, scope: &'a Scope) -> Self {
        Self { service, scope, slot }
    }

    pub(crate) fn scope(&self) -> &'a Scope {
        self.scope
    }

    /// Waits for the writer lock.
    pub(crate) fn lock(&self) -> VaultWriter<'_> {
        VaultWriter { reader: self, is_pinned: Cell::new(false), _lock: self.slot.lock_writer() }
    }

    /// Runs `read` on the vault as it now stands, or returns `None` before its first write.
    pub(crate) fn read<R>(&self, read: impl FnOnce(&OpenVault) -> R) -> Result<Option<R>> {
        let bytes = self.slot.bytes();
        let result = self.slot.read(self.service.sources(), read).inspect_err(|error| self.note(error))?;
        if self.slot.bytes() != bytes {
            self.service.vaults.make_room(self.slot.vault());
        }
        Ok(result)
    }

    /// Brings the open vault up to date and runs `update` on it, alone. Returns `None` before its first write.
    pub(crate) fn update<R>(&self, update: impl FnOnce(&mut OpenVault) -> Result<R>) -> Result<Option<R>> {
        self.slot.update(self.service.sources(), update).inspect_err(|error| self.note(error))
    }

    /// Runs `update` on the vault as it is open here, alone, and brings it up to date only if it is closed.
    fn update_open<R>(&self, update: impl FnOnce(&mut OpenVault) -> Result<R>) -> Result<Option<R>> {
        self.slot.update_open(self.service.sources(), update).inspect_err(|error| self.note(error))
    }

    fn note(&self, error: &Error) {
        self.service.findings.note(self.scope, error);
    }

    /// Runs `look` on the vault if it is open, whatever was committed since.
    pub(crate) fn peek<R>(&self, look: impl FnOnce(&OpenVault) -> R) -> Option<R> {
        self.slot.peek(look)
    }

    /// Drops what is open; the next reader starts from the store.
    pub(crate) fn discard(&self) {
        self.slot.discard();
    }

    /// Bytes that the open vault takes in RAM; zero when it is closed.
    pub(crate) fn bytes(&self) -> usize {
        self.slot.bytes()
    }

    pub(crate) fn slot(&self) -> &Slot {
        &self.slot
    }
}

impl<'a> Deref for VaultWriter<'a> {
    type Target = VaultReader<'a>;

    fn deref(&self) -> &Self::Target {
        self.reader
    }
}

impl VaultWriter<'_> {
    /// Brings the vault up to date. From then on this writer's work builds on the vault as it is open here, until a commit
    /// meets that of another process. Only for work that is done again as a whole after such a conflict.
    pub(crate) fn pin(&self) -> Result<()> {
        self.is_pinned.set(false);
        self.reader.update(|_| Ok(()))?;
        self.is_pinned.set(true);
        Ok(())
    }

    /// Has the next look at the vault ask the store again.
    pub(crate) fn unpin(&self) {
        self.is_pinned.set(false);
    }

    /// Runs `update` on the open vault, alone; on one that is not pinned after bringing it up to date. Returns `None` before
    /// the vault's first write.
    pub(crate) fn update<R>(&self, update: impl FnOnce(&mut OpenVault) -> Result<R>) -> Result<Option<R>> {
        match self.is_pinned.get() {
            true => self.reader.update_open(update),
            false => self.reader.update(update),
        }
    }

    /// Makes the vault's root key if it has none.
    pub(crate) fn ensure(&self) -> Result<()> {
        if self.update(|_| Ok(()))?.is_some() {
            return Ok(());
        }
        let (service, scope) = (self.service, self.scope);
        clear_destroyed(service, scope)?;
        let _epoch = service.kms.lock_epoch(false)?;
        check_keys(service.sources())?;
        service.refuse_empty_keystore()?;
        // Before the first root: from then on a signing key that is not there is a missing one.
        service.kms.signing_key(&*service.entropy)?;
        let (keyring, root) = Keyring::make(scope, &service.kms, &*service.entropy)?;
        let batch =
            KeyBatch { root: Some((root, None)), ..KeyBatch::new(scope.vault_id(), service.clock.now()) };
        match service.keys.commit(batch) {
            Ok(()) => self.slot.install(OpenVault::empty(keyring, Codes::of(&service.kms, scope)?)),
            // Another process made it first: theirs is the vault.
            Err(Error::Conflict(_)) => {}
            Err(error) => return Err(error),
        }
        self.update(|_| Ok(()))?.ok_or(Error::Conflict("the vault"))
    }

    /// Applies a commit of this process to the open vault, unless a refresh has already brought it in.
    pub(crate) fn apply(&self, expected: Revision, reached: CodedHeader, apply: impl FnOnce(&mut OpenVault)) {
        self.slot.apply(expected, reached, apply);
    }
}
