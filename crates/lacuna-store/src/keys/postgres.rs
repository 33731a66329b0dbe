//! The keystore for many nodes: a PostgreSQL schema of its own, on the same server as the data or another.

mod ledger;

use jiff::Timestamp;
use postgres::Row as Columns;
use zeroize::Zeroizing;

use super::check::{check_batch, check_lines, check_root, class_taken, no_such_class, refuse_erased};
use super::{
    CUSTODY_KEYS_MAX, CustodyKey, EpochLock, FINGERPRINTS_MAX, KeyBatch, KeyFingerprint, KeyStore,
    LedgerCursor, LedgerExtent, LedgerLine, ReceiptMark, VaultKeys, WrappedClassKey, WrappedMemoryKey,
    WrappedRoot, fell_with_vault,
};
use crate::failure::SqlFailure;
use crate::rows::check::whole_millis;
use crate::rows::columns::number_u32;
use crate::rows::postgres::engine::{PostgresSchema, PostgresServer, ScopedTransaction, Visibility};
use crate::rows::postgres::{fixed, id, memory_id};
use crate::rows::{LoginRole, VAULTS_PAGE_MAX};
use lacuna_types::{Error, Result};
use lacuna_types::{MemoryId, OrgId, VaultId};

static SCHEMA: PostgresSchema = PostgresSchema {
    name: "lacuna_keys",
    app_role: "lacuna_keys_app",
    admin_role: "lacuna_keys_admin",
    eraser_role: None,
    migrations: &[
        include_str!("schema_postgres.sql"),
        include_str!("ledger_postgres.sql"),
        include_str!("fingerprints_postgres.sql"),
        include_str!("custody_postgres.sql"),
    ],
};

const ALL_MEMORY_KEYS: &str =
    "SELECT memory, class, binding, wrapped FROM lacuna_keys.memory_key WHERE vault = $1";
const SOME_MEMORY_KEYS: &str = "
    SELECT memory, class, binding, wrapped FROM lacuna_keys.memory_key WHERE vault = $1 AND memory = ANY($2)";

/// Wrapped keys in the schema `lacuna_keys` of a PostgreSQL database. Call from threads that may block,
/// never from inside an asynchronous task.
pub struct PostgresKeys {
    server: PostgresServer,
    /// For the connections that hold a lock: nothing else runs on one.
    url: Zeroizing<String>,
}

impl PostgresKeys {
    /// Connects. Makes or migrates the schema where needed, which takes its owner; a current one takes any member
    /// of its roles.
    pub fn open(url: &str) -> Result<Self> {
        let server = PostgresServer::open(url, &SCHEMA)?;
        Ok(Self { server, url: Zeroizing::new(url.to_owned()) })
    }

    /// The role that this connection logged in with, and the rights that it should not have.
    pub fn login_role(&self) -> Result<LoginRole> {
        self.server.login_role()
    }
}

impl KeyStore for PostgresKeys {
    fn vault_keys(&self, vault: VaultId) -> Result<Option<VaultKeys>> {
        let root_sql = "
            SELECT generation, key_version, epoch, holder, wrapped FROM lacuna_keys.root WHERE vault = $1";
        let class_sql = "SELECT id, wrapped FROM lacuna_keys.class_key WHERE vault = $1 ORDER BY number";
        self.server.read(Visibility::Vault(vault), |transaction| {
            let Some(root) = transaction.query_opt(root_sql, &[&id(&vault)])? else { return Ok(None) };
            let classes = transaction.query(class_sql, &[&id(&vault)])?;
            let class = |row: &Columns| Ok(WrappedClassKey { id: fixed(row, 0)?, wrapped: row.try_get(1)? });
            let classes = classes.iter().map(class).collect::<Result<_, SqlFailure>>()?;
            Ok(Some(VaultKeys { root: read_root(&root)?, classes }))
        })
    }

    fn memory_keys(
        &self,
        vault: VaultId,
        only: Option<&[MemoryId]>,
        visit: &mut dyn FnMut(WrappedMemoryKey) -> Result<()>,
    ) -> Result<()> {
        let mut visit_row = |row: &Columns| Ok(visit(read_memory_key(row)?)?);
        self.server.read(Visibility::Vault(vault), |transaction| match only {
            None => transaction.stream(ALL_MEMORY_KEYS, &[&id(&vault)], &mut visit_row),
            Some(ids) => {
                let ids: Vec<_> = ids.iter().map(memory_id).collect();
                transaction.stream(SOME_MEMORY_KEYS, &[&id(&vault), &ids], &mut visit_row)
            }
        })
    }

