//! The Americas.

use super::IdentifierKind::*;
use super::checksum::{digit_at, luhn, monotonous, number, weighted};
use super::rule::ChecksumUse::{Must, Shape};
use super::rule::{FAINT, FAIR, IdentifierRule, LIKELY, UNTOLD, WEAK};

const SSN: &[&str] = &["ssn", "ssns", "social security", "ss#", "seguro social"];
const ITIN: &[&str] = &["itin", "taxpayer", "tax id", "tax identification", "individual taxpayer"];
const PASSPORT: &[&str] = &["passport*", "travel document", "pasaporte", "passeport"];
const DRIVER: &[&str] = &["driver*", "driving", "licence", "license", "dl", "dmv", "permis"];
const NPI: &[&str] = &["npi", "provider*", "prescriber"];

pub(super) const RULES: &[IdentifierRule] = &[
    IdentifierRule {
        kind: UsSsn,
        pattern: r"\d{3}[-. ]\d{2}[-. ]\d{4}",
        digits: 9,
        check: Must(ssn),
        alone: LIKELY,
        context: SSN,
    },
    IdentifierRule {
        kind: UsSsn,
        pattern: r"\d{9}|\d{3}-\d{6}|\d{5}-\d{4}",
        digits: 9,
        check: Must(ssn),
        alone: FAINT,
        context: SSN,
    },
    IdentifierRule {
        kind: UsItin,
        pattern: r"9\d\d[- ]\d{2}[- ]\d{4}",
        digits: 9,
        check: Must(itin),
        alone: LIKELY,
        context: ITIN,
    },
    IdentifierRule {
        kind: UsItin,
        pattern: r"9\d{8}|9\d\d-\d{6}|9\d{4}-\d{4}",
        digits: 9,
        check: Must(itin),
        alone: FAINT,
        context: ITIN,
    },
    IdentifierRule {
        kind: UsPassport,
        pattern: r"[A-Z0-9]\d{8}",
        digits: 8,
        check: Shape,
        alone: FAINT,
        context: PASSPORT,
    },
    IdentifierRule {
        kind: UsDriverLicence,
        pattern: r"[A-Z]\d{7,8}",
        digits: 7,
        check: Shape,
        alone: FAINT,
        context: DRIVER,
    },
    // The states agree on no form: these need the word.
    IdentifierRule {
        kind: UsDriverLicence,
        pattern: r"\d{7,12}|[A-Z]\d{3,6}|[A-Z]\d{9,14}|[A-Z]{2}\d{5,7}[A-Z]?|[A-Z]\d{3}(?:-\d{3,4}){2,4}",
        digits: 3,
        check: Shape,
        alone: UNTOLD,
        context: &["driver*", "driving", "dl", "dmv"],
    },
    // Digits and letters without S, L, O, I, B, Z take fixed turns.
    IdentifierRule {
        kind: UsMbi,
        pattern: r"[1-9][AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d-?[AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d-?[AC-HJKMNP-RT-Y]{2}\d{2}",
        digits: 5,
        check: Shape,
        alone: LIKELY,
        context: &["mbi", "medicare", "beneficiary"],
    },
    IdentifierRule {
        kind: UsNpi,
        pattern: r"[12]\d{9}|[12]\d{3}[- ]\d{3}[- ]\d{3}",
        digits: 10,
        check: Must(npi),
        alone: WEAK,
        context: NPI,
    },
    IdentifierRule {
        kind: UsDea,
        pattern: r"[A-HJ-NPRSTUX][A-Z9]\d{7}",
        digits: 7,
        check: Must(dea),
        alone: FAIR,
        context: &["dea", "prescriber", "medical licence", "medical license", "certificate"],
    },
    IdentifierRule {
        kind: CaSin,
        pattern: r"[1-79]\d{2}[- ]\d{3}[- ]\d{3}",
        digits: 9,
        check: Must(sin),
        alone: FAIR,
        context: &["sin", "nas", "social insurance", "assurance sociale"],
    },
    IdentifierRule {
        kind: CaSin,
        pattern: r"[1-79]\d{8}",
        digits: 9,
        check: Must(sin),
        alone: FAINT,
        context: &["sin", "nas", "social insurance", "assurance sociale"],
    },
    IdentifierRule {
        kind: BrCpf,
        pattern: r"\d{3}\.\d{3}\.\d{3}-\d{2}|\d{11}",
        digits: 11,
        check: Must(cpf),
        alone: FAIR,
        context: &["cpf", "cadastro de pessoas"],
    },
    IdentifierRule {
        kind: BrCnpj,
        pattern: r"\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}|\d{14}",
        digits: 14,
        check: Must(cnpj),
        alone: FAIR,
        context: &["cnpj"],
    },
];

/// Areas 000, 666 and 9xx, group 00 and serial 0000 are never issued; two numbers were printed in advertisements.
fn ssn(digits: &str) -> bool {
    let parts = (number(digits, 0, 3), number(digits, 3, 5), number(digits, 5, 9));
    let (Some(area), Some(group), Some(serial)) = parts else { return false };
    let issued = area != 0 && area != 666 && area < 900 && group != 0 && serial != 0;
    issued && !monotonous(digits) && !["078051120", "219099999"].contains(&digits)
}

fn itin(digits: &str) -> bool {
    number(digits, 3, 5).is_some_and(|group| matches!(group, 50..=65 | 70..=88 | 90..=92 | 94..=99))
}

/// Luhn with the prefix of health identifiers in the United States.
fn npi(digits: &str) -> bool {
    luhn(&format!("80840{digits}")) && !monotonous(digits)
}

fn dea(text: &str) -> bool {
    let Some(digits) = text.get(2..9) else { return false };
    let odd = digit_at(digits, 0) + digit_at(digits, 2) + digit_at(digits, 4);
    let even = digit_at(digits, 1) + digit_at(digits, 3) + digit_at(digits, 5);
    (odd + 2 * even) % 10 == digit_at(digits, 6)
}

fn sin(digits: &str) -> bool {
    luhn(digits) && !monotonous(digits)
}

fn cpf(digits: &str) -> bool {
    let check = |weights: &[u32]| weighted(digits, weights) * 10 % 11 % 10;
    !monotonous(digits)
        && check(&[10, 9, 8, 7, 6, 5, 4, 3, 2]) == digit_at(digits, 9)
        && check(&[11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) == digit_at(digits, 10)
}

fn cnpj(digits: &str) -> bool {
    let check = |weights: &[u32]| match weighted(digits, weights) % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    };
    !monotonous(digits)
        && check(&[5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) == digit_at(digits, 12)
        && check(&[6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) == digit_at(digits, 13)
}
