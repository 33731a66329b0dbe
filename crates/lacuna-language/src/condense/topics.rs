//! Topics of a conversation: runs of turns that come back to the same thing later belong together, so that one
//! summary tells it.

use std::collections::BTreeMap;

use super::runs::runs;
use super::sentences::Rarity;
use super::turn::Turn;

/// Topics of one portion of turns: the most similar ones are joined until there are no more.
pub const TOPICS_MAX: usize = 8;
/// Turns of one topic. Its summary and the archiving of its turns are one commit, and writers block meanwhile.
pub const TOPIC_TURNS_MAX: usize = 128;
/// Runs that are at least this alike are about the same.
const SAME_TOPIC: f32 = 0.4;

/// The numbers of the turns of each topic, rising; topics in the order in which they came up.
pub fn topics(turns: &[Turn], rarity: &Rarity) -> Vec<Vec<usize>> {
    let mut start = 0;
    let mut topics = Vec::new();
    for length in runs(turns, rarity) {
        topics.push(TopicTurns::of(turns, (start..start + length).collect(), rarity));
        start += length;
    }
    let mut alike: Vec<Vec<f32>> =
        topics.iter().map(|one| topics.iter().map(|other| one.alike(other)).collect()).collect();
    while let Some((one, other)) = most_alike(&topics, &alike) {
        let joined = topics.remove(other);
        alike.remove(other);
        for row in &mut alike {
            row.remove(other);
        }
        topics[one].join(joined);
        for at in 0..topics.len() {
            let both = topics[one].alike(&topics[at]);
            (alike[one][at], alike[at][one]) = (both, both);
        }
    }
    topics.into_iter().map(|topic| topic.turns).collect()
}

/// The two topics to join next, in their order; `None` when all of them stand for themselves.
fn most_alike(topics: &[TopicTurns], alike: &[Vec<f32>]) -> Option<(usize, usize)> {
    let pairs = (0..topics.len()).flat_map(|one| (one + 1..topics.len()).map(move |other| (one, other)));
    let fit = |&(one, other): &(usize, usize)| {
        topics[one].turns.len() + topics[other].turns.len() <= TOPIC_TURNS_MAX
    };
    let (one, other) =
        pairs.filter(fit).max_by(|a, b| alike[a.0][a.1].total_cmp(&alike[b.0][b.1]).then(b.cmp(a)))?;
    (topics.len() > TOPICS_MAX || alike[one][other] >= SAME_TOPIC).then_some((one, other))
}

struct TopicTurns {
    turns: Vec<usize>,
    /// The weight of each word that is said in it.
    words: BTreeMap<u64, f32>,
    /// The sum of the turns' vectors.
    vector: Vec<f32>,
}

impl TopicTurns {
    fn of(turns: &[Turn], numbers: Vec<usize>, rarity: &Rarity) -> Self {
        let mut topic = Self { turns: Vec::new(), words: BTreeMap::new(), vector: Vec::new() };
        for turn in numbers.iter().map(|number| &turns[*number]) {
            for term in turn.terms.hashes() {
                *topic.words.entry(term).or_default() += rarity.weight(term);
            }
            topic.add_vector(turn.vector.as_deref().unwrap_or_default());
        }
        Self { turns: numbers, ..topic }
    }

    fn join(&mut self, other: Self) {
        self.turns.extend(other.turns);
        self.turns.sort_unstable();
        for (term, weight) in other.words {
            *self.words.entry(term).or_default() += weight;
        }
        self.add_vector(&other.vector);
    }

    fn add_vector(&mut self, vector: &[f32]) {
        match self.vector.is_empty() {
            true => self.vector = vector.to_vec(),
            false => self.vector.iter_mut().zip(vector).for_each(|(sum, one)| *sum += one),
        }
    }

    /// The likeness of words and meaning, from 0 to 1.
    fn alike(&self, other: &Self) -> f32 {
        let shared = self.words.iter().filter_map(|(term, one)| Some(one * other.words.get(term)?)).sum();
        let words = cosine(shared, self.words.values(), other.words.values());
        if self.vector.is_empty() || self.vector.len() != other.vector.len() {
            return words;
        }
        let shared = self.vector.iter().zip(&other.vector).map(|(one, other)| one * other).sum();
        (words + cosine(shared, self.vector.iter(), other.vector.iter()).max(0.0)) / 2.0
    }
}

fn cosine<'a>(shared: f32, one: impl Iterator<Item = &'a f32>, other: impl Iterator<Item = &'a f32>) -> f32 {
    let length =
        |values: &mut dyn Iterator<Item = &'a f32>| values.map(|value| value * value).sum::<f32>().sqrt();
    let (mut one, mut other) = (one, other);
    shared / (length(&mut one) * length(&mut other)).max(f32::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::super::turn::said;
    use super::*;

    fn told(texts: &[&str]) -> Vec<Vec<usize>> {
        let turns: Vec<Turn> = texts.iter().map(|text| said(text)).collect();
        topics(&turns, &Rarity::of(turns.iter()))
    }

    #[test]
    fn what_comes_back_later_is_one_topic() {
        let texts = [
            "The tulips in the garden froze.",
            "Which tulips froze in the garden?",
            "The red tulips by the garden gate.",
            "The boat needs a new sail.",
            "A sail for that boat is dear.",
            "The boat can wait until the sail is cheap.",
            "New tulips for the garden come on Monday.",
            "Tulips in the garden again, how nice.",
            "The garden gate squeaks beside the tulips.",
        ];
        assert_eq!(told(&texts), [vec![0, 1, 2, 6, 7, 8], vec![3, 4, 5]]);
    }

    #[test]
    fn a_long_week_has_few_topics_and_every_turn_is_in_one() {
        let texts: Vec<String> =
            (0..400).map(|n| format!("Word{} meets word{} near place{}.", n % 37, n % 11, n / 9)).collect();
        let found = told(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(found.len() <= TOPICS_MAX, "{}", found.len());
        assert!(found.iter().all(|topic| topic.len() <= TOPIC_TURNS_MAX && topic.is_sorted()));
        let mut all: Vec<usize> = found.into_iter().flatten().collect();
        all.sort_unstable();
        assert_eq!(all, (0..400).collect::<Vec<_>>());
        assert_eq!(told(&[]), Vec::<Vec<usize>>::new());
    }
}
