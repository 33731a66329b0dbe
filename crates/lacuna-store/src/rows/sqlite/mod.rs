//! The embedded store: one SQLite file, many readers, one writer with group commit.

pub(crate) mod engine;
mod jobs;
mod records;
pub(crate) mod reserve;
mod write;
pub(crate) mod writer;

use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row as Columns, TransactionBehavior, params};

pub use self::engine::SqliteOptions;
pub(crate) use self::write::unless_taken;

use self::engine::{Database, SqliteSchema};
use self::write::StoreWork;
use self::writer::{GroupWriter, Scrubbing};
use super::check::check_batch;
use super::columns::{
    group_from_columns, header_codes, ids as split_ids, member_from_columns, number_u32, number_u64,
    scope_from_columns, time,
};
use super::jobs::{check_claim, check_end};
use super::pool::Pool;
use super::{
    AUDIT_PAGE_MAX, AccessRows, AuditRow, Batch, ChainHead, JobClaim, JobEnd, JobRow, MEMBERS_PAGE_MAX,
    MEMBERSHIPS_MAX, MemberRow, PendingErasure, Record, RecordKind, Row, SealedBody, SealedSettings, Store,
    TOKENS_PAGE_MAX, TOMBSTONES_PAGE_MAX, TokenRow, TombstoneRow, VAULTS_PAGE_MAX, VaultChange, VaultHeader,
};
use crate::failure::SqlFailure;
use lacuna_types::{Error, Result};
use lacuna_types::{Group, Lifecycle, MemoryId, OrgId, Revision, UserId, VaultId, millis};

/// Connections for reading, per file.
pub(crate) const READERS_MAX: usize = 8;

static SCHEMA: SqliteSchema = SqliteSchema {
    application_id: i32::from_be_bytes(*b"LacD"),
    migrations: &[
        include_str!("schema.sql"),
        include_str!("members.sql"),
        include_str!("frozen.sql"),
        include_str!("audit.sql"),
        include_str!("records.sql"),
        include_str!("jobs.sql"),
        include_str!("vault_records.sql"),
        include_str!("codes.sql"),
    ],
};

const HEADER: &str = "
    SELECT id, org, holder_kind, holder, revision, created_at, audit_seq, audit_hash, frozen_at,
           audit_signature, began_after, rows_code, access_code, header_code,
           (SELECT setting.revision FROM setting WHERE setting.vault = vault.number)
    FROM vault";
const TOKEN: &str = "SELECT id, hash, org, user, roles, label, created_at, expires_at, revoked_at FROM token";
const CHANGES: &str = "
    SELECT revision, id, state, created_at, updated_at, expires_at, key_version, frame_revision, frame
    FROM memory WHERE vault = ?1 AND revision > ?2
    UNION ALL
    SELECT revision, id, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM tombstone WHERE vault = ?1 AND revision > ?2
    ORDER BY revision";
const ROW: &str = "
    SELECT memory.revision, id, state, created_at, updated_at, expires_at, key_version, frame_revision, frame,
           body.revision, body.bytes, body.sealed
    FROM memory LEFT JOIN body USING (place) WHERE vault = ?1 AND id = ?2";

/// Sealed memories in one SQLite file.
pub struct SqliteStore {
    database: Database,
    readers: Pool<Connection>,
    writer: GroupWriter<StoreWork>,
}

