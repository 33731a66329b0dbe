//! The embedded keystore: a SQLite file of its own, with the same engine as the data.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Row as Columns, TransactionBehavior, params};

use super::check::{check_batch, check_root, class_taken, no_such_class};
use super::{KeyBatch, KeyStore, VaultKeys, WrappedClassKey, WrappedMemoryKey, WrappedRoot};
use crate::domain::{MemoryId, VaultId};
use crate::error::Result;
use crate::store::VAULTS_PAGE_MAX;
use crate::store::columns::number_u32;
use crate::store::pool::Pool;
use crate::store::sqlite::engine::{Database, Schema, SqliteOptions};
use crate::store::sqlite::writer::{Applied, Apply, Writer};
use crate::store::sqlite::{READERS_MAX, bytes, collect, unless_taken};

static SCHEMA: Schema =
    Schema { application_id: i32::from_be_bytes(*b"LacK"), migrations: &[include_str!("schema_sqlite.sql")] };

const MEMORY_KEY: &str = "SELECT memory, class, binding, wrapped FROM memory_key WHERE vault = ?1";

/// Wrapped keys in one SQLite file.
pub struct SqliteKeys {
    readers: Pool<Connection>,
    writer: Writer<KeyBatch>,
}

impl SqliteKeys {
    /// Opens the file, and makes or migrates it where needed.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, SqliteOptions::default())
    }

    pub fn open_with(path: impl AsRef<Path>, options: SqliteOptions) -> Result<Self> {
        let database = Database::open(path.as_ref(), &SCHEMA, options)?;
        let writer = Writer::start(database.clone())?;
        let readers = Pool::new(READERS_MAX, move || database.connect_reader());
        Ok(Self { readers, writer })
    }
}

impl KeyStore for SqliteKeys {
    fn vault_keys(&self, vault: VaultId) -> Result<Option<VaultKeys>> {
        let mut connection = self.readers.get()?;
        let snapshot = connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
        let sql = "SELECT generation, key_version, epoch, holder, wrapped FROM root WHERE vault = ?1";
        let Some(root) = collect(&snapshot, sql, [vault.as_bytes()], root)?.pop() else { return Ok(None) };
        let sql = "SELECT id, wrapped FROM class_key WHERE vault = ?1 ORDER BY rowid";
        let classes = collect(&snapshot, sql, [vault.as_bytes()], |row| {
            Ok(WrappedClassKey { id: row.get(0)?, wrapped: bytes(row, 1)? })
        })?;
        Ok(Some(VaultKeys { root, classes }))
    }

    fn memory_keys(
        &self,
        vault: VaultId,
        only: Option<&[MemoryId]>,
        visit: &mut dyn FnMut(WrappedMemoryKey) -> Result<()>,
    ) -> Result<()> {
        let mut connection = self.readers.get()?;
        let snapshot = connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
        let Some(ids) = only else {
            let mut statement = snapshot.prepare_cached(MEMORY_KEY)?;
            let mut rows = statement.query([vault.as_bytes()])?;
            while let Some(row) = rows.next()? {
                visit(memory_key(row)?)?;
            }
            return Ok(());
        };
        let mut statement = snapshot.prepare_cached(&format!("{MEMORY_KEY} AND memory = ?2"))?;
        for id in ids {
            let mut rows = statement.query([vault.as_bytes(), id.as_bytes()])?;
            if let Some(row) = rows.next()? {
                visit(memory_key(row)?)?;
            }
        }
        Ok(())
    }

    fn commit(&self, batch: KeyBatch) -> Result<()> {
        check_batch(&batch)?;
        self.writer.run(batch)
    }

    fn vaults(&self, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultId>> {
        let sql = "SELECT vault FROM root WHERE ?1 IS NULL OR vault > ?1 ORDER BY vault LIMIT ?2";
        let parameters = params![after.map(|id| *id.as_bytes()), limit.min(VAULTS_PAGE_MAX) as i64];
        collect(&*self.readers.get()?, sql, parameters, |row| Ok(VaultId::from_bytes(row.get(0)?)))
    }
}

fn root(row: &Columns<'_>) -> Result<WrappedRoot> {
    Ok(WrappedRoot {
        generation: number_u32(row.get(0)?)?,
        key_version: number_u32(row.get(1)?)?,
        epoch: number_u32(row.get(2)?)?,
        holder: row.get(3)?,
        wrapped: bytes(row, 4)?,
    })
}

fn memory_key(row: &Columns<'_>) -> Result<WrappedMemoryKey> {
    Ok(WrappedMemoryKey {
        memory: MemoryId::from_bytes(row.get(0)?),
        class: row.get(1)?,
        binding: row.get(2)?,
        wrapped: bytes(row, 3)?,
    })
}

impl Apply for KeyBatch {
    type Done = ();

    fn apply(&self, connection: &Connection) -> Result<Applied<()>> {
        let vault = self.vault.as_bytes();
        let sql = "SELECT generation FROM root WHERE vault = ?1";
        let generation = connection.prepare_cached(sql)?.query_row([vault], |row| row.get(0)).optional()?;
        check_root(generation, self)?;
        if let Some((root, _)) = &self.root {
            put_root(connection, self.vault, root)?;
        }
        self.classes.iter().try_for_each(|class| put_class(connection, self.vault, class))?;
        let mut erased = generation.is_some() && self.root.is_some();
        for key in &self.memories {
            erased |= destroy(connection, self.vault, key.memory)?;
            put_memory_key(connection, self.vault, key)?;
        }
        for id in &self.destroys {
            erased |= destroy(connection, self.vault, *id)?;
        }
        Ok(Applied { done: (), erased })
    }
}

fn put_root(connection: &Connection, vault: VaultId, root: &WrappedRoot) -> Result<()> {
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

fn put_class(connection: &Connection, vault: VaultId, class: &WrappedClassKey) -> Result<()> {
    let sql = "INSERT INTO class_key (vault, id, wrapped) VALUES (?1, ?2, ?3)";
    let parameters = params![vault.as_bytes(), class.id, class.wrapped];
    let inserted = connection.prepare_cached(sql)?.execute(parameters);
    inserted.map_err(|error| unless_taken(error, class_taken()))?;
    Ok(())
}

fn put_memory_key(connection: &Connection, vault: VaultId, key: &WrappedMemoryKey) -> Result<()> {
    let sql = "INSERT INTO memory_key (vault, memory, class, binding, wrapped) VALUES (?1, ?2, ?3, ?4, ?5)";
    let parameters = params![vault.as_bytes(), key.memory.as_bytes(), key.class, key.binding, key.wrapped];
    let inserted = connection.prepare_cached(sql)?.execute(parameters);
    // The old key of the same memory is gone by now, so only the class can be missing.
    inserted.map_err(|error| unless_taken(error, no_such_class()))?;
    Ok(())
}

/// Whether there was a key. `secure_delete` overwrites it with zeros.
fn destroy(connection: &Connection, vault: VaultId, memory: MemoryId) -> Result<bool> {
    let sql = "DELETE FROM memory_key WHERE vault = ?1 AND memory = ?2";
    Ok(connection.prepare_cached(sql)?.execute(params![vault.as_bytes(), memory.as_bytes()])? > 0)
}
