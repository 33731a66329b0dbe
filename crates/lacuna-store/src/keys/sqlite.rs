//! The embedded keystore: a SQLite file of its own, with the same engine as the data.

pub(super) mod ledger;

use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row as Columns, params};

use self::ledger::{Absorb, absorb, destroy_vault, destroyed_at, enter, is_erased, raise};
use super::check::{check_batch, check_lines, check_root, class_taken, no_such_class, refuse_erased};
use super::local::lock_file;
use super::{
    CUSTODY_KEYS_MAX, CustodyKey, EpochLock, FINGERPRINTS_MAX, KeyBatch, KeyFingerprint, KeyStore,
    LedgerCursor, LedgerExtent, LedgerLine, ReceiptMark, VaultKeys, WrappedClassKey, WrappedMemoryKey,
    WrappedRoot, fell_with_vault,
};
use crate::failure::SqlFailure;
use crate::rows::VAULTS_PAGE_MAX;
use crate::rows::check::whole_millis;
use crate::rows::columns::number_u32;
use crate::rows::pool::Pool;
use crate::rows::sqlite::engine::{Database, SqliteOptions, SqliteSchema};
use crate::rows::sqlite::writer::{AppliedWork, Apply, GroupWriter, Scrubbing};
use crate::rows::sqlite::{READERS_MAX, bytes, collect, in_snapshot, unless_taken};
use lacuna_types::{Error, Result};
use lacuna_types::{MemoryId, OrgId, VaultId, millis};

static SCHEMA: SqliteSchema = SqliteSchema {
    application_id: i32::from_be_bytes(*b"LacK"),
    migrations: &[
        include_str!("schema_sqlite.sql"),
        include_str!("ledger_sqlite.sql"),
        include_str!("fingerprints_sqlite.sql"),
        include_str!("custody_sqlite.sql"),
    ],
};

const MEMORY_KEY: &str = "SELECT memory, class, binding, wrapped FROM memory_key WHERE vault = ?1";

/// Wrapped keys in one SQLite file.
pub struct SqliteKeys {
    database: Database,
    readers: Pool<Connection>,
    writer: GroupWriter<KeyWork>,
}

impl SqliteKeys {
    /// Opens the file, and makes or migrates it where needed.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, SqliteOptions::default())
    }

    /// Returns true when opening the file would migrate it from an older version.
    pub fn is_outdated(path: impl AsRef<Path>) -> bool {
        Database::is_outdated(path.as_ref(), &SCHEMA)
    }

    /// Opens the file with other options.
    pub fn open_with(path: impl AsRef<Path>, options: SqliteOptions) -> Result<Self> {
        let database = Database::open(path.as_ref(), &SCHEMA, options)?;
        let writer = GroupWriter::start(database.clone(), Scrubbing::AtOnce)?;
        let reading = database.clone();
        let readers = Pool::new(READERS_MAX, move || reading.connect_reader());
        Ok(Self { database, readers, writer })
    }

    /// Writes a copy of the whole file, as it is at one moment. Nothing may be at `path`.
    pub fn copy_to(&self, path: &Path) -> Result<()> {
        self.database.copy_to(path)
    }

    fn snapshot<T>(&self, act: impl FnOnce(&Connection) -> Result<T, SqlFailure>) -> Result<T> {
        Ok(in_snapshot(&mut *self.readers.get()?, act)?)
    }
}

impl KeyStore for SqliteKeys {
    fn vault_keys(&self, vault: VaultId) -> Result<Option<VaultKeys>> {
        self.snapshot(|snapshot| vault_keys(snapshot, vault))
    }

    fn memory_keys(
        &self,
        vault: VaultId,
        only: Option<&[MemoryId]>,
        visit: &mut dyn FnMut(WrappedMemoryKey) -> Result<()>,
    ) -> Result<()> {
        self.snapshot(|snapshot| match only {
            None => visit_all_keys(snapshot, vault, visit),
            Some(ids) => visit_some_keys(snapshot, vault, ids, visit),
        })
    }

    fn commit(&self, batch: KeyBatch) -> Result<()> {
        check_batch(&batch)?;
        self.writer.run(KeyWork::Batch(batch)).map(drop)
    }

    fn destroy_vault(&self, vault: VaultId, at: Timestamp, receipt: Option<ReceiptMark>) -> Result<u64> {
        whole_millis(at)?;
        self.writer.run(KeyWork::DestroyVault { vault, at, receipt })
    }

