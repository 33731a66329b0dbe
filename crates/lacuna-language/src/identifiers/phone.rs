//! Telephone numbers: one line, however it is written.

use std::ops::Range;
use std::sync::OnceLock;

use super::money::looks_dated;
use super::rule::{FAINT, FAIR, LIKELY, TOLD, WEAK, continues_word, lower, says};
use super::{Identifier, IdentifierKind};

use crate::compiled::{self, ScreenedRegex};

const DIGITS_MIN: usize = 7;
/// The longest number that the plan of the world allows.
const DIGITS_MAX: usize = 15;
/// The distance in bytes before a number within which a word may mark it as a telephone number.
const CONTEXT_BEFORE: usize = 32;
const CONTEXT: &[&str] = &[
    "phone*",
    "telephone*",
    "tel",
    "mobile",
    "mob",
    "cell",
    "cellphone",
    "call",
    "call me",
    "ring",
    "text me",
    "sms",
    "fax",
    "whatsapp",
    "signal",
    "contact number",
    "telefon*",
    "handy*",
    "mobil*",
    "rufnummer",
    "anrufen",
    "ruf",
    "téléphone",
    "portable",
    "appelle*",
    "teléfono",
    "móvil",
    "llama*",
    "cellulare",
    "telefono",
    "cep",
    "telepono",
    "hotline",
    "dial",
    "reach me at",
];

/// A run of digits as people write telephone numbers, before anybody decided that it is one.
struct PhoneCandidate {
    span: Range<usize>,
    international: bool,
    /// The digits of each group; brackets and separators are gone.
    groups: Vec<String>,
}

impl PhoneCandidate {
    fn digits(&self) -> String {
        self.groups.concat()
    }

    /// E.164 where a plus, two zeros or the American form tells the country, else the digits as dialled at home.
    fn canonical(&self) -> String {
        let digits = self.digits();
        if self.international {
            return format!("+{digits}");
        }
        match self.american() {
            Some(number) if self.groups.len() >= 3 => format!("+1{number}"),
            _ => digits,
        }
    }

    /// Ten digits, or eleven with a one in front, whose area and exchange may exist in North America.
    fn american(&self) -> Option<String> {
        let digits = self.digits();
        let ten = if digits.len() == 11 { digits.strip_prefix('1')? } else { &digits };
        let bytes = ten.as_bytes();
        let leads = |at: usize| {
            (b'2'..=b'9').contains(&bytes[at]) && !(bytes[at + 1] == b'1' && bytes[at + 2] == b'1')
        };
        (bytes.len() == 10 && leads(0) && leads(3)).then(|| ten.to_owned())
    }

    /// 3-3-4, with or without the one.
    fn american_shape(&self) -> bool {
        let lengths: Vec<usize> = self.groups.iter().map(String::len).collect();
        matches!(lengths.as_slice(), [3, 3, 4] | [1, 3, 3, 4] | [3, 7]) && self.american().is_some()
    }

    /// The confidence without a word that says it is called.
    fn confidence(&self) -> Option<f32> {
        let digits = self.digits();
        let grouped = self.groups.len() >= 2;
        if self.international {
            return country_length(&digits).map(|_| TOLD);
        }
        let bytes = digits.as_bytes();
        match (digits.len(), bytes[0]) {
            _ if self.american_shape() => Some(0.8),
            // An American postcode with its four more digits.
            (9, _) if self.groups.len() == 2 && self.groups[0].len() == 5 => None,
            (9..=12, b'0') if bytes[1] != b'0' => Some(if grouped { 0.65 } else { FAIR }),
            (11, b'1') if (b'3'..=b'9').contains(&bytes[1]) => Some(WEAK),
            (11, b'1') if self.american().is_some() => Some(WEAK),
            (10, b'2'..=b'9') => Some(if grouped && self.evenly_grouped() { FAIR } else { FAINT }),
            _ => None,
        }
    }

