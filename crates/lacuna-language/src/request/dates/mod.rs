//! Times of a request: days, ranges and bounds in the words that people use for them.

mod asked;
mod pattern;
mod stretch;

use std::ops::Range;

pub use asked::{AskedTime, asked_time, tells_time};
use jiff::Zoned;

use self::pattern::{Caught, fit};
use self::stretch::{Ends, Stretch, resolve};
use super::question::Question;
use super::tokens::RequestText;
use crate::languages::{Calendar, TimeMeaning};
use lacuna_types::request::TimeSpan;

/// A time within a request.
pub(super) struct TimeClause {
    /// Number of the first token after the time.
    pub end: usize,
    /// The time, or a question about one that is unclear.
    pub when: Result<TimeSpan, Question>,
    /// True if the words alone make it a bound of the request.
    pub is_bounding: bool,
    /// True if it may as well be a name: "May", "Friday", "2024".
    pub is_name: bool,
}

/// A time in words, and how it was said.
struct Moment {
    end: usize,
    meaning: TimeMeaning,
    stretch: Result<Stretch, Question>,
    is_name: bool,
}

/// The way in which a stretch bounds a request.
type Bound = fn(Stretch) -> Ends;

const WITHIN: Bound = |stretch| (Some(stretch.from), Some(stretch.until));
const BEFORE: Bound = |stretch| (None, Some(stretch.from));
const AFTER: Bound = |stretch| (Some(stretch.until), None);
const SINCE: Bound = |stretch| (Some(stretch.from), None);
const UNTIL: Bound = |stretch| (None, Some(stretch.until));

/// The time that begins at the start of a range.
pub(super) fn clause_at(
    said: &RequestText<'_>,
    calendar: &Calendar,
    range: Range<usize>,
    now: &Zoned,
) -> Option<TimeClause> {
    let clause = |end, stretch: Result<Stretch, Question>, bound: Bound| TimeClause {
        end,
        when: stretch.and_then(|stretch| stretch::span(bound(stretch), now)),
        is_bounding: true,
        is_name: false,
    };
    if let Some((end, stretch)) = range_at(said, calendar, range.clone(), now) {
        return Some(clause(end, stretch, WITHIN));
    }
    // "two days ago" before "before": German says both with one word.
    if let Some(moment) = moment_at(said, calendar, range.clone(), now) {
        let older = moment.meaning == TimeMeaning::Older;
        let found = clause(moment.end, moment.stretch, if older { UNTIL } else { WITHIN });
        return Some(TimeClause { is_bounding: older, is_name: moment.is_name, ..found });
    }
    let leads = [
        (calendar.before, BEFORE),
        (calendar.after, AFTER),
        (calendar.since, SINCE),
        (calendar.until, UNTIL),
        (calendar.from, WITHIN),
        (calendar.on, WITHIN),
    ];
    leads.into_iter().find_map(|(phrases, bound)| {
        let start = said.longest(range.clone(), phrases)?;
        let moment = moment_at(said, calendar, start..range.end, now)?;
        let onwards =
            said.longest(moment.end..range.end, calendar.onwards).filter(|_| phrases == calendar.from);
        let bound = if onwards.is_some() { SINCE } else { bound };
        let found = clause(onwards.unwrap_or(moment.end), moment.stretch, bound);
        Some(TimeClause { is_bounding: phrases != calendar.on, ..found })
    })
}

/// "from Monday to Wednesday", "between 3 March and 5 March".
fn range_at(
    said: &RequestText<'_>,
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

fn moment_at(
    said: &RequestText<'_>,
    calendar: &Calendar,
    range: Range<usize>,
    now: &Zoned,
) -> Option<Moment> {
    let (end, (meaning, caught)) = caught_at(said, calendar, range)?;
    let name = matches!(meaning, TimeMeaning::Month | TimeMeaning::Weekday | TimeMeaning::Year);
    // "May 2024" and "last Friday" are no names.
    let is_name = name && !(meaning == TimeMeaning::Month && caught.year.is_some()) && !caught.led;
    Some(Moment { end, meaning, stretch: resolve(meaning, &caught, now), is_name })
}

/// The longest pattern that fits.
fn caught_at(
    said: &RequestText<'_>,
    calendar: &Calendar,
    range: Range<usize>,
) -> Option<(usize, (TimeMeaning, Caught))> {
    let fits = calendar.patterns.iter().filter_map(|(pattern, meaning)| {
        let (end, caught) = fit(said, calendar, range.clone(), pattern)?;
        Some((end, (*meaning, caught)))
    });
    fits.fold(None, |best: Option<(usize, _)>, found| match best {
        Some(best) if best.0 >= found.0 => Some(best),
        _ => Some(found),
    })
}
