//! The store for many nodes: PostgreSQL, with forced row-level security under a role that owns nothing.

mod address;
pub(crate) mod engine;
mod jobs;
mod keyed;
mod login;
mod records;
mod tls;
mod write;

use std::collections::HashMap;

use jiff::Timestamp;
use postgres::Row as Columns;

use self::engine::{PostgresSchema, PostgresServer, Visibility};
pub use self::login::LoginRole;
use super::check::check_batch;
use super::columns::{
    group_from_columns, header_codes, ids as split_ids, member_from_columns, number_u32, number_u64,
    scope_from_columns, time,
};
use super::jobs::{check_claim, check_end};
use super::keyed::{check_keyed_claim, check_keyed_end};
use super::{
    AUDIT_PAGE_MAX, AccessRows, AuditRow, Batch, ChainHead, JobClaim, JobEnd, JobRow, KeyedClaim, KeyedEnd,
    KeyedStanding, MEMBERS_PAGE_MAX, MEMBERSHIPS_MAX, MemberRow, PendingErasure, Record, RecordKind, Row,
    SealedBody, SealedSettings, Store, TOKENS_PAGE_MAX, TOMBSTONES_PAGE_MAX, TokenRow, TombstoneRow,
    VAULTS_PAGE_MAX, VaultChange, VaultHeader,
};
use crate::failure::SqlFailure;
use lacuna_types::{Error, Result};
use lacuna_types::{Group, Lifecycle, MemoryId, OrgId, Revision, UserId, VaultId, millis};

static SCHEMA: PostgresSchema = PostgresSchema {
    name: "lacuna",
    app_role: "lacuna_app",
    admin_role: "lacuna_admin",
    eraser_role: Some("lacuna_eraser"),
    migrations: &[
        include_str!("schema.sql"),
        include_str!("members.sql"),
        include_str!("frozen.sql"),
        include_str!("audit.sql"),
        include_str!("records.sql"),
        include_str!("jobs.sql"),
        include_str!("vault_records.sql"),
        include_str!("codes.sql"),
        include_str!("keyed.sql"),
    ],
};

const CHANGES: &str = "
    SELECT revision, id, state, created_at, updated_at, expires_at, key_version, frame_revision, frame
    FROM lacuna.memory WHERE vault = $1 AND revision > $2
    UNION ALL
    SELECT revision, id, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM lacuna.tombstone WHERE vault = $1 AND revision > $2
    ORDER BY revision";
const ROWS: &str = "
    SELECT revision, id, state, created_at, updated_at, expires_at, key_version, frame_revision, frame,
           body_revision, body_bytes, body
    FROM lacuna.memory WHERE vault = $1 AND id = ANY($2)";
const TOKEN: &str = "
    SELECT id, hash, org, holder, roles, label, created_at, expires_at, revoked_at
    FROM lacuna.token WHERE hash = $1";
const TOKENS: &str = "
    SELECT id, hash, org, holder, roles, label, created_at, expires_at, revoked_at
    FROM lacuna.token WHERE org = $1 ORDER BY created_at, id LIMIT $2";
const MEMBERSHIPS: &str = "
    SELECT kind, name FROM lacuna.member WHERE org = $1 AND holder = $2 ORDER BY kind DESC, name LIMIT $3";
const MEMBERS: &str = "
    SELECT holder, added_at FROM lacuna.member WHERE org = $1 AND kind = $2 AND name = $3 AND holder > $4
    ORDER BY holder LIMIT $5";
const ACCESS_TOKENS: &str = "
    SELECT id, hash, org, holder, roles, label, created_at, expires_at, revoked_at
    FROM lacuna.token WHERE org = $1 ORDER BY id";
const ACCESS_MEMBERS: &str = "
    SELECT kind, name, holder, added_at FROM lacuna.member WHERE org = $1 ORDER BY kind DESC, name, holder";
const HEADER: &str = "
    SELECT id, org, holder_kind, holder, revision, created_at, audit_seq, audit_hash, frozen_at,
           audit_signature, began_after, rows_code, access_code, header_code,
           (SELECT setting.revision FROM lacuna.setting WHERE setting.vault = vault.id)
    FROM lacuna.vault WHERE id = $1";
const HEADERS: &str = "
    SELECT id, org, holder_kind, holder, revision, created_at, audit_seq, audit_hash, frozen_at,
           audit_signature, began_after, rows_code, access_code, header_code,
           (SELECT setting.revision FROM lacuna.setting WHERE setting.vault = vault.id)
    FROM lacuna.vault WHERE $1::bytea IS NULL OR id > $1 ORDER BY id LIMIT $2";

