//! Checks of every keystore before it writes.

use jiff::Timestamp;

use super::{ERASURES_PAGE_MAX, KeyBatch, LedgerLine, WrappedRoot, fell_with_vault};
use crate::failure::SqlFailure;
use crate::rows::BATCH_ROWS_MAX;
use crate::rows::check::{all_distinct, check_bytes, forgotten, whole_millis};
use lacuna_types::MemoryId;
use lacuna_types::{Error, Result};

/// Refuses what no state of the keystore could make right.
pub(super) fn check_batch(batch: &KeyBatch) -> Result<()> {
    if batch.classes.len() + batch.memories.len() + batch.destroys.len() > BATCH_ROWS_MAX {
        return Err(Error::invalid("batch", format!("must hold at most {BATCH_ROWS_MAX} keys")));
    }
    let root = batch.root.iter().map(|(root, _)| root.wrapped.len());
    let classes = batch.classes.iter().map(|key| key.wrapped.len());
    let memories = batch.memories.iter().map(|key| key.wrapped.len());
    check_bytes(root.chain(classes).chain(memories))?;
    let ids = batch.memories.iter().map(|key| key.memory).chain(batch.destroys.iter().copied());
    if !all_distinct(ids) {
        return Err(Error::invalid("batch", "names a memory twice"));
    }
    whole_millis(batch.at)
}

pub(super) fn check_lines(lines: &[LedgerLine]) -> Result<()> {
    if lines.len() > ERASURES_PAGE_MAX {
        return Err(Error::invalid("ledger", format!("at most {ERASURES_PAGE_MAX} lines at a time")));
    }
    lines.iter().try_for_each(|line| whole_millis(line.at))
}

/// Refuses a new key for what the ledger says is erased: `erased` by itself, or with its vault.
pub(super) fn refuse_erased(
    batch: &KeyBatch,
    destroyed_at: Option<Timestamp>,
    mut erased: impl FnMut(MemoryId) -> Result<bool, SqlFailure>,
) -> Result<(), SqlFailure> {
    for key in &batch.memories {
        if fell_with_vault(&key.memory, destroyed_at) || erased(key.memory)? {
            return Err(forgotten().into());
        }
    }
    Ok(())
}

/// Refuses a root that does not follow the stored one, and keys in a vault that has no root.
pub(super) fn check_root(stored_generation: Option<u32>, batch: &KeyBatch) -> Result<()> {
    match &batch.root {
        Some((_, replaced)) if *replaced != stored_generation => Err(Error::Conflict("the vault's root key")),
        Some((root, Some(replaced))) if !follows(root, *replaced) => {
            Err(Error::invalid("root", "the generation must rise by one"))
        }
        None if stored_generation.is_none() && !(batch.classes.is_empty() && batch.memories.is_empty()) => {
            Err(Error::invalid("root", "the vault has no root key yet"))
        }
        _ => Ok(()),
    }
}

fn follows(root: &WrappedRoot, replaced: u32) -> bool {
    replaced.checked_add(1) == Some(root.generation)
}

pub(super) fn class_taken() -> Error {
    Error::Conflict("a class key")
}

pub(super) fn no_such_class() -> Error {
    Error::invalid("class", "a memory key names a class that the vault does not have")
}
