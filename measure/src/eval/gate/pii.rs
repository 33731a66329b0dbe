//! Identifiers in the forms in which a leading recogniser knows them, and ordinary text that has none.

use std::collections::BTreeMap;
use std::time::Instant;

use lacuna_language::identifiers::{CONFIDENT, Identifier, IdentifierKind, identifiers, readings};
use serde::Deserialize;

use super::{Sets, share};
use crate::Result;
use crate::bench::report::Report;

/// Entities that are not identifiers: names, times, places and patterns of the recogniser's users.
const NOT_IDENTIFIERS: &[&str] = &["PERSON", "DATE_TIME", "PATTERN", "LOCATION", "NRP"];
/// Entities whose kind has another name here.
const RENAMED: &[(&str, &str)] = &[
    ("ABA_ROUTING_NUMBER", "aba_routing"),
    ("CREDIT_CARD", "card"),
    ("DE_FUEHRERSCHEIN", "de_driving_licence"),
    ("DE_HANDELSREGISTER", "de_company"),
    ("DE_KFZ", "de_vehicle"),
    ("DE_PLZ", "de_postcode"),
    ("DE_VAT_ID", "de_vat"),
    ("EMAIL_ADDRESS", "email"),
    ("FI_PERSONAL_IDENTITY_CODE", "fi_hetu"),
    ("IBAN_CODE", "iban"),
    ("IN_VEHICLE_REGISTRATION", "in_vehicle"),
    ("IP_ADDRESS", "ip"),
    ("IT_DRIVER_LICENSE", "it_driver_licence"),
    ("IT_IDENTITY_CARD", "it_id_card"),
    ("IT_VAT_CODE", "it_vat"),
    ("KR_DRIVER_LICENSE", "kr_driver_licence"),
    ("MAC_ADDRESS", "mac"),
    ("MEDICAL_LICENSE", "us_dea"),
    ("NG_VEHICLE_REGISTRATION", "ng_vehicle"),
    ("PHONE_NUMBER", "phone"),
    ("PH_MOBILE_NUMBER", "phone"),
    ("SE_ORGANISATIONSNUMMER", "se_company"),
    ("SG_NRIC_FIN", "sg_nric"),
    ("TH_TNIN", "th_national"),
    ("TR_LICENSE_PLATE", "tr_vehicle"),
    ("TR_NATIONAL_ID", "tr_national"),
    ("TR_PHONE_NUMBER", "phone"),
    ("UK_VEHICLE_REGISTRATION", "uk_vehicle"),
    ("US_BANK_NUMBER", "bank_account"),
    ("US_DRIVER_LICENSE", "us_driver_licence"),
    ("ZA_ID_NUMBER", "za_id"),
];
/// Text that is read at a time to take the speed, in characters.
const PAGE_CHARS: usize = 500;

#[derive(Deserialize)]
struct Row {
    entity: String,
    text: String,
    n: usize,
}

/// Texts with and without an identifier of one kind, and how many were read right.
#[derive(Default)]
struct Tally {
    with: usize,
    with_right: usize,
    with_confident: usize,
    without: usize,
    without_right: usize,
    without_confident: usize,
}

impl Tally {
    fn add(&mut self, wanted: usize, found: &[Identifier]) {
        let confident = usize::from(found.iter().any(|one| one.confidence >= CONFIDENT));
        let right = usize::from(found.len() == wanted);
        if wanted > 0 {
            self.with += 1;
            self.with_right += right;
            self.with_confident += confident;
        } else {
            self.without += 1;
            self.without_right += right;
            self.without_confident += confident;
        }
    }

    fn whole(&self) -> bool {
        self.with == self.with_right && self.without == self.without_right
    }

    fn cells(&self, name: &str) -> Vec<String> {
        vec![
            name.to_owned(),
            share(self.with_right, self.with),
            share(self.without_right, self.without),
            share(self.with_confident, self.with),
            share(self.without_confident, self.without),
        ]
    }
}