    fn commit(&self, batch: KeyBatch) -> Result<()> {
        check_batch(&batch)?;
        let visibility = visibility(batch.vault, batch.receipt.as_ref());
        self.server.write(visibility, |transaction| apply(transaction, &batch))
    }

    fn destroy_vault(&self, vault: VaultId, at: Timestamp, receipt: Option<ReceiptMark>) -> Result<u64> {
        whole_millis(at)?;
        self.server.write(visibility(vault, receipt.as_ref()), |transaction| {
            ledger::enter_vault(transaction, vault, at)?;
            receipt.iter().try_for_each(|mark| ledger::raise(transaction, mark))?;
            ledger::destroy_vault(transaction, vault)
        })
    }

    fn destroyed_at(&self, vault: VaultId) -> Result<Option<Timestamp>> {
        self.server.read(Visibility::Vault(vault), |transaction| ledger::destroyed_at(transaction, vault))
    }

    fn erased(&self, vault: VaultId, only: &[MemoryId]) -> Result<Vec<MemoryId>> {
        let ids: Vec<_> = only.iter().map(memory_id).collect();
        self.server.read(Visibility::Vault(vault), |transaction| {
            let destroyed = ledger::destroyed_at(transaction, vault)?;
            let entered = ledger::entered(transaction, vault, &ids)?;
            let is_erased = |id: &MemoryId| fell_with_vault(id, destroyed) || entered.contains(id);
            Ok(only.iter().copied().filter(is_erased).collect())
        })
    }

    fn erasures(&self, after: Option<LedgerCursor>, limit: usize) -> Result<Vec<LedgerLine>> {
        self.server.read(Visibility::Admin, |transaction| ledger::erasures(transaction, after, limit))
    }

    /// Vault by vault, because no transaction sees two of them. Absorbing again is safe after a failure.
    fn absorb(&self, lines: &[LedgerLine], receipts: &[ReceiptMark]) -> Result<u64> {
        check_lines(lines)?;
        let mut destroyed = 0;
        for group in lines.chunk_by(|one, next| one.vault == next.vault) {
            let vault = group[0].vault;
            destroyed += self
                .server
                .write(Visibility::Vault(vault), |transaction| ledger::absorb(transaction, vault, group))?;
        }
        for mark in receipts {
            self.server.write(Visibility::Org(&mark.org), |transaction| ledger::raise(transaction, mark))?;
        }
        Ok(destroyed)
    }

    fn forget_erasures(&self, before: Timestamp) -> Result<u64> {
        self.server.write(Visibility::Admin, |transaction| ledger::forget(transaction, before))
    }

    fn last_receipt(&self, org: &OrgId) -> Result<u64> {
        self.server.read(Visibility::Org(org), |transaction| ledger::last_receipt(transaction, org))
    }

    fn receipts_known(&self, after: Option<&OrgId>) -> Result<Vec<ReceiptMark>> {
        self.server.read(Visibility::Admin, |transaction| ledger::receipts_known(transaction, after))
    }

    fn ledger_extent(&self) -> Result<LedgerExtent> {
        self.server.read(Visibility::Admin, ledger::extent)
    }

    fn fingerprints(&self) -> Result<Vec<KeyFingerprint>> {
        let sql = "SELECT name, print FROM lacuna_keys.fingerprint ORDER BY name LIMIT $1";
        self.server.read(Visibility::Admin, |transaction| {
            let rows = transaction.query(sql, &[&(FINGERPRINTS_MAX as i64)])?;
            let read = |row: &Columns| Ok(KeyFingerprint { name: row.try_get(0)?, print: fixed(row, 1)? });
            rows.iter().map(read).collect()
        })
    }

