//! Reading a backup back. Nothing of what is there is touched before the whole file was read and found right.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use lacuna_seal::{Entropy, EpochKey, Zeroizing};
use lacuna_store::cbor::CborReader;
use lacuna_store::folder::OwnedFolder;
use lacuna_store::keys::{
    AnchoredHead, ERASURES_PAGE_MAX, KeyBatch, KeyStore, Kms, ReceiptMark, SqliteKeys, VaultKeys,
    WrappedClassKey, WrappedMemoryKey, WrappedRoot,
};
use lacuna_store::rows::{RecordKind, SqliteStore, Store, each_vault};
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::transfer::backup::container::{FrameKind, Unpacker, bad_backup, damaged, unwritable_backup};
use crate::transfer::backup::place::{
    BLOBS, DATABASE, KEYSTORE, RestoreSteps, Staging, keystore_in, make_folder, new_file,
};
use crate::transfer::backup::{KeyFile, Ledger, Manifest};
use crate::vault::root::root_from;

/// Keys that are put back at a time.
const KEYS_BATCH: usize = 5_000;

/// The target of a restore.
pub struct RestoreInto<'a> {
    /// The data folder, which nobody else may use. The database and the blobs in it are replaced; the keystore in
    /// it takes the keys that are put back.
    pub data: &'a OwnedFolder,
    /// The key-encryption service of this installation.
    pub kms: &'a Kms,
    /// The source of randomness.
    pub entropy: &'a dyn Entropy,
    /// The time of the restore.
    pub now: Timestamp,
    /// Hears each step.
    pub steps: RestoreSteps<'a>,
}

/// The result of a restore.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Restored {
    /// The moment at which the backup was made.
    pub made_at: Timestamp,
    /// Lines of the ledger that were replayed.
    pub erasures: usize,
    /// Keys that were put back.
    pub keys: usize,
    /// Keys that were destroyed because the ledger names them.
    pub destroyed: u64,
    /// The name that the database of the folder has now, if there was one.
    pub replaced: Option<String>,
}

/// A backup that was read to its end.
struct Unpacked {
    manifest: Manifest,
    ledger: Ledger,
    key_files: Vec<KeyFile>,
    epoch: Option<EpochKey>,
    vaults: Vec<(Scope, VaultKeys)>,
    memory_keys: BTreeMap<VaultId, Vec<WrappedMemoryKey>>,
}

/// Puts a backup back. `known` are receipts that somebody can show, and `ledgers` are exported ledgers: both
/// count together with what the folder and its keystore know.
///
/// Wherever it is stopped, the folder holds either all of the old installation or all of the new one, once
/// [`crate::transfer::finish_restore`] was called. [`crate::Upkeep::replay_ledger`] comes next.
pub fn restore(
    backup: impl Read,
    into: &RestoreInto<'_>,
    ledgers: &[Ledger],
    known: &[ReceiptMark],
) -> Result<Restored> {
    let staging = Staging::make(into.data, into.steps)?;
    match stage(backup, into, &staging, ledgers, known) {
        Ok(restored) => Ok(Restored { replaced: staging.place()?, ..restored }),
        Err(error) => {
            staging.discard()?;
            Err(error)
        }
    }
}

/// Puts together everything that a restore brings, beside what is there.
fn stage(
    backup: impl Read,
    into: &RestoreInto<'_>,
    staging: &Staging<'_>,
    ledgers: &[Ledger],
    known: &[ReceiptMark],
) -> Result<Restored> {
    let unpacked = unpack(backup, staging)?;
    let copy = staging.path(KEYSTORE);
    SqliteKeys::open(keystore_in(into.data.path()))?.copy_to(&copy)?;
    (into.steps)("keystore copied");
    let keys = SqliteKeys::open(copy)?;
    into.kms.check_current_of(&keys)?;
    let ledger = joined_ledger(&unpacked, into, &keys, staging, ledgers, known)?;
    let destroyed = ledger.absorb_into(&keys)?;
    (into.steps)("ledger replayed");
    let put_back = put_back_keys(&unpacked, into, &keys)?;
    (into.steps)("keys put back");
    reset_anchor(into, staging, &ledger)?;
    (into.steps)("anchor reset");
    let (made_at, erasures) = (unpacked.manifest.made_at, ledger.lines.len());
    Ok(Restored { made_at, erasures, keys: put_back, destroyed, replaced: None })
}

