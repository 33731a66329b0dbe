//! The index against a naive one: every text kept, every score computed from the definition.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

use lacuna_core::index::{
    Attributes, Entry, Filter, Index, Lanes, QuantVec, QueryVector, Search, Session, Tag, Utterance,
    features::{FEATURES, WEIGHTS},
};
use lacuna_language::words::TermList;
use lacuna_types::decay::Fading;
use lacuna_types::embed::{Calibration, ModelId};
use lacuna_types::{Category, Lane, Lifecycle, MemoryId, SessionId, Tier};
use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;

const NOW: i64 = 1_700_000_000_000;
const DIMENSIONS: usize = 24;
const WORDS: [&str; 12] = [
    "amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heron", "islet", "jade", "kelp", "lagoon",
];
const TAGS: [&str; 3] = ["red", "green", "blue"];
const CALIBRATION: Calibration = Calibration { midpoint: 0.2, steepness: 6.0 };

fn id(n: u8) -> MemoryId {
    MemoryId::from_bytes(u128::from(n).to_be_bytes())
}

fn model(name: &str) -> ModelId {
    ModelId::new(name)
}

#[derive(Clone, Debug)]
struct Made {
    n: u8,
    words: Vec<usize>,
    vectors: [Option<Vec<f32>>; 2],
    turn: Option<(u8, u8)>,
    tags: BTreeSet<usize>,
    category: usize,
    lane: usize,
    archived: bool,
    expires: Option<i64>,
    salience: f32,
}

#[derive(Clone, Debug)]
enum Step {
    Insert(Made),
    Remove(u8),
}

fn vector() -> impl Strategy<Value = Vec<f32>> {
    vec(-1f32..1.0, DIMENSIONS)
}

prop_compose! {
    fn made()(
        n in 0u8..24,
        words in vec(0..WORDS.len(), 1..8),
        vectors in [option::of(vector()), option::of(vector())],
        turn in option::of((0u8..2, 0u8..6)),
        tags in btree_set(0..TAGS.len(), 0..3),
        (category, lane) in (0usize..4, 0usize..3),
        archived in proptest::bool::weighted(0.15),
        expires in option::weighted(0.2, -2i64..3),
        salience in 0f32..1.0,
    ) -> Made {
        Made { n, words, vectors, turn, tags, category, lane, archived, expires, salience }
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    vec(prop_oneof![3 => made().prop_map(Step::Insert), 1 => (0u8..24).prop_map(Step::Remove)], 1..60)
}

fn filter() -> impl Strategy<Value = Filter> {
    let tags = || {
        btree_set(0..TAGS.len(), 0..2)
            .prop_map(|tags| tags.iter().map(|&t| Tag::of(TAGS[t])).collect::<Vec<_>>())
    };
    (
        tags(),
        tags(),
        vec(0usize..4, 0..3),
        vec(0usize..3, 0..2),
        any::<bool>(),
        0f32..0.6,
        option::of(0i64..24),
    )
        .prop_map(|(any_tags, all_tags, categories, lanes, archived, min_salience, from)| Filter {
            states: if archived { vec![Lifecycle::Active, Lifecycle::Archived] } else { Vec::new() },
            categories: categories.iter().map(|&c| Category::ALL[c]).collect(),
            lanes: lanes.iter().map(|&l| Lane::ALL[l]).collect(),
            any_tags,
            all_tags,
            min_salience,
            from: from.map(|from| NOW - from),
            ..Filter::default()
        })
}

fn text(words: &[usize]) -> String {
    words.iter().map(|&word| WORDS[word]).collect::<Vec<_>>().join(" ")
}

impl Made {
    fn attributes(&self) -> Attributes {
        let session = |(session, turn): (u8, u8)| {
            Session::new(&SessionId::new(&format!("s{session}")).unwrap(), Some(u32::from(turn)))
        };
        Attributes {
            created_at: NOW - i64::from(self.n),
            expires_at: self.expires.map(|offset| NOW + offset),
            session: self.turn.map(session),
            fading: Fading::steady(self.salience),
            state: if self.archived { Lifecycle::Archived } else { Lifecycle::Active },
            category: Category::ALL[self.category],
            tier: Tier::Semantic,
            lane: Lane::ALL[self.lane],
            secondary_lanes: Lanes::default(),
            is_record: false,
        }
    }

    fn tags(&self) -> Vec<Tag> {
        self.tags.iter().map(|&tag| Tag::of(TAGS[tag])).collect()
    }

    fn entry(&self) -> Entry<u8> {
        let vectors = ["a", "b"].into_iter().zip(&self.vectors);
        Entry {
            id: id(self.n),
            attributes: self.attributes(),
            tags: self.tags(),
            terms: TermList::of(&text(&self.words), None),
            utterance: Utterance::default(),
            vectors: vectors
                .filter_map(|(name, vector)| {
                    Some((model(name), QuantVec::from_f32(vector.as_ref()?).unwrap()))
                })
                .collect(),
            payload: self.n,
        }
    }

    fn shown(&self, filter: &Filter) -> bool {
        (!self.archived || filter.states.contains(&Lifecycle::Archived))
            && self.expires.is_none_or(|at| at > 0)
    }

    fn admitted(&self, filter: &Filter) -> bool {
        let (attributes, tags) = (self.attributes(), self.tags());
        self.shown(filter)
            && (filter.categories.is_empty() || filter.categories.contains(&attributes.category))
            && (filter.lanes.is_empty() || filter.lanes.contains(&attributes.lane))
            && self.salience >= filter.min_salience
            && filter.from.is_none_or(|from| attributes.created_at >= from)
            && (filter.any_tags.is_empty() || tags.iter().any(|tag| filter.any_tags.contains(tag)))
            && filter.all_tags.iter().all(|tag| tags.contains(tag))
    }

    fn count(&self, word: usize) -> f64 {
        self.words.iter().filter(|&&other| other == word).count() as f64
    }
}

type Naive = BTreeMap<u8, Made>;

/// The turns before and after, by turn number and then id.
fn neighbours<'a>(naive: &'a Naive, memory: &Made) -> Vec<&'a Made> {
    let Some((session, turn)) = memory.turn else { return Vec::new() };
    let key = |other: &Made| other.turn.filter(|(s, _)| *s == session).map(|(_, turn)| (turn, other.n));
    let before = naive.values().filter(|other| key(other) < Some((turn, memory.n)) && key(other).is_some());
    let after = naive.values().filter(|other| key(other) > Some((turn, memory.n)));
    before.max_by_key(|other| key(other)).into_iter().chain(after.min_by_key(|other| key(other))).collect()
}

