//! From what the words said to the first and last moment that they mean.

use jiff::civil::{Date, DateTime, Weekday};
use jiff::{SignedDuration, ToSpan, Zoned};

use super::super::question::Question;
use super::pattern::{Caught, Figures};
use crate::languages::{DayPart, TimeMeaning, TimeUnit};
use lacuna_types::request::TimeSpan;

/// The hours at which the parts of a day begin and end.
const NOON: i8 = 12;
const EVENING: i8 = 18;
/// The hour at which a night that began the evening before is over.
const NIGHT_END: i8 = 6;

/// A stretch of time on the wall clock, its end not included.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Stretch {
    /// Its beginning.
    pub from: DateTime,
    /// Its end, which is not included.
    pub until: DateTime,
}

impl Stretch {
    fn days(from: Date, until: Date) -> Self {
        Self {
            from: from.to_datetime(jiff::civil::Time::midnight()),
            until: until.to_datetime(jiff::civil::Time::midnight()),
        }
    }
}

/// The first moment and the last, each open where there is none.
pub(super) type Ends = (Option<DateTime>, Option<DateTime>);

/// Both ends in the time zone of now.
pub(super) fn span((from, until): Ends, now: &Zoned) -> Result<TimeSpan, Question> {
    let zoned = |at: DateTime| {
        at.to_zoned(now.time_zone().clone()).map(|at| at.timestamp()).map_err(|_| Question::LooseTime)
    };
    let (from, until) = (from.map(zoned).transpose()?, until.map(zoned).transpose()?);
    match (from, until) {
        (Some(from), Some(until)) if until <= from => Err(Question::TwoTimes),
        _ => Ok(TimeSpan { from, until }),
    }
}

/// Returns the stretch of one time.
pub(super) fn resolve(meaning: TimeMeaning, caught: &Caught, now: &Zoned) -> Result<Stretch, Question> {
    stretch(meaning, caught, now).unwrap_or(Err(Question::LooseTime))
}

fn stretch(meaning: TimeMeaning, caught: &Caught, now: &Zoned) -> Option<Result<Stretch, Question>> {
    let today = now.date();
    let found = match meaning {
        TimeMeaning::DaysAgo(days) => day(back(today, TimeUnit::Day, days)?)?,
        TimeMeaning::Figures => return figures(caught.figures?),
        TimeMeaning::Weekday => day(last_weekday(today, caught.weekday?)?)?,
        TimeMeaning::ThisWeekday | TimeMeaning::WeekdayLastWeek => {
            let weeks = i64::from(meaning == TimeMeaning::WeekdayLastWeek);
            let monday = week_of(back(today, TimeUnit::Week, weeks)?)?;
            day(monday.checked_add(i64::from(caught.weekday?).days()).ok()?)?
        }
        TimeMeaning::MonthDay | TimeMeaning::MonthDays => return month_days(caught, today),
        TimeMeaning::Month | TimeMeaning::LastMonth => month(meaning, caught, today)?,
        TimeMeaning::Year => months(Date::new(caught.year?, 1, 1).ok()?, 12)?,
        TimeMeaning::Quarter => quarter(caught, today)?,
        TimeMeaning::LastUnit => last_unit(caught.unit?, now)?,
        TimeMeaning::ThisUnit => unit_of(caught.unit?, today)?,
        TimeMeaning::Rolling | TimeMeaning::Older => rolling(meaning, caught, now)?,
        TimeMeaning::Ago => ago(caught, today)?,
        TimeMeaning::PartToday => part(today, caught.part?)?,
        TimeMeaning::PartYesterday => part(today.yesterday().ok()?, caught.part?)?,
        TimeMeaning::PartWeekday => part(last_weekday(today, caught.weekday?)?, caught.part?)?,
        TimeMeaning::Weekend => {
            let saturday = last_weekday(today, 5)?;
            Stretch::days(saturday, saturday.checked_add(2.days()).ok()?)
        }
        TimeMeaning::Future => return Some(Err(Question::Future)),
        TimeMeaning::Loose => return Some(Err(Question::LooseTime)),
    };
    Some(Ok(found))
}

