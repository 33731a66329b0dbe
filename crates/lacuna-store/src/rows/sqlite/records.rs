//! The record book in SQLite.

use rusqlite::{Connection, Row as Columns, params};

use super::{at, bytes, collect, optional_at, unless_taken};
use crate::failure::SqlFailure;
use crate::rows::check::{no_such_record, record_taken};
use crate::rows::columns::{number_u64, stored};
use crate::rows::{RECORDS_PAGE_MAX, Record, RecordChange, RecordKind};
use lacuna_types::{Error, Result};
use lacuna_types::{OrgId, VaultId, millis};

const RECORD: &str = "SELECT org, kind, number, vault, at, due_at, done_at, doc FROM record";

pub(super) fn page(
    connection: &Connection,
    org: &OrgId,
    kind: RecordKind,
    after: u64,
    limit: usize,
) -> Result<Vec<Record>, SqlFailure> {
    let sql = format!("{RECORD} WHERE org = ?1 AND kind = ?2 AND number > ?3 ORDER BY number LIMIT ?4");
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let limit = limit.min(RECORDS_PAGE_MAX) as i64;
    collect(connection, &sql, params![org.as_str(), kind.code(), after, limit], record)
}

pub(super) fn page_of_vault(
    connection: &Connection,
    org: &OrgId,
    kind: RecordKind,
    vault: VaultId,
    after: u64,
    limit: usize,
) -> Result<Vec<Record>, SqlFailure> {
    let sql = format!(
        "{RECORD} WHERE vault = ?1 AND kind = ?2 AND number > ?3 AND org = ?4 ORDER BY number LIMIT ?5"
    );
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let limit = limit.min(RECORDS_PAGE_MAX) as i64;
    let parameters = params![vault.as_bytes(), kind.code(), after, org.as_str(), limit];
    collect(connection, &sql, parameters, record)
}

pub(super) fn last(connection: &Connection, org: &OrgId, kind: RecordKind) -> Result<u64, SqlFailure> {
    let sql = "SELECT coalesce(max(number), 0) FROM record WHERE org = ?1 AND kind = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    number_u64(statement.query_row(params![org.as_str(), kind.code()], |row| row.get(0))?)
}

pub(super) fn due(
    connection: &Connection,
    kind: RecordKind,
    at: jiff::Timestamp,
    limit: usize,
) -> Result<Vec<Record>, SqlFailure> {
    let sql = format!(
        "{RECORD} WHERE kind = ?1 AND done_at IS NULL AND due_at IS NOT NULL AND due_at <= ?2
         ORDER BY due_at, org, number LIMIT ?3"
    );
    collect(connection, &sql, params![kind.code(), millis(at), limit.min(RECORDS_PAGE_MAX) as i64], record)
}

pub(super) fn change(connection: &Connection, org: &OrgId, change: &RecordChange) -> Result<(), SqlFailure> {
    match change {
        RecordChange::Add(record) => {
            let sql = "
                INSERT INTO record (org, kind, number, vault, at, due_at, done_at, doc)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
            write(connection, sql, record, stored(record.number)?)
                .map_err(|error| unless_taken(error, record_taken()))?;
            Ok(())
        }
        RecordChange::Update(record) => {
            let sql = "
                UPDATE record SET vault = ?4, at = ?5, due_at = ?6, done_at = ?7, doc = ?8
                WHERE org = ?1 AND kind = ?2 AND number = ?3";
            found(write(connection, sql, record, stored(record.number)?)?)
        }
        RecordChange::Drop { kind, number } => {
            let sql = "DELETE FROM record WHERE org = ?1 AND kind = ?2 AND number = ?3";
            // A number that fits no column names no record.
            let number = i64::try_from(*number).unwrap_or(-1);
            found(connection.prepare_cached(sql)?.execute(params![org.as_str(), kind.code(), number])?)
        }
    }
}

fn write(connection: &Connection, sql: &str, record: &Record, number: i64) -> rusqlite::Result<usize> {
    connection.prepare_cached(sql)?.execute(params![
        record.org.as_str(),
        record.kind.code(),
        number,
        record.vault.as_ref().map(VaultId::as_bytes),
        millis(record.at),
        record.due_at.map(millis),
        record.done_at.map(millis),
        record.doc,
    ])
}

fn found(rows: usize) -> Result<(), SqlFailure> {
    if rows == 0 { Err(no_such_record().into()) } else { Ok(()) }
}

fn record(row: &Columns<'_>) -> Result<Record, SqlFailure> {
    let damaged = || Error::corrupt("a record does not parse");
    Ok(Record {
        org: OrgId::new(&row.get::<_, String>(0)?).map_err(|_| damaged())?,
        kind: RecordKind::from_code(row.get(1)?).ok_or_else(damaged)?,
        number: number_u64(row.get(2)?)?,
        vault: row.get::<_, Option<[u8; 16]>>(3)?.map(VaultId::from_bytes),
        at: at(row, 4)?,
        due_at: optional_at(row, 5)?,
        done_at: optional_at(row, 6)?,
        doc: bytes(row, 7)?,
    })
}
