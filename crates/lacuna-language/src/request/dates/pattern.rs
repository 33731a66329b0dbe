//! Patterns of words for times. A pattern is words between spaces: `#day` and the like stand for a word of that
//! kind, `?` before a word says that it may be missing, `|` divides words of which one stands there.

use std::ops::Range;

use jiff::civil::Date;

use super::super::tokens::RequestText;
use crate::languages::{Calendar, DayPart, LANGUAGES, LanguageRules, TimeUnit};

/// Years that a bare number may be.
const YEARS: std::ops::RangeInclusive<i16> = 1970..=2100;
/// The largest count that is read, whatever the unit.
const COUNT_MAX: i64 = 1_000;

/// Values that the words of a pattern gave.
#[derive(Clone, Default, Debug)]
pub(super) struct Caught {
    /// A number of units.
    pub count: Option<i64>,
    /// A unit of time.
    pub unit: Option<TimeUnit>,
    /// The weekday, Monday being 0.
    pub weekday: Option<i8>,
    /// The month, January being 1.
    pub month: Option<i8>,
    /// The year.
    pub year: Option<i16>,
    /// The day of the month, or the first of several.
    pub day: Option<i8>,
    /// The last of several days.
    pub last_day: Option<i8>,
    /// The part of the day.
    pub part: Option<DayPart>,
    /// The quarter of the year, from 1.
    pub quarter: Option<i8>,
    /// A date in figures.
    pub figures: Option<Figures>,
    /// True if a word of the pattern itself was there, such as "last".
    pub led: bool,
}

/// A date in figures.
#[derive(Clone, Copy, Debug)]
pub(super) enum Figures {
    Day(Date),
    Month { year: i16, month: i8 },
    Ambiguous,
    Impossible,
}

/// Fits a pattern to the start of a range; returns its end and the values that it caught.
pub(super) fn fit(
    said: &RequestText<'_>,
    calendar: &Calendar,
    range: Range<usize>,
    pattern: &str,
) -> Option<(usize, Caught)> {
    let words: Vec<&str> = pattern.split_ascii_whitespace().collect();
    fit_words(said, calendar, range, &words, Caught::default())
}

fn fit_words(
    said: &RequestText<'_>,
    calendar: &Calendar,
    range: Range<usize>,
    words: &[&str],
    caught: Caught,
) -> Option<(usize, Caught)> {
    let Some((first, rest)) = words.split_first() else { return Some((range.start, caught)) };
    let (optional, first) = first.strip_prefix('?').map_or((false, *first), |first| (true, first));
    if range.start < range.end {
        let mut with = caught.clone();
        let word = bare(said.word(range.start));
        if first.split('|').any(|one| catch(calendar, word, one, &mut with)) {
            let found = fit_words(said, calendar, range.start + 1..range.end, rest, with);
            if found.is_some() {
                return found;
            }
        }
    }
    optional.then(|| fit_words(said, calendar, range, rest, caught)).flatten()
}

/// "yesterday's" is yesterday.
fn bare(word: &str) -> &str {
    word.strip_suffix("'s").unwrap_or(word)
}

fn catch(calendar: &Calendar, word: &str, pattern: &str, caught: &mut Caught) -> bool {
    let Some(class) = pattern.strip_prefix('#') else {
        caught.led |= word == pattern;
        return !word.is_empty() && word == pattern;
    };
    match class {
        "day" => set(&mut caught.weekday, listed(&calendar.days, word)),
        "month" => set(&mut caught.month, calendar.month(word)),
        "n" => set(&mut caught.count, count(calendar, word)),
        "unit" => set(&mut caught.unit, named(calendar.units, word)),
        "part" => set(&mut caught.part, named(calendar.parts, word)),
        "year" => set(&mut caught.year, year(word)),
        "dom" => set(&mut caught.day, day_of_month(word)),
        "dom2" => set(&mut caught.last_day, day_of_month(word)),
        "doms" => days_of_month(word, caught),
        "q" => set(&mut caught.quarter, quarter(word)),
        "figures" => set(&mut caught.figures, figures(word)),
        _ => false,
    }
}

