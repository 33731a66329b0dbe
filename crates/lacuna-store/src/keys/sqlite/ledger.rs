//! The erasure ledger in SQLite.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row as Columns, params};

use super::destroy;
use crate::failure::SqlFailure;
use crate::keys::{
    ERASURES_PAGE_MAX, LedgerCursor, LedgerExtent, LedgerLine, RECEIPTS_PAGE_MAX, ReceiptMark,
    fell_with_vault,
};
use crate::rows::columns::{number_u64, stored, time};
use crate::rows::sqlite::collect;
use lacuna_types::{Error, Result};
use lacuna_types::{MemoryId, OrgId, VaultId, millis};

/// The column of the memory in the line of a whole vault.
const WHOLE_VAULT: &[u8] = b"";

pub(super) struct Absorb {
    pub lines: Vec<LedgerLine>,
    pub receipts: Vec<ReceiptMark>,
}

/// A memory is erased once; a vault may be destroyed again later.
pub(in crate::keys) fn enter(connection: &Connection, line: &LedgerLine) -> Result<(), SqlFailure> {
    let sql = "
        INSERT INTO erased (vault, memory, at) VALUES (?1, ?2, ?3)
        ON CONFLICT (vault, memory) DO UPDATE SET at = max(at, excluded.at) WHERE memory = x''";
    let parameters = params![line.vault.as_bytes(), column(line.memory.as_ref()), millis(line.at)];
    connection.prepare_cached(sql)?.execute(parameters)?;
    Ok(())
}

pub(in crate::keys) fn raise(connection: &Connection, mark: &ReceiptMark) -> Result<(), SqlFailure> {
    let sql = "
        INSERT INTO receipt (org, number) VALUES (?1, ?2)
        ON CONFLICT (org) DO UPDATE SET number = max(number, excluded.number)";
    connection.prepare_cached(sql)?.execute(params![mark.org.as_str(), stored(mark.number)?])?;
    Ok(())
}

pub(in crate::keys) fn is_erased(
    connection: &Connection,
    vault: VaultId,
    id: MemoryId,
) -> Result<bool, SqlFailure> {
    let sql = "SELECT 1 FROM erased WHERE vault = ?1 AND memory = ?2";
    Ok(connection.prepare_cached(sql)?.exists(params![vault.as_bytes(), id.as_bytes()])?)
}

pub(in crate::keys) fn destroyed_at(
    connection: &Connection,
    vault: VaultId,
) -> Result<Option<Timestamp>, SqlFailure> {
    let sql = "SELECT at FROM erased WHERE vault = ?1 AND memory = x''";
    let at = connection.prepare_cached(sql)?.query_row([vault.as_bytes()], |row| row.get(0)).optional()?;
    at.map(time).transpose()
}

pub(in crate::keys) fn erasures(
    connection: &Connection,
    after: Option<LedgerCursor>,
    limit: usize,
) -> Result<Vec<LedgerLine>, SqlFailure> {
    let sql = "
        SELECT vault, memory, at FROM erased
        WHERE ?1 IS NULL OR (vault, memory) > (?1, ?2) ORDER BY vault, memory LIMIT ?3";
    let vault = after.as_ref().map(|(vault, _)| vault.as_bytes());
    let memory = after.as_ref().map_or(WHOLE_VAULT, |(_, memory)| column(memory.as_ref()));
    collect(connection, sql, params![vault, memory, limit.min(ERASURES_PAGE_MAX) as i64], line)
}

pub(in crate::keys) fn extent(connection: &Connection) -> Result<LedgerExtent, SqlFailure> {
    let read = |row: &Columns<'_>| -> Result<LedgerExtent, SqlFailure> {
        let newest: Option<i64> = row.get(1)?;
        Ok(LedgerExtent { lines: number_u64(row.get(0)?)?, newest: newest.map(time).transpose()? })
    };
    let extents = collect(connection, "SELECT count(*), max(at) FROM erased", [], read)?;
    Ok(extents.into_iter().next().unwrap_or_default())
}

