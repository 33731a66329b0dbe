//! Days and times of day, however they are written.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Captures;

use crate::compiled::{self, ScreenedRegex};

/// A day. Where the writer's order of day and month cannot be told, it is one of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Date {
    year: u16,
    month: u8,
    day: u8,
    /// Day and month may be the other way round.
    either_way: bool,
}

impl Date {
    pub(super) fn may_be(&self, other: &Self) -> bool {
        let swapped =
            (self.either_way || other.either_way) && (self.month, self.day) == (other.day, other.month);
        self.year == other.year && ((self.month, self.day) == (other.month, other.day) || swapped)
    }
}

/// A time of day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ClockTime {
    hour: u8,
    minute: u8,
}

const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/// Beginnings of month names that English does not have.
const OTHER_MONTHS: &[(&str, u8)] = &[
    ("mär", 3),
    ("mai", 5),
    ("okt", 10),
    ("dez", 12),
    ("fév", 2),
    ("avr", 4),
    ("août", 8),
    ("déc", 12),
    ("juin", 6),
    ("juil", 7),
    ("ene", 1),
    ("abr", 4),
    ("ago", 8),
    ("dic", 12),
];

static NUMERIC: LazyLock<Option<ScreenedRegex>> = LazyLock::new(|| {
    compiled::regex(r"\b(?:(\d{4})([-/.])(\d{1,2})[-/.](\d{1,2})|(\d{1,2})([-/.])(\d{1,2})[-/.](\d{4}))\b")
        .ok()
});
static WRITTEN: LazyLock<Option<ScreenedRegex>> = LazyLock::new(|| {
    compiled::regex(r"(?i)\b(?:(\d{1,2})(?:st|nd|rd|th|\.)?(?: of| de)? (\p{L}{3,10})\.?,?(?: de)? (\d{4})|(\p{L}{3,10})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4}))\b").ok()
});
static TIME: LazyLock<Option<ScreenedRegex>> =
    LazyLock::new(|| compiled::regex(r"(?i)\b(\d{1,2})(?:[:.h](\d{2}))?(?: ?([ap])\.?m\b\.?)?").ok());

/// The days of a text.
pub(super) fn dates(text: &str) -> Vec<(Range<usize>, Date)> {
    let mut found = Vec::new();
    let mut read = |regex: &Option<ScreenedRegex>, read: fn(&Captures<'_>) -> Option<Date>| {
        for hit in regex.iter().flat_map(|regex| regex.captures_iter(text)) {
            if let (Some(whole), Some(date)) = (hit.get(0), read(&hit)) {
                found.push((whole.range(), date));
            }
        }
    };
    read(&NUMERIC, numeric);
    read(&WRITTEN, written);
    found
}

fn numeric(hit: &Captures<'_>) -> Option<Date> {
    let part = |at: usize| hit.get(at).and_then(|part| part.as_str().parse::<u16>().ok());
    match part(1) {
        Some(year) => date(year, part(3)?, part(4)?, false),
        None => {
            let (first, second, year) = (part(5)?, part(7)?, part(8)?);
            // With full stops the day comes first; with slashes nobody can tell.
            let stops = hit.get(6).is_some_and(|mark| mark.as_str() == ".");
            let day_first = stops || first > 12;
            let either_way = !stops && first <= 12 && second <= 12;
            if day_first {
                date(year, second, first, either_way)
            } else {
                date(year, first, second, either_way)
            }
        }
    }
}

fn written(hit: &Captures<'_>) -> Option<Date> {
    let text = |at: usize| hit.get(at).map(|part| part.as_str());
    let (day, month, year) = match text(1) {
        Some(day) => (day, text(2)?, text(3)?),
        None => (text(5)?, text(4)?, text(6)?),
    };
    date(year.parse().ok()?, u16::from(month_number(month)?), day.parse().ok()?, false)
}

fn month_number(word: &str) -> Option<u8> {
    let lower = word.to_lowercase();
    let other = OTHER_MONTHS.iter().find(|(start, _)| lower.starts_with(start)).map(|(_, number)| *number);
    other.or_else(|| MONTHS.iter().position(|start| lower.starts_with(start)).map(|at| at as u8 + 1))
}

fn date(year: u16, month: u16, day: u16, either_way: bool) -> Option<Date> {
    let exists = (1..=12).contains(&month) && (1..=31).contains(&day) && year >= 1000;
    exists.then_some(Date { year, month: month as u8, day: day as u8, either_way })
}

/// The times of day of a text.
pub(super) fn clocks(text: &str) -> Vec<(Range<usize>, ClockTime)> {
    let hits = TIME.iter().flat_map(|regex| regex.captures_iter(text));
    hits.filter_map(|hit| Some((hit.get(0)?.range(), clock(text, &hit)?))).collect()
}

fn clock(text: &str, hit: &Captures<'_>) -> Option<ClockTime> {
    let span = hit.get(0)?.range();
    let hour: u8 = hit.get(1)?.as_str().parse().ok()?;
    let minute = hit.get(2).map(|minute| minute.as_str().parse::<u8>()).transpose().ok()?;
    let half = hit.get(3).map(|half| half.as_str().eq_ignore_ascii_case("p"));
    let colon = text[span.clone()].contains(':');
    let part_of_more = text[..span.start].ends_with([':', '.', '-', '/', '_'])
        || text[span.end..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, ':' | '_' | '/' | '-'))
        || (text[span.end..].starts_with('.')
            && text[span.end + 1..].starts_with(|c: char| c.is_ascii_digit()));
    // A bare number is no time, and "4.30" may be a price.
    let told = half.is_some() || colon;
    let hour = match half {
        Some(_) if hour > 12 || hour == 0 => return None,
        Some(true) => hour % 12 + 12,
        Some(false) => hour % 12,
        None => hour,
    };
    let minute = minute.unwrap_or(0);
    (told && !part_of_more && hour < 24 && minute < 60).then_some(ClockTime { hour, minute })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Option<(u16, u8, u8)> {
        dates(text).first().map(|(_, date)| (date.year, date.month, date.day))
    }

    #[test]
    fn days_are_read_in_every_order() {
        for text in [
            "2031-07-04",
            "2031/7/4",
            "04.07.2031",
            "4 July 2031",
            "July 4th, 2031",
            "4. Juli 2031",
            "4 de julio de 2031",
        ] {
            assert_eq!(day(text), Some((2031, 7, 4)), "{text}");
        }
        assert_eq!(day("31/12/2030"), Some((2030, 12, 31)));
        for text in ["2031", "July 2031", "13/13/2030", "1.2.3", "order 4-11-20"] {
            assert_eq!(day(text), None, "{text}");
        }
        let (slashed, plain) = (dates("04/07/2031")[0].1, dates("2031-07-04")[0].1);
        assert!(slashed.may_be(&plain) && plain.may_be(&slashed));
        assert!(!dates("2031-04-07")[0].1.may_be(&plain));
    }

    #[test]
    fn times_are_read_in_both_halves() {
        let time = |text: &str| clocks(text).first().map(|(_, clock)| (clock.hour, clock.minute));
        for (text, wanted) in [
            ("17:45", Some((17, 45))),
            ("5:45 PM", Some((17, 45))),
            ("5.45pm", Some((17, 45))),
            ("12:10 am", Some((0, 10))),
            ("7 p.m.", Some((19, 0))),
            ("25:10", None),
            ("4.30", None),
            ("3", None),
            ("10:30:15", None),
            ("v1:20", None),
        ] {
            assert_eq!(time(text), wanted, "{text}");
        }
    }
}
