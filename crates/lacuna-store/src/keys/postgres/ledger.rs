//! The erasure ledger in PostgreSQL.

use std::collections::HashSet;

use jiff::Timestamp;
use postgres::Row as Columns;

use crate::failure::SqlFailure;
use crate::keys::{
    ERASURES_PAGE_MAX, LedgerCursor, LedgerExtent, LedgerLine, RECEIPTS_PAGE_MAX, ReceiptMark,
    fell_with_vault,
};
use crate::rows::columns::{number_u64, stored, time};
use crate::rows::postgres::engine::ScopedTransaction;
use crate::rows::postgres::{fixed, id, memory_id};
use lacuna_types::{Error, Result};
use lacuna_types::{MemoryId, OrgId, VaultId, millis};

/// The column of the memory in the line of a whole vault.
const WHOLE_VAULT: &[u8] = b"";

pub(super) fn enter_memories(
    transaction: &mut ScopedTransaction<'_>,
    vault: VaultId,
    memories: &[&[u8]],
    at: Timestamp,
) -> Result<(), SqlFailure> {
    let sql = "
        INSERT INTO lacuna_keys.erased (vault, memory, at)
        SELECT $1, unnest($2::bytea[]), $3 ON CONFLICT (vault, memory) DO NOTHING";
    transaction.execute(sql, &[&id(&vault), &memories, &millis(at)])?;
    Ok(())
}

/// A vault may be destroyed again later: the last time counts.
pub(super) fn enter_vault(
    transaction: &mut ScopedTransaction<'_>,
    vault: VaultId,
    at: Timestamp,
) -> Result<(), SqlFailure> {
    let sql = "
        INSERT INTO lacuna_keys.erased AS known (vault, memory, at) VALUES ($1, '', $2)
        ON CONFLICT (vault, memory) DO UPDATE SET at = greatest(known.at, excluded.at)";
    transaction.execute(sql, &[&id(&vault), &millis(at)])?;
    Ok(())
}

pub(super) fn raise(transaction: &mut ScopedTransaction<'_>, mark: &ReceiptMark) -> Result<(), SqlFailure> {
    let sql = "
        INSERT INTO lacuna_keys.receipt AS known (org, number) VALUES ($1, $2)
        ON CONFLICT (org) DO UPDATE SET number = greatest(known.number, excluded.number)";
    transaction.execute(sql, &[&mark.org.as_str(), &stored(mark.number)?])?;
    Ok(())
}

/// The memories among these that have a line of their own.
pub(super) fn entered(
    transaction: &mut ScopedTransaction<'_>,
    vault: VaultId,
    memories: &[&[u8]],
) -> Result<HashSet<MemoryId>, SqlFailure> {
    let sql = "SELECT memory FROM lacuna_keys.erased WHERE vault = $1 AND memory = ANY($2)";
    let rows = transaction.query(sql, &[&id(&vault), &memories])?;
    rows.iter().map(|row| Ok(MemoryId::from_bytes(fixed(row, 0)?))).collect()
}

pub(super) fn destroyed_at(
    transaction: &mut ScopedTransaction<'_>,
    vault: VaultId,
) -> Result<Option<Timestamp>, SqlFailure> {
    let sql = "SELECT at FROM lacuna_keys.erased WHERE vault = $1 AND memory = ''";
    transaction.query_opt(sql, &[&id(&vault)])?.map(|row| time(row.try_get(0)?)).transpose()
}

pub(super) fn erasures(
    transaction: &mut ScopedTransaction<'_>,
    after: Option<LedgerCursor>,
    limit: usize,
) -> Result<Vec<LedgerLine>, SqlFailure> {
    let sql = "
        SELECT vault, memory, at FROM lacuna_keys.erased
        WHERE $1::bytea IS NULL OR (vault, memory) > ($1, $2) ORDER BY vault, memory LIMIT $3";
    let vault = after.as_ref().map(|(vault, _)| id(vault));
    let memory = after.as_ref().and_then(|(_, memory)| memory.as_ref()).map_or(WHOLE_VAULT, memory_id);
    let rows = transaction.query(sql, &[&vault, &memory, &(limit.min(ERASURES_PAGE_MAX) as i64)])?;
    rows.iter().map(line).collect()
}

pub(super) fn forget(transaction: &mut ScopedTransaction<'_>, before: Timestamp) -> Result<u64, SqlFailure> {
    transaction.execute("DELETE FROM lacuna_keys.erased WHERE at < $1", &[&millis(before)])
}

pub(super) fn extent(transaction: &mut ScopedTransaction<'_>) -> Result<LedgerExtent, SqlFailure> {
    let rows = transaction.query("SELECT count(*), max(at) FROM lacuna_keys.erased", &[])?;
    let Some(row) = rows.first() else { return Ok(LedgerExtent::default()) };
    let newest: Option<i64> = row.try_get(1)?;
    Ok(LedgerExtent { lines: number_u64(row.try_get(0)?)?, newest: newest.map(time).transpose()? })
}

