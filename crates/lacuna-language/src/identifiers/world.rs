//! Turkey, Africa and Australia.

use super::IdentifierKind::*;
use super::checksum::{digit_at, digits, luhn, monotonous, number, short_date, verhoeff, weighted};
use super::rule::ChecksumUse::{Must, Shape};
use super::rule::{FAINT, FAIR, IdentifierRule, LIKELY, UNTOLD, WEAK};

const TR_PLATE: &[&str] = &["plaka*", "plakası", "plate", "license plate", "araç"];

pub(super) const RULES: &[IdentifierRule] = &[
    IdentifierRule {
        kind: TrNational,
        pattern: r"[1-9]\d{10}",
        digits: 11,
        check: Must(turkish),
        alone: FAIR,
        context: &["tc", "t.c", "tckn", "kimlik*", "turkish id"],
    },
    IdentifierRule {
        kind: TrVehicle,
        pattern: r"(?-i)(?:0[1-9]|[1-7][0-9]|8[01]) ?[A-PR-VYZ]{1,3} ?[0-9]{2,5}",
        digits: 4,
        check: Shape,
        alone: WEAK,
        context: TR_PLATE,
    },
    IdentifierRule {
        kind: TrVehicle,
        pattern: r"(?:0[1-9]|[1-7]\d|8[01]) ?[A-PR-VYZ]{1,3} ?\d{2,5}",
        digits: 4,
        check: Shape,
        alone: FAINT,
        context: TR_PLATE,
    },
    IdentifierRule {
        kind: NgNin,
        pattern: r"\d{11}",
        digits: 11,
        check: Must(nigerian),
        alone: FAINT,
        context: &["nin", "nimc", "national identification", "national identity"],
    },
    IdentifierRule {
        kind: NgVehicle,
        pattern: r"[A-Z]{3}[ -]?\d{3}[ -]?[A-Z]{2}",
        digits: 3,
        check: Shape,
        alone: WEAK,
        context: &["plate*", "vehicle*", "registration", "frsc", "car"],
    },
    IdentifierRule {
        kind: ZaId,
        pattern: r"\d{6} ?\d{4} ?[012][89]\d",
        digits: 13,
        check: Must(south_african),
        alone: LIKELY,
        context: &["south african", "rsa", "sa id", "id number", "refugee", "resident number"],
    },
    IdentifierRule {
        kind: AuAbn,
        pattern: r"[1-9]\d ?\d{3} ?\d{3} ?\d{3}",
        digits: 11,
        check: Must(abn),
        alone: FAIR,
        context: &["abn", "australian business"],
    },
    IdentifierRule {
        kind: AuAcn,
        pattern: r"\d{3} ?\d{3} ?\d{3}",
        digits: 9,
        check: Must(acn),
        alone: FAINT,
        context: &["acn", "australian company"],
    },
    IdentifierRule {
        kind: AuTfn,
        pattern: r"\d{3} ?\d{3} ?\d{3}",
        digits: 9,
        check: Must(tfn),
        alone: FAINT,
        context: &["tfn", "tax file"],
    },
    IdentifierRule {
        kind: AuTfn,
        pattern: r"\d{8}",
        digits: 8,
        check: Must(short_tfn),
        alone: UNTOLD,
        context: &["tfn", "tax file"],
    },
    IdentifierRule {
        kind: AuMedicare,
        pattern: r"[2-6]\d{3} ?\d{5} ?\d",
        digits: 10,
        check: Must(medicare),
        alone: WEAK,
        context: &["medicare"],
    },
];

/// Two check digits, so one random number in a hundred passes.
fn turkish(text: &str) -> bool {
    let at = |place| digit_at(text, place);
    let odd = at(0) + at(2) + at(4) + at(6) + at(8);
    let even = at(1) + at(3) + at(5) + at(7);
    let all: u32 = digits(&text[..10]).sum();
    // Four even digits are at most 36: the difference stays positive.
    (odd * 7 + 40 - even) % 10 == at(9) && all % 10 == at(10)
}

fn nigerian(text: &str) -> bool {
    verhoeff(text) && !monotonous(text)
}

/// Birth date, serial, citizenship, a digit that is 8 or 9 today, Luhn.
fn south_african(text: &str) -> bool {
    let leap_day = number(text, 2, 6) == Some(229);
    let leap_year = number(text, 0, 2).is_some_and(|year| year.is_multiple_of(4));
    luhn(text) && short_date(text, 0) && (!leap_day || leap_year)
}

fn abn(text: &str) -> bool {
    let sum = weighted(text, &[10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]);
    // One is taken from the first digit, whose weight is ten.
    (sum + 89 - 10).is_multiple_of(89)
}

fn acn(text: &str) -> bool {
    (10 - weighted(text, &[8, 7, 6, 5, 4, 3, 2, 1]) % 10) % 10 == digit_at(text, 8)
}

fn tfn(text: &str) -> bool {
    weighted(text, &[1, 4, 3, 7, 5, 8, 6, 9, 10]).is_multiple_of(11) && !monotonous(text)
}

/// Older numbers have eight digits and weights of their own.
fn short_tfn(text: &str) -> bool {
    weighted(text, &[10, 7, 8, 4, 6, 3, 5, 1]).is_multiple_of(11) && !monotonous(text)
}

fn medicare(text: &str) -> bool {
    weighted(text, &[1, 3, 7, 9, 1, 3, 7, 9]) % 10 == digit_at(text, 8) && digit_at(text, 9) != 0
}
