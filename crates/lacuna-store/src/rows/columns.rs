//! How values stand in columns, and how they are read back without trusting them.

use jiff::Timestamp;

use lacuna_types::{Error, Result};
use lacuna_types::{MemoryId, from_millis};

const ID_BYTES: usize = 16;

pub fn time(stored: i64) -> Result<Timestamp> {
    from_millis(stored).ok_or_else(|| Error::corrupt("a stored time lies outside the calendar"))
}

pub fn number_u64(stored: i64) -> Result<u64> {
    u64::try_from(stored).map_err(|_| Error::corrupt("a stored number is out of range"))
}

pub fn number_u32(stored: i64) -> Result<u32> {
    u32::try_from(stored).map_err(|_| Error::corrupt("a stored number is out of range"))
}

/// A number as databases keep it: signed.
pub fn stored(number: u64) -> Result<i64> {
    i64::try_from(number).map_err(|_| Error::invalid("batch", "a number is out of range"))
}

/// Ids one after the other.
pub fn joined(ids: &[MemoryId]) -> Vec<u8> {
    ids.iter().flat_map(|id| *id.as_bytes()).collect()
}

pub fn ids(joined: &[u8]) -> Result<Vec<MemoryId>> {
    let (ids, rest) = joined.as_chunks::<ID_BYTES>();
    if !rest.is_empty() {
        return Err(Error::corrupt("a list of ids is cut short"));
    }
    Ok(ids.iter().map(|id| MemoryId::from_bytes(*id)).collect())
}
