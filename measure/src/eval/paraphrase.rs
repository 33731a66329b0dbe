//! `cargo xtask eval paraphrase`: everyday questions, each answered by one fact that says it in other words,
//! among all the other facts of its set and as many distractors on the same topics. Once by meaning alone
//! (cosine), and once as a vault finds them, with words and meaning together.
//!
//! Two sets. In the first the fact alone answers the question: it names the same subject and says what is
//! asked. In the second the answer has to be inferred ("Which shoes fit me?", "I wear size 44, wide."; "my
//! sister" where the fact says "Anna"), which is too much for a small model; it shows how much.

use lacuna_core::index::{Attributes, Entry, Filter, Index, Lanes, QuantVec, QueryVector, Search, Utterance};
use lacuna_language::words::TermList;
use lacuna_types::decay::Fading;
use lacuna_types::embed::{Embedder, Purpose};
use lacuna_types::{Category, Lane, Lifecycle, MemoryId, Tier};
use serde::{Deserialize, Serialize};

use crate::Result;

const PARAPHRASE: &str = include_str!("../../data/paraphrase.jsonl");
const INFERENCE: &str = include_str!("../../data/inference.jsonl");

/// Every candidate is as old and as salient as every other.
const FACT: Attributes = Attributes {
    created_at: 0,
    expires_at: None,
    session: None,
    fading: Fading::steady(0.5),
    state: Lifecycle::Active,
    category: Category::LearnedContext,
    tier: Tier::Semantic,
    lane: Lane::Profile,
    secondary_lanes: Lanes::NONE,
    is_record: false,
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// One line of the set.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    question: String,
    fact: String,
    distractor: String,
}

#[derive(Serialize)]
struct Report {
    set: &'static str,
    questions: usize,
    candidates: usize,
    models: Vec<Score>,
}

#[derive(Serialize, Debug, PartialEq)]
struct Score {
    model: String,
    /// The share of questions whose fact is found first, or among the first five.
    recall_at_1: f64,
    recall_at_5: f64,
    /// The mean of 1 / rank.
    mean_reciprocal_rank: f64,
}

pub(crate) fn run(args: &Args) -> Result {
    let models = [lacuna_models::static_embedder()?, lacuna_models::sentence_embedder()?];
    let mut reports = Vec::new();
    for (set, lines) in [("paraphrase", PARAPHRASE), ("inference", INFERENCE)] {
        let cases = cases(lines)?;
        let mut scores = Vec::new();
        for model in &models {
            scores.push(score(model.as_ref(), &cases)?);
            scores.push(score_in_vault(model.as_ref(), &cases)?);
        }
        reports.push(Report { set, questions: cases.len(), candidates: 2 * cases.len(), models: scores });
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&reports)?);
    } else {
        reports.iter().for_each(print_table);
    }
    Ok(())
}

fn cases(lines: &str) -> Result<Vec<Case>> {
    lines.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// The facts, then the distractors: the right candidate of a question has the question's own number.
fn candidates(cases: &[Case]) -> Vec<&str> {
    let facts = cases.iter().map(|case| case.fact.as_str());
    facts.chain(cases.iter().map(|case| case.distractor.as_str())).collect()
}

fn score_in_vault(model: &dyn Embedder, cases: &[Case]) -> Result<Score> {
    let texts = candidates(cases);
    let mut index = Index::new();
    for (at, (text, vector)) in texts.iter().zip(model.embed(&texts, Purpose::Passage)?).enumerate() {
        let vectors = vec![(model.model().clone(), QuantVec::from_f32(&vector)?)];
        let terms = TermList::of(text, None);
        let id = MemoryId::from_bytes((at as u128).to_be_bytes());
        let utterance = Utterance::default();
        index.insert(Entry {
            id,
            attributes: FACT,
            tags: Vec::new(),
            terms,
            utterance,
            vectors,
            payload: at,
        })?;
    }
    let mut ranks = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        let vector = model.embed(&[&case.question], Purpose::Query)?.remove(0);
        let vectors = [QueryVector {
            model: model.model().clone(),
            vector,
            calibration: model.calibration(Purpose::Query),
            english_only: false,
        }];
        let found = index.search(&Search {
            text: &case.question,
            vectors: &vectors,
            filter: Filter::default(),
            tags: Vec::new(),
            now: 0,
            as_of: 0,
            limit: texts.len(),
            min_similarity: 0.0,
            strong_only: false,
            recency_weight: 0.0,
            explain: false,
        });
        let right = MemoryId::from_bytes((at as u128).to_be_bytes());
        let place = found.hits.iter().position(|hit| hit.id == right);
        ranks.push(place.map_or(texts.len(), |place| place + 1));
    }
    Ok(Score::of(format!("{} + words", model.model()), &ranks))
}

