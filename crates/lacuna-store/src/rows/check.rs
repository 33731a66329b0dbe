//! Checks of every store before it writes, so that all of them refuse the same batches.

use std::collections::HashSet;

use jiff::Timestamp;

use super::columns::stored;
use super::{
    BATCH_ROWS_MAX, Batch, ChainHead, MemberChange, RECORD_BYTES_MAX, RecordChange, Row, SealedBody,
    TokenChange, TokenRow, VaultHeader,
};
use lacuna_types::{Error, Result};
use lacuna_types::{NAME_BYTES_MAX, Revision, from_millis, millis};

/// One sealed frame, inline body, wrapped key or audit entry, in bytes.
pub const SEALED_BYTES_MAX: usize = 16 * 1024 * 1024;
/// All sealed bytes of one batch together.
pub const BATCH_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Roles of one token.
pub const ROLES_MAX: usize = 32;
/// The note of a pending erasure, in bytes.
pub const INTENT_NOTE_BYTES_MAX: usize = 64 * 1024;
/// The sealed settings of a vault's owner, in bytes.
pub const SETTINGS_BYTES_MAX: usize = 256 * 1024;
/// The label of a token, in bytes of UTF-8.
pub const LABEL_BYTES_MAX: usize = 256;

/// Refuses batches that are wrong in every state of the store.
pub(crate) fn check_batch(batch: &Batch) -> Result<()> {
    if batch.vault != batch.scope.vault_id() {
        return Err(Error::corrupt("a batch names a vault that is not its scope's"));
    }
    check_limits(batch)?;
    check_distinct_ids(batch)?;
    whole_millis(batch.at)?;
    batch.puts.iter().try_for_each(check_row)?;
    batch.audit.iter().try_for_each(|row| whole_millis(row.at))?;
    batch.tokens.iter().try_for_each(|change| check_token(batch, change))?;
    batch.members.iter().try_for_each(|change| match change {
        MemberChange::Add { at, .. } => whole_millis(*at),
        MemberChange::Remove { .. } => Ok(()),
    })?;
    batch.records.iter().try_for_each(|change| check_record(batch, change))
}

fn check_record(batch: &Batch, change: &RecordChange) -> Result<()> {
    let (RecordChange::Add(record) | RecordChange::Update(record)) = change else { return Ok(()) };
    if record.org != batch.scope.org {
        return Err(Error::invalid("record", "must belong to the organisation of the vault"));
    }
    stored(record.number)?;
    if record.doc.len() > RECORD_BYTES_MAX {
        return Err(Error::invalid("record", format!("must be at most {RECORD_BYTES_MAX} bytes")));
    }
    [Some(record.at), record.due_at, record.done_at].into_iter().flatten().try_for_each(whole_millis)
}

fn check_limits(batch: &Batch) -> Result<()> {
    let rows = batch.puts.len()
        + batch.removals.len()
        + batch.opens.len()
        + batch.closes.len()
        + batch.tokens.len()
        + batch.members.len()
        + batch.records.len()
        + batch.audit.len()
        + batch.aged.len();
    let longest_intent = batch.opens.iter().map(|intent| intent.memories.len()).max().unwrap_or(0);
    if rows > BATCH_ROWS_MAX || longest_intent > BATCH_ROWS_MAX {
        return Err(Error::invalid("batch", format!("must hold at most {BATCH_ROWS_MAX} rows")));
    }
    if batch.opens.iter().any(|intent| intent.note.len() > INTENT_NOTE_BYTES_MAX) {
        return Err(Error::invalid("intent", format!("a note has at most {INTENT_NOTE_BYTES_MAX} bytes")));
    }
    if batch.settings.as_ref().is_some_and(|settings| settings.sealed.len() > SETTINGS_BYTES_MAX) {
        return Err(Error::invalid("settings", format!("must be at most {SETTINGS_BYTES_MAX} bytes")));
    }
    let frames = batch.puts.iter().map(|row| row.frame.len());
    let bodies = batch.puts.iter().map(|row| inline_bytes(&row.body));
    let entries = batch.audit.iter().map(|row| row.entry.len());
    let digests = batch.aged.iter().map(|aged| aged.digest.len());
    let docs = batch.records.iter().map(|change| match change {
        RecordChange::Add(record) | RecordChange::Update(record) => record.doc.len(),
        RecordChange::Drop { .. } => 0,
    });
    check_bytes(frames.chain(bodies).chain(entries).chain(digests).chain(docs))
}

/// Holds single values and their sum to their limits.
pub(crate) fn check_bytes(sizes: impl Iterator<Item = usize>) -> Result<()> {
    let mut total = 0;
    for size in sizes {
        total += size;
        if size > SEALED_BYTES_MAX || total > BATCH_BYTES_MAX {
            let reason = format!("at most {SEALED_BYTES_MAX} bytes each and {BATCH_BYTES_MAX} together");
            return Err(Error::invalid("batch", reason));
        }
    }
    Ok(())
}