fn unpack(backup: impl Read, staging: &Staging<'_>) -> Result<Unpacked> {
    let mut unpacker = Unpacker::new(backup)?;
    let manifest = match unpacker.next()? {
        Some((FrameKind::Manifest, bytes)) => Manifest::decode(&bytes)?,
        _ => return Err(bad_backup("it holds no data")),
    };
    let mut unpacked = Unpacked {
        manifest,
        ledger: Ledger::default(),
        key_files: Vec::new(),
        epoch: None,
        vaults: Vec::new(),
        memory_keys: BTreeMap::new(),
    };
    let mut file = None;
    while let Some((kind, bytes)) = unpacker.next()? {
        match kind {
            FrameKind::File => file = Some(new_file(&staged_path(staging, &bytes)?)?),
            FrameKind::Chunk => {
                let file: &mut File = file.as_mut().ok_or_else(damaged)?;
                file.write_all(&bytes).map_err(|error| unwritable_backup(&error))?;
            }
            _ => unpacked.take(kind, &bytes)?,
        }
    }
    match staging.path(DATABASE).exists() {
        true => Ok(unpacked),
        false => Err(bad_backup("it holds no data")),
    }
}

/// Reads one frame of a backup, for the fuzz target.
#[cfg(any(test, fuzzing))]
pub(crate) fn read_frame(kind: FrameKind, bytes: &[u8]) -> Result<()> {
    let mut unpacked = Unpacked {
        manifest: Manifest { made_at: Timestamp::UNIX_EPOCH, number: None },
        ledger: Ledger::default(),
        key_files: Vec::new(),
        epoch: None,
        vaults: Vec::new(),
        memory_keys: BTreeMap::new(),
    };
    match kind {
        FrameKind::Manifest => Manifest::decode(bytes).map(drop),
        kind => unpacked.take(kind, bytes),
    }
}

impl Unpacked {
    fn take(&mut self, kind: FrameKind, bytes: &[u8]) -> Result<()> {
        match kind {
            FrameKind::KeyFile => {
                let file = CborReader(bytes).record(2, |r| {
                    let name = r.text()?.to_owned();
                    Some(KeyFile { name, key: Zeroizing::new(r.array_of_bytes()?) })
                });
                self.key_files.push(file.ok_or_else(damaged)?);
            }
            FrameKind::EpochKey => {
                self.epoch = Some(EpochKey::from_bytes(bytes.try_into().map_err(|_| damaged())?));
            }
            FrameKind::Vault => {
                self.vaults.push(CborReader(bytes).record(8, read_vault).ok_or_else(damaged)?);
            }
            FrameKind::MemoryKeys => {
                let read = |r: &mut CborReader<'_>| {
                    let vault = VaultId::from_bytes(r.array_of_bytes()?);
                    Some((vault, r.list(|r| r.record(4, read_memory_key))?))
                };
                let (vault, keys) = CborReader(bytes).record(2, read).ok_or_else(damaged)?;
                self.memory_keys.entry(vault).or_default().extend(keys);
            }
            _ => self.ledger.take(kind, bytes)?,
        }
        Ok(())
    }
}

fn read_vault(r: &mut CborReader<'_>) -> Option<(Scope, VaultKeys)> {
    let org = OrgId::new(r.text()?).ok()?;
    let (kind, name) = (r.text()?, r.text()?);
    let scope = Scope { org, holder: Holder::from_words(kind, name)? };
    let root = WrappedRoot {
        generation: r.uint()?,
        key_version: r.uint()?,
        holder: r.uint()?,
        wrapped: r.bytes()?.to_vec(),
        epoch: 0,
    };
    let class = |r: &mut CborReader<'_>| {
        Some(WrappedClassKey { id: r.array_of_bytes()?, wrapped: r.bytes()?.to_vec() })
    };
    Some((scope, VaultKeys { root, classes: r.list(|r| r.record(2, class))? }))
}

fn read_memory_key(r: &mut CborReader<'_>) -> Option<WrappedMemoryKey> {
    Some(WrappedMemoryKey {
        memory: MemoryId::from_bytes(r.array_of_bytes()?),
        class: r.array_of_bytes()?,
        binding: r.uint()?,
        wrapped: r.bytes()?.to_vec(),
    })
}