fn saturate(count: f64, relative: f64) -> f64 {
    count * 2.2 / (count + 1.2 * (0.25 + 0.75 * relative))
}

/// Own and context BM25 of one memory and the words that it says, each against the weight of the whole question.
fn words_of(naive: &Naive, memory: &Made, question: &BTreeSet<usize>, filter: &Filter) -> [f64; 3] {
    let all = naive.len() as f64;
    let average = (naive.values().map(|m| m.words.len()).sum::<usize>() as f64 / all).max(1.0);
    let beside = neighbours(naive, memory);
    let (mut own, mut context, mut said, mut total) = (0.0, 0.0, 0.0, 0.0);
    for &word in question {
        let sayers = naive.values().filter(|m| m.count(word) > 0.0).count() as f64;
        let weight = (1.0 + (all - sayers + 0.5) / (sayers + 0.5)).ln();
        let heard = beside.iter().filter(|m| m.shown(filter)).map(|m| m.count(word)).sum::<f64>();
        let length = 2 * memory.words.len() + beside.iter().map(|m| m.words.len()).sum::<usize>();
        let relative = length as f64 / (2 + beside.len()) as f64 / average;
        own += weight * saturate(memory.count(word), memory.words.len() as f64 / average);
        context += weight * saturate(2.0 * memory.count(word) + heard, relative);
        said += if memory.count(word) > 0.0 { weight } else { 0.0 };
        total += weight;
    }
    [own, context, said].map(|sum| sum / total)
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(x * y)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

fn log_odds(vector: &[f32], query: &[f32]) -> f64 {
    f64::from(CALIBRATION.log_odds(cosine(vector, query) as f32)).clamp(-10.0, 10.0)
}

/// The share of the question's words, by weight, that the visible turns of a memory's conversation say.
fn session_of(naive: &Naive, memory: &Made, question: &BTreeSet<usize>, filter: &Filter) -> f64 {
    let session = memory.turn.map(|(session, _)| session);
    let turns = naive.values().filter(|other| other.turn.is_some_and(|(other, _)| Some(other) == session));
    let words = turns.filter(|other| other.shown(filter)).flat_map(|other| other.words.iter().copied());
    let joined = Made { words: words.collect(), turn: None, ..memory.clone() };
    words_of(naive, &joined, question, filter)[2]
}

/// The features of a memory, in the order of the table.
fn features_of(
    naive: &Naive,
    memory: &Made,
    question: &BTreeSet<usize>,
    query: &[f32],
    filter: &Filter,
) -> [f64; FEATURES] {
    let [own, context, said] = words_of(naive, memory, question, filter);
    let mut compared = memory.vectors.iter().flatten().map(|vector| log_odds(vector, query));
    let meaning = compared.next().unwrap_or(6.0 * (2.0 * words_share(own, context) - 1.0));
    let second = compared.next().unwrap_or(meaning);
    let mut values = [0.0; FEATURES];
    values[..6].copy_from_slice(&[
        meaning,
        second,
        own.min(1.5),
        own.min(1.0).powi(2),
        said,
        context.min(1.5),
    ]);
    let beside = neighbours(naive, memory);
    if !beside.is_empty() {
        let shown = beside.iter().filter(|other| other.shown(filter));
        let compared: Vec<f64> = shown
            .flat_map(|other| other.vectors.iter().flatten())
            .map(|vector| f64::from(CALIBRATION.log_odds(cosine(vector, query) as f32)))
            .collect();
        values[6] = (compared.iter().sum::<f64>() / compared.len().max(1) as f64).clamp(-10.0, 10.0);
        values[7] = session_of(naive, memory, question, filter);
        values[12] = (memory.words.len() as f64).ln_1p();
    }
    values
}

fn words_share(own: f64, context: f64) -> f64 {
    (2.0 / 3.0 * context + own / 3.0).min(1.0)
}

fn squash(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds / 2.0).exp())
}

