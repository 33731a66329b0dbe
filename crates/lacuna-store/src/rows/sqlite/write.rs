//! One batch, written to the tables inside the writer's transaction.

use rusqlite::{Connection, ErrorCode, OptionalExtension, params};

use super::writer::{AppliedWork, Apply};
use super::{header, jobs, records, vault_number};
use crate::failure::SqlFailure;
use crate::rows::check::{forgotten, intent_taken, next_header, no_body_to_keep, no_entry_to_age};
use crate::rows::columns::{joined, number_u64, scope_columns, stored};
use crate::rows::{
    AgedEntry, AuditRow, Batch, JobClaim, JobEnd, MemberChange, PendingErasure, Row, SealedBody,
    SealedSettings, TokenChange, TokenRow, VaultHeader,
};
use lacuna_types::{Error, Result};
use lacuna_types::{MemoryId, OrgId, Revision, VaultId, millis};

/// Rows of one vault lie in one range of 2^32 places.
const PLACES_BITS: u32 = 32;

/// The work of the writer. Work on a vault answers with its revision, zero when it is gone; work on a job with
/// how many jobs it changed.
pub(super) enum StoreWork {
    Commit(Box<Batch>),
    Destroy(VaultId),
    ClaimJob(JobClaim),
    RenewJob(JobClaim),
    EndJob(JobEnd),
}

impl Apply for StoreWork {
    type Done = u64;

    fn apply(&self, connection: &Connection) -> Result<AppliedWork<u64>, SqlFailure> {
        let changed = |rows: usize| AppliedWork { done: rows as u64, erased: false };
        match self {
            Self::Commit(batch) => batch.apply(connection),
            Self::Destroy(vault) => destroy(connection, *vault),
            Self::ClaimJob(claim) => jobs::claim(connection, claim).map(changed),
            Self::RenewJob(claim) => jobs::renew(connection, claim).map(changed),
            Self::EndJob(end) => jobs::end(connection, end).map(changed),
        }
    }

    fn erases(&self) -> bool {
        match self {
            Self::Commit(batch) => batch.erases(),
            Self::Destroy(_) => true,
            Self::ClaimJob(_) | Self::RenewJob(_) | Self::EndJob(_) => false,
        }
    }
}

/// Removes everything of a vault, and keeps where it stopped counting.
fn destroy(connection: &Connection, vault: VaultId) -> Result<AppliedWork<u64>, SqlFailure> {
    let sql = "
        INSERT INTO ended (vault, revision) SELECT id, revision FROM vault WHERE id = ?1
        ON CONFLICT (vault) DO UPDATE SET revision = excluded.revision";
    connection.prepare_cached(sql)?.execute([vault.as_bytes()])?;
    if let Some(number) = vault_number(connection, vault)? {
        // Bodies go with their memories.
        for table in ["memory", "tombstone", "intent", "audit", "setting"] {
            connection.execute(&format!("DELETE FROM {table} WHERE vault = ?1"), [number])?;
        }
        connection.execute("DELETE FROM vault WHERE number = ?1", [number])?;
    }
    Ok(AppliedWork { done: Revision::ZERO.0, erased: true })
}

fn ended(connection: &Connection, vault: VaultId) -> Result<Revision, SqlFailure> {
    let sql = "SELECT revision FROM ended WHERE vault = ?1";
    let ended = connection.prepare_cached(sql)?.query_row([vault.as_bytes()], |row| row.get(0)).optional()?;
    Ok(Revision(ended.map_or(Ok(0), number_u64)?))
}

