//! Numbers of orders, tickets, invoices, customers: `TKT-100`, "order no. 8812".

use std::sync::OnceLock;

use super::rule::{FAIR, TOLD, WEAK, compact, stands_alone};
use super::{Identifier, IdentifierKind};

use crate::compiled::{self, ScreenedRegex};

/// Prefixes that say what is numbered.
const KNOWN: &[&str] = &[
    "TKT", "TICKET", "ORD", "ORDER", "INV", "INVOICE", "CASE", "INC", "REQ", "REF", "PO", "SO", "RMA",
    "CUST", "CRM", "ACC", "ACCT", "BK", "BOOKING", "RES", "SR", "CHG", "TASK", "BUG", "ISSUE", "CLM",
    "CLAIM", "POL", "POLICY", "EMP", "MEMBER", "SHIP", "TRK", "RE", "KD", "KDNR", "AUF", "BEST", "FAC",
    "CMD", "PED", "SUB", "TXN", "QUOTE", "CONTRACT", "SUP", "HD", "REQUEST", "DEL", "USR", "USER", "UID",
    "ID", "CID", "PNR",
];
/// Names of standards, machines and diseases that are written the same way.
const STANDARDS: &[&str] = &[
    "COVID", "UTF", "ISO", "RFC", "SHA", "AES", "MD", "GPT", "CVE", "USB", "HTTP", "TLS", "RSA", "PEP",
    "DIN", "EN", "IEC", "IEEE", "ANSI", "WW", "MP", "HDMI", "RTX", "GTX", "CP", "ASCII", "SARS", "MIL",
    "STD", "ECMA", "NGC", "PSR", "WD", "TOP", "PM", "AM", "UN", "US", "UK", "EU", "PS", "XR", "CR", "BMW",
    "KTM", "ATC", "CT", "PG", "MI", "FM", "AK", "AR",
];
const DIGITS_MIN: usize = 3;
const DIGITS_MAX: usize = 20;

pub(super) fn find(text: &str, found: &mut Vec<Identifier>) {
    prefixed(text, found);
    named(text, found);
}

/// Capitals, then digits in one or more groups.
fn prefixed(text: &str, found: &mut Vec<Identifier>) {
    static PATTERN: OnceLock<Option<ScreenedRegex>> = OnceLock::new();
    const SHAPE: &str = r"\b([A-Za-z]{2,8})[-_#](?:[A-Za-z0-9]{1,8}[-_/])?([0-9]{2,14})\b";
    let Some(pattern) = PATTERN.get_or_init(|| compiled::regex(SHAPE).ok()).as_ref() else { return };
    for hit in pattern.captures_iter(text) {
        let (Some(whole), Some(prefix)) = (hit.get(0), hit.get(1)) else { continue };
        let upper = prefix.as_str().to_ascii_uppercase();
        let digits = whole.as_str().bytes().filter(u8::is_ascii_digit).count();
        let confidence = match (KNOWN.contains(&upper.as_str()), upper == prefix.as_str()) {
            _ if STANDARDS.contains(&upper.as_str()) => continue,
            (true, _) => TOLD,
            (false, true) if digits >= DIGITS_MIN => FAIR,
            _ => continue,
        };
        push(text, whole.range(), confidence, "a prefix and a number", found);
    }
}

/// A word that says what is numbered, perhaps "no.", and the number.
fn named(text: &str, found: &mut Vec<Identifier>) {
    static PATTERN: OnceLock<Option<ScreenedRegex>> = OnceLock::new();
    const NAMED: &str = concat!(
        r"(?i)\b(?:order|ticket|invoice|booking|reservation|confirmation|case|claim|policy|customer|client|member(?:ship)?|employee|patient",
        r"|contract|tracking|reference|ref|receipt|transaction|shipment|quote|purchase order|incident|request|file|docket",
        r"|bestell(?:ung)?|auftrags?|kunden|rechnungs?|vertrags?|vorgangs?|buchungs?|ticket|mitglieds?|sendungs?|aktenzeichen|fall",
        r"|commande|facture|dossier|réservation|client|contrat|pedido|factura|reserva|cliente|expediente|ordine|fattura|prenotazione)",
        r"(?P<mark>[ -]?(?:no\b\.?|nr\b\.?|num\b\.?|numbers?|nummer|id|code|n[°º]|#|num[eé]ro|número|numero)\s?(?:is|ist|est|es|lautet|was|:|=)?\s?[:#]?\s?|\s?[:#]\s?|\s)",
        r"(?P<value>[A-Z]{0,5}[-_]?[0-9](?:[-_/]?[A-Z0-9]){1,19})\b"
    );
    let Some(pattern) = PATTERN.get_or_init(|| compiled::regex(NAMED).ok()).as_ref() else { return };
    for hit in pattern.captures_iter(text) {
        let (Some(mark), Some(value)) = (hit.name("mark"), hit.name("value")) else { continue };
        let digits = value.as_str().bytes().filter(u8::is_ascii_digit).count();
        // "order 1500 units" has no mark; "order #15" has one.
        let marked = !mark.as_str().trim().is_empty();
        let confidence = match digits {
            DIGITS_MIN..=DIGITS_MAX if marked => TOLD,
            2 if marked => FAIR,
            5..=DIGITS_MAX => 0.65,
            4 => WEAK,
            _ => continue,
        };
        push(text, value.range(), confidence, "a number that is named", found);
    }
}

fn push(
    text: &str,
    span: std::ops::Range<usize>,
    confidence: f32,
    reason: &'static str,
    found: &mut Vec<Identifier>,
) {
    if stands_alone(text, &span) {
        let canonical = compact(&text[span.clone()]);
        found.push(Identifier { kind: IdentifierKind::Reference, span, canonical, confidence, reason });
    }
}

#[cfg(test)]
mod tests {
    use super::super::rule::tests::holds;
    use super::super::{CONFIDENT, identifiers};
    use super::*;

    #[test]
    fn references_are_prefixed_or_named() {
        holds(
            IdentifierKind::Reference,
            &[
                "TKT-100",
                "ORD-2024-0042",
                "my order no. 8812 is late",
                "order #8812",
                "Kundennummer: 44817",
                "Bestellung Nr. 7731",
                "commande n° 5521",
                "pedido número 99120",
                "invoice 2024-113",
            ],
            &[
                "COVID-19",
                "UTF-16",
                "SHA-256",
                "in order to 5",
                "case 3",
                "TKT-",
                "a ticket for 20",
                "order 12 eggs",
            ],
        );
    }

    #[test]
    fn separators_and_case_do_not_matter() {
        for text in ["ORD-2024-0042", "ord-2024-0042", "ORD_2024-0042"] {
            let found = identifiers(text);
            assert_eq!(found[0].canonical, "ORD20240042", "{text}");
            assert!(found[0].confidence >= CONFIDENT);
        }
    }
}
