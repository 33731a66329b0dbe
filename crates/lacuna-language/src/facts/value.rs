//! Comparison of two values of one attribute.

use super::{Arity, Statement, nouns};
use crate::languages::{LANGUAGES, LanguageRules, RESIDENCE, calendars, is_weekday};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    /// One of them holds every word of the other: Oslo, and Oslo in Norway.
    Refines,
    Different,
    /// A day and a place: they do not speak of the same.
    OtherKind,
    Unclear,
}

impl Relation {
    pub(super) fn is_same(self) -> bool {
        matches!(self, Self::Equal | Self::Refines)
    }
}

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Weekday,
    Time,
    Date,
    Number,
    Address,
    Words,
}

pub(super) fn relate(old: &Statement, new: &Statement) -> Relation {
    let (a, b) = (words(&old.value), words(&new.value));
    if a.is_empty() || b.is_empty() {
        return Relation::Unclear;
    }
    let (in_b, in_a) = (a.iter().all(|word| b.contains(word)), b.iter().all(|word| a.contains(word)));
    if in_a && in_b {
        return Relation::Equal;
    }
    if in_a || in_b {
        return Relation::Refines;
    }
    different(old, new)
}

fn different(old: &Statement, new: &Statement) -> Relation {
    let (a, b) = (kind(&old.value), kind(&new.value));
    if a != b {
        let loose = matches!(old.arity, Arity::OneOfKind | Arity::Event);
        return if loose { Relation::OtherKind } else { Relation::Unclear };
    }
    // Several values at once, or a region beside a place that may lie in it.
    let listed = [old, new].iter().any(|one| is_list(&one.value));
    let wider = old.attribute == RESIDENCE && nouns::is_region(&old.value) != nouns::is_region(&new.value);
    let younger = old.attribute == "age" && number(&new.value) < number(&old.value);
    // "Ajax" is a team; "losing" is what it does.
    let unlike = old.attribute.starts_with("favourite ") && old.proper != new.proper;
    let measured = a == Kind::Number && units(&old.value) != units(&new.value);
    if listed || wider || younger || unlike || measured { Relation::Unclear } else { Relation::Different }
}

/// Returns true if a value is a date, a time, a number or an address, of which there is one at a time.
pub(super) fn is_exact(statement: &Statement) -> bool {
    kind(&statement.value) != Kind::Words
}

fn is_list(value: &str) -> bool {
    let signs = [", ", " & ", "/"].iter().any(|sign| value.contains(sign));
    let joined = value.split(' ').any(|word| is_listed(|rules| rules.noun.joints, word));
    (signs || joined) && kind(value) == Kind::Words
}

fn number(value: &str) -> u64 {
    let digits: String = value.chars().filter(char::is_ascii_digit).take(18).collect();
    digits.parse().unwrap_or_default()
}

/// Returns the words for the things that a number counts.
fn units(value: &str) -> Vec<String> {
    words(value).into_iter().filter(|word| !word.contains(|c: char| c.is_ascii_digit())).collect()
}

/// The words of a value in which order and small words do not matter.
fn words(value: &str) -> Vec<String> {
    let parts = value.split(|c: char| {
        !(c.is_alphanumeric() || matches!(c, '@' | '.' | '+' | '#' | ':' | '$' | '€' | '£'))
    });
    let parts = parts
        .map(|word| word.trim_matches(['.', ':']))
        .filter(|word| !word.is_empty() && !is_listed(|rules| rules.noun.fillers, word));
    parts.map(singular).collect()
}

/// "Tuesdays" is Tuesday, "3rd" is 3.
fn singular(word: &str) -> String {
    if let Some(day) = word.strip_suffix('s').filter(|day| names_day(day)) {
        return day.to_owned();
    }
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let is_ordinal =
        !digits.is_empty() && is_listed(|rules| rules.request.calendar.ordinals, &word[digits.len()..]);
    if is_ordinal { digits.to_owned() } else { word.to_owned() }
}

/// Returns true if a word stands in a list of any language.
fn is_listed(list: fn(&LanguageRules) -> &'static str, word: &str) -> bool {
    LANGUAGES.iter().any(|rules| list(rules).split_whitespace().any(|listed| listed == word))
}

fn names_day(word: &str) -> bool {
    is_weekday(word) || is_listed(|rules| rules.noun.days, word)
}

fn names_month(word: &str) -> bool {
    calendars().any(|calendar| calendar.month(word).is_some())
        || is_listed(|rules| rules.request.calendar.short_months, word)
}

fn kind(value: &str) -> Kind {
    let words = words(value);
    let any = |test: &dyn Fn(&str) -> bool| words.iter().any(|word| test(word));
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    if value.contains('@') || value.contains("://") || value.contains("www.") {
        Kind::Address
    } else if any(&names_month) && has_digit || is_numeric_date(value) {
        Kind::Date
    } else if any(&names_day) {
        Kind::Weekday
    } else if has_digit && any(&is_time) {
        Kind::Time
    } else if words.first().is_some_and(|word| {
        word.trim_start_matches(['$', '€', '£', '+', '#']).starts_with(|c: char| c.is_ascii_digit())
    }) && words.len() <= 3
    {
        Kind::Number
    } else {
        Kind::Words
    }
}

fn is_time(word: &str) -> bool {
    let clock = word.contains(':') && word.starts_with(|c: char| c.is_ascii_digit());
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    clock
        || is_listed(|rules| rules.noun.clock, word)
        || (!digits.is_empty() && ["am", "pm", "h"].contains(&&word[digits.len()..]))
}

fn is_numeric_date(value: &str) -> bool {
    let parts: Vec<&str> = value.split(['-', '/', '.']).collect();
    parts.len() == 3 && parts.iter().all(|part| part.len() <= 4 && part.parse::<u16>().is_ok())
}