    /// Groups of two to five digits, as people read numbers out.
    fn evenly_grouped(&self) -> bool {
        self.groups.iter().all(|group| (2..=5).contains(&group.len()))
    }
}

pub(super) fn find(text: &str, found: &mut Vec<Identifier>) {
    let candidates = candidates(text);
    let lower = if candidates.is_empty() { String::new() } else { lower(text) };
    for candidate in candidates {
        let from = text.floor_char_boundary(candidate.span.start.saturating_sub(CONTEXT_BEFORE));
        let told = says(&lower[from..candidate.span.start], CONTEXT);
        let confidence = match (told, candidate.confidence()) {
            (true, Some(_)) => TOLD,
            (true, None) => LIKELY,
            (false, Some(alone)) => alone,
            (false, None) => continue,
        };
        found.push(Identifier {
            kind: IdentifierKind::Phone,
            canonical: candidate.canonical(),
            span: candidate.span,
            confidence,
            reason: if told { "digits and context" } else { "a number that can be dialled" },
        });
    }
}

/// Returns true when the text has the line in any spelling, even without a word that marks it.
pub(super) fn has_line(text: &str, canonical: &str) -> bool {
    candidates(text).iter().any(|candidate| same_line(&candidate.canonical(), canonical))
}

fn candidates(text: &str) -> Vec<PhoneCandidate> {
    static PATTERN: OnceLock<Option<ScreenedRegex>> = OnceLock::new();
    const GROUPS: &str =
        r"(?:\+ ?|\(\+ ?)?(?:\(\d{1,5}\)|\d{1,15})(?:\)?[ .\-/]{0,2}(?:\(\d{1,5}\)|\d{1,15})){0,8}";
    if text.bytes().filter(u8::is_ascii_digit).count() < DIGITS_MIN {
        return Vec::new();
    }
    let Some(pattern) = PATTERN.get_or_init(|| compiled::regex(GROUPS).ok()).as_ref() else {
        return Vec::new();
    };
    pattern.find_iter(text).filter_map(|hit| candidate(text, hit.range())).collect()
}

/// Takes groups from the end until what is left has the length of a telephone number.
fn candidate(text: &str, span: Range<usize>) -> Option<PhoneCandidate> {
    let raw = &text[span.clone()];
    let before = text[..span.start].chars().next_back();
    let glued =
        before.is_some_and(|c| continues_word(c) || matches!(c, '$' | '€' | '£' | '.' | '-' | '/' | '#'));
    if glued || looks_dated(raw) {
        return None;
    }
    let plus = raw.trim_start_matches('(').starts_with('+');
    let mut spans = group_spans(raw);
    // "+44 (0)20": the zero is for those who dial at home.
    if plus && spans.len() > 1 {
        spans.retain(|group| &raw[group.clone()] != "0" || !raw[..group.start].ends_with('('));
    }
    let total = |spans: &[Range<usize>]| spans.iter().map(ExactSizeIterator::len).sum::<usize>();
    while total(&spans) > DIGITS_MAX {
        spans.pop();
    }
    let end = span.start + spans.last()?.end;
    let after = text[end..].chars().next();
    let cut_off = after.is_some_and(|c| continues_word(c) || c == '%')
        || (matches!(after, Some('-' | '.' | ',' | ':'))
            && text[end + 1..].starts_with(|c: char| c.is_alphanumeric()));
    if cut_off || total(&spans) < DIGITS_MIN {
        return None;
    }
    let mut groups: Vec<String> = spans.iter().map(|group| raw[group.clone()].to_owned()).collect();
    let zeros = !plus && groups[0].starts_with("00") && total(&spans) > 10;
    if zeros {
        groups[0] = groups[0][2..].to_owned();
    }
    Some(PhoneCandidate { span: span.start..end, international: plus || zeros, groups })
}

fn group_spans(raw: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for (at, _) in raw.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_digit()) {
        match spans.last_mut() {
            Some(group) if group.end == at => group.end = at + 1,
            _ => spans.push(at..at + 1),
        }
    }
    spans
}