fn score(model: &dyn Embedder, cases: &[Case]) -> Result<Score> {
    let questions: Vec<&str> = cases.iter().map(|case| case.question.as_str()).collect();
    let questions = model.embed(&questions, Purpose::Query)?;
    let candidates = model.embed(&candidates(cases), Purpose::Passage)?;
    let ranks: Vec<usize> =
        questions.iter().enumerate().map(|(at, question)| rank(question, at, &candidates)).collect();
    Ok(Score::of(model.model().to_string(), &ranks))
}

/// The place of the right candidate, from 1. On a tie it loses.
fn rank(question: &[f32], right: usize, candidates: &[Vec<f32>]) -> usize {
    let cosine = |candidate: &[f32]| question.iter().zip(candidate).map(|(a, b)| a * b).sum::<f32>();
    let reached = cosine(&candidates[right]);
    candidates.iter().filter(|candidate| cosine(candidate) >= reached).count()
}

impl Score {
    fn of(model: String, ranks: &[usize]) -> Self {
        let share = |limit: usize| mean(ranks, |rank| f64::from(u8::from(rank <= limit)));
        Self {
            model,
            recall_at_1: share(1),
            recall_at_5: share(5),
            mean_reciprocal_rank: mean(ranks, |rank| 1.0 / rank as f64),
        }
    }
}

fn mean(ranks: &[usize], value: impl Fn(usize) -> f64) -> f64 {
    ranks.iter().map(|rank| value(*rank)).sum::<f64>() / ranks.len() as f64
}

fn print_table(report: &Report) {
    println!("{}: {} questions, {} candidates", report.set, report.questions, report.candidates);
    println!("{:<28} {:>6} {:>6} {:>6}", "model", "R@1", "R@5", "MRR");
    for score in &report.models {
        let Score { model, recall_at_1, recall_at_5, mean_reciprocal_rank } = score;
        println!("{model:<28} {recall_at_1:>6.3} {recall_at_5:>6.3} {mean_reciprocal_rank:>6.3}");
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// The sentence model's share of first places, below which meaning would be no help to a person.
    const RECALL_AT_1_GOAL: f64 = 0.70;

    #[test]
    fn the_sets_are_large_and_repeat_nothing() {
        for lines in [PARAPHRASE, INFERENCE] {
            let cases = cases(lines).unwrap();
            assert!(cases.len() >= 120);
            let texts: HashSet<_> =
                cases.iter().flat_map(|case| [&case.question, &case.fact, &case.distractor]).collect();
            assert_eq!(texts.len(), 3 * cases.len());
        }
    }

    #[test]
    fn the_sentence_model_reaches_its_goal() {
        let model = lacuna_models::sentence_embedder().unwrap();
        let score = score(model.as_ref(), &cases(PARAPHRASE).unwrap()).unwrap();
        assert!(score.recall_at_1 >= RECALL_AT_1_GOAL, "{score:?}");
    }

    #[test]
    fn ranks_are_scored_as_defined() {
        let candidates = [vec![0.0, 1.0], vec![0.6, 0.8], vec![1.0, 0.0], vec![0.6, 0.8]];
        assert_eq!(rank(&[1.0, 0.0], 2, &candidates), 1);
        assert_eq!(rank(&[1.0, 0.0], 1, &candidates), 3);
        let score = Score::of("m".into(), &[1, 2, 10, 1]);
        assert_eq!((score.recall_at_1, score.recall_at_5, score.mean_reciprocal_rank), (0.5, 0.75, 0.65));
    }
}
