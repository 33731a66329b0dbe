//! `cargo xtask eval recall`: questions to conversations and to facts, found by words alone, by the best single model
//! alone, and as a vault finds them; with the weights as they stand and with weights learnt without the set.
//!
//! The conversations are not ours to ship; a set that is not there is skipped, and that is said.

mod learn;
mod sets;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use lacuna_core::index::features::{FEATURES, Values, WEIGHTS};
use lacuna_core::index::{
    Attributes, Entry, Filter, Index, Lanes, QuantVec, QueryVector, Search, Session, Utterance,
};
use lacuna_language::words::TermList;
use lacuna_types::decay::Fading;
use lacuna_types::embed::{Embedder, Purpose};
use lacuna_types::{Category, Lane, Lifecycle, MemoryId, SessionId, Tier};
use serde::Serialize;

use self::learn::{Candidates, LearningSource, dot, learn};
use self::sets::{AskedQuestion, AskedSpace, RecallSet, conversations, facts};
use crate::Result;

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");
const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data");
/// Conversations, by the name of their file.
const CONVERSATIONS: [&str; 3] = ["locomo", "realtalk", "longmemeval"];
/// Sets of our own, by the name of their file.
const FACTS: [&str; 2] = ["recall_facts", "recall_languages"];
const BATCH: usize = 64;
const DAY_MILLIS: i64 = 86_400_000;
/// Candidates of each question that are ranked.
const RANKED: usize = 100;
const CUTOFFS: [usize; 3] = [1, 5, 10];
/// One in so many unrelated texts lies above the midpoint of a calibration.
const UNRELATED_EVERY: usize = 20;
/// Places of the features that count for a memory that stands alone.
const ALONE: [usize; 3] = [0, 1, 3];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder of the conversations.
    #[arg(long, default_value = SHARED)]
    data: PathBuf,
    /// Ask the questions of the closed halves of our own sets.
    #[arg(long)]
    closed: bool,
    /// Learn the weights anew, and print them as the table of `features.rs`.
    #[arg(long)]
    learn: bool,
    /// Measure only these sets: locomo, realtalk, longmemeval, recall_facts, recall_languages.
    #[arg(long = "set", value_name = "NAME")]
    sets: Vec<String>,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// Shares of the questions of one set, found in one way.
#[derive(Serialize)]
struct RecallRow {
    set: String,
    way: String,
    /// Share of the right answers among the first ten.
    recall_at_10: f64,
    /// Shares of questions with a right answer among the first one, five and ten.
    hits: [f64; 3],
}

/// A set with its questions answered.
struct AnsweredSet {
    name: String,
    rows: Vec<RecallRow>,
    is_turns: bool,
    /// The candidates of each question, as a vault ranks them.
    candidates: Vec<Candidates>,
    /// Number of right answers of each question, found or not.
    gold: Vec<usize>,
    /// Sums of features that one in [`UNRELATED_EVERY`] turns of another conversation reaches, one for each question; none
    /// unless weights are learnt.
    unrelated: Vec<f32>,
}

pub(crate) fn run(args: &Args) -> Result {
    let models = [lacuna_models::sentence_embedder()?, lacuna_models::static_embedder()?];
    let mut answered = Vec::new();
    for set in read(args)? {
        answered.push(answer(&set, &models, args.learn)?);
    }
    for at in 0..answered.len() {
        if let Some(row) = left_out(&answered, at) {
            answered[at].rows.push(row);
        }
    }
    if args.learn {
        print_weights(&answered);
    }
    print(&answered, args.json)
}

fn read(args: &Args) -> Result<Vec<RecallSet>> {
    let mut sets = Vec::new();
    let wanted = |name: &&str| args.sets.is_empty() || args.sets.iter().any(|wanted| wanted == name);
    let mut take = |name: &str, set: Option<RecallSet>| match set {
        Some(set) => sets.push(set),
        None => eprintln!("skipped: {name} is not there"),
    };
    for name in CONVERSATIONS.into_iter().filter(wanted) {
        take(name, conversations(name, &args.data.join(format!("retrieval_{name}_dev.json")))?);
    }
    for name in FACTS.into_iter().filter(wanted) {
        let file = |half: &str| Path::new(OWN).join(format!("{name}_{half}.jsonl"));
        let closed = args.closed.then(|| file("closed"));
        take(name, facts(name, &file("open"), closed.as_deref())?);
    }
    Ok(sets)
}

