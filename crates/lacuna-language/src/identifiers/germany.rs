//! Germany, Austria and Switzerland.

use super::IdentifierKind::*;
use super::checksum::{
    cross, day_exists, digit_at, digits, iso7064_11_10, monotonous, number, travel_document, weighted,
};
use super::rule::ChecksumUse::{May, Must, Shape};
use super::rule::{FAINT, FAIR, IdentifierRule, LIKELY, STRONG, UNTOLD, WEAK};

const TAX_ID: &[&str] =
    &["steuer-id", "steuerid", "steueridentifikation*", "steuerliche*", "idnr", "tin", "tax id"];
const TAX_NUMBER: &[&str] = &["steuernummer", "steuer-nr", "st.-nr", "stnr", "finanzamt", "tax number"];
const ID_CARD: &[&str] = &["ausweis*", "personalausweis*", "perso", "identity card", "id card"];
const PASSPORT: &[&str] = &["reisepass*", "pass", "pass-nr", "passnummer", "passport*"];
const PLATE: &[&str] =
    &["kennzeichen", "kfz*", "nummernschild", "autokennzeichen", "plate", "fahrzeug*", "auto"];
const NAMED_PLATE: &[&str] = &["kennzeichen", "kfz*", "nummernschild", "autokennzeichen"];
const LICENCE: &[&str] = &["führerschein*", "fuehrerschein*", "fahrerlaubnis*", "driving licence", "driver*"];
const POSTCODE: &[&str] = &["plz", "postleitzahl", "postcode", "zip"];
/// Letters that cannot be mistaken for others, and digits.
const DOCUMENT: &str = r"[CFGHJKLMNPRTVWXYZ][CFGHJKLMNPRTVWXYZ0-9]{8}";

pub(super) const RULES: &[IdentifierRule] = &[
    IdentifierRule {
        kind: DeTaxId,
        pattern: r"[1-9]\d{10}|[1-9]\d \d{3} \d{3} \d{3}",
        digits: 11,
        check: Must(tax_id),
        alone: FAIR,
        context: TAX_ID,
    },
    IdentifierRule {
        kind: DeTaxNumber,
        pattern: r"\d{2,3}/\d{3,4}/\d{4,5}",
        digits: 9,
        check: Shape,
        alone: WEAK,
        context: TAX_NUMBER,
    },
    IdentifierRule {
        kind: DeTaxNumber,
        pattern: r"(?:0[1-9]|1[0-6])\d{11}",
        digits: 13,
        check: Shape,
        alone: FAINT,
        context: TAX_NUMBER,
    },
    IdentifierRule {
        kind: DeTaxNumber,
        pattern: r"\d{10,13}",
        digits: 10,
        check: Shape,
        alone: UNTOLD,
        context: TAX_NUMBER,
    },
    IdentifierRule {
        kind: DeIdCard,
        pattern: DOCUMENT,
        digits: 3,
        check: May(document, UNTOLD),
        alone: WEAK,
        context: ID_CARD,
    },
    IdentifierRule {
        kind: DeIdCard,
        pattern: r"T\d{8}",
        digits: 8,
        check: Shape,
        alone: FAINT,
        context: ID_CARD,
    },
    IdentifierRule {
        kind: DeIdCard,
        pattern: r"[CFGHJKLMNPRTVWXYZ][CFGHJKLMNPRTVWXYZ0-9]{8}\d",
        digits: 3,
        check: Must(document_in_full),
        alone: WEAK,
        context: ID_CARD,
    },
    IdentifierRule {
        kind: DePassport,
        pattern: DOCUMENT,
        digits: 3,
        check: May(document, UNTOLD),
        alone: WEAK,
        context: PASSPORT,
    },
    IdentifierRule {
        kind: DeSocialSecurity,
        pattern: r"\d{2} ?\d{6} ?[A-Z] ?\d{3}",
        digits: 11,
        check: Must(social_security),
        alone: LIKELY,
        context: &[
            "rvnr",
            "rentenversicherung*",
            "sozialversicherung*",
            "sv-nummer",
            "svnr",
            "versicherungsnummer",
        ],
    },
    IdentifierRule {
        kind: DeHealthInsurance,
        pattern: r"[A-Z]\d{9}",
        digits: 9,
        check: Must(health_insurance),
        alone: FAIR,
        context: &[
            "kvnr",
            "krankenkasse*",
            "krankenversicherung*",
            "egk*",
            "versichertennummer",
            "gesundheitskarte",
        ],
    },
    IdentifierRule {
        kind: DeVat,
        pattern: r"DE[ .-]?\d{3}[ .-]?\d{3}[ .-]?\d{3}",
        digits: 9,
        check: Must(vat),
        alone: LIKELY,
        context: &["ust-id*", "ustid*", "umsatzsteuer*", "vat", "mwst", "rechnung"],
    },
    IdentifierRule {
        kind: DeLanr,
        pattern: r"\d{9}",
        digits: 9,
        check: Must(lanr),
        alone: FAINT,
        context: &["lanr", "arztnummer", "arzt", "arztes", "ärztin"],
    },
    IdentifierRule {
        kind: DeBsnr,
        pattern: r"\d{9}",
        digits: 9,
        check: Must(not_monotonous),
        alone: FAINT,
        context: &["bsnr", "betriebsstätte*", "betriebsstaette*", "praxis"],
    },
    IdentifierRule {
        kind: DeDrivingLicence,
        pattern: r"[A-Z]{2}\d{8}[A-Z0-9]",
        digits: 8,
        check: Shape,
        alone: WEAK,
        context: LICENCE,
    },
    IdentifierRule {
        kind: DeDrivingLicence,
        pattern: r"[A-Z]\d{2}[A-Z0-9]{6}\d[A-Z0-9]",
        digits: 3,
        check: Shape,
        alone: UNTOLD,
        context: LICENCE,
    },
    IdentifierRule {
        kind: DeVehicle,
        pattern: r"(?-i)[A-Z]{1,3}[ -][A-Z]{1,2}[ -][1-9][0-9]{0,3}[HE]?",
        digits: 1,
        check: Shape,
        alone: WEAK,
        context: PLATE,
    },
    IdentifierRule {
        kind: DeVehicle,
        pattern: r"(?-i)[A-Z]{1,3}-[A-Z]{1,2} [1-9][0-9]{0,3}[HE]?",
        digits: 1,
        check: Shape,
        alone: FAIR,
        context: PLATE,
    },
    IdentifierRule {
        kind: DeVehicle,
        pattern: r"[A-Z]{1,3}[ -][A-Z]{1,2}[ -][1-9][0-9]{2,3}[HE]?",
        digits: 3,
        check: Shape,
        alone: FAINT,
        context: NAMED_PLATE,
    },
    IdentifierRule {
        kind: DeVehicle,
        pattern: r"[A-Z]{1,3}-[A-Z]{1,2} [1-9][0-9]{0,3}[HE]?",
        digits: 1,
        check: Shape,
        alone: UNTOLD,
        context: NAMED_PLATE,
    },
    IdentifierRule {
        kind: DeCompany,
        pattern: r"HR[AB] ?\d{1,6}",
        digits: 1,
        check: Shape,
        alone: LIKELY,
        context: &["handelsregister*", "amtsgericht", "registergericht"],
    },
    IdentifierRule {
        kind: DePostcode,
        pattern: r"\d{5}",
        digits: 5,
        check: Must(postcode),
        alone: FAINT,
        context: POSTCODE,
    },
    IdentifierRule {
        kind: AtSocialSecurity,
        pattern: r"[1-9]\d{3} ?\d{6}",
        digits: 10,
        check: Must(austrian),
        alone: FAINT,
        context: &["sozialversicherung*", "svnr", "sv-nummer", "e-card"],
    },
    IdentifierRule {
        kind: ChAhv,
        pattern: r"756\.?\d{4}\.?\d{4}\.?\d{2}",
        digits: 13,
        check: Must(ahv),
        alone: STRONG,
        context: &["ahv*", "avs", "sozialversicherung*"],
    },
];