    fn enter_fingerprint(&self, fingerprint: &KeyFingerprint) -> Result<KeyFingerprint> {
        let KeyFingerprint { name, print } = fingerprint;
        let enter = "
            INSERT INTO lacuna_keys.fingerprint (name, print) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
        self.server.write(Visibility::Admin, |transaction| {
            transaction.execute(enter, &[name, &print.as_slice()]).map(drop)
        })?;
        let sql = "SELECT print FROM lacuna_keys.fingerprint WHERE name = $1";
        self.server.read(Visibility::Admin, |transaction| {
            let row = transaction.query_opt(sql, &[name])?;
            let row = row.ok_or_else(|| Error::corrupt("a fingerprint that was entered is not there"))?;
            Ok(KeyFingerprint { name: name.clone(), print: fixed(&row, 0)? })
        })
    }

    fn custody_key(&self, name: &str) -> Result<Option<CustodyKey>> {
        let sql = "SELECT name, wrapped FROM lacuna_keys.custody WHERE name = $1";
        self.server.read(Visibility::Admin, |transaction| {
            transaction.query_opt(sql, &[&name])?.as_ref().map(read_custody_key).transpose()
        })
    }

    fn custody_keys(&self) -> Result<Vec<CustodyKey>> {
        let sql = "SELECT name, wrapped FROM lacuna_keys.custody ORDER BY name LIMIT $1";
        self.server.read(Visibility::Admin, |transaction| {
            let rows = transaction.query(sql, &[&(CUSTODY_KEYS_MAX as i64)])?;
            rows.iter().map(read_custody_key).collect()
        })
    }

    fn put_custody_key(&self, key: &CustodyKey) -> Result<()> {
        let sql =
            "INSERT INTO lacuna_keys.custody (name, wrapped) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
        self.server.write(Visibility::Admin, |transaction| {
            transaction.execute(sql, &[&key.name, &key.wrapped]).map(drop)
        })
    }

    fn destroy_custody_key(&self, name: &str) -> Result<()> {
        let sql = "DELETE FROM lacuna_keys.custody WHERE name = $1";
        self.server.write(Visibility::Admin, |transaction| transaction.execute(sql, &[&name]).map(drop))
    }

    /// A transaction of its own holds the lock, so that it also holds behind a pool of connections.
    fn lock(&self, exclusive: bool) -> Result<EpochLock> {
        let kind = if exclusive { "pg_advisory_xact_lock" } else { "pg_advisory_xact_lock_shared" };
        let script = format!(
            "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; SELECT {kind}(hashtext('lacuna_keys.epoch'))"
        );
        let mut client = PostgresServer::connect_alone(&self.url)?;
        client.batch_execute(&script).map_err(SqlFailure::from)?;
        Ok(EpochLock::holding(client))
    }

    fn vaults(&self, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultId>> {
        let sql = "
            SELECT vault FROM lacuna_keys.root
            WHERE $1::bytea IS NULL OR vault > $1 ORDER BY vault LIMIT $2";
        let limit = limit.min(VAULTS_PAGE_MAX) as i64;
        self.server.read(Visibility::Admin, |transaction| {
            let rows = transaction.query(sql, &[&after.as_ref().map(id), &limit])?;
            rows.iter().map(|row| Ok(VaultId::from_bytes(fixed(row, 0)?))).collect()
        })
    }
}

fn visibility(vault: VaultId, receipt: Option<&ReceiptMark>) -> Visibility<'_> {
    receipt.map_or(Visibility::Vault(vault), |mark| Visibility::VaultAndOrg(vault, &mark.org))
}

fn read_root(row: &Columns) -> Result<WrappedRoot, SqlFailure> {
    Ok(WrappedRoot {
        generation: number_u32(row.try_get(0)?)?,
        key_version: number_u32(row.try_get(1)?)?,
        epoch: number_u32(row.try_get(2)?)?,
        holder: small(row.try_get(3)?)?,
        wrapped: row.try_get(4)?,
    })
}

fn read_custody_key(row: &Columns) -> Result<CustodyKey, SqlFailure> {
    Ok(CustodyKey { name: row.try_get(0)?, wrapped: row.try_get(1)? })
}

fn read_memory_key(row: &Columns) -> Result<WrappedMemoryKey, SqlFailure> {
    Ok(WrappedMemoryKey {
        memory: MemoryId::from_bytes(fixed(row, 0)?),
        class: fixed(row, 1)?,
        binding: small(row.try_get(2)?)?,
        wrapped: row.try_get(3)?,
    })
}

fn small(stored: i16) -> Result<u8, SqlFailure> {
    Ok(u8::try_from(stored).map_err(|_| Error::corrupt("a stored number is out of range"))?)
}

