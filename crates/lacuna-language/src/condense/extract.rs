//! Facts, preferences, habits and decisions, taken out of turns by rules, in the words in which they were said.
//!
//! Only what a person says of themselves or of others is a fact; what an assistant or a page says is not. A
//! sentence stays as it is: the first person is the speaker, whom the fact names if the turn does.

use std::collections::HashSet;
use std::sync::LazyLock;

use lacuna_types::llm::{Claim, ClaimKind};

use super::rejected::{ChoicePart, parts_in_choices};
use super::sentences::{is_question, sentences};
use super::turn::{Speaker, Turn};
use crate::clause::{parts, whole_sentences};
use crate::compiled::{self, ScreenedRegex};
use crate::facts::{Mood, Statement as Assertion, Verdict, attribute_keys, compare, statements};
use crate::languages::{pattern_of, words_of};
use crate::voices::own_words;
use lacuna_types::GIST_CHARS_MAX;

/// Facts that one batch of turns may give.
const CLAIMS_MAX: usize = 64;
/// A shorter sentence is taken whole; of a longer one the clause that says it.
const SENTENCE_CHARS_MAX: usize = 160;
const WORDS_MIN: usize = 3;

/// A sentence that says something worth knowing, and who said it when.
struct SpokenStatement<'t> {
    speaker: &'t Speaker,
    text: String,
    kind: ClaimKind,
    turns: Vec<usize>,
    /// The keys of its attributes, to find statements that it may contradict.
    keys: Vec<String>,
}

/// Returns the claims of the turns that are worth knowing by themselves, each once, with every turn that says it. Of two
/// that contradict each other, the later one.
pub fn extract(turns: &[Turn]) -> Vec<Claim> {
    let mut said: Vec<SpokenStatement<'_>> = Vec::new();
    let rejected = rejected_in(turns);
    for (number, turn) in turns.iter().enumerate().filter(|(_, turn)| turn.speaker.is_person()) {
        let is_rejected = |text: &str| rejected.iter().any(|(at, said)| *at == number && said.contains(text));
        for (text, kind) in said_in(turn).into_iter().filter(|(text, _)| !is_rejected(text)) {
            let speaker = &turn.speaker;
            match said.iter_mut().find(|one| one.speaker == speaker && one.text == text) {
                Some(known) if known.turns.last() == Some(&number) => {}
                Some(known) => known.turns.push(number),
                None => {
                    let keys = attribute_keys(&text);
                    said.push(SpokenStatement { speaker, text, kind, turns: vec![number], keys });
                }
            }
        }
    }
    let holds = |number: &usize| !said[number + 1..].iter().any(|later| said[*number].is_undone_by(later));
    let holding: Vec<usize> = (0..said.len()).filter(holds).take(CLAIMS_MAX).collect();
    holding.into_iter().map(|number| said[number].claim()).collect()
}

impl SpokenStatement<'_> {
    fn is_undone_by(&self, later: &Self) -> bool {
        self.speaker == later.speaker
            && self.keys.iter().any(|key| later.keys.contains(key))
            && compare(&self.text, &later.text) == Verdict::Supersedes
    }

    fn claim(&self) -> Claim {
        Claim { text: told_by(self.speaker, &self.text), kind: self.kind, turns: self.turns.clone() }
    }
}

/// Sentences that somebody rejected later, each with the number of its turn.
fn rejected_in(turns: &[Turn]) -> Vec<(usize, String)> {
    let all = sentences(turns);
    let parts = parts_in_choices(turns, &all);
    let rejected = all.iter().zip(parts).filter(|(_, part)| *part == ChoicePart::Rejected);
    rejected.map(|(sentence, _)| (sentence.turn, sentence.text.to_owned())).collect()
}

/// The statements of a turn, in its speaker's own words: what somebody pastes, quotes or forwards is not their word.
fn said_in(turn: &Turn) -> Vec<(String, ClaimKind)> {
    let own = own_words(turn.words());
    let sentences = whole_sentences(&own).into_iter().filter(|sentence| !is_question(sentence));
    sentences.flat_map(candidates).filter_map(|text| kind(&text).map(|kind| (text, kind))).collect()
}

/// A sentence, or its clauses when it is long.
fn candidates(sentence: &str) -> Vec<String> {
    if sentence.chars().count() <= SENTENCE_CHARS_MAX {
        return vec![sentence.to_owned()];
    }
    let clauses = parts(sentence).into_iter().filter(|clause| clause.chars().count() <= GIST_CHARS_MAX);
    clauses.collect()
}

/// A fact in the words of whoever said it, who is named if the turn names them.
pub(super) fn told_by(speaker: &Speaker, text: &str) -> String {
    match speaker {
        Speaker::Named(name) => format!("{name}: {text}"),
        _ => text.to_owned(),
    }
}

