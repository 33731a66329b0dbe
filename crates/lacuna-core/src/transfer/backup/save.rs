//! Writing a backup.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use lacuna_seal::EpochKey;
use lacuna_store::cbor::CborWriter;
use lacuna_store::keys::{VaultKeys, WrappedMemoryKey};
use lacuna_store::rows::{SqliteStore, Store};
use lacuna_types::{Error, Result, Scope, VaultId};
use zeroize::Zeroizing;

use crate::permit::{Grant, ManageKeys};
use crate::transfer::backup::container::{FrameKind, Packer, unwritable_backup};
use crate::transfer::backup::{Ledger, Manifest, VAULTS_PAGE, close_backup};
use crate::vault::root::{UnwrappedRoot, WrapKeys, root_of};
use crate::vault::service::Service;

/// Memory keys in one frame; a wrapped key takes about a hundred bytes, and a bound one more.
const KEYS_PER_FRAME: usize = 500;

/// The sources of a backup.
pub struct Saving<'a> {
    /// The store that is copied.
    pub data: &'a SqliteStore,
    /// The path of the database's copy while it is written; nothing may be there.
    pub scratch: &'a Path,
    /// The number under which a full backup was registered. Without one, no key is written.
    pub full: Option<u64>,
}

/// Counts of a backup.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Saved {
    /// Vaults in the backup.
    pub vaults: usize,
    /// Blobs in the backup.
    pub blobs: usize,
    /// Keys in the backup; none unless it is a full one.
    pub keys: usize,
    /// Lines of the ledger of erasures.
    pub erasures: usize,
}

/// Writes a backup. A full one must go into a sealed stream: `out` gets keys.
pub(crate) fn save_backup<W: Write>(
    service: &Service,
    grant: &Grant<ManageKeys>,
    saving: &Saving<'_>,
    out: W,
) -> Result<(Saved, W)> {
    let mut packer = Packer::new(out)?;
    let manifest = Manifest { made_at: service.clock.now(), number: saving.full };
    packer.frame(FrameKind::Manifest, &manifest.encode())?;
    let mut saved = Saved::default();
    pack_database(&mut packer, saving)?;
    if let Some(number) = saving.full {
        close_backup(service, grant, number)?;
    }
    pack_blobs(service, &mut packer, saving.data, &mut saved)?;
    if saving.full.is_some() {
        pack_keys(service, &mut packer, saving.data, &mut saved)?;
    }
    // The ledger last: whatever the copy says was erased, it says too.
    let ledger = Ledger::of(&*service.keys)?;
    saved.erasures = ledger.lines.len();
    ledger.pack(&mut packer)?;
    Ok((saved, packer.finish()?))
}

fn pack_database<W: Write>(packer: &mut Packer<W>, saving: &Saving<'_>) -> Result<()> {
    saving.data.copy_to(saving.scratch)?;
    let packed = File::open(saving.scratch)
        .map_err(|error| unwritable_backup(&error))
        .and_then(|copy| packer.file(super::place::DATABASE, copy));
    fs::remove_file(saving.scratch).map_err(|error| unwritable_backup(&error))?;
    packed
}

fn pack_blobs<W: Write>(
    service: &Service,
    packer: &mut Packer<W>,
    data: &SqliteStore,
    saved: &mut Saved,
) -> Result<()> {
    each_vault(data, |_, vault| {
        saved.vaults += 1;
        for name in service.blobs.list(vault)? {
            match service.blobs.get(vault, name) {
                Ok(bytes) => {
                    let path = format!("{}/{vault}/{}.{}", super::place::BLOBS, name.memory, name.revision);
                    packer.file(&path, bytes.as_slice())?;
                    saved.blobs += 1;
                }
                // Erased while we were on our way to it.
                Err(Error::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    })
}

/// Roots are wrapped under a key that is in this backup only, so that it opens whatever became of the
/// epoch.
fn pack_keys<W: Write>(
    service: &Service,
    packer: &mut Packer<W>,
    data: &SqliteStore,
    saved: &mut Saved,
) -> Result<()> {
    for (name, key) in service.kms.export_keys()? {
        let mut bytes = Zeroizing::new(Vec::with_capacity(name.len() + 64));
        let mut w = CborWriter(&mut bytes);
        w.array(2);
        w.text(&name);
        w.bytes(key.as_slice());
        packer.frame(FrameKind::KeyFile, &bytes)?;
    }
    let epoch = EpochKey::make(&*service.entropy);
    packer.frame(FrameKind::EpochKey, epoch.expose())?;
    each_vault(data, |scope, vault| {
        let Some((root, stored)) = root_of(&scope, service.sources())? else { return Ok(()) };
        pack_vault(service, packer, &scope, &root, &stored, &epoch)?;
        let mut held = Vec::new();
        service.keys.memory_keys(vault, None, &mut |key| {
            held.push(key);
            Ok(())
        })?;
        saved.keys += held.len();
        held.chunks(KEYS_PER_FRAME).try_for_each(|keys| pack_memory_keys(packer, vault, keys))
    })
}

fn pack_vault<W: Write>(
    service: &Service,
    packer: &mut Packer<W>,
    scope: &Scope,
    root: &UnwrappedRoot,
    stored: &VaultKeys,
    epoch: &EpochKey,
) -> Result<()> {
    let VaultKeys { root: before, classes } = stored;
    let under = WrapKeys { key_version: before.key_version, epoch: before.epoch, epoch_key: epoch };
    let wrapped = root.wrap(scope, &service.kms, before.generation, &under, &*service.entropy)?;
    let mut bytes = Vec::new();
    let mut w = CborWriter(&mut bytes);
    w.array(8);
    w.text(scope.org.as_str());
    w.text(scope.holder.kind());
    w.text(scope.holder.name());
    w.uint(wrapped.generation);
    w.uint(wrapped.key_version);
    w.uint(wrapped.holder);
    w.bytes(&wrapped.wrapped);
    w.list(classes, |w, class| {
        w.array(2);
        w.bytes(&class.id);
        w.bytes(&class.wrapped);
    });
    packer.frame(FrameKind::Vault, &bytes)
}

fn pack_memory_keys<W: Write>(
    packer: &mut Packer<W>,
    vault: VaultId,
    keys: &[WrappedMemoryKey],
) -> Result<()> {
    let mut bytes = Vec::new();
    let mut w = CborWriter(&mut bytes);
    w.array(2);
    w.bytes(vault.as_bytes());
    w.list(keys, |w, key| {
        w.array(4);
        w.bytes(key.memory.as_bytes());
        w.bytes(&key.class);
        w.uint(key.binding);
        w.bytes(&key.wrapped);
    });
    packer.frame(FrameKind::MemoryKeys, &bytes)
}

fn each_vault(data: &SqliteStore, mut visit: impl FnMut(Scope, VaultId) -> Result<()>) -> Result<()> {
    let mut after = None;
    loop {
        let page = data.vaults(after, VAULTS_PAGE)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.id);
        page.into_iter().try_for_each(|header| visit(header.scope, header.id))?;
    }
}