pub(in crate::keys) fn last_receipt(connection: &Connection, org: &OrgId) -> Result<u64, SqlFailure> {
    let sql = "SELECT number FROM receipt WHERE org = ?1";
    let number = connection.prepare_cached(sql)?.query_row([org.as_str()], |row| row.get(0)).optional()?;
    number.map_or(Ok(0), number_u64)
}

pub(in crate::keys) fn receipts_known(
    connection: &Connection,
    after: Option<&OrgId>,
) -> Result<Vec<ReceiptMark>, SqlFailure> {
    let sql = "SELECT org, number FROM receipt WHERE org > ?1 ORDER BY org LIMIT ?2";
    let after = after.map_or("", OrgId::as_str);
    collect(connection, sql, params![after, RECEIPTS_PAGE_MAX as i64], |row| {
        let org = OrgId::new(&row.get::<_, String>(0)?);
        let org = org.map_err(|_| Error::corrupt("a receipt mark has no valid org"))?;
        Ok(ReceiptMark { org, number: number_u64(row.get(1)?)? })
    })
}

/// Removes every key of the vault; `secure_delete` overwrites them with zeros.
pub(super) fn destroy_vault(connection: &Connection, vault: VaultId) -> Result<u64, SqlFailure> {
    let mut keys = 0;
    // In the order in which they refer to each other.
    for table in ["memory_key", "class_key", "root"] {
        let sql = format!("DELETE FROM {table} WHERE vault = ?1");
        keys += connection.prepare_cached(&sql)?.execute([vault.as_bytes()])? as u64;
    }
    Ok(keys)
}

pub(super) fn absorb(connection: &Connection, work: &Absorb) -> Result<u64, SqlFailure> {
    let mut destroyed = 0;
    for line in &work.lines {
        destroyed += absorb_line(connection, line)?;
    }
    work.receipts.iter().try_for_each(|mark| raise(connection, mark))?;
    Ok(destroyed)
}

fn absorb_line(connection: &Connection, line: &LedgerLine) -> Result<u64, SqlFailure> {
    let known = destroyed_at(connection, line.vault)?.is_some_and(|at| at >= line.at);
    enter(connection, line)?;
    match line.memory {
        Some(id) => destroy(connection, line.vault, id).map(u64::from),
        None if known => Ok(0),
        None => destroy_older(connection, line.vault, line.at),
    }
}

/// Destroys what was made in the vault before `at`, and its root with the last of it.
fn destroy_older(connection: &Connection, vault: VaultId, at: Timestamp) -> Result<u64, SqlFailure> {
    let sql = "SELECT memory FROM memory_key WHERE vault = ?1";
    let read = |row: &Columns<'_>| Ok(MemoryId::from_bytes(row.get(0)?));
    let held = collect(connection, sql, [vault.as_bytes()], read)?;
    let (fallen, newer): (Vec<_>, Vec<_>) = held.into_iter().partition(|id| fell_with_vault(id, Some(at)));
    if newer.is_empty() {
        return destroy_vault(connection, vault);
    }
    fallen.iter().try_fold(0, |keys, id| Ok(keys + u64::from(destroy(connection, vault, *id)?)))
}

fn column(memory: Option<&MemoryId>) -> &[u8] {
    memory.map_or(WHOLE_VAULT, |id| id.as_bytes())
}

fn line(row: &Columns<'_>) -> Result<LedgerLine, SqlFailure> {
    let memory = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
    let memory = match memory {
        WHOLE_VAULT => None,
        id => Some(MemoryId::from_bytes(
            id.try_into().map_err(|_| Error::corrupt("a line of the ledger has no valid id"))?,
        )),
    };
    Ok(LedgerLine { vault: VaultId::from_bytes(row.get(0)?), memory, at: time(row.get(2)?)? })
}
