//! The table of jobs in PostgreSQL.

use postgres::Row as Columns;

use super::engine::ScopedTransaction;
use crate::failure::SqlFailure;
use crate::rows::columns::{number_u32, number_u64, stored, time};
use crate::rows::{JobClaim, JobEnd, JobRow};
use lacuna_types::Result;
use lacuna_types::millis;

pub(super) fn all(transaction: &mut ScopedTransaction<'_>) -> Result<Vec<JobRow>, SqlFailure> {
    let sql = "
        SELECT name, due_at, claimed_by, claimed_until, began_at, ended_at, outcome, done, failures
        FROM lacuna.job ORDER BY name";
    transaction.query(sql, &[])?.iter().map(job).collect()
}

/// One statement, so that of several nodes one gets it.
pub(super) fn claim(transaction: &mut ScopedTransaction<'_>, claim: &JobClaim) -> Result<bool, SqlFailure> {
    let sql = "
        INSERT INTO lacuna.job (name, due_at, claimed_by, claimed_until, began_at, done, failures)
        VALUES ($1, $3, $2, $4, $3, 0, 0)
        ON CONFLICT (name) DO UPDATE SET
            claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until,
            began_at = excluded.began_at
        WHERE (job.due_at <= $3 OR $5) AND (job.claimed_until IS NULL OR job.claimed_until <= $3)";
    let (at, until) = (millis(claim.at), millis(claim.until));
    Ok(transaction.execute(sql, &[&claim.name, &claim.node, &at, &until, &claim.early])? == 1)
}

pub(super) fn renew(transaction: &mut ScopedTransaction<'_>, claim: &JobClaim) -> Result<bool, SqlFailure> {
    let sql = "UPDATE lacuna.job SET claimed_until = $3 WHERE name = $1 AND claimed_by = $2";
    Ok(transaction.execute(sql, &[&claim.name, &claim.node, &millis(claim.until)])? == 1)
}

pub(super) fn end(transaction: &mut ScopedTransaction<'_>, end: &JobEnd) -> Result<bool, SqlFailure> {
    let sql = "
        UPDATE lacuna.job SET claimed_by = NULL, claimed_until = NULL, ended_at = $3, due_at = $4,
                              outcome = $5, done = $6, failures = $7
        WHERE name = $1 AND claimed_by = $2";
    let (ended_at, due_at) = (millis(end.ended_at), millis(end.due_at));
    let (done, failures) = (stored(end.done)?, i64::from(end.failures));
    let parameters: [&(dyn postgres::types::ToSql + Sync); 7] =
        [&end.name, &end.node, &ended_at, &due_at, &end.outcome, &done, &failures];
    Ok(transaction.execute(sql, &parameters)? == 1)
}

fn job(row: &Columns) -> Result<JobRow, SqlFailure> {
    let moment = |column| row.try_get::<_, Option<i64>>(column)?.map(time).transpose();
    Ok(JobRow {
        name: row.try_get(0)?,
        due_at: time(row.try_get(1)?)?,
        claimed_by: row.try_get(2)?,
        claimed_until: moment(3)?,
        began_at: moment(4)?,
        ended_at: moment(5)?,
        outcome: row.try_get(6)?,
        done: number_u64(row.try_get(7)?)?,
        failures: number_u32(row.try_get(8)?)?,
    })
}