impl SqliteStore {
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
        let writer = GroupWriter::start(database.clone(), Scrubbing::Quietly)?;
        let reading = database.clone();
        let readers = Pool::new(READERS_MAX, move || reading.connect_reader());
        Ok(Self { database, readers, writer })
    }

    /// Writes a copy of the whole file, as it is at one moment, while others read and write. Nothing may be at
    /// `path`. The copy holds no freed pages, so nothing that was erased before.
    pub fn copy_to(&self, path: &Path) -> Result<()> {
        self.database.copy_to(path)
    }

    /// Transactions committed since the file was opened; group commit makes them fewer than the batches.
    pub fn transactions(&self) -> u64 {
        self.writer.transactions()
    }

    /// Runs `act` on a connection that refuses to write.
    fn read<T>(&self, act: impl FnOnce(&Connection) -> Result<T, SqlFailure>) -> Result<T> {
        Ok(act(&*self.readers.get()?)?)
    }

    /// The rows of one statement.
    fn list<T>(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        read: impl Fn(&Columns<'_>) -> Result<T, SqlFailure>,
    ) -> Result<Vec<T>> {
        self.read(|connection| collect(connection, sql, parameters, read))
    }

    /// Reads from one snapshot; `None` where the vault is not there. Rolling back at the end costs nothing:
    /// nothing was written.
    fn snapshot<T>(
        &self,
        vault: VaultId,
        act: impl FnOnce(&Connection, i64) -> Result<T, SqlFailure>,
    ) -> Result<Option<T>> {
        let mut connection = self.readers.get()?;
        Ok(in_snapshot(&mut connection, |snapshot| {
            vault_number(snapshot, vault)?.map(|number| act(snapshot, number)).transpose()
        })?)
    }
}

impl Store for SqliteStore {
    fn vault(&self, vault: VaultId) -> Result<Option<VaultHeader>> {
        self.read(|connection| header(connection, vault))
    }

