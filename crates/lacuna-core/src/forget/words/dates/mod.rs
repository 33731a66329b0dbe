//! When something was said: days, ranges and bounds in the words that people use for them.

mod pattern;
mod stretch;

use std::ops::Range;

use jiff::Zoned;

use self::pattern::{Caught, fit};
use self::stretch::{Stretch, resolve};
use super::super::Span;
use super::question::Question;
use super::tokens::Said;

/// A unit of time that people count in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

/// A part of a day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Morning,
    Afternoon,
    Evening,
    Night,
}

/// What a pattern of words means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    DaysAgo(i64),
    /// A date in figures: 2026-03-04, 4.3.2026, 2026-03.
    Figures,
    /// The last such weekday before today, or the one of this week.
    Weekday,
    ThisWeekday,
    WeekdayLastWeek,
    /// A day of a month, or several in a row; the latest that has come where no year is given.
    MonthDay,
    MonthDays,
    Month,
    LastMonth,
    Year,
    Quarter,
    LastUnit,
    ThisUnit,
    /// Up to now: "the last three days".
    Rolling,
    /// The day, week, month or year that lies so far back.
    Ago,
    PartToday,
    PartYesterday,
    PartWeekday,
    Weekend,
    /// Everything that lies further back than this.
    Older,
    Future,
    /// Bounded by nothing: "a few days ago".
    Loose,
}

/// The words of one language for times. Lists are divided by commas; see [`pattern`] for the patterns.
pub(super) struct Calendar {
    /// From Monday, and from January.
    pub(super) days: [&'static str; 7],
    pub(super) months: [&'static str; 12],
    /// From one.
    pub(super) numbers: &'static [&'static str],
    pub(super) units: &'static [(Unit, &'static str)],
    pub(super) parts: &'static [(Part, &'static str)],
    pub(super) patterns: &'static [(&'static str, Meaning)],
    pub(super) before: &'static str,
    pub(super) after: &'static str,
    pub(super) since: &'static str,
    pub(super) until: &'static str,
    /// What leads a time wherever it stands ("from"), and only beside a word of saying ("on").
    pub(super) from: &'static str,
    pub(super) on: &'static str,
    /// What joins the two ends of a range, with what leads it.
    pub(super) ranges: &'static [(&'static str, &'static str)],
}

/// A time within a request.
pub(super) struct Clause {
    pub(super) end: usize,
    pub(super) when: Result<Span, Question>,
    /// Whether the words alone make it a bound of the request.
    pub(super) is_bounding: bool,
    /// Whether it may as well be a name: "May", "Friday", "2024".
    pub(super) is_name: bool,
}

/// A time in words, and how it was said.
struct Moment {
    end: usize,
    meaning: Meaning,
    stretch: Result<Stretch, Question>,
    dated: bool,
}

/// The time that begins at the start of a range.
pub(super) fn clause_at(
    said: &Said<'_>,
    calendar: &Calendar,
    range: Range<usize>,
    now: &Zoned,
) -> Option<Clause> {
    let clause =
        |end, stretch: Result<Stretch, Question>, bound: fn(Stretch) -> (bool, bool, Stretch)| Clause {
            end,
            when: stretch.and_then(|stretch| stretch::span(bound(stretch), now)),
            is_bounding: true,
            is_name: false,
        };
    if let Some((end, stretch)) = range_at(said, calendar, range.clone(), now) {
        return Some(clause(end, stretch, |stretch| (true, true, stretch)));
    }
    // "two days ago" before "before": German says both with one word.
    if let Some(moment) = moment_at(said, calendar, range.clone(), now) {
        let older = moment.meaning == Meaning::Older;
        let bound: fn(Stretch) -> _ =
            if older { |stretch| (false, true, stretch) } else { |stretch| (true, true, stretch) };
        let found = clause(moment.end, moment.stretch, bound);
        return Some(Clause { is_bounding: older, is_name: moment.dated, ..found });
    }
    let bounds: [(&str, fn(Stretch) -> (bool, bool, Stretch)); 4] = [
        (calendar.before, |stretch| (false, true, Stretch { until: stretch.from, ..stretch })),
        (calendar.after, |stretch| (true, false, Stretch { from: stretch.until, ..stretch })),
        (calendar.since, |stretch| (true, false, stretch)),
        (calendar.until, |stretch| (false, true, stretch)),
    ];
    for (phrases, bound) in bounds {
        let Some(start) = said.longest(range.clone(), phrases) else { continue };
        if let Some(moment) = moment_at(said, calendar, start..range.end, now) {
            return Some(clause(moment.end, moment.stretch, bound));
        }
    }
    let led = |phrases| {
        let start = said.longest(range.clone(), phrases)?;
        moment_at(said, calendar, start..range.end, now)
    };
    let whole = |stretch| (true, true, stretch);
    led(calendar.from).map(|moment| clause(moment.end, moment.stretch, whole)).or_else(|| {
        let moment = led(calendar.on)?;
        Some(Clause { is_bounding: false, ..clause(moment.end, moment.stretch, whole) })
    })
}

/// "from Monday to Wednesday", "between 3 March and 5 March".
fn range_at(
    said: &Said<'_>,
    calendar: &Calendar,
    range: Range<usize>,
    now: &Zoned,
) -> Option<(usize, Result<Stretch, Question>)> {
    calendar.ranges.iter().find_map(|(lead, joint)| {
        let start = if lead.is_empty() { range.start } else { said.longest(range.clone(), lead)? };
        let (end, first) = caught_at(said, calendar, start..range.end)?;
        let next = said.longest(end..range.end, joint)?;
        let (end, last) = caught_at(said, calendar, next..range.end)?;
        Some((end, stretch::between(first, last, now)))
    })
}

fn moment_at(said: &Said<'_>, calendar: &Calendar, range: Range<usize>, now: &Zoned) -> Option<Moment> {
    let (end, (meaning, caught)) = caught_at(said, calendar, range)?;
    let name = matches!(meaning, Meaning::Month | Meaning::Weekday | Meaning::Year);
    // "May 2024" and "last Friday" are no names.
    let dated = name && !(meaning == Meaning::Month && caught.year.is_some()) && !caught.led;
    Some(Moment { end, meaning, stretch: resolve(meaning, &caught, now), dated })
}

/// The longest pattern that fits.
fn caught_at(
    said: &Said<'_>,
    calendar: &Calendar,
    range: Range<usize>,
) -> Option<(usize, (Meaning, Caught))> {
    let fits = calendar.patterns.iter().filter_map(|(pattern, meaning)| {
        let (end, caught) = fit(said, calendar, range.clone(), pattern)?;
        Some((end, (*meaning, caught)))
    });
    fits.fold(None, |best: Option<(usize, _)>, found| match best {
        Some(best) if best.0 >= found.0 => Some(best),
        _ => Some(found),
    })
}
