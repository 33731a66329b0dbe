//! Cards, IBANs and bank accounts.

use std::ops::Range;
use std::sync::OnceLock;

use super::Identifier;
use super::IdentifierKind::*;
use super::checksum::{luhn, mod97, monotonous, number, weighted};
use super::rule::ChecksumUse::{Must, Shape};
use super::rule::{
    FAINT, IdentifierRule, LIKELY, STRONG, UNTOLD, WEAK, compact, continues_word, stands_alone,
};

use crate::compiled::{self, ScreenedRegex};

const CARD: &[&str] = &[
    "card",
    "credit card",
    "debit card",
    "visa",
    "mastercard",
    "amex",
    "maestro",
    "kreditkarte*",
    "karte",
    "kartennummer",
    "carte",
    "tarjeta",
    "carta di credito",
    "creditcard",
];
/// Words that make any longer number near them an account number.
const ACCOUNT: &[&str] = &[
    "account",
    "acct",
    "a/c",
    "account no",
    "bank account",
    "iban",
    "checking",
    "savings",
    "konto*",
    "kontonummer",
    "girokonto",
    "bankverbindung",
    "compte",
    "cuenta",
    "conto",
    "rekening*",
    "card number",
    "credit card",
    "debit card",
    "kreditkarte*",
    "kartennummer",
    "carte bancaire",
    "carte bleue",
    "tarjeta",
];
const ROUTING: &[&str] = &["routing", "aba", "rtn", "bank", "transit"];

pub(super) const RULES: &[IdentifierRule] = &[
    IdentifierRule {
        kind: Card,
        pattern: r"\d{4}[ .-]\d{4}[ .-]\d{4}[ .-]\d{4}(?:[ .-]\d{3})?|\d{4}[ -]\d{6}[ -]\d{4,5}",
        digits: 14,
        check: Must(card),
        alone: STRONG,
        context: CARD,
    },
    IdentifierRule {
        kind: Card,
        pattern: r"\d{12,19}",
        digits: 12,
        check: Must(card),
        alone: LIKELY,
        context: CARD,
    },
    IdentifierRule {
        kind: BankAccount,
        pattern: r"\d{8,17}",
        digits: 8,
        check: Must(not_a_book),
        alone: FAINT,
        context: ACCOUNT,
    },
    IdentifierRule {
        kind: AbaRouting,
        pattern: r"\d{9}|\d{4}-\d{4}-\d",
        digits: 9,
        check: Must(routing),
        alone: WEAK,
        context: ROUTING,
    },
    IdentifierRule {
        kind: SortCode,
        pattern: r"\d{2}[- ]\d{2}[- ]\d{2}|\d{6}",
        digits: 6,
        check: Shape,
        alone: UNTOLD,
        context: &["sort code", "sort-code", "sortcode"],
    },
];

/// A number right behind the word is an account before it is a telephone number.
const NAMED_ACCOUNT: f32 = 0.92;

/// Issuers by their first digits, with the lengths of their numbers.
fn card(digits: &str) -> bool {
    let (Some(two), Some(four)) = (number(digits, 0, 2), number(digits, 0, 4)) else { return false };
    let length = digits.len();
    let issued = match (two, four) {
        (40..=49, _) => matches!(length, 13 | 16 | 19),
        (51..=55, _) | (_, 2221..=2720) => length == 16,
        (_, 2200..=2204) => (16..=19).contains(&length),
        (34 | 37, _) => length == 15,
        (36 | 38 | 39, _) | (_, 3000..=3059 | 3095) => (14..=19).contains(&length),
        (_, 3528..=3589) => (16..=19).contains(&length),
        (50 | 56..=58, _) => (12..=19).contains(&length),
        (60..=69, _) => (12..=19).contains(&length),
        (10..=19, _) => length == 15,
        _ => false,
    };
    issued && luhn(digits)
}

/// The numbers of books and goods look like any other.
fn not_a_book(digits: &str) -> bool {
    let sum = weighted(digits, &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]);
    !(digits.len() == 13 && matches!(&digits[..3], "978" | "979") && sum.is_multiple_of(10))
}

/// The twelve districts, their thrift and electronic twins, and cheques of travellers.
fn routing(digits: &str) -> bool {
    let district = number(digits, 0, 2).is_some_and(|two| matches!(two, 0..=12 | 21..=32 | 61..=72 | 80));
    district && weighted(digits, &[3, 7, 1, 3, 7, 1, 3, 7, 1]).is_multiple_of(10) && !monotonous(digits)
}