    fn revision(&self, vault: VaultId) -> Result<Revision> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT revision FROM vault WHERE id = ?1")?;
            let revision = statement.query_row([vault.as_bytes()], |row| row.get(0)).optional()?;
            Ok(Revision(revision.map_or(Ok(0), number_u64)?))
        })
    }

    fn changes(
        &self,
        vault: VaultId,
        since: Revision,
        visit: &mut dyn FnMut(VaultChange) -> Result<()>,
    ) -> Result<Option<VaultHeader>> {
        let header = self.snapshot(vault, |snapshot, number| {
            let header = header(snapshot, vault)?;
            let mut statement = snapshot.prepare_cached(CHANGES)?;
            let since = i64::try_from(since.0).unwrap_or(i64::MAX);
            let mut rows = statement.query(params![number, since])?;
            while let Some(columns) = rows.next()? {
                visit(change(columns)?)?;
            }
            Ok(header)
        })?;
        Ok(header.flatten())
    }

    fn rows(&self, vault: VaultId, ids: &[MemoryId]) -> Result<Vec<Option<Row>>> {
        let rows = self.snapshot(vault, |snapshot, number| {
            let mut statement = snapshot.prepare_cached(ROW)?;
            ids.iter()
                .map(|id| {
                    let mut found = statement.query(params![number, id.as_bytes()])?;
                    found.next()?.map(row_with_body).transpose()
                })
                .collect()
        })?;
        Ok(rows.unwrap_or_else(|| vec![None; ids.len()]))
    }

    fn commit(&self, batch: Batch) -> Result<Revision> {
        check_batch(&batch)?;
        self.writer.run(StoreWork::Commit(Box::new(batch))).map(Revision)
    }

    fn intents(&self, vault: VaultId) -> Result<Vec<PendingErasure>> {
        let intents = self.snapshot(vault, |snapshot, number| {
            let sql = "SELECT id, memories, note FROM intent WHERE vault = ?1 ORDER BY id";
            collect(snapshot, sql, params![number], |row| {
                let memories = split_ids(&bytes(row, 1)?)?;
                Ok(PendingErasure { id: number_u64(row.get(0)?)?, memories, note: bytes(row, 2)? })
            })
        })?;
        Ok(intents.unwrap_or_default())
    }

    fn audit(&self, vault: VaultId, after: u64) -> Result<Vec<AuditRow>> {
        let entries = self.snapshot(vault, |snapshot, number| {
            let sql =
                "SELECT seq, at, hash, entry, code FROM audit WHERE vault = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";
            let after = i64::try_from(after).unwrap_or(i64::MAX);
            collect(snapshot, sql, params![number, after, AUDIT_PAGE_MAX as i64], |row| {
                Ok(AuditRow {
                    seq: number_u64(row.get(0)?)?,
                    at: at(row, 1)?,
                    hash: row.get(2)?,
                    entry: bytes(row, 3)?,
                    code: row.get(4)?,
                })
            })
        })?;
        Ok(entries.unwrap_or_default())
    }

    fn token(&self, hash: &[u8; 32]) -> Result<Option<TokenRow>> {
        let sql = format!("{TOKEN} WHERE hash = ?1");
        self.read(|connection| Ok(collect(connection, &sql, params![hash], token)?.pop()))
    }

    fn tokens(&self, org: &OrgId) -> Result<Vec<TokenRow>> {
        let sql = format!("{TOKEN} WHERE org = ?1 ORDER BY created_at, id LIMIT ?2");
        self.list(&sql, params![org.as_str(), TOKENS_PAGE_MAX as i64], token)
    }

    fn memberships(&self, org: &OrgId, user: &UserId) -> Result<Vec<Group>> {
        let sql =
            "SELECT kind, name FROM member WHERE org = ?1 AND user = ?2 ORDER BY kind DESC, name LIMIT ?3";
        let parameters = params![org.as_str(), user.as_str(), MEMBERSHIPS_MAX as i64];
        self.list(sql, parameters, |row| {
            group_from_columns(&row.get::<_, String>(0)?, &row.get::<_, String>(1)?)
        })
    }

    fn members(&self, org: &OrgId, group: &Group, after: Option<&UserId>) -> Result<Vec<MemberRow>> {
        let sql = "
            SELECT user, added_at FROM member WHERE org = ?1 AND kind = ?2 AND name = ?3 AND user > ?4
            ORDER BY user LIMIT ?5";
        let after = after.map_or("", UserId::as_str);
        let parameters = params![org.as_str(), group.kind(), group.name(), after, MEMBERS_PAGE_MAX as i64];
        self.list(sql, parameters, |row| member_from_columns(&row.get::<_, String>(0)?, at(row, 1)?))
    }

    fn access(&self, org: &OrgId) -> Result<AccessRows> {
        let mut connection = self.readers.get()?;
        Ok(in_snapshot(&mut connection, |snapshot| {
            let sql = format!("{TOKEN} WHERE org = ?1 ORDER BY id");
            let tokens = collect(snapshot, &sql, params![org.as_str()], token)?;
            let sql = "
                SELECT kind, name, user, added_at FROM member WHERE org = ?1
                ORDER BY kind DESC, name, user";
            let members = collect(snapshot, sql, params![org.as_str()], |row| {
                let group = group_from_columns(&row.get::<_, String>(0)?, &row.get::<_, String>(1)?)?;
                Ok((group, member_from_columns(&row.get::<_, String>(2)?, at(row, 3)?)?))
            })?;
            Ok(AccessRows { tokens, members })
        })?)
    }

    fn vaults(&self, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultHeader>> {
        let sql = format!("{HEADER} WHERE ?1 IS NULL OR id > ?1 ORDER BY id LIMIT ?2");
        let limit = limit.min(VAULTS_PAGE_MAX) as i64;
        let after = after.map(|id| *id.as_bytes());
        self.list(&sql, params![after, limit], header_columns)
    }

    fn destroy(&self, vault: VaultId) -> Result<()> {
        self.writer.run(StoreWork::Destroy(vault)).map(drop)
    }

    fn tombstones(&self, vault: VaultId, after: Option<MemoryId>) -> Result<Vec<TombstoneRow>> {
        let tombstones = self.snapshot(vault, |snapshot, number| {
            let sql = "
                SELECT id, at, brief FROM tombstone WHERE vault = ?1 AND (?2 IS NULL OR id > ?2)
                ORDER BY id LIMIT ?3";
            let after = after.as_ref().map(MemoryId::as_bytes);
            collect(snapshot, sql, params![number, after, TOMBSTONES_PAGE_MAX as i64], |row| {
                let id = MemoryId::from_bytes(row.get(0)?);
                Ok(TombstoneRow { id, at: at(row, 1)?, brief: row.get(2)? })
            })
        })?;
        Ok(tombstones.unwrap_or_default())
    }

    fn soft_deleted(&self, before: Timestamp, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultId>> {
        // The state stands in the statement, so that the index of deleted rows is used.
        let sql = format!(
            "SELECT id FROM vault WHERE (?1 IS NULL OR id > ?1) AND EXISTS (
                 SELECT 1 FROM memory WHERE memory.vault = vault.number AND state = {} AND updated_at < ?2)
             ORDER BY id LIMIT ?3",
            Lifecycle::Deleted.code()
        );
        let after = after.as_ref().map(VaultId::as_bytes);
        let parameters = params![after, millis(before), limit.min(VAULTS_PAGE_MAX) as i64];
        self.list(&sql, parameters, |row| Ok(VaultId::from_bytes(row.get(0)?)))
    }

    fn expiring(&self, before: Timestamp, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultId>> {
        // The conditions of the index stand in the statement, so that it is used.
        let sql = format!(
            "SELECT id FROM vault WHERE (?1 IS NULL OR id > ?1) AND EXISTS (
                 SELECT 1 FROM memory WHERE memory.vault = vault.number AND expires_at IS NOT NULL
                 AND state <> {} AND expires_at < ?2)
             ORDER BY id LIMIT ?3",
            Lifecycle::Deleted.code()
        );
        let after = after.as_ref().map(VaultId::as_bytes);
        let parameters = params![after, millis(before), limit.min(VAULTS_PAGE_MAX) as i64];
        self.list(&sql, parameters, |row| Ok(VaultId::from_bytes(row.get(0)?)))
    }

    fn settings(&self, vault: VaultId) -> Result<Option<SealedSettings>> {
        let settings = self.snapshot(vault, |snapshot, number| {
            let sql = "SELECT revision, sealed FROM setting WHERE vault = ?1";
            let settings = |row: &Columns<'_>| {
                Ok(SealedSettings { revision: number_u32(row.get(0)?)?, sealed: bytes(row, 1)? })
            };
            Ok(collect(snapshot, sql, params![number], settings)?.pop())
        })?;
        Ok(settings.flatten())
    }

    fn jobs(&self) -> Result<Vec<JobRow>> {
        self.read(jobs::all)
    }

    fn claim_job(&self, claim: &JobClaim) -> Result<bool> {
        check_claim(claim)?;
        self.writer.run(StoreWork::ClaimJob(claim.clone())).map(is_one)
    }

    fn renew_job(&self, claim: &JobClaim) -> Result<bool> {
        check_claim(claim)?;
        self.writer.run(StoreWork::RenewJob(claim.clone())).map(is_one)
    }

    fn end_job(&self, end: &JobEnd) -> Result<bool> {
        check_end(end)?;
        self.writer.run(StoreWork::EndJob(end.clone())).map(is_one)
    }

    fn records(&self, org: &OrgId, kind: RecordKind, after: u64, limit: usize) -> Result<Vec<Record>> {
        self.read(|connection| records::page(connection, org, kind, after, limit))
    }

    fn vault_records(
        &self,
        org: &OrgId,
        kind: RecordKind,
        vault: VaultId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Record>> {
        self.read(|connection| records::page_of_vault(connection, org, kind, vault, after, limit))
    }

    fn last_record(&self, org: &OrgId, kind: RecordKind) -> Result<u64> {
        self.read(|connection| records::last(connection, org, kind))
    }

    fn due_records(&self, kind: RecordKind, at: Timestamp, limit: usize) -> Result<Vec<Record>> {
        self.read(|connection| records::due(connection, kind, at, limit))
    }
}

