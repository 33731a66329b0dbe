//! Names of months and weekdays, in whatever language a text is.

use super::{Calendar, LANGUAGES};

/// Letters by which the names of most months differ.
const BEGINNING_LETTERS: usize = 3;

impl Calendar {
    /// Returns the number of the month that a folded word names; January is 1.
    pub(crate) fn month(&self, word: &str) -> Option<i8> {
        let at = self.months.iter().position(|names| names.split(',').any(|name| name == word))?;
        i8::try_from(at + 1).ok()
    }

    /// Returns true if a month follows the word `lead` in this language: "in May".
    pub(crate) fn leads_with(&self, lead: &str) -> bool {
        self.on.split(',').any(|word| word == lead)
    }

    /// Full names of the weekdays, without their other forms.
    fn weekdays(&self) -> impl Iterator<Item = &'static str> {
        self.days.into_iter().filter_map(|names| names.split(',').next())
    }
}

/// The calendar of each language.
pub(crate) fn calendars() -> impl Iterator<Item = &'static Calendar> {
    LANGUAGES.iter().map(|rules| rules.request.calendar)
}

/// Returns the number of the month whose name begins as a folded word does, in any language: "Jan", "février", "sept".
pub(crate) fn month_by_beginning(word: &str) -> Option<i8> {
    // Four letters tell "juin" from "juillet"; three suffice for the others.
    [BEGINNING_LETTERS + 1, BEGINNING_LETTERS].iter().find_map(|letters| {
        let beginning = word.get(..*letters)?;
        let mut months = calendars()
            .flat_map(|calendar| (1..).zip(calendar.months))
            .filter(|(_, names)| names.split(',').any(|name| name.starts_with(beginning)));
        let (month, _) = months.next()?;
        months.all(|(other, _)| other == month).then_some(month)
    })
}

/// Returns true if a folded word names a weekday, in any language.
pub(crate) fn is_weekday(word: &str) -> bool {
    calendars().any(|calendar| calendar.weekdays().any(|day| day == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_told_by_their_beginnings_in_every_language() {
        let cases = [
            ("jan", 1),
            ("janner", 1),
            ("ene", 1),
            ("gennaio", 1),
            ("fevr", 2),
            ("marz", 3),
            ("maerz", 3),
            ("avr", 4),
            ("abril", 4),
            ("mayo", 5),
            ("mag", 5),
            ("juin", 6),
            ("junio", 6),
            ("giu", 6),
            ("juil", 7),
            ("juli", 7),
            ("lug", 7),
            ("aout", 8),
            ("ago", 8),
            ("sept", 9),
            ("set", 9),
            ("okt", 10),
            ("ott", 10),
            ("nov", 11),
            ("dez", 12),
            ("dic", 12),
        ];
        for (word, month) in cases {
            assert_eq!(month_by_beginning(word), Some(month), "{word}");
        }
        for word in ["", "ja", "jui", "people", "é"] {
            assert_eq!(month_by_beginning(word), None, "{word}");
        }
    }

    #[test]
    fn weekdays_are_full_names() {
        assert!(["monday", "samstag", "mardi", "miercoles", "domenica"].into_iter().all(is_weekday));
        assert!(["mon", "marz", ""].into_iter().all(|word| !is_weekday(word)));
    }
}
