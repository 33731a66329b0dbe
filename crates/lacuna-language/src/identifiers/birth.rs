//! Dates of birth: a date beside a word that says somebody was born then.

use std::sync::OnceLock;

use regex::Captures;

use super::checksum::day_exists;
use super::rule::TOLD;
use super::{Identifier, IdentifierKind};
use crate::compiled::{self, ScreenedRegex};
use crate::languages::{calendars, month_by_beginning};
use crate::words::{Folding, fold};

pub(super) fn find(text: &str, found: &mut Vec<Identifier>) {
    let Some(pattern) = pattern() else { return };
    for hit in pattern.captures_iter(text) {
        let Some(date) = hit.name("date") else { continue };
        if let Some(canonical) = canonical(&hit) {
            let (kind, reason) = (IdentifierKind::BirthDate, "a date of birth");
            found.push(Identifier { kind, span: date.range(), canonical, confidence: TOLD, reason });
        }
    }
}

fn pattern() -> Option<&'static ScreenedRegex> {
    static PATTERN: OnceLock<Option<ScreenedRegex>> = OnceLock::new();
    const BORN: &str = concat!(
        r"(?i)(?:\bborn|\bdob|\bd\.o\.b\.?|date of birth|birth ?date|birthday|\bgeboren|\bgeb\.|geburtsdatum|geburtstag",
        r"|\bnée?|date de naissance|anniversaire|\bnacid[oa]|\bnací|fecha de nacimiento|cumpleaños|\bnat[oa]|data di nascita)",
        r"\W{0,3}(?:(?:on|is|was|the|am|ist|der|le|est|el|es|il|è|=|falls on)\b\W{0,3}){0,3}",
        r"(?P<date>(?P<y1>\d{4})[-/.](?P<m1>\d{1,2})[-/.](?P<d1>\d{1,2})",
        r"|(?P<d2>\d{1,2})[-/. ]{1,2}(?P<m2>\d{1,2})[-/. ]{1,2}(?P<y2>\d{4}|\d{2})",
        r"|(?P<d3>\d{1,2})(?:st|nd|rd|th|\.|er|º)? (?:of |de )?(?P<n3>\p{L}{3,10})\.?,?(?: de| del)?(?: (?P<y3>\d{4}))?",
        r"|(?P<n4>\p{L}{3,10})\.? (?P<d4>\d{1,2})(?:st|nd|rd|th)?(?:,? (?P<y4>\d{4}))?)\b"
    );
    PATTERN.get_or_init(|| compiled::regex(BORN).ok()).as_ref()
}

/// `YYYY-MM-DD`, with `--` for a year that is not said.
fn canonical(hit: &Captures<'_>) -> Option<String> {
    let value = |name: &str| hit.name(name).and_then(|part| part.as_str().parse::<u64>().ok());
    let day = ["d1", "d2", "d3", "d4"].iter().find_map(|name| value(name))?;
    let named = ["n3", "n4"].iter().find_map(|name| hit.name(name)).map(|name| month(name.as_str()));
    let month = match named {
        Some(month) => month?,
        None => ["m1", "m2"].iter().find_map(|name| value(name))?,
    };
    let year = ["y1", "y2", "y3", "y4"].iter().find_map(|name| hit.name(name));
    // "05/17/1990": what cannot be a month is the day.
    let (day, month) = if month > 12 { (month, day) } else { (day, month) };
    let year = year.map_or("--", |year| year.as_str());
    day_exists(day, month).then(|| format!("{year}-{month:02}-{day:02}"))
}

/// Returns true for the name of a month in a language where "in" stands before both months and towns.
pub(super) fn is_month(word: &str) -> bool {
    let word = fold(word, Folding::Request);
    calendars().any(|calendar| calendar.leads_with("in") && calendar.month(&word).is_some())
}

fn month(name: &str) -> Option<u64> {
    month_by_beginning(&fold(name, Folding::Request)).and_then(|month| u64::try_from(month).ok())
}

#[cfg(test)]
mod tests {
    use super::super::identifiers;
    use super::super::rule::tests::holds;
    use super::*;

    #[test]
    fn a_date_of_birth_says_so() {
        holds(
            IdentifierKind::BirthDate,
            &[
                "born on 17 May 1990",
                "DOB: 1990-05-17",
                "geboren am 17. Mai 1990",
                "née le 17 mai 1990",
                "nací el 17 de mayo de 1990",
            ],
            &["we met on 17 May 1990", "born in 1990", "birthday party for 20", "DOB: 1990-13-40"],
        );
        for text in
            ["DOB 17.05.1990", "born May 17, 1990", "date of birth: 05/17/1990", "geboren am 17. Mai 1990"]
        {
            assert_eq!(identifiers(text)[0].canonical, "1990-05-17", "{text}");
        }
    }
}
