//! The languages of the pages: one catalogue each, the reader's choice, and numbers and dates in their manner.

mod de;
mod en;
mod texts;

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_LANGUAGE;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use maud::{Markup, html};

pub(super) use self::texts::Catalogue;
use super::guard::cookie;

/// The cookie with the reader's choice. It holds nothing else.
pub(super) const LANGUAGE_COOKIE: &str = "lacuna_language";
/// Digits between two separators of a long number.
const DIGITS_PER_GROUP: usize = 3;

/// A language that the pages speak.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PageLanguage {
    English,
    German,
}

impl PageLanguage {
    pub(super) const ALL: [Self; 2] = [Self::English, Self::German];

    /// The code of the language, as browsers and pages name it.
    pub(super) fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
        }
    }

    /// The name of the language in itself.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::German => "Deutsch",
        }
    }

    /// The language that a reader chose, or else the first that their browser asks for.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let chosen = cookie(headers, LANGUAGE_COOKIE).and_then(Self::from_code);
        let asked = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let asked = asked.split(',').filter_map(|part| part.split([';', '-']).next());
        chosen.or_else(|| asked.map(str::trim).find_map(Self::from_code)).unwrap_or(Self::English)
    }

    pub(super) fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.code().eq_ignore_ascii_case(code))
    }

    /// The catalogue of the language.
    pub(super) fn texts(self) -> &'static Catalogue {
        match self {
            Self::English => &en::TEXTS,
            Self::German => &de::TEXTS,
        }
    }

    /// The words for a value of a closed set, such as `sensitivity.health`. A value without words is its own.
    pub(super) fn word(self, set: &str, value: &str) -> String {
        let words = match self {
            Self::English => en::words::WORDS,
            Self::German => de::words::WORDS,
        };
        let found = words.iter().find(|(known, word, _)| *known == set && *word == value);
        found.map_or_else(|| value.replace('_', " "), |(_, _, words)| (*words).to_owned())
    }

    /// A whole number with separators.
    pub(super) fn number(self, number: usize) -> String {
        let separator = match self {
            Self::English => ',',
            Self::German => '.',
        };
        let digits = number.to_string();
        let mut text = String::with_capacity(digits.len() * 2);
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(DIGITS_PER_GROUP) {
                text.push(separator);
            }
            text.push(digit);
        }
        text
    }

    /// A share from 0 to 1 in percent.
    pub(super) fn percent(self, share: f32) -> String {
        let percent = (share.clamp(0.0, 1.0) * 100.0).round();
        match self {
            Self::English => format!("{percent}%"),
            Self::German => format!("{percent} %"),
        }
    }

    /// A number with its noun in singular or plural; the nouns are one text with a bar between them.
    pub(super) fn counted(self, number: usize, nouns: &str) -> String {
        let (one, many) = nouns.split_once('|').unwrap_or((nouns, nouns));
        format!("{} {}", self.number(number), if number == 1 { one } else { many })
    }

    /// A day, without script in UTC.
    pub(super) fn day(self, at: Timestamp) -> Markup {
        html! { time datetime=(at) data-form="day" { (self.plain_day(at)) } }
    }

    /// A moment, without script in UTC.
    pub(super) fn moment(self, at: Timestamp) -> Markup {
        html! { time datetime=(at) data-form="moment" { (self.plain_moment(at)) } }
    }

    /// A day as text, in UTC.
    pub(super) fn plain_day(self, at: Timestamp) -> String {
        let date = at.to_zoned(TimeZone::UTC).date();
        let month = self.texts().months.split(' ').nth(usize::from(date.month().unsigned_abs()) - 1);
        let (day, month) = (date.day(), month.unwrap_or_default());
        match self {
            Self::English => format!("{day} {month} {}", date.year()),
            Self::German => format!("{day}. {month} {}", date.year()),
        }
    }

    fn plain_moment(self, at: Timestamp) -> String {
        let time = at.to_zoned(TimeZone::UTC).time();
        format!("{}, {:02}:{:02} UTC", self.plain_day(at), time.hour(), time.minute())
    }
}

/// Fills the gaps `{}` of a text in order.
pub(super) fn filled(text: &str, values: &[&str]) -> String {
    let mut values = values.iter();
    let mut parts = text.split("{}");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        whole.push_str(values.next().copied().unwrap_or_default());
        whole.push_str(part);
    }
    whole
}

#[cfg(test)]
mod tests;