/// Everything that anybody knows about erasures, or an error if somebody knows of a receipt that none of the
/// ledgers has.
fn joined_ledger(
    unpacked: &Unpacked,
    into: &RestoreInto<'_>,
    keys: &dyn KeyStore,
    staging: &Staging<'_>,
    ledgers: &[Ledger],
    known: &[ReceiptMark],
) -> Result<Ledger> {
    let mut newest = known.to_vec();
    newest.extend(receipts_in(&staging.path(DATABASE))?);
    let present = into.data.path().join(DATABASE);
    if present.exists() {
        newest.extend(receipts_in(&present)?);
    }
    let own = Ledger::of(keys)?;
    let mut ledger = unpacked.ledger.clone();
    for other in ledgers.iter().chain([&own]) {
        ledger.lines.extend(&other.lines);
        ledger.receipts.extend(other.receipts.iter().cloned());
    }
    // A keystore keeps the order of the ledger, and takes the lines of one vault together.
    ledger.lines.sort_unstable();
    ledger.lines.dedup();
    match newest.iter().find(|mark| ledger.mark(&mark.org) < mark.number) {
        None => Ok(ledger),
        Some(mark) => Err(Error::Misconfigured {
            code: "ledger_too_old",
            reason: format!(
                "receipt {} is known, and the erasure ledger ends at {}: what was erased since would come back",
                mark.number,
                ledger.mark(&mark.org)
            ),
        }),
    }
}

/// The newest receipt of every organisation in a database.
fn receipts_in(database: &Path) -> Result<Vec<ReceiptMark>> {
    let store = SqliteStore::open(database)?;
    let mut orgs = std::collections::BTreeSet::new();
    each_vault(&store, |header| {
        orgs.insert(header.scope.org.clone());
        Ok(())
    })?;
    let mark = |org: OrgId| {
        let number = store.last_record(&org, RecordKind::Receipt)?;
        Ok(ReceiptMark { org, number })
    };
    orgs.into_iter().map(mark).collect()
}

/// Puts back the keys of vaults that the keystore does not know. What it knows it knows better: a key that it
/// does not have any more is one that was destroyed.
fn put_back_keys(unpacked: &Unpacked, into: &RestoreInto<'_>, store: &dyn KeyStore) -> Result<usize> {
    let Some(epoch) = &unpacked.epoch else { return Ok(0) };
    for file in &unpacked.key_files {
        into.kms.import_key(&file.name, &file.key, into.entropy)?;
    }
    let mut keys = 0;
    for (scope, stored) in &unpacked.vaults {
        let vault = scope.vault_id();
        let destroyed = store.destroyed_at(vault)?.is_some_and(|at| at >= unpacked.manifest.made_at);
        if destroyed || store.vault_keys(vault)?.is_some() {
            continue;
        }
        let root = root_from(scope, into.kms, epoch, &stored.root, into.entropy)?;
        let base = KeyBatch::new(vault, into.now);
        let first = KeyBatch { root: Some((root, None)), classes: stored.classes.clone(), ..base.clone() };
        store.commit(first)?;
        for held in unpacked.memory_keys.get(&vault).map_or(&[][..], Vec::as_slice).chunks(KEYS_BATCH) {
            let ids: Vec<_> = held.iter().map(|key| key.memory).collect();
            let erased = store.erased(vault, &ids)?;
            let memories: Vec<_> = held.iter().filter(|key| !erased.contains(&key.memory)).cloned().collect();
            keys += memories.len();
            store.commit(KeyBatch { memories, ..base.clone() })?;
        }
    }
    Ok(keys)
}

/// Makes the anchor expect the restored database, and know every erasure. What is there now is ahead of it, which
/// the anchor allows: a restore that is interrupted leaves nothing to refuse.
fn reset_anchor(into: &RestoreInto<'_>, staging: &Staging<'_>, ledger: &Ledger) -> Result<()> {
    let anchor = into.kms.anchor();
    for lines in ledger.lines.chunks(ERASURES_PAGE_MAX) {
        anchor.record_erasures(lines, &[])?;
    }
    anchor.record_erasures(&[], &ledger.receipts)?;
    let store = SqliteStore::open(staging.path(DATABASE))?;
    anchor.reset_heads(AnchoredHead::all_in(&store)?)
}

/// The path for a file of the backup. Names that no backup gives are refused.
fn staged_path(staging: &Staging<'_>, name: &[u8]) -> Result<PathBuf> {
    let name = str::from_utf8(name).map_err(|_| damaged())?;
    if name == DATABASE {
        return Ok(staging.path(DATABASE));
    }
    let plain = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
    };
    match name.split('/').collect::<Vec<_>>().as_slice() {
        [BLOBS, vault, file] if plain(vault) && plain(file) => {
            let folder = staging.path(BLOBS).join(vault);
            make_folder(&folder)?;
            Ok(folder.join(file))
        }
        _ => Err(damaged()),
    }
}
