//! Cursors, opaque to callers: base64url of the last memory on the page.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lacuna_core::read::Cursor;
use lacuna_types::{Error, MemoryId, Result, from_millis, millis};

const TIME_BYTES: usize = 8;
const CURSOR_BYTES: usize = TIME_BYTES + 16;

pub(crate) fn write_cursor(cursor: Cursor) -> String {
    let mut bytes = [0u8; CURSOR_BYTES];
    bytes[..TIME_BYTES].copy_from_slice(&millis(cursor.created_at).to_be_bytes());
    bytes[TIME_BYTES..].copy_from_slice(cursor.id.as_bytes());
    base64url(&bytes)
}

pub(crate) fn read_cursor(text: &str) -> Result<Cursor> {
    parse(text).ok_or_else(wrong_cursor)
}

pub(super) fn wrong_cursor() -> Error {
    Error::invalid("cursor", "pass the next_cursor of an earlier answer, unchanged")
}

/// Writes bytes in the URL-safe alphabet, without padding.
pub(crate) fn base64url(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Reads the output of [`base64url`].
pub(crate) fn unbase64url(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

fn parse(text: &str) -> Option<Cursor> {
    let bytes: [u8; CURSOR_BYTES] = unbase64url(text)?.try_into().ok()?;
    let (time, id) = bytes.split_at(TIME_BYTES);
    let created_at = from_millis(i64::from_be_bytes(time.try_into().ok()?))?;
    Some(Cursor { created_at, id: MemoryId::from_bytes(id.try_into().ok()?) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_come_back_and_anything_else_is_refused() {
        let created_at = "2026-04-12T09:15:00.123Z".parse().unwrap();
        let cursor = Cursor { created_at, id: MemoryId::from_bytes([7; 16]) };
        let text = write_cursor(cursor);
        assert_eq!(read_cursor(&text).unwrap(), cursor);
        for bad in ["", "x", "!!", &text[1..], &format!("{text}A"), &"7".repeat(32)] {
            assert!(matches!(read_cursor(bad), Err(Error::Invalid { field: "cursor", .. })), "{bad}");
        }
    }
}