pub(super) fn last_receipt(transaction: &mut ScopedTransaction<'_>, org: &OrgId) -> Result<u64, SqlFailure> {
    let sql = "SELECT number FROM lacuna_keys.receipt WHERE org = $1";
    transaction.query_opt(sql, &[&org.as_str()])?.map_or(Ok(0), |row| number_u64(row.try_get(0)?))
}

pub(super) fn receipts_known(
    transaction: &mut ScopedTransaction<'_>,
    after: Option<&OrgId>,
) -> Result<Vec<ReceiptMark>, SqlFailure> {
    let sql = "SELECT org, number FROM lacuna_keys.receipt WHERE org > $1 ORDER BY org LIMIT $2";
    let after = after.map_or("", OrgId::as_str);
    let rows = transaction.query(sql, &[&after, &(RECEIPTS_PAGE_MAX as i64)])?;
    let mark = |row: &Columns| {
        let org = OrgId::new(row.try_get(0)?);
        let org = org.map_err(|_| Error::corrupt("a receipt mark has no valid org"))?;
        Ok(ReceiptMark { org, number: number_u64(row.try_get(1)?)? })
    };
    rows.iter().map(mark).collect()
}

pub(super) fn destroy_vault(
    transaction: &mut ScopedTransaction<'_>,
    vault: VaultId,
) -> Result<u64, SqlFailure> {
    lock_root(transaction, vault)?;
    // In the order in which they refer to each other.
    let statements = [
        "DELETE FROM lacuna_keys.memory_key WHERE vault = $1",
        "DELETE FROM lacuna_keys.class_key WHERE vault = $1",
        "DELETE FROM lacuna_keys.root WHERE vault = $1",
    ];
    statements.iter().try_fold(0, |keys, sql| Ok(keys + transaction.execute(sql, &[&id(&vault)])?))
}

/// While the root is locked, no key is added.
fn lock_root(transaction: &mut ScopedTransaction<'_>, vault: VaultId) -> Result<(), SqlFailure> {
    let sql = "SELECT 1 FROM lacuna_keys.root WHERE vault = $1 FOR UPDATE";
    transaction.query_opt(sql, &[&id(&vault)]).map(drop)
}

/// Enters the lines of one vault and destroys the keys that they name.
pub(super) fn absorb(
    transaction: &mut ScopedTransaction<'_>,
    vault: VaultId,
    lines: &[LedgerLine],
) -> Result<u64, SqlFailure> {
    let mut destroyed = 0;
    for line in lines {
        destroyed += match &line.memory {
            Some(memory) => {
                let ids = [memory_id(memory)];
                enter_memories(transaction, vault, &ids, line.at)?;
                destroy(transaction, vault, &ids)?
            }
            None => absorb_vault(transaction, vault, line.at)?,
        };
    }
    Ok(destroyed)
}

fn absorb_vault(
    transaction: &mut ScopedTransaction<'_>,
    vault: VaultId,
    at: Timestamp,
) -> Result<u64, SqlFailure> {
    let known = destroyed_at(transaction, vault)?.is_some_and(|known| known >= at);
    enter_vault(transaction, vault, at)?;
    if known {
        return Ok(0);
    }
    lock_root(transaction, vault)?;
    let held =
        transaction.query("SELECT memory FROM lacuna_keys.memory_key WHERE vault = $1", &[&id(&vault)])?;
    let held = held
        .iter()
        .map(|row| Ok(MemoryId::from_bytes(fixed(row, 0)?)))
        .collect::<Result<Vec<_>, SqlFailure>>()?;
    let (fallen, newer): (Vec<_>, Vec<_>) = held.into_iter().partition(|id| fell_with_vault(id, Some(at)));
    if newer.is_empty() {
        return destroy_vault(transaction, vault);
    }
    let fallen: Vec<_> = fallen.iter().map(memory_id).collect();
    destroy(transaction, vault, &fallen)
}

/// The row goes at once; what is left of it in the heap goes with the next vacuum, and is worthless
/// after the next epoch.
pub(super) fn destroy(
    transaction: &mut ScopedTransaction<'_>,
    vault: VaultId,
    memories: &[&[u8]],
) -> Result<u64, SqlFailure> {
    let sql = "DELETE FROM lacuna_keys.memory_key WHERE vault = $1 AND memory = ANY($2)";
    transaction.execute(sql, &[&id(&vault), &memories])
}

fn line(row: &Columns) -> Result<LedgerLine, SqlFailure> {
    let memory: &[u8] = row.try_get(1)?;
    let memory = if memory == WHOLE_VAULT { None } else { Some(MemoryId::from_bytes(fixed(row, 1)?)) };
    Ok(LedgerLine { vault: VaultId::from_bytes(fixed(row, 0)?), memory, at: time(row.try_get(2)?)? })
}
