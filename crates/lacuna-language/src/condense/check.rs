//! Check of a claim against its sources: it points to turns that there are, and every name, number and date in
//! it stands there as well, in these very words.
//!
//! Whoever made it, a rule or a model, it is checked here before it is stored. The check cannot tell whether a
//! sentence says what its sources say; it can tell what no source says.

use std::collections::HashSet;
use std::sync::LazyLock;

use unicode_segmentation::UnicodeSegmentation;

use super::turn::Turn;
use crate::clause::whole_sentences;
use crate::languages::words_of;
use crate::words::{Folding, TermList, fold};

/// The fault of a claim. It never says which word: errors hold no content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// It points to no turn.
    NoTurns,
    /// It points to a turn that is not there.
    UnknownTurn,
    /// A name in it, or a word that is written like one, stands in none of its turns.
    Name,
    Number,
    /// A day, a month or a word such as "yesterday" stands in none of its turns.
    Date,
}

/// Words that say how many.
static NUMBERS: LazyLock<HashSet<&str>> = LazyLock::new(|| words_of(|rules| rules.condense.numbers));
/// Words that say when. Months that are also other words are told by their capital, as names are.
static TIMES: LazyLock<HashSet<&str>> = LazyLock::new(|| words_of(|rules| rules.condense.times));

/// Words of some turns, ready to be compared with.
pub struct Sources<'t> {
    turns: &'t [Turn],
    words: Vec<HashSet<String>>,
}

impl<'t> Sources<'t> {
    pub fn new(turns: &'t [Turn]) -> Self {
        let words = |turn: &Turn| -> HashSet<String> {
            let own = turn.text().unicode_words().flat_map(|word| {
                [fold(word, Folding::Phrase), fold(without_possessive(word), Folding::Phrase)]
            });
            own.chain([fold(turn.speaker.label(), Folding::Phrase)]).collect()
        };
        Self { turns, words: turns.iter().map(words).collect() }
    }

    /// Checks that a claim which points to these turns keeps to them.
    pub fn check(&self, text: &str, turns: &[usize]) -> Result<(), Fault> {
        if turns.is_empty() {
            return Err(Fault::NoTurns);
        }
        if turns.iter().any(|number| *number >= self.turns.len()) {
            return Err(Fault::UnknownTurn);
        }
        whole_sentences(text).into_iter().try_for_each(|sentence| self.check_sentence(sentence, turns))
    }

    fn check_sentence(&self, sentence: &str, turns: &[usize]) -> Result<(), Fault> {
        for (at, word) in sentence.unicode_word_indices() {
            let opens = opens_a_sentence(&sentence[..at]);
            let Some(fault) = fault_if_missing(word, opens) else { continue };
            if !self.says(turns, word) {
                return Err(fault);
            }
        }
        self.check_unspaced(sentence, turns)
    }

    fn says(&self, turns: &[usize], word: &str) -> bool {
        let (whole, bare) = (fold(word, Folding::Phrase), fold(without_possessive(word), Folding::Phrase));
        turns.iter().any(|turn| self.words[*turn].contains(&whole) || self.words[*turn].contains(&bare))
    }

    /// In a script without spaces and capitals nobody can tell a name from a word: every pair of characters
    /// must stand in a source.
    fn check_unspaced(&self, sentence: &str, turns: &[usize]) -> Result<(), Fault> {
        let chars: Vec<char> = sentence.chars().collect();
        let pairs = chars.windows(2).filter(|pair| pair.iter().all(|c| is_unspaced(*c)));
        for pair in pairs {
            let pair: String = pair.iter().collect();
            if !turns.iter().any(|turn| self.turns[*turn].text().contains(&pair)) {
                return Err(Fault::Name);
            }
        }
        Ok(())
    }
}

/// Returns the fault of a claim if this word stands in no source; `None` for a word that anybody may use.
fn fault_if_missing(word: &str, opens: bool) -> Option<Fault> {
    let first = word.chars().next()?;
    let plain = fold(word, Folding::Phrase);
    if word.contains(|c: char| c.is_numeric()) || NUMBERS.contains(plain.as_str()) {
        return Some(Fault::Number);
    }
    if TIMES.contains(plain.as_str()) {
        return Some(Fault::Date);
    }
    let cased = first.is_uppercase() || first.is_lowercase();
    if is_unspaced(first)
        || first.is_lowercase()
        || word == "I"
        || word.starts_with("I'")
        || word.starts_with("I’")
    {
        return None;
    }
    // At the start of a sentence every word has a capital: "She" and "The" name nobody.
    let names_nobody = opens && cased && TermList::of(word, None).is_empty();
    (!names_nobody).then_some(Fault::Name)
}

/// Returns true if what stands before a word leaves it at the start of something said.
fn opens_a_sentence(before: &str) -> bool {
    let before = before.trim_end();
    before.is_empty() || before.ends_with([':', '"', '“', '«', '„', '(', '['])
}

fn without_possessive(word: &str) -> &str {
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

/// Characters of scripts that put no space between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0e01}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3005}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::super::turn::said;
    use super::*;

    fn turns() -> [Turn; 3] {
        [
            said("Ana: We meet Karl's sister Ida in Turku on the 3rd of May, with two dogs."),
            said("Ben: Yesterday I paid 4,200 crowns."),
            said("田中さんは大阪に住んでいます。"),
        ]
    }

    #[test]
    fn a_claim_keeps_to_its_sources_or_is_at_fault() {
        let turns = turns();
        let sources = Sources::new(&turns);
        for (text, of, expected) in [
            ("Ana meets Ida in Turku.", &[0usize][..], Ok(())),
            ("They meet Karl in Turku, with two dogs.", &[0], Ok(())),
            ("Ana's meeting is in May.", &[0], Ok(())),
            ("Ben paid 4,200 crowns yesterday.", &[1], Ok(())),
            ("Ana: We meet Ida. Ben: I paid 4,200 crowns.", &[0, 1], Ok(())),
            ("Ana meets Ida in Turku.", &[], Err(Fault::NoTurns)),
            ("Ana meets Ida in Turku.", &[0, 3], Err(Fault::UnknownTurn)),
            ("Ana meets Ida in Turku.", &[1], Err(Fault::Name)),
            ("Ana meets Olga in Turku.", &[0], Err(Fault::Name)),
            ("Olga meets Ida in Turku.", &[0], Err(Fault::Name)),
            ("Ana meets Ida with three dogs.", &[0], Err(Fault::Number)),
            ("Ana meets Ida with 2 dogs.", &[0], Err(Fault::Number)),
            ("Ben paid 4,300 crowns.", &[1], Err(Fault::Number)),
            ("Ben paid last week.", &[1], Err(Fault::Date)),
            ("Ben paid in June.", &[1], Err(Fault::Date)),
            ("Ben paid 4,200 crowns. She is glad. Quentin is glad.", &[1], Err(Fault::Name)),
            ("大阪に住んでいます。", &[2], Ok(())),
            ("東京に住んでいます。", &[2], Err(Fault::Name)),
        ] {
            assert_eq!(sources.check(text, of), expected, "{text}");
        }
    }

    #[test]
    fn every_source_keeps_to_itself() {
        let turns = turns();
        let sources = Sources::new(&turns);
        for (number, turn) in turns.iter().enumerate() {
            assert_eq!(sources.check(turn.text(), &[number]), Ok(()), "{}", turn.text());
        }
    }
}