fn kind(text: &str) -> Option<ClaimKind> {
    if text.split_whitespace().count() < WORDS_MIN || leans_on_something_else(text) {
        return None;
    }
    if matches(&DECISIONS, text) {
        return Some(ClaimKind::Decision);
    }
    if matches(&HABITS, text) {
        return Some(ClaimKind::Pattern);
    }
    let statement = statements(text).into_iter().find(is_sure)?;
    let preference =
        ["likes", "prefers ", "favourite "].iter().any(|kind| statement.attribute.starts_with(kind));
    Some(if preference { ClaimKind::Preference } else { ClaimKind::Fact })
}

/// A wish or a guess is no fact, and "I love that" says nothing to somebody who does not know what.
fn is_sure(statement: &Assertion) -> bool {
    static LEANING: WordSet = LazyLock::new(|| words_of(|rules| rules.condense.leaning_values));
    let first = statement.value.split(' ').next().unwrap_or_default();
    statement.mood != Mood::Hedged && !LEANING.contains(first)
}

/// Returns true if a sentence begins with a word for something that another one names.
fn leans_on_something_else(text: &str) -> bool {
    static LEANING: WordSet = LazyLock::new(|| words_of(|rules| rules.condense.leaning));
    let first = text.split([' ', ',']).next().unwrap_or_default().to_lowercase().replace('’', "'");
    LEANING.contains(first.as_str())
}

type WordSet = LazyLock<HashSet<&'static str>>;
type Rule = LazyLock<Option<ScreenedRegex>>;

/// Somebody has made up their mind.
static DECISIONS: Rule = LazyLock::new(|| {
    let decisions = pattern_of(|rules| rules.condense.decisions);
    compiled::regex(&format!(r"(?i)\b{decisions}\b")).ok()
});

/// Somebody does something again and again.
static HABITS: Rule = LazyLock::new(|| {
    let habits = pattern_of(|rules| rules.condense.habits);
    compiled::regex(&format!("(?i){habits}")).ok()
});

fn matches(rule: &Rule, text: &str) -> bool {
    rule.as_ref().is_some_and(|rule| rule.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::super::turn::said;
    use super::*;
    use lacuna_types::{Source, SourceType, Trust};

    #[test]
    fn the_rules_compile() {
        assert!(DECISIONS.is_some() && HABITS.is_some());
    }

    #[test]
    fn sentences_are_known_for_what_they_say() {
        use ClaimKind::{Decision, Fact, Pattern, Preference};
        for (text, expected) in [
            ("I work at a bakery in Lund.", Some(Fact)),
            ("My sister Ida lives in Turku.", Some(Fact)),
            ("Ich wohne in Graz.", Some(Fact)),
            ("Je travaille chez Lumen.", Some(Fact)),
            ("Vivo en Cádiz.", Some(Fact)),
            ("I prefer rye over wheat.", Some(Preference)),
            ("I love old maps.", Some(Preference)),
            ("I usually walk to work.", Some(Pattern)),
            ("Every morning we swim, and my brother swims every evening.", Some(Pattern)),
            ("Ich jogge jeden Morgen am Kanal.", Some(Pattern)),
            ("We decided to sell the boat.", Some(Decision)),
            ("Wir haben uns für das rote Dach entschieden.", Some(Decision)),
            ("Hemos decidido vender el barco.", Some(Decision)),
            ("I love that!", None),
            ("I love your painting.", None),
            ("It is always like that.", None),
            ("I might move to Turku.", None),
            ("What a day we had.", None),
            ("Thanks a lot!", None),
        ] {
            assert_eq!(kind(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_said_twice_is_one_claim_with_both_turns_and_only_persons_make_one() {
        let reply = Source::new(SourceType::AiInference, Trust::Low);
        let turns = [
            said("I live in Turku. Do I live in Turku?"),
            Turn::new("I live in a data centre.".to_owned(), &reply),
            said("I live in Turku. I live in Turku."),
            said("Ana Lund: I live in Graz, you know."),
        ];
        let found = extract(&turns);
        let moved = [said("I live in Turku."), said("Ana: I live in Lund."), said("I moved to Graz.")];
        let texts: Vec<String> = extract(&moved).into_iter().map(|claim| claim.text).collect();
        assert_eq!(texts, ["Ana: I live in Lund.", "I moved to Graz."], "who moved lives there no more");
        let claim = |text: &str, turns: &[usize]| Claim {
            text: text.to_owned(),
            kind: ClaimKind::Fact,
            turns: turns.to_vec(),
        };
        assert_eq!(
            found,
            [claim("I live in Turku.", &[0, 2]), claim("Ana Lund: I live in Graz, you know.", &[3])]
        );
    }
}
