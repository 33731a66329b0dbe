//! One batch, written to the tables. Lists travel as arrays, so that a batch costs few round trips.

use super::engine::ScopedTransaction;
use super::{header, id, keyed, memory_id, records};
use crate::failure::SqlFailure;
use crate::rows::check::{forgotten, intent_taken, next_header, no_body_to_keep, no_entry_to_age};
use crate::rows::columns::{joined, number_u64, scope_columns, stored};
use crate::rows::{Batch, MemberChange, Row, SealedBody, TokenChange, TokenRow, VaultHeader};
use lacuna_types::{Error, Result};
use lacuna_types::{OrgId, Revision, VaultId, millis};

const LOCK_HEADER: &str = "
    SELECT id, org, holder_kind, holder, revision, created_at, audit_seq, audit_hash, frozen_at,
           audit_signature, began_after, rows_code, access_code, header_code,
           (SELECT setting.revision FROM lacuna.setting WHERE setting.vault = vault.id)
    FROM lacuna.vault WHERE id = $1 FOR UPDATE";

/// A row whose body is new, in the order of [`Arrays`].
const PUT: &str = "
    INSERT INTO lacuna.memory (vault, revision, id, state, created_at, updated_at, expires_at, key_version,
                               frame_revision, frame, body_revision, body_bytes, body)
    SELECT $1, $2, * FROM unnest($3::bytea[], $4::smallint[], $5::bigint[], $6::bigint[], $7::bigint[],
                                 $8::bigint[], $9::bigint[], $10::bytea[], $11::bigint[], $12::bigint[],
                                 $13::bytea[])
    ON CONFLICT (vault, id) DO UPDATE SET
        revision = excluded.revision, state = excluded.state, created_at = excluded.created_at,
        updated_at = excluded.updated_at, expires_at = excluded.expires_at,
        key_version = excluded.key_version, frame_revision = excluded.frame_revision,
        frame = excluded.frame, body_revision = excluded.body_revision, body_bytes = excluded.body_bytes,
        body = excluded.body";

/// A row whose body stays.
const PUT_FRAME: &str = "
    UPDATE lacuna.memory AS stored SET
        revision = $2, state = new.state, created_at = new.created_at, updated_at = new.updated_at,
        expires_at = new.expires_at, key_version = new.key_version, frame_revision = new.frame_revision,
        frame = new.frame
    FROM unnest($3::bytea[], $4::smallint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
                $9::bigint[], $10::bytea[])
        AS new (id, state, created_at, updated_at, expires_at, key_version, frame_revision, frame)
    WHERE stored.vault = $1 AND stored.id = new.id";

pub(super) fn apply(transaction: &mut ScopedTransaction<'_>, batch: &Batch) -> Result<Revision, SqlFailure> {
    let stored_header = transaction.query_opt(LOCK_HEADER, &[&id(&batch.vault)])?;
    let stored_header = stored_header.as_ref().map(header).transpose()?;
    let is_new = stored_header.is_none();
    let ended = if is_new { ended(transaction, batch.vault)? } else { Revision::ZERO };
    let next = next_header(stored_header, ended, batch)?;
    write_header(transaction, &next, is_new)?;
    put(transaction, batch, next.revision)?;
    remove(transaction, batch, next.revision)?;
    change_intents(transaction, batch)?;
    age_audit(transaction, batch)?;
    append_audit(transaction, batch)?;
    batch.tokens.iter().try_for_each(|change| change_token(transaction, &batch.scope.org, change))?;
    batch.members.iter().try_for_each(|change| change_member(transaction, &batch.scope.org, change))?;
    batch.records.iter().try_for_each(|change| records::change(transaction, &batch.scope.org, change))?;
    forget_tombstones(transaction, batch)?;
    set(transaction, batch)?;
    if batch.erases() {
        keyed::drop_answers(transaction, &batch.scope.org)?;
    }
    Ok(next.revision)
}

