//! Reading a backup back. Nothing of what is there is touched before the whole file was read and found right.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use lacuna_seal::{Entropy, EpochKey, Zeroizing};
use lacuna_store::cbor::CborReader;
use lacuna_store::keys::{
    AnchoredHead, ERASURES_PAGE_MAX, KeyBatch, KeyStore, LocalKms, ReceiptMark, VaultKeys, WrappedClassKey,
    WrappedMemoryKey, WrappedRoot,
};
use lacuna_store::rows::{RecordKind, SqliteStore, Store};
use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::transfer::backup::container::{FrameKind, Unpacker, bad_backup, damaged, unwritable};
use crate::transfer::backup::{KeyFile, Ledger, Manifest, VAULTS_PAGE};
use crate::vault::keyring::Keyring;

pub(crate) const DATABASE: &str = "lacuna.db";
pub(crate) const BLOBS: &str = "blobs";
const STAGING: &str = "restore.tmp";
/// Suffix of the name that replaced data gets.
const REPLACED: &str = ".replaced";
/// Keys that are put back at a time.
const KEYS_BATCH: usize = 5_000;

/// The target of a restore.
pub struct RestoreInto<'a> {
    /// The data folder; the database and the blobs in it are replaced.
    pub data: &'a Path,
    /// The keystore that the keys are put back into.
    pub keys: &'a dyn KeyStore,
    /// The key-encryption service of this installation.
    pub kms: &'a LocalKms,
    /// The source of randomness.
    pub entropy: &'a dyn Entropy,
    /// The time of the restore.
    pub now: Timestamp,
}

/// The result of a restore.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Restored {
    /// The moment at which the backup was made.
    pub made_at: Timestamp,
    /// Lines of the ledger that were replayed.
    pub erasures: usize,
    /// Keys that were put back.
    pub keys: usize,
    /// Keys that were destroyed because the ledger names them.
    pub destroyed: u64,
    /// True when the folder held data, which now has another name.
    pub replaced: bool,
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
/// The service must not run on the folder meanwhile. [`crate::Upkeep::replay_ledger`] comes next.
pub fn restore(
    backup: impl Read,
    into: &RestoreInto<'_>,
    ledgers: &[Ledger],
    known: &[ReceiptMark],
) -> Result<Restored> {
    into.kms.check_current_of(into.keys)?;
    let staging = into.data.join(STAGING);
    clear(&staging)?;
    let restored = unpack(backup, &staging).and_then(|unpacked| {
        let (ledger, replaced) = joined_ledger(&unpacked, into, &staging, ledgers, known)?;
        let destroyed = ledger.absorb_into(into.keys)?;
        let keys = put_back_keys(&unpacked, into)?;
        place(into.data, &staging)?;
        reset_anchor(into, &ledger)?;
        let made_at = unpacked.manifest.made_at;
        Ok(Restored { made_at, erasures: ledger.lines.len(), keys, destroyed, replaced })
    });
    clear(&staging)?;
    restored
}