/// Sealed memories in the schema `lacuna` of a PostgreSQL database. Call from threads that may block, never
/// from inside an asynchronous task.
pub struct PostgresStore(PostgresServer);

impl PostgresStore {
    /// Connects. Makes or migrates the schema where needed, which takes its owner; a current one takes any member
    /// of its roles.
    pub fn open(url: &str) -> Result<Self> {
        PostgresServer::open(url, &SCHEMA).map(Self)
    }

    /// The role that this connection logged in with, and the rights that it should not have.
    pub fn login_role(&self) -> Result<LoginRole> {
        self.0.login_role()
    }

    /// The time by the server's clock.
    pub fn server_time(&self) -> Result<Timestamp> {
        let sql = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
        let text = self.0.read_one_text(Visibility::Admin, sql)?;
        let at = text.and_then(|text| Timestamp::from_millisecond(text.parse().ok()?).ok());
        at.ok_or_else(|| Error::corrupt("PostgreSQL does not tell the time"))
    }
}

impl Store for PostgresStore {
    fn vault(&self, vault: VaultId) -> Result<Option<VaultHeader>> {
        self.0.read(Visibility::Vault(vault), |transaction| {
            transaction.query_opt(HEADER, &[&id(&vault)])?.as_ref().map(header).transpose()
        })
    }

    fn revision(&self, vault: VaultId) -> Result<Revision> {
        // Row-level security leaves one row at most: the scope is the filter.
        let text = self
            .0
            .read_one_text(Visibility::Vault(vault), "SELECT coalesce(max(revision), 0) FROM lacuna.vault")?;
        let revision = text.and_then(|text| text.parse().ok());
        revision.map(Revision).ok_or_else(|| Error::corrupt("a vault has no valid revision"))
    }

    fn changes(
        &self,
        vault: VaultId,
        since: Revision,
        visit: &mut dyn FnMut(VaultChange) -> Result<()>,
    ) -> Result<Option<VaultHeader>> {
        self.0.read(Visibility::Vault(vault), |transaction| {
            let header = transaction.query_opt(HEADER, &[&id(&vault)])?.as_ref().map(header).transpose()?;
            let since = i64::try_from(since.0).unwrap_or(i64::MAX);
            transaction
                .stream(CHANGES, &[&id(&vault), &since], &mut |columns| Ok(visit(change(columns)?)?))?;
            Ok(header)
        })
    }

    fn rows(&self, vault: VaultId, ids: &[MemoryId]) -> Result<Vec<Option<Row>>> {
        let asked: Vec<_> = ids.iter().map(memory_id).collect();
        self.0.read(Visibility::Vault(vault), |transaction| {
            let mut found = HashMap::with_capacity(ids.len());
            transaction.stream(ROWS, &[&id(&vault), &asked], &mut |columns| {
                let row = row(columns, body(columns)?)?;
                found.insert(row.id, row);
                Ok(())
            })?;
            Ok(ids.iter().map(|id| found.get(id).cloned()).collect())
        })
    }

    fn commit(&self, batch: Batch) -> Result<Revision> {
        check_batch(&batch)?;
        let visibility = Visibility::VaultAndOrg(batch.vault, &batch.scope.org);
        self.0.write(visibility, |transaction| write::apply(transaction, &batch))
    }

    fn intents(&self, vault: VaultId) -> Result<Vec<PendingErasure>> {
        let sql = "SELECT id, memories, note FROM lacuna.intent WHERE vault = $1 ORDER BY id";
        self.0.read(Visibility::Vault(vault), |transaction| {
            let rows = transaction.query(sql, &[&id(&vault)])?;
            let intent = |row: &Columns| {
                let memories = split_ids(row.try_get(1)?)?;
                Ok(PendingErasure { id: number_u64(row.try_get(0)?)?, memories, note: row.try_get(2)? })
            };
            rows.iter().map(intent).collect()
        })
    }

    fn audit(&self, vault: VaultId, after: u64) -> Result<Vec<AuditRow>> {
        let sql = "
            SELECT seq, at, hash, entry, code FROM lacuna.audit
            WHERE vault = $1 AND seq > $2 ORDER BY seq LIMIT $3";
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        self.0.read(Visibility::Vault(vault), |transaction| {
            let rows = transaction.query(sql, &[&id(&vault), &after, &(AUDIT_PAGE_MAX as i64)])?;
            rows.iter().map(audit_row).collect()
        })
    }

