//! The changes of an anchor's file. Each raises numbers or adds lines, whoever writes first.

use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::anchor::{AnchoredHead, HOME_GENERATION};
use super::home::{HomeIndex, HomeShard};
use super::sqlite::ledger;
use super::{LedgerLine, ReceiptMark};
use crate::failure::SqlFailure;
use crate::rows::columns::stored;
use crate::rows::sqlite::writer::{AppliedWork, Apply};
use lacuna_types::{OrgId, Result, VaultId, millis};

/// The work of the writer. Each answers with the number of lines dropped.
pub(super) enum AnchorWork {
    Raise(Vec<(VaultId, AnchoredHead)>),
    Reset(Vec<(VaultId, AnchoredHead)>),
    Erased(Vec<LedgerLine>, Vec<ReceiptMark>),
    Forget {
        before: Timestamp,
    },
    RequireTokens(OrgId),
    Mark(&'static str, u64),
    /// Everything that the home has. `follows` says that this copy is of the same generation.
    Home {
        index: HomeIndex,
        shard: HomeShard,
        follows: bool,
    },
}

impl Apply for AnchorWork {
    type Done = u64;

    fn apply(&self, connection: &Connection) -> Result<AppliedWork<u64>, SqlFailure> {
        let mut done = 0;
        match self {
            Self::Raise(heads) => heads.iter().try_for_each(|head| raise_head(connection, head))?,
            Self::Reset(heads) => {
                connection.execute("DELETE FROM head", [])?;
                connection.execute("DELETE FROM book", [])?;
                heads.iter().try_for_each(|head| raise_head(connection, head))?;
            }
            Self::Erased(lines, receipts) => {
                lines.iter().try_for_each(|line| enter_erasure(connection, line))?;
                receipts.iter().try_for_each(|mark| ledger::raise(connection, mark))?;
                receipts.iter().try_for_each(|mark| raise_book(connection, mark))?;
            }
            Self::Forget { before } => {
                let sql = "DELETE FROM erased WHERE at < ?1";
                done = connection.prepare_cached(sql)?.execute([millis(*before)])? as u64;
            }
            Self::RequireTokens(org) => require_tokens(connection, org)?,
            Self::Mark(name, number) => raise_mark(connection, name, *number)?,
            Self::Home { index, shard, follows } => take_over(connection, index, shard, *follows)?,
        }
        Ok(AppliedWork { done, erased: false })
    }

    fn erases(&self) -> bool {
        matches!(self, Self::Erased(..))
    }
}

/// Enters an end that is newer than the known one. Another process may have been faster.
fn raise_head(connection: &Connection, (vault, known): &(VaultId, AnchoredHead)) -> Result<(), SqlFailure> {
    let sql = "
        INSERT INTO head (vault, revision, seq, hash) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (vault) DO UPDATE SET revision = excluded.revision, seq = excluded.seq, hash = excluded.hash
        WHERE excluded.revision > head.revision OR (excluded.revision = head.revision AND excluded.seq = 0)";
    let AnchoredHead { revision, head } = known;
    let parameters = params![vault.as_bytes(), stored(revision.0)?, stored(head.seq)?, head.hash];
    connection.prepare_cached(sql)?.execute(parameters)?;
    Ok(())
}

fn raise_mark(connection: &Connection, name: &str, number: u64) -> Result<(), SqlFailure> {
    let sql = "
        INSERT INTO mark (name, number) VALUES (?1, ?2)
        ON CONFLICT (name) DO UPDATE SET number = max(number, excluded.number)";
    connection.prepare_cached(sql)?.execute(params![name, stored(number)?])?;
    Ok(())
}

fn require_tokens(connection: &Connection, org: &OrgId) -> Result<(), SqlFailure> {
    let sql = "INSERT INTO token_required (org) VALUES (?1) ON CONFLICT DO NOTHING";
    connection.prepare_cached(sql)?.execute([org.as_str()])?;
    Ok(())
}

fn take_over(
    connection: &Connection,
    index: &HomeIndex,
    shard: &HomeShard,
    follows: bool,
) -> Result<(), SqlFailure> {
    if !follows {
        connection.execute("DELETE FROM head", [])?;
        connection.execute("DELETE FROM book", [])?;
    }
    shard.ledger().iter().try_for_each(|line| enter_erasure(connection, line))?;
    shard.heads.iter().try_for_each(|(vault, known)| raise_head(connection, &(*vault, *known)))?;
    let mark = |(org, number): (&OrgId, &u64)| ReceiptMark { org: org.clone(), number: *number };
    index.receipts.iter().map(mark).try_for_each(|mark| ledger::raise(connection, &mark))?;
    index.books.iter().map(mark).try_for_each(|mark| raise_book(connection, &mark))?;
    index.tokens.iter().try_for_each(|org| require_tokens(connection, org))?;
    index.marks.iter().try_for_each(|(name, number)| raise_mark(connection, name, *number))?;
    raise_mark(connection, HOME_GENERATION, index.generation)
}

fn raise_book(connection: &Connection, mark: &ReceiptMark) -> Result<(), SqlFailure> {
    let sql = "
        INSERT INTO book (org, number) VALUES (?1, ?2)
        ON CONFLICT (org) DO UPDATE SET number = max(number, excluded.number)";
    connection.prepare_cached(sql)?.execute(params![mark.org.as_str(), stored(mark.number)?])?;
    Ok(())
}

fn enter_erasure(connection: &Connection, line: &LedgerLine) -> Result<(), SqlFailure> {
    let newer = ledger::destroyed_at(connection, line.vault)?.is_none_or(|at| at < line.at);
    ledger::enter(connection, line)?;
    if line.memory.is_none() && newer {
        let sql = "UPDATE head SET seq = 0, hash = zeroblob(32) WHERE vault = ?1";
        connection.prepare_cached(sql)?.execute([line.vault.as_bytes()])?;
    }
    Ok(())
}
