//! Spain, Portugal, Italy and France.

use super::IdentifierKind::*;
use super::checksum::{digit_at, luhn, monotonous, number, weighted};
use super::rule::ChecksumUse::{May, Must, Shape};
use super::rule::{FAINT, IdentifierRule, LIKELY, STRONG, WEAK};

const NIE: &[&str] = &["nie", "extranjero", "extranjeros"];
const ES_PASSPORT: &[&str] = &["pasaporte", "passport*"];
const IT_LICENCE: &[&str] = &["patente", "licence", "license", "driving", "guida"];
const IT_PASSPORT: &[&str] = &["passaporto", "passport*"];
const IT_ID: &[&str] =
    &["carta d'identità", "carta identità", "carta di identità", "identity card", "cie", "documento"];

pub(super) const RULES: &[IdentifierRule] = &[
    IdentifierRule {
        kind: EsNif,
        pattern: r"\d{7,8}-?[A-Z]",
        digits: 7,
        check: Must(nif),
        alone: LIKELY,
        context: &["nif", "dni", "documento nacional"],
    },
    IdentifierRule {
        kind: EsNie,
        pattern: r"[XYZ]-?\d{7}-?[A-Z]",
        digits: 7,
        check: Must(nie),
        alone: LIKELY,
        context: NIE,
    },
    IdentifierRule {
        kind: EsPassport,
        pattern: r"[A-Z]{3}\d{6}",
        digits: 6,
        check: Shape,
        alone: WEAK,
        context: ES_PASSPORT,
    },
    IdentifierRule {
        kind: PtNif,
        pattern: r"[1-35689]\d{2} ?\d{3} ?\d{3}",
        digits: 9,
        check: Must(portuguese_nif),
        alone: FAINT,
        context: &["nif", "contribuinte"],
    },
    // Digits may be replaced by letters where two people would share a code.
    IdentifierRule {
        kind: ItFiscalCode,
        pattern: r"[A-Z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]",
        digits: 1,
        check: May(fiscal_code, LIKELY),
        alone: STRONG,
        context: &["codice fiscale", "fiscal code", "cf"],
    },
    IdentifierRule {
        kind: ItVat,
        pattern: r"\d{11}",
        digits: 11,
        check: Must(italian_vat),
        alone: FAINT,
        context: &["partita iva", "p.iva", "p. iva", "piva", "iva", "vat"],
    },
    IdentifierRule {
        kind: ItDriverLicence,
        pattern: r"[A-Z]{2}\d{7}[A-Z]|U1[B-DF-HJ-NP-Z0-9]{7}[A-Z]",
        digits: 2,
        check: Shape,
        alone: WEAK,
        context: IT_LICENCE,
    },
    IdentifierRule {
        kind: ItPassport,
        pattern: r"[A-Z]{2}\d{7}",
        digits: 7,
        check: Shape,
        alone: WEAK,
        context: IT_PASSPORT,
    },
    IdentifierRule {
        kind: ItIdCard,
        pattern: r"[A-Z]{2} ?\d{7}|\d{7}[A-Z]{2}|[A-Z]{2}\d{5}[A-Z]{2}",
        digits: 5,
        check: Shape,
        alone: FAINT,
        context: IT_ID,
    },
    IdentifierRule {
        kind: FrNir,
        pattern: r"[12378] ?\d{2} ?\d{2} ?\d[0-9AB] ?\d{3} ?\d{3} ?\d{2}",
        digits: 14,
        check: Must(nir),
        alone: STRONG,
        context: &["sécurité sociale", "securite sociale", "nir", "insee", "numéro de sécu", "carte vitale"],
    },
    IdentifierRule {
        kind: FrSiret,
        pattern: r"\d{3} ?\d{3} ?\d{3} ?\d{5}",
        digits: 14,
        check: Must(siret),
        alone: FAINT,
        context: &["siret", "siren", "rcs"],
    },
    IdentifierRule {
        kind: FrSiret,
        pattern: r"\d{3} ?\d{3} ?\d{3}",
        digits: 9,
        check: Must(siret),
        alone: FAINT,
        context: &["siren", "rcs"],
    },
];

const NIF_LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";

/// The letter says the rest of the number by 23.
fn letter_of_23(number: u64) -> char {
    char::from(NIF_LETTERS[(number % 23) as usize])
}

fn nif(text: &str) -> bool {
    number(text, 0, text.len() - 1).is_some_and(|number| text.ends_with(letter_of_23(number)))
}

fn nie(text: &str) -> bool {
    let first = u64::from(text.as_bytes()[0].wrapping_sub(b'X'));
    number(text, 1, 8).is_some_and(|rest| text.ends_with(letter_of_23(first * 10_000_000 + rest)))
}

fn portuguese_nif(text: &str) -> bool {
    let check = match weighted(text, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    };
    check == digit_at(text, 8) && !monotonous(text)
}

/// The values of digits and letters at odd places (the first is odd).
const ODD_VALUES: [u32; 36] = [
    1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14,
    16, 10, 22, 25, 24, 23,
];

fn fiscal_code(text: &str) -> bool {
    let value = |(place, c): (usize, char)| {
        let plain = c.to_digit(36).unwrap_or(0);
        match place % 2 {
            0 => ODD_VALUES[plain as usize],
            _ if plain > 9 => plain - 10,
            _ => plain,
        }
    };
    let sum: u32 = text[..15].chars().enumerate().map(value).sum();
    char::from_digit(sum % 26 + 10, 36).is_some_and(|letter| text.ends_with(letter.to_ascii_uppercase()))
        && number(text, 9, 11).is_none_or(|day| matches!(day, 1..=31 | 41..=71))
}

fn italian_vat(text: &str) -> bool {
    luhn(text) && !monotonous(text)
}

/// Sex, year, month, department (Corsica has letters), commune, serial, and what is missing to 97.
fn nir(text: &str) -> bool {
    let month = number(text, 3, 5).is_some_and(|month| matches!(month, 1..=12 | 20 | 30..=42 | 50..=99));
    // The letters of Corsica count as department 19 and 18.
    let body = text[..13].replacen('A', "0", 1).replacen('B', "0", 1);
    let correction = if text.contains('A') {
        1_000_000
    } else if text.contains('B') {
        2_000_000
    } else {
        0
    };
    let key = number(text, 13, 15);
    month && body.parse::<u64>().ok().zip(key).is_some_and(|(body, key)| 97 - (body - correction) % 97 == key)
}

fn siret(text: &str) -> bool {
    luhn(text) && !monotonous(text)
}