impl Batch {
    fn apply(&self, connection: &Connection) -> Result<AppliedWork<u64>, SqlFailure> {
        let stored_header = header(connection, self.vault)?;
        let ended = match &stored_header {
            Some(_) => Revision::ZERO,
            None => ended(connection, self.vault)?,
        };
        let next = next_header(stored_header, ended, self)?;
        let vault = write_header(connection, &next)?;
        let pen = Pen { connection, vault, revision: stored(next.revision.0)? };
        let replaced = pen.put_all(&self.puts)?;
        self.removals.iter().try_for_each(|id| pen.remove(*id, millis(self.at), self.brief))?;
        self.opens.iter().try_for_each(|intent| pen.open_intent(intent))?;
        self.closes.iter().try_for_each(|id| pen.close_intent(*id))?;
        self.aged.iter().try_for_each(|aged| pen.age(aged))?;
        self.audit.iter().try_for_each(|row| pen.audit(row))?;
        self.tokens.iter().try_for_each(|change| change_token(connection, &self.scope.org, change))?;
        self.members.iter().try_for_each(|change| change_member(connection, &self.scope.org, change))?;
        self.records.iter().try_for_each(|change| records::change(connection, &self.scope.org, change))?;
        self.forget_tombstones_before.map_or(Ok(()), |before| pen.forget_tombstones(millis(before)))?;
        self.forget_brief_before.map_or(Ok(()), |before| pen.forget_brief(millis(before)))?;
        self.settings.as_ref().map_or(Ok(()), |settings| pen.set(settings))?;
        // Replacing erases as well: a corrected text must not live on in the log.
        let replaced = replaced || self.settings.is_some();
        let erased = replaced || !self.removals.is_empty() || !self.aged.is_empty();
        Ok(AppliedWork { done: next.revision.0, erased })
    }
}

fn write_header(connection: &Connection, header: &VaultHeader) -> Result<i64, SqlFailure> {
    let (org, kind, name) = scope_columns(&header.scope);
    let sql = "
        INSERT INTO vault (id, org, holder_kind, holder, revision, created_at, audit_seq, audit_hash,
                           frozen_at, audit_signature, began_after, rows_code, access_code, header_code)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
        ON CONFLICT (id) DO UPDATE SET
            revision = excluded.revision, audit_seq = excluded.audit_seq, audit_hash = excluded.audit_hash,
            frozen_at = excluded.frozen_at, audit_signature = excluded.audit_signature,
            rows_code = excluded.rows_code, access_code = excluded.access_code,
            header_code = excluded.header_code";
    connection.prepare_cached(sql)?.execute(params![
        header.id.as_bytes(),
        org,
        kind,
        name,
        stored(header.revision.0)?,
        millis(header.created_at),
        stored(header.audit.seq)?,
        header.audit.hash,
        header.frozen_at.map(millis),
        header.audit_signature,
        stored(header.began_after.0)?,
        header.codes.map(|codes| codes.rows),
        header.codes.and_then(|codes| codes.access),
        header.codes.map(|codes| codes.header),
    ])?;
    let number = vault_number(connection, header.id)?;
    Ok(number.ok_or_else(|| Error::corrupt("a vault vanished while it was written"))?)
}

/// Writes into one vault under one revision.
struct Pen<'a> {
    connection: &'a Connection,
    vault: i64,
    revision: i64,
}

