//! Cutting a conversation into runs of turns about one thing, where the talk turns to another.

use super::sentences::{Rarity, is_question};
use super::turn::Turn;

/// A run is cut so that it has about this many turns, where there are enough.
pub(super) const RUN_TURNS_MIN: usize = 3;
pub(super) const RUN_TURNS_MAX: usize = 8;
/// Turns on either side of a gap that are compared.
const WINDOW: usize = 2;
/// An answer belongs to its question.
const ANSWER: f32 = 0.25;
/// A run is cut only where the turns have less in common than this share of what neighbours mostly have.
const VALLEY: f32 = 0.6;

/// Returns the number of turns of each run, in order.
pub(super) fn runs(turns: &[Turn], rarity: &Rarity) -> Vec<usize> {
    let count = turns.len();
    if count <= RUN_TURNS_MAX {
        return if count == 0 { Vec::new() } else { vec![count] };
    }
    let cohesion: Vec<f32> = (0..=count).map(|gap| cohesion(turns, gap, rarity)).collect();
    let usual = cohesion[1..count].iter().sum::<f32>() / (count - 1) as f32;
    // The cheapest way to cut everything before each gap, and where its last run begins.
    let mut best = vec![(f32::INFINITY, 0); count + 1];
    best[0] = (0.0, 0);
    for end in RUN_TURNS_MIN..=count {
        for length in RUN_TURNS_MIN..=RUN_TURNS_MAX.min(end) {
            let start = end - length;
            let cost = best[start].0 + if start > 0 { cohesion[start] - VALLEY * usual } else { 0.0 };
            if cost < best[end].0 {
                best[end] = (cost, start);
            }
        }
    }
    let mut lengths = Vec::new();
    let mut end = count;
    while end > 0 {
        let start = best[end].1;
        lengths.push(end - start);
        end = start;
    }
    lengths.reverse();
    lengths
}

/// Returns how much the turns before a gap and those after it have in common, from 0 to about 1.
fn cohesion(turns: &[Turn], gap: usize, rarity: &Rarity) -> f32 {
    let (before, after) = turns.split_at(gap);
    let before = &before[before.len().saturating_sub(WINDOW)..];
    let after = &after[..after.len().min(WINDOW)];
    let pairs = before.iter().flat_map(|one| after.iter().map(move |other| alike(one, other, rarity)));
    let (sum, count) = pairs.fold((0.0, 0usize), |(sum, count), alike| (sum + alike, count + 1));
    let asked = before.last().is_some_and(|turn| is_question(turn.words()));
    sum / count.max(1) as f32 + if asked { ANSWER } else { 0.0 }
}

fn alike(one: &Turn, other: &Turn, rarity: &Rarity) -> f32 {
    let words = shared_words(one, other, rarity);
    match (&one.vector, &other.vector) {
        (Some(one), Some(other)) if one.len() == other.len() => {
            let cosine: f32 = one.iter().zip(other).map(|(a, b)| a * b).sum();
            (words + cosine.max(0.0)) / 2.0
        }
        _ => words,
    }
}

/// The share of what two turns say that both of them say.
fn shared_words(one: &Turn, other: &Turn, rarity: &Rarity) -> f32 {
    let weigh = |turn: &Turn| -> f32 { turn.terms.hashes().map(|term| rarity.weight(term)).sum() };
    let theirs: Vec<u64> = other.terms.hashes().collect();
    let shared = one.terms.hashes().filter(|term| theirs.binary_search(term).is_ok());
    let shared: f32 = shared.map(|term| rarity.weight(term)).sum();
    shared / (weigh(one) * weigh(other)).sqrt().max(f32::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::super::turn::said;
    use super::*;

    #[test]
    fn a_conversation_is_cut_where_it_turns_to_something_else() {
        let garden =
            ["The tulips in the garden froze.", "Which tulips froze?", "The red tulips by the garden gate."];
        let boat = [
            "The boat needs a new sail.",
            "A sail for that boat is dear.",
            "The boat can wait until the sail is cheap.",
        ];
        let piano =
            ["Our piano lesson moved.", "When is the piano lesson?", "The lesson at the piano is at noon."];
        let texts: Vec<&str> = garden.into_iter().chain(boat).chain(piano).collect();
        let turns: Vec<Turn> = texts.iter().map(|text| said(text)).collect();
        assert_eq!(runs(&turns, &Rarity::of(turns.iter())), [3, 3, 3]);
    }

    #[test]
    fn every_turn_is_in_exactly_one_run_of_a_fitting_length() {
        for count in 0..60 {
            let turns: Vec<Turn> =
                (0..count).map(|n| said(&format!("Word{} and word{}.", n % 7, n % 5))).collect();
            let lengths = runs(&turns, &Rarity::of(turns.iter()));
            assert_eq!(lengths.iter().sum::<usize>(), count as usize);
            let fits = |length: &usize| (RUN_TURNS_MIN..=RUN_TURNS_MAX).contains(length);
            assert!(lengths.iter().all(fits) || (count as usize) < RUN_TURNS_MIN, "{count}: {lengths:?}");
        }
    }
}