    fn token(&self, hash: &[u8; 32]) -> Result<Option<TokenRow>> {
        self.0.read(Visibility::Admin, |transaction| {
            transaction.query_opt(TOKEN, &[&hash.as_slice()])?.as_ref().map(token).transpose()
        })
    }

    fn tokens(&self, org: &OrgId) -> Result<Vec<TokenRow>> {
        self.0.read(Visibility::Org(org), |transaction| {
            let rows = transaction.query(TOKENS, &[&org.as_str(), &(TOKENS_PAGE_MAX as i64)])?;
            rows.iter().map(token).collect()
        })
    }

    fn memberships(&self, org: &OrgId, user: &UserId) -> Result<Vec<Group>> {
        self.0.read(Visibility::Org(org), |transaction| {
            let limit = MEMBERSHIPS_MAX as i64;
            let rows = transaction.query(MEMBERSHIPS, &[&org.as_str(), &user.as_str(), &limit])?;
            rows.iter().map(|row| group_from_columns(row.try_get(0)?, row.try_get(1)?)).collect()
        })
    }

    fn members(&self, org: &OrgId, group: &Group, after: Option<&UserId>) -> Result<Vec<MemberRow>> {
        let after = after.map_or("", UserId::as_str);
        let limit = MEMBERS_PAGE_MAX as i64;
        self.0.read(Visibility::Org(org), |transaction| {
            let rows =
                transaction.query(MEMBERS, &[&org.as_str(), &group.kind(), &group.name(), &after, &limit])?;
            rows.iter().map(|row| member_from_columns(row.try_get(0)?, time(row.try_get(1)?)?)).collect()
        })
    }

    fn access(&self, org: &OrgId) -> Result<AccessRows> {
        self.0.read(Visibility::Org(org), |transaction| {
            let tokens = transaction.query(ACCESS_TOKENS, &[&org.as_str()])?;
            let members = transaction.query(ACCESS_MEMBERS, &[&org.as_str()])?;
            let member = |row: &Columns| {
                let group = group_from_columns(row.try_get(0)?, row.try_get(1)?)?;
                Ok((group, member_from_columns(row.try_get(2)?, time(row.try_get(3)?)?)?))
            };
            Ok(AccessRows {
                tokens: tokens.iter().map(token).collect::<Result<_, SqlFailure>>()?,
                members: members.iter().map(member).collect::<Result<_, SqlFailure>>()?,
            })
        })
    }