/// Vectors by the texts that they are of.
type ByText = HashMap<String, Vec<f32>>;

/// The vectors of every text of a set under each model.
struct SetVectors {
    texts: Vec<ByText>,
    questions: Vec<ByText>,
}

impl SetVectors {
    fn new(set: &RecallSet, models: &[std::sync::Arc<dyn Embedder>]) -> Result<Self> {
        let texts = || set.spaces.iter().flat_map(|space| &space.texts).map(|stored| stored.text.as_str());
        let asked = || set.spaces.iter().flat_map(|space| &space.questions).map(|asked| asked.text.as_str());
        let mut vectors = Self { texts: Vec::new(), questions: Vec::new() };
        for model in models {
            vectors.texts.push(embed(model.as_ref(), texts().collect(), Purpose::Passage)?);
            vectors.questions.push(embed(model.as_ref(), asked().collect(), Purpose::Query)?);
        }
        Ok(vectors)
    }
}

fn embed(model: &dyn Embedder, mut texts: Vec<&str>, purpose: Purpose) -> Result<ByText> {
    texts.sort_unstable_by_key(|text| (text.len(), *text));
    texts.dedup();
    let mut vectors = HashMap::new();
    for batch in texts.chunks(BATCH) {
        vectors.extend(batch.iter().map(|text| (*text).to_owned()).zip(model.embed(batch, purpose)?));
    }
    Ok(vectors)
}

/// Answers the questions of a set. For learning, each is also asked in a space that it is not about.
fn answer(
    set: &RecallSet,
    models: &[std::sync::Arc<dyn Embedder>],
    is_learning: bool,
) -> Result<AnsweredSet> {
    let vectors = SetVectors::new(set, models)?;
    let mut ways: Vec<(String, Vec<Vec<bool>>)> = vec![("words alone".to_owned(), Vec::new())];
    ways.extend(models.iter().map(|model| (format!("{} alone", model.model()), Vec::new())));
    ways.push(("as a vault finds them".to_owned(), Vec::new()));
    let (mut candidates, mut gold, mut unrelated) = (Vec::new(), Vec::new(), Vec::new());
    let mut other: Option<(&AskedSpace, Index<usize>)> = None;
    for space in &set.spaces {
        let by_words = index(space, None)?;
        let index = index(space, Some((models, &vectors)))?;
        for question in space.questions.iter().filter(|question| !question.gold.is_empty()) {
            gold.push(question.gold.len());
            let found = search(&by_words, space, question, &[]);
            ways[0].1.push(found.iter().map(|(_, right)| *right).collect());
            for (at, vectors) in vectors.texts.iter().zip(&vectors.questions).enumerate() {
                ways[1 + at].1.push(nearest(space, question, vectors));
            }
            let asked = models.iter().zip(&vectors.questions).map(|(model, vectors)| QueryVector {
                model: model.model().clone(),
                vector: vectors[&question.text].clone(),
                calibration: model.calibration(Purpose::Query),
                english_only: model.is_english_only(),
            });
            let asked: Vec<QueryVector> = asked.collect();
            let found = search(&index, space, question, &asked);
            ways[1 + models.len()].1.push(found.iter().map(|(_, right)| *right).collect());
            candidates.push(found);
            if let Some((other, index)) = &other {
                unrelated.extend(reached(&search(index, other, question, &asked), other.texts.len()));
            }
        }
        other = is_learning.then_some((space, index));
    }
    let rows = ways.iter().map(|(way, ranked)| row(&set.name, way, ranked, &gold)).collect();
    let is_turns = set.spaces.iter().flat_map(|space| &space.texts).any(|stored| stored.turn.is_some());
    Ok(AnsweredSet { name: set.name.clone(), rows, is_turns, candidates, gold, unrelated })
}

