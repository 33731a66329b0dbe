//! Bytes as hex digits, in one spelling: lower case, two digits a byte.

use std::fmt::Write;

/// Writes bytes as hex digits.
pub fn hex(bytes: &[u8]) -> String {
    // Sized before it is filled: growing would leave copies of a secret behind.
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Reads what [`hex`] writes, and no other spelling: whatever is signed or bound has one form.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_one_spelling() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(unhex(&hex(&all)).unwrap(), all);
        for other in ["0", "0A", "+f", " f", "0x", "é"] {
            assert_eq!(unhex(other), None, "{other}");
        }
    }
}