fn apply(transaction: &mut ScopedTransaction<'_>, batch: &KeyBatch) -> Result<(), SqlFailure> {
    let sql = "SELECT generation FROM lacuna_keys.root WHERE vault = $1 FOR UPDATE";
    let stored = transaction.query_opt(sql, &[&id(&batch.vault)])?;
    let generation = stored.map(|row| number_u32(row.try_get(0)?)).transpose()?;
    check_root(generation, batch)?;
    check_ledger(transaction, batch)?;
    if let Some((root, _)) = &batch.root {
        put_root(transaction, batch.vault, root, generation.is_none())?;
    }
    for class in &batch.classes {
        let sql = "INSERT INTO lacuna_keys.class_key (vault, id, wrapped) VALUES ($1, $2, $3)";
        transaction.insert(sql, &[&id(&batch.vault), &class.id.as_slice(), &class.wrapped], class_taken)?;
    }
    put_memory_keys(transaction, batch)?;
    batch.receipt.iter().try_for_each(|mark| ledger::raise(transaction, mark))?;
    destroy(transaction, batch)
}

fn check_ledger(transaction: &mut ScopedTransaction<'_>, batch: &KeyBatch) -> Result<(), SqlFailure> {
    if batch.memories.is_empty() {
        return Ok(());
    }
    let ids: Vec<_> = batch.memories.iter().map(|key| memory_id(&key.memory)).collect();
    let destroyed = ledger::destroyed_at(transaction, batch.vault)?;
    let entered = ledger::entered(transaction, batch.vault, &ids)?;
    refuse_erased(batch, destroyed, |id| Ok(entered.contains(&id)))
}

fn put_root(
    transaction: &mut ScopedTransaction<'_>,
    vault: VaultId,
    root: &WrappedRoot,
    is_new: bool,
) -> Result<(), SqlFailure> {
    let insert = "
        INSERT INTO lacuna_keys.root (vault, generation, key_version, epoch, holder, wrapped)
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (vault) DO NOTHING";
    let update = "
        UPDATE lacuna_keys.root
        SET generation = $2, key_version = $3, epoch = $4, holder = $5, wrapped = $6 WHERE vault = $1";
    let written = transaction.execute(
        if is_new { insert } else { update },
        &[
            &id(&vault),
            &i64::from(root.generation),
            &i64::from(root.key_version),
            &i64::from(root.epoch),
            &i16::from(root.holder),
            &root.wrapped,
        ],
    )?;
    // Nothing written: another node made the same root a moment earlier.
    if written == 1 { Ok(()) } else { Err(Error::Conflict("the vault's root key").into()) }
}

fn put_memory_keys(transaction: &mut ScopedTransaction<'_>, batch: &KeyBatch) -> Result<(), SqlFailure> {
    if batch.memories.is_empty() {
        return Ok(());
    }
    let memories: Vec<_> = batch.memories.iter().map(|key| memory_id(&key.memory)).collect();
    let classes: Vec<_> = batch.memories.iter().map(|key| key.class.as_slice()).collect();
    let bindings: Vec<_> = batch.memories.iter().map(|key| i16::from(key.binding)).collect();
    let wrapped: Vec<_> = batch.memories.iter().map(|key| key.wrapped.as_slice()).collect();
    let sql = "
        INSERT INTO lacuna_keys.memory_key (vault, memory, class, binding, wrapped)
        SELECT $1, * FROM unnest($2::bytea[], $3::bytea[], $4::smallint[], $5::bytea[])
        ON CONFLICT (vault, memory) DO UPDATE SET
            class = excluded.class, binding = excluded.binding, wrapped = excluded.wrapped";
    transaction.insert(sql, &[&id(&batch.vault), &memories, &classes, &bindings, &wrapped], no_such_class)?;
    Ok(())
}

fn destroy(transaction: &mut ScopedTransaction<'_>, batch: &KeyBatch) -> Result<(), SqlFailure> {
    if batch.destroys.is_empty() {
        return Ok(());
    }
    let ids: Vec<_> = batch.destroys.iter().map(memory_id).collect();
    ledger::enter_memories(transaction, batch.vault, &ids, batch.at)?;
    ledger::destroy(transaction, batch.vault, &ids)?;
    Ok(())
}
