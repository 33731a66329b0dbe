//! Requests under an `Idempotency-Key` in PostgreSQL.

use jiff::Timestamp;
use lacuna_types::{OrgId, Result, VaultId, millis};
use postgres::Row as Columns;

use super::engine::ScopedTransaction;
use super::{fixed, id};
use crate::failure::SqlFailure;
use crate::rows::{
    KEYED_ANSWERS_OF_CALLER_MAX, KEYED_OF_CALLER_MAX, KeyedClaim, KeyedEnd, KeyedOutcome, KeyedStanding,
};

/// One statement, so that of several nodes one gets it.
const CLAIM: &str = "
    INSERT INTO lacuna.keyed_request (org, mark, caller, print, began_at, holder, held_until)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (org, mark) DO UPDATE SET
        print = excluded.print, began_at = excluded.began_at, holder = excluded.holder,
        held_until = excluded.held_until, answer = NULL, is_bare = false
    WHERE keyed_request.began_at < $8 OR keyed_request.held_until <= $5";

/// In the order of marks, so that two who erase at once do not wait for each other.
const DROP_ANSWERS: &str = "
    WITH answered AS (
        SELECT mark FROM lacuna.keyed_request
        WHERE org = $1 AND (answer IS NOT NULL OR held_until IS NOT NULL) ORDER BY mark FOR UPDATE
    )
    UPDATE lacuna.keyed_request AS kept SET answer = NULL, is_bare = true
    FROM answered WHERE kept.org = $1 AND kept.mark = answered.mark";

pub(super) fn claim(
    transaction: &mut ScopedTransaction<'_>,
    claim: &KeyedClaim,
) -> Result<KeyedStanding, SqlFailure> {
    let (org, mark, caller) = (claim.org.as_str(), claim.mark.as_slice(), claim.caller.as_slice());
    let (at, until, since) = (millis(claim.at), millis(claim.until), millis(claim.kept_since));
    let (print, holder) = (claim.print.as_slice(), claim.holder.as_slice());
    if transaction.execute(CLAIM, &[&org, &mark, &caller, &print, &at, &holder, &until, &since])? == 1 {
        drop_beyond_limit(transaction, org, caller)?;
        return Ok(KeyedStanding::Claimed);
    }
    let sql = "SELECT print, held_until, answer FROM lacuna.keyed_request WHERE org = $1 AND mark = $2";
    let row = transaction.query_opt(sql, &[&org, &mark])?;
    // Without a row the other claim ended in this moment; whoever asks again gets it.
    row.map_or(Ok(KeyedStanding::UnderWay), |row| standing(&row, &claim.print))
}

fn standing(row: &Columns, print: &[u8; 32]) -> Result<KeyedStanding, SqlFailure> {
    if fixed::<32>(row, 0)? != *print {
        return Ok(KeyedStanding::Other);
    }
    Ok(match row.try_get::<_, Option<i64>>(1)? {
        Some(_) => KeyedStanding::UnderWay,
        None => KeyedStanding::Done(row.try_get(2)?),
    })
}

/// Takes away the oldest answers of a caller who has more than they may, and the oldest answered requests.
fn drop_beyond_limit(
    transaction: &mut ScopedTransaction<'_>,
    org: &str,
    caller: &[u8],
) -> Result<(), SqlFailure> {
    let sql = "
        WITH bared AS (
            UPDATE lacuna.keyed_request SET answer = NULL
            WHERE org = $1 AND caller = $2 AND answer IS NOT NULL AND began_at <= (
                SELECT began_at FROM lacuna.keyed_request
                WHERE org = $1 AND caller = $2 AND answer IS NOT NULL
                ORDER BY began_at DESC OFFSET $3 LIMIT 1))
        DELETE FROM lacuna.keyed_request
        WHERE org = $1 AND caller = $2 AND held_until IS NULL AND began_at <= (
            SELECT began_at FROM lacuna.keyed_request WHERE org = $1 AND caller = $2
            ORDER BY began_at DESC OFFSET $4 LIMIT 1)";
    let limits = [KEYED_ANSWERS_OF_CALLER_MAX as i64, KEYED_OF_CALLER_MAX as i64];
    transaction.execute(sql, &[&org, &caller, &limits[0], &limits[1]])?;
    Ok(())
}

pub(super) fn renew(transaction: &mut ScopedTransaction<'_>, claim: &KeyedClaim) -> Result<bool, SqlFailure> {
    let sql = "
        UPDATE lacuna.keyed_request SET held_until = $4 WHERE org = $1 AND mark = $2 AND holder = $3";
    let (mark, holder) = (claim.mark.as_slice(), claim.holder.as_slice());
    Ok(transaction.execute(sql, &[&claim.org.as_str(), &mark, &holder, &millis(claim.until)])? == 1)
}

pub(super) fn end(transaction: &mut ScopedTransaction<'_>, end: &KeyedEnd) -> Result<bool, SqlFailure> {
    let (org, mark, holder) = (end.org.as_str(), end.mark.as_slice(), end.holder.as_slice());
    let KeyedOutcome::Done(answer) = &end.outcome else {
        let sql = "DELETE FROM lacuna.keyed_request WHERE org = $1 AND mark = $2 AND holder = $3";
        return Ok(transaction.execute(sql, &[&org, &mark, &holder])? == 1);
    };
    let sql = "
        UPDATE lacuna.keyed_request SET
            holder = NULL, held_until = NULL, answer = CASE WHEN is_bare THEN NULL ELSE $4::bytea END
        WHERE org = $1 AND mark = $2 AND holder = $3";
    Ok(transaction.execute(sql, &[&org, &mark, &holder, answer])? == 1)
}

pub(super) fn forget(transaction: &mut ScopedTransaction<'_>, before: Timestamp) -> Result<u64, SqlFailure> {
    transaction.execute("DELETE FROM lacuna.keyed_request WHERE began_at < $1", &[&millis(before)])
}

/// Takes the kept answers of an organisation away, also those to come of requests under way: they may tell of a memory that is
/// being erased.
pub(super) fn drop_answers(transaction: &mut ScopedTransaction<'_>, org: &OrgId) -> Result<(), SqlFailure> {
    transaction.execute(DROP_ANSWERS, &[&org.as_str()])?;
    Ok(())
}

/// As [`drop_answers`], for the organisation of a vault that is destroyed, with the rights of the eraser.
pub(super) fn drop_answers_beside(
    transaction: &mut ScopedTransaction<'_>,
    vault: VaultId,
) -> Result<(), SqlFailure> {
    let sql = "
        UPDATE lacuna.keyed_request SET answer = NULL, is_bare = true
        WHERE org = (SELECT vault.org FROM lacuna.vault WHERE vault.id = $1)";
    transaction.execute(sql, &[&id(&vault)])?;
    Ok(())
}
