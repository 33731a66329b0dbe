//! The wrap of a vault's root: opened as far as the installation's keys reach, and wrapped anew. The root of a vault
//! that its person holds goes from one wrap into the next without the person's secret, and without being seen.

use std::sync::Arc;

use lacuna_seal::{Entropy, EpochKey, Field, HeldRoot, RootKey, SealContext};
use lacuna_store::keys::{Kms, VaultKeys, WrappedRoot};
use lacuna_types::{Error, Result, Scope, VaultId};

use crate::vault::secrets::{UnlockedVaults, locked};
use crate::vault::stores::VaultStores;

const HELD_BY_NOBODY_ELSE: u8 = 0;
const HELD_BY_ITS_PERSON: u8 = 1;
/// Attempts to unwrap a root that other nodes wrap anew meanwhile.
const OPEN_ATTEMPTS_MAX: usize = 8;

/// A root as the keys of the installation open it.
pub(crate) enum UnwrappedRoot {
    Bare(RootKey),
    /// Sealed once more, under the secret of the vault's person.
    Held(HeldRoot),
}

/// The keys of the installation that a root is wrapped under.
pub(crate) struct WrapKeys<'a> {
    pub(crate) key_version: u32,
    pub(crate) epoch: u32,
    pub(crate) epoch_key: &'a EpochKey,
}

/// Returns true when the vault's root opens only with a secret of its person.
pub(crate) fn is_held(root: &WrappedRoot) -> bool {
    root.holder == HELD_BY_ITS_PERSON
}

impl UnwrappedRoot {
    /// Opens a root that is wrapped under `epoch`.
    pub(crate) fn open(scope: &Scope, kms: &Kms, epoch: &EpochKey, stored: &WrappedRoot) -> Result<Self> {
        let user = kms.user_key(scope, stored.key_version)?;
        let context = root_context(scope, stored.generation, stored.key_version);
        let opened = match stored.holder {
            HELD_BY_NOBODY_ELSE => user.unwrap_root(epoch, None, &context, &stored.wrapped).map(Self::Bare),
            HELD_BY_ITS_PERSON => user.unwrap_held(epoch, &context, &stored.wrapped).map(Self::Held),
            _ => return Err(Error::corrupt("the root key has a holder that this release does not know")),
        };
        opened.map_err(|_| Error::Misconfigured {
            code: "wrong_key",
            reason: "the keys do not belong to this data: the vault's root key does not open".to_owned(),
        })
    }

    /// Wraps it under keys of the installation.
    pub(crate) fn wrap(
        &self,
        scope: &Scope,
        kms: &Kms,
        generation: u32,
        under: &WrapKeys<'_>,
        entropy: &dyn Entropy,
    ) -> Result<WrappedRoot> {
        let WrapKeys { key_version, epoch, epoch_key } = *under;
        let user = kms.user_key(scope, key_version)?;
        let context = root_context(scope, generation, key_version);
        let (holder, wrapped) = match self {
            Self::Bare(root) => {
                (HELD_BY_NOBODY_ELSE, user.wrap_root(epoch_key, None, root, &context, entropy))
            }
            Self::Held(held) => (HELD_BY_ITS_PERSON, user.wrap_held(epoch_key, held, &context, entropy)),
        };
        Ok(WrappedRoot { generation, key_version, epoch, holder, wrapped })
    }

    /// The root itself. A vault that its person holds opens while it is unlocked here.
    pub(crate) fn into_key(self, scope: &Scope, secrets: &UnlockedVaults) -> Result<RootKey> {
        let held = match self {
            Self::Bare(root) => return Ok(root),
            Self::Held(held) => held,
        };
        let vault = scope.vault_id();
        let secret = secrets.secret(vault).ok_or_else(locked)?;
        held.open(&secret, &held_context(scope)).map_err(|_| {
            // Another node changed the passphrase: the secret that is kept here opens nothing any more.
            secrets.lock(vault);
            locked()
        })
    }
}

/// The root and the keys of a vault as the keystore has them; `None` where it has none. Another node may wrap the root
/// anew between the two steps, and destroy the key that it was wrapped under: then they are read again.
pub(crate) fn root_of(scope: &Scope, from: VaultStores<'_>) -> Result<Option<(UnwrappedRoot, VaultKeys)>> {
    let vault = scope.vault_id();
    let Some(mut stored) = from.keys.vault_keys(vault)? else { return Ok(None) };
    for _ in 0..OPEN_ATTEMPTS_MAX {
        let epoch = from.kms.epoch(stored.root.epoch);
        match epoch
            .and_then(|epoch: Arc<EpochKey>| UnwrappedRoot::open(scope, from.kms, &epoch, &stored.root))
        {
            Ok(root) => {
                from.kms.vouch_for(&scope.org, &stored.root)?;
                return Ok(Some((root, stored)));
            }
            Err(error) => match from.keys.vault_keys(vault)? {
                Some(again) if again.root.generation != stored.root.generation => stored = again,
                _ => return Err(error),
            },
        }
    }
    Err(Error::Conflict("the vault's root key"))
}

/// Wraps a root of a backup under the current epoch.
pub(crate) fn root_from(
    scope: &Scope,
    kms: &Kms,
    epoch: &EpochKey,
    stored: &WrappedRoot,
    entropy: &dyn Entropy,
) -> Result<WrappedRoot> {
    let root = UnwrappedRoot::open(scope, kms, epoch, stored)?;
    let _epoch = kms.lock_epoch(false)?;
    let (epoch, current) = kms.current_epoch(entropy)?;
    let under = WrapKeys { key_version: stored.key_version, epoch, epoch_key: &current };
    root.wrap(scope, kms, stored.generation, &under, entropy)
}

/// The place of what is sealed under the secret of a vault's person.
pub(crate) fn held_context(scope: &Scope) -> SealContext<'_> {
    root_context(scope, 0, 0)
}

fn root_context(scope: &Scope, generation: u32, key_version: u32) -> SealContext<'_> {
    root_context_in(scope, scope.vault_id(), generation, key_version)
}

pub(crate) fn root_context_in(
    scope: &Scope,
    vault: VaultId,
    generation: u32,
    key_version: u32,
) -> SealContext<'_> {
    SealContext {
        org: scope.org.as_str(),
        user: scope.holder.name(),
        vault: *vault.as_bytes(),
        memory: [0; 16],
        field: Field::Root,
        class: 0,
        revision: generation,
        created_at_millis: 0,
        key_version,
    }
}