/// The sum of features that one in [`UNRELATED_EVERY`] of so many turns reaches.
fn reached(found: &Candidates, texts: usize) -> Option<f32> {
    let sum = |values: &Values| values.iter().zip(&WEIGHTS).map(|(value, one)| value * one.turn).sum();
    found.get(texts / UNRELATED_EVERY).map(|(values, _)| sum(values))
}

/// The texts of one space, as a vault would index them; without vectors and neighbours for words alone.
fn index(
    space: &AskedSpace,
    embedded: Option<(&[std::sync::Arc<dyn Embedder>], &SetVectors)>,
) -> Result<Index<usize>> {
    let mut index = Index::new();
    for (place, stored) in space.texts.iter().enumerate() {
        let session = match (&stored.turn, embedded) {
            (Some((session, number)), Some(_)) => {
                Some(Session::new(&SessionId::new(session)?, Some(*number)))
            }
            _ => None,
        };
        let mut vectors = Vec::new();
        for (at, model) in embedded.iter().flat_map(|(models, _)| models.iter().enumerate()) {
            let known = embedded.and_then(|(_, vectors)| vectors.texts[at].get(&stored.text));
            let vector = known.ok_or("a text without a vector")?;
            vectors.push((model.model().clone(), QuantVec::from_f32(vector)?));
        }
        let terms = TermList::of(&stored.text, None);
        index.insert(Entry {
            id: MemoryId::from_bytes((place as u128).to_be_bytes()),
            attributes: Attributes {
                created_at: stored.at.as_millisecond(),
                expires_at: None,
                session,
                fading: Fading::steady(0.5),
                state: Lifecycle::Active,
                category: Category::Conversation,
                tier: Tier::Episodic,
                lane: Lane::Profile,
                secondary_lanes: Lanes::default(),
                is_record: false,
            },
            tags: Vec::new(),
            utterance: Utterance::of(&stored.text, &terms),
            terms,
            vectors,
            payload: place,
        })?;
    }
    Ok(index)
}

/// The candidates of a question, best first, a day after the last text was said.
fn search(
    index: &Index<usize>,
    space: &AskedSpace,
    question: &AskedQuestion,
    vectors: &[QueryVector],
) -> Candidates {
    let last = space.texts.iter().map(|stored| stored.at.as_millisecond()).max().unwrap_or(0);
    let found = index.search(&Search {
        text: &question.text,
        vectors,
        filter: Filter::default(),
        tags: Vec::new(),
        now: last + DAY_MILLIS,
        as_of: last + DAY_MILLIS,
        limit: RANKED,
        min_similarity: 0.0,
        strong_only: false,
        recency_weight: 0.0,
        explain: true,
    });
    let candidate = |hit: &lacuna_core::index::Hit| -> Option<(Values, bool)> {
        let features = &hit.explanation.as_ref()?.features;
        let values = std::array::from_fn(|at| features.get(at).map_or(0.0, |feature| feature.value));
        Some((values, question.gold.contains(index.get(&hit.id)?.payload)))
    };
    found.hits.iter().filter_map(candidate).collect()
}

