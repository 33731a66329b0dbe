//! A vault under a passphrase of its person: put under it, unlocked for a while, locked, and taken from under it again.
//!
//! The passphrase and a recovery code open a random secret; the secret opens the vault's root. Every change of either
//! makes a new secret and a new code, so that nothing old opens what is stored now. Each act replaces the wrapped root
//! in the keystore first, and then commits an entry to the vault's chain, which tells the other nodes.

use jiff::{SignedDuration, Timestamp};
use lacuna_seal::{
    HeldRoot, PassphraseError, RootKey, SecretFiles, UserSecret, Zeroizing, make_recovery_code,
};
use lacuna_store::keys::KeyBatch;
use lacuna_types::{Error, Result, Scope};

use crate::audit::{AuditAction, AuditEntry};
use crate::govern::users::change;
use crate::permit::{Acting, Grant, LockVault};
use crate::vault::chain::append_entries;
use crate::vault::commit::{Act, retrying};
use crate::vault::root::{UnwrappedRoot, WrapKeys, held_context, is_held, root_of};
use crate::vault::service::Service;

/// Time for which a vault is unlocked unless its person says otherwise.
pub const UNLOCKED_DEFAULT: SignedDuration = SignedDuration::from_hours(1);
/// The longest time for which a vault can be unlocked.
pub const UNLOCKED_MAX: SignedDuration = SignedDuration::from_hours(12);
/// Bytes of a passphrase.
pub const PASSPHRASE_BYTES_MAX: usize = 1_024;

/// The lock of a vault, as it stands on this node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LockState {
    /// True when the vault opens only with the passphrase of its person.
    pub is_protected: bool,
    /// The end of the time for which it is unlocked here; `None` while it is locked, or has no lock.
    pub unlocked_until: Option<Timestamp>,
}