/// A range from one time to another. Weekdays and days without a year count back from the end.
pub(super) fn between(
    (first_means, first): (TimeMeaning, Caught),
    (last_means, mut last): (TimeMeaning, Caught),
    now: &Zoned,
) -> Result<Stretch, Question> {
    if last_means == TimeMeaning::Weekday
        && last.weekday == Some(now.date().weekday().to_monday_zero_offset())
    {
        (last.count, last.weekday) = (Some(0), None);
    }
    let end = match last.weekday {
        None if last_means == TimeMeaning::Weekday => day(now.date()).ok_or(Question::LooseTime)?,
        _ => resolve(last_means, &last, now)?,
    };
    let mut start = resolve(first_means, &with_year(first_means, first.clone(), &last), now)?;
    let week = SignedDuration::from_hours(7 * 24);
    if first_means == TimeMeaning::Weekday
        && (start.from >= end.until || end.until.duration_since(start.from) > week)
    {
        let weekday = first.weekday.unwrap_or(0);
        let before = last_weekday(end.until.date(), weekday).and_then(day);
        start = before.ok_or(Question::LooseTime)?;
    }
    if start.from >= end.until {
        Err(Question::TwoTimes)
    } else {
        Ok(Stretch { from: start.from, until: end.until })
    }
}

/// "from March to May 2024": the year counts for both.
fn with_year(meaning: TimeMeaning, mut caught: Caught, last: &Caught) -> Caught {
    let takes = matches!(meaning, TimeMeaning::Month | TimeMeaning::MonthDay | TimeMeaning::Quarter);
    if takes && caught.year.is_none() {
        caught.year = last.year;
    }
    caught
}

fn day(date: Date) -> Option<Stretch> {
    Some(Stretch::days(date, date.tomorrow().ok()?))
}

fn months(first: Date, count: i64) -> Option<Stretch> {
    Some(Stretch::days(first, first.checked_add(count.months()).ok()?))
}

fn week_of(date: Date) -> Option<Date> {
    date.checked_sub(i64::from(date.weekday().to_monday_zero_offset()).days()).ok()
}

/// The last such weekday before a date. People say "today" for today.
fn last_weekday(date: Date, weekday: i8) -> Option<Date> {
    date.nth_weekday(-1, Weekday::from_monday_zero_offset(weekday).ok()?).ok()
}

fn back(date: Date, unit: TimeUnit, count: i64) -> Option<Date> {
    let span = match unit {
        TimeUnit::Minute | TimeUnit::Hour => return None,
        TimeUnit::Day => count.days(),
        TimeUnit::Week => count.weeks(),
        TimeUnit::Month => count.months(),
        TimeUnit::Quarter => (count * 3).months(),
        TimeUnit::Year => count.years(),
    };
    date.checked_sub(span).ok()
}

fn figures(figures: Figures) -> Option<Result<Stretch, Question>> {
    Some(match figures {
        Figures::Day(date) => Ok(day(date)?),
        Figures::Month { year, month } => Ok(months(Date::new(year, month, 1).ok()?, 1)?),
        Figures::Ambiguous => Err(Question::DayOrMonth),
        Figures::Impossible => Err(Question::NoSuchDay),
    })
}

/// The latest such day that has come, unless the year is given.
fn month_days(caught: &Caught, today: Date) -> Option<Result<Stretch, Question>> {
    let (month, first) = (caught.month?, caught.day?);
    let last = caught.last_day.unwrap_or(first);
    let at = |year| Some((Date::new(year, month, first).ok()?, Date::new(year, month, last).ok()?));
    let found = match caught.year {
        Some(year) => at(year),
        // 29 February may be some years back.
        None => (0..8).filter_map(|back| at(today.year() - back)).find(|(from, _)| *from <= today),
    };
    let Some((from, to)) = found else { return Some(Err(Question::NoSuchDay)) };
    if to < from {
        return Some(Err(Question::TwoTimes));
    }
    Some(Ok(Stretch::days(from, to.tomorrow().ok()?)))
}