/// The length of the country code with which the digits begin, when what follows has a length that exists.
fn country_length(digits: &str) -> Option<usize> {
    const SUBSCRIBER: std::ops::RangeInclusive<usize> = 6..=12;
    let two: u32 = digits.get(..2)?.parse().ok()?;
    let length = match two {
        10..=19 | 70..=79 => 1,
        20 | 27 | 30..=34 | 36 | 39..=41 | 43..=49 | 51..=58 | 60..=66 | 81 | 82 | 84 | 86 | 90..=95 | 98 => {
            2
        }
        21..=26 | 29 | 35 | 37 | 38 | 42 | 50 | 59 | 67..=69 | 80 | 85 | 87 | 88 | 96 | 97 | 99 => 3,
        _ => return None,
    };
    let rest = digits.len().checked_sub(length)?;
    let fits = if two < 20 { rest == 10 } else { SUBSCRIBER.contains(&rest) };
    fits.then_some(length)
}

/// Returns true when two canonical numbers are the same line: `+442079460958` is `02079460958` where both can be.
pub fn same_line(a: &str, b: &str) -> bool {
    match (a.strip_prefix('+'), b.strip_prefix('+')) {
        (Some(a), Some(b)) => a == b,
        (Some(world), None) => reaches(world, b),
        (None, Some(world)) => reaches(world, a),
        (None, None) => at_home(a) == at_home(b),
    }
}

/// Returns true when the digits, dialled in the country of the number, reach it.
fn reaches(world: &str, home: &str) -> bool {
    let Some(code) = country_length(world) else { return world == home };
    let national = &world[code..];
    // Italy keeps its zero, most drop it, North America may dial a one, and some forget the plus.
    national == home || national == at_home(home) || world == home
}

/// Without the zero that some countries dial before a number at home.
fn at_home(digits: &str) -> &str {
    digits.strip_prefix('0').unwrap_or(digits)
}

#[cfg(test)]
mod tests {
    use super::super::rule::tests::holds;
    use super::super::{CONFIDENT, identifiers};
    use super::*;

    #[test]
    fn numbers_that_can_be_dialled() {
        holds(
            IdentifierKind::Phone,
            &[
                "+44 20 7946 0958",
                "+44 (0)20 7946 0958",
                "0044 20 7946 0958",
                "(212) 555-0187",
                "212.555.0187",
                "1-212-555-0187",
                "tel. 555 0187 22",
                "call me on 07700 900123",
                "+49 30 901820",
            ],
            &[
                "12.05.2023",
                "2023-05-12",
                "$2125550187",
                "10:30",
                "1,000,000",
                "+999",
                "v 1.2.3.4.5.6.7.8",
                "MA 02139-4307",
            ],
        );
    }

    #[test]
    fn international_and_national_forms_are_one_line() {
        for (a, b, same) in [
            ("+442079460958", "02079460958", true),
            ("+442079460958", "2079460958", true),
            ("+442079460958", "+442079460958", true),
            ("+390667843", "0667843", true),
            ("+12125550187", "2125550187", true),
            ("+12125550187", "12125550187", true),
            ("02079460958", "2079460958", true),
            ("+442079460958", "02079460959", false),
            ("+442079460958", "79460958", false),
            ("+442079460958", "+12079460958", false),
            ("+442079460958", "0958", false),
        ] {
            assert_eq!(same_line(a, b), same, "{a} {b}");
            assert_eq!(same_line(b, a), same, "{b} {a}");
        }
    }

    #[test]
    fn the_span_ends_with_the_number() {
        let text = "Ring (212) 555-0187, or after 5.";
        let found = identifiers(text);
        assert_eq!(&text[found[0].span.clone()], "(212) 555-0187");
        assert_eq!(found[0].canonical, "+12125550187");
        assert!(found[0].confidence >= CONFIDENT);
    }
}
