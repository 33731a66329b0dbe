//! Addresses of crypto-currencies, by their checksums.

use std::sync::OnceLock;

use lacuna_types::sha256;

use super::rule::{STRONG, stands_alone};
use super::{Identifier, IdentifierKind};

use crate::compiled::{self, ScreenedRegex};

const BASE58: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BECH32: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
/// A version byte, twenty bytes of hash and four of checksum.
const DECODED_BYTES: usize = 25;
/// The shortest address of any currency here, in characters.
const CHARS_MIN: usize = 26;

pub(super) fn find(text: &str, found: &mut Vec<Identifier>) {
    static PATTERN: OnceLock<Option<ScreenedRegex>> = OnceLock::new();
    const SHAPES: &str = r"\b(?:0[xX][0-9a-fA-F]{40}|(?i:bc|ltc|tb)1[02-9a-zA-Z]{11,71}|[13LMDTX][1-9A-HJ-NP-Za-km-z]{25,34})\b";
    let long = text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word.len() >= CHARS_MIN);
    let Some(pattern) = PATTERN.get_or_init(|| compiled::regex(SHAPES).ok()).as_ref().filter(|_| long) else {
        return;
    };
    for hit in pattern.find_iter(text).filter(|hit| stands_alone(text, &hit.range())) {
        if let Some(canonical) = canonical(hit.as_str()) {
            let (kind, reason) = (IdentifierKind::Crypto, "a wallet's checksum");
            found.push(Identifier { kind, span: hit.range(), canonical, confidence: STRONG, reason });
        }
    }
}

/// Base58 tells capitals apart, the others do not.
fn canonical(raw: &str) -> Option<String> {
    let lower = raw.to_ascii_lowercase();
    if lower.starts_with("0x") {
        return Some(lower);
    }
    let one_case = raw == lower || raw == raw.to_ascii_uppercase();
    if one_case && bech32(&lower) {
        return Some(lower);
    }
    base58check(raw).then(|| raw.to_owned())
}

fn base58check(raw: &str) -> bool {
    let mut decoded = [0_u8; DECODED_BYTES];
    for byte in raw.bytes() {
        let Some(value) = BASE58.iter().position(|known| *known == byte) else { return false };
        let mut carry = value as u32;
        for place in decoded.iter_mut().rev() {
            carry += u32::from(*place) * 58;
            *place = (carry & 0xFF) as u8;
            carry >>= 8;
        }
        if carry != 0 {
            return false;
        }
    }
    let (body, check) = decoded.split_at(DECODED_BYTES - 4);
    sha256(&sha256(body))[..4] == *check
}

/// Bech32 and its successor differ in one constant.
fn bech32(lower: &str) -> bool {
    const CONSTANTS: [u32; 2] = [1, 0x2bc8_30a3];
    let Some((prefix, data)) = lower.rsplit_once('1') else { return false };
    let high = prefix.bytes().map(|byte| u32::from(byte >> 5));
    let low = prefix.bytes().map(|byte| u32::from(byte & 31));
    let mut values: Vec<u32> = high.chain([0]).chain(low).collect();
    for byte in data.bytes() {
        match BECH32.iter().position(|known| *known == byte) {
            Some(value) => values.push(value as u32),
            None => return false,
        }
    }
    CONSTANTS.contains(&polymod(&values))
}

fn polymod(values: &[u32]) -> u32 {
    const GENERATOR: [u32; 5] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3];
    values.iter().fold(1, |check, value| {
        let top = check >> 25;
        let shifted = (check & 0x01ff_ffff) << 5 ^ value;
        GENERATOR
            .iter()
            .enumerate()
            .fold(shifted, |sum, (bit, part)| if top >> bit & 1 == 1 { sum ^ part } else { sum })
    })
}