impl Pen<'_> {
    /// Returns true when a row replaced an older one.
    fn put_all(&self, rows: &[Row]) -> Result<bool, SqlFailure> {
        let first = self.vault << PLACES_BITS;
        let sql = "SELECT coalesce(max(place), ?1) FROM memory WHERE place BETWEEN ?1 AND ?2";
        let last = first + (1 << PLACES_BITS) - 1;
        let mut place: i64 =
            self.connection.prepare_cached(sql)?.query_row(params![first, last], |row| row.get(0))?;
        for row in rows {
            if self.is_forgotten(row.id)? {
                return Err(forgotten().into());
            }
        }
        let mut replaced = false;
        for row in rows {
            place += 1;
            replaced |= self.put(row, place)? != place;
        }
        Ok(replaced)
    }

    /// Answers with the row's place: a row that is replaced keeps its own.
    fn put(&self, row: &Row, free_place: i64) -> Result<i64, SqlFailure> {
        if row.body == SealedBody::Unchanged && !self.is_there(row.id)? {
            return Err(no_body_to_keep().into());
        }
        let place = self.put_frame(row, free_place)?;
        self.put_body(place, &row.body)?;
        Ok(place)
    }

    fn is_forgotten(&self, id: MemoryId) -> Result<bool, SqlFailure> {
        let sql = "SELECT 1 FROM tombstone WHERE vault = ?1 AND id = ?2";
        Ok(self.connection.prepare_cached(sql)?.exists(params![self.vault, id.as_bytes()])?)
    }

    fn is_there(&self, id: MemoryId) -> Result<bool, SqlFailure> {
        let sql = "SELECT 1 FROM memory WHERE vault = ?1 AND id = ?2";
        Ok(self.connection.prepare_cached(sql)?.exists(params![self.vault, id.as_bytes()])?)
    }

    fn put_frame(&self, row: &Row, free_place: i64) -> Result<i64, SqlFailure> {
        let sql = "
            INSERT INTO memory (place, vault, id, revision, state, created_at, updated_at, expires_at,
                                key_version, frame_revision, frame)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            ON CONFLICT (vault, id) DO UPDATE SET
                revision = excluded.revision, state = excluded.state, created_at = excluded.created_at,
                updated_at = excluded.updated_at, expires_at = excluded.expires_at,
                key_version = excluded.key_version, frame_revision = excluded.frame_revision,
                frame = excluded.frame
            RETURNING place";
        let parameters = params![
            free_place,
            self.vault,
            row.id.as_bytes(),
            self.revision,
            row.state.code(),
            millis(row.created_at),
            millis(row.updated_at),
            row.expires_at.map(millis),
            row.key_version,
            row.frame_revision,
            row.frame,
        ];
        Ok(self.connection.prepare_cached(sql)?.query_row(parameters, |row| row.get(0))?)
    }

    fn put_body(&self, place: i64, body: &SealedBody) -> Result<(), SqlFailure> {
        let (revision, bytes, sealed) = match body {
            SealedBody::Unchanged => return Ok(()),
            SealedBody::None => {
                self.connection.prepare_cached("DELETE FROM body WHERE place = ?1")?.execute([place])?;
                return Ok(());
            }
            SealedBody::Inline { revision, sealed } => (*revision, sealed.len() as u64, Some(sealed)),
            SealedBody::Blob { revision, bytes } => (*revision, *bytes, None),
        };
        let sql = "
            INSERT INTO body (place, revision, bytes, sealed) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (place) DO UPDATE SET
                revision = excluded.revision, bytes = excluded.bytes, sealed = excluded.sealed";
        self.connection.prepare_cached(sql)?.execute(params![place, revision, stored(bytes)?, sealed])?;
        Ok(())
    }

    fn remove(&self, id: MemoryId, at: i64, brief: bool) -> Result<(), SqlFailure> {
        let sql = "DELETE FROM memory WHERE vault = ?1 AND id = ?2";
        self.connection.prepare_cached(sql)?.execute(params![self.vault, id.as_bytes()])?;
        let sql = "
            INSERT INTO tombstone (vault, id, revision, at, brief) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (vault, id) DO NOTHING";
        self.connection.prepare_cached(sql)?.execute(params![
            self.vault,
            id.as_bytes(),
            self.revision,
            at,
            brief,
        ])?;
        Ok(())
    }

    fn forget_tombstones(&self, before: i64) -> Result<(), SqlFailure> {
        let sql = "DELETE FROM tombstone WHERE vault = ?1 AND at < ?2";
        self.connection.prepare_cached(sql)?.execute(params![self.vault, before])?;
        Ok(())
    }

    fn forget_brief(&self, before: i64) -> Result<(), SqlFailure> {
        let sql = "DELETE FROM tombstone WHERE vault = ?1 AND brief AND at < ?2";
        self.connection.prepare_cached(sql)?.execute(params![self.vault, before])?;
        Ok(())
    }

    fn set(&self, settings: &SealedSettings) -> Result<(), SqlFailure> {
        let sql = "
            INSERT INTO setting (vault, revision, sealed) VALUES (?1, ?2, ?3)
            ON CONFLICT (vault) DO UPDATE SET revision = excluded.revision, sealed = excluded.sealed";
        self.connection.prepare_cached(sql)?.execute(params![
            self.vault,
            settings.revision,
            settings.sealed
        ])?;
        Ok(())
    }

    fn open_intent(&self, intent: &PendingErasure) -> Result<(), SqlFailure> {
        let sql = "INSERT INTO intent (vault, id, memories, note) VALUES (?1, ?2, ?3, ?4)";
        let parameters = params![self.vault, stored(intent.id)?, joined(&intent.memories), intent.note];
        let inserted = self.connection.prepare_cached(sql)?.execute(parameters);
        inserted.map_err(|error| unless_taken(error, intent_taken()))?;
        Ok(())
    }

    fn close_intent(&self, id: u64) -> Result<(), SqlFailure> {
        let sql = "DELETE FROM intent WHERE vault = ?1 AND id = ?2";
        self.connection.prepare_cached(sql)?.execute(params![self.vault, stored(id)?])?;
        Ok(())
    }

    fn age(&self, aged: &AgedEntry) -> Result<(), SqlFailure> {
        let sql = "UPDATE audit SET entry = ?3 WHERE vault = ?1 AND seq = ?2";
        let parameters = params![self.vault, stored(aged.seq)?, aged.digest];
        match self.connection.prepare_cached(sql)?.execute(parameters)? {
            0 => Err(no_entry_to_age().into()),
            _ => Ok(()),
        }
    }

    fn audit(&self, row: &AuditRow) -> Result<(), SqlFailure> {
        let sql = "INSERT INTO audit (vault, seq, at, hash, entry, code) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let parameters = params![self.vault, stored(row.seq)?, millis(row.at), row.hash, row.entry, row.code];
        self.connection.prepare_cached(sql)?.execute(parameters)?;
        Ok(())
    }
}