    fn vaults(&self, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultHeader>> {
        let limit = limit.min(VAULTS_PAGE_MAX) as i64;
        self.0.read(Visibility::Admin, |transaction| {
            let rows = transaction.query(HEADERS, &[&after.as_ref().map(id), &limit])?;
            rows.iter().map(header).collect()
        })
    }

    fn destroy(&self, vault: VaultId) -> Result<()> {
        self.0.write(Visibility::Vault(vault), |transaction| write::destroy(transaction, vault))
    }

    fn tombstones(&self, vault: VaultId, after: Option<MemoryId>) -> Result<Vec<TombstoneRow>> {
        let sql = "
            SELECT id, at, brief FROM lacuna.tombstone WHERE vault = $1 AND ($2::bytea IS NULL OR id > $2)
            ORDER BY id LIMIT $3";
        let (after, limit) = (after.as_ref().map(memory_id), TOMBSTONES_PAGE_MAX as i64);
        self.0.read(Visibility::Vault(vault), |transaction| {
            let rows = transaction.query(sql, &[&id(&vault), &after, &limit])?;
            let tombstone = |row: &Columns| {
                let id = MemoryId::from_bytes(fixed(row, 0)?);
                Ok(TombstoneRow { id, at: time(row.try_get(1)?)?, brief: row.try_get(2)? })
            };
            rows.iter().map(tombstone).collect()
        })
    }

    fn soft_deleted(&self, before: Timestamp, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultId>> {
        let sql = "
            SELECT DISTINCT vault FROM lacuna.memory
            WHERE state = 4 AND updated_at < $1 AND ($2::bytea IS NULL OR vault > $2)
            ORDER BY vault LIMIT $3";
        let (after, limit) = (after.as_ref().map(id), limit.min(VAULTS_PAGE_MAX) as i64);
        self.0.read(Visibility::Admin, |transaction| {
            let rows = transaction.query(sql, &[&millis(before), &after, &limit])?;
            rows.iter().map(|row| Ok(VaultId::from_bytes(fixed(row, 0)?))).collect()
        })
    }

    fn expiring(&self, before: Timestamp, after: Option<VaultId>, limit: usize) -> Result<Vec<VaultId>> {
        let sql = "
            SELECT DISTINCT vault FROM lacuna.memory
            WHERE expires_at IS NOT NULL AND state <> 4 AND expires_at < $1
                AND ($2::bytea IS NULL OR vault > $2)
            ORDER BY vault LIMIT $3";
        let (after, limit) = (after.as_ref().map(id), limit.min(VAULTS_PAGE_MAX) as i64);
        self.0.read(Visibility::Admin, |transaction| {
            let rows = transaction.query(sql, &[&millis(before), &after, &limit])?;
            rows.iter().map(|row| Ok(VaultId::from_bytes(fixed(row, 0)?))).collect()
        })
    }

    fn settings(&self, vault: VaultId) -> Result<Option<SealedSettings>> {
        let sql = "SELECT revision, sealed FROM lacuna.setting WHERE vault = $1";
        self.0.read(Visibility::Vault(vault), |transaction| {
            let row = transaction.query_opt(sql, &[&id(&vault)])?;
            let settings = |row: Columns| {
                Ok(SealedSettings { revision: number_u32(row.try_get(0)?)?, sealed: row.try_get(1)? })
            };
            row.map(settings).transpose()
        })
    }

    fn jobs(&self) -> Result<Vec<JobRow>> {
        self.0.read(Visibility::Admin, jobs::all)
    }

    fn claim_job(&self, claim: &JobClaim) -> Result<bool> {
        check_claim(claim)?;
        self.0.write(Visibility::Admin, |transaction| jobs::claim(transaction, claim))
    }

    fn renew_job(&self, claim: &JobClaim) -> Result<bool> {
        check_claim(claim)?;
        self.0.write(Visibility::Admin, |transaction| jobs::renew(transaction, claim))
    }

    fn end_job(&self, end: &JobEnd) -> Result<bool> {
        check_end(end)?;
        self.0.write(Visibility::Admin, |transaction| jobs::end(transaction, end))
    }

    fn shares_keyed(&self) -> bool {
        true
    }

    fn claim_keyed(&self, claim: &KeyedClaim) -> Result<KeyedStanding> {
        check_keyed_claim(claim)?;
        self.0.write(Visibility::Org(&claim.org), |transaction| keyed::claim(transaction, claim))
    }

    fn renew_keyed(&self, claim: &KeyedClaim) -> Result<bool> {
        check_keyed_claim(claim)?;
        self.0.write(Visibility::Org(&claim.org), |transaction| keyed::renew(transaction, claim))
    }

    fn end_keyed(&self, end: &KeyedEnd) -> Result<bool> {
        check_keyed_end(end)?;
        self.0.write(Visibility::Org(&end.org), |transaction| keyed::end(transaction, end))
    }

    fn forget_keyed(&self, before: Timestamp) -> Result<u64> {
        self.0.write(Visibility::Admin, |transaction| keyed::forget(transaction, before))
    }

    fn records(&self, org: &OrgId, kind: RecordKind, after: u64, limit: usize) -> Result<Vec<Record>> {
        self.0.read(Visibility::Org(org), |transaction| records::page(transaction, org, kind, after, limit))
    }

    fn vault_records(
        &self,
        org: &OrgId,
        kind: RecordKind,
        vault: VaultId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Record>> {
        self.0.read(Visibility::Org(org), |transaction| {
            records::page_of_vault(transaction, org, kind, vault, after, limit)
        })
    }

    fn last_record(&self, org: &OrgId, kind: RecordKind) -> Result<u64> {
        self.0.read(Visibility::Org(org), |transaction| records::last(transaction, org, kind))
    }

    fn due_records(&self, kind: RecordKind, at: Timestamp, limit: usize) -> Result<Vec<Record>> {
        self.0.read(Visibility::Admin, |transaction| records::due(transaction, kind, at, limit))
    }
}

/// An id as a column holds it.
pub(crate) fn id(vault: &VaultId) -> &[u8] {
    vault.as_bytes()
}

pub(crate) fn memory_id(id: &MemoryId) -> &[u8] {
    id.as_bytes()
}

/// A column of exactly `N` bytes.
pub(crate) fn fixed<const N: usize>(row: &Columns, column: usize) -> Result<[u8; N], SqlFailure> {
    let bytes: &[u8] = row.try_get(column)?;
    Ok(bytes.try_into().map_err(|_| Error::corrupt("a stored id or hash has the wrong length"))?)
}

/// A column of exactly `N` bytes, or none.
fn fixed_or_none<const N: usize>(row: &Columns, column: usize) -> Result<Option<[u8; N]>, SqlFailure> {
    let is_there = row.try_get::<_, Option<&[u8]>>(column)?.is_some();
    is_there.then(|| fixed(row, column)).transpose()
}

fn header(row: &Columns) -> Result<VaultHeader, SqlFailure> {
    Ok(VaultHeader {
        id: VaultId::from_bytes(fixed(row, 0)?),
        scope: scope_from_columns(row.try_get(1)?, row.try_get(2)?, row.try_get(3)?)?,
        revision: Revision(number_u64(row.try_get(4)?)?),
        created_at: time(row.try_get(5)?)?,
        audit: ChainHead { seq: number_u64(row.try_get(6)?)?, hash: fixed(row, 7)? },
        frozen_at: row.try_get::<_, Option<i64>>(8)?.map(time).transpose()?,
        audit_signature: fixed_or_none(row, 9)?,
        began_after: Revision(number_u64(row.try_get(10)?)?),
        codes: header_codes(fixed_or_none(row, 11)?, fixed_or_none(row, 12)?, fixed_or_none(row, 13)?),
        settings_revision: row.try_get::<_, Option<i64>>(14)?.map_or(Ok(0), number_u32)?,
    })
}

fn change(columns: &Columns) -> Result<VaultChange, SqlFailure> {
    if columns.try_get::<_, Option<i16>>(2)?.is_none() {
        return Ok(VaultChange::Gone(MemoryId::from_bytes(fixed(columns, 1)?)));
    }
    Ok(VaultChange::Put(row(columns, SealedBody::Unchanged)?))
}

fn body(columns: &Columns) -> Result<SealedBody, SqlFailure> {
    let sealed: Option<Vec<u8>> = columns.try_get(11)?;
    Ok(match (columns.try_get::<_, Option<i64>>(9)?, sealed) {
        (None, _) => SealedBody::None,
        (Some(revision), Some(sealed)) => SealedBody::Inline { revision: number_u32(revision)?, sealed },
        (Some(revision), None) => {
            SealedBody::Blob { revision: number_u32(revision)?, bytes: number_u64(columns.try_get(10)?)? }
        }
    })
}

fn row(columns: &Columns, body: SealedBody) -> Result<Row, SqlFailure> {
    let state = u8::try_from(columns.try_get::<_, i16>(2)?).ok().and_then(Lifecycle::from_code);
    Ok(Row {
        id: MemoryId::from_bytes(fixed(columns, 1)?),
        state: state.ok_or_else(|| Error::corrupt("a memory has an unknown state"))?,
        created_at: time(columns.try_get(3)?)?,
        updated_at: time(columns.try_get(4)?)?,
        expires_at: columns.try_get::<_, Option<i64>>(5)?.map(time).transpose()?,
        key_version: number_u32(columns.try_get(6)?)?,
        frame_revision: number_u32(columns.try_get(7)?)?,
        frame: columns.try_get(8)?,
        body,
    })
}

fn audit_row(row: &Columns) -> Result<AuditRow, SqlFailure> {
    Ok(AuditRow {
        seq: number_u64(row.try_get(0)?)?,
        at: time(row.try_get(1)?)?,
        hash: fixed(row, 2)?,
        entry: row.try_get(3)?,
        code: fixed_or_none(row, 4)?,
    })
}

fn token(row: &Columns) -> Result<TokenRow, SqlFailure> {
    Ok(TokenRow {
        id: fixed(row, 0)?,
        hash: fixed(row, 1)?,
        org: OrgId::new(row.try_get(2)?).map_err(|_| Error::corrupt("a token has no valid org"))?,
        user: row.try_get(3)?,
        roles: row.try_get(4)?,
        label: row.try_get(5)?,
        created_at: time(row.try_get(6)?)?,
        expires_at: row.try_get::<_, Option<i64>>(7)?.map(time).transpose()?,
        revoked_at: row.try_get::<_, Option<i64>>(8)?.map(time).transpose()?,
    })
}