fn ended(transaction: &mut ScopedTransaction<'_>, vault: VaultId) -> Result<Revision, SqlFailure> {
    let sql = "SELECT revision FROM lacuna.ended WHERE vault = $1";
    let row = transaction.query_opt(sql, &[&id(&vault)])?;
    row.map_or(Ok(Revision::ZERO), |row| number_u64(row.try_get(0)?).map(Revision))
}

/// Removes everything of a vault, and keeps where it stopped counting.
pub(super) fn destroy(transaction: &mut ScopedTransaction<'_>, vault: VaultId) -> Result<(), SqlFailure> {
    transaction.erasing(|transaction| {
        // The header is locked first, so that nothing is added meanwhile.
        let sql = "SELECT revision FROM lacuna.vault WHERE id = $1 FOR UPDATE";
        let Some(header) = transaction.query_opt(sql, &[&id(&vault)])? else { return Ok(()) };
        let revision: i64 = header.try_get(0)?;
        let sql = "
            INSERT INTO lacuna.ended (vault, revision) VALUES ($1, $2)
            ON CONFLICT (vault) DO UPDATE SET revision = excluded.revision";
        transaction.execute(sql, &[&id(&vault), &revision])?;
        keyed::drop_answers_beside(transaction, vault)?;
        let statements = [
            "DELETE FROM lacuna.memory WHERE vault = $1",
            "DELETE FROM lacuna.tombstone WHERE vault = $1",
            "DELETE FROM lacuna.intent WHERE vault = $1",
            "DELETE FROM lacuna.audit WHERE vault = $1",
            "DELETE FROM lacuna.setting WHERE vault = $1",
            "DELETE FROM lacuna.vault WHERE id = $1",
        ];
        statements.iter().try_for_each(|sql| transaction.execute(sql, &[&id(&vault)]).map(drop))
    })
}

fn forget_tombstones(transaction: &mut ScopedTransaction<'_>, batch: &Batch) -> Result<(), SqlFailure> {
    let kinds = [
        (batch.forget_tombstones_before, "DELETE FROM lacuna.tombstone WHERE vault = $1 AND at < $2"),
        (batch.forget_brief_before, "DELETE FROM lacuna.tombstone WHERE vault = $1 AND brief AND at < $2"),
    ];
    for (before, sql) in kinds {
        let Some(before) = before else { continue };
        transaction.erasing(|transaction| transaction.execute(sql, &[&id(&batch.vault), &millis(before)]))?;
    }
    Ok(())
}

fn set(transaction: &mut ScopedTransaction<'_>, batch: &Batch) -> Result<(), SqlFailure> {
    let Some(settings) = &batch.settings else { return Ok(()) };
    let sql = "
        INSERT INTO lacuna.setting (vault, revision, sealed) VALUES ($1, $2, $3)
        ON CONFLICT (vault) DO UPDATE SET revision = excluded.revision, sealed = excluded.sealed";
    transaction.execute(sql, &[&id(&batch.vault), &i64::from(settings.revision), &settings.sealed])?;
    Ok(())
}

