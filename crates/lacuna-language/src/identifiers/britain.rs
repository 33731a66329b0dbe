//! The United Kingdom.

use super::IdentifierKind::*;
use super::checksum::{day_exists, digit_at, monotonous, number, weighted};
use super::rule::ChecksumUse::{Must, Shape};
use super::rule::{FAINT, FAIR, IdentifierRule, LIKELY, UNTOLD, WEAK};

const PLATE: &[&str] = &[
    "reg",
    "registration",
    "number plate",
    "plate",
    "licence plate",
    "license plate",
    "vehicle*",
    "car",
    "van",
];
const POSTCODE: &[&str] = &["postcode", "post code", "address", "zip", "live", "lives", "london"];
const PASSPORT: &[&str] = &["passport*", "travel document"];

pub(super) const RULES: &[IdentifierRule] = &[
    IdentifierRule {
        kind: UkNhs,
        pattern: r"\d{3}[- ]\d{3}[- ]\d{4}",
        digits: 10,
        check: Must(nhs),
        alone: FAIR,
        context: &["nhs", "national health", "patient"],
    },
    IdentifierRule {
        kind: UkNhs,
        pattern: r"\d{10}",
        digits: 10,
        check: Must(nhs),
        alone: FAINT,
        context: &["nhs", "national health", "patient"],
    },
    IdentifierRule {
        kind: UkNino,
        pattern: r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]",
        digits: 6,
        check: Must(nino),
        alone: LIKELY,
        context: &["nino", "national insurance", "ni number", "ni no"],
    },
    IdentifierRule {
        kind: UkPassport,
        pattern: r"[A-Z]{2}\d{7}",
        digits: 7,
        check: Shape,
        alone: WEAK,
        context: PASSPORT,
    },
    IdentifierRule {
        kind: UkPassport,
        pattern: r"\d{9}",
        digits: 9,
        check: Shape,
        alone: UNTOLD,
        context: PASSPORT,
    },
    // Five letters of the name, the birth date with its decade first, initials, and three that tell twins apart.
    IdentifierRule {
        kind: UkDrivingLicence,
        pattern: r"[A-Z9]{5}[ -]?\d[0156]\d[0-3]\d\d[ -]?[A-Z9]{2}[A-Z0-9][A-Z]{2}",
        digits: 6,
        check: Must(driving_licence),
        alone: LIKELY,
        context: &["licence", "license", "driving", "driver*", "dvla"],
    },
    IdentifierRule {
        kind: UkPostcode,
        pattern: r"(?-i)(?:GIR 0AA|(?:[A-PR-UWYZ][0-9][0-9A-HJKPSTUW]?|[A-PR-UWYZ][A-HK-Y][0-9][0-9ABEHMNPRVWXY]?) [0-9][ABD-HJLNP-UW-Z]{2})",
        digits: 1,
        check: Shape,
        alone: LIKELY,
        context: POSTCODE,
    },
    IdentifierRule {
        kind: UkPostcode,
        pattern: r"GIR ?0AA|(?:[A-PR-UWYZ][0-9][0-9A-HJKPSTUW]?|[A-PR-UWYZ][A-HK-Y][0-9][0-9ABEHMNPRVWXY]?) ?[0-9][ABD-HJLNP-UW-Z]{2}",
        digits: 1,
        check: Shape,
        alone: FAINT,
        context: &["postcode", "post code", "zip"],
    },
    IdentifierRule {
        kind: UkVehicle,
        pattern: r"[A-HJ-PR-Y]{2}(?:0[2-9]|[12][0-9]|5[1-9]|[67][0-9])[ -]?[A-HJ-PR-Z]{3}",
        digits: 2,
        check: Shape,
        alone: WEAK,
        context: PLATE,
    },
    // Before 2001: a letter for the year first, and before 1983 last.
    IdentifierRule {
        kind: UkVehicle,
        pattern: r"(?-i)[A-HJ-NPR-TV-Y][1-9][0-9]{0,2}[ -]?[A-HJ-PR-Z]{3}|[A-HJ-PR-Z]{3}[ -]?[1-9][0-9]{0,2}[A-HJ-NPR-TV-Y]",
        digits: 1,
        check: Shape,
        alone: FAINT,
        context: PLATE,
    },
];

fn nhs(digits: &str) -> bool {
    let check = 11 - weighted(digits, &[10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11;
    check % 11 == digit_at(digits, 9) && !monotonous(digits)
}

/// Prefixes that are kept free.
fn nino(text: &str) -> bool {
    !["BG", "GB", "KN", "NK", "NT", "TN", "ZZ"].iter().any(|prefix| text.starts_with(prefix))
}

/// The month of women is counted from 51.
fn driving_licence(text: &str) -> bool {
    let (month, day) = (number(text, 6, 8), number(text, 8, 10));
    month.zip(day).is_some_and(|(month, day)| day_exists(day, if month > 50 { month - 50 } else { month }))
}