fn unpack(backup: impl Read, staging: &Path) -> Result<Unpacked> {
    make_folder(&staging.join(BLOBS))?;
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
                file.write_all(&bytes).map_err(|error| unwritable(&error))?;
            }
            _ => unpacked.take(kind, &bytes)?,
        }
    }
    match staging.join(DATABASE).exists() {
        true => Ok(unpacked),
        false => Err(bad_backup("it holds no data")),
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
/// ledgers has. Also tells whether the folder held data.
fn joined_ledger(
    unpacked: &Unpacked,
    into: &RestoreInto<'_>,
    staging: &Path,
    ledgers: &[Ledger],
    known: &[ReceiptMark],
) -> Result<(Ledger, bool)> {
    let mut newest = known.to_vec();
    newest.extend(receipts_in(&staging.join(DATABASE))?);
    let present = into.data.join(DATABASE);
    let replaced = present.exists();
    if replaced {
        newest.extend(receipts_in(&present)?);
    }
    let own = Ledger::of(into.keys)?;
    let mut ledger = unpacked.ledger.clone();
    for other in ledgers.iter().chain([&own]) {
        ledger.lines.extend(&other.lines);
        ledger.receipts.extend(other.receipts.iter().cloned());
    }
    // A keystore keeps the order of the ledger, and takes the lines of one vault together.
    ledger.lines.sort_unstable();
    ledger.lines.dedup();
    match newest.iter().find(|mark| ledger.mark(&mark.org) < mark.number) {
        None => Ok((ledger, replaced)),
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
    let mut after = None;
    loop {
        let page = store.vaults(after, VAULTS_PAGE)?;
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        orgs.extend(page.into_iter().map(|header| header.scope.org));
    }
    let mark = |org: OrgId| {
        let number = store.last_record(&org, RecordKind::Receipt)?;
        Ok(ReceiptMark { org, number })
    };
    orgs.into_iter().map(mark).collect()
}

/// Puts back the keys of vaults that the keystore does not know. What it knows it knows better: a key that it
/// does not have any more is one that was destroyed.
fn put_back_keys(unpacked: &Unpacked, into: &RestoreInto<'_>) -> Result<usize> {
    let Some(epoch) = &unpacked.epoch else { return Ok(0) };
    for file in &unpacked.key_files {
        into.kms.import_key(&file.name, &file.key, into.entropy)?;
    }
    let mut keys = 0;
    for (scope, stored) in &unpacked.vaults {
        let vault = scope.vault_id();
        let destroyed = into.keys.destroyed_at(vault)?.is_some_and(|at| at >= unpacked.manifest.made_at);
        if destroyed || into.keys.vault_keys(vault)?.is_some() {
            continue;
        }
        let root = Keyring::root_from(scope, into.kms, epoch, &stored.root, into.entropy)?;
        let base = KeyBatch::new(vault, into.now);
        let first = KeyBatch { root: Some((root, None)), classes: stored.classes.clone(), ..base.clone() };
        into.keys.commit(first)?;
        for held in unpacked.memory_keys.get(&vault).map_or(&[][..], Vec::as_slice).chunks(KEYS_BATCH) {
            let ids: Vec<_> = held.iter().map(|key| key.memory).collect();
            let erased = into.keys.erased(vault, &ids)?;
            let memories: Vec<_> = held.iter().filter(|key| !erased.contains(&key.memory)).cloned().collect();
            keys += memories.len();
            into.keys.commit(KeyBatch { memories, ..base.clone() })?;
        }
    }
    Ok(keys)
}

/// Makes the anchor expect the restored database, and know every erasure.
fn reset_anchor(into: &RestoreInto<'_>, ledger: &Ledger) -> Result<()> {
    let anchor = into.kms.anchor();
    for lines in ledger.lines.chunks(ERASURES_PAGE_MAX) {
        anchor.record_erasures(lines, &[])?;
    }
    anchor.record_erasures(&[], &ledger.receipts)?;
    let store = SqliteStore::open(into.data.join(DATABASE))?;
    let (mut heads, mut after) = (Vec::new(), None);
    loop {
        let page = store.vaults(after, VAULTS_PAGE)?;
        let Some(last) = page.last() else { return anchor.reset_heads(heads) };
        after = Some(last.id);
        heads.extend(
            page.iter()
                .map(|header| (header.id, AnchoredHead { revision: header.revision, head: header.audit })),
        );
    }
}

/// Puts the database and the blobs in their place. What was there gets another name.
fn place(data: &Path, staging: &Path) -> Result<()> {
    for name in [DATABASE, BLOBS] {
        let (here, aside) = (data.join(name), data.join(format!("{name}{REPLACED}")));
        clear(&aside)?;
        if here.exists() {
            fs::rename(&here, &aside).map_err(|error| unwritable(&error))?;
        }
        // The log of the old database must not be taken for one of the new.
        for log in ["-wal", "-shm"] {
            clear(&data.join(format!("{name}{log}")))?;
        }
        fs::rename(staging.join(name), &here).map_err(|error| unwritable(&error))?;
    }
    File::open(data).and_then(|folder| folder.sync_all()).map_err(|error| unwritable(&error))
}

/// The path for a file of the backup. Names that no backup gives are refused.
fn staged_path(staging: &Path, name: &[u8]) -> Result<PathBuf> {
    let name = str::from_utf8(name).map_err(|_| damaged())?;
    if name == DATABASE {
        return Ok(staging.join(DATABASE));
    }
    let plain = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
    };
    match name.split('/').collect::<Vec<_>>().as_slice() {
        [BLOBS, vault, file] if plain(vault) && plain(file) => {
            let folder = staging.join(BLOBS).join(vault);
            make_folder(&folder)?;
            Ok(folder.join(file))
        }
        _ => Err(damaged()),
    }
}

fn make_folder(path: &Path) -> Result<()> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| unwritable(&error))
}

fn new_file(path: &Path) -> Result<File> {
    let made = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    made.map_err(|error| unwritable(&error))
}

/// Removes a file or a folder; one that is not there is as good as removed.
fn clear(path: &Path) -> Result<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(unwritable(&error)),
        _ => Ok(()),
    }
}