fn write_header(
    transaction: &mut ScopedTransaction<'_>,
    next: &VaultHeader,
    is_new: bool,
) -> Result<(), SqlFailure> {
    let (revision, audit_seq) = (stored(next.revision.0)?, stored(next.audit.seq)?);
    let audit_hash = next.audit.hash.as_slice();
    let frozen_at = next.frozen_at.map(millis);
    let signature = next.audit_signature.as_ref().map(|signature| signature.as_slice());
    let rows = next.codes.as_ref().map(|codes| codes.rows.as_slice());
    let access = next.codes.as_ref().and_then(|codes| codes.access.as_ref()).map(|code| code.as_slice());
    let header = next.codes.as_ref().map(|codes| codes.header.as_slice());
    let written = if is_new {
        let (org, kind, name) = scope_columns(&next.scope);
        let sql = "
            INSERT INTO lacuna.vault (id, org, holder_kind, holder, revision, created_at, audit_seq,
                                      audit_hash, frozen_at, audit_signature, began_after, rows_code,
                                      access_code, header_code)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT (id) DO NOTHING";
        let (created_at, began_after) = (millis(next.created_at), stored(next.began_after.0)?);
        transaction.execute(
            sql,
            &[
                &id(&next.id),
                &org,
                &kind,
                &name,
                &revision,
                &created_at,
                &audit_seq,
                &audit_hash,
                &frozen_at,
                &signature,
                &began_after,
                &rows,
                &access,
                &header,
            ],
        )?
    } else {
        let sql = "
            UPDATE lacuna.vault SET revision = $2, audit_seq = $3, audit_hash = $4, frozen_at = $5,
                                    audit_signature = $6, rows_code = $7, access_code = $8,
                                    header_code = $9
            WHERE id = $1";
        transaction.execute(
            sql,
            &[
                &id(&next.id),
                &revision,
                &audit_seq,
                &audit_hash,
                &frozen_at,
                &signature,
                &rows,
                &access,
                &header,
            ],
        )?
    };
    // Nothing written: another node made the same new vault a moment earlier.
    if written == 1 { Ok(()) } else { Err(Error::Conflict("the vault").into()) }
}

/// Rows, column by column.
struct Arrays<'a> {
    ids: Vec<&'a [u8]>,
    states: Vec<i16>,
    created_at: Vec<i64>,
    updated_at: Vec<i64>,
    expires_at: Vec<Option<i64>>,
    key_versions: Vec<i64>,
    frame_revisions: Vec<i64>,
    frames: Vec<&'a [u8]>,
    body_revisions: Vec<Option<i64>>,
    body_bytes: Vec<Option<i64>>,
    bodies: Vec<Option<&'a [u8]>>,
}

impl<'a> Arrays<'a> {
    fn of(rows: &[&'a Row]) -> Result<Self, SqlFailure> {
        let bodies: Vec<_> =
            rows.iter().map(|row| body_columns(&row.body)).collect::<Result<_, SqlFailure>>()?;
        Ok(Self {
            ids: rows.iter().map(|row| memory_id(&row.id)).collect(),
            states: rows.iter().map(|row| i16::from(row.state.code())).collect(),
            created_at: rows.iter().map(|row| millis(row.created_at)).collect(),
            updated_at: rows.iter().map(|row| millis(row.updated_at)).collect(),
            expires_at: rows.iter().map(|row| row.expires_at.map(millis)).collect(),
            key_versions: rows.iter().map(|row| i64::from(row.key_version)).collect(),
            frame_revisions: rows.iter().map(|row| i64::from(row.frame_revision)).collect(),
            frames: rows.iter().map(|row| row.frame.as_slice()).collect(),
            body_revisions: bodies.iter().map(|body| body.0).collect(),
            body_bytes: bodies.iter().map(|body| body.1).collect(),
            bodies: bodies.iter().map(|body| body.2).collect(),
        })
    }
}

type BodyColumns<'a> = (Option<i64>, Option<i64>, Option<&'a [u8]>);

fn body_columns(body: &SealedBody) -> Result<BodyColumns<'_>, SqlFailure> {
    Ok(match body {
        SealedBody::None | SealedBody::Unchanged => (None, None, None),
        SealedBody::Inline { revision, sealed } => {
            (Some(i64::from(*revision)), Some(stored(sealed.len() as u64)?), Some(sealed))
        }
        SealedBody::Blob { revision, bytes } => (Some(i64::from(*revision)), Some(stored(*bytes)?), None),
    })
}

fn put(transaction: &mut ScopedTransaction<'_>, batch: &Batch, revision: Revision) -> Result<(), SqlFailure> {
    if batch.puts.is_empty() {
        return Ok(());
    }
    let ids: Vec<_> = batch.puts.iter().map(|row| memory_id(&row.id)).collect();
    let sql = "SELECT 1 FROM lacuna.tombstone WHERE vault = $1 AND id = ANY($2) LIMIT 1";
    if transaction.query_opt(sql, &[&id(&batch.vault), &ids])?.is_some() {
        return Err(forgotten().into());
    }
    let (unchanged, whole): (Vec<_>, Vec<_>) =
        batch.puts.iter().partition(|row| row.body == SealedBody::Unchanged);
    put_whole(transaction, batch, revision, &whole)?;
    put_frames(transaction, batch, revision, &unchanged)
}