pub(super) fn write(sets: &Sets, report: &mut Report) -> Result {
    let (Some(rows), Some(turns)) = (sets.rows::<Row>("pii_dev.jsonl")?, sets.turns()?) else {
        return Ok(());
    };
    report.heading("Identifiers");
    by_entity(&rows, report);
    ordinary(&turns, report);
    speed(&turns, report);
    Ok(())
}

fn by_entity(rows: &[Row], report: &mut Report) {
    let mut entities: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut total = Tally::default();
    let mut unknown: Vec<&str> = Vec::new();
    for row in rows.iter().filter(|row| !NOT_IDENTIFIERS.contains(&row.entity.as_str())) {
        let Some(kind) = kind_of(&row.entity) else {
            unknown.push(&row.entity);
            continue;
        };
        let mut found = readings(&row.text);
        found.retain(|one| one.kind == kind && of_country(&row.entity, &one.canonical));
        entities.entry(&row.entity).or_default().add(row.n, &found);
        total.add(row.n, &found);
    }
    unknown.dedup();
    report.line("A text is read right when as many identifiers of its kind are found as it holds.\n");
    let head = ["kind", "with: right", "without: right", "with: confident", "without: confident"];
    let mut lines = vec![total.cells("all")];
    lines.extend(entities.iter().filter(|(_, tally)| !tally.whole()).map(|(name, tally)| tally.cells(name)));
    report.table(&head, lines);
    report.line(&format!(
        "\nOf {} kinds, those not shown are read right every time. Not known: {}.",
        entities.len(),
        if unknown.is_empty() { "none".to_owned() } else { unknown.join(", ") }
    ));
}

fn kind_of(entity: &str) -> Option<IdentifierKind> {
    let lower = entity.to_lowercase();
    let name = RENAMED.iter().find(|(known, _)| *known == entity).map_or(lower.as_str(), |(_, name)| name);
    IdentifierKind::ALL.iter().copied().find(|kind| kind.as_str() == name)
}

/// Telephone numbers are one kind here and one per country there: whether this one fits the country's plan.
fn of_country(entity: &str, canonical: &str) -> bool {
    let (code, leads, zero): (&str, &[char], bool) = match entity {
        "PH_MOBILE_NUMBER" => ("+63", &['9'], true),
        "TR_PHONE_NUMBER" => ("+90", &['2', '3', '4', '5'], false),
        _ => return true,
    };
    let national = match (canonical.strip_prefix(code), canonical.strip_prefix('0')) {
        (Some(national), _) | (None, Some(national)) => national,
        (None, None) if zero => return false,
        (None, None) => canonical,
    };
    national.len() == 10 && national.starts_with(leads)
}

fn ordinary(turns: &[String], report: &mut Report) {
    let any = |least: f32| {
        let has = |turn: &&String| identifiers(turn).iter().any(|one| one.confidence >= least);
        share(turns.iter().filter(has).count(), turns.len())
    };
    report.line(&format!(
        "\nTurns of dialogues with a confident identifier: {}; with any: {}.",
        any(CONFIDENT),
        any(0.0)
    ));
}

fn speed(turns: &[String], report: &mut Report) {
    for (name, digits) in [("without digits", false), ("with digits", true)] {
        let some = turns.iter().filter(|turn| turn.bytes().any(|byte| byte.is_ascii_digit()) == digits);
        let text: Vec<char> = some.flat_map(|turn| turn.chars().chain([' '])).collect();
        let pages: Vec<String> = text.chunks(PAGE_CHARS).map(|page| page.iter().collect()).collect();
        // Once to compile what is needed, once to measure.
        pages.iter().for_each(|page| drop(identifiers(page)));
        let started = Instant::now();
        pages.iter().for_each(|page| drop(identifiers(page)));
        let micros = started.elapsed().as_secs_f64() * 1e6 / pages.len().max(1) as f64;
        report.line(&format!("{PAGE_CHARS} characters of turns {name}: {micros:.1} µs (target: ≤ 100)."));
    }
}
