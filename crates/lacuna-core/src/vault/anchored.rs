//! Stores against the anchor: a vault whose chain is behind its known end is not served, and keys that do not
//! belong to the keystore are refused.

use lacuna_store::keys::AnchoredHead;
use lacuna_store::rows::VaultHeader;
use lacuna_types::{Error, Result, VaultId};

use crate::vault::root::root_of;
use crate::vault::stores::VaultStores;

/// Vaults that are looked up at a time.
const PAGE: usize = 256;

/// Refuses a vault that the store has in an older state than the anchor knows, or not at all.
pub(crate) fn check_head(from: VaultStores<'_>, vault: VaultId) -> Result<()> {
    // The anchor first: whatever is committed meanwhile only makes the store newer.
    let known = from.kms.anchor().head(vault)?.filter(|known| known.head.seq > 0);
    match known {
        Some(known) if is_behind(from, vault, &known)? => Err(rolled_back(vault)),
        _ => Ok(()),
    }
}

/// Returns true when the store's chain does not go through the known end.
pub(crate) fn is_behind(from: VaultStores<'_>, vault: VaultId, known: &AnchoredHead) -> Result<bool> {
    let header = from.store.vault(vault)?;
    let holds = match &header {
        Some(header) if header.audit.seq == known.head.seq => header.audit.hash == known.head.hash,
        Some(header) if header.audit.seq > known.head.seq => {
            let entry = from.store.audit(vault, known.head.seq - 1)?.into_iter().next();
            entry.is_some_and(|entry| entry.seq == known.head.seq && entry.hash == known.head.hash)
        }
        _ => false,
    };
    Ok(!holds && !ended_elsewhere(from, vault, header.as_ref(), known)?)
}

/// Returns true when another host destroyed the vault, which its own anchor knows and this one does not.
fn ended_elsewhere(
    from: VaultStores<'_>,
    vault: VaultId,
    header: Option<&VaultHeader>,
    known: &AnchoredHead,
) -> Result<bool> {
    let Some(at) = from.keys.destroyed_at(vault)? else { return Ok(false) };
    Ok(header.is_none_or(|header| header.created_at >= at && header.began_after >= known.revision))
}

/// Checks that the key folder is the one that the keystore belongs to. A keystore of an older release has no
/// fingerprints: then the folder must open one of its roots.
pub(crate) fn check_keys(from: VaultStores<'_>) -> Result<()> {
    from.kms.check_current()?;
    if from.kms.is_known()? || from.keys.vaults(None, 1)?.is_empty() {
        return Ok(());
    }
    let mut after = None;
    loop {
        let page = from.store.vaults(after, PAGE)?;
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        for header in &page {
            if root_of(&header.scope, from)?.is_some() {
                return Ok(());
            }
        }
    }
    // Keys without data: no name to derive from, so the epoch must do.
    match from.keys.vaults(None, 1)?.pop().map(|vault| from.keys.vault_keys(vault)).transpose()?.flatten() {
        Some(stored) => from.kms.epoch(stored.root.epoch).map(drop),
        None => Ok(()),
    }
}

fn rolled_back(vault: VaultId) -> Error {
    let reason = format!(
        "{vault} is older in the database than its anchor in the key folder says: \
         an old copy was put back, or entries were removed"
    );
    Error::Misconfigured { code: "rolled_back", reason }
}
