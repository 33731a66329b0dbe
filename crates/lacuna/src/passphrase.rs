//! The least strength of a new passphrase. It holds for key files, encrypted exports and full backups: whoever has
//! a copy of such a file can guess as often as they like.
//!
//! The rule: at least [`COUNTED_MIN`] characters count, and at least [`DIFFERENT_MIN`] of them differ. Three characters
//! or more of a repeat (`aaa`), a sequence (`abc`, `321`) or a row of the keyboard (`qwerty`) count as one, and so does
//! a common word; of a text that repeats itself only the first copy counts. Passphrases that open something are not
//! judged.

use std::collections::BTreeSet;

use crate::codes;
use crate::wire::failure::{Failure, Result};

const COUNTED_MIN: usize = 12;
const DIFFERENT_MIN: usize = 6;
/// Words that are tried first, whatever stands around them.
const COMMON: [&str; 10] = [
    "password",
    "passwort",
    "passphrase",
    "kennwort",
    "letmein",
    "welcome",
    "iloveyou",
    "administrator",
    "lacuna",
    "secret",
];
/// Rows of common keyboards.
const ROWS: [&str; 9] = [
    "1234567890",
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "qwertzuiop",
    "yxcvbnm",
    "azertyuiop",
    "qsdfghjklm",
    "wxcvbn",
];

/// Refuses a new passphrase that is easy to guess, unless its owner insists.
pub(crate) fn refuse_weak(passphrase: &str, insists: bool) -> Result<()> {
    let letters: Vec<char> = passphrase.chars().flat_map(char::to_lowercase).collect();
    let counted: Vec<char> = letters
        .iter()
        .zip(counting(&letters))
        .filter(|(_, counts)| *counts)
        .map(|(letter, _)| *letter)
        .collect();
    let different = counted.iter().collect::<BTreeSet<_>>().len();
    if insists || (counted.len() >= COUNTED_MIN && different >= DIFFERENT_MIN) {
        return Ok(());
    }
    let reason = format!(
        "{} of its characters count and {different} of those differ, where {COUNTED_MIN} and {DIFFERENT_MIN} are \
         needed; repeats, sequences, keyboard rows and common words count as one each",
        counted.len()
    );
    Err(Failure::new(&codes::WEAK_PASSPHRASE, format!("the passphrase is easy to guess: {reason}")))
}

/// For each letter, true if it counts.
fn counting(letters: &[char]) -> Vec<bool> {
    let first_copy = period(letters);
    let mut counts: Vec<bool> = (0..letters.len()).map(|at| at < first_copy).collect();
    for (at, three) in letters.windows(3).enumerate() {
        if steps(three[0], three[1]) & steps(three[1], three[2]) != 0 {
            counts[at + 1..at + 3].fill(false);
        }
    }
    for word in COMMON {
        let word: Vec<char> = word.chars().collect();
        for at in 0..letters.len() {
            if letters[at..].starts_with(&word) {
                counts[at + 1..at + word.len()].fill(false);
            }
        }
    }
    counts
}

/// Length of the part that the text repeats at least twice; the whole length if there is none.
fn period(letters: &[char]) -> usize {
    let repeats =
        |length: &usize| letters[*length..].iter().zip(letters).all(|(later, first)| later == first);
    (1..=letters.len() / 2).find(repeats).unwrap_or(letters.len())
}

/// Ways in which a pattern leads from one letter to the next, one bit each.
fn steps(from: char, to: char) -> u8 {
    let next = |from: char, to: char| {
        from.is_alphanumeric() && to.is_alphanumeric() && u32::from(from) + 1 == u32::from(to)
    };
    let right = |from: char, to: char| {
        ROWS.iter().any(|row| row.chars().zip(row.chars().skip(1)).any(|pair| pair == (from, to)))
    };
    let ways = [from == to, next(from, to), next(to, from), right(from, to), right(to, from)];
    ways.iter().enumerate().map(|(bit, way)| u8::from(*way) << bit).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn easy_passphrases_are_refused_without_being_repeated() {
        let weak = [
            "",
            "a",
            "hunter2",
            "elevenchars",
            "aaaaaaaaaaaaaaaaaaaa",
            "abcdefghijklmnopqrst",
            "98765432109876543210",
            "qwertyuiopasdfghjkl",
            "QWERTZUIOPasdfghjkl",
            "111122223333444455556666",
            "abababababababababab",
            "hunter2hunter2hunter2",
            "passwordpassword",
            "Password2026!",
            "lacuna-secret-1234",
            "ab ab ab ba ba ba aa bb",
        ];
        for text in weak {
            let failure = refuse_weak(text, false).expect_err(text);
            assert_eq!(failure.code.name, "weak_passphrase");
            assert!(text.len() < 2 || !failure.detail.contains(text), "{failure}");
            assert!(refuse_weak(text, true).is_ok(), "whoever insists");
        }
    }

    #[test]
    fn a_few_words_or_a_dozen_random_letters_are_taken() {
        let strong = [
            "correct horse",
            "seven grey herons",
            "two oars and a rope",
            "Zoë's blue kettle",
            "чайник стоит на плите",
            "x7#Lq0vT!m2z",
            "power and wonder",
        ];
        for text in strong {
            assert!(refuse_weak(text, false).is_ok(), "{text}");
        }
    }
}