fn month(meaning: TimeMeaning, caught: &Caught, today: Date) -> Option<Stretch> {
    let month = caught.month?;
    let year = match caught.year {
        Some(year) => year,
        None if month < today.month() || month == today.month() && meaning == TimeMeaning::Month => {
            today.year()
        }
        None => today.year() - 1,
    };
    months(Date::new(year, month, 1).ok()?, 1)
}

fn quarter(caught: &Caught, today: Date) -> Option<Stretch> {
    let quarter = caught.quarter.or_else(|| caught.count.and_then(|count| i8::try_from(count).ok()))?;
    let month = (1..=4).contains(&quarter).then_some(quarter * 3 - 2)?;
    let year = caught.year.unwrap_or(if month <= today.month() { today.year() } else { today.year() - 1 });
    months(Date::new(year, month, 1).ok()?, 3)
}

/// The day, week, month, quarter or year that a date lies in.
fn unit_of(unit: TimeUnit, date: Date) -> Option<Stretch> {
    let first_of_month = date.first_of_month();
    match unit {
        TimeUnit::Minute | TimeUnit::Hour => None,
        TimeUnit::Day => day(date),
        TimeUnit::Week => {
            let monday = week_of(date)?;
            Some(Stretch::days(monday, monday.checked_add(1.week()).ok()?))
        }
        TimeUnit::Month => months(first_of_month, 1),
        TimeUnit::Quarter => {
            let month = (date.month() - 1) / 3 * 3 + 1;
            months(Date::new(date.year(), month, 1).ok()?, 3)
        }
        TimeUnit::Year => months(date.first_of_year(), 12),
    }
}

/// "last week" is the one before this; "the last hour" ends now.
fn last_unit(unit: TimeUnit, now: &Zoned) -> Option<Stretch> {
    match unit {
        TimeUnit::Minute | TimeUnit::Hour => ending_now(unit, 1, now),
        unit => unit_of(unit, back(unit_of(unit, now.date())?.from.date(), unit, 1)?),
    }
}

fn ending_now(unit: TimeUnit, count: i64, now: &Zoned) -> Option<Stretch> {
    let until = now.datetime();
    let span = match unit {
        TimeUnit::Minute => count.minutes(),
        TimeUnit::Hour => count.hours(),
        TimeUnit::Day => count.days(),
        TimeUnit::Week => count.weeks(),
        TimeUnit::Month => count.months(),
        TimeUnit::Quarter => (count * 3).months(),
        TimeUnit::Year => count.years(),
    };
    Some(Stretch { from: until.checked_sub(span).ok()?, until })
}

fn rolling(meaning: TimeMeaning, caught: &Caught, now: &Zoned) -> Option<Stretch> {
    let past = ending_now(caught.unit?, caught.count.unwrap_or(1), now)?;
    Some(if meaning == TimeMeaning::Older { Stretch { from: past.from, until: past.from } } else { past })
}

/// Hours and minutes ago are a moment, not a stretch.
fn ago(caught: &Caught, today: Date) -> Option<Stretch> {
    let unit = caught.unit?;
    unit_of(unit, back(today, unit, caught.count?)?)
}

fn part(date: Date, part: DayPart) -> Option<Stretch> {
    let at = |date: Date, hour| date.at(hour, 0, 0, 0);
    let (from, until) = match part {
        DayPart::Morning => (at(date, 0), at(date, NOON)),
        DayPart::Afternoon => (at(date, NOON), at(date, EVENING)),
        DayPart::Evening => (at(date, EVENING), at(date.tomorrow().ok()?, 0)),
        DayPart::Night => (at(date, EVENING), at(date.tomorrow().ok()?, NIGHT_END)),
    };
    Some(Stretch { from, until })
}
