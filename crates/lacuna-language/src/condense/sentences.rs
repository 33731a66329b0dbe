//! The sentences of some turns, each with what makes it worth keeping.

use std::collections::HashMap;

use super::turn::Turn;
use crate::clause::whole_sentences;
use crate::words::TermList;

/// A longer sentence is a paragraph or a dump: its beginning stands for it, in characters.
const SENTENCE_CHARS_MAX: usize = 400;
/// A question says what was asked, not what is so.
const QUESTION: f32 = 0.35;
/// The merit that each name or number in a sentence adds, and the most of them that count.
const PROPER: f32 = 0.12;
const PROPER_MAX: usize = 4;
/// With fewer words than this, stop words aside, a sentence greets, thanks or agrees; it counts for so much.
const TERMS_MIN: usize = 3;
const SHORT: f32 = 0.5;
/// The lead of the first sentence of a turn over the last.
const FIRST: f32 = 0.1;

/// The weight of each word, by how few of the turns say it.
pub struct Rarity {
    turns: usize,
    said_in: HashMap<u64, u32>,
}

impl Rarity {
    /// More turns than this teach no more about which words are rare.
    pub const TURNS_MAX: usize = 4_000;

    /// Counts the words of the turns.
    pub fn of<'a>(turns: impl Iterator<Item = &'a Turn>) -> Self {
        let mut rarity = Self { turns: 0, said_in: HashMap::new() };
        for turn in turns {
            rarity.turns += 1;
            turn.terms.hashes().for_each(|term| *rarity.said_in.entry(term).or_default() += 1);
        }
        rarity
    }

    /// The weight of a term: the rarer, the heavier.
    pub fn weight(&self, term: u64) -> f32 {
        let said_in = self.said_in.get(&term).copied().unwrap_or(1).max(1);
        (1.0 + self.turns as f32 / said_in as f32).ln()
    }
}

/// A sentence of a turn.
pub(super) struct TurnSentence<'t> {
    /// The number of its turn among those that are condensed.
    pub turn: usize,
    /// The sentence.
    pub text: &'t str,
    /// Different words, stop words aside, rising.
    pub terms: Vec<u64>,
    /// Its length in characters.
    pub chars: usize,
    /// Its worth by itself, apart from its words: more than 1 with names and numbers, less for a question.
    pub merit: f32,
}

pub(super) fn is_question(sentence: &str) -> bool {
    sentence.trim_end_matches(['"', '”', '»', ')', '!', ' ']).ends_with(['?', '？', '؟'])
}

/// The sentences of the turns that say anything, in order.
pub(super) fn sentences(turns: &[Turn]) -> Vec<TurnSentence<'_>> {
    let mut all = Vec::new();
    for (number, turn) in turns.iter().enumerate() {
        let language = Some(turn.terms.language());
        for (place, text) in whole_sentences(turn.words()).into_iter().enumerate() {
            let text = shortened(text);
            let terms: Vec<u64> = TermList::of(text, language).hashes().collect();
            if !terms.is_empty() {
                let short = if terms.len() < TERMS_MIN { SHORT } else { 1.0 };
                let merit = short * merit(text, place);
                all.push(TurnSentence { turn: number, text, terms, chars: text.chars().count(), merit });
            }
        }
    }
    all
}

fn merit(text: &str, place: usize) -> f32 {
    let names = text.split_whitespace().skip(1).filter(|word| is_proper(word)).count();
    let asks = if is_question(text) { QUESTION } else { 1.0 };
    asks * (1.0 + PROPER * names.min(PROPER_MAX) as f32) * (1.0 + FIRST / (1 + place) as f32)
}

/// Returns true if a word inside a sentence is written like a name or a number.
fn is_proper(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let pronoun = bare == "I" || bare.starts_with("I'") || bare.starts_with("I’");
    !pronoun && (bare.starts_with(char::is_uppercase) || bare.contains(|c: char| c.is_numeric()))
}

/// The beginning of an overlong sentence, up to a word's end.
fn shortened(text: &str) -> &str {
    let Some((end, _)) = text.char_indices().nth(SENTENCE_CHARS_MAX) else { return text };
    let cut = &text[..end];
    let space = cut.rfind(char::is_whitespace).filter(|at| *at > end / 2);
    cut[..space.unwrap_or(end)].trim_end()
}

#[cfg(test)]
mod tests {
    use super::super::turn::said;
    use super::*;

    #[test]
    fn what_says_nothing_is_no_sentence_and_long_dumps_are_cut_at_a_word() {
        let turns = [said("Ana: So? We planted 3 maples in Lund. What is it that you do?")];
        let found: Vec<_> = sentences(&turns).iter().map(|sentence| sentence.text).collect();
        assert_eq!(found, ["We planted 3 maples in Lund."]);
        let long = "barley ".repeat(200);
        let turns = [said(&long)];
        let found = sentences(&turns);
        assert!(found[0].chars <= SENTENCE_CHARS_MAX && found[0].text.ends_with("barley"));
    }

    #[test]
    fn names_numbers_and_answers_count_more_than_questions() {
        let turns = [said("Maples grow slowly. The 3 maples stand in Lund. Do maples grow slowly in Lund?")];
        let found = sentences(&turns);
        assert!(found[1].merit > found[0].merit);
        assert!(found[2].merit < found[0].merit && is_question(found[2].text));
    }

    #[test]
    fn a_word_tells_more_the_fewer_turns_say_it() {
        let turns = [said("maples and birches"), said("maples again"), said("maples once more")];
        let rarity = Rarity::of(turns.iter());
        let weight = |word: &str| rarity.weight(TermList::of(word, None).hashes().next().unwrap_or(0));
        assert!(weight("birches") > weight("maples"));
    }
}
