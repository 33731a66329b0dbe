//! The record book in PostgreSQL.

use jiff::Timestamp;
use postgres::Row as Columns;
use postgres::types::ToSql;

use super::engine::ScopedTransaction;
use crate::failure::SqlFailure;
use crate::rows::check::{no_such_record, record_taken};
use crate::rows::columns::{number_u64, stored, time};
use crate::rows::{RECORDS_PAGE_MAX, Record, RecordChange, RecordKind};
use lacuna_types::{Error, Result};
use lacuna_types::{OrgId, VaultId, millis};

pub(super) fn page(
    transaction: &mut ScopedTransaction<'_>,
    org: &OrgId,
    kind: RecordKind,
    after: u64,
    limit: usize,
) -> Result<Vec<Record>, SqlFailure> {
    let sql = "
        SELECT org, kind, number, vault, at, due_at, done_at, doc FROM lacuna.record
        WHERE org = $1 AND kind = $2 AND number > $3 ORDER BY number LIMIT $4";
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let limit = limit.min(RECORDS_PAGE_MAX) as i64;
    let rows = transaction.query(sql, &[&org.as_str(), &i16::from(kind.code()), &after, &limit])?;
    rows.iter().map(record).collect()
}

pub(super) fn page_of_vault(
    transaction: &mut ScopedTransaction<'_>,
    org: &OrgId,
    kind: RecordKind,
    vault: VaultId,
    after: u64,
    limit: usize,
) -> Result<Vec<Record>, SqlFailure> {
    let sql = "
        SELECT org, kind, number, vault, at, due_at, done_at, doc FROM lacuna.record
        WHERE vault = $1 AND kind = $2 AND number > $3 AND org = $4 ORDER BY number LIMIT $5";
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let limit = limit.min(RECORDS_PAGE_MAX) as i64;
    let vault = vault.as_bytes().as_slice();
    let rows = transaction.query(sql, &[&vault, &i16::from(kind.code()), &after, &org.as_str(), &limit])?;
    rows.iter().map(record).collect()
}

pub(super) fn last(
    transaction: &mut ScopedTransaction<'_>,
    org: &OrgId,
    kind: RecordKind,
) -> Result<u64, SqlFailure> {
    let sql = "SELECT max(number) FROM lacuna.record WHERE org = $1 AND kind = $2";
    let row = transaction.query_opt(sql, &[&org.as_str(), &i16::from(kind.code())])?;
    let number: Option<i64> = row.map_or(Ok(None), |row| row.try_get(0))?;
    number.map_or(Ok(0), number_u64)
}

pub(super) fn due(
    transaction: &mut ScopedTransaction<'_>,
    kind: RecordKind,
    at: Timestamp,
    limit: usize,
) -> Result<Vec<Record>, SqlFailure> {
    let sql = "
        SELECT org, kind, number, vault, at, due_at, done_at, doc FROM lacuna.record
        WHERE kind = $1 AND done_at IS NULL AND due_at IS NOT NULL AND due_at <= $2
        ORDER BY due_at, org, number LIMIT $3";
    let limit = limit.min(RECORDS_PAGE_MAX) as i64;
    let rows = transaction.query(sql, &[&i16::from(kind.code()), &millis(at), &limit])?;
    rows.iter().map(record).collect()
}

pub(super) fn change(
    transaction: &mut ScopedTransaction<'_>,
    org: &OrgId,
    change: &RecordChange,
) -> Result<(), SqlFailure> {
    match change {
        RecordChange::Add(record) => write(transaction, record, |transaction, parameters| {
            let sql = "
                INSERT INTO lacuna.record (org, kind, number, vault, at, due_at, done_at, doc)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
            transaction.insert(sql, parameters, record_taken)
        }),
        RecordChange::Update(record) => write(transaction, record, |transaction, parameters| {
            let sql = "
                UPDATE lacuna.record SET vault = $4, at = $5, due_at = $6, done_at = $7, doc = $8
                WHERE org = $1 AND kind = $2 AND number = $3";
            transaction.execute(sql, parameters)
        }),
        RecordChange::Drop { kind, number } => {
            let sql = "DELETE FROM lacuna.record WHERE org = $1 AND kind = $2 AND number = $3";
            // A number that fits no column names no record.
            let number = i64::try_from(*number).unwrap_or(-1);
            found(transaction.execute(sql, &[&org.as_str(), &i16::from(kind.code()), &number])?)
        }
    }
}

fn write(
    transaction: &mut ScopedTransaction<'_>,
    record: &Record,
    run: impl FnOnce(&mut ScopedTransaction<'_>, &[&(dyn ToSql + Sync)]) -> Result<u64, SqlFailure>,
) -> Result<(), SqlFailure> {
    let written = run(
        transaction,
        &[
            &record.org.as_str(),
            &i16::from(record.kind.code()),
            &stored(record.number)?,
            &record.vault.as_ref().map(|vault| vault.as_bytes().as_slice()),
            &millis(record.at),
            &record.due_at.map(millis),
            &record.done_at.map(millis),
            &record.doc,
        ],
    )?;
    found(written)
}

fn found(rows: u64) -> Result<(), SqlFailure> {
    if rows == 0 { Err(no_such_record().into()) } else { Ok(()) }
}

fn record(row: &Columns) -> Result<Record, SqlFailure> {
    let damaged = || Error::corrupt("a record does not parse");
    let kind = u8::try_from(row.try_get::<_, i16>(1)?).ok().and_then(RecordKind::from_code);
    let vault: Option<&[u8]> = row.try_get(3)?;
    let vault = vault.map(|id| id.try_into().map(VaultId::from_bytes).map_err(|_| damaged())).transpose()?;
    Ok(Record {
        org: OrgId::new(row.try_get(0)?).map_err(|_| damaged())?,
        kind: kind.ok_or_else(damaged)?,
        number: number_u64(row.try_get(2)?)?,
        vault,
        at: time(row.try_get(4)?)?,
        due_at: row.try_get::<_, Option<i64>>(5)?.map(time).transpose()?,
        done_at: row.try_get::<_, Option<i64>>(6)?.map(time).transpose()?,
        doc: row.try_get(7)?,
    })
}
