//! Moments as people type them: a date, a time, or a span from now.

use std::str::FromStr;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// The longest span that is taken, which keeps every sum inside the calendar.
const SPAN_HOURS_MAX: i64 = 100 * 366 * 24;

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum TimeArg {
    At(Timestamp),
    Span(SignedDuration),
}

impl TimeArg {
    /// A span is meant as ago.
    pub(super) fn before(self, now: Timestamp) -> Timestamp {
        match self {
            Self::At(at) => at,
            Self::Span(span) => now - span,
        }
    }

    /// A span is meant as from now.
    pub(super) fn after(self, now: Timestamp) -> Timestamp {
        match self {
            Self::At(at) => at,
            Self::Span(span) => now + span,
        }
    }
}

impl FromStr for TimeArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let time = || text.parse::<Timestamp>().ok();
        let date = || text.parse::<Date>().ok()?.to_zoned(TimeZone::UTC).ok().map(|day| day.timestamp());
        time().or_else(date).map(Self::At).or_else(|| span(text).map(Self::Span)).ok_or_else(|| {
            "expected a time like 2026-04-12T09:15:00Z, a date like 2026-04-12, or a span like 30m, 12h, 7d or 4w"
                .to_owned()
        })
    }
}

fn span(text: &str) -> Option<SignedDuration> {
    let unit = text.chars().last()?;
    let count: i64 = text[..text.len() - unit.len_utf8()].parse().ok().filter(|count| *count >= 0)?;
    let minutes = match unit {
        'm' => 1,
        'h' => 60,
        'd' => 24 * 60,
        'w' => 7 * 24 * 60,
        _ => return None,
    };
    let minutes = count.checked_mul(minutes).filter(|minutes| minutes / 60 <= SPAN_HOURS_MAX)?;
    Some(SignedDuration::from_mins(minutes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_parse_as_people_write_them() {
        let at = |text: &str| TimeArg::At(text.parse().unwrap());
        let cases = [
            ("2026-04-12T09:15:00Z", Some(at("2026-04-12T09:15:00Z"))),
            ("2026-04-12", Some(at("2026-04-12T00:00:00Z"))),
            ("30m", Some(TimeArg::Span(SignedDuration::from_mins(30)))),
            ("7d", Some(TimeArg::Span(SignedDuration::from_hours(168)))),
            ("4w", Some(TimeArg::Span(SignedDuration::from_hours(672)))),
            ("", None),
            ("7", None),
            ("-7d", None),
            ("7ä", None),
            ("yesterday", None),
            ("99999999999999d", None),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse::<TimeArg>().ok(), expected, "{text}");
        }
    }
}
