//! Values as they stand in columns, read back without trusting them.

use jiff::Timestamp;

use super::{HeaderCodes, MemberRow};
use crate::failure::SqlFailure;
use lacuna_types::{Error, Result};
use lacuna_types::{Group, Holder, MemoryId, OrgId, Scope, UserId, from_millis};

const ID_BYTES: usize = 16;

pub(crate) fn time(stored: i64) -> Result<Timestamp, SqlFailure> {
    from_millis(stored).ok_or_else(|| damaged("a stored time lies outside the calendar"))
}

pub(crate) fn number_u64(stored: i64) -> Result<u64, SqlFailure> {
    u64::try_from(stored).map_err(|_| damaged("a stored number is out of range"))
}

pub(crate) fn number_u32(stored: i64) -> Result<u32, SqlFailure> {
    u32::try_from(stored).map_err(|_| damaged("a stored number is out of range"))
}

/// A number as databases keep it: signed.
pub(crate) fn stored(number: u64) -> Result<i64> {
    i64::try_from(number).map_err(|_| Error::invalid("batch", "a number is out of range"))
}

/// Ids one after the other.
pub(crate) fn joined(ids: &[MemoryId]) -> Vec<u8> {
    ids.iter().flat_map(|id| *id.as_bytes()).collect()
}

pub(crate) fn ids(joined: &[u8]) -> Result<Vec<MemoryId>, SqlFailure> {
    let (ids, rest) = joined.as_chunks::<ID_BYTES>();
    if !rest.is_empty() {
        return Err(damaged("a list of ids is cut short"));
    }
    Ok(ids.iter().map(|id| MemoryId::from_bytes(*id)).collect())
}

/// The three columns of a scope: organisation, kind of holder, name of the holder.
pub(crate) fn scope_columns(scope: &Scope) -> (&str, &'static str, &str) {
    (scope.org.as_str(), scope.holder.kind(), scope.holder.name())
}

/// Reads a scope back from its columns.
pub(crate) fn scope_from_columns(org: &str, kind: &str, name: &str) -> Result<Scope, SqlFailure> {
    let bad_scope = || damaged("the scope of a vault does not parse");
    let holder = Holder::from_words(kind, name).ok_or_else(bad_scope)?;
    Ok(Scope { org: OrgId::new(org).map_err(|_| bad_scope())?, holder })
}

/// Reads a group back from its columns.
pub(crate) fn group_from_columns(kind: &str, name: &str) -> Result<Group, SqlFailure> {
    Group::from_words(kind, name).ok_or_else(|| damaged("a membership does not parse"))
}

/// Reads a member back from its columns.
pub(crate) fn member_from_columns(user: &str, added_at: Timestamp) -> Result<MemberRow, SqlFailure> {
    let user = UserId::new(user).map_err(|_| damaged("a membership does not parse"))?;
    Ok(MemberRow { user, added_at })
}

/// Reads the codes of a header back from their columns. A header with half of them counts as one without any.
pub(crate) fn header_codes(
    rows: Option<[u8; 32]>,
    access: Option<[u8; 32]>,
    header: Option<[u8; 32]>,
) -> Option<HeaderCodes> {
    Some(HeaderCodes { rows: rows?, access, header: header? })
}

fn damaged(what: &str) -> SqlFailure {
    Error::corrupt(what).into()
}