/// The score of a memory that is a strong hit: the formula that the documentation gives.
fn score(
    naive: &Naive,
    memory: &Made,
    question: &BTreeSet<usize>,
    query: &[f32],
    filter: &Filter,
) -> Option<f64> {
    let is_turn = !neighbours(naive, memory).is_empty();
    let values = features_of(naive, memory, question, query, filter);
    let weight = |at: usize| f64::from(if is_turn { WEIGHTS[at].turn } else { WEIGHTS[at].alone });
    let sum: f64 = (0..FEATURES).map(|at| weight(at) * values[at]).sum();
    let log_odds = if is_turn { sum - 3.1 } else { sum };
    let [own, context, said] = words_of(naive, memory, question, filter);
    let words = words_share(own, context);
    let vector = memory.vectors.iter().flatten().next();
    let similarity = vector.map(|v| f64::from(CALIBRATION.similarity(cosine(v, query) as f32)));
    let is_strong =
        similarity.map_or(words > 0.0, |similarity| similarity >= 0.6 || words >= 0.2 || said >= 0.5);
    let recency = (-f64::from(memory.n) / 86_400_000.0 / 30.0).exp2();
    let raised = 0.6 * 0.3 * recency + 0.3 * f64::from(memory.salience);
    // None of the words here is a stop word, so every question is nothing but keywords.
    let relevance = if is_turn { squash(log_odds) } else { squash(log_odds).max(0.9 * said) };
    let score = (relevance + squash(log_odds + raised) - squash(log_odds)).min(1.0);
    (is_strong && memory.admitted(filter)).then_some(score)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_search_finds_what_the_definition_says(
        steps in steps(),
        question in btree_set(0..WORDS.len(), 1..5),
        query in vector(),
        filter in filter(),
    ) {
        let (mut index, mut naive) = (Index::new(), Naive::new());
        for step in &steps {
            match step {
                Step::Insert(made) => {
                    index.insert(made.entry()).unwrap();
                    naive.insert(made.n, made.clone());
                }
                Step::Remove(n) => prop_assert_eq!(index.remove(&id(*n)), naive.remove(n).is_some()),
            }
        }
        prop_assert_eq!(index.len(), naive.len());
        let vectors = ["a", "b"].map(|name| QueryVector {
            model: model(name),
            vector: query.clone(),
            calibration: CALIBRATION,
            english_only: false,
        });
        let text = text(&question.iter().copied().collect::<Vec<_>>());
        let found = index.search(&Search {
            text: &text,
            vectors: &vectors,
            filter: filter.clone(),
            tags: Vec::new(),
            now: NOW,
            as_of: NOW,
            limit: 100,
            min_similarity: 0.0,
            strong_only: true,
            recency_weight: 0.3,
            explain: true,
        });
        let expected: BTreeMap<MemoryId, f64> = naive
            .values()
            .filter_map(|memory| Some((id(memory.n), score(&naive, memory, &question, &query, &filter)?)))
            .collect();
        let got: BTreeMap<MemoryId, f64> = found.hits.iter().map(|hit| (hit.id, f64::from(hit.score))).collect();
        prop_assert!(found.hits.is_sorted_by(|a, b| a.score >= b.score));
        prop_assert_eq!(got.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (id, score) in &got {
            prop_assert!((score - expected[id]).abs() < 1e-4, "{id} {score} {}", expected[id]);
        }
    }
}
