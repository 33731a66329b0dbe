//! A summary without a model: whole sentences of the turns, picked so that together they say most.
//!
//! A sentence counts for the words that it adds (rare ones more), for standing in the middle of what is talked
//! about, for names and numbers, and for its place. Nothing is written that no turn says, but who speaks.

use std::collections::HashMap;

use zeroize::Zeroizing;

use lacuna_types::llm::Claim;

use super::extract::told_by;
use super::rejected::{ChoicePart, parts_in_choices};
use super::sentences::{Rarity, TurnSentence, sentences};
use super::turn::Turn;

/// The weight that is left to a word that was said once already.
const AGAIN: f32 = 0.3;
/// The lead of the sentence that has most in common with the others has ahead of one that has nothing.
const CENTRAL: f32 = 0.4;
/// Rounds in which centrality settles, and how much of it is handed on in each.
const ROUNDS: usize = 12;
const HANDED_ON: f32 = 0.85;
/// A long sentence is dearer than a short one, but not quite in proportion, and each costs something by itself.
const LENGTH_POWER: f32 = 0.9;
const SENTENCE_CHARS: usize = 20;
/// A sentence worth less than this share of the best one is left out, even if there is room.
const WORTH_MIN: f32 = 0.4;
/// The weight of a sentence that stands as a fact beside the summary.
const FACT: f32 = 0.35;
/// The weight of a choice that somebody rejected, and of the sentence that says so.
const REJECTED: f32 = 0.02;
const OUTCOME: f32 = 1.3;
/// More sentences than this are not compared with each other.
const SENTENCES_MAX: usize = 600;

/// A summary, and the turns whose words it uses.
pub struct Summary {
    /// The summary.
    pub text: Zeroizing<String>,
    /// Numbers among the turns, rising.
    pub used: Vec<usize>,
}

/// Summarises the turns in at most about `chars_max` characters; `None` when they say nothing. What `facts` say
/// already gives way to what they do not.
pub fn summarise(turns: &[Turn], rarity: &Rarity, chars_max: usize, facts: &[Claim]) -> Option<Summary> {
    let mut all = sentences(turns);
    all.truncate(SENTENCES_MAX);
    let parts = parts_in_choices(turns, &all);
    for (sentence, part) in all.iter_mut().zip(parts) {
        sentence.merit *= match part {
            ChoicePart::None => 1.0,
            ChoicePart::Rejected => REJECTED,
            ChoicePart::Outcome => OUTCOME,
        };
        let told = told_by(&turns[sentence.turn].speaker, sentence.text);
        if facts.iter().any(|fact| fact.text == told) {
            sentence.merit *= FACT;
        }
    }
    let mut picked = pick(&all, rarity, chars_max);
    picked.sort_unstable();
    let chosen: Vec<&TurnSentence<'_>> = picked.iter().map(|number| &all[*number]).collect();
    let mut used: Vec<usize> = chosen.iter().map(|sentence| sentence.turn).collect();
    used.dedup();
    let text = written(turns, &chosen);
    (!text.is_empty()).then_some(Summary { text, used })
}

