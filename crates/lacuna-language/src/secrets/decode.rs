//! Text behind base64, where a row of its letters decodes to something that people write.

use crate::words::from_base64;

/// Longer rows are files, not notes.
const ROW_BYTES_MAX: usize = 4 << 10;

/// The text that a row of base64 stands for, in either alphabet; nothing when it is no readable text.
pub(super) fn base64_text(row: &str) -> Option<String> {
    let row = row.trim_end_matches('=');
    if row.len() > ROW_BYTES_MAX || row.len() % 4 == 1 {
        return None;
    }
    let text = String::from_utf8(from_base64(row)?).ok()?;
    let readable = text.chars().all(|c| !c.is_control() || c.is_ascii_whitespace());
    (readable && text.len() > 8).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readable_text_is_decoded_and_noise_is_not() {
        assert_eq!(base64_text("cGFzc3dvcmQ6IG1vb25nYXRlNw==").as_deref(), Some("password: moongate7"));
        assert_eq!(base64_text("////////////////"), None);
        assert_eq!(base64_text("not base64!"), None);
    }
}
