//! Times in a question: the spans that it names, and whether it asks for one.

use std::collections::HashSet;
use std::sync::LazyLock;

use jiff::Zoned;

use super::super::tokens::{RequestText, printable};
use super::clause_at;
use crate::languages::{Calendar, LANGUAGES, Language};
use crate::words::{Term, TermList};
use lacuna_types::request::TimeSpan;

/// Spans that are read from one question.
const SPANS_MAX: usize = 4;
/// Tokens of a question that are looked at.
const TOKENS_MAX: usize = 256;
/// Words that a time may have before the one that gives it away: "the first week of May".
const LEADING_WORDS_MAX: usize = 4;
/// Words before which "when" still opens the question: "And when did…".
const OPENING_WORDS: usize = 2;
/// Years whose figures tell a time.
const TOLD_YEARS: std::ops::Range<u16> = 1970..2100;

/// The times of a question.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct AskedTime {
    /// Spans that the question names, in its order.
    pub spans: Vec<TimeSpan>,
    /// True when the question asks for a time.
    pub asks_when: bool,
}

/// Reads the times of a question; `now` gives relative ones their meaning.
pub fn asked_time(question: &str, now: &Zoned) -> AskedTime {
    let text = printable(question);
    let mut said = RequestText::new(&text);
    said.tokens.truncate(TOKENS_MAX);
    let mut asked = AskedTime::default();
    for ((_, calendar), signs) in calendars().zip(SIGNS.iter()) {
        asked.asks_when |=
            (0..=OPENING_WORDS).any(|at| said.longest(at..said.all().end, calendar.asks_when).is_some());
        read_spans(&said, calendar, signs, now, &mut asked.spans);
    }
    asked
}

/// Returns true when a text names a day, a month, a year or another time, by its terms.
pub fn tells_time(terms: &TermList) -> bool {
    terms.iter().any(|(term, _)| TOLD.contains(&term))
}

fn read_spans(
    said: &RequestText<'_>,
    calendar: &Calendar,
    signs: &HashSet<String>,
    now: &Zoned,
    spans: &mut Vec<TimeSpan>,
) {
    let mut read = 0;
    for sign in said.all().filter(|&at| is_sign(said.word(at), signs)) {
        let starts = sign.saturating_sub(LEADING_WORDS_MAX).max(read)..=sign;
        // The longest first, and a bare name only where nothing makes a time of it.
        let found = starts.filter_map(|at| clause_at(said, calendar, at..said.all().end, now));
        let Some(clause) = found.into_iter().find(|clause| clause.end > sign && !clause.is_name) else {
            continue;
        };
        read = clause.end;
        if let Ok(span) = clause.when
            && spans.len() < SPANS_MAX
            && !spans.contains(&span)
        {
            spans.push(span);
        }
    }
}

/// Words without which a calendar reads no time: most questions hold none, and are read no further.
static SIGNS: LazyLock<Vec<HashSet<String>>> = LazyLock::new(|| {
    let signs = |(_, calendar): (Language, &Calendar)| time_words(calendar).map(str::to_owned).collect();
    calendars().map(signs).collect()
});

/// The terms of words that tell a time, in every language.
static TOLD: LazyLock<HashSet<Term>> = LazyLock::new(|| {
    let years = TOLD_YEARS.map(|year| year.to_string()).collect::<Vec<_>>().join(" ");
    let mut told: HashSet<Term> = TermList::of(&years, None).iter().map(|(term, _)| term).collect();
    for (language, calendar) in calendars() {
        for word in time_words(calendar) {
            told.extend(TermList::in_language(word, language).iter().map(|(term, _)| term));
        }
    }
    told
});

fn calendars() -> impl Iterator<Item = (Language, &'static Calendar)> {
    LANGUAGES.iter().map(|rules| (rules.language, rules.request.calendar))
}

/// Names of days, months, units and parts of the day, and single words such as "yesterday".
fn time_words(calendar: &Calendar) -> impl Iterator<Item = &'static str> {
    let alone = |(pattern, _): &(&'static str, _)| -> Option<&'static str> {
        (!pattern.contains([' ', '#', '|', '?'])).then_some(*pattern)
    };
    let lists = calendar.days.into_iter().chain(calendar.months);
    let units = calendar.units.iter().map(|(_, names)| *names);
    let parts = calendar.parts.iter().map(|(_, names)| *names);
    let named = lists.chain(units).chain(parts).flat_map(|names| names.split(','));
    named.chain(calendar.patterns.iter().filter_map(alone)).filter(|word| !word.is_empty())
}

fn is_sign(word: &str, signs: &HashSet<String>) -> bool {
    signs.contains(word) || word.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Zoned {
        "2023-06-14T12:00:00Z".parse::<jiff::Timestamp>().unwrap().to_zoned(jiff::tz::TimeZone::UTC)
    }

    fn span(from: &str, until: &str) -> TimeSpan {
        let midnight = |day: &str| format!("{day}T00:00:00Z").parse().ok();
        TimeSpan { from: midnight(from), until: midnight(until) }
    }

    #[test]
    fn spans_are_read_wherever_they_stand_in_a_question() {
        for (question, from, until) in [
            ("What did Ida plant in May?", "2023-05-01", "2023-06-01"),
            ("Who came to dinner on May 3, 2022?", "2022-05-03", "2022-05-04"),
            ("What did I buy last Friday?", "2023-06-09", "2023-06-10"),
            ("Where was I yesterday?", "2023-06-13", "2023-06-14"),
            ("Was hat Ida im März 2022 gekauft?", "2022-03-01", "2022-04-01"),
            ("Qu'est-ce que j'ai fait hier ?", "2023-06-13", "2023-06-14"),
        ] {
            assert_eq!(asked_time(question, &now()).spans, [span(from, until)], "{question}");
        }
    }

    #[test]
    fn a_question_without_a_time_has_none() {
        for question in
            ["", "🦜", "What may help?", "Who is May?", "How many of the 12 jars are left?", "東京の天気は"]
        {
            assert_eq!(asked_time(question, &now()), AskedTime::default(), "{question}");
        }
    }

    #[test]
    fn a_question_asks_when_in_its_language() {
        for question in [
            "When did we move?",
            "And when was that?",
            "Wann ziehen wir um?",
            "Quand est-ce ?",
            "¿Cuándo fue?",
            "Quando parti?",
        ] {
            assert!(asked_time(question, &now()).asks_when, "{question}");
        }
        assert!(!asked_time("How did I feel when we met?", &now()).asks_when);
    }

    #[test]
    fn texts_tell_a_time_by_their_words() {
        for (text, told) in [
            ("I went there yesterday", true),
            ("We moved in March", true),
            ("That was back in 2019", true),
            ("Wir waren letzte Woche im Garten", true),
            ("I like pottery", false),
        ] {
            assert_eq!(tells_time(&TermList::of(text, None)), told, "{text}");
        }
    }

    #[test]
    fn a_long_question_of_dates_is_read_within_bounds() {
        assert_eq!(asked_time(&"3 May 2022 and 4 June 2021 or ".repeat(130), &now()).spans.len(), 2);
    }
}
