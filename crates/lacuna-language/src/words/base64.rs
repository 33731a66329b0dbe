//! Base64 in either alphabet, as people and programs write it into a text.

/// The bytes that a row of base64 without its padding stands for; nothing when a character is not of it.
pub(crate) fn from_base64(row: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(row.len() * 3 / 4);
    for group in row.as_bytes().chunks(4) {
        let bits = group.iter().try_fold(0u32, |bits, symbol| Some(bits << 6 | sextet(*symbol)?))?;
        let bits = bits << (6 * (4 - group.len()));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len().max(1)]);
    }
    Some(bytes)
}

fn sextet(symbol: u8) -> Option<u32> {
    Some(u32::from(match symbol {
        b'A'..=b'Z' => symbol - b'A',
        b'a'..=b'z' => symbol - b'a' + 26,
        b'0'..=b'9' => symbol - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    }))
}