fn put_whole(
    transaction: &mut ScopedTransaction<'_>,
    batch: &Batch,
    revision: Revision,
    rows: &[&Row],
) -> Result<(), SqlFailure> {
    if rows.is_empty() {
        return Ok(());
    }
    let arrays = Arrays::of(rows)?;
    transaction.execute(
        PUT,
        &[
            &id(&batch.vault),
            &stored(revision.0)?,
            &arrays.ids,
            &arrays.states,
            &arrays.created_at,
            &arrays.updated_at,
            &arrays.expires_at,
            &arrays.key_versions,
            &arrays.frame_revisions,
            &arrays.frames,
            &arrays.body_revisions,
            &arrays.body_bytes,
            &arrays.bodies,
        ],
    )?;
    Ok(())
}

fn put_frames(
    transaction: &mut ScopedTransaction<'_>,
    batch: &Batch,
    revision: Revision,
    rows: &[&Row],
) -> Result<(), SqlFailure> {
    if rows.is_empty() {
        return Ok(());
    }
    let arrays = Arrays::of(rows)?;
    let updated = transaction.execute(
        PUT_FRAME,
        &[
            &id(&batch.vault),
            &stored(revision.0)?,
            &arrays.ids,
            &arrays.states,
            &arrays.created_at,
            &arrays.updated_at,
            &arrays.expires_at,
            &arrays.key_versions,
            &arrays.frame_revisions,
            &arrays.frames,
        ],
    )?;
    if updated == rows.len() as u64 { Ok(()) } else { Err(no_body_to_keep().into()) }
}

fn remove(
    transaction: &mut ScopedTransaction<'_>,
    batch: &Batch,
    revision: Revision,
) -> Result<(), SqlFailure> {
    if batch.removals.is_empty() {
        return Ok(());
    }
    let ids: Vec<_> = batch.removals.iter().map(memory_id).collect();
    let sql = "DELETE FROM lacuna.memory WHERE vault = $1 AND id = ANY($2)";
    transaction.execute(sql, &[&id(&batch.vault), &ids])?;
    let sql = "
        INSERT INTO lacuna.tombstone (vault, id, revision, at, brief)
        SELECT $1, unnest($2::bytea[]), $3, $4, $5 ON CONFLICT (vault, id) DO NOTHING";
    let (revision, at) = (stored(revision.0)?, millis(batch.at));
    transaction.execute(sql, &[&id(&batch.vault), &ids, &revision, &at, &batch.brief])?;
    Ok(())
}

fn change_intents(transaction: &mut ScopedTransaction<'_>, batch: &Batch) -> Result<(), SqlFailure> {
    let sql = "INSERT INTO lacuna.intent (vault, id, memories, note) VALUES ($1, $2, $3, $4)";
    for intent in &batch.opens {
        let memories = joined(&intent.memories);
        transaction.insert(
            sql,
            &[&id(&batch.vault), &stored(intent.id)?, &memories, &intent.note],
            intent_taken,
        )?;
    }
    if batch.closes.is_empty() {
        return Ok(());
    }
    let closes: Vec<_> = batch.closes.iter().map(|id| stored(*id)).collect::<Result<_>>()?;
    let sql = "DELETE FROM lacuna.intent WHERE vault = $1 AND id = ANY($2)";
    transaction.execute(sql, &[&id(&batch.vault), &closes])?;
    Ok(())
}