/// Countries that use IBANs, with the length of theirs.
const IBAN_LENGTHS: &[(&str, usize)] = &[
    ("AD", 24),
    ("AE", 23),
    ("AL", 28),
    ("AT", 20),
    ("AZ", 28),
    ("BA", 20),
    ("BE", 16),
    ("BG", 22),
    ("BH", 22),
    ("BR", 29),
    ("BY", 28),
    ("CH", 21),
    ("CR", 22),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DK", 18),
    ("DO", 28),
    ("EE", 20),
    ("EG", 29),
    ("ES", 24),
    ("FI", 18),
    ("FO", 18),
    ("FR", 27),
    ("GB", 22),
    ("GE", 22),
    ("GI", 23),
    ("GL", 18),
    ("GR", 27),
    ("GT", 28),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IQ", 23),
    ("IS", 26),
    ("IT", 27),
    ("JO", 30),
    ("KW", 30),
    ("KZ", 20),
    ("LB", 28),
    ("LC", 32),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("LY", 25),
    ("MC", 27),
    ("MD", 24),
    ("ME", 22),
    ("MK", 19),
    ("MR", 27),
    ("MT", 31),
    ("MU", 30),
    ("NL", 18),
    ("NO", 15),
    ("PK", 24),
    ("PL", 28),
    ("PS", 29),
    ("PT", 25),
    ("QA", 29),
    ("RO", 24),
    ("RS", 22),
    ("SA", 24),
    ("SC", 31),
    ("SD", 18),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("SM", 27),
    ("ST", 25),
    ("SV", 28),
    ("TL", 23),
    ("TN", 24),
    ("TR", 26),
    ("UA", 29),
    ("VA", 22),
    ("VG", 24),
    ("XK", 20),
];

pub(super) fn find(text: &str, found: &mut Vec<Identifier>) {
    ibans(text, found);
    named_accounts(text, found);
}

/// Short and grouped numbers right behind the word that names them: "account no. 12 34 56", "Konto 123456".
fn named_accounts(text: &str, found: &mut Vec<Identifier>) {
    static PATTERN: OnceLock<Option<ScreenedRegex>> = OnceLock::new();
    const NAMED: &str = concat!(
        r"(?i)\b(?:accounts?|acct|a/c|(?:giro|bank)?konto|konto(?:nummer|nr)|compte|cuenta|conto|rekening(?:nummer)?",
        r"|(?:credit|debit|bank) ?card|card|(?:kredit|bank|ec-)?karte|kartennummer|carte|tarjeta)\b\W{0,3}",
        r"(?:(?:no|nr|num|number|nummer|num[eé]ro|número|n[°º]|is|ist|est|es|è|bancaire|bancaria|de crédito|ending in|lautet)\b?\W{0,3}){0,3}",
        r"(\d(?:[ .-]?\d){4,18})\b"
    );
    let Some(pattern) = PATTERN.get_or_init(|| compiled::regex(NAMED).ok()).as_ref() else { return };
    for value in pattern.captures_iter(text).filter_map(|hit| hit.get(1)) {
        let (span, canonical) = (value.range(), compact(value.as_str()));
        if stands_alone(text, &span) && !looks_dated(value.as_str()) {
            let reason = "a number that is called an account";
            found.push(Identifier { kind: BankAccount, span, canonical, confidence: NAMED_ACCOUNT, reason });
        }
    }
}

/// `12.05.2023`, `2023-05-12`.
pub(super) fn looks_dated(raw: &str) -> bool {
    let groups: Vec<usize> = raw.split(|c: char| !c.is_ascii_digit()).map(str::len).collect();
    matches!(groups.as_slice(), [1 | 2, 1 | 2, 4] | [4, 1 | 2, 1 | 2] | [4, 4])
        && raw
            .split(|c: char| !c.is_ascii_digit())
            .any(|group| group.len() == 4 && matches!(&group[..2], "19" | "20"))
}

/// IBANs: the country tells the length, so that words behind it are not taken in.
fn ibans(text: &str, found: &mut Vec<Identifier>) {
    static START: OnceLock<Option<ScreenedRegex>> = OnceLock::new();
    const SHAPE: &str = r"\b[A-Za-z]{2}\d{2}[ -]?[A-Za-z0-9]{4}";
    let Some(start) = START.get_or_init(|| compiled::regex(SHAPE).ok()).as_ref() else { return };
    found.extend(start.find_iter(text).filter_map(|hit| iban(text, hit.start())));
}

fn iban(text: &str, start: usize) -> Option<Identifier> {
    let country = text.get(start..start + 2)?.to_ascii_uppercase();
    let (_, length) = IBAN_LENGTHS.iter().find(|(known, _)| *known == country)?;
    let rest = &text[start..];
    let end = rest.char_indices().filter(|(_, c)| c.is_ascii_alphanumeric()).nth(length - 1)?.0 + 1;
    let raw = &rest[..end];
    let separators = raw.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '.'));
    let before = text[..start].chars().next_back();
    let after = rest[end..].chars().next();
    if !separators || before.is_some_and(continues_word) || after.is_some_and(continues_word) {
        return None;
    }
    let canonical = compact(raw);
    let turned = format!("{}{}", &canonical[4..], &canonical[..4]);
    let span = start..start + end;
    (mod97(&turned) == 1 && !is_part_of_uuid(text, &span)).then_some(Identifier {
        kind: Iban,
        span,
        canonical,
        confidence: STRONG,
        reason: "length and checksum of its country",
    })
}

/// Returns true when a span lies in a UUID, which programs draw at random.
fn is_part_of_uuid(text: &str, span: &Range<usize>) -> bool {
    const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];
    let belongs = |c: &char| c.is_ascii_hexdigit() || *c == '-';
    let before = text[..span.start].chars().rev().take_while(belongs).count();
    let after = text[span.end..].chars().take_while(belongs).count();
    let whole = &text[span.start - before..span.end + after];
    whole.chars().all(|c| belongs(&c)) && whole.trim_matches('-').split('-').map(str::len).eq(GROUPS)
}
