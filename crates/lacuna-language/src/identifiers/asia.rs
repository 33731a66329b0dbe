//! India, Singapore, Korea, China, Thailand and the Philippines.

use super::IdentifierKind::*;
use super::checksum::{digit_at, digits, monotonous, number, short_date, verhoeff, weighted};
use super::rule::ChecksumUse::{May, Must, Shape};
use super::rule::{FAINT, FAIR, IdentifierRule, LIKELY, STRONG, WEAK};

const PAN: &[&str] = &["pan", "permanent account", "income tax"];
const GST: &[&str] = &["gst", "gstin", "gstins", "tax"];
const PASSPORT: &[&str] = &["passport*", "travel document", "여권*"];
const PLATE: &[&str] = &["registration", "plate", "vehicle*", "bike", "car", "rto", "number plate"];
const RRN: &[&str] = &["rrn", "resident registration", "주민등록번호*", "주민번호*"];
const FRN: &[&str] = &["frn", "foreigner registration", "alien registration", "외국인등록번호*"];
const LICENCE: &[&str] = &["licence", "license", "driver*", "driving", "운전면허*", "면허*"];
const THAI: &[&str] = &["tnin", "thai", "national id", "ประชาชน", "เลขประจำตัว*", "เลขบัตร*"];

pub(super) const RULES: &[IdentifierRule] = &[
    IdentifierRule {
        kind: InAadhaar,
        pattern: r"[2-9]\d{3}[ :-]?\d{4}[ :-]?\d{4}",
        digits: 12,
        check: Must(aadhaar),
        alone: FAIR,
        context: &["aadhaar", "aadhar", "uidai", "uid"],
    },
    // The fourth letter says what kind of taxpayer it is.
    IdentifierRule {
        kind: InPan,
        pattern: r"[A-Z]{3}[ABCFGHJLPTKNE][A-Z]\d{4}[A-Z]",
        digits: 4,
        check: Shape,
        alone: LIKELY,
        context: PAN,
    },
    IdentifierRule {
        kind: InPan,
        pattern: r"[A-Z]{5}\d{4}[A-Z]",
        digits: 4,
        check: Shape,
        alone: WEAK,
        context: PAN,
    },
    IdentifierRule {
        kind: InGstin,
        pattern: r"(?:0[1-9]|[12]\d|3[0-7]|9[79])[A-Z]{5}\d{4}[A-Z][1-9A-Z]Z[0-9A-Z]",
        digits: 7,
        check: May(gstin, LIKELY),
        alone: STRONG,
        context: GST,
    },
    IdentifierRule {
        kind: InPassport,
        pattern: r"[A-PR-WY][1-9]\d ?\d{4}[1-9]",
        digits: 7,
        check: Shape,
        alone: FAINT,
        context: PASSPORT,
    },
    IdentifierRule {
        kind: InVoter,
        pattern: r"[A-Z]{3}\d{7}",
        digits: 7,
        check: Shape,
        alone: WEAK,
        context: &["voter*", "vote", "epic", "election*", "elector*"],
    },
    IdentifierRule {
        kind: InVehicle,
        pattern: r"(?:A[NPRS]|BR|C[GH]|D[DLN]|G[AJ]|H[PR]|J[HK]|K[AL]|L[AD]|M[HLNPZ]|NL|O[DR]|P[BY]|RJ|SK|T[NRSG]|U[KPA]|WB)[ -]?\d{1,2}[ -]?[A-Z]{1,3}[ -]?\d{4}",
        digits: 5,
        check: Shape,
        alone: LIKELY,
        context: PLATE,
    },
    IdentifierRule {
        kind: SgNric,
        pattern: r"[STFGM]\d{7}[A-Z]",
        digits: 7,
        check: May(nric, WEAK),
        alone: LIKELY,
        context: &["nric", "fin", "singapore"],
    },
    IdentifierRule {
        kind: SgUen,
        pattern: r"\d{8}[A-Z]|(?:19|20)\d{7}[A-Z]|[RST]\d{2}[A-Z]{2}\d{4}[A-Z]",
        digits: 6,
        check: May(uen, WEAK),
        alone: FAIR,
        context: &["uen", "acra", "entity"],
    },
    IdentifierRule {
        kind: KrRrn,
        pattern: r"\d{6}-[1-4]\d{6}",
        digits: 13,
        check: Must(dated),
        alone: LIKELY,
        context: RRN,
    },
    IdentifierRule {
        kind: KrRrn,
        pattern: r"\d{6}[1-4]\d{6}",
        digits: 13,
        check: Must(dated),
        alone: FAINT,
        context: RRN,
    },
    IdentifierRule {
        kind: KrFrn,
        pattern: r"\d{6}-[5-8]\d{6}",
        digits: 13,
        check: Must(dated),
        alone: LIKELY,
        context: FRN,
    },
    IdentifierRule {
        kind: KrFrn,
        pattern: r"\d{6}[5-8]\d{6}",
        digits: 13,
        check: Must(dated),
        alone: FAINT,
        context: FRN,
    },
    IdentifierRule {
        kind: KrPassport,
        pattern: r"[MSROD]\d{3}[A-Z]\d{4}|[MSROD]\d{8}",
        digits: 7,
        check: Shape,
        alone: WEAK,
        context: PASSPORT,
    },
    IdentifierRule {
        kind: KrDriverLicence,
        pattern: r"(?:1[1-9]|2[0-8])[- ]?\d{2}[- ]?\d{6}[- ]?\d{2}",
        digits: 12,
        check: Shape,
        alone: FAINT,
        context: LICENCE,
    },
    IdentifierRule {
        kind: KrBrn,
        pattern: r"\d{3}-\d{2}-\d{5}|\d{10}",
        digits: 10,
        check: Must(brn),
        alone: WEAK,
        context: &["brn", "business registration", "사업자*"],
    },
    IdentifierRule {
        kind: CnResident,
        pattern: r"[1-8]\d{5}(?:18|19|20)\d{9}[0-9X]",
        digits: 17,
        check: Must(chinese),
        alone: STRONG,
        context: &["身份证*", "resident id", "id card"],
    },
    IdentifierRule {
        kind: ThNational,
        pattern: r"[1-8][ -]?\d{4}[ -]?\d{5}[ -]?\d{2}[ -]?\d",
        digits: 13,
        check: Must(thai),
        alone: FAIR,
        context: THAI,
    },
    IdentifierRule {
        kind: PhTin,
        pattern: r"[0-5]\d{2}-\d{3}-\d{3}(?:-\d{3,5})?",
        digits: 9,
        check: Must(philippine),
        alone: FAIR,
        context: &["tin", "bir", "tax id", "taxpayer"],
    },
    IdentifierRule {
        kind: PhTin,
        pattern: r"[0-5]\d{8}(?:\d{3}|\d{5})?",
        digits: 9,
        check: Must(philippine),
        alone: FAINT,
        context: &["tin", "bir", "tax id", "taxpayer"],
    },
];