fn inline_bytes(body: &SealedBody) -> usize {
    match body {
        SealedBody::Inline { sealed, .. } => sealed.len(),
        SealedBody::None | SealedBody::Blob { .. } | SealedBody::Unchanged => 0,
    }
}

fn check_distinct_ids(batch: &Batch) -> Result<()> {
    let ids = batch.puts.iter().map(|row| row.id).chain(batch.removals.iter().copied());
    if !all_distinct(ids) {
        return Err(Error::invalid("batch", "names a memory twice"));
    }
    if !all_distinct(batch.opens.iter().map(|intent| intent.id)) {
        return Err(Error::invalid("batch", "opens an intent twice"));
    }
    Ok(())
}

pub(crate) fn all_distinct<T: Eq + std::hash::Hash>(mut items: impl Iterator<Item = T>) -> bool {
    let mut seen = HashSet::new();
    items.all(|item| seen.insert(item))
}

fn check_row(row: &Row) -> Result<()> {
    whole_millis(row.created_at)?;
    whole_millis(row.updated_at)?;
    row.expires_at.map_or(Ok(()), whole_millis)
}

/// Times are sealed and stored in milliseconds; a finer one would not come back as it went in.
pub(crate) fn whole_millis(at: Timestamp) -> Result<()> {
    if from_millis(millis(at)) == Some(at) {
        return Ok(());
    }
    Err(Error::invalid("time", "must be in whole milliseconds"))
}

fn check_token(batch: &Batch, change: &TokenChange) -> Result<()> {
    match change {
        TokenChange::Revoke { at, .. } => whole_millis(*at),
        TokenChange::Add(token) if token.org != batch.scope.org => {
            Err(Error::invalid("token", "must belong to the organisation of the vault"))
        }
        TokenChange::Add(token) => check_token_row(token),
    }
}

fn check_token_row(token: &TokenRow) -> Result<()> {
    whole_millis(token.created_at)?;
    token.expires_at.map_or(Ok(()), whole_millis)?;
    token.revoked_at.map_or(Ok(()), whole_millis)?;
    let bad_role =
        |role: &String| role.is_empty() || role.len() > NAME_BYTES_MAX || role.chars().any(char::is_control);
    if token.roles.len() > ROLES_MAX || token.roles.iter().any(bad_role) {
        let reason =
            format!("at most {ROLES_MAX}, each of 1 to {NAME_BYTES_MAX} bytes without control characters");
        return Err(Error::invalid("roles", reason));
    }
    let text_limits = [(&token.user, NAME_BYTES_MAX), (&token.label, LABEL_BYTES_MAX)];
    if text_limits.iter().any(|(text, limit)| text.len() > *limit || text.contains('\0')) {
        return Err(Error::invalid("token", "the user or the label is too long or holds NUL"));
    }
    Ok(())
}

/// The header that the vault will have after `batch`, or why the batch does not fit the stored one. A new
/// vault goes on counting at `ended`, where one that was destroyed in its place stopped.
pub(crate) fn next_header(
    stored: Option<VaultHeader>,
    ended: Revision,
    batch: &Batch,
) -> Result<VaultHeader> {
    let expected = stored.as_ref().map_or(Revision::ZERO, |header| header.revision);
    let mut header = stored.unwrap_or_else(|| VaultHeader {
        id: batch.vault,
        scope: batch.scope.clone(),
        revision: ended,
        began_after: ended,
        created_at: batch.at,
        audit: ChainHead::default(),
        audit_signature: None,
        frozen_at: None,
        settings_revision: 0,
        codes: None,
    });
    if header.scope != batch.scope {
        return Err(Error::corrupt("a vault belongs to another scope than the batch says"));
    }
    if expected != batch.expected {
        return Err(Error::Conflict("the vault"));
    }
    for row in &batch.audit {
        if row.seq != header.audit.seq + 1 {
            let expected = header.audit.seq + 1;
            return Err(Error::invalid("audit", format!("the chain goes on at {expected}, not {}", row.seq)));
        }
        header.audit = ChainHead { seq: row.seq, hash: row.hash };
        header.audit_signature = batch.audit_signature;
    }
    header.frozen_at = batch.frozen_after(header.frozen_at);
    if let Some(settings) = &batch.settings {
        header.settings_revision = settings.revision;
    }
    header.codes = batch.codes;
    header.revision = header.revision.next();
    Ok(header)
}

pub(crate) fn forgotten() -> Error {
    Error::corrupt("a forgotten memory was written again")
}

pub(crate) fn record_taken() -> Error {
    Error::Conflict("the record book")
}

pub(crate) fn no_such_record() -> Error {
    Error::NotFound("record")
}

pub(crate) fn no_body_to_keep() -> Error {
    Error::invalid("body", "there is no stored body to keep")
}

pub(crate) fn no_entry_to_age() -> Error {
    Error::NotFound("audit entry")
}

pub(crate) fn intent_taken() -> Error {
    Error::invalid("intent", "is already open")
}