/// The texts nearest to a question under one model, as right or wrong.
fn nearest(
    space: &AskedSpace,
    question: &AskedQuestion,
    (texts, questions): (&ByText, &ByText),
) -> Vec<bool> {
    let asked = &questions[&question.text];
    let cosine = |text: &str| texts[text].iter().zip(asked).map(|(a, b)| a * b).sum::<f32>();
    let mut ranked: Vec<(f32, usize)> =
        space.texts.iter().enumerate().map(|(place, stored)| (cosine(&stored.text), place)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked.iter().take(CUTOFFS[2]).map(|(_, place)| question.gold.contains(place)).collect()
}

fn row(set: &str, way: &str, ranked: &[Vec<bool>], gold: &[usize]) -> RecallRow {
    let count = ranked.len().max(1) as f64;
    let right =
        |ranked: &Vec<bool>, cutoff: usize| ranked.iter().take(cutoff).filter(|right| **right).count();
    let recall: f64 =
        ranked.iter().zip(gold).map(|(ranked, gold)| right(ranked, CUTOFFS[2]) as f64 / *gold as f64).sum();
    let hits = CUTOFFS.map(|cutoff| {
        let hits = ranked.iter().filter(|ranked| right(ranked, cutoff) > 0).count();
        100.0 * hits as f64 / count
    });
    RecallRow { set: set.to_owned(), way: way.to_owned(), recall_at_10: 100.0 * recall / count, hits }
}

/// Ranks a set anew by weights that were learnt from the other sets of its kind.
fn left_out(answered: &[AnsweredSet], at: usize) -> Option<RecallRow> {
    let set = &answered[at];
    let others =
        answered.iter().enumerate().filter(|(other, one)| *other != at && one.is_turns == set.is_turns);
    let sources: Vec<LearningSource<'_>> =
        others.map(|(_, one)| LearningSource { questions: &one.candidates }).collect();
    if sources.is_empty() {
        return None;
    }
    let weights = learn(&sources, &active(set.is_turns));
    let rank = |candidates: &Candidates| {
        let score = |values: &Values| dot(&values.map(f64::from), &weights);
        let mut ranked: Vec<(f64, bool)> =
            candidates.iter().map(|(values, right)| (score(values), *right)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked.into_iter().map(|(_, right)| right).collect::<Vec<bool>>()
    };
    let ranked: Vec<Vec<bool>> = set.candidates.iter().map(rank).collect();
    Some(row(&set.name, "weights learnt without this set", &ranked, &set.gold))
}

/// The places of the features that are learnt for a kind of memory.
fn active(is_turns: bool) -> Vec<usize> {
    match is_turns {
        true => (0..FEATURES).filter(|at| *at != ALONE[2]).collect(),
        false => ALONE.to_vec(),
    }
}

fn print_weights(answered: &[AnsweredSet]) {
    let kinds = [true, false].map(|is_turns| {
        let sets = answered.iter().filter(|one| one.is_turns == is_turns);
        let sources: Vec<LearningSource<'_>> =
            sets.map(|one| LearningSource { questions: &one.candidates }).collect();
        let weights = learn(&sources, &active(is_turns));
        // Log-odds of a memory that stands alone are those of its calibrated cosines.
        let unit =
            if is_turns { 1.0 } else { (weights[ALONE[0]] + weights[ALONE[1]]).max(f64::MIN_POSITIVE) };
        weights.map(|weight| weight / unit)
    });
    println!("| feature | turn | alone | turn, as it stands | alone, as it stands |\n|---|---|---|---|---|");
    for (at, weighted) in WEIGHTS.iter().enumerate() {
        let [turn, alone] = kinds.map(|weights| weights[at]);
        println!(
            "| {} | {turn:.2} | {alone:.2} | {:.2} | {:.2} |",
            weighted.name, weighted.turn, weighted.alone
        );
    }
    for one in answered.iter().filter(|one| one.is_turns && !one.unrelated.is_empty()) {
        let mut sums = one.unrelated.clone();
        sums.sort_by(f32::total_cmp);
        println!(
            "{}: one in {UNRELATED_EVERY} unrelated turns reaches {:.2}",
            one.name,
            sums[sums.len() / 2]
        );
    }
}

fn print(answered: &[AnsweredSet], json: bool) -> Result {
    let rows: Vec<&RecallRow> = answered.iter().flat_map(|one| &one.rows).collect();
    if json {
        println!("{}", serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    println!("Development figures, but for weights learnt without the set and for closed halves.");
    println!("{:<18} {:<34} {:>6} {:>6} {:>6} {:>6}", "set", "", "R@10", "hit@1", "hit@5", "hit@10");
    for RecallRow { set, way, recall_at_10, hits: [first, five, ten] } in rows {
        println!("{set:<18} {way:<34} {recall_at_10:>6.1} {first:>6.1} {five:>6.1} {ten:>6.1}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_count_hits_and_recall() {
        let ranked = [vec![false, true, true], vec![true], vec![]];
        let row = row("s", "w", &ranked, &[2, 2, 1]);
        assert_eq!(row.hits.map(|hit| hit.round()), [33.0, 67.0, 67.0]);
        assert_eq!(row.recall_at_10.round(), 50.0);
    }
}