fn aadhaar(text: &str) -> bool {
    let palindrome = text.bytes().eq(text.bytes().rev());
    verhoeff(text) && !palindrome
}

/// Values by 36 with weights 1 and 2, the two digits of each product in base 36 added.
fn gstin(text: &str) -> bool {
    let weights = [1, 2].iter().cycle();
    let values = text[..14].chars().filter_map(|c| c.to_digit(36));
    let sum: u32 = values.zip(weights).map(|(value, weight)| value * weight / 36 + value * weight % 36).sum();
    text.chars().last().and_then(|c| c.to_digit(36)) == Some((36 - sum % 36) % 36)
}

/// Citizens and foreigners, before and since 2000, each with letters of their own.
fn nric(text: &str) -> bool {
    let sum = weighted(&text[1..8], &[2, 7, 6, 5, 4, 3, 2]);
    let (letters, start): (&[u8; 11], u32) = match text.as_bytes()[0] {
        b'S' => (b"JZIHGFEDCBA", 0),
        b'T' => (b"JZIHGFEDCBA", 4),
        b'F' => (b"XWUTRQPNMLK", 0),
        b'G' => (b"XWUTRQPNMLK", 4),
        _ => (b"KLJNPQRTUWX", 3),
    };
    let place = (sum + start) as usize % 11;
    let place = if text.starts_with('M') { 10 - place } else { place };
    text.as_bytes().last() == Some(&letters[place])
}

fn uen(text: &str) -> bool {
    let letter = match text.len() {
        9 => b"XMKECAWLJDB"[weighted(text, &[10, 4, 9, 3, 8, 2, 7, 1]) as usize % 11],
        _ if text.as_bytes()[0].is_ascii_digit() => {
            b"ZKCMDNERGWH"[weighted(text, &[10, 8, 6, 4, 9, 7, 5, 3, 1]) as usize % 11]
        }
        _ => other_entity(text),
    };
    text.as_bytes().last() == Some(&letter)
}

/// The letter of entities that are neither a business nor a company.
fn other_entity(text: &str) -> u8 {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWX0123456789";
    const WEIGHTS: [usize; 9] = [4, 3, 5, 3, 10, 2, 2, 5, 7];
    let value = |byte: u8| ALPHABET.iter().position(|known| *known == byte).unwrap_or(0);
    let sum: usize = text.bytes().zip(WEIGHTS).map(|(byte, weight)| value(byte) * weight).sum();
    ALPHABET[(sum + 11 - 5) % 11]
}

/// Numbers since October 2020 carry no checksum: the date of birth is all there is.
fn dated(text: &str) -> bool {
    short_date(text, 0)
}

fn brn(text: &str) -> bool {
    let sum = weighted(text, &[1, 3, 7, 1, 3, 7, 1, 3, 5]) + digit_at(text, 8) * 5 / 10;
    (10 - sum % 10) % 10 == digit_at(text, 9)
}

fn chinese(text: &str) -> bool {
    let sum = weighted(&text[..17], &[7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
    short_date(text, 8) && text.as_bytes().last() == Some(&b"10X98765432"[sum as usize % 11])
}

/// The second and third digit are the province of registration.
fn thai(text: &str) -> bool {
    let province = number(text, 1, 3).unwrap_or(0);
    let known = matches!(province, 10..=27 | 30..=58 | 60..=67 | 70..=77 | 80..=86 | 90..=96);
    let sum = weighted(text, &[13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
    known && (11 - sum % 11) % 10 == digit_at(text, 12) && !monotonous(text)
}

fn philippine(text: &str) -> bool {
    let sum = weighted(text, &[9, 8, 7, 6, 5, 4, 3, 2]);
    sum % 11 == digit_at(text, 8) && digits(text).any(|digit| digit != 0)
}