/// The numbers of the sentences that say most within the room there is; always the best one.
fn pick(all: &[TurnSentence<'_>], rarity: &Rarity, chars_max: usize) -> Vec<usize> {
    let central = centrality(all, rarity);
    let mut said: HashMap<u64, i32> = HashMap::new();
    let mut left: Vec<usize> = (0..all.len()).collect();
    let (mut picked, mut chars, mut least) = (Vec::new(), 0, 0.0);
    loop {
        let worth = |number: usize| {
            let sentence = &all[number];
            let news = |term: &u64| rarity.weight(*term) * AGAIN.powi(said.get(term).copied().unwrap_or(0));
            let news: f32 = sentence.terms.iter().map(news).sum();
            news * sentence.merit * (1.0 + CENTRAL * central[number])
                / ((sentence.chars + SENTENCE_CHARS) as f32).powf(LENGTH_POWER)
        };
        left.retain(|number| picked.is_empty() || chars + all[*number].chars < chars_max);
        let best = left.iter().copied().max_by(|one, other| {
            // The earlier of two equals.
            worth(*one).total_cmp(&worth(*other)).then(other.cmp(one))
        });
        let Some(best) = best.filter(|best| worth(*best) >= least) else { return picked };
        least = f32::max(least, WORTH_MIN * worth(best));
        left.retain(|number| *number != best);
        all[best].terms.iter().for_each(|term| *said.entry(*term).or_default() += 1);
        chars += all[best].chars + 1;
        picked.push(best);
    }
}

/// Returns how much each sentence has in common with those that have much in common, from 0 to 1.
fn centrality(all: &[TurnSentence<'_>], rarity: &Rarity) -> Vec<f32> {
    let links = links(all, rarity);
    let totals: Vec<f32> = links.iter().map(|row| row.iter().map(|(_, weight)| weight).sum()).collect();
    let mut central = vec![1.0f32; all.len()];
    for _ in 0..ROUNDS {
        let mut next = vec![1.0 - HANDED_ON; all.len()];
        for (from, row) in links.iter().enumerate() {
            for (to, weight) in row {
                next[*to] += HANDED_ON * central[from] * weight / totals[from].max(f32::MIN_POSITIVE);
            }
        }
        central = next;
    }
    let most = central.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    central.iter().map(|one| one / most).collect()
}

/// Links of each sentence to the others that share words with it, weighted by the share.
fn links(all: &[TurnSentence<'_>], rarity: &Rarity) -> Vec<Vec<(usize, f32)>> {
    let weigh = |terms: &[u64]| -> f32 { terms.iter().map(|term| rarity.weight(*term)).sum() };
    let weights: Vec<f32> = all.iter().map(|sentence| weigh(&sentence.terms)).collect();
    let mut links = vec![Vec::new(); all.len()];
    for one in 0..all.len() {
        for other in one + 1..all.len() {
            let shared = all[one].terms.iter().filter(|term| all[other].terms.binary_search(term).is_ok());
            let shared: f32 = shared.map(|term| rarity.weight(*term)).sum();
            if shared > 0.0 {
                let weight = shared / (weights[one] * weights[other]).sqrt();
                links[one].push((other, weight));
                links[other].push((one, weight));
            }
        }
    }
    links
}

/// The sentences in the order in which they were said, each speaker named once for what they say in a row.
fn written(turns: &[Turn], chosen: &[&TurnSentence<'_>]) -> Zeroizing<String> {
    let mut text = Zeroizing::new(String::new());
    let mut speaking = None;
    for sentence in chosen {
        let speaker = &turns[sentence.turn].speaker;
        if !text.is_empty() {
            text.push(' ');
        }
        if speaking != Some(speaker) {
            text.push_str(speaker.told_as());
            text.push_str(": ");
            speaking = Some(speaker);
        }
        text.push_str(&sentence.text.replace('\n', " "));
        if !sentence.text.ends_with(|c: char| c.is_ascii_punctuation() || "。！？…”»".contains(c)) {
            text.push('.');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::turn::said;
    use super::*;
    use lacuna_types::{Source, SourceType, Trust};

    fn summary(turns: &[Turn], chars_max: usize) -> Option<(String, Vec<usize>)> {
        let summary = summarise(turns, &Rarity::of(turns.iter()), chars_max, &[])?;
        Some((summary.text.to_string(), summary.used))
    }

    #[test]
    fn what_is_said_stays_and_what_is_chatted_goes() {
        let turns = [
            said("Ana: Hi! How are you?"),
            said("Ben: Great, thanks! I sold the boat to Karl Moen for 4,200 crowns."),
            said("Ana: Wow, really?"),
            said("Ben: Yes. Karl picks it up in Bergen on Friday."),
            said("Ana: That is so good."),
        ];
        let (text, used) = summary(&turns, 120).unwrap();
        assert_eq!(
            text,
            "Ben: I sold the boat to Karl Moen for 4,200 crowns. Karl picks it up in Bergen on Friday."
        );
        assert_eq!(used, [1, 3]);
    }

    #[test]
    fn the_same_is_not_said_twice_while_there_is_something_new() {
        let turns = [
            said("The ferry to Rungholt leaves at dawn."),
            said("The ferry to Rungholt leaves at dawn."),
            said("Tickets hang on the fridge."),
        ];
        let (text, _) = summary(&turns, 70).unwrap();
        assert_eq!(text, "The user: The ferry to Rungholt leaves at dawn. Tickets hang on the fridge.");
    }

    #[test]
    fn who_speaks_is_said_whenever_it_changes() {
        let reply = Source::new(SourceType::AiInference, Trust::Low);
        let turns = [
            said("I planted quinces near the wall"),
            Turn::new("Quinces need full sun.".to_owned(), &reply),
            said("The terrace faces south."),
        ];
        let (text, used) = summary(&turns, 1_000).unwrap();
        assert_eq!(
            text,
            "The user: I planted quinces near the wall. The assistant: Quinces need full sun. The user: The terrace faces south."
        );
        assert_eq!(used, [0, 1, 2]);
    }

    #[test]
    fn there_is_always_the_best_sentence_and_nothing_comes_of_nothing() {
        let turns = [said("Is it? The archive of the lighthouse burnt down in the spring.")];
        assert!(summary(&turns, 5).unwrap().0.contains("lighthouse"));
        assert_eq!(summary(&[said("So what is it?"), said("?!")], 100), None);
        assert_eq!(summary(&[], 100), None);
    }
}