/// Returns true when the writer changed its one row.
fn is_one(rows: u64) -> bool {
    rows == 1
}

fn at(row: &Columns<'_>, column: usize) -> Result<Timestamp, SqlFailure> {
    time(row.get(column)?)
}

fn optional_at(row: &Columns<'_>, column: usize) -> Result<Option<Timestamp>, SqlFailure> {
    row.get::<_, Option<i64>>(column)?.map(time).transpose()
}

pub(crate) fn bytes(row: &Columns<'_>, column: usize) -> Result<Vec<u8>, SqlFailure> {
    let value = row.get_ref(column)?;
    Ok(value.as_blob().map_err(rusqlite::Error::from)?.to_vec())
}

/// Reads from one snapshot, which ends with a rollback.
pub(crate) fn in_snapshot<T>(
    connection: &mut Connection,
    act: impl FnOnce(&Connection) -> Result<T, SqlFailure>,
) -> Result<T, SqlFailure> {
    let snapshot = connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
    act(&snapshot)
}

pub(crate) fn collect<T>(
    connection: &Connection,
    sql: &str,
    parameters: impl rusqlite::Params,
    read: impl Fn(&Columns<'_>) -> Result<T, SqlFailure>,
) -> Result<Vec<T>, SqlFailure> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(parameters)?;
    let mut items = Vec::new();
    while let Some(row) = rows.next()? {
        items.push(read(row)?);
    }
    Ok(items)
}