    fn destroyed_at(&self, vault: VaultId) -> Result<Option<Timestamp>> {
        self.snapshot(|snapshot| destroyed_at(snapshot, vault))
    }

    fn erased(&self, vault: VaultId, only: &[MemoryId]) -> Result<Vec<MemoryId>> {
        self.snapshot(|snapshot| {
            let destroyed = destroyed_at(snapshot, vault)?;
            let mut erased = Vec::new();
            for id in only {
                if fell_with_vault(id, destroyed) || is_erased(snapshot, vault, *id)? {
                    erased.push(*id);
                }
            }
            Ok(erased)
        })
    }

    fn erasures(&self, after: Option<LedgerCursor>, limit: usize) -> Result<Vec<LedgerLine>> {
        self.snapshot(|snapshot| ledger::erasures(snapshot, after, limit))
    }

    fn absorb(&self, lines: &[LedgerLine], receipts: &[ReceiptMark]) -> Result<u64> {
        check_lines(lines)?;
        self.writer.run(KeyWork::Absorb(Absorb { lines: lines.to_vec(), receipts: receipts.to_vec() }))
    }

    fn forget_erasures(&self, before: Timestamp) -> Result<u64> {
        self.writer.run(KeyWork::Forget { before })
    }

    fn last_receipt(&self, org: &OrgId) -> Result<u64> {
        self.snapshot(|snapshot| ledger::last_receipt(snapshot, org))
    }

    fn receipts_known(&self, after: Option<&OrgId>) -> Result<Vec<ReceiptMark>> {
        self.snapshot(|snapshot| ledger::receipts_known(snapshot, after))
    }

    fn settle(&self) -> Result<()> {
        self.writer.settle()
    }

    fn ledger_extent(&self) -> Result<LedgerExtent> {
        self.snapshot(ledger::extent)
    }

    fn fingerprints(&self) -> Result<Vec<KeyFingerprint>> {
        let sql = "SELECT name, print FROM fingerprint ORDER BY name LIMIT ?1";
        self.snapshot(|snapshot| {
            collect(snapshot, sql, [FINGERPRINTS_MAX as i64], |row| {
                Ok(KeyFingerprint { name: row.get(0)?, print: row.get(1)? })
            })
        })
    }

    fn enter_fingerprint(&self, fingerprint: &KeyFingerprint) -> Result<KeyFingerprint> {
        self.writer.run(KeyWork::Fingerprint(fingerprint.clone()))?;
        let sql = "SELECT print FROM fingerprint WHERE name = ?1";
        self.snapshot(|snapshot| {
            let print = snapshot.prepare_cached(sql)?.query_row([&fingerprint.name], |row| row.get(0))?;
            Ok(KeyFingerprint { name: fingerprint.name.clone(), print })
        })
    }

    fn custody_key(&self, name: &str) -> Result<Option<CustodyKey>> {
        let sql = "SELECT name, wrapped FROM custody WHERE name = ?1";
        self.snapshot(|snapshot| Ok(collect(snapshot, sql, [name], custody_key)?.pop()))
    }

    fn custody_keys(&self) -> Result<Vec<CustodyKey>> {
        let sql = "SELECT name, wrapped FROM custody ORDER BY name LIMIT ?1";
        self.snapshot(|snapshot| collect(snapshot, sql, [CUSTODY_KEYS_MAX as i64], custody_key))
    }

    fn put_custody_key(&self, key: &CustodyKey) -> Result<()> {
        self.writer.run(KeyWork::PutCustody(key.clone())).map(drop)
    }

    fn destroy_custody_key(&self, name: &str) -> Result<()> {
        self.writer.run(KeyWork::DestroyCustody(name.to_owned())).map(drop)
    }

    fn lock(&self, exclusive: bool) -> Result<EpochLock> {
        lock_file(&self.database.beside(".lock"), exclusive).map_err(|error| {
            Error::unavailable("data_folder_unavailable", "the keystore cannot be locked", error)
        })
    }