fn age_audit(transaction: &mut ScopedTransaction<'_>, batch: &Batch) -> Result<(), SqlFailure> {
    if batch.aged.is_empty() {
        return Ok(());
    }
    let seqs: Vec<_> = batch.aged.iter().map(|aged| stored(aged.seq)).collect::<Result<_>>()?;
    let digests: Vec<_> = batch.aged.iter().map(|aged| aged.digest.as_slice()).collect();
    let sql = "
        UPDATE lacuna.audit AS kept SET entry = aged.digest
        FROM unnest($2::bigint[], $3::bytea[]) AS aged (seq, digest)
        WHERE kept.vault = $1 AND kept.seq = aged.seq";
    let changed = transaction.execute(sql, &[&id(&batch.vault), &seqs, &digests])?;
    if changed == batch.aged.len() as u64 { Ok(()) } else { Err(no_entry_to_age().into()) }
}

fn append_audit(transaction: &mut ScopedTransaction<'_>, batch: &Batch) -> Result<(), SqlFailure> {
    if batch.audit.is_empty() {
        return Ok(());
    }
    let seqs: Vec<_> = batch.audit.iter().map(|row| stored(row.seq)).collect::<Result<_>>()?;
    let times: Vec<_> = batch.audit.iter().map(|row| millis(row.at)).collect();
    let hashes: Vec<_> = batch.audit.iter().map(|row| row.hash.as_slice()).collect();
    let entries: Vec<_> = batch.audit.iter().map(|row| row.entry.as_slice()).collect();
    let codes: Vec<_> = batch.audit.iter().map(|row| row.code.as_ref().map(|code| code.as_slice())).collect();
    let sql = "
        INSERT INTO lacuna.audit (vault, seq, at, hash, entry, code)
        SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[], $6::bytea[])";
    transaction.execute(sql, &[&id(&batch.vault), &seqs, &times, &hashes, &entries, &codes])?;
    Ok(())
}

fn change_token(
    transaction: &mut ScopedTransaction<'_>,
    org: &OrgId,
    change: &TokenChange,
) -> Result<(), SqlFailure> {
    match change {
        TokenChange::Add(token) => add_token(transaction, token),
        TokenChange::Revoke { id, at } => {
            let sql = "
                UPDATE lacuna.token SET revoked_at = coalesce(revoked_at, $3) WHERE id = $1 AND org = $2";
            let revoked = transaction.execute(sql, &[&id.as_slice(), &org.as_str(), &millis(*at)])?;
            if revoked == 0 { Err(Error::NotFound("token").into()) } else { Ok(()) }
        }
    }
}

fn add_token(transaction: &mut ScopedTransaction<'_>, token: &TokenRow) -> Result<(), SqlFailure> {
    let sql = "
        INSERT INTO lacuna.token (id, hash, org, holder, roles, label, created_at, expires_at, revoked_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let parameters: &[&(dyn postgres::types::ToSql + Sync)] = &[
        &token.id.as_slice(),
        &token.hash.as_slice(),
        &token.org.as_str(),
        &token.user,
        &token.roles,
        &token.label,
        &millis(token.created_at),
        &token.expires_at.map(millis),
        &token.revoked_at.map(millis),
    ];
    transaction.insert(sql, parameters, || Error::Conflict("the token"))?;
    Ok(())
}

fn change_member(
    transaction: &mut ScopedTransaction<'_>,
    org: &OrgId,
    change: &MemberChange,
) -> Result<(), SqlFailure> {
    match change {
        MemberChange::Add { group, user, at } => {
            let sql = "
                INSERT INTO lacuna.member (org, kind, name, holder, added_at) VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT DO NOTHING";
            let (kind, name) = (group.kind(), group.name());
            transaction.execute(sql, &[&org.as_str(), &kind, &name, &user.as_str(), &millis(*at)])?;
            Ok(())
        }
        MemberChange::Remove { group, user } => {
            let sql = "DELETE FROM lacuna.member WHERE org = $1 AND kind = $2 AND name = $3 AND holder = $4";
            let (kind, name) = (group.kind(), group.name());
            let removed = transaction.execute(sql, &[&org.as_str(), &kind, &name, &user.as_str()])?;
            if removed == 0 { Err(Error::NotFound("member").into()) } else { Ok(()) }
        }
    }
}