fn change_token(connection: &Connection, org: &OrgId, change: &TokenChange) -> Result<(), SqlFailure> {
    match change {
        TokenChange::Add(token) => add_token(connection, token),
        TokenChange::Revoke { id, at } => {
            let sql = "UPDATE token SET revoked_at = coalesce(revoked_at, ?3) WHERE id = ?1 AND org = ?2";
            let revoked = connection.prepare_cached(sql)?.execute(params![id, org.as_str(), millis(*at)])?;
            if revoked == 0 { Err(Error::NotFound("token").into()) } else { Ok(()) }
        }
    }
}

fn add_token(connection: &Connection, token: &TokenRow) -> Result<(), SqlFailure> {
    let sql = "
        INSERT INTO token (id, hash, org, user, roles, label, created_at, expires_at, revoked_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let parameters = params![
        token.id,
        token.hash,
        token.org.as_str(),
        token.user,
        token.roles.join("\n"),
        token.label,
        millis(token.created_at),
        token.expires_at.map(millis),
        token.revoked_at.map(millis),
    ];
    let inserted = connection.prepare_cached(sql)?.execute(parameters);
    inserted.map_err(|error| unless_taken(error, Error::Conflict("the token")))?;
    Ok(())
}

fn change_member(connection: &Connection, org: &OrgId, change: &MemberChange) -> Result<(), SqlFailure> {
    match change {
        MemberChange::Add { group, user, at } => {
            let sql = "
                INSERT INTO member (org, kind, name, user, added_at) VALUES (?1, ?2, ?3, ?4, ?5)
                ON CONFLICT DO NOTHING";
            let parameters = params![org.as_str(), group.kind(), group.name(), user.as_str(), millis(*at)];
            connection.prepare_cached(sql)?.execute(parameters)?;
            Ok(())
        }
        MemberChange::Remove { group, user } => {
            let sql = "DELETE FROM member WHERE org = ?1 AND kind = ?2 AND name = ?3 AND user = ?4";
            let parameters = params![org.as_str(), group.kind(), group.name(), user.as_str()];
            let removed = connection.prepare_cached(sql)?.execute(parameters)?;
            if removed == 0 { Err(Error::NotFound("member").into()) } else { Ok(()) }
        }
    }
}

/// A broken uniqueness is `taken`; anything else is what SQLite says it is.
pub(crate) fn unless_taken(error: rusqlite::Error, taken: Error) -> SqlFailure {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => taken.into(),
        _ => error.into(),
    }
}