    fn vaults(&self, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultId>> {
        let sql = "SELECT vault FROM root WHERE ?1 IS NULL OR vault > ?1 ORDER BY vault LIMIT ?2";
        let parameters = params![after.map(|id| *id.as_bytes()), limit.min(VAULTS_PAGE_MAX) as i64];
        self.snapshot(|snapshot| {
            collect(snapshot, sql, parameters, |row| Ok(VaultId::from_bytes(row.get(0)?)))
        })
    }
}

fn vault_keys(snapshot: &Connection, vault: VaultId) -> Result<Option<VaultKeys>, SqlFailure> {
    let sql = "SELECT generation, key_version, epoch, holder, wrapped FROM root WHERE vault = ?1";
    let Some(root) = collect(snapshot, sql, [vault.as_bytes()], root)?.pop() else { return Ok(None) };
    let sql = "SELECT id, wrapped FROM class_key WHERE vault = ?1 ORDER BY rowid";
    let classes = collect(snapshot, sql, [vault.as_bytes()], |row| {
        Ok(WrappedClassKey { id: row.get(0)?, wrapped: bytes(row, 1)? })
    })?;
    Ok(Some(VaultKeys { root, classes }))
}

fn visit_all_keys(
    snapshot: &Connection,
    vault: VaultId,
    visit: &mut dyn FnMut(WrappedMemoryKey) -> Result<()>,
) -> Result<(), SqlFailure> {
    let mut statement = snapshot.prepare_cached(MEMORY_KEY)?;
    let mut rows = statement.query([vault.as_bytes()])?;
    while let Some(row) = rows.next()? {
        visit(memory_key(row)?)?;
    }
    Ok(())
}

fn visit_some_keys(
    snapshot: &Connection,
    vault: VaultId,
    ids: &[MemoryId],
    visit: &mut dyn FnMut(WrappedMemoryKey) -> Result<()>,
) -> Result<(), SqlFailure> {
    let mut statement = snapshot.prepare_cached(&format!("{MEMORY_KEY} AND memory = ?2"))?;
    for id in ids {
        let mut rows = statement.query([vault.as_bytes(), id.as_bytes()])?;
        if let Some(row) = rows.next()? {
            visit(memory_key(row)?)?;
        }
    }
    Ok(())
}

fn root(row: &Columns<'_>) -> Result<WrappedRoot, SqlFailure> {
    Ok(WrappedRoot {
        generation: number_u32(row.get(0)?)?,
        key_version: number_u32(row.get(1)?)?,
        epoch: number_u32(row.get(2)?)?,
        holder: row.get(3)?,
        wrapped: bytes(row, 4)?,
    })
}

fn custody_key(row: &Columns<'_>) -> Result<CustodyKey, SqlFailure> {
    Ok(CustodyKey { name: row.get(0)?, wrapped: bytes(row, 1)? })
}

fn memory_key(row: &Columns<'_>) -> Result<WrappedMemoryKey, SqlFailure> {
    Ok(WrappedMemoryKey {
        memory: MemoryId::from_bytes(row.get(0)?),
        class: row.get(1)?,
        binding: row.get(2)?,
        wrapped: bytes(row, 3)?,
    })
}

/// The work of the writer. Each answers with a number: of keys destroyed, or of lines dropped.
enum KeyWork {
    Batch(KeyBatch),
    DestroyVault { vault: VaultId, at: Timestamp, receipt: Option<ReceiptMark> },
    Absorb(Absorb),
    Forget { before: Timestamp },
    Fingerprint(KeyFingerprint),
    PutCustody(CustodyKey),
    DestroyCustody(String),
}

impl Apply for KeyWork {
    type Done = u64;

    fn apply(&self, connection: &Connection) -> Result<AppliedWork<u64>, SqlFailure> {
        match self {
            Self::Batch(batch) => batch.apply(connection),
            Self::DestroyVault { vault, at, receipt } => {
                let done = destroy_vault(connection, *vault)?;
                enter(connection, &LedgerLine { vault: *vault, memory: None, at: *at })?;
                receipt.iter().try_for_each(|mark| raise(connection, mark))?;
                Ok(AppliedWork { done, erased: true })
            }
            Self::Absorb(work) => Ok(AppliedWork { done: absorb(connection, work)?, erased: true }),
            Self::Forget { before } => {
                let sql = "DELETE FROM erased WHERE at < ?1";
                let done = connection.prepare_cached(sql)?.execute([millis(*before)])? as u64;
                Ok(AppliedWork { done, erased: done > 0 })
            }
            Self::Fingerprint(KeyFingerprint { name, print }) => {
                let sql = "INSERT INTO fingerprint (name, print) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
                connection.prepare_cached(sql)?.execute(params![name, print])?;
                Ok(AppliedWork { done: 0, erased: false })
            }
            Self::PutCustody(CustodyKey { name, wrapped }) => {
                let sql = "INSERT INTO custody (name, wrapped) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
                connection.prepare_cached(sql)?.execute(params![name, wrapped])?;
                Ok(AppliedWork { done: 0, erased: false })
            }
            Self::DestroyCustody(name) => {
                let sql = "DELETE FROM custody WHERE name = ?1";
                let done = connection.prepare_cached(sql)?.execute([name])? as u64;
                Ok(AppliedWork { done, erased: done > 0 })
            }
        }
    }