/// A person's way to the secret of their vault.
pub enum VaultSecret<'a> {
    /// Their passphrase.
    Passphrase(&'a str),
    /// The recovery code of the last change.
    RecoveryCode(&'a str),
}

/// The lock of the vault on this node.
pub(crate) fn lock_state(service: &Service, grant: &Grant<LockVault>) -> Result<LockState> {
    let vault = grant.scope().vault_id();
    let is_protected = service.keys.vault_keys(vault)?.is_some_and(|stored| is_held(&stored.root));
    let unlocked_until = is_protected.then(|| service.secrets.until(vault)).flatten();
    Ok(LockState { is_protected, unlocked_until })
}

/// Puts the vault under `passphrase`. Returns the recovery code, which is shown once. From here on nobody opens the vault
/// without one of the two, on any node.
pub(crate) fn protect(
    service: &Service,
    grant: &Grant<LockVault>,
    passphrase: &str,
) -> Result<Zeroizing<String>> {
    check_passphrase("passphrase", passphrase)?;
    let scope = grant.scope();
    if service.store.vault(scope.vault_id())?.is_none() {
        // Its chain begins with the act that makes it, so that there is a chain to record this one in.
        let entry = AuditEntry::new(AuditAction::UserProvision, grant.caller().acting(), Vec::new());
        change(service, Act::new(scope, service.clock.now(), entry))?;
    }
    let (files, secret, code) = new_secret(service, passphrase)?;
    replace_root(service, scope, |root| match root {
        UnwrappedRoot::Bare(root) => Ok(seal(service, scope, &files, &secret, &root)),
        UnwrappedRoot::Held(_) => Err(Error::Refused {
            code: "already_protected",
            reason: "the vault is under a passphrase already: change that one instead",
        }),
    })?;
    note(service, scope, AuditAction::VaultProtect, grant.caller().acting(), Vec::new())?;
    Ok(code)
}

/// Takes the vault from under its passphrase: the keys of the installation open it again.
pub(crate) fn unprotect(service: &Service, grant: &Grant<LockVault>, secret: &VaultSecret<'_>) -> Result<()> {
    let (scope, found) = (grant.scope(), secret_of(service, grant, secret)?);
    replace_root(service, scope, |root| open(root, scope, &found).map(UnwrappedRoot::Bare))?;
    note(service, scope, AuditAction::VaultUnprotect, grant.caller().acting(), Vec::new())
}

/// Puts the vault under another passphrase, by the old one or by the recovery code. Returns the new recovery code; the
/// old passphrase and the old code open nothing any more, and every node is locked.
pub(crate) fn change_passphrase(
    service: &Service,
    grant: &Grant<LockVault>,
    by: &VaultSecret<'_>,
    passphrase: &str,
) -> Result<Zeroizing<String>> {
    check_passphrase("new_passphrase", passphrase)?;
    let (scope, found) = (grant.scope(), secret_of(service, grant, by)?);
    let (files, secret, code) = new_secret(service, passphrase)?;
    replace_root(service, scope, |root| {
        Ok(seal(service, scope, &files, &secret, &open(root, scope, &found)?))
    })?;
    let action = match by {
        VaultSecret::Passphrase(_) => AuditAction::VaultPassphrase,
        VaultSecret::RecoveryCode(_) => AuditAction::VaultRecover,
    };
    note(service, scope, action, grant.caller().acting(), Vec::new())?;
    Ok(code)
}

/// Unlocks the vault on this node for `lasts`. Returns the end of that time.
pub(crate) fn unlock(
    service: &Service,
    grant: &Grant<LockVault>,
    passphrase: &str,
    lasts: Option<SignedDuration>,
) -> Result<Timestamp> {
    let lasts = lasts.unwrap_or(UNLOCKED_DEFAULT);
    if lasts < SignedDuration::from_mins(1) || lasts > UNLOCKED_MAX {
        let reason = format!("must be from 1 to {} minutes", UNLOCKED_MAX.as_mins());
        return Err(Error::invalid("minutes", reason));
    }
    let (scope, secret) = (grant.scope(), secret_of(service, grant, &VaultSecret::Passphrase(passphrase))?);
    let until = service.clock.now() + lasts;
    service.secrets.unlock(scope.vault_id(), secret, until);
    note(service, scope, AuditAction::VaultUnlock, grant.caller().acting(), vec![format!("until:{until}")])?;
    // Work that waited goes on.
    service.backlog.push(scope);
    Ok(until)
}

/// Locks the vault on this node at once. Returns true when it was unlocked.
pub(crate) fn lock(service: &Service, grant: &Grant<LockVault>) -> Result<bool> {
    let scope = grant.scope();
    if !service.secrets.lock(scope.vault_id()) {
        return Ok(false);
    }
    service.shut(scope.vault_id());
    note(service, scope, AuditAction::VaultLock, grant.caller().acting(), Vec::new())?;
    Ok(true)
}

/// Finds the secret of the vault, or counts and records a wrong try.
fn secret_of(service: &Service, grant: &Grant<LockVault>, by: &VaultSecret<'_>) -> Result<UserSecret> {
    let scope = grant.scope();
    let Some((UnwrappedRoot::Held(held), _)) = root_of(scope, service.sources())? else {
        return Err(not_protected());
    };
    let found = service.secrets.attempt(scope.vault_id(), || {
        let found = match by {
            VaultSecret::Passphrase(passphrase) => held.secret_by_passphrase(passphrase),
            VaultSecret::RecoveryCode(code) => held.secret_by_code(code),
        };
        match found {
            Ok(secret) => Ok(Some(secret)),
            Err(PassphraseError::WrongPassphrase) => Ok(None),
            Err(error) => Err(unstretched(error)),
        }
    })?;
    if let Some(secret) = found {
        return Ok(secret);
    }
    let how = match by {
        VaultSecret::Passphrase(_) => "passphrase",
        VaultSecret::RecoveryCode(_) => "recovery_code",
    };
    note(service, scope, AuditAction::VaultUnlockFailed, grant.caller().acting(), vec![how.to_owned()])?;
    Err(Error::Refused { code: "wrong_secret", reason: "the passphrase or the recovery code is wrong" })
}

/// Wraps the vault's root anew as `change` says, in place of the old wrap, and leaves nothing of the vault in RAM.
fn replace_root(
    service: &Service,
    scope: &Scope,
    change: impl Fn(UnwrappedRoot) -> Result<UnwrappedRoot>,
) -> Result<()> {
    let vault = scope.vault_id();
    let reader = service.reader(scope);
    let _writer = reader.lock();
    // Nobody renews the epoch meanwhile, so the key that takes part is there when the root is stored.
    let _epoch = service.kms.lock_epoch(false)?;
    retrying(|| {
        let (root, stored) = root_of(scope, service.sources())?.ok_or(Error::NotFound("vault"))?;
        let before = stored.root;
        let epoch_key = service.kms.epoch(before.epoch)?;
        let under = WrapKeys { key_version: before.key_version, epoch: before.epoch, epoch_key: &epoch_key };
        let generation = before.generation + 1;
        let root = change(root)?.wrap(scope, &service.kms, generation, &under, &*service.entropy)?;
        service.keys.commit(KeyBatch {
            root: Some((root, Some(before.generation))),
            ..KeyBatch::new(vault, service.clock.now())
        })
    })?;
    service.secrets.lock(vault);
    service.shut(vault);
    // No file of the keystore holds the old wrap when anybody hears of the new one.
    service.keys.settle()
}

fn seal(
    service: &Service,
    scope: &Scope,
    files: &SecretFiles,
    secret: &UserSecret,
    root: &RootKey,
) -> UnwrappedRoot {
    UnwrappedRoot::Held(HeldRoot::seal(files, secret, root, &held_context(scope), &*service.entropy))
}

fn open(root: UnwrappedRoot, scope: &Scope, secret: &UserSecret) -> Result<RootKey> {
    match root {
        // Another node changed the passphrase since the secret was found.
        UnwrappedRoot::Held(held) => {
            held.open(secret, &held_context(scope)).map_err(|_| Error::Conflict("the passphrase"))
        }
        UnwrappedRoot::Bare(_) => Err(not_protected()),
    }
}

/// A new secret under a passphrase and a new recovery code.
fn new_secret(service: &Service, passphrase: &str) -> Result<(SecretFiles, UserSecret, Zeroizing<String>)> {
    let code = make_recovery_code(&*service.entropy);
    let made = SecretFiles::make(passphrase, &code, service.secret_cost, &*service.entropy);
    let (files, secret) = made.map_err(unstretched)?;
    Ok((files, secret, code))
}

/// The door asks for strength; the core, for something that can be typed again.
fn check_passphrase(field: &'static str, passphrase: &str) -> Result<()> {
    match passphrase.len() {
        0 => Err(Error::invalid(field, "must not be empty")),
        1..=PASSPHRASE_BYTES_MAX => Ok(()),
        _ => Err(Error::invalid(field, format!("must not be longer than {PASSPHRASE_BYTES_MAX} bytes"))),
    }
}

/// One entry in the vault's own chain, for which it need not be open.
fn note(
    service: &Service,
    scope: &Scope,
    action: AuditAction,
    actor: Acting<'_>,
    notes: Vec<String>,
) -> Result<()> {
    let entry = AuditEntry { notes, ..AuditEntry::new(action, actor, Vec::new()) };
    append_entries(service, scope, &[(service.clock.now(), entry)])
}

fn not_protected() -> Error {
    Error::Refused { code: "not_protected", reason: "the vault is under no passphrase of its person" }
}

fn unstretched(error: PassphraseError) -> Error {
    match error {
        PassphraseError::OutOfMemory => Error::unavailable("overloaded", error.to_string(), error),
        _ => Error::corrupt("the secret of a vault does not parse"),
    }
}