fn set<T>(place: &mut Option<T>, found: Option<T>) -> bool {
    let is = found.is_some();
    if is {
        *place = found;
    }
    is
}

fn contains(list: &str, word: &str) -> bool {
    list.split(',').any(|one| one.trim() == word)
}

fn listed(lists: &[&str], word: &str) -> Option<i8> {
    lists.iter().position(|list| contains(list, word)).and_then(|at| i8::try_from(at).ok())
}

fn named<T: Copy>(lists: &[(T, &str)], word: &str) -> Option<T> {
    lists.iter().find(|(_, list)| contains(list, word)).map(|(value, _)| *value)
}

fn count(calendar: &Calendar, word: &str) -> Option<i64> {
    let spelt = calendar.numbers.iter().position(|list| contains(list, word));
    let count = match spelt {
        Some(at) => i64::try_from(at + 1).ok()?,
        None => word.parse().ok()?,
    };
    (1..=COUNT_MAX).contains(&count).then_some(count)
}

fn year(word: &str) -> Option<i16> {
    word.parse().ok().filter(|year| word.len() == 4 && YEARS.contains(year))
}

/// 3, 3rd, 1er.
fn day_of_month(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(|c: char| !c.is_ascii_digit());
    let ending = &word[digits.len()..];
    let day: i8 = digits.parse().ok().filter(|_| digits.len() <= 2)?;
    let ordinal = |rules: &&LanguageRules| {
        rules.request.calendar.ordinals.split_whitespace().any(|known| known == ending)
    };
    let ends = ending.is_empty() || LANGUAGES.iter().any(ordinal);
    (ends && (1..=31).contains(&day)).then_some(day)
}

/// 3-5, 3–5.
fn days_of_month(word: &str, caught: &mut Caught) -> bool {
    let Some((first, last)) = word.split_once(['-', '–']) else { return false };
    set(&mut caught.day, day_of_month(first)) && set(&mut caught.last_day, day_of_month(last))
}

fn quarter(word: &str) -> Option<i8> {
    match word {
        "q1" => Some(1),
        "q2" => Some(2),
        "q3" => Some(3),
        "q4" => Some(4),
        _ => None,
    }
}

fn figures(word: &str) -> Option<Figures> {
    let mark = word.chars().find(|c| !c.is_ascii_digit())?;
    let parts: Vec<i16> = word.split(mark).map(str::parse).collect::<Result<_, _>>().ok()?;
    let lengths: Vec<usize> = word.split(mark).map(str::len).collect();
    match (mark, parts.as_slice(), lengths.as_slice()) {
        ('-' | '/' | '.', [year, month, day], [4, 1..=2, 1..=2]) => Some(date(*year, *month, *day)),
        ('-', [year, month], [4, 2]) if YEARS.contains(year) && (1..=12).contains(month) => {
            Some(Figures::Month { year: *year, month: i8::try_from(*month).ok()? })
        }
        ('.', [day, month, year], [1..=2, 1..=2, 4]) => Some(date(*year, *month, *day)),
        ('/' | '-', [a, b, year], [1..=2, 1..=2, 4]) => Some(match (*a > 12, *b > 12) {
            (true, false) => date(*year, *b, *a),
            (false, true) => date(*year, *a, *b),
            (false, false) if a == b => date(*year, *a, *b),
            (false, false) => Figures::Ambiguous,
            (true, true) => Figures::Impossible,
        }),
        _ => None,
    }
}

fn date(year: i16, month: i16, day: i16) -> Figures {
    let date = (i8::try_from(month), i8::try_from(day));
    let date = match date {
        (Ok(month), Ok(day)) if YEARS.contains(&year) => Date::new(year, month, day).ok(),
        _ => None,
    };
    date.map_or(Figures::Impossible, Figures::Day)
}