    fn erases(&self) -> bool {
        match self {
            Self::Batch(batch) => !batch.destroys.is_empty(),
            Self::DestroyVault { .. } | Self::Absorb(_) | Self::Forget { .. } | Self::DestroyCustody(_) => {
                true
            }
            Self::Fingerprint(_) | Self::PutCustody(_) => false,
        }
    }
}

impl KeyBatch {
    fn apply(&self, connection: &Connection) -> Result<AppliedWork<u64>, SqlFailure> {
        let vault = self.vault.as_bytes();
        let sql = "SELECT generation FROM root WHERE vault = ?1";
        let generation = connection.prepare_cached(sql)?.query_row([vault], |row| row.get(0)).optional()?;
        check_root(generation, self)?;
        let destroyed = destroyed_at(connection, self.vault)?;
        refuse_erased(self, destroyed, |id| is_erased(connection, self.vault, id))?;
        if let Some((root, _)) = &self.root {
            put_root(connection, self.vault, root)?;
        }
        self.classes.iter().try_for_each(|class| put_class(connection, self.vault, class))?;
        let mut erased = generation.is_some() && self.root.is_some();
        for key in &self.memories {
            erased |= destroy(connection, self.vault, key.memory)?;
            put_memory_key(connection, self.vault, key)?;
        }
        let mut done = 0;
        for id in &self.destroys {
            done += u64::from(destroy(connection, self.vault, *id)?);
            enter(connection, &LedgerLine { vault: self.vault, memory: Some(*id), at: self.at })?;
        }
        self.receipt.iter().try_for_each(|mark| raise(connection, mark))?;
        Ok(AppliedWork { done, erased: erased || done > 0 })
    }
}

fn put_root(connection: &Connection, vault: VaultId, root: &WrappedRoot) -> Result<(), SqlFailure> {
    let sql = "
        INSERT INTO root (vault, generation, key_version, epoch, holder, wrapped)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (vault) DO UPDATE SET
            generation = excluded.generation, key_version = excluded.key_version, epoch = excluded.epoch,
            holder = excluded.holder, wrapped = excluded.wrapped";
    connection.prepare_cached(sql)?.execute(params![
        vault.as_bytes(),
        root.generation,
        root.key_version,
        root.epoch,
        root.holder,
        root.wrapped,
    ])?;
    Ok(())
}

fn put_class(connection: &Connection, vault: VaultId, class: &WrappedClassKey) -> Result<(), SqlFailure> {
    let sql = "INSERT INTO class_key (vault, id, wrapped) VALUES (?1, ?2, ?3)";
    let parameters = params![vault.as_bytes(), class.id, class.wrapped];
    let inserted = connection.prepare_cached(sql)?.execute(parameters);
    inserted.map_err(|error| unless_taken(error, class_taken()))?;
    Ok(())
}

fn put_memory_key(connection: &Connection, vault: VaultId, key: &WrappedMemoryKey) -> Result<(), SqlFailure> {
    let sql = "INSERT INTO memory_key (vault, memory, class, binding, wrapped) VALUES (?1, ?2, ?3, ?4, ?5)";
    let parameters = params![vault.as_bytes(), key.memory.as_bytes(), key.class, key.binding, key.wrapped];
    let inserted = connection.prepare_cached(sql)?.execute(parameters);
    // The old key of the same memory is gone by now, so only the class can be missing.
    inserted.map_err(|error| unless_taken(error, no_such_class()))?;
    Ok(())
}

/// Returns true when there was a key. `secure_delete` overwrites it with zeros.
fn destroy(connection: &Connection, vault: VaultId, memory: MemoryId) -> Result<bool, SqlFailure> {
    let sql = "DELETE FROM memory_key WHERE vault = ?1 AND memory = ?2";
    Ok(connection.prepare_cached(sql)?.execute(params![vault.as_bytes(), memory.as_bytes()])? > 0)
}
