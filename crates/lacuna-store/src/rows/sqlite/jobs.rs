//! The table of jobs in SQLite.

use rusqlite::{Connection, Row as Columns, params};

use super::{at, collect, optional_at};
use crate::failure::SqlFailure;
use crate::rows::columns::{number_u32, number_u64, stored};
use crate::rows::{JobClaim, JobEnd, JobRow};
use lacuna_types::Result;
use lacuna_types::millis;

pub(super) fn all(connection: &Connection) -> Result<Vec<JobRow>, SqlFailure> {
    let sql = "
        SELECT name, due_at, claimed_by, claimed_until, began_at, ended_at, outcome, done, failures
        FROM job ORDER BY name";
    collect(connection, sql, [], job)
}

/// The number of jobs claimed: one or none.
pub(super) fn claim(connection: &Connection, claim: &JobClaim) -> Result<usize, SqlFailure> {
    let sql = "
        INSERT INTO job (name, due_at, claimed_by, claimed_until, began_at, done, failures)
        VALUES (?1, ?3, ?2, ?4, ?3, 0, 0)
        ON CONFLICT (name) DO UPDATE SET
            claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until,
            began_at = excluded.began_at
        WHERE (job.due_at <= ?3 OR ?5) AND (job.claimed_until IS NULL OR job.claimed_until <= ?3)";
    let parameters = params![claim.name, claim.node, millis(claim.at), millis(claim.until), claim.early];
    Ok(connection.prepare_cached(sql)?.execute(parameters)?)
}

/// The number of claims prolonged: one, or none when the node has lost it.
pub(super) fn renew(connection: &Connection, claim: &JobClaim) -> Result<usize, SqlFailure> {
    let sql = "UPDATE job SET claimed_until = ?3 WHERE name = ?1 AND claimed_by = ?2";
    Ok(connection.prepare_cached(sql)?.execute(params![claim.name, claim.node, millis(claim.until)])?)
}

/// The number of runs ended: one, or none when the node has lost it.
pub(super) fn end(connection: &Connection, end: &JobEnd) -> Result<usize, SqlFailure> {
    let sql = "
        UPDATE job SET claimed_by = NULL, claimed_until = NULL, ended_at = ?3, due_at = ?4, outcome = ?5,
                       done = ?6, failures = ?7
        WHERE name = ?1 AND claimed_by = ?2";
    Ok(connection.prepare_cached(sql)?.execute(params![
        end.name,
        end.node,
        millis(end.ended_at),
        millis(end.due_at),
        end.outcome,
        stored(end.done)?,
        end.failures,
    ])?)
}

fn job(row: &Columns<'_>) -> Result<JobRow, SqlFailure> {
    Ok(JobRow {
        name: row.get(0)?,
        due_at: at(row, 1)?,
        claimed_by: row.get(2)?,
        claimed_until: optional_at(row, 3)?,
        began_at: optional_at(row, 4)?,
        ended_at: optional_at(row, 5)?,
        outcome: row.get(6)?,
        done: number_u64(row.get(7)?)?,
        failures: number_u32(row.get(8)?)?,
    })
}