fn vault_number(connection: &Connection, vault: VaultId) -> Result<Option<i64>, SqlFailure> {
    let mut statement = connection.prepare_cached("SELECT number FROM vault WHERE id = ?1")?;
    Ok(statement.query_row([vault.as_bytes()], |row| row.get(0)).optional()?)
}

fn header(connection: &Connection, vault: VaultId) -> Result<Option<VaultHeader>, SqlFailure> {
    let sql = format!("{HEADER} WHERE id = ?1");
    Ok(collect(connection, &sql, params![vault.as_bytes()], header_columns)?.pop())
}

fn header_columns(row: &Columns<'_>) -> Result<VaultHeader, SqlFailure> {
    let text = |column| row.get_ref(column).and_then(|value| Ok(value.as_str()?));
    Ok(VaultHeader {
        id: VaultId::from_bytes(row.get(0)?),
        scope: scope_from_columns(text(1)?, text(2)?, text(3)?)?,
        revision: Revision(number_u64(row.get(4)?)?),
        created_at: at(row, 5)?,
        audit: ChainHead { seq: number_u64(row.get(6)?)?, hash: row.get(7)? },
        frozen_at: row.get::<_, Option<i64>>(8)?.map(time).transpose()?,
        audit_signature: row.get(9)?,
        began_after: Revision(number_u64(row.get(10)?)?),
        codes: header_codes(row.get(11)?, row.get(12)?, row.get(13)?),
        settings_revision: row.get::<_, Option<i64>>(14)?.map_or(Ok(0), number_u32)?,
    })
}

fn change(columns: &Columns<'_>) -> Result<VaultChange, SqlFailure> {
    let id = MemoryId::from_bytes(columns.get(1)?);
    match columns.get::<_, Option<u8>>(2)? {
        None => Ok(VaultChange::Gone(id)),
        Some(state) => Ok(VaultChange::Put(row(columns, id, state, SealedBody::Unchanged)?)),
    }
}

fn row_with_body(columns: &Columns<'_>) -> Result<Row, SqlFailure> {
    let body = match (columns.get::<_, Option<i64>>(9)?, columns.get::<_, Option<Vec<u8>>>(11)?) {
        (None, _) => SealedBody::None,
        (Some(revision), Some(sealed)) => SealedBody::Inline { revision: number_u32(revision)?, sealed },
        (Some(revision), None) => {
            SealedBody::Blob { revision: number_u32(revision)?, bytes: number_u64(columns.get(10)?)? }
        }
    };
    row(columns, MemoryId::from_bytes(columns.get(1)?), columns.get(2)?, body)
}

fn row(columns: &Columns<'_>, id: MemoryId, state: u8, body: SealedBody) -> Result<Row, SqlFailure> {
    Ok(Row {
        id,
        state: Lifecycle::from_code(state).ok_or_else(|| Error::corrupt("a memory has an unknown state"))?,
        created_at: at(columns, 3)?,
        updated_at: at(columns, 4)?,
        expires_at: optional_at(columns, 5)?,
        key_version: number_u32(columns.get(6)?)?,
        frame_revision: number_u32(columns.get(7)?)?,
        frame: bytes(columns, 8)?,
        body,
    })
}

fn token(row: &Columns<'_>) -> Result<TokenRow, SqlFailure> {
    let roles: String = row.get(4)?;
    Ok(TokenRow {
        id: row.get(0)?,
        hash: row.get(1)?,
        org: OrgId::new(&row.get::<_, String>(2)?).map_err(|_| Error::corrupt("a token has no valid org"))?,
        user: row.get(3)?,
        roles: roles.lines().map(str::to_owned).collect(),
        label: row.get(5)?,
        created_at: at(row, 6)?,
        expires_at: optional_at(row, 7)?,
        revoked_at: optional_at(row, 8)?,
    })
}
