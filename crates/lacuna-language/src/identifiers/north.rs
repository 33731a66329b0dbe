//! Scandinavia, Poland and the Low Countries.

use super::IdentifierKind::*;
use super::checksum::{day_exists, digit_at, luhn, monotonous, number, short_date, weighted};
use super::rule::ChecksumUse::Must;
use super::rule::{FAINT, FAIR, IdentifierRule, LIKELY, STRONG, WEAK};

const HETU: &[&str] = &["hetu", "henkilötunnus*", "personbeteckning", "personal identity code", "finnish id"];
const PERSONNUMMER: &[&str] =
    &["personnummer*", "pnr", "samordningsnummer", "swedish id", "personal identity"];
const ORGANISATION: &[&str] = &["organisationsnummer", "orgnr", "org.nr", "orgnummer", "bolag*", "företag*"];

pub(super) const RULES: &[IdentifierRule] = &[
    IdentifierRule {
        kind: FiHetu,
        pattern: r"\d{6}[-+A-FU-Y]\d{3}[0-9A-Y]",
        digits: 9,
        check: Must(hetu),
        alone: STRONG,
        context: HETU,
    },
    IdentifierRule {
        kind: SePersonnummer,
        pattern: r"(?:18|19|20)?\d{6}[-+]\d{4}",
        digits: 10,
        check: Must(personnummer),
        alone: LIKELY,
        context: PERSONNUMMER,
    },
    IdentifierRule {
        kind: SePersonnummer,
        pattern: r"(?:18|19|20)\d{10}",
        digits: 12,
        check: Must(personnummer),
        alone: FAIR,
        context: PERSONNUMMER,
    },
    IdentifierRule {
        kind: SePersonnummer,
        pattern: r"\d{10}",
        digits: 10,
        check: Must(personnummer),
        alone: FAINT,
        context: PERSONNUMMER,
    },
    IdentifierRule {
        kind: SeCompany,
        pattern: r"[1-35-9]\d[2-9]\d{3}-\d{4}",
        digits: 10,
        check: Must(luhn),
        alone: FAIR,
        context: ORGANISATION,
    },
    IdentifierRule {
        kind: SeCompany,
        pattern: r"[1-35-9]\d[2-9]\d{7}",
        digits: 10,
        check: Must(luhn),
        alone: FAINT,
        context: ORGANISATION,
    },
    IdentifierRule {
        kind: NoNational,
        pattern: r"\d{6} ?\d{5}",
        digits: 11,
        check: Must(norwegian),
        alone: LIKELY,
        context: &["fødselsnummer", "personnummer", "d-nummer", "fnr"],
    },
    IdentifierRule {
        kind: DkCpr,
        pattern: r"\d{6}-\d{4}",
        digits: 10,
        check: Must(danish),
        alone: WEAK,
        context: &["cpr*", "personnummer"],
    },
    IdentifierRule {
        kind: PlPesel,
        pattern: r"\d{11}",
        digits: 11,
        check: Must(pesel),
        alone: FAIR,
        context: &["pesel"],
    },
    IdentifierRule {
        kind: NlBsn,
        pattern: r"\d{9}|\d{4}\.\d{2}\.\d{3}",
        digits: 9,
        check: Must(bsn),
        alone: FAINT,
        context: &["bsn", "burgerservicenummer", "sofinummer", "sofi"],
    },
    IdentifierRule {
        kind: BeNational,
        pattern: r"\d{11}",
        digits: 11,
        check: Must(belgian),
        alone: FAIR,
        context: BELGIAN,
    },
    IdentifierRule {
        kind: BeNational,
        pattern: r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}",
        digits: 11,
        check: Must(belgian),
        alone: LIKELY,
        context: BELGIAN,
    },
];

const BELGIAN: &[&str] = &["rijksregister*", "registre national", "niss", "insz", "national number"];

/// Birth date, century sign, serial from 002, and the rest by 31.
fn hetu(text: &str) -> bool {
    const REST: &[u8; 31] = b"0123456789ABCDEFHJKLMNPRSTUVWXY";
    let date = number(text, 0, 2).zip(number(text, 2, 4)).is_some_and(|(day, month)| day_exists(day, month));
    // The signs of the 1800s and 1900s are punctuation, and gone from the compact form.
    let serial_at = text.len() - 4;
    let spelt = format!("{}{}", &text[..6], &text[serial_at..serial_at + 3]);
    let serial = number(text, serial_at, serial_at + 3).is_some_and(|serial| serial >= 2);
    let check = spelt.parse::<usize>().is_ok_and(|whole| text.as_bytes().last() == Some(&REST[whole % 31]));
    date && serial && check
}

/// The last ten digits by Luhn; a day above 60 is a coordination number.
fn personnummer(text: &str) -> bool {
    let short = &text[text.len() - 10..];
    let (month, day) = (number(short, 2, 4).unwrap_or(0), number(short, 4, 6).unwrap_or(0));
    luhn(short) && day_exists(if day > 60 { day - 60 } else { day }, month)
}

fn norwegian(text: &str) -> bool {
    let check = |weights: &[u32]| (11 - weighted(text, weights) % 11) % 11;
    let (day, month) = (number(text, 0, 2).unwrap_or(0), number(text, 2, 4).unwrap_or(0));
    day_exists(if day > 40 { day - 40 } else { day }, month)
        && check(&[3, 7, 6, 1, 8, 9, 4, 5, 2]) == digit_at(text, 9)
        && check(&[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) == digit_at(text, 10)
}

/// Numbers since 2007 carry no checksum: the date is all there is.
fn danish(text: &str) -> bool {
    number(text, 0, 2).zip(number(text, 2, 4)).is_some_and(|(day, month)| day_exists(day, month))
}

/// The century hides in the month, in steps of twenty.
fn pesel(text: &str) -> bool {
    let sum = weighted(text, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3]);
    let (month, day) = (number(text, 2, 4).unwrap_or(0) % 20, number(text, 4, 6).unwrap_or(0));
    (10 - sum % 10) % 10 == digit_at(text, 10) && day_exists(day, month)
}

fn bsn(text: &str) -> bool {
    let sum = weighted(text, &[9, 8, 7, 6, 5, 4, 3, 2]) + 10 * digit_at(text, 8);
    sum.is_multiple_of(11) && !monotonous(text)
}

/// The difference to 97; for people born since 2000 a 2 goes in front.
fn belgian(text: &str) -> bool {
    let (Some(body), Some(key)) = (number(text, 0, 9), number(text, 9, 11)) else { return false };
    let matches = [body, body + 2_000_000_000].iter().any(|body| 97 - body % 97 == key);
    matches && short_date(text, 0)
}
