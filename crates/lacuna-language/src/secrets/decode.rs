//! Text behind base64, where a row of its letters decodes to something that people write.

/// Longer rows are files, not notes.
const ROW_BYTES_MAX: usize = 4 << 10;

/// The text that a row of base64 stands for, in either alphabet; nothing when it is no readable text.
pub(super) fn base64_text(row: &str) -> Option<String> {
    let row = row.trim_end_matches('=');
    if row.len() > ROW_BYTES_MAX || row.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(row.len() * 3 / 4);
    let (mut bits, mut held) = (0u32, 0u32);
    for letter in row.bytes() {
        bits = (bits << 6 | value(letter)?) & 0xffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(((bits >> held) & 0xff) as u8);
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    let readable = text.chars().all(|c| !c.is_control() || c.is_ascii_whitespace());
    (readable && text.len() > 8).then_some(text)
}

fn value(letter: u8) -> Option<u32> {
    let value = match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(u32::from(value))
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