fn tax_id(text: &str) -> bool {
    let first_ten = &text[..10];
    let most = (0..10).map(|value| digits(first_ten).filter(|digit| *digit == value).count()).max();
    iso7064_11_10(text) && most.is_some_and(|most| most <= 3)
}

/// The ninth character as a check digit of the eight before it: not every document has one.
fn document(text: &str) -> bool {
    travel_document(&text[..8]) == digit_at(text, 8) && text.bytes().filter(u8::is_ascii_digit).count() >= 3
}

/// The nine characters with the check digit that stands beside them on the card.
fn document_in_full(text: &str) -> bool {
    travel_document(&text[..9]) == digit_at(text, 9)
}

/// Area, birth date (days from 51 when two people share one), initial, serial; each product's digits are added.
fn social_security(text: &str) -> bool {
    const WEIGHTS: [u32; 12] = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1];
    let (day, month) = (number(text, 2, 4).unwrap_or(0), number(text, 4, 6).unwrap_or(0));
    let spelt = format!("{}{:02}{}", &text[..8], letter_place(text, 8), &text[9..11]);
    let sum: u32 = digits(&spelt).zip(WEIGHTS).map(|(digit, weight)| cross(digit * weight)).sum();
    day_exists(if day > 50 { day - 50 } else { day }, month) && sum % 10 == digit_at(text, 11)
}

fn health_insurance(text: &str) -> bool {
    let spelt = format!("{:02}{}", letter_place(text, 0), &text[1..9]);
    let weights = [1, 2].iter().cycle();
    let sum: u32 = digits(&spelt).zip(weights).map(|(digit, weight)| cross(digit * weight)).sum();
    sum % 10 == digit_at(text, 9)
}

/// A is 1, Z is 26.
fn letter_place(text: &str, at: usize) -> u8 {
    text.as_bytes()[at].to_ascii_uppercase().wrapping_sub(b'A').wrapping_add(1)
}

fn vat(text: &str) -> bool {
    iso7064_11_10(&text[2..])
}

fn lanr(text: &str) -> bool {
    (10 - weighted(text, &[4, 9, 4, 9, 4, 9]) % 10) % 10 == digit_at(text, 6)
}

fn not_monotonous(text: &str) -> bool {
    !monotonous(text)
}

fn postcode(text: &str) -> bool {
    text.parse().is_ok_and(|code: u32| (1_001..=99_998).contains(&code))
}

fn austrian(text: &str) -> bool {
    let (day, month) = (number(text, 4, 6).unwrap_or(0), number(text, 6, 8).unwrap_or(0));
    let sum = weighted(text, &[3, 7, 9, 0, 5, 8, 4, 2, 1, 6]);
    day_exists(day, month) && sum % 11 == digit_at(text, 3)
}

/// The check of the bar code that these numbers are.
fn ahv(text: &str) -> bool {
    let sum = weighted(text, &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]);
    (10 - sum % 10) % 10 == digit_at(text, 12)
}
