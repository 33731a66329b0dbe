//! The bounds of a record, checked before anything is looked at.

use lacuna_types::*;
use lacuna_types::{Error, Result};

use crate::write::record::RecordPut;
use crate::write::verbatim::parse_json;

/// The longest time to live: a hundred years.
pub const RECORD_TTL_MS_MAX: u64 = 100 * 366 * 24 * 60 * 60 * 1_000;

/// Checks every bound of a record.
pub(crate) fn check(put: &RecordPut) -> Result<()> {
    check_place(&put.place)?;
    parse_json("value", &put.value, RECORD_VALUE_BYTES_MAX)?;
    if let Some(metadata) = &put.metadata
        && !parse_json("metadata", metadata, METADATA_BYTES_MAX)?.is_object()
    {
        return Err(Error::invalid("metadata", "must be a JSON object"));
    }
    check_ttl(put.ttl_ms)?;
    if let SearchedText::Paths(paths) = &put.searched {
        if paths.len() > RECORD_PATHS_MAX {
            return Err(Error::invalid("index", format!("at most {RECORD_PATHS_MAX} paths are accepted")));
        }
        paths.iter().try_for_each(|path| bounded("index", path, RECORD_PATH_CHARS_MAX))?;
    }
    Ok(())
}

pub(crate) fn check_place(place: &RecordPlace) -> Result<()> {
    if place.labels.is_empty() || place.labels.len() > RECORD_LABELS_MAX {
        return Err(Error::invalid("namespace", format!("must have 1 to {RECORD_LABELS_MAX} labels")));
    }
    check_labels("namespace", place.labels.iter().map(Plaintext::expose))?;
    bounded("key", place.key.expose(), RECORD_KEY_CHARS_MAX)
}

pub(crate) fn check_labels<'a>(field: &'static str, mut labels: impl Iterator<Item = &'a str>) -> Result<()> {
    labels.try_for_each(|label| bounded(field, label, RECORD_LABEL_CHARS_MAX))
}

pub(crate) fn check_ttl(ttl_ms: Option<u64>) -> Result<()> {
    match ttl_ms {
        Some(ttl) if ttl == 0 || ttl > RECORD_TTL_MS_MAX => {
            Err(Error::invalid("ttl_seconds", "must be more than zero, and at most a hundred years"))
        }
        _ => Ok(()),
    }
}

fn bounded(field: &'static str, text: &str, chars_max: usize) -> Result<()> {
    if text.is_empty() || text.contains('\0') {
        return Err(Error::invalid(field, "must not be empty or hold NUL"));
    }
    if text.chars().count() > chars_max {
        return Err(Error::invalid(field, format!("must be at most {chars_max} characters")));
    }
    Ok(())
}
